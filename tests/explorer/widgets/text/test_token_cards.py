"""The cards above the comparison: what they say, and the room that they take."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot
from windows import emitted, on_screen

from tokenarium.style.fonts import ui_font
from tokenarium.style.theme import DARK, LIGHT
from tokenarium.widgets.text.cost_popup import CostPopup
from tokenarium.widgets.text.token_card import CHIP_HEIGHT, CardFacts, elided
from tokenarium.widgets.text.token_cards import CARD_HEIGHT, LOW_CARD_HEIGHT, TokenCards

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")


def facts(count: int, selected: int | None = None) -> list[CardFacts]:
    return [
        CardFacts(
            f"k{n}", f"Model {n}", "encoding", LIGHT.identity(n), "token", 100 + n, selected,
            (100 + n) / (100 + count), 0.2, "2.2 times Model 0", "more",
        )
        for n in range(count)
    ]  # fmt: skip


@pytest.fixture
def cards(qtbot: QtBot) -> TokenCards:
    return on_screen(qtbot, TokenCards(), 900, 100)


def buttons(cards: TokenCards) -> list[QAbstractButton]:
    return [one for one in cards.findChildren(QAbstractButton) if one.isVisible()]


@pytest.mark.parametrize(
    ("count", "width", "height"),
    [(1, 900, CARD_HEIGHT), (4, 900, CARD_HEIGHT), (6, 960, CARD_HEIGHT), (4, 500, 0), (9, 900, 0)],
)
def test_few_are_cards_and_many_are_chips_in_rows(
    cards: TokenCards, count: int, width: int, height: int
) -> None:
    cards.resize(width, 100)
    cards.show_facts(facts(count, 25), "k0")
    assert len(buttons(cards)) == count
    assert all(one.height() == (height or CHIP_HEIGHT) for one in buttons(cards))
    assert cards.as_chips == (height == 0)
    rows = {one.y() for one in buttons(cards)}
    assert len(rows) == (1 if height else max(len(rows), 2))
    assert cards.height() == max(one.y() + one.height() for one in buttons(cards))
    assert all(one.x() + one.width() <= width for one in buttons(cards))
    places = {(one.x(), one.y()) for one in buttons(cards)}
    assert len(places) == count


def test_cards_say_everything_in_words_too(cards: TokenCards) -> None:
    shown = facts(2, 25)
    shown[1] = CardFacts("k1", "Waiting", "", LIGHT.identity(1), note="opening …")
    cards.show_facts(shown, "k0")
    names = [one.accessibleName() for one in buttons(cards)]
    assert names == ["Model 0: 100 tokens, 25 in the selection", "Waiting: opening …"]
    assert [one.isChecked() for one in buttons(cards)] == [True, False]
    assert buttons(cards)[0].toolTip() == "more"
    one = CardFacts("k0", "Model 0", "", LIGHT.identity(0), tokens=1)
    cards.show_facts([one], "k0")
    assert buttons(cards)[0].accessibleName() == "Model 0: 1 token"


def test_a_card_is_chosen_by_mouse_and_by_key_and_waits_for_the_view(
    cards: TokenCards, qtbot: QtBot
) -> None:
    cards.show_facts(facts(3), "k0")
    heard: list[str] = emitted(cards.chosen)
    qtbot.mouseClick(buttons(cards)[1], Qt.MouseButton.LeftButton)
    qtbot.keyClick(buttons(cards)[2], Qt.Key.Key_Space)
    assert heard == ["k1", "k2"]
    assert [one.isChecked() for one in buttons(cards)] == [True, False, False]
    cards.show_facts(facts(3), "k2")
    assert [one.isChecked() for one in buttons(cards)] == [False, False, True]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("low", [False, True])
def test_cards_are_painted_at_any_width(cards: TokenCards, theme: object, low: bool) -> None:
    cards.setPalette(theme.palette())
    cards.set_low(low)
    for count in (1, 3, 8):
        for width in (40, 160, 333, 1400):
            cards.resize(width, 100)
            cards.show_facts(facts(count, 3), "k1")
            assert not cards.grab().isNull()
    cards.resize(1400, 100)
    cards.show_facts(facts(3), "k1")
    assert buttons(cards)[0].height() == (LOW_CARD_HEIGHT if low else CARD_HEIGHT)


def test_cards_show_the_keys_that_put_them_in_front(qtbot: QtBot) -> None:
    cards = on_screen(qtbot, TokenCards(keys=True), 1400, 100)
    cards.show_facts(facts(1), "k0")
    assert "key" not in buttons(cards)[0].toolTip()  # nothing to choose from
    for count in (3, 11):
        cards.show_facts(facts(count), "k0")
        tips = [one.toolTip() for one in buttons(cards)]
        keyed = [f"The key {place} puts it in front" in tip for place, tip in enumerate(tips, 1)]
        assert keyed == [place <= 9 for place in range(1, count + 1)]
    plain = on_screen(qtbot, TokenCards(), 1400, 100)
    plain.show_facts(facts(3), "k0")
    cards.show_facts(facts(3), "k0")
    caps = [
        one.grab().toImage() != other.grab().toImage()
        for one, other in zip(buttons(cards), buttons(plain), strict=True)
    ]
    assert caps == [True] * 3
    long = [*facts(2), replace(facts(1)[0], key="k2", name="A name that leaves no room " * 2)]
    new = [on_screen(qtbot, TokenCards(keys=keys), 1400, 100) for keys in (True, False)]
    for one in new:
        one.show_facts(long, "k0")
    with_keys, without = ([button.grab().toImage() for button in buttons(one)] for one in new)
    assert with_keys == without
    assert "The key 1 puts it in front" in buttons(new[0])[0].toolTip()


def test_names_without_room_differ_at_their_ends(qtbot: QtBot) -> None:
    font = ui_font()
    long = ("superlative-tokenizer-8k", "superlative-tokenizer-16k")
    short = [elided(font, name, 80) for name in long]
    assert all("…" in name for name in short)
    assert [name[-2:] for name in short] == ["8k", "6k"]
    assert [name[:2] for name in short] == ["su", "su"]


@pytest.mark.parametrize(("count", "low"), [(2, False), (2, True), (8, False)])
def test_costs_and_the_choice_are_seen_on_cards_low_ones_and_chips(
    cards: TokenCards, count: int, low: bool
) -> None:
    cards.set_low(low)
    pictures = []
    changes: list[dict[str, Any]] = [
        {},
        {"price": "$0.0025", "cost": "$0.0025 in"},
        {"chosen": True},
    ]
    for change in changes:
        shown = [replace(one, **change) for one in facts(count)]
        cards.show_facts(shown, "k0")
        pictures.append(buttons(cards)[1].grab().toImage())
    assert pictures[0] != pictures[1]
    assert pictures[0] != pictures[2]


def test_a_chip_has_room_for_its_cost(cards: TokenCards) -> None:
    cards.show_facts(facts(8), "k0")
    plain = buttons(cards)[0].width()
    cards.show_facts([replace(one, price="$0.0025") for one in facts(8)], "k0")
    cost = buttons(cards)[0].fontMetrics().horizontalAdvance("$0.0025")
    assert buttons(cards)[0].width() >= plain + cost // 2
    assert buttons(cards)[0].accessibleDescription() == "2.2 times Model 0"


def test_the_figures_of_the_cost_are_emitted_once_entered(qtbot: QtBot, cards: TokenCards) -> None:
    popup = CostPopup(cards)
    heard: list[tuple[int, float]] = []
    popup.changed.connect(lambda context, price: heard.append((context, price)))
    popup.open_under(cards, 128_000, 0.0)
    assert heard == []
    assert popup.context.text() == "128,000"
    assert popup.price.text() == "not entered"
    popup.price.setValue(2.5)
    assert heard == [(128_000, 2.5)]
    popup.context.setValue(0)
    assert heard[-1] == (0, 2.5)
    assert popup.context.text() == "not entered"
    popup.close()
