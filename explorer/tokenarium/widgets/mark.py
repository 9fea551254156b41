"""The mark of the app: in the window, and as its icon."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from tokenarium.pictures.app_icons import SMALL

SIZES = (16, 24, 32, 48, 64, 128, 256)
"""Pixels of the app's icon."""


@lru_cache(maxsize=4)
def _mark(small: bool, dark: bool) -> QIcon:
    name = f"logo{'-small' if small else ''}{'-dark' if dark else ''}.svg"
    return QIcon(str(resources.files("tokenarium.resources") / name))


def paint_mark(painter: QPainter, rect: QRect, dark: bool) -> None:
    """Paints the mark into a square, for a light or a dark ground."""
    # As sharp as the painter allows, as an audience sees it enlarged.
    ratio = max(1.0, painter.deviceTransform().m11())
    picture = _mark(rect.width() < SMALL, dark).pixmap(rect.size() * ratio, 1.0)
    painter.drawPixmap(rect, picture)


def app_icon() -> QIcon:
    """Returns the icon of the app and its windows, the same on light and dark."""
    icon = QIcon()
    for side in SIZES:
        pixmap = QPixmap(side, side)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        paint_mark(painter, QRect(0, 0, side, side), dark=False)
        painter.end()
        icon.addPixmap(pixmap)
    return icon


class MarkView(QWidget):
    """The mark as a widget."""

    def __init__(self, side: int = 32) -> None:
        super().__init__()
        self.set_size(side)

    def set_size(self, side: int) -> None:
        """Sets the side length in pixels."""
        self.setFixedSize(QSize(side, side))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_mark(painter, self.rect(), self.palette().window().color().lightness() < 128)
        painter.end()
