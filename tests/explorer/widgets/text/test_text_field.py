"""The text field with a long text: shown at once, complete soon after, never half of it in the session."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot
from windows import Host

from tokenarium.app.window import MainWindow
from tokenarium.widgets.text.text_field import FIRST_PART, TextField

LONG = "".join(f"line {number}, 😀\n" for number in range(25_000))
UTF16_COUNT = len(LONG) + LONG.count("😀")


@pytest.fixture
def field(window: MainWindow) -> TextField:
    return window.text.field


def shown(field: TextField) -> str:
    return field.document().toRawText().replace("\u2029", "\n")


def test_the_beginning_is_there_at_once_and_the_rest_soon(
    host: Host, field: TextField, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(field.filled):
        host.session.set_text(LONG)
        assert FIRST_PART <= len(shown(field)) < len(LONG)
        assert LONG.startswith(shown(field))
    assert shown(field) == LONG
    assert host.session.text == LONG


def test_who_writes_meanwhile_writes_into_all_of_it(
    host: Host, field: TextField, qtbot: QtBot
) -> None:
    host.session.set_text(LONG)
    assert field.filling
    qtbot.keyClicks(field, "x")
    assert not field.filling
    assert host.session.text == "x" + LONG
    field.undo()
    assert host.session.text == LONG


def test_another_text_meanwhile_is_the_one_that_stays(
    window: MainWindow, field: TextField, qtbot: QtBot
) -> None:
    window.session.set_text(LONG)
    window.session.set_text(LONG[::-1])
    qtbot.waitUntil(lambda: not field.filling)
    assert shown(field) == LONG[::-1]
    window.session.set_text(LONG)
    window.session.set_text("short")
    assert shown(field) == "short"
    window.undo_commands.undo()
    assert window.session.text == LONG


def test_a_paste_that_is_all_of_the_text_is_read_from_its_beginning(
    host: Host, field: TextField, qtbot: QtBot
) -> None:
    data = QMimeData()
    data.setText(LONG)
    field.insertFromMimeData(data)
    qtbot.waitUntil(lambda: not field.filling)
    assert field.verticalScrollBar().value() == 0
    assert field.textCursor().position() == UTF16_COUNT
    field.insertFromMimeData(data)
    assert host.session.text == LONG + LONG


def test_the_selection_is_lit_once_its_part_is_there(
    host: Host, field: TextField, qtbot: QtBot
) -> None:
    host.session.set_text(LONG)
    end = host.session.text_map.byte_count
    host.session.select(end - 5, end - 1)
    qtbot.waitUntil(lambda: not field.filling)
    [mark] = field.extraSelections()
    assert mark.cursor.selectedText() == "😀"


def test_what_is_selected_elsewhere_is_lit_while_the_field_has_the_focus(
    host: Host, field: TextField
) -> None:
    host.session.set_text("one two")
    field.setFocus()
    host.session.select(4, 7)
    [mark] = field.extraSelections()
    assert mark.cursor.selectedText() == "two"
    cursor = field.textCursor()
    cursor.setPosition(0)
    cursor.setPosition(3, QTextCursor.MoveMode.KeepAnchor)
    field.setTextCursor(cursor)
    assert host.session.selection == (0, 3)
    assert not field.extraSelections()  # it shows its own


def test_a_text_starts_from_the_side_that_it_reads_from(
    window: MainWindow, field: TextField
) -> None:
    for text, right in (("12 مرحبا\nHello", True), ("Hello\nمرحبا", False), ("", False)):
        window.session.set_text(text)
        assert (field.cursorRect().left() > field.viewport().width() // 2) is right
    window.session.set_text("Hello")
    window.session.set_text("שלום")
    window.undo_commands.undo()
    assert field.cursorRect().left() < field.viewport().width() // 2


@pytest.mark.parametrize("shown_only", ["one\u2029two", "x" * 200_000, "half \ud800"])
def test_what_is_only_shown_never_becomes_the_text(
    window: MainWindow, field: TextField, shown_only: str
) -> None:
    window.session.set_text(shown_only)
    assert field.isReadOnly()
    window.session.set_text("after it")
    assert not field.isReadOnly()
    field.undo()
    assert window.session.text == "after it"
    window.session.set_text("and another")
    window.undo_commands.undo()
    assert window.session.text == "after it"
    window.undo_commands.undo()
    assert window.session.text == shown_only


@pytest.mark.parametrize("after", ["", "short", "😀" * 30, "x" * 40])
def test_no_selection_is_signalled_for_a_text_that_is_gone(
    window: MainWindow, field: TextField, after: str, qtbot: QtBot
) -> None:
    window.session.set_text("😀 forty characters and four more of them")
    field.selectAll()
    heard: list[tuple[int, int]] = []
    window.text.selected.connect(lambda start, end: heard.append((start, end)))
    data = QMimeData()
    data.setText(after)
    field.insertFromMimeData(data) if after else qtbot.keyClick(field, Qt.Key.Key_Delete)
    assert window.session.text == after
    assert all(end <= len(after) for _, end in heard)
    assert window.session.selection is None
    field.selectAll()
    assert window.session.selection == ((0, len(after.encode())) if after else None)
