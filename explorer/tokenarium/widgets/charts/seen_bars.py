"""The bars of one series, of which only what is seen is painted: an SVG knows no clipping by the chart around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QBrush, QColor, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

MARK = 2.0
"""Pixels of a mark's width."""


class SeenBars(QGraphicsItem):
    """Bars, and upright marks on them, in the units of the axes; ``seen`` returns the part that the axes show."""

    def __init__(
        self,
        bars: Sequence[QRectF],
        colour: QColor,
        marks: Sequence[QLineF],
        mark_colour: QColor,
        seen: Callable[[], QRectF],
    ) -> None:
        super().__init__()
        self._bars = [bar.normalized() for bar in bars]  # a share that fell goes to the left
        self._brush = QBrush(colour)
        self._marks = marks
        self._pen = QPen(mark_colour, MARK)
        self._pen.setCosmetic(True)
        self._seen = seen
        self._bounds = QRectF()
        for bar in self._bars:
            self._bounds = self._bounds.united(bar)

    def boundingRect(self) -> QRectF:
        return self._bounds

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        seen = self._seen()
        for bar in self._bars:
            part = bar.intersected(seen)
            if part.isValid():
                painter.fillRect(part, self._brush)
        painter.setPen(self._pen)
        for mark in self._marks:
            top, bottom = max(mark.y1(), seen.top()), min(mark.y2(), seen.bottom())
            if top < bottom and seen.left() <= mark.x1() <= seen.right():
                painter.drawLine(QPointF(mark.x1(), top), QPointF(mark.x1(), bottom))
