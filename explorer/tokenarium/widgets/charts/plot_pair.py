"""Two charts beside each other, or one below the other where there is no room for that."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from tokenarium.style.theme import GRID
from tokenarium.widgets.charts.plot import Plot

SIDE_BY_SIDE = 88 * GRID
"""Pixels that two charts take beside each other at least."""


class PlotPair(QWidget):
    """Lays out two charts by its own width."""

    def __init__(self, one: Plot, other: Plot) -> None:
        super().__init__()
        self._row = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(2 * GRID)
        self._row.addWidget(one, 1)
        self._row.addWidget(other, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        direction = QBoxLayout.Direction
        wide = self.width() >= SIDE_BY_SIDE
        self._row.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
