"""Finding tokenizers in the window: what is listed, what a click does, folders, repositories."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from narrowed import there
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QTreeWidgetItem
from pytestqt.qtbot import QtBot
from small_files import new_folder
from worker_functions import fetch, snapshot_folder

import tokenarium_core as tc
from tokenarium.app.window import MainWindow
from tokenarium.menus import finding
from tokenarium.models.tokenizers import local_tokenizers
from tokenarium.models.tokenizers.library import State
from tokenarium.models.tokenizers.local_tokenizers import PLACES
from tokenarium.session import settings
from tokenarium.widgets.library.find_dialog import ACTION, NAME, WHERE, FindDialog
from tokenarium.work import disk_search

Rows = dict[str, list[QTreeWidgetItem]]


@pytest.fixture(autouse=True)
def computer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A computer with one tokenizer, in a folder that was not added yet."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(local_tokenizers.tempfile, "gettempdir", lambda: str(tmp_path / "tmp"))
    monkeypatch.setattr("importlib.metadata.distributions", lambda: iter(()))
    (tmp_path / "mine").mkdir()
    tc.train("bpe", ["abc abc"], vocab_size=258).save(tmp_path / "mine" / "small.json")
    return tmp_path


def open_dialog(window: MainWindow, qtbot: QtBot) -> FindDialog:
    window.actions_by_id["find_tokenizers"].trigger()
    dialog = there(window.lazy.finding.find_dialog)
    rest(window, qtbot)
    return dialog


def rest(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.lazy.finding.search.running)
    qtbot.wait(2 * finding.SHOW_MS)


def rows(dialog: FindDialog) -> Rows:
    found: Rows = {}
    for place in range(dialog.list.topLevelItemCount()):
        head = dialog.list.topLevelItem(place)
        found[head.text(NAME)] = [head.child(row) for row in range(head.childCount())]
    return found


def click(dialog: FindDialog, item: QTreeWidgetItem, qtbot: QtBot) -> None:
    dialog.list.scrollToItem(item)
    place = dialog.list.visualItemRect(item).center()
    qtbot.mouseClick(dialog.list.viewport(), Qt.MouseButton.LeftButton, pos=place)


def named(dialog: FindDialog, name: str) -> QTreeWidgetItem:
    return next(
        item for items in rows(dialog).values() for item in items if item.text(NAME) == name
    )


def test_an_empty_computer_says_what_was_looked_through(
    window: MainWindow, qtbot: QtBot, computer: Path
) -> None:
    dialog = open_dialog(window, qtbot)
    found = rows(dialog)
    assert list(found) == ["Registered", *PLACES, "Catalogue", "Hugging Face"]
    assert [item.text(NAME) for item in found[PLACES[0]]] == [
        f"No tokenizer in {computer / 'hub'} (not there)"
    ]
    assert "Add a folder" in found["Your folders"][0].text(NAME)
    assert "0 tokenizers found" in dialog.status.text()
    assert {"GPT-2 · gpt2", "Gemma 3 · gemma-3.model"} <= {
        item.text(NAME) for item in found["Catalogue"]
    }


def test_nothing_is_looked_for_before_the_dialog_is_opened(window: MainWindow) -> None:
    assert "finding" not in vars(window.lazy)
    assert not window.lazy.busy


def test_a_folder_is_added_and_a_click_opens_what_is_there(
    window: MainWindow, qtbot: QtBot, computer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = open_dialog(window, qtbot)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(computer / "mine"))
    qtbot.mouseClick(dialog.folder, Qt.MouseButton.LeftButton)
    rest(window, qtbot)
    assert "1 tokenizer found" in dialog.status.text()
    assert named(dialog, "small").text(ACTION) == "Open"
    click(dialog, named(dialog, "small"), qtbot)
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 2)
    rest(window, qtbot)
    assert named(dialog, "small").text(ACTION) == "In use"
    window.session.edits.turn_on(f"file:{computer / 'mine' / 'small.json'}", False)
    rest(window, qtbot)
    assert named(dialog, "small").text(ACTION) == "Turn on"
    assert window.lazy.finding._store.get(settings.LOOK_IN) == [str(computer / "mine")]


def test_a_dropped_folder_lists_its_tokenizers_to_choose_from(
    window: MainWindow, qtbot: QtBot, computer: Path
) -> None:
    window.session.set_text("mine")
    window.take_files([computer])
    dialog = there(window.lazy.finding.find_dialog)
    rest(window, qtbot)
    assert [item.text(NAME) for item in rows(dialog)["Your folders"]] == ["small", computer.name]
    assert window.session.text == "mine"
    click(dialog, named(dialog, "small"), qtbot)
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 2)
    empty = computer / "empty"
    empty.mkdir()
    window.take_files([empty])
    rest(window, qtbot)
    assert "no tokenizer in it" in named(dialog, "empty").text(WHERE)


def test_a_folder_is_removed_by_a_click(window: MainWindow, qtbot: QtBot, computer: Path) -> None:
    window.lazy.finding.set_folders([computer / "mine", computer / "mine"])
    dialog = open_dialog(window, qtbot)
    folder = named(dialog, "mine")
    assert folder.text(ACTION) == "Remove"
    click(dialog, folder, qtbot)
    rest(window, qtbot)
    assert window.lazy.finding.folders == []
    assert not [item for item in rows(dialog)["Your folders"] if item.text(ACTION)]


def test_searching_narrows_and_enter_opens(
    window: MainWindow, qtbot: QtBot, computer: Path
) -> None:
    window.lazy.finding.set_folders([computer / "mine"])
    dialog = open_dialog(window, qtbot)
    qtbot.keyClicks(dialog.search, "small token")
    assert [item.text(NAME) for item in rows(dialog)["Your folders"]] == ["small"]
    qtbot.keyClick(dialog.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 2)
    dialog.search.setText("qqqq")
    assert list(rows(dialog)) == ["No results"]
    qtbot.keyClick(dialog.search, Qt.Key.Key_Return)
    assert len(window.session.chosen()) == 2


def test_enter_on_a_row_opens_it(window: MainWindow, qtbot: QtBot, computer: Path) -> None:
    window.lazy.finding.set_folders([computer / "mine"])
    dialog = open_dialog(window, qtbot)
    dialog.list.setCurrentItem(named(dialog, "small"))
    qtbot.keyClick(dialog.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 2)


def test_a_row_opens_what_it_names_while_all_is_looked_through_again(
    window: MainWindow, qtbot: QtBot, computer: Path
) -> None:
    tc.train("bpe", ["abd abd"], vocab_size=258).save(computer / "mine" / "another.json")
    window.lazy.finding.set_folders([computer / "mine"])
    dialog = open_dialog(window, qtbot)
    row = named(dialog, "small")
    window.lazy.finding.look()  # the rows of the last time are still there
    click(dialog, row, qtbot)
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 2)
    assert window.session.chosen()[-1].source == str(computer / "mine" / "small.json")


def test_the_catalogue_gets_what_is_missing(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(window.fetcher, "fetch", asked.append)
    dialog = open_dialog(window, qtbot)
    click(dialog, named(dialog, "Gemma 3 · gemma-3.model"), qtbot)
    assert asked == ["catalogue:gemma-3"]
    item = there(window.session.library.item("catalogue:gemma-3"))
    window.session.library.set_state(item, State.FETCHING)
    rest(window, qtbot)
    assert named(dialog, "Gemma 3 · gemma-3.model").text(ACTION) == "Downloading …"
    click(dialog, named(dialog, "Gemma 3 · gemma-3.model"), qtbot)
    assert len(asked) == 1
    window.session.library.set_state(item, State.MISSING)


def test_a_repository_is_got_by_its_name_and_opened(
    window: MainWindow, qtbot: QtBot, computer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "fetch", fetch)
    snapshot = Path(*snapshot_folder())
    snapshot.mkdir(parents=True)
    made = (computer / "mine" / "small.json").read_bytes()
    (snapshot / "small.json").write_bytes(made)
    dialog = open_dialog(window, qtbot)
    qtbot.keyClicks(dialog.search, "owner/small")
    rest(window, qtbot)
    assert named(dialog, "owner/small").text(ACTION) in ("Get it", "Open")
    dialog.search.setText("https://huggingface.co/owner/small/tree/main")  # as a browser has it
    rest(window, qtbot)
    assert named(dialog, "owner/small").text(ACTION) in ("Get it", "Open")
    click(dialog, rows(dialog)["Hugging Face"][0], qtbot)
    assert dialog.stop.isVisible()
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 2)
    assert window.session.chosen()[1].name == "owner/small"
    assert not dialog.stop.isVisible()


def test_why_a_repository_cannot_be_got(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "fetch", fetch)
    dialog = open_dialog(window, qtbot)
    window.lazy.finding.get_repository("owner/none")
    qtbot.waitUntil(lambda: dialog.problem.text() == "It is gated.")
    assert not window.lazy.finding.running.busy


def test_getting_a_repository_can_be_stopped(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "fetch", fetch)
    dialog = open_dialog(window, qtbot)
    window.lazy.finding.get_repository("owner/slow")
    window.lazy.finding.get_repository("owner/none")  # one at a time
    qtbot.mouseClick(dialog.stop, Qt.MouseButton.LeftButton)
    assert not window.lazy.finding.running.busy
    assert "Stopped" in dialog.status.text()
    assert not dialog.problem.isVisible()


def test_a_search_that_is_given_up_shows_nothing(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(folders: object, stop: Callable[[], bool]):  # type: ignore[no-untyped-def]
        while not stop():
            time.sleep(0.01)
            yield local_tokenizers.Looked(PLACES[0], Path("x"))

    monkeypatch.setattr(disk_search, "find", endless)
    window.lazy.finding.find_tokenizers()
    qtbot.wait(100)
    assert window.lazy.finding.search.running
    window.close()
    assert not window.lazy.finding.search.running


def test_a_folder_with_a_tokenizer_json(window: MainWindow, qtbot: QtBot, computer: Path) -> None:
    folder = new_folder(computer / "mine" / "bert")
    content = {"version": "1.0", "truncation": None, "added_tokens": [], "model": {}}
    (folder / "tokenizer.json").write_text(json.dumps(content))
    (folder / "config.json").write_text('{"model_type": "bert"}')
    window.lazy.finding.set_folders([computer / "mine"])
    dialog = open_dialog(window, qtbot)
    assert named(dialog, "bert").text(1) == "bert"
    click(dialog, named(dialog, "bert"), qtbot)
    qtbot.waitUntil(window.messages.isVisible)
    rest(window, qtbot)
    assert named(dialog, "bert").text(ACTION) == "Open"  # what was refused is not in the library


def test_the_colours_of_the_rows_follow_the_scheme(window: MainWindow, qtbot: QtBot) -> None:
    dialog = open_dialog(window, qtbot)
    light = named(dialog, "Gemma 3 · gemma-3.model").foreground(ACTION).color()
    window.display_commands.set_colour_scheme("dark")
    qtbot.waitUntil(
        lambda: named(dialog, "Gemma 3 · gemma-3.model").foreground(ACTION).color() != light
    )
    window.display_commands.set_colour_scheme("light")
    qtbot.waitUntil(
        lambda: named(dialog, "Gemma 3 · gemma-3.model").foreground(ACTION).color() == light
    )
