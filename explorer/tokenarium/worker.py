"""Runs a function in a process of its own, for work of libraries that would make the window wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from tokenarium_core.errors import TokenariumError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

REAP_MS = 500
"""After so long a process that was ended is taken off the system's list."""

POLL_MS = 30
"""How often the process is asked for news."""

Work = Callable[..., object]
"""``work(tell, *arguments)`` tells on the way, and returns what it made; a function of a module."""


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
        self._news, theirs = context.Pipe(duplex=False)
        self._process = context.Process(
            target=_run, args=(theirs, self._work, self._arguments), daemon=True
        )
        self._process.start()
        theirs.close()
        self._poll.start()

    def cancel(self) -> None:
        """Ends the process where it stands; does nothing where none runs."""
        if self._process is not None:
            self._end()
            self.cancelled.emit()

    def _look(self) -> None:
        while self._news is not None and self._news.poll():
            try:
                kind, news = self._news.recv()
            except EOFError:
                code = self._end(patience=0.5)
                self.failed.emit(f"The work ended before its time (exit code {code}). Try again.")
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


def _run(news: Connection, work: Work, arguments: tuple[Any, ...]) -> None:
    """What the process does."""

    def tell(what: object) -> None:
        news.send(("told", what))

    try:
        made = work(tell, *arguments)
    except TokenariumError as error:
        news.send(("failed", str(error)))
    except BaseException as error:  # also a panic of a library's compiled code
        news.send(("failed", f"It went wrong: {type(error).__name__}: {error}."))
    else:
        news.send(("finished", made))
