"""What is typed, in whatever field, is in a file within two seconds, and comes back or is offered at the next start."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from narrowed import there
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QMessageBox, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot
from small_files import write_file
from tests.helpers.typed_places import GONE, PLACES, text_of
from tests.helpers.windows import come_to_rest
from windows import off_screen, on_screen

from tokenarium.app.start import make_window
from tokenarium.app.window import MainWindow
from tokenarium.models.files import session_folder
from tokenarium.models.process_lock import ProcessLock, is_held
from tokenarium.models.scene import Scene, SceneText
from tokenarium.models.scene_store import SceneStore
from tokenarium.models.text import editor_text
from tokenarium.models.text.qt_text import into_qt
from tokenarium.models.typed_texts import (
    TypedFile,
    TypedText,
    head_of,
    not_in,
    read_typed,
    typed_bytes,
)
from tokenarium.session.settings import Settings
from tokenarium.widgets.kept_dialog import KeptDialog, KeptText
from tokenarium.widgets.layouts import in_column

NextWindow = Callable[[], MainWindow]


@pytest.fixture
def next_window(qapp: QApplication, store: Settings, qtbot: QtBot) -> NextWindow:
    """Returns a function that opens another window, which goes on where the last one ended, and offers the rest."""

    def open_it() -> MainWindow:
        window = on_screen(qtbot, make_window(qapp, store))
        window.scene_commands.restore()
        window.scene_commands.begin()
        window.kept_texts.offer()
        come_to_rest(window, qtbot)
        return window

    return open_it


def type_in(field: Any, text: str) -> None:
    """Puts the cursor into a field, and types."""
    field.window().activateWindow()
    QTest.qWaitForWindowActive(field.window())
    for _ in range(100):  # a dialog that was just opened is not yet the one in front
        field.setFocus(Qt.FocusReason.OtherFocusReason)
        if field.hasFocus():
            break
        QTest.qWait(20)
    assert field.hasFocus()
    QTest.keyClicks(field, text)


def end_like_a_kill(window: MainWindow) -> None:
    """Ends a window without anything that a window does when it is closed."""
    commands = window.scene_commands
    commands._timer.stop()
    commands._typed_soon.stop()
    commands._stopped = True
    commands._writer.shutdown()
    commands._store.leave()
    window.lesson_writing.close(asks=False)  # which writes nothing any more


def of_windows(window: MainWindow) -> list[str]:
    return [row.text() for row in window.kept_texts.rows()]


@pytest.mark.parametrize("place", PLACES)
def test_what_is_typed_in_each_field_comes_back(
    window: MainWindow, next_window: NextWindow, qtbot: QtBot, place: str
) -> None:
    """Each field, by typing alone: nothing is pressed, and the program ends without a word."""
    window.scene_commands.begin()
    words = "12 34 " if place in ("ids to decode", "bytes to encode") else "typed words "
    field: Any = PLACES[place](window)
    come_to_rest(window, qtbot)
    type_in(field, words)
    wanted = text_of(field).strip()
    qtbot.waitUntil(lambda: not window.scene_commands._typed_soon.isActive())
    qtbot.waitUntil(lambda: not window.lesson_writing._keep_soon.isActive())
    end_like_a_kill(window)
    other = next_window()
    if place == "lesson":
        (draft,) = other.scene_commands.drafts
        assert wanted in draft.read_text()
    elif place in GONE:
        (text,) = other.scene_commands.left
        assert wanted in text.text
        assert not other.messages.isHidden()
        assert wanted[:20] in other.messages.label.text()
    else:
        again = PLACES[place](other)
        come_to_rest(other, qtbot)
        assert wanted in text_of(again)
        assert other.scene_commands.left == ()  # nothing is offered that came back
    if place != "lesson":
        other.lesson_writing.close(asks=False)
    other.close()


def test_what_comes_back_on_the_first_page_can_be_undone(
    window: MainWindow, next_window: NextWindow
) -> None:
    field: Any = PLACES["welcome"](window)
    first = field.toPlainText()
    type_in(field, "mine ")
    typed = field.toPlainText()
    assert typed != first
    window.close()
    other = next_window()
    again: Any = PLACES["welcome"](other)
    assert again.toPlainText() == typed
    again.undo()
    assert again.toPlainText() == first
    other.close()


def test_a_search_leaves_nothing(window: MainWindow, qtbot: QtBot) -> None:
    window.palette_commands.open_palette()
    type_in(there(window.palette_commands.opened).search, "train")
    assert window.fields.texts() == ()


def test_another_window_is_offered_and_opened(
    window: MainWindow, next_window: NextWindow, qtbot: QtBot, qapp: QApplication, store: Settings
) -> None:
    window.session.set_text("the first")
    window.scene_commands.keep(now=True)
    second = off_screen(qtbot, make_window(qapp, store))
    second.session.set_text("مرحبا بالعالم")
    second.close()
    window.session.set_text("the first, later")
    window.close()
    third = next_window()
    assert third.session.text == "the first, later"
    said = third.messages.label.text()
    assert said.startswith("Another window was open. Its text of ")
    assert said.endswith("“مرحبا بالعالم”")
    assert third.messages.offered.text() == "Open it"
    third.messages.offered.click()
    assert third.session.text == "مرحبا بالعالم"
    assert of_windows(third) == ["the first, later"]  # it can be had again
    third.close()
    fourth = next_window()
    assert fourth.session.text == "مرحبا بالعالم"
    assert fourth.messages.isHidden()  # who opened it knows of the other
    assert of_windows(fourth) == ["the first, later"]
    fourth.close()


def test_what_is_kept_for_later_is_offered_once_and_listed(
    window: MainWindow, next_window: NextWindow, qtbot: QtBot
) -> None:
    window.close()
    for number in range(3):
        made = SceneStore(session_folder())
        made.claim()
        made.keep_typed(TypedFile(typed=True, head=f"text {number}"))
        made.keep(Scene(), f"text {number}".encode(), "", "", 1000)
        made.leave()
    other = next_window()
    assert other.messages.label.text() == "2 texts from closed windows and removed fields are kept."
    assert other.messages.second.text() == "Keep for later"
    other.messages.second.click()
    qtbot.waitUntil(other.messages.isHidden)
    other.close()
    again = next_window()
    assert again.messages.isHidden()
    assert len(of_windows(again)) == 2
    again.actions_by_id["kept_texts"].trigger()
    dialog = there(again.kept_texts.dialog)
    whole = dialog.text.toPlainText()
    assert whole in ("text 0", "text 1", "text 2")
    dialog.copy_button.click()
    assert QApplication.clipboard().text() == whole
    dialog.forget_button.click()
    assert dialog.box is not None
    next(one for one in dialog.box.buttons() if one.text() == "Forget it").click()
    assert whole not in of_windows(again)
    rest = dialog.text.toPlainText()
    dialog.use_button.click()
    assert again.session.text == rest
    again.session.edits.undo_stack.undo()
    assert again.session.text != rest
    again.close()


def test_a_session_that_was_set_aside_is_listed_and_opened(
    window: MainWindow, next_window: NextWindow
) -> None:
    window.session.set_text("what ended it")
    window.close()
    SceneStore(session_folder()).last()  # a program that ends while it shows this
    other = next_window()
    assert other.session.text != "what ended it"
    (row,) = (one for one in other.kept_texts.rows() if "set aside" in one.title)
    assert row.text() == "what ended it"
    there(row.open)()
    assert other.session.text == "what ended it"
    other.actions_by_id["kept_texts"].trigger()
    dialog = there(other.kept_texts.dialog)
    assert dialog.use_button.isEnabled()
    row.forget()
    assert not [one for one in other.kept_texts.rows() if "set aside" in one.title]
    other.close()


def test_a_kept_text_that_is_not_in_its_session_cannot_be_used(
    window: MainWindow, next_window: NextWindow
) -> None:
    window.close()
    aside = SceneStore(session_folder()).set_aside(Scene(text=SceneText("x" * 2_000_000)))
    other = next_window()
    other.actions_by_id["kept_texts"].trigger()
    dialog = there(other.kept_texts.dialog)
    assert there(dialog.chosen).head == aside.name
    assert not dialog.use_button.isEnabled()
    assert not dialog.copy_button.isEnabled()
    assert dialog.open_button.isVisible()
    other.close()


def test_what_is_typed_while_a_lesson_has_the_window_is_kept(
    window: MainWindow, next_window: NextWindow
) -> None:
    window.session.set_text("mine")
    window.scene_commands.keep(now=True)
    window.scene_commands.paused = lambda: True
    field: Any = PLACES["text"](window)
    type_in(field, "in a lesson ")
    window.scene_commands.keep(now=True)
    end_like_a_kill(window)
    other = next_window()
    assert other.session.text == "mine"
    (text,) = other.scene_commands.left
    assert "in a lesson" in text.text
    other.close()


def test_a_start_with_a_file_offers_the_last_session(
    window: MainWindow, qapp: QApplication, store: Settings, qtbot: QtBot, tmp_path: Path
) -> None:
    window.session.set_text("mine, of yesterday")
    window.close()
    file = write_file(tmp_path / "a.txt", "of a file")
    other = on_screen(qtbot, make_window(qapp, store))
    other.open_words([str(file)])
    other.scene_commands.begin()
    other.kept_texts.offer()
    assert other.session.text == "of a file"
    assert "mine, of yesterday" in other.messages.label.text()
    other.scene_commands.keep(now=True)
    assert of_windows(other) == ["mine, of yesterday"]
    other.close()


def test_a_dialog_that_is_closed_leaves_nothing(window: MainWindow) -> None:
    field: Any = PLACES["text of a picture"](window)
    type_in(field, "for a picture")
    (text,) = window.fields.texts()
    assert (text.field, text.place) == ("The text on the picture", "Share")
    field.window().reject()
    assert window.fields.texts() == ()


def test_a_field_that_is_made_in_a_box_is_noted(window: MainWindow) -> None:
    box = QDialog(window)
    box.setWindowTitle("A pattern of paths")
    field = QLineEdit(box)
    in_column(field, into=box)
    field.setAccessibleName("Files")
    box.show()
    type_in(field, "texts/*.txt")
    (text,) = window.fields.texts()
    assert text == TypedText("Files", "A pattern of paths", "texts/*.txt", text.when)
    field.setReadOnly(True)
    hidden = QLineEdit(box, echoMode=QLineEdit.EchoMode.Password)
    hidden.show()
    type_in(hidden, "secret")
    shown = QPlainTextEdit(box, readOnly=True)
    shown.show()
    type_in(shown, "x")
    assert [one.text for one in window.fields.texts()] == ["texts/*.txt"]
    box.deleteLater()
    box.hide()
    assert window.fields.texts() == ()


def test_a_text_of_a_field_is_forgotten_for_good(
    window: MainWindow, next_window: NextWindow
) -> None:
    field: Any = PLACES["note of a registered tokenizer"](window)
    type_in(field, "a note")
    window.close()
    other = next_window()
    assert other.messages.offered.text() == "Show"
    other.messages.offered.click()
    dialog = there(other.kept_texts.dialog)
    assert dialog.text.toPlainText() == "a note"
    assert dialog.open_button.isHidden()
    dialog._forget(other.kept_texts.dialog.chosen)  # type: ignore[arg-type,union-attr]
    assert not dialog.nothing.isHidden()
    other.close()
    again = next_window()
    assert again.messages.isHidden()
    assert again.scene_commands.left == ()
    again.close()


def test_a_kept_text_is_used_and_copied_as_it_was(qtbot: QtBot) -> None:
    used: list[str] = []
    parent = off_screen(qtbot, QWidget())
    dialog = KeptDialog(used.append, parent)
    for text in ("a\r\nb\u2029c", "x" * (editor_text.LONGEST_FIELD_LINE + 1)):
        dialog.set_texts([KeptText("Tokens", text[:9], lambda text=text: text, None, lambda: None)])
        assert len(dialog.text.toPlainText()) <= editor_text.PREVIEW + 100
        dialog.use_button.click()
        dialog.copy_button.click()
        assert used.pop() == text
        assert QGuiApplication.clipboard().text() == into_qt(text)


def test_a_full_disk_is_said_on_the_first_page_and_in_a_dialog(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    window.scene_commands.begin()
    field: Any = PLACES["welcome"](window)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        type_in(field, "mine ")
        qtbot.waitUntil(lambda: "not kept" in window.messages.label.text())
        assert window.messages.isVisible()
        assert window.closing.why_not_kept()
        note: Any = PLACES["note of a registered tokenizer"](window)
        type_in(note, "a note")
        qtbot.waitUntil(lambda: window.fields.said is not None)
        over = there(window.fields.said)
        assert over.isVisible()
        assert over.parentWidget() is note.window()
        assert "No space left" in over.label.text()
    qtbot.waitUntil(lambda: window.fields.said is None)
    assert window.messages.label.text() == ""
    assert not window.closing.why_not_kept()
    window.close()


def test_a_text_that_is_still_being_read_is_not_overwritten(
    window: MainWindow, next_window: NextWindow, qapp: QApplication, store: Settings, qtbot: QtBot
) -> None:
    large = "words of mine " * 200_000
    window.session.set_text(large)
    window.close()
    for stops in (False, True):
        other = off_screen(qtbot, make_window(qapp, store))
        assert other.scene_commands.restore()
        assert other.stage.opens
        other.scene_commands._store.was_shown()  # a kill here would set it aside, which is seen above
        if stops:
            other.session.jobs.cancel_all()
            assert not other.stage.opens
            other.session.set_text("something else")
        other.scene_commands.keep(now=True)
        end_like_a_kill(other)
        other.session.jobs.cancel_all()
    last = next_window()
    assert last.session.text == "something else"
    (left,) = last.kept_texts.rows()
    there(left.open)()
    qtbot.waitUntil(lambda: last.session.text == large)
    last.close()


def test_a_system_that_ends_the_program_is_not_asked_about_a_lesson(
    window: MainWindow, next_window: NextWindow
) -> None:
    field: Any = PLACES["lesson"](window)
    type_in(field, "of a lesson ")
    window.closing.ask_no_more()
    assert window.isHidden()
    assert not [
        one
        for one in QApplication.topLevelWidgets()
        if isinstance(one, QMessageBox) and one.isVisible()
    ]
    other = next_window()
    (draft,) = other.scene_commands.drafts
    assert "of a lesson" in draft.read_text()
    other.close()


# Locks and files.


@pytest.fixture
def held(tmp_path: Path) -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    """A lock that another process holds."""
    path = tmp_path / "a.lock"
    code = (
        "import sys; from pathlib import Path; from tokenarium.models.process_lock import ProcessLock;"
        " print(ProcessLock(Path(sys.argv[1])).take(), flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert there(other.stdout).readline() == b"True\n"
    yield path, other
    other.kill()
    other.communicate()


def test_a_lock_ends_with_its_process(held: tuple[Path, subprocess.Popen[bytes]]) -> None:
    path, other = held
    lock = ProcessLock(path)
    assert is_held(path)
    assert lock.take() is False
    other.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
    other.wait()
    assert path.exists()  # it is stale
    assert not is_held(path)
    assert lock.take() is True
    lock.release()
    assert not path.exists()


def test_a_stale_lock_with_our_own_number_is_none(tmp_path: Path) -> None:
    """As in a container, where the process has the same number at each start."""
    path = write_file(tmp_path / "a.lock", f"{os.getpid()}\npython\nhost\n")
    assert ProcessLock(path).take() is True


def test_a_lock_that_cannot_be_made_is_no_one_elses(tmp_path: Path) -> None:
    lock = ProcessLock(tmp_path / "none" / "a.lock")
    assert lock.take() is None
    lock.release()
    assert not is_held(tmp_path / "none" / "a.lock")


def test_the_file_of_what_was_typed() -> None:
    texts = (TypedText("a", "b", "one"), TypedText("c", "d", "half \ud83d"))
    file = TypedFile(True, "head", texts, own={"chat": {"messages": [1]}})
    written = typed_bytes(file)
    path = session_folder()
    path.mkdir(parents=True)
    (path / "typed.json").write_bytes(written)
    read = there(read_typed(path / "typed.json"))
    assert [one.text for one in read.fields] == ["one", "half ?"]
    assert read.own == file.own
    assert read_typed(path / "none.json") is None
    assert not_in(texts, {"pages": [{"x": "one"}]}) == texts[1:]
    assert head_of(" " * 1000 + "x") == "…"
    assert head_of("\n ") == ""
