"""Asks what to do if the open window is too busy to answer: wait for it, or open another one."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtNetwork import QLocalSocket
from PySide6.QtWidgets import QMessageBox

from tokenarium.style.controls import primary
from tokenarium.work.handover import HELLO, TAKEN, request


class BusyQuestion:
    """The question; it closes by itself as soon as the window answers. ``path`` is its local socket.

    ``answer`` is "taken" if the window has opened the ``words``, "own" if another window should open, or empty.
    """

    def __init__(self, path: str, words: list[str]) -> None:
        self.answer = ""
        self._words = words
        box = self.box = QMessageBox()
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Tokenarium")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText("The open window of Tokenarium is busy.")
        box.setInformativeText(
            "It will show what you opened as soon as it can."
            if words
            else "It will come to the front as soon as it can."
        )
        other = box.addButton("Open another window", QMessageBox.ButtonRole.AcceptRole)
        wait = box.addButton("Cancel", QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(primary(other))
        box.setEscapeButton(wait)
        other.clicked.connect(lambda: self._end("own"))
        self._line = QLocalSocket()
        self._line.readyRead.connect(self._read)
        self._line.errorOccurred.connect(lambda _: self._end("own"))  # it has ended
        self._line.connectToServer(path)

    def _read(self) -> None:
        while self._line.canReadLine():
            said = self._line.readLine().data()
            if said == HELLO:
                self._line.write(request(self._words))
                self._line.flush()
            elif said == TAKEN:
                self._end("taken")

    def _end(self, answer: str) -> None:
        self.answer = self.answer or answer
        self._line.abort()
        self.box.done(0)

    def ask(self) -> str:
        """Returns the answer once there is one."""
        if not self.answer:
            self.box.exec()
        self._line.abort()  # the request is withdrawn, so it is not opened later
        return self.answer
