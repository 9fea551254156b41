"""Small windows above the others, rounded like menus, which close with Escape or a click outside."""

from __future__ import annotations

import re

from PySide6.QtCore import QMargins, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QDialog, QLabel, QWidget

from tokenarium.style.popups import cut_to, edge_colour, paint_over_card, shape_popup
from tokenarium.style.theme import CARD_RADIUS, GRID
from tokenarium.widgets.layouts import in_column

ARROW = GRID
"""Pixels of the height of the arrow of a note."""

NOTE_WIDTH = 360
"""Pixels of the widest note."""

_PARAGRAPH = re.compile(r"(?<=[^\n.:])\n(?=[^\n•–-])")

_INSET = 16  # pixels between the edge of a note and its text


class Popup(QDialog):
    """A popup with round corners and a border, as it has no system frame."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        shape_popup(self)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_over_card(painter, QRectF(self.rect()), self.palette())
        painter.end()


class Popover(QDialog):
    """A note with an arrow to its subject, such as the explanation of a term; any key closes it, too."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        text = _PARAGRAPH.sub(" ", text)  # a tooltip has line ends as in code
        self.setAccessibleName(text)
        self._above = False  # whether it is above its subject
        self._tip = 0.0  # the x of the arrow
        self.label = QLabel(text, wordWrap=True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        metrics = self.label.fontMetrics()
        rect = metrics.boundingRect(0, 0, NOTE_WIDTH, 10_000, Qt.TextFlag.TextWordWrap, text)
        self.label.setFixedSize(rect.width() + 2, rect.height())
        self._column = in_column(self.label, into=self)
        self._set_margins()

    def open_at(self, widget: QWidget, about: QRect) -> None:
        """Shows the note under a rectangle of a widget, or above it if there is too little room below."""
        window = widget.window().geometry()
        spot = QRect(widget.mapToGlobal(about.topLeft()), about.size())
        size = self.sizeHint()
        room = widget.screen().availableGeometry()
        self._above = spot.bottom() + size.height() > min(room.bottom(), window.bottom())
        self._above = self._above and spot.top() - size.height() > room.top()
        self._set_margins()
        middle = spot.center().x()
        right = max(room.left(), min(window.right(), room.right()) - size.width() - GRID)
        left = max(room.left(), min(middle - 3 * GRID, right))
        top = spot.top() - size.height() if self._above else spot.bottom() + 1
        self._tip = float(max(CARD_RADIUS + ARROW, min(middle - left, size.width() - 3 * GRID)))
        self.move(QPoint(left, top))
        self.resize(size)
        self.show()

    def _set_margins(self) -> None:
        below, above = (ARROW, 0) if self._above else (0, ARROW)
        self._column.setContentsMargins(QMargins(_INSET, 12 + above, _INSET, 12 + below))

    def _outline(self) -> QPainterPath:
        card = QRectF(self.rect()).adjusted(0, 0 if self._above else ARROW, 0, 0)
        if self._above:
            card.setBottom(card.bottom() - ARROW)
        path = QPainterPath()
        path.addRoundedRect(card, CARD_RADIUS, CARD_RADIUS)
        foot = card.bottom() - 1 if self._above else card.top() + 1
        head = self.height() if self._above else 0
        arrow = QPainterPath()
        ends = QPointF(self._tip - ARROW, foot), QPointF(self._tip + ARROW, foot)
        arrow.addPolygon(QPolygonF([ends[0], QPointF(self._tip, head), ends[1]]))
        arrow.closeSubpath()
        return path.united(arrow)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        cut_to(self, self._outline())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        outline = self._outline()
        painter.fillPath(outline, self.palette().base())
        painter.setClipPath(outline)
        painter.strokePath(outline, QPen(edge_colour(self.palette()), 2))
        painter.end()

    def keyPressEvent(self, event: object) -> None:
        self.close()

    def mousePressEvent(self, event: object) -> None:
        self.close()
