"""The workspace Tokens: a row for each tokenizer, its counts, and linked bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QSplitter
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.models.text import token_counts
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.text.token_counts import measure
from tokenarium.views import tokens
from tokenarium.views.pretokens import PretokensView
from tokenarium.views.tokens import TokensView
from tokenarium.widgets.text.cut_stack import CutRow

SHIPPED = "shipped:tokenarium-8k"


@pytest.fixture
def view(window: MainWindow) -> TokensView:
    window.show_workspace("tokens")
    assert isinstance(window.workspace, TokensView)
    return window.workspace


def row(view: TokensView, key: str = SHIPPED) -> CutRow:
    return view.stack.rows[key]


def test_counts(window: MainWindow, view: TokensView, bytes_only: str, qtbot: QtBot) -> None:
    window.session.set_text("né 😀")
    header = row(view, bytes_only).header
    assert header.parts.text() == "8 tokens"
    assert header.bytes.text() == "1.00 bytes/token"
    assert header.characters.text() == "0.50 chars/token"
    assert header.characters.toolTip() == "4 characters (code points) ÷ 8 tokens"
    assert header.note.text() == "4 cut a character"


def test_counts_that_unknown_tokens_flatter_say_so(
    window: MainWindow, view: TokensView, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("[UNK]\nab\n", "utf-8")
    window.session.set_text("ab cdefgh")
    item = window.session.edits.add_file(path)
    qtbot.waitUntil(lambda: item.key in view.stack.rows)
    header = row(view, item.key).header
    qtbot.waitUntil(lambda: header.parts.text() == "2 tokens")
    assert header.note.text() == "? 75.0% unknown"


def test_counts_of_graphemes_follow(
    window: MainWindow, view: TokensView, bytes_only: str, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(window.session.graphemes_changed):
        window.session.set_text("e\u0301")
    assert row(view, bytes_only).header.note.text() == "1 cuts a character · 1 cuts a grapheme"


def test_without_a_text_the_view_says_what_to_do(window: MainWindow, view: TokensView) -> None:
    assert view.empty.isVisible()
    assert "no text" in view.empty.title.text()
    assert [button.text() for button in view.empty.buttons] == ["Samples …", "Open …", "Paste"]
    window.session.set_text("a")
    assert not view.empty.isVisible()


def test_rows_come_in_the_order_of_the_library(
    window: MainWindow, view: TokensView, bytes_only: str
) -> None:
    assert list(view.stack.rows) == [SHIPPED, bytes_only]
    window.session.edits.turn_on(SHIPPED, False)
    assert list(view.stack.rows) == [bytes_only]
    window.session.edits.undo_stack.undo()
    assert list(view.stack.rows) == [SHIPPED, bytes_only]


def test_without_a_tokenizer_the_view_says_what_to_do(window: MainWindow, view: TokensView) -> None:
    window.session.set_text("a")
    assert not view.empty.isVisible()
    window.session.edits.turn_on(SHIPPED, False)
    assert view.empty.isVisible()
    assert "No tokenizer" in view.empty.title.text()
    assert [button.text() for button in view.empty.buttons] == ["Open …"]


def test_a_click_selects_the_token_everywhere(
    window: MainWindow, view: TokensView, bytes_only: str, qtbot: QtBot
) -> None:
    window.session.set_text("Hello, world")
    token_view = row(view, bytes_only).view
    qtbot.waitUntil(lambda: bool(token_view.partRects(5)))
    place = token_view.partRects(5)[0].center().toPoint()
    qtbot.mouseMove(token_view.viewport(), place)
    qtbot.mouseClick(token_view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.session.selection == (5, 6)
    assert window.session.current is window.session.library.item(bytes_only)


def test_special_tokens_are_marked_when_recognised(window: MainWindow, view: TokensView) -> None:
    window.session.set_text("a<|endoftext|>b")
    assert row(view).view.segmentation.special is None
    window.actions_by_id["recognise_special"].trigger()
    special = row(view).view.segmentation.special
    assert special is not None
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


def test_a_byte_order_mark_has_its_place(
    window: MainWindow, view: TokensView, bytes_only: str
) -> None:
    window.session.set_text("\ufeffab")
    token_view = row(view, bytes_only).view
    boxes = [token_view.partRects(part) for part in range(5)]
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
    qtbot.waitUntil(lambda: len(workspace.stack.rows) > 0)
    view = next(iter(workspace.stack.rows.values())).view

    def seen() -> bool:
        first, last = view.visibleBytes()
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
    view = next(iter(workspace.stack.rows.values())).view
    assert view.visibleBytes()[0] == 0
    window.text.field.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(window.text.field, "x")
    assert view.visibleBytes()[1] == window.session.text_map.byte_count
    window.text.field.moveCursor(QTextCursor.MoveOperation.Start)
    assert view.visibleBytes()[0] > 0
    qtbot.keyClick(window.text.field, Qt.Key.Key_Delete)
    assert view.visibleBytes()[0] == 0
    window.text.field.moveCursor(QTextCursor.MoveOperation.End)
    paste = QMimeData()
    paste.setText("pasted " * 20)
    window.text.field.insertFromMimeData(paste)
    assert view.visibleBytes()[0] == 0


def test_a_row_more_or_less_leaves_the_others_as_they_are(
    window: MainWindow, view: TokensView, bytes_only: str, qtbot: QtBot
) -> None:
    window.session.set_text("The slower one is international.\n" * 50)
    stack, layout = view.stack, row(view).view.textLayout
    qtbot.waitUntil(lambda: layout.laid_count > 0)
    laid = layout.laid_count
    for _ in range(2):
        window.session.edits.turn_on(SHIPPED, False)
        splitter = row(view, bytes_only).parentWidget()
        assert isinstance(splitter, QSplitter)
        assert splitter.count() == len(stack.rows) == 1  # so the one below it is not laid out again
        window.session.edits.turn_on(SHIPPED, True)
        assert splitter.count() == len(stack.rows) == 2
        row(view).view.grab()
    assert layout.laid_count == laid  # the new one has the width of the others from the beginning


def test_what_changes_unseen_is_shown_when_it_is_seen(
    window: MainWindow, view: TokensView, bytes_only: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.session.set_text("The slower one.")
    window.show_workspace("bytes")
    with monkeypatch.context() as patch:
        patch.setattr(view, "stack", None)  # nothing is done to it meanwhile
        window.session.set_text("naïve 日本")
        window.session.edits.turn_on(SHIPPED, False)
        window.session.edits.undo_stack.undo()
        window.session.edits.turn_on(bytes_only, False)
        window.session.select(0, 2)
        window.session.set_show_whitespace(False)
    assert row(view).view.textLayout.text_map.text == "The slower one."
    window.show_workspace("tokens")
    assert list(view.stack.rows) == [SHIPPED]
    shown = row(view)
    assert shown.view.textLayout.text_map is window.session.text_map
    encoded = window.session.encoded(SHIPPED)
    assert encoded is not None
    assert encoded.encoding is not None
    assert len(shown.view.segmentation) == len(encoded.encoding.ids)
    assert shown.header.parts.text() == f"{len(encoded.encoding.ids)} tokens"
    window.session.edits.undo_stack.undo()
    assert len(row(view, bytes_only).view.segmentation) == window.session.text_map.byte_count


def test_counting_ends_with_its_text_also_unseen(
    window: MainWindow, view: TokensView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "COUNTING_MS", 0.0)
    monkeypatch.setattr(token_counts, "AT_ONCE", 1)
    window.session.set_text("The slower one. " * 30)
    assert window.session.jobs.runs(f"count {SHIPPED}")
    window.show_workspace("bytes")
    window.session.set_text("short")
    assert not window.session.jobs.runs(f"count {SHIPPED}")


def test_low_rows_show_whole_lines(window: MainWindow, view: TokensView, bytes_only: str) -> None:
    window.resize(800, 600)
    window.session.set_text("gently playing\n" * 40)
    for one in (row(view), row(view, bytes_only)):
        one.view.setFixedHeight(79)  # in the middle of the third line
        image = one.view.viewport().grab().toImage()
        assert len({image.pixel(x, image.height() - 1) for x in range(image.width())}) == 1
        assert len({image.pixel(x, 45) for x in range(image.width())}) > 1
