"""The ring around a drawing that has the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from tokenarium.style.theme import Theme

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


class RingOver(QWidget):
    """The ring over a scroll area, whose contents paint over all that the area itself could."""

    def __init__(self, area: QAbstractScrollArea, theme: Theme) -> None:
        super().__init__(area)
        self._area = area
        self._theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        area.installEventFilter(self)

    def set_theme(self, theme: Theme) -> None:
        """Paints in other colours."""
        self._theme = theme
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut, QEvent.Type.Resize):
            self.setGeometry(self._area.rect())
            self.setVisible(self._area.hasFocus())
            self.raise_()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QPen(self._theme.accent, RING))
        inset = RING // 2
        painter.drawRect(self.rect().adjusted(inset, inset, -inset, -inset))
        painter.end()
