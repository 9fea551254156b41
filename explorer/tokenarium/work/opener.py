"""Opens the tokenizers of the library, one per turn of the event loop, so that the window stays responsive.

A large file is first prepared in a process of its own, which keeps the result on disk; the window then only
loads that, and so does every later start.
"""

from __future__ import annotations

import gc
import os
from pathlib import Path
from threading import Thread

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

import tokenarium_core as tc
from tokenarium.models.faults import reported
from tokenarium.models.text.lost_text import text_loss
from tokenarium.models.text.superword_ids import superword_ids
from tokenarium.models.tokenizers.library import REGISTERED, LibraryItem, LibraryModel, State
from tokenarium.models.tokenizers.offers import away_sentence, is_here, offer_of
from tokenarium.work.child_process import program_module
from tokenarium.work.opening_worker import (
    MEGABYTES,
    NO_MEMORY,
    NOT_AVAILABLE,
    REFUSED,
    SECONDS,
)
from tokenarium_core import tokenizer_cache
from tokenarium_core.formats import archive_kind, in_folder
from tokenarium_core.formats.opening import cached_digest

WORKER = "tokenarium.work.opening_worker"
"""The module that prepares a file; it calls `end_with_parent` first."""

LOADING_MS = 5
"""Milliseconds between two looks at a file that is being loaded."""

PATIENCE_MS = 20_000
"""How long it may take by the clock, which a busy computer or a network may make longer than the worker computes."""

TOO_MUCH = (
    f"Opening it takes more than {SECONDS} s or {MEGABYTES // 1024} GB, or crashes the process that does it:"
    " no tokenizer does that. Check where the file comes from."
)


class Opener(QObject):
    """The tokenizers that wait to be opened."""

    trying = Signal(object)  # the item that will be opened now
    opened = Signal(object, str)  # the item, and what went wrong (empty: it is open)

    def __init__(self, library: LibraryModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._waiting: list[LibraryItem] = []
        self._large: list[LibraryItem] = []
        self._prepared: list[LibraryItem] = []  # by a process
        self._tried: list[tuple[LibraryItem, tc.Tokenizer | tc.TokenariumError]] = []
        self._process: QProcess | None = None
        self._loading: _Loading | None = None
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE_MS)
        self._patience.timeout.connect(self._lose_patience)
        self._turn = QTimer(self)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._next)

    @property
    def busy(self) -> bool:
        """Whether tokenizers still wait to be opened."""
        return bool(self._waiting or self._large or self._prepared or self._tried or self._loading)

    @property
    def preparing(self) -> int:
        """The id of the process that prepares a large file; 0 if none runs."""
        return self._process.processId() if self._process is not None else 0

    def open_soon(self, item: LibraryItem) -> None:
        """Opens a tokenizer when its turn comes."""
        self._library.set_state(item, State.OPENING)
        self._waiting.append(item)
        self._turn.start()

    def stop(self) -> None:
        """Forgets the waiting tokenizers, as when the window closes."""
        self._waiting.clear()
        self._large.clear()
        self._prepared.clear()
        self._tried.clear()
        if self._loading is not None:
            self._loading.result()
            self._loading = None
        self._patience.stop()
        if self._process is not None:
            process, self._process = self._process, None
            process.blockSignals(True)
            process.kill()
            process.waitForFinished(1000)

    def _next(self) -> None:
        loading = self._loading
        if loading is not None:
            if loading.is_alive():
                return
            self._loading = None
            self._turn.setInterval(0)
            result = loading.result()
            if result is None:
                self._large.append(loading.item)
                self._work_out()
            else:
                self._tried.append((loading.item, result))
        if self._tried:
            self._report(*self._tried.pop(0))
            return
        if self._prepared:
            self._load(self._prepared.pop(0), only_stored=False)
            return
        if not self._waiting:
            self._turn.stop()
            return
        item = self._waiting.pop(0)
        if _is_large(item):
            self._load(item, only_stored=True)
        else:
            self._open(item)

    def _work_out(self) -> None:
        """Starts the process for the first of the large files, if none runs."""
        if self._process is not None or not self._large:
            return
        item = self._large[0]
        process = self._process = QProcess(self)
        self.trying.emit(item)
        process.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
        process.finished.connect(lambda code, status: self._worked_out(item, code, status))
        process.errorOccurred.connect(
            lambda error: (
                self._worked_out(item, 0, QProcess.ExitStatus.NormalExit)  # without a process
                if error == QProcess.ProcessError.FailedToStart
                else None
            )
        )
        program, *arguments = program_module(WORKER)
        process.start(program, [*arguments, item.source])
        self._patience.start()

    def _worked_out(self, item: LibraryItem, code: int, status: QProcess.ExitStatus) -> None:
        """Opens what the process has prepared; if it failed, the item fails with the reason."""
        self._patience.stop()
        said = ""
        if self._process is not None:
            said = bytes(self._process.readAllStandardOutput().data()).decode("utf-8", "replace")
            self._process.deleteLater()
            self._process = None
        if item in self._large:
            self._large.remove(item)
            if status == QProcess.ExitStatus.CrashExit or code == NO_MEMORY:
                self._tried.append((item, tc.FormatError(TOO_MUCH)))
            elif code == NOT_AVAILABLE:
                self._tried.append((item, tc.NotAvailable(said)))
            elif code == REFUSED and said:
                self._tried.append((item, tc.FormatError(said)))
            else:
                self._prepared.append(item)
            self._turn.start()
        self._work_out()

    def _lose_patience(self) -> None:
        if self._process is not None:
            self._process.kill()

    def _open(self, item: LibraryItem) -> None:
        """Opens a tokenizer; it is reported in the next turn, since what follows takes as long again."""
        self.trying.emit(item)
        self._tried.append((item, _opened(item)))
        self._turn.start()

    def _load(self, item: LibraryItem, only_stored: bool) -> None:
        """Opens a large file in a thread; ``only_stored``: if an earlier start or another process has prepared it."""
        self.trying.emit(item)
        self._loading = _Loading(item, only_stored)
        self._turn.setInterval(LOADING_MS)
        self._turn.start()

    def _report(self, item: LibraryItem, result: tc.Tokenizer | tc.TokenariumError) -> None:
        problem = ""
        if isinstance(result, tc.Tokenizer):
            self._library.set_tokenizer(item, result)
        else:
            can_be_fetched = isinstance(result, tc.NotAvailable) and item.group.can_be_fetched
            problem = str(result)
            if can_be_fetched and not ((offer := offer_of(item.key)) and is_here(offer)):
                problem = away_sentence([item.display_name], [item.key])
            self._library.set_state(
                item, State.MISSING if can_be_fetched else State.FAILED, problem
            )
        self.opened.emit(item, problem)


class _Loading(Thread):
    """Opens a large file that is prepared: the core gives up the lock of the interpreter between its columns.

    With ``only_stored`` it does nothing for a file that is not, whose content has to be read to know that.

    No garbage is collected meanwhile: in this thread that might end widgets, which only their own thread may.
    """

    def __init__(self, item: LibraryItem, only_stored: bool) -> None:
        super().__init__(name="loading", daemon=True)
        self.item = item
        self._only_stored = only_stored
        self._result: tc.Tokenizer | tc.TokenariumError | None = None
        self._collects = gc.isenabled()
        gc.disable()
        self.start()

    def run(self) -> None:
        """Opens the file, and works out what the first tokens need of the whole vocabulary."""
        if self._only_stored and not _is_prepared(self.item):
            return
        self._result = _opened(self.item)
        if isinstance(self._result, tc.Tokenizer):
            text_loss(self._result)
            superword_ids(self._result)

    def result(self) -> tc.Tokenizer | tc.TokenariumError | None:
        """Returns the tokenizer, or what is wrong with it; None if it is not prepared. Waits for it if necessary."""
        self.join()
        if self._collects:
            gc.enable()
        return self._result


def _opened(item: LibraryItem) -> tc.Tokenizer | tc.TokenariumError:
    """Returns the tokenizer of an item, or what is wrong with its file."""
    return open_source(item.key, item.source, item.pattern)


def open_source(key: str, source: str, pattern: str) -> tc.Tokenizer | tc.TokenariumError:
    """Returns the tokenizer of a file, by what an item of the library says of it; or what is wrong with it."""
    try:
        if key.startswith(REGISTERED):  # only while its files are the registered ones
            from tokenarium.models.training.tokenizer_registry import open_registered

            return open_registered(key.removeprefix(REGISTERED))
        return tc.open(source, pattern=pattern or None)
    except PermissionError as error:
        return tc.NotAvailable(f"{source} cannot be read: {error.strerror}.")
    except MemoryError:
        return tc.FormatError(TOO_MUCH)
    except Exception as error:  # otherwise it would be "opening" forever
        return reported(error)


def _is_prepared(item: LibraryItem) -> bool:
    """Returns whether a large file is only loaded, since another process or an earlier start prepared it."""
    folder = tokenizer_cache.cache_folder()
    try:
        digest = cached_digest(Path(item.source)) if folder is not None else None
    except (OSError, tc.TokenariumError):  # opening it says what is wrong
        return False
    return digest is not None and folder is not None and tokenizer_cache.is_cached(digest, folder)


def _is_large(item: LibraryItem) -> bool:
    """Returns whether opening an item here might block the window."""
    if item.pattern:
        return False
    path = Path(item.source)
    try:
        file = in_folder(path) if os.path.isdir(path) else path
        if file is None or not os.path.isfile(file):
            return False
        # An archive is larger when it is unpacked.
        return tokenizer_cache.is_worth_caching(file) or bool(archive_kind(file))
    except OSError:  # opening it says what is wrong
        return False
