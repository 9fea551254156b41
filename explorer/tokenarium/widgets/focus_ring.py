"""The ring around a drawing that has the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
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


def paint_keyboard_ring(widget: QWidget, rect: QRect) -> None:
    """Paints a ring within a rectangle of a widget that the keyboard, not the mouse, gave the focus.

    Qt's own is hardly seen around what is flat, most of all on dark panels.
    """
    by_keyboard = widget.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
    if not widget.hasFocus() or not by_keyboard:
        return
    painter = QPainter(widget)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(widget.palette().highlight().color(), RING))
    inset = RING / 2
    painter.drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), 3, 3)
    painter.end()
