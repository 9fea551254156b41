"""Runs several functions, each in a frame of its own, so that the window stays responsive."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

FRAME_MS = 20
"""From the end of one to the next: at 60 frames a second the window is painted in between."""


class FrameQueue(QObject):
    """The functions that wait for their turn, in order."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._waiting: deque[Callable[[], object]] = deque()
        self._turn = QTimer(self)
        self._turn.setSingleShot(True)
        self._turn.setInterval(FRAME_MS)
        self._turn.timeout.connect(self._next)

    def add(self, *steps: Callable[[], object]) -> None:
        """Adds functions to the end of the queue."""
        self._waiting += steps
        if not self._turn.isActive():
            self._turn.start()

    @property
    def waiting(self) -> bool:
        """Whether any function waits."""
        return bool(self._waiting)

    def clear(self) -> None:
        """Forgets what waits."""
        self._waiting.clear()
        self._turn.stop()

    def finish(self) -> None:
        """Runs all that wait now, as when the window closes."""
        while self._waiting:
            self._waiting.popleft()()
        self._turn.stop()

    def _next(self) -> None:
        try:
            self._waiting.popleft()()
        finally:
            if self._waiting:
                self._turn.start()
