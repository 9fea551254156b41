"""Reports the progress of work in a process of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class ProgressReporter:
    """Sends partial results to the process that started the work, and knows whether to stop."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._stop = False

    def __call__(self, progress: object) -> None:
        """Reports a partial result."""
        self._pipe.send(("progress", progress))

    @property
    def asked_to_stop(self) -> bool:
        """Whether the work should stop soon and return what it has."""
        if not self._stop and self._pipe.poll():
            self._pipe.recv()
            self._stop = True
        return self._stop
