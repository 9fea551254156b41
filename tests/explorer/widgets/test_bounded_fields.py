"""Fields for typed text refuse what is too much for them, with a sentence, and keep a larger one that is set."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from narrowed import there
from patching import patch_all
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QLineEdit, QWidget
from pytestqt.qtbot import QtBot
from windows import emitted, off_screen, on_screen, text_data

import tokenarium
from tokenarium.app.window import MainWindow
from tokenarium.models.chat.conversation import Message
from tokenarium.models.text import editor_text
from tokenarium.views.kept import kept_control
from tokenarium.widgets.chat.message_list import MessageCard, MessageList
from tokenarium.widgets.text.bounded_field import HELD, REFUSALS, BoundedField

ROW, SIZE, LINES = 20, 100, 5


@pytest.fixture(autouse=True)
def low_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lowers the bounds, so that some words are too much."""
    patch_all(
        monkeypatch,
        editor_text,
        LONGEST_FIELD_LINE=ROW,
        LARGEST_IN_FIELD=SIZE,
        MOST_FIELD_LINES=LINES,
    )


@pytest.fixture
def said() -> list[str]:
    """What fields say."""
    found: list[str] = []
    REFUSALS.said.connect(lambda _, sentence: found.append(sentence))
    return found


def paste(field: QWidget, text: str) -> None:
    """Pastes a text into a field."""
    QGuiApplication.clipboard().setText(text)
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)


@pytest.mark.parametrize(
    ("before", "selected", "pasted", "words"),
    [
        ("", (0, 0), "a" * ROW, ""),
        ("", (0, 0), "a" * (ROW + 1), "A line of this field holds 20 characters at most, and one would have 21."),
        ("abc", (1, 1), "a" * (ROW - 2), "would have 21"),
        ("abc", (1, 2), "a" * (ROW - 2), ""),
        ("abc", (3, 3), "d\n" + "a" * ROW, ""),
        ("abc", (1, 1), "d\n" + "a" * (ROW - 1), "would have 21"),
        ("abc\ndef", (0, 7), "a" * ROW, ""),
        ("abc\ndef", (7, 7), "a" * (ROW - 2), "would have 21"),
        ("", (0, 0), "a\n" * (LINES - 1), ""),
        ("", (0, 0), "a\r\n" * LINES, "This field holds 5 lines at most, and this text has 6."),
        ("", (0, 0), "aaaaaaaaaaaaaaa\n" * 4, ""),
        ("x" * 19 + "\n" + "x" * 19 + "\n", (0, 0), "aaaaaaaaaaaaaaa\n" * 4, "holds 100 characters at most, and this text would make 104."),
    ],
)  # fmt: skip
def test_a_paste_beyond_the_bounds_is_refused_with_a_sentence(
    qtbot: QtBot,
    said: list[str],
    before: str,
    selected: tuple[int, int],
    pasted: str,
    words: str,
) -> None:
    field = off_screen(qtbot, BoundedField(before))
    cursor = field.textCursor()
    cursor.setPosition(selected[0])
    cursor.setPosition(selected[1], cursor.MoveMode.KeepAnchor)
    field.setTextCursor(cursor)
    field.insertFromMimeData(text_data(pasted))
    if words:
        assert field.toPlainText() == before
        assert words in said[0]
    else:
        lines = pasted.replace("\r\n", "\n")
        assert field.toPlainText() == before[: selected[0]] + lines + before[selected[1] :]
        assert not said


def test_a_drop_beyond_the_bounds_is_not_accepted(
    qtbot: QtBot, qapp: QApplication, said: list[str]
) -> None:
    field = on_screen(qtbot, BoundedField("abc"))
    both = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    held = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier
    for text, accepted in (("a" * 21, False), ("d", True)):
        mime = text_data(text)
        qapp.sendEvent(field.viewport(), QDragEnterEvent(QPoint(5, 5), both, mime, *held))
        drop = QDropEvent(QPointF(5, 5), both, mime, *held)
        qapp.sendEvent(field.viewport(), drop)
        assert drop.isAccepted() == accepted, "where it is moved from, it would be deleted"
    assert len(said) == 1
    assert sorted(field.toPlainText()) == list("abcd")


def test_a_large_text_that_is_set_is_kept_whole_and_can_be_deleted(
    qtbot: QtBot, said: list[str]
) -> None:
    field = off_screen(qtbot, BoundedField())
    large = "a\r" + "b" * 200
    field.setPlainText(large)
    assert field.holds
    assert field.toPlainText() == field.raw_text() == large
    assert "202" in said[0]
    QTest.keyClick(field, Qt.Key.Key_X)
    assert field.toPlainText() == large
    paste(field, "y")
    assert field.toPlainText() == large
    assert said[-1] == HELD
    QTest.keyClick(field, Qt.Key.Key_Delete)
    assert (field.toPlainText(), field.isReadOnly(), field.holds) == ("", False, False)
    QTest.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert field.toPlainText() == large
    field.replace("ab")
    assert (field.toPlainText(), field.isReadOnly()) == ("ab", False)
    field.replace("cd")
    field.undo()
    assert field.toPlainText() == "ab"


def test_a_large_message_of_a_chat_is_kept_whole(qtbot: QtBot) -> None:
    card = off_screen(qtbot, MessageCard(Message("user", "word " * 100)))
    assert card.content.isReadOnly()
    assert card.message() == Message("user", "word " * 100)


@pytest.mark.parametrize("role", ["r" * 40_000, "a\nb", "critic"])
def test_a_role_that_its_field_does_not_show_is_kept(
    window: MainWindow, qtbot: QtBot, said: list[str], role: str
) -> None:
    messages = MessageList()
    messages.setParent(window)
    told: list[str] = emitted(window.session.problem)
    given = [Message(role, "word " * 100), Message("user", "b")]
    messages.set_messages(given)
    assert messages.messages() == given
    cut = [one for one in said if "40,000 characters" in one]
    assert len(cut) == (len(role) == 40_000)
    # The window hears it, as the card is in it by then, and of the content too.
    assert any(HELD in one for one in told)
    assert set(cut) <= set(told)
    field = there(messages.cards[0].role.lineEdit())
    field.setText("user")
    assert messages.messages()[0].role == "user"


def test_a_large_text_of_a_control_is_kept_for_the_next_run(qtbot: QtBot) -> None:
    field = off_screen(qtbot, BoundedField())
    kept = kept_control("bytes", field)
    kept.show("ab" * 100)
    assert kept.read() == "ab" * 100


def test_the_window_says_what_its_fields_refuse(window: MainWindow, qtbot: QtBot) -> None:
    said: list[str] = emitted(window.session.problem)
    field = BoundedField(parent=window)
    field.show()
    paste(field, "a" * 21)
    assert said[-1].startswith("A line of this field holds 20 characters")
    line, box = QLineEdit(window), QComboBox(window, editable=True)
    for one in (line, box):
        one.show()
        paste(one, "b" * 32_767)
        assert len(said) == 1
        QTest.keyClick(one, Qt.Key.Key_End)
        paste(one, "c")
        assert said.pop() == "This field holds 32,767 characters: the rest was not inserted."
    kept_control("name", line).show("d" * 40_000)
    assert said.pop().startswith("A text of 40,000 characters is too long for its field")
    dialog = QDialog(window)
    inside = BoundedField(parent=dialog)
    dialog.show()
    window.activateWindow()
    inside.insertFromMimeData(text_data("a" * 21))
    bar = there(window.fields.said)
    assert bar.parentWidget() is dialog, "the message of the window would be behind it"
    assert bar.label.text() == said.pop()
    inside.setPlainText("a" * 21)
    bar = there(window.fields.said)
    assert bar.label.text() == said.pop()
    assert HELD in bar.label.text()
    stranger = off_screen(qtbot, BoundedField())
    stranger.insertFromMimeData(text_data("a" * 21))
    assert len(said) == 1, "another window says it"


OWN_BOUNDS = {"widgets/text/text_field.py"}
"""The field of the text has bounds of its own, with another way out."""


def test_all_fields_of_several_lines_are_bounded() -> None:
    root = Path(tokenarium.__file__).parent
    found = []
    for path in root.rglob("*.py"):
        name = path.relative_to(root).as_posix()
        source = path.read_text("utf-8")
        if "QPlainTextEdit" in source or "QTextEdit" in source:
            found += [f"{name}:{line}" for line in _unbounded(source)]
    assert [one for one in found if one.split(":")[0] not in OWN_BOUNDS] == [
        next(one for one in found if one.startswith("widgets/text/bounded_field.py"))
    ]


def _unbounded(source: str) -> list[int]:
    """Returns the lines that make a field of Qt for input, or a class of one."""
    kinds, lines = ("QPlainTextEdit", "QTextEdit"), []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and any(_name(base) in kinds for base in node.bases):
            if "setReadOnly(True)" not in ast.unparse(node) or "BoundedField" in node.name:
                lines.append(node.lineno)
        elif isinstance(node, ast.Call) and _name(node.func) in kinds:
            shown = any(
                one.arg == "readOnly" and ast.unparse(one.value) == "True" for one in node.keywords
            )
            lines += [] if shown else [node.lineno]
    return sorted(lines)


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def test_a_planted_field_is_found() -> None:
    assert _unbounded("a = QPlainTextEdit()\nclass B(QtWidgets.QTextEdit): pass") == [1, 2]
    assert _unbounded("a = QPlainTextEdit(readOnly=True)\nQPlainTextEdit.Shape.NoFrame") == []
