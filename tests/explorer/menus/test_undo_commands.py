"""Undo and redo: one order for typing, replaced texts and the library."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.session import session as sessions

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
SHIPPED = "shipped:tokenarium-8k"


def test_every_way_to_replace_the_text_is_undone(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "opened.txt"
    path.write_text("from a file")
    session, commands = window.session, window.undo_commands
    session.set_text("first")
    for replace in (
        lambda: window.text_commands.open_path(path),
        lambda: window.text_commands.take_text("from the clipboard"),
        lambda: session.set_text("a sample"),
        lambda: session.set_text(""),
    ):
        before = session.text
        replace()
        after = session.text
        assert after != before
        commands.undo()
        assert session.text == before
        commands.redo()
        assert session.text == after


def test_a_chain_comes_back_step_by_step(window: MainWindow, qtbot: QtBot) -> None:
    """Typing, a text in its place, typing there, the library, and typing again."""
    session, commands, field = window.session, window.undo_commands, window.text.field
    qtbot.keyClicks(field, "mine")
    session.set_text("sample")
    qtbot.keyClicks(field, "my ")
    session.edits.turn_on(SHIPPED, False)
    field.moveCursor(field.textCursor().MoveOperation.End)
    qtbot.keyClicks(field, "!")

    def state() -> tuple[str, bool]:
        item = session.library.item(SHIPPED)
        assert item is not None
        return session.text, item.on

    states = [
        ("my sample!", False),
        ("my sample", False),
        ("my sample", True),
        ("sample", True),
        ("mine", True),
    ]
    assert state() == states[0]
    for expected in states[1:]:
        assert commands.can_undo()
        commands.undo()
        assert state() == expected
    commands.redo()
    assert state() == ("sample", True)


def test_the_keys_work_in_the_text_and_out_of_it(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    session.set_text("one")
    session.set_text("two")
    for widget in (window.text.field, window.library.tree):
        widget.setFocus()
        window.actions_by_id.refresh()
        qtbot.keyClick(widget, Qt.Key.Key_Z, CTRL)
        assert session.text == "one"
        window.actions_by_id.refresh()
        qtbot.keyClick(widget, Qt.Key.Key_Z, CTRL | SHIFT)
        assert session.text == "two"


def test_a_large_paste_is_undone_with_what_was_typed_before_it(
    window: MainWindow, qtbot: QtBot
) -> None:
    data = QMimeData()
    data.setText("line\n" * 50_000)
    qtbot.keyClicks(window.text.field, "mine")
    window.text.field.insertFromMimeData(data)
    assert len(window.session.text) == 250_004
    window.undo_commands.undo()
    assert window.session.text == "mine"


def test_a_new_text_has_nothing_to_undo(window: MainWindow) -> None:
    window.session.set_text("the first")
    assert not window.undo_commands.can_undo()


def test_texts_are_kept_up_to_a_size(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MOST_UNDO_BYTES", 100)
    for number in range(5):
        window.session.set_text(str(number) * 40)
    stack = window.session.edits.undo_stack
    assert len(stack) == 2
    while stack.can_undo:
        window.undo_commands.undo()
    assert window.session.text == "2" * 40


def test_tab_leaves_the_text_and_with_ctrl_is_typed(window: MainWindow, qtbot: QtBot) -> None:
    field = window.text.field
    field.setFocus()
    qtbot.keyClicks(field, "a")
    qtbot.keyClick(field, Qt.Key.Key_Tab, CTRL)
    qtbot.keyClicks(field, "b")
    assert window.session.text == "a\tb"
    qtbot.keyClick(field, Qt.Key.Key_Tab)
    assert not field.hasFocus()
    assert window.session.text == "a\tb"
