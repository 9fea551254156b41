"""What the menu Play drives on the page Training: a place among the merges, and a clock."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from tokenarium.widgets.players.transport import STEP_MS


class TrainingPlayer(QObject):
    """Counts the merges that are shown, up to ``length``; goes on by itself while it plays."""

    moved = Signal(bool)  # whether it is the step next to the one before
    playing_changed = Signal(bool)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._position = self._length = 0
        self.speed = 1.0
        self._clock = QTimer(self)
        self._clock.timeout.connect(self._tick)

    @property
    def position(self) -> int:
        """How many merges are shown as made."""
        return self._position

    @property
    def length(self) -> int:
        """How many merges there are."""
        return self._length

    @property
    def playing(self) -> bool:
        """Whether it goes on by itself."""
        return self._clock.isActive()

    @property
    def pace_ms(self) -> int:
        """How long a step stays while it plays."""
        return max(1, round(STEP_MS / self.speed))

    def begin(self, length: int) -> None:
        """Stands at the beginning of another training."""
        self.pause()
        self._position, self._length = 0, length
        self.moved.emit(False)

    def set_speed(self, speed: float) -> None:
        """Plays so many times as fast as usual."""
        self.speed = speed
        self._clock.setInterval(self.pace_ms)

    def play(self) -> None:
        """Goes on by itself to the end; from the beginning where it is at the end."""
        if self._length == 0:
            return
        if self._position == self._length:
            self.go_to(0)
        self._clock.start(self.pace_ms)
        self.playing_changed.emit(True)

    def pause(self) -> None:
        """Stops where it is."""
        if self._clock.isActive():
            self._clock.stop()
            self.playing_changed.emit(False)

    def step(self, count: int) -> None:
        """Goes so many merges on, or back; it no longer plays."""
        self.go_to(self._position + count, by_hand=True)

    def go_to(self, position: int, by_hand: bool = False) -> None:
        """Shows so many merges as made."""
        if by_hand:
            self.pause()
        before, self._position = self._position, max(0, min(position, self._length))
        if self._position != before:
            self.moved.emit(abs(self._position - before) == 1)

    def _tick(self) -> None:
        self.go_to(self._position + 1)
        if self._position == self._length:
            self.pause()
