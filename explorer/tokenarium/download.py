"""Fetches one file over the network: with progress, cancel and a check of its SHA-256."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtNetwork import QNetworkAccessManager, QNetworkReply, QNetworkRequest


class Download(QObject):
    """One file on its way from a URL to a path; the path changes only when all of it has come whole.

    The bytes go to a temporary name beside the path and are hashed as they come. When the hash is
    the expected one the file is moved to its name, else it is thrown away.
    """

    progressed = Signal(object, object)  # bytes received, bytes in all (0: not known); beyond 2^31
    finished = Signal()
    failed = Signal(str)  # a sentence to show
    cancelled = Signal()

    STALLED_MS = 30_000

    def __init__(
        self,
        network: QNetworkAccessManager,
        url: str,
        path: Path,
        sha256: str,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._network = network
        self._url = url
        self._path = path
        self._sha256 = sha256
        self._hash = hashlib.sha256()
        self._reply: QNetworkReply | None = None
        self._file: int | None = None
        self._temporary = ""
        self._received = 0

    def start(self) -> None:
        """Begins; ends with exactly one of ``finished``, ``failed`` and ``cancelled``."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file, self._temporary = tempfile.mkstemp(
                prefix=self._path.name + ".", suffix=".tmp", dir=self._path.parent
            )
        except OSError as error:
            self.failed.emit(
                f"There is no room to keep the download: {self._path.parent} cannot be written "
                f"({error.strerror}). Choose another folder with TIKTOKEN_CACHE_DIR."
            )
            return
        request = QNetworkRequest(QUrl(self._url))
        request.setTransferTimeout(self.STALLED_MS)
        self._reply = self._network.get(request)
        self._reply.readyRead.connect(self._take)
        self._reply.downloadProgress.connect(self._report)
        self._reply.finished.connect(self._end)

    def cancel(self) -> None:
        """Stops and leaves nothing behind; does nothing once the download has ended."""
        reply = self._reply
        if reply is None:
            return
        self._close()
        reply.abort()
        self.cancelled.emit()

    def _take(self) -> None:
        if self._reply is None or self._file is None:
            return
        data = bytes(self._reply.readAll().data())
        self._hash.update(data)
        self._received += len(data)
        try:
            _write_all(self._file, data)
        except OSError as error:
            self._fail(
                f"The download could not be written to {self._path.parent}: {error.strerror}."
            )

    def _report(self, received: int, total: int) -> None:
        if self._reply is not None:
            self.progressed.emit(received, max(total, 0))

    def _end(self) -> None:
        reply = self._reply
        if reply is None:  # cancelled, or failed before
            return
        if reply.error() != QNetworkReply.NetworkError.NoError:
            self._fail(_network_sentence(reply, self._url, self._received))
            return
        self._take()
        if self._reply is None:
            return
        promised = reply.header(QNetworkRequest.KnownHeaders.ContentLengthHeader)
        if isinstance(promised, int) and promised != self._received:
            self._fail(
                f"The download from {self._url} broke off after {self._received:,} of {promised:,} "
                "bytes. Try again."
            )
            return
        if self._hash.hexdigest() != self._sha256:
            self._fail(
                f"The file from {self._url} is not the published one: its SHA-256 is "
                f"{self._hash.hexdigest()[:16]}… and should be {self._sha256[:16]}…. "
                "It was thrown away; try again, or check the network between you and the server."
            )
            return
        self._keep()

    def _keep(self) -> None:
        assert self._file is not None
        os.close(self._file)
        self._file = None
        try:
            os.replace(self._temporary, self._path)
        except OSError as error:
            self._fail(f"The download could not be moved to {self._path}: {error.strerror}.")
            return
        self._release()
        self.finished.emit()

    def _fail(self, sentence: str) -> None:
        reply = self._reply
        self._close()
        if reply is not None and reply.isRunning():
            reply.abort()
        self.failed.emit(sentence)

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
        with contextlib.suppress(OSError):
            os.remove(self._temporary)
        self._release()

    def _release(self) -> None:
        if self._reply is not None:
            self._reply.deleteLater()
            self._reply = None


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def _network_sentence(reply: QNetworkReply, url: str, received: int) -> str:
    status = reply.attribute(QNetworkRequest.Attribute.HttpStatusCodeAttribute)
    if isinstance(status, int) and status >= 400:
        return f"The server answered {status} to {url}. The file may have moved; try again later."
    if received:
        return f"The download from {url} broke off after {received:,} bytes. Try again."
    return f"{url} could not be reached: {reply.errorString()}. Check the network and try again."
