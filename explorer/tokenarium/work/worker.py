"""Runs a function in a process of its own, for work of libraries that would block the window."""

from __future__ import annotations

import contextlib
import errno
import os
import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from tokenarium.models.fault_notes import note_of
from tokenarium.models.faults import note_fault, reported
from tokenarium.models.progress_reporter import STOP, ProgressReporter
from tokenarium.work.child_process import end_with_parent, how_it_ended
from tokenarium_core import TokenariumError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

REAP_MS = 500
"""How long after its end a killed process is taken off the system's list."""

POLL_MS = 30
"""How often messages of the process are read."""

SMALL = 16_000
"""Bytes of arguments that fit into a pipe without waiting."""

NICE = 5
"""By how much the process has a lower priority than the window."""

STOP_MS = 8000
"""How long a process that was asked to stop may take to return what it has."""


Work = Callable[..., object]
"""``work(report, *arguments)``, a function of a module, reports by a `ProgressReporter` and returns its result."""


class Worker(QObject):
    """One run of one function in a process of its own; ends with exactly one of its last three signals.

    A TokenariumError of the function becomes the sentence of ``failed``.
    """

    progressed = Signal(object)
    finished = Signal(object)
    failed = Signal(str)
    cancelled = Signal()

    def __init__(self, work: Work, *arguments: object, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work = work
        self._arguments = arguments
        self._handed_over: bytes | Path | None = None
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._poll = QTimer(self)
        self._poll.setInterval(POLL_MS)
        self._poll.timeout.connect(self._look)

    @property
    def running(self) -> bool:
        """Whether the process runs."""
        return self._process is not None

    def start(self) -> None:
        """Starts a fresh process, which knows only the arguments."""
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        try:
            self._handed_over = _handed_over(self._arguments)
            process = context.Process(
                target=_run, args=(theirs, self._work, self._handed_over), daemon=True
            )
            process.start()
        except OSError as error:
            self._pipe.close()
            self._pipe = None
            _remove(self._handed_over)
            reason = error.strerror or str(error)
            sentence = f"The system cannot start a process for this: {reason}. Close other programs, and try again."
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                sentence = f"There is no room to begin: {reason}."
            # In the next turn: the caller learns of the end only after this call has returned.
            QTimer.singleShot(0, self, lambda: self.failed.emit(sentence))
            return
        finally:
            theirs.close()
        self._process = process
        self._poll.start()

    def ask_to_stop(self, patience_ms: int = STOP_MS) -> None:
        """Asks the work to stop and return what it has; if that takes too long, it is cancelled."""
        if self._pipe is not None:
            self.send(STOP)
            asked = self._process
            QTimer.singleShot(
                patience_ms, self, lambda: self.cancel() if self._process is asked else None
            )

    def send(self, wish: object) -> None:
        """Sends the work something that it may look at (`ProgressReporter.wish`): a small object, in a few bytes."""
        if self._pipe is not None:
            with contextlib.suppress(OSError):
                self._pipe.send(wish)

    def cancel(self) -> None:
        """Ends the process at once; does nothing if none runs."""
        if self._process is not None:
            self._end()
            self.cancelled.emit()

    def _look(self) -> None:
        while self._pipe is not None and self._pipe.poll():
            try:
                kind, message = self._pipe.recv()
            except (EOFError, OSError):  # an OSError: within a message, or before it was read
                self.failed.emit(_ending(self._end(patience=0.5)))
                return
            except Exception as error:  # what was sent cannot be made again here: a fault of ours
                self._end()
                self.failed.emit(str(reported(error)))
                return
            if kind == "progress":
                self.progressed.emit(message)
                continue
            if kind == "noted":
                note_fault(message)
                continue
            self._end()
            (self.finished if kind == "finished" else self.failed).emit(message)

    def _end(self, patience: float = 0.0) -> int | None:
        """Ends the process; returns its exit code if it ended by itself within some seconds."""
        import multiprocessing

        self._poll.stop()
        process, self._process = self._process, None
        pipe, self._pipe = self._pipe, None
        assert process is not None
        assert pipe is not None
        pipe.close()
        process.join(patience)
        process.kill()
        _remove(self._handed_over)
        # The system needs some time to free its memory, for which the window should not wait.
        QTimer.singleShot(REAP_MS, multiprocessing.active_children)
        return process.exitcode


def _ending(code: int | None) -> str:
    """Returns why a process ended that sent no reason."""
    how = how_it_ended(code)
    if code is None or code >= 0:
        return f"The work ended early ({how}). Try again."
    reason = " The usual cause is lack of memory." if how == "SIGKILL" else ""
    return f"The work was ended from outside ({how}).{reason} Nothing else is lost."


def _handed_over(arguments: tuple[object, ...]) -> bytes | Path:
    """Returns the arguments as the process gets them: large ones in a private file; OSError without room.

    To send a long text through a pipe would block the window.
    """
    data = pickle.dumps(arguments)
    if len(data) <= SMALL:
        return data
    file, path = tempfile.mkstemp(prefix="tokenarium-", suffix=".request")
    try:
        with os.fdopen(file, "wb") as opened:
            opened.write(data)
    except OSError:
        _remove(Path(path))
        raise
    return Path(path)


def _taken(handed_over: bytes | Path) -> tuple[Any, ...]:
    """Returns the arguments that `_handed_over` has sent."""
    data = handed_over
    if isinstance(data, Path):
        data = data.read_bytes()
        _remove(handed_over)
    arguments: tuple[Any, ...] = pickle.loads(data)
    return arguments


def _remove(handed_over: bytes | Path | None) -> None:
    if isinstance(handed_over, Path):
        with contextlib.suppress(OSError):
            handed_over.unlink()


def _run(pipe: Connection, work: Work, handed_over: bytes | Path) -> None:
    """Runs in the process."""
    end_with_parent()
    if hasattr(os, "nice"):
        os.nice(NICE)  # so that the window goes first where all cores are busy
    try:
        made = work(ProgressReporter(pipe), *_taken(handed_over))
    except TokenariumError as error:
        pipe.send(("failed", str(error)))
    except MemoryError:
        pipe.send(("failed", "There is not enough memory for this. Ask for less, and try again."))
    except BaseException as error:  # or a panic of a library's compiled code
        with contextlib.suppress(OSError):  # the window may be closed by now
            pipe.send(("noted", note_of(error)))
            pipe.send(("failed", f"It went wrong: {type(error).__name__}: {error}."))
    else:
        pipe.send(("finished", made))
