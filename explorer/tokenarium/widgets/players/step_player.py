"""A player of steps, which a timer advances while it plays."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

FRAME_MS = 16


class StepPlayer(QObject):
    """Shows ``position`` steps of ``length``; while it plays, its timer adds steps; see `due`."""

    moved = Signal(int)
    """The position has changed, by this many steps, back if negative."""
    playing_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None, interval: int = FRAME_MS) -> None:
        super().__init__(parent)
        self.position = self.length = 0
        self._clock = QElapsedTimer()
        self._timer = QTimer(self, interval=interval)
        self._timer.timeout.connect(self._tick)

    @property
    def playing(self) -> bool:
        """Whether it plays."""
        return self._timer.isActive()

    def begin(self, length: int, position: int = 0) -> None:
        """Starts with new steps, at one of them."""
        self.pause()
        self.position, self.length = position, length

    @property
    def interval(self) -> int:
        """Milliseconds between two steps while it plays."""
        return self._timer.interval()

    def set_interval(self, milliseconds: int) -> None:
        """Sets the interval of the timer."""
        self._timer.setInterval(milliseconds)

    def play(self) -> None:
        """Plays to the end; starts from the beginning if it is at the end."""
        if not self.length:
            return
        self.rewind()
        self._clock.start()
        self._timer.start()
        self.playing_changed.emit(True)

    def rewind(self) -> None:
        """Goes to the beginning, if it is at the end."""
        if self.position == self.length:
            self.go_to(0)

    def pause(self) -> None:
        """Stops at the current step."""
        if self.playing:
            self._timer.stop()
            self.playing_changed.emit(False)

    def toggle(self) -> None:
        """Plays, or stops playing."""
        if self.playing:
            self.pause()
        else:
            self.play()

    def step(self, count: int) -> None:
        """Moves by some steps, back if negative, and stops playing."""
        self.go_to(self.position + count, by_hand=True)

    def go_to(self, position: int, by_hand: bool = False) -> None:
        """Shows this many steps; ``by_hand``: and stops playing."""
        if by_hand:
            self.pause()
        before, self.position = self.position, max(0, min(position, self.length))
        if self.position != before:
            self.moved.emit(self.position - before)

    def due(self, milliseconds: int) -> int:
        """Returns how many steps must be shown after this time."""
        return 1

    def _tick(self) -> None:
        self.go_to(self.position + self.due(self._clock.restart()))
        if self.position == self.length:
            self.pause()
