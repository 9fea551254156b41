"""The controls of the page of sizes: a slider that moves evenly on the chosen scale, and the number beside it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QWidget

from tokenarium.models.merges.size_scale import SizeScale
from tokenarium.style.theme import GRID, Theme
from tokenarium.widgets.panel import named
from tokenarium.widgets.players.transport import TrackSlider, Transport

PLACES = 4096
"""How many places the slider itself has: more than a screen has pixels."""

PAGES = 20
"""Page keys move by so many parts of the scale."""

_ONE = {Qt.Key.Key_Left: -1, Qt.Key.Key_Down: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: 1}
_PAGE = {Qt.Key.Key_PageDown: -1, Qt.Key.Key_PageUp: 1}


class SizeSlider(TrackSlider):
    """Emits ``moved`` with the size that somebody goes to: arrows by one merge, page keys by a twentieth."""

    moved = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scale = SizeScale()
        self._size = 1
        self.setRange(0, PLACES)
        self.setPageStep(PLACES // PAGES)
        self.setAccessibleName("Vocabulary size")
        self.setToolTip("Drag, or press the arrow keys: one merge; Page Up and Down: a twentieth")
        self.valueChanged.connect(self._move)

    @property
    def size_shown(self) -> int:
        """The size at which it stands, exactly."""
        return self._size

    def show_size(self, size: int, scale: SizeScale) -> None:
        """Stands at a size; emits nothing."""
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
    """Emits ``moved`` with the vocabulary size that somebody goes to."""

    def __init__(
        self,
        actions: Sequence[tuple[QAction, str]],
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        self.slider = SizeSlider()
        super().__init__(actions, theme, parent, self.slider)
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
        self.slider.moved.connect(self.moved)
        self.number.valueChanged.connect(self.moved)

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
