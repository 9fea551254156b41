"""The text of the window: written, pasted, dropped, opened, and given back as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from foreign_files import FOREIGN_FILES
from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QAction,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot
from small_files import write_file
from windows import emitted, trigger

from tokenarium.app.start import sample_text
from tokenarium.app.window import MainWindow
from tokenarium.models.text import text_map
from tokenarium.models.text.editor_text import (
    LONGEST_LINE,
    from_editor,
    to_editor,
)
from tokenarium.models.text.text_file import TextFileError, read_text
from tokenarium.models.text.text_map import TextMap
from tokenarium.resources.samples_index import load_samples
from tokenarium.session.catalogue import needs_pattern

CONTROL = Qt.KeyboardModifier.ControlModifier


def test_what_is_typed_is_the_text(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClicks(window.text.field, "ab c")
    assert window.session.text == "ab c"
    assert window.text.counts.text() == "4 characters · 4 bytes"
    qtbot.keyClick(window.text.field, Qt.Key.Key_Z, CONTROL)
    assert window.session.text == ""


@pytest.mark.parametrize(
    "text",
    [
        "a\u00a0b", "a\r\nb\rc\n", "tab\tand nul \0", "line\u2028separator", "😀 é \u200d",
        "\ufeffbom", "\ufffc",
    ],
)  # fmt: skip
def test_the_field_keeps_every_character(window: MainWindow, qtbot: QtBot, text: str) -> None:
    window.session.set_text(text)
    assert not window.text.field.isReadOnly()
    window.text.field.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(window.text.field, "x")
    assert window.session.text == text + "x"


def test_many_edits_of_a_large_text_are_the_text_of_the_field(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what changed is read from the field; the tables of the text are carried over."""
    monkeypatch.setattr(text_map, "CARRIED", 0)
    field, session = window.text.field, window.session
    session.set_text("naïve 😀 日本\r\nb\u00a0c\n" * 20)
    keys = Qt.Key
    moves = QTextCursor.MoveOperation
    steps = [
        lambda: qtbot.keyClicks(field, "xy"),
        lambda: qtbot.keyClick(field, keys.Key_Return),
        lambda: qtbot.keyClick(field, keys.Key_Backspace),
        lambda: qtbot.keyClick(field, keys.Key_Delete),
        lambda: field.moveCursor(moves.Down),
        lambda: field.moveCursor(moves.Right, QTextCursor.MoveMode.KeepAnchor),
        lambda: field.moveCursor(moves.Down, QTextCursor.MoveMode.KeepAnchor),
        lambda: field.textCursor().insertText("日😀\n\nz"),
        field.undo,
        field.undo,
        field.redo,
        lambda: field.moveCursor(moves.End),
    ]
    for place in range(60):
        steps[(place * 7 + place // 12) % len(steps)]()
        assert session.text == from_editor(field.document().toRawText())
        shown = TextMap(session.text)
        assert session.text_map.utf8 == shown.utf8
        assert session.text_map.utf16_count == shown.utf16_count


@pytest.mark.parametrize("text", ["a\u2029b", "␍", "x" * (LONGEST_LINE + 1), "\ud800"])
def test_what_the_field_would_spoil_is_shown_but_not_edited(window: MainWindow, text: str) -> None:
    window.session.set_text(text)
    assert window.session.text == text
    assert window.text.field.isReadOnly()
    assert window.text.note.isVisible()
    window.session.set_text("fine")
    assert not window.text.field.isReadOnly()
    assert not window.text.note.isVisible()


def test_a_long_line_is_pasted_whole(window: MainWindow) -> None:
    window.session.set_text("ab")
    window.text.field.moveCursor(QTextCursor.MoveOperation.Right)
    data = QMimeData()
    data.setText("x" * LONGEST_LINE)
    window.text.field.insertFromMimeData(data)
    assert window.session.text == "a" + "x" * LONGEST_LINE + "b"
    assert window.text.field.isReadOnly()


def test_a_paste_replaces_a_text_that_is_too_long_to_edit(window: MainWindow) -> None:
    session, field = window.session, window.text.field
    long = "x" * (LONGEST_LINE + 1)
    session.set_text(long)
    said: list[str] = emitted(session.problem)
    QGuiApplication.clipboard().setText("pasted")
    paste = Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(field, *paste)
    assert session.text == long
    assert "Ctrl+A" in said[-1]
    QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(field, *paste)
    assert session.text == "pasted"
    assert not field.isReadOnly()
    session.edits.undo_stack.undo()
    assert session.text == long


def test_a_large_paste_leaves_the_cursor_after_it(window: MainWindow) -> None:
    window.session.set_text("ab")
    window.text.field.moveCursor(QTextCursor.MoveOperation.Right)
    data = QMimeData()
    data.setText("line\n" * 100_000)
    window.text.field.insertFromMimeData(data)
    assert window.session.text == "a" + "line\n" * 100_000 + "b"
    assert window.text.field.textCursor().position() == 500_001


def test_a_sample_can_be_undone(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClicks(window.text.field, "mine")
    window.session.set_text(sample_text("prose-de"))
    window.undo_commands.undo()
    assert window.session.text == "mine"
    window.undo_commands.redo()
    assert window.session.text == sample_text("prose-de")


def test_the_sample_menu_has_every_sample(window: MainWindow) -> None:
    window.sample_menu.aboutToShow.emit()
    actions: list[QAction] = []
    for entry in window.sample_menu.actions():
        menu = entry.menu()
        inside = menu.actions() if isinstance(menu, QMenu) else [entry]
        assert not isinstance(menu, QMenu) or len(inside) > 1  # no menu for one sample
        actions += inside
    assert [action.text() for action in actions] == [sample.title for sample in load_samples()]
    actions[-1].trigger()
    assert window.session.text == load_samples()[-1].text()


def test_the_clipboard_becomes_the_text_and_clear_empties_it(window: MainWindow) -> None:
    QGuiApplication.clipboard().setText("from elsewhere")
    trigger(window, "paste_text")
    assert window.session.text == "from elsewhere"
    trigger(window, "clear_text")
    assert window.session.text == ""


def test_a_dropped_text_file_is_opened(window: MainWindow, tmp_path: Path) -> None:
    path = write_file(tmp_path / "a.txt", "Größe\r\n".encode())
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    window.text.field.insertFromMimeData(data)
    assert window.session.text == "Größe\r\n"


def test_a_file_is_dropped_anywhere(window: MainWindow, tmp_path: Path, qapp: QApplication) -> None:
    path = write_file(tmp_path / "a.py", "x = [1, 2, 3]\n")
    data, words = QMimeData(), QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    words.setText("no file")
    copy, left, plain = (
        Qt.DropAction.CopyAction,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    for mime, taken in ((words, False), (data, True)):
        enter = QDragEnterEvent(QPoint(5, 5), copy, mime, left, plain)
        enter.ignore()
        qapp.sendEvent(window, enter)
        assert enter.isAccepted() is taken
    qapp.sendEvent(window, QDropEvent(QPointF(5, 5), copy, data, left, plain))
    assert window.session.text == "x = [1, 2, 3]\n"


def test_json_is_a_text_and_a_broken_model_is_not(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    data, broken = tmp_path / "data.json", tmp_path / "broken.model"
    data.write_text('{"some": "data"}')
    broken.write_bytes(b"\x00\x01 garbage")
    window.take_files([data])
    assert window.session.text == '{"some": "data"}'
    window.take_files([broken])
    assert window.session.text == '{"some": "data"}'
    qtbot.waitUntil(lambda: "broken cannot be opened" in window.messages.label.text())
    assert "broken" not in [entry.name for entry in window.session.library]  # it does not stay


@pytest.mark.parametrize(("name", "content", "words"), FOREIGN_FILES)
def test_a_dropped_file_of_a_kind_that_is_not_read_is_named(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, name: str, content: bytes, words: str
) -> None:
    window.session.set_text("mine")
    items = len(list(window.session.library))
    path = write_file(tmp_path / name, content)
    assert not needs_pattern(path)  # no question for one before the refusal
    for dropped in (path, tmp_path):
        window.session.problem.emit("")
        window.take_files([dropped])
        qtbot.waitUntil(lambda: words in window.messages.label.text())
        assert window.session.text == "mine"
        assert len(list(window.session.library)) == items
    window.text_commands.open_path(path)  # who asks for the text gets it, where it is one
    assert window.session.text in ("mine", content.decode("utf-8", "replace"))


def test_a_dropped_name_that_no_file_can_have_is_said(window: MainWindow, tmp_path: Path) -> None:
    window.session.set_text("mine")
    window.take_files([tmp_path / "a\0b"])
    assert "no file can have this name" in window.messages.label.text()
    assert window.session.text == "mine"


def test_a_file_that_is_not_text_changes_nothing_and_says_where(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = write_file(tmp_path / "old.txt", b"one\ntwo\xe9")
    window.session.set_text("mine")
    window.take_files([path])
    assert window.session.text == "mine"
    assert window.messages.isVisible()
    assert "0xE9 at offset 7 (line 2)" in window.messages.label.text()
    qtbot.mouseClick(window.messages.close_button, Qt.MouseButton.LeftButton)
    assert not window.messages.isVisible()
    good = write_file(tmp_path / "new.txt", "new")
    window.take_files([path, good])
    assert window.messages.isVisible()
    window.take_files([good])
    assert not window.messages.isVisible()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TextFileError, match="cannot be read"):
        read_text(tmp_path / "none.txt")


def test_wide_characters_are_read_and_what_is_no_text_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for encoding in ("utf-16", "utf-32"):
        path.write_bytes("Grüße\r\n🎉".encode(encoding))
        assert read_text(path) == "Grüße\r\n🎉"
    path.write_bytes(b"\xfe\xff" + "Grüße".encode("utf-16-be"))
    assert read_text(path) == "Grüße"
    for content in (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"\xff\xfea"):
        path.write_bytes(content)
        with pytest.raises(TextFileError, match="is not text"):
            read_text(path)
    with pytest.raises(TextFileError, match="is a folder"):
        read_text(tmp_path)


@given(st.text(), st.integers(0))
@example("\ufeff", 0)
@example("a\ufeffb", 1)
def test_the_way_through_the_field_and_back(text: str, cut: int) -> None:
    """A document filled in two parts, as a field is, has the text: also where a part begins with a mark."""
    fit = to_editor(text)
    if fit.editable:
        middle = cut % (fit.size + 1)
        document = QTextDocument()
        document.setPlainText(fit.part(0, middle))
        end = QTextCursor(document)
        end.movePosition(QTextCursor.MoveOperation.End)
        end.insertText(fit.part(middle, fit.size))
        assert from_editor(document.toRawText()) == text
