"""Downloads the files of a tokenizer of the catalogue, and opens it once it has all of them."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from tokenarium.models.tokenizers.library import LibraryItem, State
from tokenarium.session.catalogue import published_files
from tokenarium.session.requests import Trouble
from tokenarium.session.session import Session

if TYPE_CHECKING:  # they load Qt's network, which a start without downloads does not need
    from PySide6.QtNetwork import QNetworkAccessManager

    from tokenarium.work.tokenizer_fetch import TokenizerFetch

NOT_ALLOWED = "Downloads are turned off. Allow them in the settings (Ctrl+,), or open a file from this computer."
"""The sentence if downloads are turned off."""


OFFLINE = "You are offline. {} {} not fetched; what is on this computer works without the network."
"""The sentence about files to download without a network: their names, and the verb."""


class Fetcher(QObject):
    """The downloads of the library, by the key of the tokenizer."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._library = session.library
        self._fetches: dict[str, TokenizerFetch] = {}
        self._waiting: dict[
            str, str
        ] = {}  # the names of tokenizers that could not be fetched without a network, by key

    @cached_property
    def _network(self) -> QNetworkAccessManager:
        from PySide6.QtNetwork import QNetworkAccessManager

        return QNetworkAccessManager(self)

    def fetch(self, key: str) -> None:
        """Downloads the missing or damaged files of a tokenizer, one after another, and turns it on."""
        item = self._library.item(key)
        if item is None or key in self._fetches:
            return
        if not self._session.downloads_allowed:
            self._session.problem.emit(NOT_ALLOWED)
            return
        self._waiting.pop(key, None)
        from tokenarium.work.tokenizer_fetch import TokenizerFetch

        fetch = TokenizerFetch(self._network, published_files(item), self)
        self._library.set_received(item, 0, fetch.total)
        if not fetch.nothing_to_do:
            self._library.set_state(item, State.FETCHING)
        self._fetches[key] = fetch

        def progressed(received: int, total: int) -> None:
            self._library.set_received(item, received, max(item.total, total))

        def finished() -> None:
            self._drop(item)
            self._complete(item)

        def failed(sentence: str, offline: bool) -> None:
            self._drop(item)
            if offline:
                self._say_offline(item, sentence)
                return
            self._library.set_state(item, State.MISSING, sentence)
            self._session.problem.emit(f"{item.display_name} was not fetched. {sentence}")

        def cancelled() -> None:
            self._drop(item)
            self._library.set_state(item, State.MISSING)

        fetch.progressed.connect(progressed)
        fetch.finished.connect(finished)
        fetch.failed.connect(failed)
        fetch.cancelled.connect(cancelled)
        fetch.start()

    def cancel(self, key: str) -> None:
        """Stops fetching a tokenizer."""
        fetch = self._fetches.get(key)
        if fetch is not None:
            fetch.cancel()

    def cancel_all(self) -> None:
        """Stops all downloads, as when the window closes."""
        for key in list(self._fetches):
            self.cancel(key)

    def _say_offline(self, item: LibraryItem, details: str) -> None:
        """Says once, for all requested tokenizers, that there is no network; they are tried again together."""
        self._library.set_state(item, State.MISSING, "You are offline. Try again later.")
        self._waiting[item.key] = item.name
        names = list(self._waiting.values())
        last = f" and {names[-1]}" if len(names) > 1 else names[-1]
        verb = "were" if len(names) > 1 else "was"
        sentence = OFFLINE.format(", ".join(names[:-1]) + last, verb)
        self._session.requests.ask(Trouble(sentence, details, self._try_again))

    def _try_again(self) -> None:
        self._session.problem.emit("")
        waiting, self._waiting = self._waiting, {}
        for key in waiting:
            self.fetch(key)

    def _drop(self, item: LibraryItem) -> None:
        fetch = self._fetches.pop(item.key, None)
        if fetch is not None:
            fetch.deleteLater()

    def _complete(self, item: LibraryItem) -> None:
        self._session.retry(item.key)
        for other in self._library:
            # Two encodings may be read from one file.
            if other.state is State.MISSING and all(
                os.path.isfile(path) for _, path in published_files(other)
            ):
                self._library.set_state(other, State.CLOSED)
