"""A player that counts steps, by hand or by itself at a rate."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

FRAME_MS = 16
"""Milliseconds between two looks at how many steps are due."""


class TimedPlayer(QObject):
    """Counts the steps that are shown up to ``length``, by itself while it plays: ``rate`` steps a second."""

    moved = Signal(bool)  # whether it is one step from the last
    playing_changed = Signal(bool)

    def __init__(self, parent: QObject, rate: float) -> None:
        super().__init__(parent)
        self.position = self.length = 0
        self.rate = rate
        self._due = 0.0  # steps, of which only whole ones are shown
        self._passed = QElapsedTimer()
        self._clock = QTimer(self, interval=FRAME_MS)
        self._clock.timeout.connect(self._tick)

    @property
    def playing(self) -> bool:
        """Whether it plays."""
        return self._clock.isActive()

    @property
    def pace(self) -> float:
        """How many steps are shown a second while it plays."""
        return self.rate

    def begin(self, length: int, position: int = 0) -> None:
        """Goes to a step of something else that has so many."""
        self.pause()
        self.position, self.length = position, length
        self.moved.emit(False)

    def play(self) -> None:
        """Plays to the end, from the beginning if it is there."""
        if self.length == 0:
            return
        if self.position == self.length:
            self.go_to(0)
        self._due = 0.0
        self._passed.start()
        self._clock.start()
        self.playing_changed.emit(True)

    def pause(self) -> None:
        """Stops at the current step."""
        if self.playing:
            self._clock.stop()
            self.playing_changed.emit(False)

    def step(self, count: int) -> None:
        """Goes some steps on, or back, and stops playing."""
        self.go_to(self.position + count, by_hand=True)

    def go_to(self, position: int, by_hand: bool = False) -> None:
        """Shows what is there after this many steps."""
        if by_hand:
            self.pause()
        before, self.position = self.position, max(0, min(position, self.length))
        if self.position != before:
            self.moved.emit(abs(self.position - before) == 1)

    def _tick(self) -> None:
        self._due += self._passed.restart() * self.pace / 1000
        count = int(self._due)
        self._due -= count
        if count:
            self.go_to(self.position + count)
        if self.position == self.length:
            self.pause()
