"""Files and links to open while the app runs: those of a later start, and those that macOS reports."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication, QWidget

from tokenarium.work.handover import (
    HELLO,
    MOST_BYTES,
    TAKEN,
    TOKENS,
    Entry,
    enter,
    is_own,
    read_request,
)

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer, QLocalSocket


LONGEST_MS = 30_000
"""How long a later start may take to send its request."""


class Incoming(QObject):
    """Receives requests to open something from the start of the app on, and keeps them until there is a window."""

    def __init__(self, app: QApplication, entry: Entry) -> None:
        super().__init__(app)
        self._entry = entry
        self._server: QLocalServer | None = None
        self._open: Callable[[list[str]], object] | None = None
        self._window: QWidget | None = None
        self._waiting: list[str] = []
        app.installEventFilter(self)
        app.applicationStateChanged.connect(self._claim)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FileOpen and isinstance(event, QFileOpenEvent):
            self.take([event.file() or event.url().toString()])
            return True
        return False

    def deliver_to(self, window: QWidget, open: Callable[[list[str]], object]) -> None:
        """Passes on the waiting requests, and all later ones."""
        self._window, self._open = window, open
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            open(waiting)
        self._listen()

    def take(self, words: list[str], tokens: dict[str, str] | None = None) -> None:
        """Opens files and links in the window, and brings it to the front."""
        if self._open is None or self._window is None:
            self._waiting += words
            return
        bring_forward(self._window, tokens or {})
        if words:
            self._open(words)

    def stop(self) -> None:
        """Lets a later start open a window of its own."""
        self._open = None
        QApplication.instance().removeEventFilter(self)  # type: ignore[union-attr]
        if self._server is not None:
            self._server.close()
            self._server = None
        self._entry.leave()

    # Later starts.

    def _claim(self, state: Qt.ApplicationState) -> None:
        """Makes this the window that later starts ask, once it is used and no other is: the first one may be closed."""
        idle = self._server is None and self._open is not None
        if idle and state == Qt.ApplicationState.ApplicationActive:
            found = enter([], new_window=True)
            if found.listener is not None:
                self._entry = found
                self._listen()

    def _listen(self) -> None:
        if self._server is not None or not (self._entry.listener or self._entry.name):
            return
        try:  # here, as the first start does not need it
            from PySide6.QtNetwork import QLocalServer
        except ImportError:  # a system library is missing that only this needs
            self._entry.leave()
            return
        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        listener = self._entry.listener
        listens = server.listen(listener.detach()) if listener else server.listen(self._entry.name)
        if not listens:
            self._entry.leave()
            return
        server.newConnection.connect(self._greet)
        self._server = server

    def _greet(self) -> None:
        while self._server is not None and self._server.hasPendingConnections():
            line = self._server.nextPendingConnection()
            line.disconnected.connect(line.deleteLater)
            if not _is_own(line):
                line.abort()
                continue
            line.setReadBufferSize(MOST_BYTES + 1)
            QTimer.singleShot(LONGEST_MS, line, line.abort)
            line.readyRead.connect(partial(self._read, line))
            line.write(HELLO)
            line.flush()

    def _read(self, line: QLocalSocket) -> None:
        if not line.canReadLine():
            if line.bytesAvailable() > MOST_BYTES:
                line.abort()
            return
        try:
            words, tokens = read_request(bytes(line.readLine().data()))
        except ValueError:
            line.abort()
            return
        line.write(TAKEN)
        line.flush()
        line.disconnectFromServer()
        self.take(words, tokens)


def _is_own(line: QLocalSocket) -> bool:
    """Whether the process at the other end belongs to the user, if the system can tell."""
    if sys.platform == "win32":
        return True  # Qt's server lets no one else in
    import socket

    try:
        with socket.socket(fileno=os.dup(int(line.socketDescriptor()))) as same:
            return is_own(same)
    except OSError:  # it has ended
        return False


def bring_forward(window: QWidget, tokens: dict[str, str]) -> None:
    """Shows a window in front of the others.

    ``tokens`` are the desktop's activation tokens, by their environment variables.
    """
    for name in TOKENS:  # Qt reads Wayland's token when it requests the activation
        with suppress(ValueError):
            if tokens.get(name):
                os.environ[name] = tokens[name]
            else:
                os.environ.pop(name, None)
    if window.isMinimized():
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()
