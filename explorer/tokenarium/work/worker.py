"""Runs a function in a process of its own, for work of libraries that would make the window wait."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from tokenarium.work.child_process import end_with_parent
from tokenarium_core import TokenariumError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

REAP_MS = 500
"""After so long a process that was ended is taken off the system's list."""

POLL_MS = 30
"""How often the process is asked for news."""

NICE = 5
"""How much the system puts the process after the window."""

STOP_MS = 8000
"""So long a process may take to hand over what it has, after it was asked to stop."""


class Teller:
    """What the work tells by, and hears whether it should stop."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._stop = False

    def __call__(self, what: object) -> None:
        """Tells something on the way."""
        self._pipe.send(("told", what))

    @property
    def asked_to_stop(self) -> bool:
        """Whether it should stop soon, and return what it has so far."""
        if not self._stop and self._pipe.poll():
            self._pipe.recv()
            self._stop = True
        return self._stop


Work = Callable[..., object]
"""``work(tell, *arguments)`` tells on the way by a `Teller`, and returns what it made; a function of a module."""


class Worker(QObject):
    """One run of one function in a process of its own; ends with exactly one of its last three signals.

    Where the function raises a TokenariumError its message is the sentence that fails.
    """

    told = Signal(object)
    finished = Signal(object)
    failed = Signal(str)
    cancelled = Signal()

    def __init__(self, work: Work, *arguments: object, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work = work
        self._arguments = arguments
        self._process: BaseProcess | None = None
        self._news: Connection | None = None
        self._poll = QTimer(self)
        self._poll.setInterval(POLL_MS)
        self._poll.timeout.connect(self._look)

    @property
    def running(self) -> bool:
        """Whether the process runs."""
        return self._process is not None

    def start(self) -> None:
        """Starts the process. It begins afresh, and knows only the arguments (which should be small)."""
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        self._news, theirs = context.Pipe()
        process = context.Process(
            target=_run, args=(theirs, self._work, self._arguments), daemon=True
        )
        try:
            process.start()
        except OSError as error:
            self._news.close()
            self._news = None
            reason = error.strerror or str(error)
            sentence = f"The system starts no process for this: {reason}. Close other programs, and try again."
            # In the next turn: who starts it hears of its end when it goes on by itself.
            QTimer.singleShot(0, self, lambda: self.failed.emit(sentence))
            return
        finally:
            theirs.close()
        self._process = process
        self._poll.start()

    def ask_to_stop(self, patience_ms: int = STOP_MS) -> None:
        """Asks the work to stop and to hand over what it has; where it does not in time, it is cancelled."""
        if self._news is not None:
            with contextlib.suppress(OSError):
                self._news.send("stop")
            asked = self._process
            QTimer.singleShot(
                patience_ms, self, lambda: self.cancel() if self._process is asked else None
            )

    def cancel(self) -> None:
        """Ends the process where it stands; does nothing where none runs."""
        if self._process is not None:
            self._end()
            self.cancelled.emit()

    def _look(self) -> None:
        while self._news is not None and self._news.poll():
            try:
                kind, news = self._news.recv()
            except (
                EOFError,
                OSError,
            ):  # an OSError in the midst of a message, or before a question was read
                self.failed.emit(_ending(self._end(patience=0.5)))
                return
            if kind == "told":
                self.told.emit(news)
                continue
            self._end()
            (self.finished if kind == "finished" else self.failed).emit(news)

    def _end(self, patience: float = 0.0) -> int | None:
        """Ends the process; its exit code, where it has ended by itself within some seconds."""
        import multiprocessing

        self._poll.stop()
        process, self._process = self._process, None
        news, self._news = self._news, None
        assert process is not None
        assert news is not None
        news.close()
        process.join(patience)
        process.kill()
        # To take its memory back takes the system some time, for which the window should not wait.
        QTimer.singleShot(REAP_MS, multiprocessing.active_children)
        return process.exitcode


def _ending(code: int | None) -> str:
    """Returns why a process ended that did not say so itself."""
    if code is not None and code < 0:
        name = signal.Signals(-code).name if -code in list(signal.Signals) else f"signal {-code}"
        reason = " Most often that is because memory ran out." if name == "SIGKILL" else ""
        return f"The work was ended from outside ({name}).{reason} Nothing else is lost."
    return f"The work ended before its time (exit code {code}). Try again."


def _run(pipe: Connection, work: Work, arguments: tuple[Any, ...]) -> None:
    """What the process does."""
    end_with_parent()
    if hasattr(os, "nice"):
        os.nice(NICE)  # so that the window is not the one that waits where all cores are taken
    try:
        made = work(Teller(pipe), *arguments)
    except TokenariumError as error:
        pipe.send(("failed", str(error)))
    except MemoryError:
        pipe.send(("failed", "There is not enough memory for this. Ask for less, and try again."))
    except BaseException as error:  # also a panic of a library's compiled code
        pipe.send(("failed", f"It went wrong: {type(error).__name__}: {error}."))
    else:
        pipe.send(("finished", made))
