"""The controls under a vocabulary size: a player's buttons, a slider, the size as a number, and the speed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QWidget

from tokenarium.models.merges.size_scale import SizeScale
from tokenarium.style.theme import GRID, Theme
from tokenarium.widgets.players.size_slider import SizeSlider
from tokenarium.widgets.players.transport import Transport


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
        self.number = QSpinBox()
        self.number.setAccessibleName("Vocabulary size in entries")
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
