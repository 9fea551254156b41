"""Bars of several series in groups, one below the other, which scroll and can be picked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor, log10
from typing import Any

from PySide6.QtCore import QLineF, QPoint, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QPen,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QGraphicsItem,
    QHBoxLayout,
    QScrollBar,
    QStyleOptionGraphicsItem,
    QWidget,
)

from tokenarium.models.charts.chart import BarSeries, Chart, GroupedBars
from tokenarium.models.merges.size_scale import round_step
from tokenarium.style.fonts import HEADING_SIZE, RAIL_SIZE, SMALL_SIZE, ui_font
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID, Theme
from tokenarium.widgets.charts.chart_canvas import Canvas, seen_view
from tokenarium.widgets.charts.group_canvas import GroupCanvas, GroupPlot, grouped
from tokenarium.widgets.keyboard import RING
from tokenarium.widgets.zoom_area import level_near, next_level

BAR = 8
"""Pixels of a bar's height."""

ROOM = 0.5 * GRID + GRID
"""Pixels between two groups."""

AXIS_HEIGHT = 6 * GRID
"""The least pixels of the axis with its title."""

MOST_TICKS = 10
"""The most ticks on the axis."""

HATCH = 5.0
"""Pixels from one stroke of a hatched part to the next."""

MARK = 2.0
"""Pixels of a mark's width."""

NAMES_WIDTH = 20 * GRID
"""The most pixels for the names."""


class BarPlot(GroupPlot):
    """A chart of `GroupedBars`, one group below the other; Up and Down go through them."""

    @staticmethod
    def make_canvas() -> Canvas:
        return BarCanvas()


class BarCanvas(GroupCanvas):
    """The bars and their axes; the current group is marked."""

    def __init__(self) -> None:
        super().__init__()
        import pyqtgraph

        self._graph: Any = pyqtgraph
        self._items: list[Any] = []
        self.view = seen_view()
        self.view.grid.setContentsMargins(GRID // 2, GRID // 2, GRID, GRID // 2)
        box = self.view.getViewBox()
        box.invertY(True)
        box.disableAutoRange()
        # The group under the pointer, and the chosen one.
        self._row, self._chosen_row = (self._region() for _ in range(2))
        for name in ("left", "bottom"):
            axis = self.view.getAxis(name)
            axis.enableAutoSIPrefix(False)
            axis.setZValue(-200)  # its grid is under the bars
            axis.setStyle(tickFont=ui_font(SMALL_SIZE), tickLength=0, hideOverlappingLabels=False)
        self.scroll_bar = QScrollBar(Qt.Orientation.Vertical)
        self.scroll_bar.setAccessibleName("Which of the groups are visible")
        self.scroll_bar.valueChanged.connect(self._show_rows)
        self._fit_soon = QTimer(self)
        self._fit_soon.setSingleShot(True)
        self._fit_soon.setInterval(0)
        self._fit_soon.timeout.connect(self._fit)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(RING, RING, RING, RING)
        layout.setSpacing(0)
        layout.addWidget(self.view, 1)
        layout.addWidget(self.scroll_bar)
        self.follow_theme()

    def _region(self) -> Any:
        region = self._graph.LinearRegionItem((0, 1), "horizontal", movable=False)
        region.setZValue(-10)
        region.hide()
        self.view.addItem(region, ignoreBounds=True)
        return region

    @property
    def row_height(self) -> float:
        """Pixels of a group."""
        series = len(self._chart.series) if self._chart is not None else 1
        return (max(series * BAR, 2 * GRID) + ROOM) * self._percent / 100

    def zoom_by(self, steps: int, _at: QPoint) -> None:
        """Makes the groups and their names some steps larger or smaller."""
        self._set_percent(next_level(self._percent, steps))

    def zoom_to(self, percent: float) -> None:
        """Sets the size of the groups and their names to the level nearest to a percentage."""
        self._set_percent(level_near(percent))

    def _set_percent(self, percent: int) -> None:
        top = self.scroll_bar.value() / self.row_height
        super()._set_percent(percent)
        if self._chart is not None:
            self.show_chart(self._chart)
            self.scroll_bar.setValue(round(top * self.row_height))

    @property
    def _name_font(self) -> QFont:
        return ui_font(max(RAIL_SIZE, min(round(SMALL_SIZE * self._percent / 100), HEADING_SIZE)))

    def show_chart(self, chart: Chart) -> None:
        before, chart = self._chart, grouped(chart)
        self._chart = chart
        if before is None or before.names != chart.names:
            self._go_to(None)
        for item in self._items:
            self.view.removeItem(item)
        self._items = []
        low, high = self._range(chart)
        for index, series in enumerate(chart.series):
            self._draw(chart, series, index, low)
        if chart.base is not None:
            line = self._graph.InfiniteLine(self._x(chart.base), pen=self.theme.dim)
            self._add(line)
        self.view.getViewBox().setXRange(low, high, padding=0)
        self._show_axes(chart, low, high)
        self._fit()

    def whole_height(self) -> int:
        rows = len(self._chart.names) if self._chart is not None else 0
        return ceil(rows * self.row_height) + AXIS_HEIGHT + 2 * RING

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def dress(self, theme: Theme) -> None:
        self.view.setBackground(theme.surface)
        for name in ("left", "bottom"):
            axis = self.view.getAxis(name)
            axis.setPen(theme.strong)
            axis.setTextPen(theme.ink if name == "left" else theme.dim)
        for region, share in ((self._row, 0.08), (self._chosen_row, 0.16)):
            region.setBrush(mix(theme.surface, theme.accent, share))
            region.setHoverBrush(mix(theme.surface, theme.accent, share))
            for line in region.lines:
                line.setPen(self._graph.mkPen(None))
        if self._chart is not None:
            self.show_chart(self._chart)

    # Drawing.

    def _draw(self, chart: GroupedBars, series: BarSeries, place: int, low: float) -> None:
        filled = 1 - ROOM / self.row_height * self._percent / 100
        height = filled / len(chart.series)
        bars, marks, hatched = [], [], []
        for group, bar in enumerate(series.bars):
            if bar is None:
                continue
            start = self._x(bar.start) if bar.start > 0 or not chart.x.logarithmic else low
            top = group + (1 - filled) / 2 + place * height
            bars.append(QRectF(start, top, self._x(bar.end) - start, height * 0.9))
            if bar.hatched is not None:
                at = max(self._x(bar.hatched), low) if bar.hatched > 0 else start
                hatched.append(QRectF(at, top, self._x(bar.end) - at, height * 0.9))
            if bar.mark is not None:
                middle = self._x(bar.mark)
                marks.append(QLineF(middle, top + height * 0.1, middle, top + height * 0.8))
        colour = self.theme.identity(series.colour).full
        if marks:
            colour = mix(self.theme.surface, colour, 0.55)
        seen, ground = self.view.getViewBox().viewRect, self.theme.surface
        self._add(SeenBars(bars, colour, marks, self.theme.ink, seen, hatched, ground))

    def _add(self, item: Any) -> None:
        self.view.addItem(item, ignoreBounds=True)
        self._items.append(item)

    def _x(self, value: float) -> float:
        logarithmic = self._chart is not None and self._chart.x.logarithmic
        return log10(value) if logarithmic else value

    def _range(self, chart: GroupedBars) -> tuple[float, float]:
        """Returns the ends of the visible horizontal axis."""
        values = [chart.base] if chart.base is not None else []
        for series in chart.series:
            values += [bar.end for bar in series.bars if bar is not None]
            values += [bar.start for bar in series.bars if bar is not None and bar.start > 0]
        if chart.x.logarithmic:
            powers = [log10(value) for value in values if value > 0] or [0.0]
            return floor(min(powers) - 0.01), max(powers) + 0.05 * (max(powers) - min(powers) + 0.5)
        low, high = min([0.0, *values]), max([0.0, *values])
        room = 0.04 * ((high - low) or 1)
        return low - (room if low < 0 else room / 4), high + room  # a tick at 0 has room

    def _show_axes(self, chart: GroupedBars, low: float, high: float) -> None:
        style = {"font-size": f"{SMALL_SIZE}px", "color": self.theme.dim.name()}
        bottom, left = self.view.getAxis("bottom"), self.view.getAxis("left")
        self.view.getAxis("bottom").setLabel(chart.x.label, **style)
        bottom.resizeEvent()  # otherwise the label keeps its old place
        if chart.x.logarithmic:
            steps = (1, 2, 5) if high - low < 2 else (1,)
            marks = [
                step * 10.0**power
                for power in range(floor(low), ceil(high) + 1)
                for step in steps
                if low <= log10(step * 10.0**power) <= high
            ]
            bottom.setTicks([[(log10(mark), f"{mark:,g}") for mark in marks]])
        else:
            step = round_step(high - low, MOST_TICKS)
            places = [number * step for number in range(ceil(low / step), floor(high / step) + 1)]
            bottom.setTicks([[(place, f"{place:,g}".replace("-", "−")) for place in places]])
        bottom.setGrid(60)
        font = self._name_font
        left.setStyle(tickFont=font)
        metrics = QFontMetrics(font)
        widest = max(metrics.horizontalAdvance(name) for name in chart.names) + GRID // 2
        width = min(widest, round(NAMES_WIDTH * max(self._percent, 100) / 100))
        elided = (
            metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, width) for name in chart.names
        )
        left.setWidth(width + 2 * GRID)
        left.setTicks([[(index + 0.5, name) for index, name in enumerate(elided)]])

    # Which rows are visible.

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_soon.start()  # after the view is laid out

    def _fit(self) -> None:
        chart = self._chart
        if chart is None:
            return
        height = self.view.getViewBox().height()
        hidden = ceil(len(chart.names) * self.row_height - height)
        self.scroll_bar.setRange(0, max(hidden, 0))
        self.scroll_bar.setPageStep(max(int(height), 1))
        self.scroll_bar.setSingleStep(int(self.row_height))
        self.scroll_bar.setVisible(hidden > 0)
        self._show_rows()

    def _show_rows(self) -> None:
        top = self.scroll_bar.value() / self.row_height
        rows = max(self.view.getViewBox().height(), 1) / self.row_height
        self.view.getViewBox().setYRange(top, top + rows, padding=0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.pixelDelta().y() or event.angleDelta().y() / 2
        self.scroll_bar.setValue(round(self.scroll_bar.value() - steps))
        event.accept()

    # Reading and picking.

    def group_at(self, place: QPoint) -> int | None:
        if self._chart is None:
            return None
        scene = self.view.mapToScene(self.view.mapFrom(self, place))
        row = floor(self.view.getViewBox().mapSceneToView(QPointF(scene)).y())
        seen = scene.y() < self.view.getViewBox().sceneBoundingRect().bottom()
        return row if seen and 0 <= row < len(self._chart.names) else None

    def _steps(self, last: int) -> Mapping[Qt.Key, int]:
        page = max(1, int(self.scroll_bar.pageStep() / self.row_height))
        return {
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_PageUp: -page,
            Qt.Key.Key_PageDown: page,
        }

    def _mark_current(self) -> None:
        for region, place in ((self._row, self.current), (self._chosen_row, self.chosen)):
            region.setVisible(place is not None)
            if place is not None:
                region.setRegion((place, place + 1))

    def _show_current(self) -> None:
        top = (self.current or 0) * self.row_height
        bottom = top + self.row_height - self.view.getViewBox().height()
        self.scroll_bar.setValue(int(min(max(self.scroll_bar.value(), ceil(bottom)), top)))


class SeenBars(QGraphicsItem):
    """The bars of one series, and upright marks on them, in the units of the axes.

    Only the part that the axes show, which ``seen`` returns, is painted: an SVG is not clipped by the chart.
    """

    def __init__(
        self,
        bars: Sequence[QRectF],
        colour: QColor,
        marks: Sequence[QLineF],
        mark_colour: QColor,
        seen: Callable[[], QRectF],
        hatched: Sequence[QRectF] = (),
        ground: QColor | None = None,
    ) -> None:
        super().__init__()
        self._hatched, self._ground = hatched, ground or QColor()
        self._bars = [bar.normalized() for bar in bars]  # a share that fell has its bar at the left
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
        if self._hatched:
            self._hatch(painter, seen)
        painter.setPen(self._pen)
        for mark in self._marks:
            top, bottom = max(mark.y1(), seen.top()), min(mark.y2(), seen.bottom())
            if top < bottom and seen.left() <= mark.x1() <= seen.right():
                painter.drawLine(QPointF(mark.x1(), top), QPointF(mark.x1(), bottom))

    def _hatch(self, painter: QPainter, seen: QRectF) -> None:
        """Paints strokes over the hatched parts, in pixels: in the units of the axes they would be distorted."""
        painter.save()
        transform = painter.transform()
        painter.resetTransform()
        painter.setPen(QPen(self._ground, 1.5))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for bar in self._hatched:
            part = transform.mapRect(bar.intersected(seen))
            if part.width() <= 0 or part.height() <= 0:
                continue
            painter.save()
            painter.setClipRect(part)
            height, at = part.height(), part.left() - part.left() % HATCH - part.height()
            while at < part.right():
                painter.drawLine(QPointF(at, part.bottom()), QPointF(at + height, part.top()))
                at += HATCH
            painter.restore()
        painter.restore()
