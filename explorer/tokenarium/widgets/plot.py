"""Draws a chart with pyqtgraph in the colours of the theme, tells its values, and takes it out as a file."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from tokenarium.export import ExportError, save_png, save_svg
from tokenarium.models.chart import Axis, Chart, shown_number
from tokenarium.theme import GRID, SMALL_SIZE, Theme, ui_font
from tokenarium.widgets.panel import ElidedLabel, menu_button, secondary, strong

KINDS = "Picture (*.png);;Vectors (*.svg);;Table (*.csv)"
LINE_WIDTH = 2
BAR_HEIGHT = 0.66
KEY_LINE = 2 * GRID
NOTHING = Chart(Axis(""), Axis(""))


class Plot(QWidget):
    """A title with a legend and a menu over the drawing.

    Pointing at it, or the arrow keys, tell the values at a place. Charts that follow one another reuse
    what is drawn, so that a live one costs little.
    """

    problem = Signal(str)  # a file that cannot be written

    def __init__(self, title: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.chart = NOTHING
        self.title = title
        self._theme = theme
        self.setAccessibleName(title)
        self._key = _Key(theme)
        self.reading = secondary(ElidedLabel())
        self.note = secondary(QLabel())
        self.note.setWordWrap(True)
        self.note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.menu = QMenu(self)
        for text, suffix in (
            ("Save as PNG …", "png"),
            ("Save as SVG …", "svg"),
            ("Save as CSV …", "csv"),
        ):
            self.menu.addAction(text).triggered.connect(
                lambda _, kind=suffix: self.ask_and_save(kind)
            )
        self.more = menu_button("Save", f"Save the chart “{title}”", self.menu)
        self.more.setToolTip("Saves what the chart shows, as a picture or as a table")
        self.more.setEnabled(False)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(GRID)
        head.addWidget(strong(QLabel(title)))
        head.addWidget(self.reading, 1)
        head.addWidget(self.more)
        self.canvas = self._make_canvas(theme)
        self.canvas.setAccessibleName(title)
        self.canvas.read.connect(self._read)
        self._body = _Body(self.note, self.canvas)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._key)
        layout.addWidget(self._body, 1)
        self.setMinimumHeight(24 * GRID)

    def _make_canvas(self, theme: Theme) -> Canvas:
        return _Canvas(theme)

    def sizeHint(self) -> QSize:
        return QSize(50 * GRID, 28 * GRID)

    def show_chart(self, chart: Chart, note: str = "") -> None:
        """Draws a chart; ``note`` is what is said in the place of an empty one."""
        self.chart = chart
        self.note.setText(note)
        self.more.setEnabled(not chart.empty)
        self._body.show_page(self.note if chart.empty else self.canvas)
        self._key.set_chart(chart)
        self._key.setVisible(len(chart.curves) > 1)
        if chart.empty:
            self.reading.setText("")
            return
        self.canvas.show_chart(chart)
        self.canvas.setAccessibleDescription(chart.summary())

    def prepare(self) -> None:
        """Lays out the drawing behind the note, so that the first chart takes no longer than those after it."""
        if self.canvas.isHidden():
            self.canvas.grab()

    def set_theme(self, theme: Theme) -> None:
        """Draws in other colours."""
        self._theme = theme
        self._key.set_theme(theme)
        self.canvas.set_theme(theme)

    def ask_and_save(self, suffix: str) -> None:
        """Asks for a file of a kind and writes the chart there."""
        kind = next(kind for kind in KINDS.split(";;") if f"*.{suffix}" in kind)
        name, _ = QFileDialog.getSaveFileName(
            self, "Save the chart", f"{self.title}.{suffix}", kind
        )
        if name:
            try:
                self.save(Path(name))
            except ExportError as error:
                self.problem.emit(str(error))

    def save(self, path: Path) -> None:
        """Writes the chart, as its suffix says: .png, .svg or .csv; ExportError where it cannot be."""
        if path.suffix == ".csv":
            try:
                path.write_text(self.chart.table(), encoding="utf-8")
            except OSError as error:
                raise ExportError(f"{path} cannot be written: {error.strerror}.") from None
            return
        self.more.hide()
        try:
            (save_svg if path.suffix == ".svg" else save_png)(self, path)
        finally:
            self.more.show()

    def _read(self, at: float | None) -> None:
        if at is None or self.chart.kind == "bars":
            self.reading.setText("")
            return
        place, heights = self.chart.reading(at)
        told = [
            f"{curve.title} {shown_number(height)}"
            if len(self.chart.curves) > 1
            else shown_number(height)
            for curve, height in heights
        ]
        unit = f" {self.chart.x.unit}" if self.chart.x.unit else ""
        self.reading.setText(
            f"at {shown_number(place)}{unit}: {', '.join(told)} {self.chart.y.unit}"
        )


class _Body(QWidget):
    """Two widgets in one place, of which one is seen; to show the other lays nothing around them out anew."""

    def __init__(self, first: QWidget, second: QWidget) -> None:
        super().__init__()
        self._pages = (first, second)
        for page in self._pages:
            page.setParent(self)
        self.show_page(first)

    def show_page(self, shown: QWidget) -> None:
        for page in self._pages:
            page.setVisible(page is shown)

    def minimumSizeHint(self) -> QSize:
        first, second = (page.minimumSizeHint() for page in self._pages)
        return first.expandedTo(second)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for page in self._pages:
            page.setGeometry(self.rect())


class _Key(QWidget):
    """Which line is which curve."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._chart = NOTHING
        self.setFont(ui_font(SMALL_SIZE))
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def set_chart(self, chart: Chart) -> None:
        self._chart = chart
        self._fit()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Takes as many lines as the names of the curves need."""
        lines = self._places()[-1].bottom() // KEY_LINE + 1 if self._chart.curves else 1
        self.setFixedHeight(lines * KEY_LINE)

    def _places(self) -> list[QRect]:
        """Where each curve stands: its line, and its name."""
        places, left, top = [], 0, 0
        for curve in self._chart.curves:
            width = 3 * GRID + self.fontMetrics().horizontalAdvance(curve.title)
            if left and left + width > self.width():
                left, top = 0, top + KEY_LINE
            places.append(QRect(left, top, width, KEY_LINE))
            left += width + GRID
        return places

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        flags = int(Qt.AlignmentFlag.AlignVCenter)
        for curve, place in zip(self._chart.curves, self._places(), strict=True):
            middle = place.center().y()
            painter.setPen(_pen(self._theme, curve.colour, curve.dashed))
            painter.drawLine(place.left(), middle, place.left() + 2 * GRID, middle)
            painter.setPen(self._theme.faint)
            painter.drawText(place.adjusted(2 * GRID + GRID // 2, 0, GRID, 0), flags, curve.title)
        painter.end()


class Canvas(QWidget):
    """What draws a chart; ``read`` tells which place of it a person looks at, or None."""

    read = Signal(object)

    def show_chart(self, chart: Chart) -> None:
        """Draws a chart that is not empty."""
        raise NotImplementedError

    def set_theme(self, theme: Theme) -> None:
        """Draws in other colours."""
        raise NotImplementedError


class _Canvas(Canvas):
    """The drawing itself, of pyqtgraph, which is loaded with the first one; places are on the horizontal axis."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        import pyqtgraph

        self._graph: Any = pyqtgraph
        self._theme = theme
        self._chart = NOTHING
        self._at: float | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.view: Any = pyqtgraph.PlotWidget()
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setFrameShape(self.view.Shape.NoFrame)
        self.view.setMenuEnabled(False)
        self.view.setMouseEnabled(False, False)
        self.view.hideButtons()
        self.view.getPlotItem().layout.setContentsMargins(GRID // 2, GRID, 2 * GRID, GRID // 2)
        self.view.viewport().setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.view.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setMouseTracking(True)
        self._items: list[Any] = []
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
            axis.tickStrings = self._tick_strings if name == "bottom" else self._left_strings
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.view)
        self.set_theme(theme)

    def show_chart(self, chart: Chart) -> None:
        before, self._chart = self._chart, chart
        if _kind(chart) != _kind(before):
            self._point_at(None)
            self._clear()
            self._show_axes()
        if chart.bars:
            self._show_bars()
        else:
            self._show_curves()
        self._show_marks()
        self._show_limits()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.view.setBackground(theme.panel)
        for name in ("left", "bottom"):
            axis = self.view.getAxis(name)
            axis.setPen(theme.line)
            axis.setTextPen(theme.faint)
        self._cursor.setPen(theme.faint)
        self.view.showGrid(x=False, y=False)
        if not self._chart.empty:
            chart, self._chart = self._chart, NOTHING
            self.show_chart(chart)

    def _clear(self) -> None:
        for item in [*self._items, *self._marks, *([self._bars] if self._bars is not None else [])]:
            self.view.removeItem(item)
        self._items, self._marks, self._bars, self._names = [], [], None, ()

    def _show_axes(self) -> None:
        chart = self._chart
        style = {"font-size": f"{SMALL_SIZE}px", "color": self._theme.faint.name()}
        self.view.setLabel("bottom", chart.x.label, **style)
        self.view.setLabel("left", chart.y.label, **style)
        self.view.setLogMode(x=chart.x.logarithmic, y=chart.y.logarithmic)
        self.view.getAxis("left").setTicks(None)
        self.view.getViewBox().invertY(chart.kind == "bars")
        self.view.getViewBox().enableAutoRange()
        self._limits = (None, None)

    def _show_limits(self) -> None:
        """Shows the part that the chart says; to fit it to all values in each frame would take most of the time."""
        chart, box = self._chart, self.view.getViewBox()
        rows = (-0.5, len(chart.bars) - 0.5) if chart.bars and chart.x.limits else None
        limits = (chart.x.limits, rows if chart.bars else chart.y.limits)
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
            item.setPen(_pen(self._theme, curve.colour, curve.dashed))

    def _show_bars(self) -> None:
        bars = self._chart.bars
        colour = self._theme.tokenizer(self._chart.colour)
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
                pen=self._graph.mkPen(self._theme.accent, width=1, style=Qt.PenStyle.DashLine),
                label=mark.text,
                labelOpts={
                    "color": self._theme.accent,
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
        self, values: Sequence[float], scale: float, spacing: float | None
    ) -> list[str]:
        return _strings(values, spacing, self._chart.x.logarithmic)

    def _left_strings(
        self, values: Sequence[float], scale: float, spacing: float | None
    ) -> list[str]:
        return _strings(values, spacing, self._chart.y.logarithmic)

    # Reading values.

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        box = self.view.getViewBox()
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
    """Returns what has to be drawn anew where it changes."""
    return (chart.kind, *((axis.label, axis.logarithmic) for axis in (chart.x, chart.y)))


def _strings(values: Sequence[float], spacing: float | None, logarithmic: bool) -> list[str]:
    """Returns the numbers at the ticks of an axis."""
    if logarithmic:  # of the ticks between powers of ten only some have room for a number
        numbers = [float(f"{10**value:.6g}") for value in values]
        return [shown_number(number) if f"{number:e}"[0] in "125" else "" for number in numbers]
    digits = 0 if spacing is None or spacing >= 1 else min(max(0, -int(log10(spacing) - 0.999)), 6)
    return [f"{value:,.{digits}f}" for value in values]


def _pen(theme: Theme, colour: int, dashed: bool) -> QPen:
    style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
    pen = QPen(theme.tokenizer(colour), LINE_WIDTH, style)
    pen.setCosmetic(True)
    return pen
