"""Opens the tokenizers of the library, one a turn of the event loop, so that the window stays alive.

A large file is first worked out in a process of its own, which keeps the result on disk; the window then only
takes it up. From the next start on it is there already.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

import tokenarium_core as tc
from tokenarium.models.folders import cache_folder
from tokenarium.models.tokenizers.library import Entry, State
from tokenarium_core import frozen

PROTOBUF = "sentencepiece.sentencepiece_model_pb2"
"""What the core reads SentencePiece's files by."""

WORKER = "tokenarium.work.opening_worker"
"""The module that works a file out; it calls `end_with_parent` first."""


class Opener(QObject):
    """The tokenizers that wait to be opened."""

    opened = Signal(object, str)  # the entry, and what went wrong: empty where it is open

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: list[Entry] = []
        self._large: list[Entry] = []
        self._tried: list[tuple[Entry, tc.Tokenizer | tc.TokenariumError]] = []
        self._process: QProcess | None = None
        self._has_library = False
        self._turn = QTimer(self)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._next)

    @property
    def busy(self) -> bool:
        """Whether tokenizers still wait to be opened."""
        return bool(self._waiting or self._large or self._tried)

    def open_soon(self, entry: Entry) -> None:
        """Opens a tokenizer when its turn comes."""
        entry.state, entry.note = State.OPENING, ""
        self._waiting.append(entry)
        self._turn.start()

    def stop(self) -> None:
        """Forgets what waits, as when the window closes."""
        self._waiting.clear()
        self._large.clear()
        self._tried.clear()
        if self._process is not None:
            process, self._process = self._process, None
            process.blockSignals(True)
            process.kill()
            process.waitForFinished(1000)

    def _next(self) -> None:
        if self._tried:
            self._tell(*self._tried.pop(0))
            return
        if not self._waiting:
            self._turn.stop()
            return
        if not self._has_library and self._waiting[0].source.endswith((".model", ".spm")):
            # Loading it takes as long as opening a file, so it has a turn of its own.
            self._has_library = True
            with suppress(ImportError):  # the core says what is missing
                import_module(PROTOBUF)
            return
        entry = self._waiting.pop(0)
        if _takes_long(entry):
            self._large.append(entry)
            self._work_out()
        else:
            self._open(entry)

    def _work_out(self) -> None:
        """Starts the process for the first of the large files, where none runs."""
        if self._process is not None or not self._large:
            return
        entry = self._large[0]
        process = self._process = QProcess(self)
        process.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
        process.finished.connect(lambda *_: self._worked_out(entry))
        process.errorOccurred.connect(
            lambda error: (
                self._worked_out(entry) if error == QProcess.ProcessError.FailedToStart else None
            )
        )
        process.start(sys.executable, ["-m", WORKER, entry.source, str(cache_folder())])

    def _worked_out(self, entry: Entry) -> None:
        """Opens what the process has worked out; where it failed, from the file, whose faults are told then."""
        if self._process is not None:
            self._process.deleteLater()
            self._process = None
        if entry in self._large:
            self._large.remove(entry)
            self._open(entry)
        self._work_out()

    def _open(self, entry: Entry) -> None:
        """Opens a tokenizer; the next turn tells of it, since what follows takes the window as long again."""
        try:
            tokenizer = tc.open(entry.source, pattern=entry.pattern or None, cache=cache_folder())
        except tc.TokenariumError as error:
            self._tried.append((entry, error))
        else:
            self._tried.append((entry, tokenizer))
        self._turn.start()

    def _tell(self, entry: Entry, result: tc.Tokenizer | tc.TokenariumError) -> None:
        problem = ""
        if isinstance(result, tc.Tokenizer):
            entry.tokenizer, entry.state = result, State.OPEN
        else:
            can_be_fetched = isinstance(result, tc.NotAvailable) and entry.group.can_be_fetched
            entry.state = State.MISSING if can_be_fetched else State.FAILED
            entry.note, entry.on = str(result), False
            problem = str(result)
        self.opened.emit(entry, problem)


def _takes_long(entry: Entry) -> bool:
    """Tells whether opening an entry here would make the window wait."""
    if entry.pattern or getattr(sys, "frozen", False):  # a frozen app has no interpreter to start
        return False
    path = Path(entry.source)
    return (
        path.is_file()
        and frozen.is_worth_keeping(path)
        and not frozen.is_kept(path, cache_folder())
    )
