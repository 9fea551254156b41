"""What the explorer's tests share: a session and a window with the first shipped tokenizer alone."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any, ClassVar, cast

import pytest
from logs import close_log
from PySide6.QtCore import QCoreApplication, QEvent, QSettings
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from small_files import new_folder, saved
from windows import Host, Room, add_file, off_screen, on_screen

import tokenarium_core as tc
from tokenarium.app.start import make_window
from tokenarium.app.window import MainWindow
from tokenarium.models.text.piece import NumberBase
from tokenarium.session import catalogue, settings
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.style.appearance import Appearance
from tokenarium.views.workspace import Workspace

if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

SHIPPED = "shipped:tokenarium-8k"

PATIENCE_MS = 60_000
"""How long a test waits for an expected event: a busy machine needs more than the five seconds of pytest-qt."""

TURN_MS = 10
"""How long the event loop runs between two checks of a condition; the first turns are shorter, since most come at once."""


class PatientBot(QtBot):
    """The robot of pytest-qt, which waits as long as a slow machine takes.

    It counts what the event loop was given, not what the clock says: a machine that gives all of its time to others,
    or that sleeps, would use up any patience before the next event.
    """

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE_MS) -> None:
        """Waits until a callback returns true, or raises no AssertionError."""
        fault: AssertionError | None = None
        for turn in range(timeout // TURN_MS):
            try:
                if callback() in (None, True):
                    return
            except AssertionError as error:
                fault = error
            self.wait(min(TURN_MS, 1 << min(turn, 4)))
        raise self.TimeoutError(f"It did not come in {timeout // TURN_MS} turns.") from fault

    def waitSignal(self, signal: Any, *, timeout: int | None = None, **options: Any) -> Any:
        """Waits at the end of a block until a signal was sent in it."""
        if timeout is not None:  # as long as something must not come
            return super().waitSignal(signal, timeout=timeout, **options)
        return self._patient(super().waitSignal(signal, timeout=TURN_MS, **options))

    def waitSignals(self, signals: Any, **options: Any) -> Any:
        """Waits at the end of a block until all these signals were sent in it."""
        return self._patient(super().waitSignals(signals, timeout=TURN_MS, **options))

    @contextlib.contextmanager
    def _patient(self, blocker: Any) -> Iterator[Any]:
        with blocker:
            yield blocker
            self.waitUntil(lambda: blocker.signal_triggered)

    def waitExposed(self, widget: QWidget, *, timeout: int = PATIENCE_MS) -> Any:
        return super().waitExposed(widget, timeout=timeout)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """The robot that tests press buttons and wait with."""
    return PatientBot(request)


@pytest.fixture(scope="module")
def what_stays() -> None:
    """Hides what outlives a file of tests from the garbage collector, which makes it quick.

    That is what was imported, and the vocabularies that tests before keep: to look through them after each test
    took several times as long as most tests.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def garbage_at_rest(qapp: QApplication, what_stays: None) -> Iterator[None]:
    """Widgets of a test end with it, and never in the middle of a later test's call into Qt.

    Python may collect garbage at any allocation, also while Qt walks over all widgets: a widget that is
    then destroyed under it ends the process.
    """
    gc.disable()
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiktoken cache with nothing in it, so that what a test sees does not depend on the computer."""
    folder = tmp_path / "tiktoken-cache"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
    monkeypatch.setenv("TOKENARIUM_DATA", str(tmp_path / "fetched"))
    return folder


@pytest.fixture
def own_log() -> Iterator[None]:
    """The log of the test, in its own folder."""
    close_log()
    yield
    close_log()


@pytest.fixture
def store(tmp_path: Path) -> Settings:
    """Settings in a file of the test's own."""
    return Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))


@pytest.fixture
def session(qtbot: QtBot) -> Iterator[Session]:
    """A session with the first shipped tokenizer on and open."""
    session = Session()
    session.fill_library(catalogue.offered([SHIPPED], [], []))
    qtbot.waitUntil(lambda: not session.opening)
    yield session
    session.jobs.cancel_all()


@pytest.fixture
def words_by_spaces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words are separated by white space alone, as where ICU is not installed."""
    monkeypatch.setattr("tokenarium.models.compare.words.DICTIONARIES", False)


@pytest.fixture(autouse=True)
def hexadecimal_numbers() -> Iterator[None]:
    """Bytes are written in hexadecimal before and after each test."""
    NumberBase.decimal = False
    yield
    NumberBase.decimal = False


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, store: Settings) -> MainWindow:
    """A window that is shown, with the first shipped tokenizer open and no text."""
    store.set(settings.COLOUR_SCHEME, "light")
    store.set(settings.TOKENIZERS_ON, [SHIPPED])
    window = on_screen(qtbot, make_window(qapp, store))
    qtbot.waitUntil(lambda: not window.session.opening)
    return window


@pytest.fixture
def room(session: Session, qtbot: QtBot, qapp: QApplication) -> Iterator[Room]:
    """The workspaces without a window, with the first shipped tokenizer open and no text."""
    appearance = Appearance(qapp, "light")
    room = off_screen(qtbot, Room(session, appearance))
    appearance.setParent(room)  # it is deleted with it
    room.show()
    yield room
    for place in range(room.count()):
        cast(Workspace, room.widget(place)).stop()


@pytest.fixture
def host(request: pytest.FixtureRequest) -> Host:
    """What shows the workspaces: the window for tests that ask for it, else a room, which is made faster."""
    host = request.getfixturevalue("window" if "window" in request.fixturenames else "room")
    assert isinstance(host, MainWindow | Room)
    return host


@pytest.fixture
def bytes_only(host: Host, tmp_path: Path, qtbot: QtBot) -> str:
    """The key of a second tokenizer, with a token for each byte."""
    path = saved(tc.train("bpe", [""], vocab_size=256), tmp_path / "bytes.json")
    item = add_file(host.session, path, qtbot)
    return item.key


class _Handler(SimpleHTTPRequestHandler):
    """Serves a folder, and a path for each thing that a server may do wrong.

    ``/<what>/<file>`` serves a file of the folder in the manner of ``what``.
    """

    ended: ClassVar[Event]
    asked: ClassVar[list[tuple[str, str]]]  # of each request: the path, and its Range
    sent: ClassVar[list[int]]  # bytes, of each block of a flood

    def do_GET(self) -> None:
        range_header = self.headers.get("Range", "")
        self.asked.append((self.path, range_header))
        what, _, file = self.path.removeprefix("/").partition("/")
        answer = getattr(self, f"_{what.replace('-', '_')}", None)
        if self.path.startswith("http://"):  # as a proxy is asked
            self._give(200, b"from the proxy: " + self.path.encode())
        elif answer is not None:
            path = Path(self.directory, file)
            content = path.read_bytes() if path.is_file() else b""
            start = int(range_header.removeprefix("bytes=").removesuffix("-") or 0)
            answer(content, start)
        else:
            super().do_GET()

    def _give(self, status: int, body: bytes, length: int | None = None, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        with contextlib.suppress(OSError):  # the other side goes away
            self.wfile.write(body)

    def _part(
        self, content: bytes, start: int, sent: int, etag: str = '"1"', shift: int = 0
    ) -> None:
        rest = content[start:]
        if start:
            place = f"bytes {start + shift}-{len(content) - 1}/{len(content)}"
            self._give(206, rest[:sent], len(rest), ETag=etag, Content_Range=place)
        else:
            self._give(200, rest[:sent], len(rest), ETag=etag)

    def _breaks_off(self, content: bytes, start: int) -> None:
        """Sends a third of the file each time, and the rest of it when asked."""
        self._part(content, start, len(content) // 3 + 1)

    def _breaks_off_each_time(self, content: bytes, start: int) -> None:
        self._part(content, start, 1000)

    def _knows_no_ranges(self, content: bytes, start: int) -> None:
        """Breaks off once, and then sends all of it."""
        whole = len([path for path, _ in self.asked if path == self.path]) > 1
        self._give(200, content if whole else content[:5000], len(content))

    def _is_another_now(self, content: bytes, start: int) -> None:
        """Breaks off in an older file, and then sends the right one."""
        if start:
            self._part(content, start, len(content), '"new"')
        elif len(self.asked) == 1:
            self._give(200, b"?" * 5000, len(content), ETag='"old"')
        else:
            self._part(content, 0, len(content), '"new"')

    def _mixes_files_up(self, content: bytes, start: int) -> None:
        """Breaks off in another file, with no mark that shows it."""
        if len(self.asked) == 1:
            self._give(200, b"?" * 5000, len(content))
        else:
            self._part(content, start, len(content))

    def _shifts(self, content: bytes, start: int) -> None:
        """Sends another part than was asked for."""
        self._part(content, start, len(content) if len(self.asked) > 2 else 5000, shift=10)

    def _stalls(self, content: bytes, start: int) -> None:
        """Sends the first bytes, and the rest only when asked again."""
        if start:
            self._part(content, start, len(content))
        else:
            self._part(content, start, 5000)
            self.ended.wait(3)

    def _never_ends(self, content: bytes, start: int) -> None:
        self._give(200, b"", 1_000_000)
        with contextlib.suppress(OSError):
            while not self.ended.wait(0.02):
                self.wfile.write(b"x" * 1000)

    def _sends_on(self, content: bytes, start: int) -> None:
        """Sends more bytes than it announces."""
        self._give(200, content + b"more", len(content))

    def _sends_on_unannounced(self, content: bytes, start: int) -> None:
        """Sends more bytes than the file has, and announces none."""
        self.send_response(200)
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(content + b"more")

    def _floods(self, content: bytes, start: int) -> None:
        """Sends without an end, as fast as it is taken."""
        self.send_response(404 if content == b"an error" else 200)
        self.end_headers()
        block = bytes(1 << 20)
        with contextlib.suppress(OSError):
            while not self.ended.is_set():
                self.wfile.write(block)
                self.sent.append(len(block))

    def _announces_more(self, content: bytes, start: int) -> None:
        self._give(200, content, len(content) + 4)

    def _forbids(self, content: bytes, start: int) -> None:
        self._give(403, b"<html>No.</html>")

    def _fails(self, content: bytes, start: int) -> None:
        self._give(500, b"<html>Oh.</html>")

    def _redirects(self, content: bytes, start: int) -> None:
        self._give(302, b"<html>There.</html>", Location="/breaks-off/file")

    def _redirects_in_a_ring(self, content: bytes, start: int) -> None:
        self._give(302, b"", Location=self.path)

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing."""


class Server:
    """A server on this computer: its address, and what it was asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[tuple[str, str]] = []
        self.sent: list[int] = []
        self.ended = Event()
        handler = type(
            "Handler", (_Handler,), {"ended": self.ended, "asked": self.asked, "sent": self.sent}
        )
        self._server = ThreadingHTTPServer(
            ("127.0.0.1", 0), partial(handler, directory=str(folder))
        )
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def end(self) -> None:
        self.ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server on this computer, which serves the folder ``served`` of ``tmp_path``."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    folder = new_folder(tmp_path / "served")
    server = Server(folder)
    yield server
    server.end()


@pytest.fixture
def served(server: Server) -> str:
    """The address of that server."""
    return server.address
