"""The position of a step among those of its lesson."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from tokenarium.style.themed import Themed


class StepBar(Themed, QWidget):
    """A segment for each step: past, current and future ones."""

    def __init__(self) -> None:
        super().__init__()
        self._at, self._count = 0, 1
        self.setFixedHeight(5)

    def show_place(self, at: int, count: int) -> None:
        """Shows the position of a step, from 0."""
        self._at, self._count = at, count
        self.setAccessibleName(f"Step {at + 1} of {count}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        width = (self.width() - 4 * (self._count - 1)) / self._count
        for place in range(self._count):
            colour = QColor(self.theme.accent if place <= self._at else self.theme.line)
            if place == self._at:
                colour.setAlpha(150)
            painter.setBrush(colour)
            painter.drawRoundedRect(QRectF(place * (width + 4), 0, width, 5), 2.5, 2.5)
        painter.end()
