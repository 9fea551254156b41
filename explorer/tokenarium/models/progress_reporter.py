"""Reports the progress of work in a process of its own."""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from typing import TYPE_CHECKING

from tokenarium_core.progress import Progress

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


STOP = "stop"
"""The message that asks for an end."""


class StoppedWork(Exception):
    """Raised by what the progress of work is reported to, to end the work; finished parts of it are kept."""


ReportProgress = Callable[[Progress], object]
"""Called with the progress of work, which it may end by an exception."""

PARTS = 1000
"""What the whole of a `stage` is."""


def _parts(progress: Progress) -> tuple[type[Progress], tuple[str, int, int, bool]]:
    return Progress, (progress.phase, progress.done, progress.total, progress.finished)


copyreg.pickle(Progress, _parts)  # a compiled class has no way of its own between processes


def stage(name: str, share: float | None = None) -> Progress:
    """Returns the progress of work that is at a stage, with the share of all of it that is done, if that is known.

    >>> stage("Reading", 0.25).fraction
    0.25
    """
    if share is None:
        return Progress(name, 0, 0, False)
    return Progress(name, round(PARTS * share), PARTS, False)


class ProgressReporter:
    """Sends partial results to the process that started the work, and knows whether to stop."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._stop = False
        self._wish: object = None

    def __call__(self, progress: object) -> None:
        """Reports a partial result."""
        self._pipe.send(("progress", progress))

    @property
    def asked_to_stop(self) -> bool:
        """Whether the work should stop soon and return what it has."""
        self._read()
        return self._stop

    @property
    def wish(self) -> object:
        """What `Worker.send` has sent last; None before."""
        self._read()
        return self._wish

    def _read(self) -> None:
        while not self._stop and self._pipe.poll():
            message = self._pipe.recv()
            if message == STOP:
                self._stop = True
            else:
                self._wish = message
