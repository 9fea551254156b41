"""Registering in the window, opening by name@version, and refusing what has changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from narrowed import assert_contains, of_kind, there
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot
from windows import add_file, trigger

import tokenarium_core as tc
from tokenarium.app.window import MainWindow
from tokenarium.menus.registering import next_version, proposed_name
from tokenarium.models.tokenizers.library import State
from tokenarium.models.training.store import Store
from tokenarium.models.training.tokenizer_registry import TokenizerRegistry, registered_here
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
from tokenarium.session.catalogue import file_line, file_of_line, registered_item
from tokenarium.widgets.library.find_dialog import FindDialog
from tokenarium_core.formats.registered import store_folder

WAIT_MS = 60_000


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tokenizer file, and an empty store."""
    monkeypatch.setenv("TOKENARIUM_DATA", str(tmp_path / "data"))
    return Path(shutil.copy(SHIPPED_TOKENIZERS[0].path, tmp_path / "own.json"))


def register(path: Path, reference: str) -> None:
    TokenizerRegistry(Store(store_folder())).register(
        reference, tc.open(path), str(path), author="A. Person"
    )


def test_the_dialog_registers_the_current_tokenizer(
    own: Path, window: MainWindow, qtbot: QtBot
) -> None:
    item = add_file(window.session, own, qtbot)
    window.session.set_current(item.key)
    qtbot.waitUntil(window.actions_by_id["register_tokenizer"].isEnabled)
    window.actions_by_id["register_tokenizer"].trigger()
    dialog = there(window.lazy.registering.dialog)
    assert (dialog.name.text(), dialog.version.text()) == (proposed_name(item), "1")
    assert str(own) in dialog.about.text()
    dialog.name.setText("a b")
    dialog.button.click()
    assert "letters, digits" in dialog.sentence.text()
    dialog.name.setText("own")
    dialog.author.setText("A. Person")
    dialog.button.click()
    qtbot.waitUntil(lambda: "is registered" in dialog.sentence.text(), timeout=WAIT_MS)
    (entry,) = registered_here()
    assert (entry.reference, entry.author, entry.source) == ("own@1", "A. Person", str(own))
    assert next_version("own", registered_here()) == "2"
    window.actions_by_id["register_tokenizer"].trigger()
    assert dialog.author.text() == "A. Person"
    own.write_bytes(own.read_bytes() + b" ")
    dialog.name.setText("own")
    dialog.version.setText("1")
    dialog.button.click()
    qtbot.waitUntil(lambda: "already" in dialog.sentence.text(), timeout=WAIT_MS)


def test_a_registered_tokenizer_opens_by_its_name_and_stays(
    own: Path, window: MainWindow, qtbot: QtBot
) -> None:
    register(own, "own@1")
    window.take_files([Path("own@1")])
    item = there(window.session.library.item("registered:own@1"))
    qtbot.waitUntil(lambda: item.tokenizer is not None)
    assert (item.name, there(item.tokenizer).name, item.source) == ("own@1", "own@1", str(own))
    line = file_line(item)
    assert line == "own@1"
    again = file_of_line(line)
    assert (again.key, again.source) == (item.key, item.source)


def test_a_changed_file_is_refused(own: Path, window: MainWindow, qtbot: QtBot) -> None:
    register(own, "own@1")
    (entry,) = registered_here()
    own.write_bytes(own.read_bytes() + b" ")
    with qtbot.waitSignal(window.session.problem, check_params_cb=bool) as said:
        window.session.edits.add_registered("own@1")
    assert entry.sha256 in said.args[0]
    item = window.session.library.item("registered:own@1")
    assert item is not None  # its files can be put back
    assert (item.state, item.on) == (State.FAILED, False)
    with qtbot.waitSignal(window.session.problem, check_params_cb=bool) as said:
        window.take_files([Path("none@3")])
    assert "none@3 is not registered. Registered: own@1." in said.args[0]
    assert window.session.library.item("registered:none@3") is None
    assert registered_item("none@3").state is State.CLOSED


def test_the_found_tokenizers_have_a_section_for_the_registered(
    own: Path, window: MainWindow, qtbot: QtBot
) -> None:
    register(own, "own@1")
    window.actions_by_id["find_tokenizers"].trigger()
    dialog = of_kind(window.lazy.finding.find_dialog, FindDialog)
    dialog.picked.emit("registered:own@1")
    item = there(window.session.library.item("registered:own@1"))
    qtbot.waitUntil(lambda: item.tokenizer is not None)
    window.lazy.finding.stop()


def test_about_shows_the_name_the_version_and_the_state(
    own: Path, window: MainWindow, qtbot: QtBot
) -> None:
    register(own, "own@1")
    item = window.session.edits.add_registered("own@1")
    qtbot.waitUntil(lambda: item.tokenizer is not None)
    window.session.set_current(item.key)
    trigger(window, "about_tokenizer")
    about = there(window.lazy.checking.about_window)

    def rows() -> str:
        about._copy()
        from PySide6.QtGui import QGuiApplication

        return QGuiApplication.clipboard().text()

    qtbot.waitUntil(lambda: "unchanged" in rows())
    text = rows()
    assert_contains(text, "Registered name\town", "Version\t1", "by A. Person")


@pytest.mark.parametrize("gone", [False, True], ids=["changed", "gone"])
def test_registered_files_are_put_back_and_that_is_undone(
    own: Path, window: MainWindow, qtbot: QtBot, gone: bool
) -> None:
    register(own, "own@1")
    whole, other = own.read_bytes(), own.read_bytes() + b" "
    own.unlink() if gone else own.write_bytes(other)
    item = window.session.edits.add_registered("own@1")
    qtbot.waitUntil(lambda: item.state is State.FAILED)
    panel, stack = window.library, window.session.edits.undo_stack
    button = there(panel.tree.indexWidget(panel._model.index_of(item)))
    assert button.accessibleName() == "Put the registered files of own@1 back"
    panel.set_current(item)
    qtbot.waitUntil(window.actions_by_id["put_back_tokenizer"].isEnabled)
    button.findChild(QToolButton).click()
    qtbot.waitUntil(lambda: item.state is State.OPEN, timeout=WAIT_MS)
    assert own.read_bytes() == whole
    assert item.on
    aside = own.with_name("own.json.changed-1")
    assert aside.exists() is not gone
    stack.undo()
    qtbot.waitUntil(lambda: item.state is State.FAILED, timeout=WAIT_MS)
    assert not aside.exists()
    assert not item.on
    assert not own.exists() if gone else own.read_bytes() == other
    stack.redo()
    qtbot.waitUntil(lambda: item.state is State.OPEN, timeout=WAIT_MS)
    assert own.read_bytes() == whole
    qtbot.waitUntil(lambda: not window.lazy.registering.busy)


def test_what_cannot_be_put_back_says_why_and_is_no_change(
    own: Path, window: MainWindow, qtbot: QtBot
) -> None:
    register(own, "own@1")
    (entry,) = registered_here()
    own.write_bytes(b"{}")
    item = window.session.edits.add_registered("own@1")
    qtbot.waitUntil(lambda: item.state is State.FAILED)
    TokenizerRegistry(Store(store_folder())).copy_of(entry.files[0]).unlink()
    count = len(window.session.edits.undo_stack)
    with qtbot.waitSignal(window.session.problem, check_params_cb=bool, timeout=WAIT_MS) as said:
        window.library.put_back_requested.emit(item.key)
    assert "cannot be put back" in said.args[0]
    assert own.read_bytes() == b"{}"
    assert item.state is State.FAILED
    qtbot.waitUntil(lambda: not window.lazy.registering.busy)
    assert len(window.session.edits.undo_stack) == count
