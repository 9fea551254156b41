"""The legend of a chart, and the signs of its series, which differ in shape and colour."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QWidget

from tokenarium.models.charts.chart import ChartCurve
from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.theme import GRID, Theme

LINE_WIDTH = 2
KEY_LINE = 2 * GRID

DOT = 3.5
"""Half of a sign's width in pixels."""

# The outline for each series in turn, as corners from the middle; None is a circle.
_SHAPES: tuple[tuple[tuple[float, float], ...] | None, ...] = (
    None,
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    ((0, -1.2), (1.2, 0.9), (-1.2, 0.9)),
    ((0, 1.2), (1.2, -0.9), (-1.2, -0.9)),
    ((-1.2, -0.5), (1.2, -0.5), (1.2, 0.5), (-1.2, 0.5)),
)


class PlotKey(QWidget):
    """Names after lines in their colours, or after their ``signs``, in as many rows as they need."""

    def __init__(self, theme: Theme, signs: bool = False) -> None:
        super().__init__()
        self._theme = theme
        self._signs = signs
        self._curves: Sequence[ChartCurve] = ()
        self.setFont(ui_font(SMALL_SIZE))
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Paints in other colours."""
        self._theme = theme
        self.update()

    def set_curves(self, curves: Sequence[ChartCurve]) -> None:
        """Lists other curves."""
        self._curves = curves
        self._fit()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Sets the height for the rows that the names need."""
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
        for number, (curve, place) in enumerate(zip(self._curves, self._places(), strict=True)):
            middle = place.center().y()
            if self._signs:
                at = QPointF(place.left() + GRID / 2, middle + 0.5)
                paint_sign(painter, number, at, self._theme.tokenizer(curve.colour))
            else:
                painter.setPen(curve_pen(self._theme, curve.colour, curve.dashed))
                painter.drawLine(place.left(), middle, place.left() + self._sign_width, middle)
            painter.setPen(self._theme.dim)
            name = place.adjusted(self._sign_width + GRID // 2, 0, GRID, 0)
            painter.drawText(name, flags, curve.title)
        painter.end()


def curve_pen(theme: Theme, colour: int, dashed: bool) -> QPen:
    """Returns the pen for the line of a curve."""
    style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
    pen = QPen(theme.tokenizer(colour), LINE_WIDTH, style)
    pen.setCosmetic(True)
    return pen


def paint_sign(
    painter: QPainter, place: int, at: QPointF, colour: QColor, outline: QColor | None = None
) -> None:
    """Paints the sign of the series with this number, centred at a point."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen if outline is None else QPen(outline, 1.2))
    painter.setBrush(colour)
    corners = _SHAPES[place % len(_SHAPES)]
    if corners is None:
        painter.drawEllipse(at, DOT, DOT)
    else:
        painter.drawPolygon(QPolygonF([at + QPointF(DOT * x, DOT * y) for x, y in corners]))
    painter.restore()
