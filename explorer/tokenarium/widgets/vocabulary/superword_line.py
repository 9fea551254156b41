"""The line at the foot of what stands for a superword, the same in every view."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from tokenarium.style.theme import Theme

LINE_HEIGHT = 2.0
"""Pixels."""


def superword_line(rect: QRectF, inset: float = 0.0) -> QRectF:
    """Returns where the line lies in a box; ``inset``: how far it stays away from rounded corners."""
    top = rect.bottom() - LINE_HEIGHT - (1 if inset else 0)
    return QRectF(rect.left() + inset, top, rect.width() - 2 * inset, LINE_HEIGHT)


def paint_superword_line(painter: QPainter, theme: Theme, rect: QRectF, inset: float = 4.0) -> None:
    """Paints the line into a box with rounded corners."""
    painter.fillRect(superword_line(rect, inset), theme.faint)
