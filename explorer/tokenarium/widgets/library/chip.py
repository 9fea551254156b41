"""The small square that stands for a tokenizer, in its colour."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

SIZE = 12
ICON_SIZE = 16
"""Of Qt's small icons: what is smaller would be drawn larger."""


def paint_chip(painter: QPainter, rect: QRectF, colour: QColor) -> None:
    """Paints the square."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRoundedRect(rect, 3, 3)
    painter.restore()


def chip_icon(colour: QColor) -> QPixmap:
    """Returns the square as an icon, sharp on dense screens too, with a gap to the name behind it."""
    pixmap = QPixmap(ICON_SIZE * 2, ICON_SIZE * 2)
    pixmap.setDevicePixelRatio(2)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    paint_chip(painter, QRectF(0, (ICON_SIZE - SIZE) / 2, SIZE, SIZE), colour)
    painter.end()
    return pixmap


class ColourChip(QWidget):
    """The square as a widget of its own."""

    def __init__(self, colour: QColor, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colour = colour
        self.setFixedSize(SIZE, SIZE)

    def set_colour(self, colour: QColor) -> None:
        """Changes the colour, as when light turns to dark."""
        self._colour = colour
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_chip(painter, QRectF(self.rect()), self._colour)
        painter.end()
