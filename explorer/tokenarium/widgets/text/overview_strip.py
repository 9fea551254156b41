"""A thin strip that stands for the whole text and shows where something is the matter in it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from tokenarium.style.theme import GRID


class OverviewStrip(QWidget):
    """Ticks at places of a text, from its start at the left to its end at the right."""

    picked = Signal(int)  # the number of the place nearest to a click

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(GRID)
        self._shares: npt.NDArray[np.float64] = np.empty(0)
        self._colour = QColor()
        self._current = -1

    def set_places(self, shares: npt.NDArray[np.float64], colour: QColor) -> None:
        """Shows sorted places, each a share (0 to 1) of the text's length."""
        self._shares, self._colour = shares, colour
        self._current = -1
        self.update()

    def set_current(self, place: int) -> None:
        """Shows one place stronger than the others; -1: none."""
        self._current = place
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if len(self._shares):
            share = event.position().x() / max(self.width(), 1)
            self.picked.emit(int(np.argmin(np.abs(self._shares - share))))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.palette().midlight())
        room = self.width() - 2
        # Places that fall on one pixel are one tick.
        for x in np.unique((self._shares * room).astype(np.int32)).tolist():
            painter.fillRect(x, 1, 2, self.height() - 2, self._colour)
        if 0 <= self._current < len(self._shares):
            x = int(self._shares[self._current] * room)
            painter.fillRect(x - 1, 0, 4, self.height(), self.palette().text())
        painter.end()
