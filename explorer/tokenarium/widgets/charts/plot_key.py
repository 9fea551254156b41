"""The legend of a chart, and the markers of its series, which differ in shape and colour."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from tokenarium.models.charts.chart import ChartCurve
from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.shapes import paint_marker
from tokenarium.style.theme import GRID, Identity, Theme
from tokenarium.style.themed import Themed

LINE_WIDTH = 2
KEY_LINE = 2 * GRID

DOT = 4.5
"""Half of a marker's width in pixels."""


class PlotKey(Themed, QWidget):
    """Names after lines in their colours, or after their ``signs``, in as many rows as they need."""

    def __init__(self, signs: bool = False) -> None:
        super().__init__()
        self._signs = signs
        self._curves: Sequence[ChartCurve] = ()
        self.setFont(ui_font(SMALL_SIZE))
        self.hide()

    def set_curves(self, curves: Sequence[ChartCurve]) -> None:
        """Replaces the curves."""
        self._curves = curves
        self.fit()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """Sets the height for the rows that the names need in its width."""
        lines = self._places()[-1].bottom() // KEY_LINE + 1 if self._curves else 1
        self.setFixedHeight(lines * KEY_LINE)

    @property
    def _sign_width(self) -> int:
        return GRID if self._signs else 2 * GRID

    def _places(self) -> list[QRect]:
        """The rectangle of each curve's line and name."""
        places, left, top = [], 0, 0
        for curve in self._curves:
            width = self._sign_width + GRID + self.fontMetrics().horizontalAdvance(curve.title)
            if left and left + width > self.width():
                left, top = 0, top + KEY_LINE
            places.append(QRect(left, top, width, KEY_LINE))
            left += width + GRID
        return places

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        flags = int(Qt.AlignmentFlag.AlignVCenter)
        for curve, place in zip(self._curves, self._places(), strict=True):
            middle = place.center().y()
            if self._signs:
                at = QPointF(place.left() + GRID / 2, middle + 0.5)
                paint_sign(painter, at, self.theme.identity(curve.colour))
            else:
                painter.setPen(curve_pen(self.theme, curve.colour, curve.dashed))
                painter.drawLine(place.left(), middle, place.left() + self._sign_width, middle)
                at = QPointF(place.left() + self._sign_width / 2, middle + 0.5)
                paint_sign(painter, at, self.theme.identity(curve.colour))
            painter.setPen(self.theme.dim)
            name = place.adjusted(self._sign_width + GRID // 2, 0, GRID, 0)
            painter.drawText(name, flags, curve.title)
        painter.end()


def curve_pen(theme: Theme, colour: int, dashed: bool) -> QPen:
    """Returns the pen for the line of a curve."""
    style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
    pen = QPen(theme.identity(colour).full, LINE_WIDTH, style)
    pen.setCosmetic(True)
    return pen


def paint_sign(painter: QPainter, at: QPointF, identity: Identity) -> None:
    """Paints the marker of a series, centred at a point."""
    paint_marker(painter, QRectF(at.x() - DOT, at.y() - DOT, 2 * DOT, 2 * DOT), identity)
