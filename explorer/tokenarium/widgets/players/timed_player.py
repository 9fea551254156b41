"""A player that shows a number of steps per second."""

from __future__ import annotations

from PySide6.QtCore import QObject

from tokenarium.widgets.players.step_player import FRAME_MS, StepPlayer


class TimedPlayer(StepPlayer):
    """Plays ``rate`` steps per second; only whole steps are shown."""

    def __init__(self, parent: QObject, rate: float, interval: int = FRAME_MS) -> None:
        super().__init__(parent, interval)
        self.rate = rate
        self._due = 0.0

    @property
    def pace(self) -> float:
        """The number of steps per second while it plays."""
        return self.rate

    def begin(self, length: int, position: int = 0) -> None:
        super().begin(length, position)
        self.moved.emit(0)

    def play(self) -> None:
        self._due = 0.0
        super().play()

    def due(self, milliseconds: int) -> int:
        self._due += self.pace * milliseconds / 1000
        whole = int(self._due)
        self._due -= whole
        return whole
