"""A player of steps that shows so many a second."""

from __future__ import annotations

from PySide6.QtCore import QObject

from tokenarium.widgets.players.step_player import StepPlayer


class TimedPlayer(StepPlayer):
    """Plays ``rate`` steps a second, of which only whole ones are shown."""

    def __init__(self, parent: QObject, rate: float) -> None:
        super().__init__(parent)
        self.rate = rate
        self._due = 0.0

    @property
    def pace(self) -> float:
        """How many steps are shown a second while it plays."""
        return self.rate

    def begin(self, length: int, position: int = 0) -> None:
        """Goes to a step of something else that has so many."""
        super().begin(length)
        self.position = position
        self.moved.emit(0)

    def play(self) -> None:
        self._due = 0.0
        super().play()

    def due(self, milliseconds: int) -> int:
        self._due += self.pace * milliseconds / 1000
        whole = int(self._due)
        self._due -= whole
        return whole
