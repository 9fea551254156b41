"""What the explorer's tests share: a session and a window with the shipped tokenizer alone."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import ClassVar

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tokenarium import catalogue, settings
from tokenarium.app import make_window
from tokenarium.session import Session
from tokenarium.settings import Settings
from tokenarium.window import MainWindow

if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

SHIPPED = "shipped:tokenarium-8k"


@pytest.fixture(scope="session")
def what_stays() -> None:
    """Takes all that was imported out of the sight of the garbage collector, which is quick then."""
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
    """A tiktoken cache with nothing in it, so that what a test sees does not hang on the computer."""
    folder = tmp_path / "tiktoken-cache"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Settings:
    """Settings in a file of the test's own."""
    return Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))


@pytest.fixture
def session(qtbot: QtBot) -> Iterator[Session]:
    """A session with the shipped tokenizer on and open."""
    session = Session()
    session.fill_library(catalogue.offered([SHIPPED], [], []))
    qtbot.waitUntil(lambda: not session.opening)
    yield session
    session.jobs.cancel_all()


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, store: Settings) -> MainWindow:
    """A window that stands, with the shipped tokenizer open and no text."""
    store.set(settings.COLOUR_SCHEME, "light")
    window = make_window(qapp, store)
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: not window.session.opening)
    return window


class _Handler(SimpleHTTPRequestHandler):
    """Serves a folder, a file that breaks off, and one that never ends."""

    ended: ClassVar[Event]

    def do_GET(self) -> None:
        if self.path == "/breaks-off":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"x" * 100)
        elif self.path == "/never-ends":
            self.send_response(200)
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            with contextlib.suppress(OSError):  # the other side goes away
                while not self.ended.wait(0.02):
                    self.wfile.write(b"x" * 1000)
        else:
            super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: a test has nobody to tell."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The address of a server on this computer, which serves the folder ``served`` of ``tmp_path``."""
    folder = tmp_path / "served"
    folder.mkdir()
    ended = Event()
    handler = type("Handler", (_Handler,), {"ended": ended})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder)))
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    ended.set()
    server.shutdown()
    thread.join()
    server.server_close()
