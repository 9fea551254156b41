"""Files and links that come while the app runs: from later starts, and from macOS."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from narrowed import of_kind
from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QFileOpenEvent, QGuiApplication
from PySide6.QtNetwork import QLocalSocket
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot
from small_files import saved, write_file

import tokenarium_core as tc
from tokenarium.app.busy_window import BusyQuestion
from tokenarium.app.incoming import Incoming
from tokenarium.app.window import MainWindow
from tokenarium.models.scene import Scene, SceneText, scene_link
from tokenarium.work.handover import HELLO, MOST_BYTES, TAKEN, Entry, enter, local_name, request

needs_unix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has named pipes, by Qt")


@pytest.fixture
def entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Entry:
    """The entry of the first start, with a socket of the test's own."""
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return enter([])


@pytest.fixture
def incoming(qapp: QApplication, entry: Entry) -> Iterator[Incoming]:
    """What takes files and links for the window."""
    made = Incoming(qapp, entry)
    yield made
    made.stop()


def asking(path: str) -> QLocalSocket:
    line = QLocalSocket()
    line.connectToServer(path)
    return line


@needs_unix
def test_what_a_later_start_opens_is_shown(
    window: MainWindow, incoming: Incoming, entry: Entry, qtbot: QtBot, tmp_path: Path
) -> None:
    path = write_file(tmp_path / "a text.txt", "from a file")
    line = asking(entry.path)  # before there is a window that listens
    incoming.deliver_to(window, window.open_words)
    qtbot.waitUntil(lambda: line.bytesAvailable() > 0)
    assert line.readAll().data() == HELLO
    line.write(request([str(path)]))
    qtbot.waitUntil(lambda: line.bytesAvailable() > 0)
    assert line.readAll().data() == TAKEN
    assert window.session.text == "from a file"


@needs_unix
@pytest.mark.parametrize(
    "sent",
    [
        b"not a request\n",
        b'{"open": [3], "tokens": {}}\n',
        b"\n",
        b"[" * 100_000 + b"\n",
        b'{"open": ["a\\u0000"], "tokens": {}}\n',
        b'{"open": ["\\ud800"], "tokens": {}}\n',
        b'{"open": [' + b'"a", ' * 30_000 + b'"a"], "tokens": {}}\n',
        b"x" * (MOST_BYTES + 1),
    ],
    ids=["json", "types", "empty", "deep", "nul", "surrogate", "words", "long"],
)
def test_what_is_no_request_is_not_answered(
    window: MainWindow, incoming: Incoming, entry: Entry, qtbot: QtBot, sent: bytes
) -> None:
    incoming.deliver_to(window, window.open_words)
    line = asking(entry.path)
    line.write(sent)
    line.flush()
    qtbot.waitUntil(lambda: line.state() == QLocalSocket.LocalSocketState.UnconnectedState)
    assert TAKEN not in line.readAll().data()


@needs_unix
def test_a_process_of_another_user_is_not_heard(
    window: MainWindow,
    incoming: Incoming,
    entry: Entry,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    incoming.deliver_to(window, window.open_words)
    monkeypatch.setattr("tokenarium.app.incoming.is_own", lambda line: False)
    line = asking(entry.path)
    qtbot.waitUntil(lambda: line.state() == QLocalSocket.LocalSocketState.UnconnectedState)
    assert line.readAll().data() == b""


@needs_unix
def test_who_asks_nothing_is_let_go(
    window: MainWindow,
    incoming: Incoming,
    entry: Entry,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tokenarium.app.incoming.LONGEST_MS", 10)
    incoming.deliver_to(window, window.open_words)
    line = asking(entry.path)
    qtbot.waitUntil(lambda: line.state() == QLocalSocket.LocalSocketState.UnconnectedState)


def test_a_server_by_name_as_on_windows(
    window: MainWindow,
    qapp: QApplication,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TOKENARIUM_DATA", str(tmp_path))
    made = Incoming(qapp, Entry(name=local_name()))
    asked: list[str] = []
    made.deliver_to(window, asked.extend)
    line = asking(local_name())
    qtbot.waitUntil(lambda: line.bytesAvailable() > 0)
    line.write(request(["tokenarium:x"]))
    qtbot.waitUntil(lambda: bool(asked))
    assert asked == ["tokenarium:x"]
    made.stop()


@needs_unix
def test_once_it_is_closed_the_next_start_is_the_first(incoming: Incoming, entry: Entry) -> None:
    incoming.stop()
    again = enter([])
    assert again.listener is not None
    again.leave()


@pytest.mark.parametrize("early", [True, False])
def test_files_and_links_that_macos_reports_are_opened(
    window: MainWindow, incoming: Incoming, qapp: QApplication, tmp_path: Path, early: bool
) -> None:
    """Also those that come before there is a window: the one that the app was started for."""
    path = write_file(tmp_path / "text.txt", "from the Finder")
    if not early:
        incoming.deliver_to(window, window.open_words)
    QApplication.sendEvent(qapp, QFileOpenEvent(str(path)))
    if early:
        assert window.session.text == ""
        incoming.deliver_to(window, window.open_words)
    assert window.session.text == "from the Finder"
    link = scene_link(Scene(text=SceneText("from a link")))
    QApplication.sendEvent(qapp, QFileOpenEvent(QUrl(link)))
    assert window.session.text == "from a link"


def test_words_are_paths_addresses_and_links(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    tokenizer = saved(tc.train("bpe", ["abc"], vocab_size=257), tmp_path / "my tokenizer.json")
    window.open_words([tokenizer.as_uri(), scene_link(Scene(text=SceneText("abc")))])
    assert window.session.library.item(f"file:{tokenizer}") is not None
    assert window.session.text == "abc"
    window.open_words(["tokenarium:lesson/01-spaces-and-case/2"])
    assert window.lessons.lesson is not None
    assert (window.lessons.lesson.id, window.lessons.at) == ("01-spaces-and-case", 1)
    copy = window.actions_by_id["copy_lesson_link"]
    qtbot.waitUntil(copy.isEnabled)
    copy.trigger()
    assert QGuiApplication.clipboard().text() == "tokenarium:lesson/01-spaces-and-case/2"


@pytest.mark.parametrize(
    "link",
    ["tokenarium:lesson/no-such", "tokenarium:lesson/%2e%2e%2fx", "tokenarium:%%%", "tokenarium:"],
)
def test_a_link_that_leads_nowhere_changes_nothing(
    window: MainWindow, qtbot: QtBot, link: str
) -> None:
    window.session.set_text("mine")
    with qtbot.waitSignal(window.session.problem, check_params_cb=bool):
        window.open_words([link])
    assert window.session.text == "mine"
    assert window.lessons.lesson is None


def test_a_link_that_names_files_asks_first(window: MainWindow, tmp_path: Path) -> None:
    secret = write_file(tmp_path / "secret.txt", "a secret")
    window.session.set_text("mine")
    link = scene_link(Scene(text=SceneText(file=str(secret)), workspace="bytes"))

    def answer(text: str) -> None:
        window.open_words([link])
        box = window.findChildren(QMessageBox)[-1]
        assert str(secret) in box.informativeText()
        assert window.session.text == "mine"
        next(one for one in box.buttons() if one.text().replace("&", "") == text).click()

    answer("Cancel")
    assert (window.session.text, window.workspace.name.id) == ("mine", "tokens")
    answer("Show the rest")
    assert (window.session.text, window.workspace.name.id) == ("mine", "bytes")
    answer("Open them")
    assert window.session.text == "a secret"


def test_a_second_window_neither_shows_nor_overwrites_what_the_first_keeps(
    window: MainWindow, tmp_path: Path
) -> None:
    from tokenarium.app.start import make_window
    from tokenarium.models.files import session_folder

    window.session.set_text("the first")
    window.scene_commands.keep(now=True)
    app = of_kind(QApplication.instance(), QApplication)
    second = make_window(app, window._store)
    assert not second.scene_commands.restore()
    second.session.set_text("the second")
    second.scene_commands.keep(now=True)
    kept = session_folder() / "last.tokenarium"
    assert json.loads(kept.read_text())["text"]["inline"] == "the first"
    window.close()
    second.session.set_text("the second, changed")
    second.scene_commands.keep(now=True)  # there is no other now, but what it left is there
    assert json.loads(kept.read_text())["text"]["inline"] == "the first"
    (other,) = session_folder().glob("windows/*/last.tokenarium")
    assert json.loads(other.read_text())["text"]["inline"] == "the second, changed"
    second.close()


@pytest.mark.window
@pytest.mark.skipif(
    os.environ.get("QT_QPA_PLATFORM") == "offscreen", reason="needs a display to open a window on"
)
@pytest.mark.skipif(shutil.which("gio") is None, reason="needs gio, to start a menu entry")
def test_two_processes_and_a_menu_entry(qapp: QApplication, tmp_path: Path) -> None:
    """The second start hands its tokenizer to the first and ends; so does a start by the desktop."""
    # A window asks for what is copied, and this process does not answer while it waits for others.
    QGuiApplication.clipboard().clear()
    for name in ("run", "data", "home"):
        (tmp_path / name).mkdir(mode=0o700)
    environment = {
        **os.environ,
        "XDG_RUNTIME_DIR": str(tmp_path / "run"),
        "TOKENARIUM_DATA": str(tmp_path / "data"),
        "HOME": str(tmp_path / "home"),
        "XDG_DATA_HOME": str(tmp_path / "home" / "share"),
        "XDG_CONFIG_HOME": str(tmp_path / "home" / "config"),
    }
    program = [sys.executable, "-m", "tokenarium"]
    kept = tmp_path / "data" / "session" / "last.tokenarium"
    tokenizer, text = tmp_path / "mine.json", tmp_path / "a text.txt"
    tc.train("bpe", ["abc"], vocab_size=257).save(tokenizer)
    text.write_text("opened by the desktop")

    def wait_for(words: str) -> None:
        for _ in range(3000):
            if kept.exists() and words in kept.read_text():
                return
            assert first.poll() is None
            time.sleep(0.1)
        raise AssertionError(f"{words} was not shown: {kept.exists() and kept.read_text()}")

    first = subprocess.Popen(program, env=environment)
    try:
        wait_for("Welcome")
        second = subprocess.run(
            [*program, str(tokenizer)], env=environment, check=False, timeout=300
        )
        assert second.returncode == 0
        wait_for(str(tokenizer))
        subprocess.run([*program, "desktop", "install"], env=environment, check=True)
        entry = tmp_path / "home" / "share" / "applications" / "tokenarium.desktop"
        subprocess.run(["gio", "launch", entry, text.as_uri()], env=environment, check=True)
        wait_for("opened by the desktop")
    finally:
        first.send_signal(signal.SIGTERM)
        first.wait()


# Where the window is busy for long.


@needs_unix
def test_a_start_that_waits_is_answered_once_there_is_time(
    window: MainWindow, incoming: Incoming, entry: Entry, qtbot: QtBot, tmp_path: Path
) -> None:
    path = write_file(tmp_path / "late.txt", "what was asked for")
    found = enter([str(path)], patience=0.1)
    assert (found.handed, found.busy) == (False, entry.path)
    question = BusyQuestion(found.busy, [str(path)])
    question.box.show()
    qtbot.wait(50)
    assert question.box.isVisible()
    incoming.deliver_to(window, window.open_words)
    qtbot.waitUntil(lambda: not question.box.isVisible())
    assert question.answer == question.ask() == "taken"
    assert window.session.text == "what was asked for"


@needs_unix
@pytest.mark.parametrize(("button", "answer"), [("Open another window", "own"), ("Cancel", "")])
def test_a_start_does_not_have_to_wait(
    window: MainWindow, incoming: Incoming, entry: Entry, qtbot: QtBot, button: str, answer: str
) -> None:
    before = window.session.text
    question = BusyQuestion(entry.path, ["tokenarium:lesson/a"])
    one = next(one for one in question.box.buttons() if one.text() == button)
    QTimer.singleShot(0, one.click)
    assert question.ask() == answer
    incoming.deliver_to(window, window.open_words)
    qtbot.wait(50)
    assert window.session.text == before  # nothing is opened later


@needs_unix
def test_a_window_that_has_ended_is_not_waited_for(entry: Entry, qtbot: QtBot) -> None:
    path = entry.path
    entry.leave()
    assert BusyQuestion(path, []).ask() == "own"
