"""A treemap: the groups of a chart as rectangles, with areas proportional to their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)

from tokenarium.models.charts.chart import Chart, ChartCurve, GroupedBars
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, ui_font
from tokenarium.style.theme import GRID
from tokenarium.widgets.charts.chart_canvas import Canvas
from tokenarium.widgets.charts.group_canvas import GroupCanvas, GroupPlot, grouped
from tokenarium.widgets.keyboard import paint_focus_ring

Rectangle = tuple[float, float, float, float]
"""Left, top, width and height."""

LEAST_LETTERS = 3
"""The least characters of a shortened name."""


class TreemapPlot(GroupPlot):
    """A chart of one series of `GroupedBars` as a treemap; the arrow keys go through the groups."""

    @staticmethod
    def make_canvas() -> Canvas:
        return Treemap()

    def legend(self) -> Sequence[ChartCurve]:
        return ()  # its colours only separate the rectangles

    def _reading(self, chart: GroupedBars, place: int) -> str:
        bar = chart.series[0].bars[place]
        return bar.words if bar is not None else "none"


class Treemap(GroupCanvas):
    """The rectangles, the largest at the top left."""

    def __init__(self) -> None:
        super().__init__()
        self.places: list[QRectF] = []

    def show_chart(self, chart: Chart) -> None:
        self._chart = grouped(chart)
        self._go_to(None)
        self._lay()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay()

    def _lay(self) -> None:
        if self._chart is None:
            return
        areas = [bar.end if bar is not None else 0.0 for bar in self._chart.series[0].bars]
        bounds = (0.0, 0.0, float(self.width()), float(self.height()))
        self.places = [QRectF(*place) for place in squarify(areas, bounds)]
        self.update()

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.surface)
        if self._chart is not None:
            for number, place in enumerate(self.places):
                self._paint(painter, self._chart, number, place)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for marked, width in ((self.current, 2), (self.chosen, 3)):
            if marked is not None and marked < len(self.places):
                painter.setPen(QPen(self.theme.accent, width))
                painter.drawRect(self.places[marked].adjusted(1, 1, -2, -2))
        if self.current is None:
            paint_focus_ring(painter, self, self.theme)
        painter.end()

    def _paint(self, painter: QPainter, chart: GroupedBars, number: int, place: QRectF) -> None:
        gap = 1 if min(place.width(), place.height()) > 3 else 0
        tokens = self.theme.tokens
        painter.fillRect(place.adjusted(0, 0, -gap, -gap), tokens[number % len(tokens)])
        inside = place.adjusted(GRID // 2, GRID // 4, -GRID // 2, -GRID // 4)
        painter.setPen(self.theme.ink)
        bar = chart.series[0].bars[number]
        words = bar.words if bar is not None else ""
        share = words.partition(", ")[2]
        top = inside.top()
        for sizes, texts in (
            ((TEXT_SIZE, SMALL_SIZE), (chart.names[number],)),
            ((SMALL_SIZE,), (words, share, share.partition(" of ")[0])),
        ):
            fitting = _fitting(sizes, texts, inside.width())
            if fitting is None:
                return
            size, text = fitting
            painter.setFont(ui_font(size))
            height = QFontMetrics(ui_font(size)).height()
            if top + height > inside.bottom() + 1:
                return
            line = QRectF(inside.left(), top, inside.width() + 1, height)
            painter.drawText(line, int(Qt.AlignmentFlag.AlignLeft), text)
            top += height

    # Reading and picking.

    def group_at(self, place: QPoint) -> int | None:
        numbers = (number for number, one in enumerate(self.places) if one.contains(QPointF(place)))
        return next(numbers, None)

    def _steps(self, last: int) -> Mapping[Qt.Key, int]:
        return {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}

    def _mark_current(self) -> None:
        self.update()


def _fitting(sizes: Sequence[int], texts: Sequence[str], width: float) -> tuple[int, str] | None:
    """Returns the first size and text that fit, or else a shortened text; None if that is too short."""
    for text in texts:
        for size in sizes:
            if QFontMetrics(ui_font(size)).horizontalAdvance(text) <= width:
                return size, text
    if len(texts) > 1:
        return None  # shortened numbers would be wrong
    metrics = QFontMetrics(ui_font(sizes[-1]))
    elided = metrics.elidedText(texts[-1], Qt.TextElideMode.ElideRight, int(width))
    return (sizes[-1], elided) if len(elided) > LEAST_LETTERS else None


def squarify(areas: Sequence[float], bounds: Rectangle) -> list[Rectangle]:
    """Returns rectangles with these areas, the largest first, which together fill the bounds.

    Rows are placed along the shorter side of the remaining rectangle; a row grows while its worst rectangle becomes
    squarer (Bruls, Huizing and van Wijk, "Squarified Treemaps", 2000). Areas may be in any unit; all are above 0.

    >>> squarify([3, 1], (0, 0, 4, 1))
    [(0, 0, 3.0, 1.0), (3.0, 0, 1.0, 1.0)]
    """
    left, top, width, height = bounds
    unit = width * height / sum(areas) if areas else 0.0
    rects: list[Rectangle] = []
    start = 0
    while start < len(areas):
        side = min(width, height)
        stop, filled = start + 1, areas[start] * unit
        worst = _worst(areas[start] * unit, areas[start] * unit, filled, side)
        while stop < len(areas):
            longer = filled + areas[stop] * unit
            next_worst = _worst(areas[start] * unit, areas[stop] * unit, longer, side)
            if next_worst > worst:
                break
            stop, filled, worst = stop + 1, longer, next_worst
        depth = filled / side if side else 0.0
        at = 0.0
        for area in areas[start:stop]:
            length = area * unit / depth if depth else 0.0
            if width >= height:
                rects.append((left, top + at, depth, length))
            else:
                rects.append((left + at, top, length, depth))
            at += length
        if width >= height:
            left, width = left + depth, max(width - depth, 0.0)
        else:
            top, height = top + depth, max(height - depth, 0.0)
        start = stop
    return rects


def _worst(largest: float, least: float, filled: float, side: float) -> float:
    """Returns the worst ratio of sides in a row with these largest and least areas."""
    if not filled or not side or not least:
        return float("inf")
    return max(side * side * largest / filled**2, filled**2 / (side * side * least))
