"""Fetches the files of one tokenizer, one after the other, as the library and the command line do."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtNetwork import QNetworkAccessManager

from tokenarium.resources.catalogue_index import PublishedFile
from tokenarium.work.download import Download
from tokenarium_core.plain_files import file_sha256


class TokenizerFetch(QObject):
    """The files of a tokenizer that are missing or damaged; those that are there and whole are left alone."""

    progressed = Signal(object, object)  # bytes received, bytes in all (0: unknown)
    finished = Signal()
    failed = Signal(str, bool)  # a sentence to show, and whether there is no network
    cancelled = Signal()

    def __init__(
        self,
        network: QNetworkAccessManager,
        files: list[tuple[PublishedFile, Path]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._network = network
        self._missing = [(file, path) for file, path in files if not is_intact(file, path)]
        self._before = 0
        self._download: Download | None = None
        self.total = sum(file.size for file, _ in self._missing)
        """Bytes to come, as far as they are known before."""

    @property
    def nothing_to_do(self) -> bool:
        """Whether all files are there."""
        return not self._missing

    def start(self) -> None:
        """Starts; ends with exactly one of ``finished``, ``failed`` and ``cancelled``."""
        if not self._missing:
            self.finished.emit()
            return
        file, path = self._missing[0]
        download = Download(self._network, file.url, path, file.sha256, file.size, self)
        self._download = download
        download.progressed.connect(self._progress)
        download.finished.connect(self._next)
        download.failed.connect(lambda sentence: self.failed.emit(sentence, download.offline))
        download.cancelled.connect(self.cancelled)
        download.start()

    def cancel(self) -> None:
        """Stops, and keeps what has come."""
        if self._download is not None:
            self._download.cancel()

    def _progress(self, received: int, total: int) -> None:
        most = max(self.total, self._before + max(total, received))
        self.progressed.emit(self._before + received, most)

    def _next(self) -> None:
        _, path = self._missing.pop(0)
        self._before += path.stat().st_size
        QTimer.singleShot(0, self.start)


def is_intact(file: PublishedFile, path: Path) -> bool:
    """Whether a file is there, and is the published one."""
    return file_sha256(path) == file.sha256
