"""The ring around a drawing that has the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from tokenarium.theme import Theme

RING = 2
"""Pixels of the ring's line."""


def paint_focus_ring(
    painter: QPainter, widget: QWidget, theme: Theme, rect: QRect | None = None
) -> None:
    """Paints the ring at the edge of a rectangle, by default of the widget, where the widget has the focus."""
    if not widget.hasFocus():
        return
    edge = widget.rect() if rect is None else rect
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(QPen(theme.accent, RING))
    painter.drawRect(edge.adjusted(RING // 2, RING // 2, -RING // 2, -RING // 2))
    painter.restore()
