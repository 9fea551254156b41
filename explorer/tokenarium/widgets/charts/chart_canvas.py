"""Draws charts with pyqtgraph: curves with their marks, or bars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import log10
from typing import Any

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFont, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from tokenarium.models.charts.chart import Axis, Chart, ChartCurve, shown_number
from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.shapes import marker_path
from tokenarium.style.theme import GRID, Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.charts.plot_key import curve_pen
from tokenarium.widgets.keyboard import RING, paint_focus_ring
from tokenarium.widgets.zoom_area import ZoomButton, next_level

BAR_HEIGHT = 0.66

END = 11
"""Pixels of the marker at the end of a curve."""

NAME_GROUND = 215
"""The opacity of the background of a name at the end of a curve, of 255."""

HAIRLINES = 70
"""The opacity of the lines at the ticks of the vertical axis, of 255."""

Levels = list[tuple[float | None, Sequence[float]]]
NOTHING = Chart(Axis(""), Axis(""))


class Canvas(Themed, QWidget):
    """Draws a chart; ``read`` emits the place that the user points at, or None."""

    read = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self._percent = 100
        self._zoomed = ZoomButton(self)
        self._zoomed.restore_wanted.connect(self.restore)

    @property
    def percent(self) -> int:
        """How large the chart is shown."""
        return self._percent

    def restore(self) -> None:
        """Shows the chart at its usual size."""
        self._set_percent(100)

    def _set_percent(self, percent: int) -> None:
        self._percent = percent
        self._zoomed.show_size(f"{percent} %", percent == 100)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.surface)
        paint_focus_ring(painter, self, self.theme)
        painter.end()

    def show_chart(self, chart: Chart) -> None:
        """Draws a chart that is not empty."""
        raise NotImplementedError

    def whole_height(self) -> int:
        """Returns the least height that shows all of the chart; 0 if any height does."""
        return 0


def seen_view() -> Any:
    """Returns a view of pyqtgraph, loaded on first use, that ignores the pointer, which its parent reads."""
    from tokenarium.widgets.charts.axes_view import AxesView

    view = AxesView()
    for widget in (view, view.viewport()):
        widget.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    return view


class ChartCanvas(Canvas):
    """The drawing, by pyqtgraph, which is loaded on first use; places are values of the horizontal axis."""

    def __init__(self) -> None:
        super().__init__()
        import pyqtgraph

        self._graph: Any = pyqtgraph
        self._chart = NOTHING
        self._at: float | None = None
        self._held: QPointF | None = None  # where the visible part is dragged
        self.view = seen_view()
        self.view.grid.setContentsMargins(GRID // 2, GRID, 2 * GRID, GRID // 2)
        self._items: list[Any] = []
        self._ends: list[Any] = []
        self._names_at_ends: list[Any] = []
        self._marks: list[Any] = []
        self._bars: Any = None
        self._cursor: Any = pyqtgraph.InfiniteLine(angle=90)
        self._cursor.hide()
        self.view.addItem(self._cursor, ignoreBounds=True)
        self._names: Sequence[str] = ()
        self._limits: tuple[tuple[float, float] | None, tuple[float, float] | None] = (None, None)
        for name in ("left", "bottom"):
            axis = self.view.getAxis(name)
            axis.enableAutoSIPrefix(False)
            axis.setStyle(tickFont=ui_font(SMALL_SIZE), tickLength=-4)
            axis.tickStrings = partial(self._tick_strings, name == "bottom")
            axis.logTickValues = _once(axis.logTickValues)
            axis.setZValue(-100)  # its lines are under the curves
        layout = QVBoxLayout(self)
        layout.setContentsMargins(RING, RING, RING, RING)
        layout.addWidget(self.view)
        self.view.getViewBox().sigResized.connect(self._fit_label)
        self.follow_theme()

    def zoom_by(self, steps: int, at: QPoint) -> None:
        """Zooms both axes in or out around a point of the screen; dragging moves the visible part."""
        before, percent = self._percent, next_level(self._percent, steps, 100)
        if percent == 100:
            self.restore()
            return
        box = self.view.getViewBox()
        scene = self.view.mapToScene(self.view.mapFromGlobal(at))
        centre = box.mapSceneToView(QPointF(scene))
        box.scaleBy((before / percent, before / percent), self._graph.Point(centre))
        self._set_percent(percent)

    def restore(self) -> None:
        super().restore()
        self.view.getViewBox().enableAutoRange()
        self._limits = (None, None)
        self._show_limits()

    def show_chart(self, chart: Chart) -> None:
        before, self._chart = self._chart, chart
        if _kind(chart) != _kind(before):
            self._point_at(None)
            self._clear()
            self._show_axes()
            self._set_percent(100)
        if chart.bars:
            self._show_bars()
        else:
            self._show_curves()
        self._show_marks()
        self._show_limits()

    def dress(self, theme: Theme) -> None:
        self.view.setBackground(theme.surface)
        for name in ("left", "bottom"):
            axis = self.view.getAxis(name)
            axis.setPen(theme.strong)
            axis.setTextPen(theme.dim)
        self._cursor.setPen(theme.dim)
        if not self._chart.empty:
            chart, self._chart = self._chart, NOTHING
            self.show_chart(chart)

    def _clear(self) -> None:
        bars = [self._bars] if self._bars is not None else []
        for item in [*self._items, *self._ends, *self._names_at_ends, *self._marks, *bars]:
            self.view.removeItem(item)
        self._items, self._marks, self._bars, self._names = [], [], None, ()
        self._ends, self._names_at_ends = [], []

    def _show_axes(self) -> None:
        chart = self._chart
        style = {"font-size": f"{SMALL_SIZE}px", "color": self.theme.dim.name()}
        self.view.getAxis("bottom").setLabel(chart.x.label, **style)
        self.view.getAxis("left").setLabel(chart.y.label, **style)
        for name in ("left", "bottom"):
            self.view.getAxis(name).resizeEvent()  # otherwise the label keeps its old place
        self._fit_label()
        self.view.setLogMode(x=chart.x.logarithmic, y=chart.y.logarithmic)
        self.view.getAxis("left").setTicks(None)
        self.view.getViewBox().invertY(chart.kind == "bars")
        self.view.getViewBox().enableAutoRange()
        self.view.getAxis("left").setGrid(False if chart.kind == "bars" else HAIRLINES)
        self.view.getAxis("bottom").setGrid(HAIRLINES if chart.kind == "bars" else False)
        self._limits = (None, None)

    def _fit_label(self, *_: object) -> None:
        """Hides the label of the vertical axis if it is longer than the axis: both ends would be cut off."""
        label, high = self.view.getAxis("left").label, self.view.getViewBox().height()
        label.setVisible(bool(self._chart.y.label) and label.boundingRect().width() <= high)

    def _show_limits(self) -> None:
        """Shows the range of the chart; fitting it to the values in each frame would take most of the time."""
        if self._percent != 100:
            return
        chart, box = self._chart, self.view.getViewBox()
        rows = (-0.5, len(chart.bars) - 0.5) if chart.bars and chart.x.limits else None
        across, along = (_placed_limits(axis) for axis in (chart.x, chart.y))
        limits = (across, rows if chart.bars else along)
        for axis, (now, before) in enumerate(zip(limits, self._limits, strict=True)):
            if now == before:
                continue
            if now is None:
                box.enableAutoRange(axis)
            elif axis == box.XAxis:
                box.setXRange(*now, padding=0)
            else:
                box.setYRange(*now, padding=0)
        self._limits = limits

    def _show_curves(self) -> None:
        curves = self._chart.curves
        while len(self._items) < len(curves):
            item = self._graph.PlotDataItem(antialias=True)
            self.view.addItem(item)
            self._items.append(item)
        for item in self._items[len(curves) :]:
            self.view.removeItem(item)
        del self._items[len(curves) :]
        for item, curve in zip(self._items, curves, strict=True):
            item.setData([x for x, _ in curve.points], [y for _, y in curve.points])
            item.setPen(curve_pen(self.theme, curve.colour, curve.dashed))
        self._show_ends([curve for curve in curves if curve.points])

    def _show_ends(self, curves: Sequence[ChartCurve]) -> None:
        """Marks the end of each curve with its tokenizer's marker, and names it there if there is room."""
        several = len(curves) > 1
        named = self._chart.ends_apart
        self._ends = self._as_many(self._ends, len(curves) * several, self._new_end)
        self._names_at_ends = self._as_many(
            self._names_at_ends, len(curves) * named, self._new_name
        )
        axes = self._chart.x, self._chart.y
        most = max((y for curve in curves for _, y in curve.points), default=0.0)
        # All on one side, so that it is clear which curve a name belongs to.
        below = any(curve.points[-1][1] >= most for curve in curves)
        for index, curve in enumerate(curves):
            x, y = (axis.place(value) for axis, value in zip(axes, curve.points[-1], strict=True))
            if several:
                identity = self.theme.identity(curve.colour)
                symbol = marker_path(QRectF(-0.5, -0.5, 1, 1), identity.marker)
                halo = self._graph.mkPen(self.theme.surface, width=1.2)
                brush = self.theme.surface if identity.hollow else identity.full
                pen = self._graph.mkPen(identity.full, width=1.5) if identity.hollow else halo
                self._ends[index].setData([x], [y], symbol=symbol, size=END, pen=pen, brush=brush)
            if named:
                name = self._names_at_ends[index]
                name.setText(curve.title, self.theme.ink)
                ground = QColor(self.theme.surface)
                ground.setAlpha(NAME_GROUND)
                name.fill = self._graph.mkBrush(ground)  # the curve may run through it
                name.setAnchor(self._graph.Point(1, -0.15 if below else 1.15))
                name.setPos(x, y)

    def _as_many(self, items: list[Any], count: int, make: Callable[[], Any]) -> list[Any]:
        """Returns items that are reused, made or removed, so that there are as many as needed."""
        for item in items[count:]:
            self.view.removeItem(item)
        new = [make() for _ in range(count - len(items))]
        for item in new:
            self.view.addItem(item, ignoreBounds=True)
        return [*items[:count], *new]

    def _new_end(self) -> Any:
        item = self._graph.ScatterPlotItem(pxMode=True)
        item.setZValue(10)
        return item

    def _new_name(self) -> Any:
        item = self._graph.TextItem()
        item.setFont(ui_font(SMALL_SIZE, QFont.Weight.Medium))
        item.setZValue(11)
        return item

    def _show_bars(self) -> None:
        bars = self._chart.bars
        colour = self.theme.identity(self._chart.colour).full
        drawn = {
            "x0": 0,
            "y": list(range(len(bars))),
            "width": [length for _, length in bars],
            "height": BAR_HEIGHT,
            "brush": colour,
            "pen": self._graph.mkPen(None),
        }
        if self._bars is None:
            self._bars = self._graph.BarGraphItem(**drawn)
            self.view.addItem(self._bars)
        else:
            self._bars.setOpts(**drawn)
        names = [name for name, _ in bars]
        if names != self._names:
            self._names = names
            self.view.getAxis("left").setTicks([list(enumerate(names))])

    def _show_marks(self) -> None:
        for item in self._marks:
            self.view.removeItem(item)
        self._marks = []
        for mark in self._chart.marks:
            place = self._placed(mark.at)
            item = self._graph.InfiniteLine(
                place,
                pen=self._graph.mkPen(self.theme.accent, width=1, style=Qt.PenStyle.DashLine),
                label=mark.text,
                labelOpts={
                    "color": self.theme.accent,
                    "position": 0.1,
                    "anchors": [(0, 1), (1, 1)],
                },
            )
            item.label.setFont(ui_font(SMALL_SIZE))
            self.view.addItem(item)
            self._marks.append(item)

    # The axes.

    def _placed(self, at: float) -> float:
        return log10(at) if self._chart.x.logarithmic and at > 0 else at

    def _tick_strings(
        self, across: bool, values: Sequence[float], scale: float, spacing: float | None
    ) -> list[str]:
        axis = self._chart.x if across else self._chart.y
        return _strings(values, spacing, axis.logarithmic)

    # Reading values.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._held = event.position() if self._percent != 100 else None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._percent != 100:
            self.restore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        box = self.view.getViewBox()
        if self._held is not None:
            moved = [
                box.mapSceneToView(QPointF(self.view.mapToScene(place.toPoint())))
                for place in (event.position(), self._held)
            ]
            box.translateBy(self._graph.Point(moved[1] - moved[0]))
            self._held = event.position()
        scene = self.view.mapToScene(self.view.mapFrom(self, event.position().toPoint()))
        if box.sceneBoundingRect().contains(scene):
            at = box.mapSceneToView(QPointF(scene)).x()
            self._point_at(10**at if self._chart.x.logarithmic else at)
        else:
            self._point_at(None)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point_at(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._point_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        places = sorted({x for curve in self._chart.curves for x, _ in curve.points})
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if not step or not places:
            super().keyPressEvent(event)
            return
        if self._at is None:
            self._point_at(places[-1] if step < 0 else places[0])
            return
        now = min(range(len(places)), key=lambda place: abs(places[place] - (self._at or 0)))
        self._point_at(places[max(0, min(now + step, len(places) - 1))])

    def _point_at(self, at: float | None) -> None:
        if self._chart.kind == "bars":
            at = None
        if at is not None:
            at, heights = self._chart.reading(at)
            self._cursor.setPos(self._placed(at))
            at = at if heights else None
        self._at = at
        self._cursor.setVisible(at is not None)
        self.read.emit(at)


def _kind(chart: Chart) -> tuple[object, ...]:
    """Returns the parts of a chart that need a new drawing when they change."""
    return (chart.kind, *((axis.label, axis.logarithmic) for axis in (chart.x, chart.y)))


def _placed_limits(axis: Axis) -> tuple[float, float] | None:
    """Returns what an axis shows: pyqtgraph leaves out a tick that is just at the end of a logarithmic one."""
    if axis.limits is None:
        return None
    low, high = (axis.place(limit) for limit in axis.limits)
    room = (high - low) / 50 if axis.logarithmic else 0.0
    return low - room, high + room


def _once(log_tick_values: Callable[..., Levels]) -> Callable[..., Levels]:
    """Returns a function without duplicate ticks: pyqtgraph gives powers of ten twice, which looks bold."""

    def tick_values(*args: Any) -> Levels:
        seen: set[float] = set()
        levels: Levels = []
        for spacing, values in log_tick_values(*args):
            new = [value for value in values if round(float(value), 6) not in seen]
            seen.update(round(float(value), 6) for value in new)
            levels.append((spacing, new))
        return levels

    return tick_values


def _strings(values: Sequence[float], spacing: float | None, logarithmic: bool) -> list[str]:
    """Returns the numbers at the ticks of an axis."""
    if logarithmic:  # only some ticks between powers of ten have room for a number
        numbers = [float(f"{10**value:.6g}") for value in values]
        return [shown_number(number) if f"{number:e}"[0] in "125" else "" for number in numbers]
    digits = 0 if spacing is None or spacing >= 1 else min(max(0, -int(log10(spacing) - 0.999)), 6)
    return [f"{value:,.{digits}f}" for value in values]
