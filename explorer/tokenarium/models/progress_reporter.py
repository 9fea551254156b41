"""What work in a process of its own reports its progress by."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class ProgressReporter:
    """Sends what the work has so far to the process that started it, and hears whether it should stop."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._stop = False

    def __call__(self, progress: object) -> None:
        """Reports something on the way."""
        self._pipe.send(("progress", progress))

    @property
    def asked_to_stop(self) -> bool:
        """Whether the work should stop soon, and return what it has so far."""
        if not self._stop and self._pipe.poll():
            self._pipe.recv()
            self._stop = True
        return self._stop
