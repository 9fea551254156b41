"""Covers a part of the window that answers a question, until the question is answered."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from tokenarium.style.fonts import TEXT_SIZE, ui_font
from tokenarium.style.themed import Themed

SAID = "Shown with your answer"

ANY_SIZE = 1 << 14
"""Pixels: larger than any widget, whose size it need not follow."""


class Veil(Themed, QWidget):
    """Lies over a widget, of any size, and takes its clicks; ``says``: the middle says when it goes."""

    def __init__(self, covered: QWidget, says: bool = True) -> None:
        super().__init__(covered)
        self.says = says
        self.setAccessibleName(SAID)
        self.setGeometry(0, 0, ANY_SIZE, ANY_SIZE)
        self.hide()

    def cover(self, covers: bool) -> None:
        """Covers the widget, or shows it."""
        self.setVisible(covers)
        if covers:
            self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), self.theme.surface)
        if self.says:
            painter.setFont(ui_font(TEXT_SIZE))
            painter.setPen(self.theme.dim)
            seen = self.visibleRegion().boundingRect()
            painter.drawText(seen, Qt.AlignmentFlag.AlignCenter, SAID)
        painter.end()


def cover(widget: QWidget, covers: bool) -> None:
    """Covers all of a widget, or shows it."""
    veil = next((child for child in widget.children() if isinstance(child, Veil)), None)
    if veil is None and covers:
        veil = Veil(widget)
    if veil is not None:
        veil.cover(covers)
