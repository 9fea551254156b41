"""Plays through the sizes of a vocabulary, or steps from one size to the next at which a text changes."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from tokenarium.models.merges.size_cuts import SizeCuts
from tokenarium.models.merges.size_scale import SizeScale

SWEEP_S = 12.0
"""How long all sizes take at speed 1."""

FRAME_MS = 16


class SizePlayer(QObject):
    """Stands at a number of merges of ``cuts``, and keeps its own time while it plays.

    Playing moves evenly over ``scale``; a step goes to the next number of merges at which the text is cut otherwise.
    """

    moved = Signal(int)  # the number of merges
    stepped = Signal(int)  # by a step to where the text changes: the number of merges
    playing_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.cuts: SizeCuts | None = None
        self.scale = SizeScale()
        self.speed = 1.0
        self._number = 0
        self._share = 0.0
        self._clock = QElapsedTimer()
        self._timer = QTimer(self, interval=FRAME_MS)
        self._timer.timeout.connect(self._tick)

    @property
    def position(self) -> int:
        """The number of merges that is shown."""
        return self._number

    @property
    def length(self) -> int:
        """How many merges there are."""
        return self.cuts.merges if self.cuts is not None else 0

    @property
    def playing(self) -> bool:
        """Whether it goes on by itself."""
        return self._timer.isActive()

    def set_cuts(self, cuts: SizeCuts | None, number: int) -> None:
        """Takes the cuts of another text or vocabulary, and stands at a number of its merges."""
        self.cuts = cuts
        self._number = max(0, min(number, self.length))
        if cuts is None:
            self.pause()

    def play(self) -> None:
        """Goes on by itself to the whole vocabulary; from no merges where it is there."""
        if self.cuts is None or self.length == 0:
            return
        if self.position == self.length:
            self.go_to(0)
        self._share = self.scale.share(self.cuts.base + self.position)
        self._clock.start()
        self._timer.start()
        self.playing_changed.emit(True)

    def pause(self) -> None:
        """Stops where it is."""
        if self._timer.isActive():
            self._timer.stop()
            self.playing_changed.emit(False)

    def step(self, count: int) -> None:
        """Goes on, or back, by so many numbers at which the text changes; it no longer plays."""
        self.pause()
        if self.cuts is None:
            return
        number: int | None = self._number
        for _ in range(abs(count)):
            here = number if number is not None else self._number
            number = self.cuts.change_after(here) if count > 0 else self.cuts.change_before(here)
            if number is None:
                return
            self.go_to(number)
        self.stepped.emit(self._number)

    def go_to(self, position: int, by_hand: bool = False) -> None:
        """Shows the text by so many merges."""
        position = max(0, min(position, self.length))
        if by_hand:
            self.pause()
        if position != self._number:
            self._number = position
            self.moved.emit(position)

    def _tick(self) -> None:
        if self.cuts is None:
            return
        self._share += self._clock.restart() / 1000 / SWEEP_S * self.speed
        self.go_to(self.cuts.number(self.scale.size(self._share)))
        if self._share >= 1.0:
            self.pause()
