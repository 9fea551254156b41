"""The card of the inspector: counts first, then a list a tokenizer, then the characters."""

from __future__ import annotations

import pytest
from narrowed import there
from played_models import bpe
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QTreeWidgetItem
from pytestqt.qtbot import QtBot
from windows import emitted, on_screen

import tokenarium_core as tc
from tokenarium.models.text import inspection
from tokenarium.models.text.inspection import TokenPlace
from tokenarium.models.text.token_counts import ratio_text
from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.theme import DARK, LIGHT, Theme
from tokenarium.widgets.text.inspected_tree import (
    FIRST,
    LIMIT,
    Inspected,
    InspectedTree,
    TokenizerPart,
)
from tokenarium.widgets.text.inspector import Inspector

LONG = "DEVANAGARI SIGN CANDRABINDU VIRAMA"


def inspected(text: str, tokenizers: list[tc.Tokenizer]) -> Inspected:
    """Returns the whole of a text as it is inspected."""
    data = text.encode()
    parts = []
    for number, tokenizer in enumerate(tokenizers):
        encoding = tokenizer.encode(text)

        def rows(
            limit: int, encoding: tc.Encoding = encoding, tokenizer: tc.Tokenizer = tokenizer
        ) -> list[inspection.InspectedToken]:
            return inspection.tokens(encoding, tokenizer, 0, len(data), limit)

        count = len(encoding.ids)
        identity = LIGHT.identity(number)
        parts.append(
            TokenizerPart(f"k{number}", f"No {number}", identity, count, 2 * count, True, rows)
        )
    characters = inspection.characters(data)
    scripts = inspection.scripts_in(characters)
    return Inspected(0, len(data), len(data), True, data, scripts, characters, len(text), parts)


@pytest.fixture
def inspector(qtbot: QtBot) -> Inspector:
    return on_screen(qtbot, Inspector(), 318, 800)


def head(tree: InspectedTree, number: int) -> QTreeWidgetItem:
    return there(tree.topLevelItem(number))


def test_the_first_tokens_and_then_the_others(inspector: Inspector) -> None:
    text = "of the people by the people " * 20
    shown = inspected(text, [bpe()])
    inspector.show_bytes(shown)
    tree = inspector.tokens
    first = head(tree, 0)
    count = shown.parts[0].count
    assert count > LIMIT / 2
    assert first.childCount() == FIRST + 1
    more = first.child(FIRST)
    assert more.text(0) == f"{count - FIRST:,} more"
    tree.itemClicked.emit(more, 0)
    assert head(tree, 0).childCount() == min(count, LIMIT) + (count > LIMIT)
    inspector.show_bytes(shown)  # the same bytes once more, as when an encoding goes on
    assert head(tree, 0).childCount() > FIRST + 1


def test_only_the_list_of_the_first_tokenizer_is_open(inspector: Inspector) -> None:
    shown = inspected("people", [bpe(), bpe()])
    inspector.show_bytes(shown)
    tree = inspector.tokens
    assert [head(tree, row).isExpanded() for row in range(3)] == [True, False, False]
    tree.itemClicked.emit(head(tree, 1), 0)
    tree.itemClicked.emit(head(tree, 0), 0)
    inspector.show_bytes(inspected("others", [bpe(), bpe()]))
    assert [head(tree, row).isExpanded() for row in range(3)] == [False, True, False]


def test_the_list_is_as_high_as_its_rows(inspector: Inspector) -> None:
    inspector.show_bytes(inspected("people", [bpe()]))
    tree = inspector.tokens
    last = head(tree, 1)
    tree.itemClicked.emit(last, 0)
    inspector.grab()
    end = tree.visualItemRect(last.child(last.childCount() - 1)).bottom()
    assert abs(tree.height() - 1 - end) <= 1


def test_names_of_characters_wrap(inspector: Inspector, qtbot: QtBot) -> None:
    inspector.resize(260, 700)
    inspector.show_bytes(inspected("ꣳa", []))
    tree = inspector.tokens
    (long, short) = (head(tree, 0).child(row) for row in range(2))
    assert LONG in long.text(0)
    metrics = QFontMetrics(ui_font(SMALL_SIZE))
    assert metrics.horizontalAdvance(LONG) > tree.width() - 36
    inspector.grab()
    assert tree.visualItemRect(long).height() > tree.visualItemRect(short).height()


def test_enter_and_a_right_click_ask_for_the_menu_of_a_token(
    inspector: Inspector, qtbot: QtBot
) -> None:
    inspector.show_bytes(inspected("people", [bpe()]))
    asked: list[TokenPlace] = []
    inspector.token_menu_requested.connect(lambda point, place: asked.append(place))
    tree = inspector.tokens
    item = head(tree, 0).child(0)
    tree.setCurrentItem(item)
    qtbot.keyClick(tree, Qt.Key.Key_Return)
    tree.customContextMenuRequested.emit(tree.visualItemRect(item).center())
    tree.customContextMenuRequested.emit(QPoint(5, 5))  # the head has no token
    first = inspection.tokens(bpe().encode("people"), bpe(), 0, 6)[0]
    place = TokenPlace("k0", first.id, first.start, first.end)
    assert asked == [place, place]


def test_keys_open_and_close_a_list(inspector: Inspector, qtbot: QtBot) -> None:
    inspector.show_bytes(inspected("people", [bpe()]))
    tree = inspector.tokens
    tree.setCurrentItem(head(tree, 0))
    qtbot.keyClick(tree, Qt.Key.Key_Left)
    assert not head(tree, 0).isExpanded()
    qtbot.keyClick(tree, Qt.Key.Key_Right)
    assert head(tree, 0).isExpanded()
    tree.setCurrentItem(head(tree, 0).child(0))
    qtbot.keyClick(tree, Qt.Key.Key_Left)
    assert tree.currentItem() is head(tree, 0)


@pytest.mark.parametrize(
    ("count", "front", "said"),
    [
        (140, 64, "2.2 times A"),
        (64, 64, "as many as A"),
        (21, 25, "0.84 times A"),
        (3, 0, ""),
        (9000, 3, "3,000.0 times A"),
    ],
)
def test_counts_are_compared_with_the_tokenizer_in_front(count: int, front: int, said: str) -> None:
    assert ratio_text(count, front, "A") == said


def test_counts_are_read_out_and_clicked(inspector: Inspector, qtbot: QtBot) -> None:
    shown = inspected("people", [bpe(), bpe()])
    inspector.show_bytes(shown)
    count = shown.parts[0].count
    assert f"No 1: {count:,} of {2 * count:,}" in inspector.counts.accessibleDescription()
    picked: list[str] = emitted(inspector.tokenizer_picked)
    at = QPoint(60, inspector.counts.height() - 10)
    qtbot.mouseClick(inspector.counts, Qt.MouseButton.LeftButton, pos=at)
    assert picked == ["k1"]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize(
    "text", ["", "a", "नमस्ते दुनिया", "مرحبا", "👩‍👩‍👧", " ", "\0\n\t", "x" * 500]
)
def test_anything_is_painted(inspector: Inspector, text: str, theme: Theme) -> None:
    inspector.setPalette(theme.palette())
    inspector.show_bytes(inspected(text, [bpe()]) if text else None)
    assert not inspector.grab().isNull()
    assert inspector.minimumSizeHint().width() <= 318


def test_a_user_defined_piece_says_that_it_comes_before_the_merges() -> None:
    tokenizer = bpe()
    text = "a <mask> b"
    rows = inspection.tokens(tokenizer.encode(text), tokenizer, 0, len(text))
    notes = {row.text: row.note for row in rows}
    assert notes["<mask>"] == "user-defined: taken before any merge"
    assert inspection.characters(b"\xf0\x9f\xab\xa9")[0].name == "FACE WITH BAGS UNDER EYES"
