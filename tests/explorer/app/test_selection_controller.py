"""Pointing and selecting: in the text, in the inspector, and what is copied of it."""

from __future__ import annotations

import pytest
from narrowed import there
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow


def test_a_selection_in_the_field_is_the_selected_bytes(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text("é😀ab")
    window.text.field.setFocus()
    cursor = window.text.field.textCursor()
    cursor.setPosition(1)
    cursor.setPosition(4, QTextCursor.MoveMode.KeepAnchor)
    window.text.field.setTextCursor(cursor)
    assert window.session.selection == (2, 7)
    qtbot.waitUntil(lambda: "bytes 2 to 7" in window.inspector.facts.toolTip())
    assert window.inspector.piece.text() == "😀a"
    assert window.inspector.facts.text() == "2 characters · 5\u00a0bytes · Latin"
    rows = rows_of(window, -1)
    assert rows == ["😀, U+1F600, GRINNING FACE", "a, U+0061, LATIN SMALL LETTER A"]


def test_the_inspector_shows_the_tokens_of_every_tokenizer(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.session.set_text("Hello, world")
    window.session.select(5, 12)
    tree = window.inspector.tokens
    qtbot.waitUntil(lambda: tree.topLevelItemCount() == 2)
    head = there(tree.topLevelItem(0))
    tokens = [head.child(k) for k in range(head.childCount())]
    assert "".join(token.text(0).split(", id ")[0] for token in tokens) == ",␣world"
    assert tokens[0].text(0).endswith("bytes 5 to 6")
    assert "by the rule “punctuation”" in tokens[0].toolTip(0)
    tree.itemClicked.emit(tokens[0], 0)
    assert window.session.selection == (5, 6)


def rows_of(window: MainWindow, list_number: int) -> list[str]:
    """Returns the rows of a list of the inspector, opened now if it is closed."""
    tree = window.inspector.tokens
    head = there(tree.topLevelItem(list_number % tree.topLevelItemCount()))
    if not head.isExpanded():
        tree.itemClicked.emit(head, 0)
    return [head.child(row).text(0) for row in range(head.childCount())]


def test_what_is_pinned_stays_until_the_text_changes(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text("Hello, world")
    window.session.select(0, 5)
    qtbot.waitUntil(lambda: window.inspector.piece.text() == "Hello")
    window.inspector.pin.click()
    window.session.select(5, 12)
    qtbot.wait(20)
    assert window.inspector.piece.text() == "Hello"
    window.inspector.pin.click()
    qtbot.waitUntil(lambda: window.inspector.piece.text() == ", world")
    window.inspector.pin.click()
    window.session.set_text("another")
    assert not window.inspector.pinned


@pytest.mark.parametrize("pane", ["library", "text", "rail", "workspace", "inspector"])
def test_escape_lets_the_selection_go_wherever_the_focus_is(
    window: MainWindow, qtbot: QtBot, pane: str
) -> None:
    window.session.set_text("one two three")
    cursor = window.text.field.textCursor()
    cursor.setPosition(4)
    cursor.setPosition(7, QTextCursor.MoveMode.KeepAnchor)
    window.text.field.setTextCursor(cursor)
    qtbot.waitUntil(lambda: not window.session.jobs.running())
    assert window.session.selection == (4, 7)
    panes: dict[str, QWidget] = {
        "library": window.library.tree,
        "text": window.text.field,
        "rail": window.rail.current,
        "inspector": window.inspector.tokens,
    }
    if pane in panes:
        panes[pane].setFocus()
    else:
        window.workspace.focus_first()
    focus = there(QApplication.focusWidget())
    qtbot.keyClick(focus, Qt.Key.Key_Escape)
    assert window.session.selection is None
    assert not window.text.field.textCursor().hasSelection()


@pytest.mark.parametrize("space", ["tokens", "pretokens", "merges", "bytes"])
def test_ctrl_c_copies_the_selection_where_it_is_shown(
    window: MainWindow, qtbot: QtBot, space: str
) -> None:
    window.session.set_text("one two three")
    window.show_workspace(space)
    window.workspace.focus_first()
    focus, clipboard = there(QApplication.focusWidget()), QGuiApplication.clipboard()
    clipboard.setText("what was there")
    qtbot.keyClick(focus, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard.text() == "what was there"  # nothing is selected
    window.session.select(4, 7)
    qtbot.keyClick(focus, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard.text() == "two"


def test_a_long_selection_goes_on_in_the_next_line_of_the_inspector(window: MainWindow) -> None:
    for text in ("some words of a long line " * 5, "pneumono" * 20, "\0\1\2\x7f" * 20):
        window.session.set_text(text)
        window.session.select(0, window.session.text_map.byte_count)
        QApplication.processEvents()
        piece = window.inspector.piece
        assert piece.minimumSizeHint().width() < window.inspector.width()


def test_pointing_at_bytes_marks_them_in_the_field(window: MainWindow) -> None:
    window.session.set_text("é b")
    window.session.point_at(0, 1)  # half of the letter
    marks = window.text.field.extraSelections()
    assert [mark.cursor.selectedText() for mark in marks] == ["é"]  # type: ignore[attr-defined]
    window.session.point_at(-1, -1)
    assert window.text.field.extraSelections() == []


def test_copying_takes_the_selection_or_all(window: MainWindow) -> None:
    window.session.set_text("Hello, world")
    clipboard = QGuiApplication.clipboard()
    window.actions_by_id.refresh()
    window.actions_by_id["copy_text"].trigger()
    assert clipboard.text() == "Hello, world"
    window.session.select(5, 6)
    window.actions_by_id["copy_ids"].trigger()
    tokenizer = there(window.session.chosen()[0].tokenizer)
    assert clipboard.text() == str(tokenizer.encode_ids(","))
