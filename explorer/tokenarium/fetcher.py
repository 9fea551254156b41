"""Fetches the files of a named tokenizer into tiktoken's cache, and opens it when all have come."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtNetwork import QNetworkAccessManager

from tokenarium.download import Download
from tokenarium.models.library import Entry, Group, State
from tokenarium.session import Session
from tokenarium_core.named import NAMED, NamedEncoding, SourceFile, cache_path, missing_files


class Fetcher(QObject):
    """The downloads of the library, by the key of the tokenizer."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._network = QNetworkAccessManager(self)
        self._downloads: dict[str, Download] = {}

    def fetch(self, key: str) -> None:
        """Fetches what is missing of a tokenizer, one file after the other, and turns it on."""
        entry = self._session.library.entry(key)
        if entry is None or key in self._downloads:
            return
        if entry.group is not Group.OPENAI:
            self._session.retry(key)
            return
        encoding = NAMED[entry.source]
        entry.received = 0
        entry.total = sum(file.size for file in missing_files(encoding))
        self._next(entry, encoding, 0)

    def cancel(self, key: str) -> None:
        """Stops fetching a tokenizer."""
        download = self._downloads.get(key)
        if download is not None:
            download.cancel()

    def cancel_all(self) -> None:
        """Stops all downloads, as when the window closes."""
        for key in list(self._downloads):
            self.cancel(key)

    def _next(self, entry: Entry, encoding: NamedEncoding, before: int) -> None:
        missing = missing_files(encoding)
        if not missing:
            self._complete(entry)
            return
        file = missing[0]
        self._session.set_state(entry, State.FETCHING)
        download = Download(self._network, file.url, cache_path(file), file.sha256, self)
        self._downloads[entry.key] = download

        def progressed(received: int, total: int) -> None:
            entry.received = before + received
            entry.total = max(entry.total, before + max(total, received))
            self._session.library.refresh(entry)

        def finished() -> None:
            self._drop(entry)
            self._next(entry, encoding, before + _size(file))

        def failed(sentence: str) -> None:
            self._drop(entry)
            self._session.set_state(entry, State.MISSING, sentence)
            self._session.problem.emit(f"{entry.name} was not fetched. {sentence}")

        def cancelled() -> None:
            self._drop(entry)
            self._session.set_state(entry, State.MISSING)

        download.progressed.connect(progressed)
        download.finished.connect(finished)
        download.failed.connect(failed)
        download.cancelled.connect(cancelled)
        download.start()

    def _drop(self, entry: Entry) -> None:
        download = self._downloads.pop(entry.key, None)
        if download is not None:
            download.deleteLater()

    def _complete(self, entry: Entry) -> None:
        self._session.retry(entry.key)
        for other in self._session.library.group(Group.OPENAI):
            # Two encodings may be read from one file.
            if other.state is State.MISSING and not missing_files(NAMED[other.source]):
                self._session.set_state(other, State.CLOSED)


def _size(file: SourceFile) -> int:
    return cache_path(file).stat().st_size
