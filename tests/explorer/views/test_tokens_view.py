"""The workspace Tokens: the comparison of tokenizers, their counts, and linked bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from narrowed import assert_contains, there
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QImage, QTextCursor
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QDialogButtonBox
from pytestqt.qtbot import QtBot
from small_files import write_file
from windows import Host, trigger

from tokenarium.app.window import MainWindow
from tokenarium.models.compare.prices import Price, PriceList, amount_text
from tokenarium.models.text import token_counts
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.text.token_counts import measure
from tokenarium.session import kept_session, settings
from tokenarium.session.settings import Settings
from tokenarium.views import tokens
from tokenarium.views.pretokens import PretokensView
from tokenarium.views.tokens import TokensView
from tokenarium.widgets.text.interlinear_view import GUTTER
from tokenarium.widgets.text.token_card import CardFacts

SHIPPED = "shipped:tokenarium-8k"


@pytest.fixture
def view(host: Host) -> TokensView:
    host.show_workspace("tokens")
    assert isinstance(host.workspace, TokensView)
    return host.workspace


def card(view: TokensView, key: str = SHIPPED) -> CardFacts:
    """What the card of a tokenizer says now."""
    view.show_facts()
    return view.cards.cards[key]


def parts(view: TokensView, key: str = SHIPPED) -> TextParts:
    return view.view.rows[key].parts


def test_counts(host: Host, view: TokensView, bytes_only: str) -> None:
    host.session.set_text("né 😀")
    found = card(view, bytes_only)
    assert found.tokens == 8
    assert_contains(
        found.tip,
        "1.00 bytes per token",
        "0.50 characters per token: 4 code points ÷ 8",
        "4 in a character",
    )


def test_counts_that_unknown_tokens_flatter_say_so(
    host: Host, view: TokensView, tmp_path: Path, qtbot: QtBot
) -> None:
    path = write_file(tmp_path / "vocab.txt", "[UNK]\nab\n")
    host.session.set_text("ab cdefgh")
    item = host.session.edits.add_file(path)
    qtbot.waitUntil(lambda: item.key in view.view.rows)
    qtbot.waitUntil(lambda: card(view, item.key).tokens == 2)
    qtbot.waitUntil(lambda: "? loses 66.7% of the text" in card(view, item.key).note)
    # It has the fewest tokens, but is compared with none.
    host.session.set_current(item.key)
    qtbot.waitUntil(lambda: view.view.front == item.key)
    assert not any("times" in one.note for one in view.cards.cards.values())
    assert view.legend.isVisibleTo(view)
    [chip] = view.legend.findChildren(QAbstractButton)
    assert chip.accessibleName() == "Lost text: 1"
    chip.click()
    assert host.session.selection == (3, 9)


def test_what_is_lost_is_hatched(
    host: Host, view: TokensView, tmp_path: Path, qtbot: QtBot
) -> None:
    path = write_file(tmp_path / "vocab.txt", "[UNK]\nab\ncd\n")
    item = host.session.edits.add_file(path)
    qtbot.waitUntil(lambda: item.key in view.view.rows)
    host.session.set_current(item.key)

    def painted(text: str) -> QImage:
        host.session.set_text(text)
        layer = view.view.rows[item.key]
        qtbot.waitUntil(lambda: layer.parts.ids is not None and len(layer.parts) == 2)
        qtbot.waitUntil(lambda: not view.busy)
        return view.view.viewport().grab().toImage()

    def inked(image: QImage) -> int:
        """How many pixels right of the letters have the colour of the hatching."""
        wanted = view.appearance.theme.lost.color().rgb()
        return sum(
            image.pixel(x, y) == wanted for x in range(image.width()) for y in range(image.height())
        )

    layer = view.view.rows[item.key]
    painted("ab cd")
    assert not len(layer.lost(TextMap("ab cd"), 0, 5))
    plain = inked(painted("ab cd"))
    assert inked(painted("ab         cd")) > plain + 10
    assert layer.lost(TextMap("ab         cd"), 0, 13).tolist() == [[3, 11]]
    assert (
        not view.view.rows[next(iter(view.view.rows))]
        .lost(TextMap("ab         cd"), 0, 13)
        .tolist()
    )


def test_counts_of_graphemes_follow(
    host: Host, view: TokensView, bytes_only: str, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(host.session.graphemes_changed):
        host.session.set_text("e\u0301")
    tip = card(view, bytes_only).tip
    assert "1 in a character\n1 in a grapheme" in tip


def test_the_selection_is_counted_and_compared_with_the_front(
    host: Host, view: TokensView, bytes_only: str
) -> None:
    host.session.set_text("Hello, world")
    front = card(view)
    other = card(view, bytes_only)
    assert front.selected is None
    assert other.share == 1.0
    assert front.share == pytest.approx((front.tokens or 0) / 12)
    assert other.note.startswith(f"{12 / (front.tokens or 1):.1f} times Tokenarium 8k")
    host.session.select(0, 5)
    assert card(view, bytes_only).selected == 5
    assert card(view, bytes_only).selected_share == pytest.approx(5 / 12)
    host.session.set_current(bytes_only)
    assert card(view, bytes_only).note.startswith("1.00 bytes per token")
    host.session.select(5, 6)
    assert card(view).note.startswith("as many as")


def test_costs_are_shown_where_they_are_entered(window: MainWindow, view: TokensView) -> None:
    window.session.set_text("Hello, world")
    tokens = card(view).tokens or 0
    assert card(view).cost == ""
    trigger(window, "token_cost")
    popup = there(view._cost_popup)
    popup.context.setValue(1000)
    popup.price.setValue(2.5)
    popup.close()
    assert (window.session.figures.context_tokens, window.session.figures.price_per_million) == (
        1000,
        2.5,
    )
    cost = f"{tokens * 2.5e-6:.6f}"
    assert card(view).cost == f"{tokens / 10:.1f}% of 1k · {cost} in"
    assert card(view).price == cost
    assert_contains(
        card(view).tip,
        f"{tokens / 10:.1f}% of a context window of 1,000 tokens",
        f"Costs {cost} in at 2.50 a million tokens",
    )


def test_the_prices_of_models_are_entered_shown_and_undone(
    window: MainWindow, view: TokensView
) -> None:
    session = window.session
    session.set_text("Hello, world")
    tokens = there(card(view).tokens)
    trigger(window, "token_cost")
    there(view._cost_popup).models.click()
    dialog = there(window.lazy.pricing.dialog)
    row = dialog.rows[0]
    assert row.tokenizer.currentText().startswith("Tokenarium 8k")
    row.model.setText("  large\tone ")
    dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).click()
    assert dialog.problem.text() == "Enter a price of large\tone, or remove its row."
    row.input.setValue(2.5)
    row.output.setValue(10)
    dialog.more.click()
    dialog.rows[1].model.setText("large one")
    dialog.rows[1].output.setValue(1)
    dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).click()
    assert dialog.problem.text() == "A model has only one price for each tokenizer."
    dialog.rows[1].model.setText("small")
    dialog.currency.setText("$")
    dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).click()
    key = there(session.current).key
    assert session.figures.price_list == PriceList(
        (Price("large one", key, 2.5, 10.0), Price("small", key, None, 1.0)), "$"
    )
    costs = [amount_text(tokens * price / 1e6, "$") for price in (2.5, 10, 1)]
    assert card(view).cost == f"{costs[0]} in, {costs[1]} out (large one) · 1 more"
    assert card(view).price == costs[0]
    assert_contains(card(view).tip, f"Costs {costs[2]} out at $1.00 a million tokens (small)")
    trigger(window, "prices")
    again = there(window.lazy.pricing.dialog)
    assert [row.model.text() for row in again.rows] == ["large one", "small"]
    again.rows[0].remove.click()
    again.buttons.button(QDialogButtonBox.StandardButton.Ok).click()
    assert card(view).cost == f"{costs[2]} out (small)"
    session.edits.undo_stack.undo()
    session.edits.undo_stack.undo()
    assert session.figures.price_list == PriceList()
    assert card(view).cost == ""


def test_the_costs_are_kept(host: Host, store: Settings) -> None:
    prices = PriceList((Price("large", SHIPPED, 2.5), Price("", "file:/a.json", None, 1.0)), "$")
    host.session.figures.set_cost(128_000, 0.15)
    host.session.figures.set_prices(prices)
    kept_session.keep(host.session, store)
    host.session.figures.set_cost(0, 0.0)
    host.session.figures.set_prices(PriceList())
    kept_session.restore(host.session, store)
    assert (host.session.figures.context_tokens, host.session.figures.price_per_million) == (
        128_000,
        0.15,
    )
    assert host.session.figures.price_list == prices
    store.set(settings.PRICES, ["large\tmuch\t\tk", "", *prices.lines()[:1]])
    store.set(settings.CURRENCY, "\u202e$")
    store.set(settings.CONTEXT_TOKENS, "many")
    store.set(settings.PRICE_PER_MILLION, "-1")
    kept_session.restore(host.session, store)
    assert (host.session.figures.context_tokens, host.session.figures.price_per_million) == (
        0,
        0.0,
    )
    assert host.session.figures.price_list == PriceList(prices.prices[:1])


def test_without_a_text_the_view_says_what_to_do(window: MainWindow, view: TokensView) -> None:
    assert view.empty.isVisible()
    assert "no text" in view.empty.title.text()
    assert [button.text() for button in view.empty.buttons] == ["Samples …", "Open …", "Paste"]
    window.session.set_text("a")
    assert not view.empty.isVisible()


def test_rows_come_in_the_order_of_the_library(
    host: Host, view: TokensView, bytes_only: str
) -> None:
    assert list(view.view.rows) == [SHIPPED, bytes_only]
    host.session.edits.turn_on(SHIPPED, False)
    assert list(view.view.rows) == [bytes_only]
    host.session.edits.undo_stack.undo()
    assert list(view.view.rows) == [SHIPPED, bytes_only]


def test_without_a_tokenizer_the_view_says_what_to_do(window: MainWindow, view: TokensView) -> None:
    window.session.set_text("a")
    assert not view.empty.isVisible()
    window.session.edits.turn_on(SHIPPED, False)
    assert view.empty.isVisible()
    assert "No tokenizer" in view.empty.title.text()
    assert [button.text() for button in view.empty.buttons] == ["Open …"]


def test_a_click_selects_the_token_everywhere(host: Host, view: TokensView, qtbot: QtBot) -> None:
    host.session.set_text("Hello, world")
    last = len(parts(view)) - 1
    qtbot.waitUntil(lambda: bool(view.view.part_rects(last)))
    place = view.view.part_rects(last)[0].center().toPoint()
    qtbot.mouseMove(view.view.viewport(), place)
    qtbot.mouseClick(view.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert host.session.selection == parts(view).span(last)


def test_keys_cards_and_markers_put_a_tokenizer_in_front(
    host: Host, view: TokensView, bytes_only: str, qtbot: QtBot
) -> None:
    host.session.set_text("Hello, world")
    assert view.view.front == SHIPPED
    qtbot.keyClick(view.view, Qt.Key.Key_2)
    assert view.view.front == bytes_only
    assert host.session.current is host.session.library.item(bytes_only)
    qtbot.keyClick(view.view, Qt.Key.Key_9)  # there are two
    assert view.view.front == bytes_only
    view.cards.chosen.emit(SHIPPED)
    assert view.view.front == SHIPPED
    marker = QPoint(view.view._left - GUTTER + 5, 46)  # beside the strip of the other one
    qtbot.mouseClick(view.view.viewport(), Qt.MouseButton.LeftButton, pos=marker)
    assert view.view.front == bytes_only
    assert host.session.selection is None


def test_the_front_changes_and_the_text_stays_where_it_is(
    window: MainWindow, view: TokensView, bytes_only: str
) -> None:
    window.session.set_text("unbelievable " * 200)
    layout = view.view.text_layout
    window.grab()
    laid, lines = layout.laid_count, layout.lines(0)
    window.session.set_current(bytes_only)
    window.grab()
    assert layout.laid_count == laid
    assert layout.lines(0) is lines


def test_special_tokens_are_marked_when_recognized(window: MainWindow, view: TokensView) -> None:
    window.session.set_text("a<|endoftext|>b")
    assert parts(view).special is None
    window.actions_by_id["recognise_special"].trigger()
    special = there(parts(view).special)
    assert special.tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("text", "ends", "expected"),
    [
        ("abc", [1, 3], (2, 3, 3)),
        ("é€", [1, 2, 5], (3, 5, 2)),
        ("abc", [], (0, 0, 0)),
        ("abcdef", [4], (1, 4, 4)),
    ],
)
def test_measures(text: str, ends: list[int], expected: tuple[int, int, int]) -> None:
    import numpy as np

    found = measure(TextMap(text), np.array(ends, dtype=np.int32))
    assert (found.parts, found.bytes, found.characters) == expected


def test_a_byte_order_mark_has_its_place(host: Host, view: TokensView, bytes_only: str) -> None:
    host.session.set_text("\ufeffab")
    host.session.set_current(bytes_only)
    token_view = view.view
    boxes = [token_view.part_rects(part) for part in range(5)]
    assert all(boxes)
    assert boxes[4][0].left() >= boxes[3][0].right() - 0.5


@pytest.mark.parametrize("text", ["a\n\nb", "\n", "", "a\u0301\n", "\r\n"])
def test_any_range_can_be_lit(window: MainWindow, view: TokensView, text: str) -> None:
    window.session.set_text(text)
    size = window.session.text_map.byte_count
    for start in range(size + 1):
        for end in range(start, size + 1):
            window.session.select(start, end)
            window.session.point_at(start, end)
            window.grab()


@pytest.mark.parametrize("space", ["tokens", "pretokens"])
def test_a_selection_is_scrolled_to_and_pointing_scrolls_nothing(
    window: MainWindow, qtbot: QtBot, space: str
) -> None:
    window.show_workspace("bytes")
    window.session.set_text("\n".join(f"line {number}" for number in range(400)))
    start = window.session.text.index("line 300")
    window.session.select(start, start + 4)
    window.show_workspace(space)
    workspace = window.workspace
    assert isinstance(workspace, TokensView | PretokensView)
    qtbot.waitUntil(lambda: len(workspace.view.rows) > 0)
    view = workspace.view

    def seen() -> bool:
        first, last = view.visible_bytes()
        return first <= start < last

    qtbot.waitUntil(seen)
    view.scrollTo(0)
    assert not seen()
    window.session.point_at(0, 4)
    assert not seen()


@pytest.mark.parametrize("space", ["tokens", "pretokens"])
def test_what_is_written_is_seen(window: MainWindow, qtbot: QtBot, space: str) -> None:
    window.show_workspace(space)
    window.session.set_text("\n".join(f"line {number} é😀" for number in range(300)))
    workspace = window.workspace
    assert isinstance(workspace, TokensView | PretokensView)
    view = workspace.view
    assert view.visible_bytes()[0] == 0
    window.text.field.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(window.text.field, "x")
    assert view.visible_bytes()[1] == window.session.text_map.byte_count
    window.text.field.moveCursor(QTextCursor.MoveOperation.Start)
    assert view.visible_bytes()[0] > 0
    qtbot.keyClick(window.text.field, Qt.Key.Key_Delete)
    assert view.visible_bytes()[0] == 0
    window.text.field.moveCursor(QTextCursor.MoveOperation.End)
    paste = QMimeData()
    paste.setText("pasted " * 20)
    window.text.field.insertFromMimeData(paste)
    assert view.visible_bytes()[0] == 0


def test_a_row_more_or_less_lays_nothing_out_again(
    window: MainWindow, view: TokensView, bytes_only: str
) -> None:
    window.session.set_text("The slower one is international.\n" * 50)
    window.grab()
    layout = view.view.text_layout
    laid, height = layout.laid_count, layout.line_height
    window.session.edits.turn_on(bytes_only, False)
    window.grab()
    assert layout.line_height < height
    window.session.edits.turn_on(bytes_only, True)
    window.grab()
    assert layout.line_height == height
    assert layout.laid_count <= laid + 20  # the lines that came into sight


def test_there_is_one_scroll_area(host: Host, view: TokensView, bytes_only: str) -> None:
    host.session.set_text("The slower one is international.\n" * 50)
    areas = [area for area in view.findChildren(QAbstractScrollArea) if area.isVisible()]
    assert areas == [view.view]


def test_what_changes_unseen_is_shown_when_it_is_seen(
    host: Host, view: TokensView, bytes_only: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.session.set_text("The slower one.")
    host.show_workspace("bytes")
    with monkeypatch.context() as patch:
        patch.setattr(view, "view", None)  # nothing is done to it meanwhile
        host.session.set_text("naïve 日本")
        host.session.edits.turn_on(SHIPPED, False)
        host.session.edits.undo_stack.undo()
        host.session.edits.turn_on(bytes_only, False)
        host.session.select(0, 2)
        host.session.set_show_whitespace(False)
    assert view.view.text_layout.text_map.text == "The slower one."
    host.show_workspace("tokens")
    assert list(view.view.rows) == [SHIPPED]
    assert view.view.text_layout.text_map is host.session.text_map
    encoded = there(host.session.encoded(SHIPPED))
    assert encoded.encoding is not None
    assert len(parts(view)) == len(encoded.encoding.ids)
    assert card(view).tokens == len(encoded.encoding.ids)
    host.session.edits.undo_stack.undo()
    assert len(parts(view, bytes_only)) == host.session.text_map.byte_count


def test_counting_ends_with_its_text_also_unseen(
    host: Host, view: TokensView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "COUNTING_MS", 0.0)
    monkeypatch.setattr(token_counts, "AT_ONCE", 1)
    host.session.set_text("The slower one. " * 30)
    view.show_facts()
    assert host.session.jobs.runs(f"count {SHIPPED}")
    host.show_workspace("bytes")
    host.session.set_text("short")
    assert not host.session.jobs.runs(f"count {SHIPPED}")
