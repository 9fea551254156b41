"""Plays through the sizes of a vocabulary, or steps to the next size that changes the text; with controls."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QWidget

from tokenarium.models.merges.size_cuts import SizeCuts
from tokenarium.models.merges.size_scale import SizeScale
from tokenarium.style.theme import GRID
from tokenarium.widgets.panel import named
from tokenarium.widgets.players.step_player import StepPlayer
from tokenarium.widgets.players.transport import TrackSlider, Transport

SWEEP_S = 12.0
"""Seconds for all sizes at speed 1."""


class SizePlayer(StepPlayer):
    """Shows a number of merges of ``cuts``.

    Playing moves evenly over ``scale``; a step goes to the next number of merges that changes the tokens of the text.
    """

    stepped = Signal(int)  # by a step: the number of merges

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.cuts: SizeCuts | None = None
        self.scale = SizeScale()
        self.speed = 1.0
        self._share = 0.0

    def set_cuts(self, cuts: SizeCuts | None, number: int) -> None:
        """Sets the cuts of a text and vocabulary, and the number of merges."""
        self.cuts = cuts
        self.length = cuts.merges if cuts is not None else 0
        self.position = max(0, min(number, self.length))
        if cuts is None:
            self.pause()

    def play(self) -> None:
        super().play()
        if self.cuts is not None:
            self._share = self.scale.share(self.cuts.base + self.position)

    def step(self, count: int) -> None:
        self.pause()
        if self.cuts is None:
            return
        number: int | None = self.position
        for _ in range(abs(count)):
            here = number if number is not None else self.position
            number = self.cuts.change_after(here) if count > 0 else self.cuts.change_before(here)
            if number is None:
                return
            self.go_to(number)
        self.stepped.emit(self.position)

    def due(self, milliseconds: int) -> int:
        self._share += milliseconds / 1000 / SWEEP_S * self.speed
        shown = self.cuts.number(self.scale.size(self._share)) if self.cuts is not None else 0
        return shown - self.position


PLACES = 4096
"""The number of positions of the slider: more than a screen has pixels."""

PAGES = 20
"""The page keys move by the scale divided by this number."""

_ONE = {Qt.Key.Key_Left: -1, Qt.Key.Key_Down: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: 1}
_PAGE = {Qt.Key.Key_PageDown: -1, Qt.Key.Key_PageUp: 1}


class SizeSlider(TrackSlider):
    """Emits ``moved`` with the chosen size: arrow keys move by one merge, page keys by a twentieth."""

    moved = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scale = SizeScale()
        self._size = 1
        self.setRange(0, PLACES)
        self.setPageStep(PLACES // PAGES)
        self.setAccessibleName("Vocabulary size")
        self.setToolTip(
            "Drag, or use the arrow keys for one merge, Page Up and Down for a twentieth"
        )
        self.valueChanged.connect(self._move)

    @property
    def size_shown(self) -> int:
        """The exact size of the slider."""
        return self._size

    def show_size(self, size: int, scale: SizeScale) -> None:
        """Shows a size; emits nothing."""
        self._size, self.scale = size, scale
        with QSignalBlocker(self):
            self.setValue(round(scale.share(size) * PLACES))
        self.setAccessibleDescription(f"{size:,} entries of {scale.least:,} to {scale.most:,}")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, scale = Qt.Key(event.key()), self.scale
        if key in _ONE:
            self._go(self._size + _ONE[key])
        elif key in _PAGE:
            self._go(scale.size(scale.share(self._size) + _PAGE[key] / PAGES))
        elif key == Qt.Key.Key_Home:
            self._go(scale.least)
        elif key == Qt.Key.Key_End:
            self._go(scale.most)
        else:
            super().keyPressEvent(event)

    def _move(self, place: int) -> None:
        self._go(self.scale.size(place / PLACES))

    def _go(self, size: int) -> None:
        self.moved.emit(max(self.scale.least, min(size, self.scale.most)))


class SizeBar(Transport):
    """Emits ``sized`` with the chosen vocabulary size."""

    sized = Signal(int)

    def __init__(
        self,
        actions: Sequence[tuple[QAction, str]],
        parent: QWidget | None = None,
    ) -> None:
        self.slider = SizeSlider()
        super().__init__(actions, parent, self.slider)
        self.count.hide()
        self.number = named(QSpinBox(), "Vocabulary size in entries")
        self.number.setToolTip("How many entries the vocabulary has")
        self.number.setGroupSeparatorShown(True)
        self.number.setKeyboardTracking(False)
        self.number.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.number.setMinimumWidth(13 * GRID)
        row = self.layout()
        assert isinstance(row, QHBoxLayout)
        row.insertWidget(row.indexOf(self.count), self.number)
        self.slider.moved.connect(self.sized)
        self.number.valueChanged.connect(self.sized)

    def show_size(self, size: int, scale: SizeScale) -> None:
        """Shows a size on a scale; emits nothing."""
        self.slider.show_size(size, scale)
        with QSignalBlocker(self.number):
            self.number.setRange(scale.least, scale.most)
            self.number.setValue(size)
        for control in (self.slider, self.number):
            control.setEnabled(scale.most > scale.least)

    @property
    def controls(self) -> list[QWidget]:
        return [*self.buttons, self.slider, self.number, self.speed]
