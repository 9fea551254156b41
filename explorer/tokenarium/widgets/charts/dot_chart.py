"""Draws rows of dots with their intervals; the axis stays visible while the rows scroll."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from tokenarium.models.charts.chart import Axis, ChartCurve
from tokenarium.models.compare.dot_plot import DotPlot, ticks
from tokenarium.models.text.qt_text import as_tip
from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID, Theme
from tokenarium.widgets.charts.plot import SavedChart
from tokenarium.widgets.charts.plot_key import DOT, paint_sign
from tokenarium.widgets.keyboard import paint_focus_ring

AXIS_HEIGHT = 5 * GRID
LANE = 5
"""Pixels of height for each dot of a row, so that near values do not hide each other."""
CENTRED = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)


class DotChart(SavedChart):
    """A title with a menu, and the drawing, which scrolls if it is too high."""

    signs = True

    def __init__(self, title: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(title, theme, parent)
        self._curves: Sequence[ChartCurve] = ()
        self.drawing = DotDrawing(theme)
        self.drawing.setAccessibleName(title)
        self.area = _Area()
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(self.drawing)
        self.area.verticalScrollBar().valueChanged.connect(self.drawing.update)
        self.drawing.row_reached.connect(self._show_row)
        head = self._line = QHBoxLayout()
        head.addWidget(self.heading)
        head.addStretch(1)
        head.addWidget(self.more)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(GRID // 2)
        rows.addLayout(head)
        rows.addWidget(self.key)
        rows.addWidget(self.area, 1)

    def set_chooser(self, chooser: QWidget) -> None:
        """Replaces the title by a control that chooses what is shown."""
        self.heading.hide()
        self._line.insertWidget(0, chooser)

    def show_plot(self, plot: DotPlot, note: str = "") -> None:
        """Draws other rows; ``note`` is shown if there are none."""
        self.drawing.note = note
        self.more.setEnabled(not plot.empty)
        series = () if plot.one_each else plot.series  # then the signs are at the names
        self._curves = [ChartCurve(one.title, (), one.colour) for one in series]
        self.key.set_curves(self._curves)
        self.key.setVisible(len(self._curves) > 1)
        self.drawing.show_plot(plot)

    def set_theme(self, theme: Theme) -> None:
        """Draws in other colours."""
        self._theme = theme
        self.key.set_theme(theme)
        self.drawing.set_theme(theme)

    def drawing_widget(self) -> QWidget:
        return self.drawing

    def table(self) -> str:
        return self.drawing.plot.table()

    def legend(self) -> Sequence[ChartCurve]:
        return self._curves

    def copy_for_file(self) -> tuple[QWidget, QSize]:
        drawing = DotDrawing(self._theme)
        drawing.whole = True
        drawing.show_plot(self.drawing.plot)
        return drawing, QSize(self.drawing.width(), drawing.sizeHint().height())

    def _show_row(self, top: int, bottom: int) -> None:
        self.area.ensureVisible(0, bottom, 0, 0)
        self.area.ensureVisible(0, top - AXIS_HEIGHT, 0, 0)


class _Area(QScrollArea):
    """Does not scroll when Tab leaves it; Qt would scroll to the middle of its contents."""

    def focusNextPrevChild(self, next: bool) -> bool:
        return QWidget.focusNextPrevChild(self, next)


class DotDrawing(QWidget):
    """The drawing. Pointing at a row, or the arrow keys, show its values."""

    row_reached = Signal(int, int)  # its top and bottom

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.plot = DotPlot(Axis(""))
        self.note = ""  # shown if there is nothing to draw
        self.whole = False  # drawn for a file, with the axis at the very top
        self.row = -1  # the row that is pointed at
        self._theme = theme
        self.setFont(ui_font(SMALL_SIZE))
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_plot(self, plot: DotPlot) -> None:
        self.plot = plot
        self.row = min(self.row, len(plot.rows) - 1)
        self.setAccessibleDescription(
            "; ".join(plot.reading(row).replace("\n", ", ") for row in range(len(plot.rows)))
        )
        self.setMinimumHeight(self.sizeHint().height())
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(40 * GRID, AXIS_HEIGHT + len(self.plot.rows) * self._row_height + GRID)

    @property
    def _row_height(self) -> int:
        lanes = 1 if self.plot.one_each else len(self.plot.series)
        return max(2 * GRID + GRID // 2, lanes * LANE + GRID // 2)

    @property
    def _left(self) -> int:
        metrics = self.fontMetrics()
        widths = [metrics.horizontalAdvance(row.title) for row in self.plot.rows]
        signs = 2 * GRID if self.plot.one_each else 0
        return min(max(widths, default=0) + 3 * GRID + signs, 3 * self.width() // 5)

    # Where values are.

    def _scale(self) -> tuple[float, float]:
        low, high = self.plot.bounds()
        if self.plot.axis.logarithmic:
            return math.log(low / 1.05), math.log(high * 1.05)
        return low, high + (high - low) * 0.05 or 1.0

    def _x(self, value: float, scale: tuple[float, float]) -> float:
        """The x of a value; one outside the scale is at its end."""
        at = math.log(value) if self.plot.axis.logarithmic else value
        share = min(max((at - scale[0]) / ((scale[1] - scale[0]) or 1.0), 0.0), 1.0)
        return self._left + share * (self.width() - self._left - 2 * GRID)

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), self._theme.surface)
        if not self.plot.empty:
            scale = self._scale()
            for number in range(len(self.plot.rows)):
                self._paint_ground(painter, number)
            self._paint_grid(painter, scale)
            for number in range(len(self.plot.rows)):
                self._paint_row(painter, number, scale)
            self._paint_axis(painter, scale)
        else:
            painter.setFont(ui_font())
            painter.setPen(self._theme.dim)
            painter.drawText(self.visibleRegion().boundingRect(), CENTRED, self.note)
        if not self.whole:
            paint_focus_ring(painter, self, self._theme, self.visibleRegion().boundingRect())
        painter.end()

    def _ticks(self, scale: tuple[float, float]) -> list[float]:
        low, high = map(math.exp, scale) if self.plot.axis.logarithmic else scale
        return ticks(low, high, self.plot.axis.logarithmic)

    def _paint_grid(self, painter: QPainter, scale: tuple[float, float]) -> None:
        painter.setPen(QPen(mix(self._theme.surface, self._theme.line, 0.6), 1))
        for tick in self._ticks(scale):
            x = self._x(tick, scale)
            painter.drawLine(QPointF(x, AXIS_HEIGHT), QPointF(x, self.height()))
        if self.plot.at is not None:
            painter.setPen(QPen(self._theme.dim, 1, Qt.PenStyle.DashLine))
            x = self._x(self.plot.at, scale)
            painter.drawLine(QPointF(x, AXIS_HEIGHT), QPointF(x, self.height()))

    def _paint_axis(self, painter: QPainter, scale: tuple[float, float]) -> None:
        top = 0 if self.whole else self.visibleRegion().boundingRect().top()
        painter.fillRect(QRect(0, top, self.width(), AXIS_HEIGHT), self._theme.surface)
        painter.setPen(self._theme.dim)
        flags = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
        half = 2 * GRID + GRID // 2
        title = QRect(GRID, top, self.width() - 3 * GRID, half)
        words = self.fontMetrics().elidedText(
            self.plot.axis.label, Qt.TextElideMode.ElideRight, title.width()
        )
        right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(title, right, words)
        free = 0.0
        for tick in self._ticks(scale):
            text = f"{tick:g}"
            x = self._x(tick, scale)
            width = self.fontMetrics().horizontalAdvance(text)
            if x - width / 2 > free:
                painter.drawText(QRectF(x - half, top + half, 2 * half, half), flags, text)
                free = x + width / 2 + GRID
        painter.setPen(self._theme.line)
        painter.drawLine(self._left, top + AXIS_HEIGHT - 1, self.width(), top + AXIS_HEIGHT - 1)

    def _paint_ground(self, painter: QPainter, number: int) -> None:
        height = self._row_height
        top = AXIS_HEIGHT + number * height
        if number == self.row:
            painter.fillRect(QRect(0, top, self.width(), height), self._theme.shared)
        elif number % 2:
            painter.fillRect(
                QRect(0, top, self.width(), height), mix(self._theme.surface, self._theme.ink, 0.03)
            )

    def _paint_row(self, painter: QPainter, number: int, scale: tuple[float, float]) -> None:
        row, height = self.plot.rows[number], self._row_height
        top = AXIS_HEIGHT + number * height
        middle = top + height / 2
        left = GRID
        if self.plot.one_each:
            self._paint_dot(painter, number, QPointF(left + DOT, middle))
            left += 2 * GRID
        painter.setPen(self._theme.ink)
        room = QRect(left, top, self._left - left - GRID, height)
        title = self.fontMetrics().elidedText(row.title, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(
            room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), title
        )
        lanes = 1 if self.plot.one_each else len(row.values)
        for place, value in enumerate(row.values):
            if value is None or not math.isfinite(value.value):
                continue
            lane = 0 if self.plot.one_each else place
            y = middle + (lane - (lanes - 1) / 2) * LANE
            if value.low is not None and value.high is not None:
                colour = self._theme.identity(self.plot.series[place].colour).full
                pen = QPen(mix(self._theme.surface, colour, 0.65), 1.5)
                if value.doubt:
                    pen = QPen(self._theme.dim, 1, Qt.PenStyle.DotLine)
                painter.setPen(pen)
                ends = (self._x(end, scale) for end in (value.low, value.high))
                painter.drawLine(*(QPointF(end, y) for end in ends))
            at = QPointF(self._x(value.value, scale), y)
            self._paint_dot(painter, place, at, hollow=bool(value.doubt))

    def _paint_dot(self, painter: QPainter, place: int, at: QPointF, hollow: bool = False) -> None:
        identity = self._theme.identity(self.plot.series[place].colour)
        if hollow:
            identity = replace(identity, full=self._theme.dim, hollow=True)
        paint_sign(painter, at, identity)

    # Pointing.

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            row = self._row_at(event.pos().y())
            QToolTip.showText(
                event.globalPos(), as_tip(self.plot.reading(row)) if row >= 0 else "", self
            )
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self._row_at(event.position().toPoint().y()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point_at(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        if not step or not self.plot.rows:
            super().keyPressEvent(event)
            return
        self._point_at(max(0, min(self.row + step, len(self.plot.rows) - 1)))
        top = AXIS_HEIGHT + self.row * self._row_height
        self.row_reached.emit(top, top + self._row_height)
        place = self.mapToGlobal(QRect(self._left, top, 1, self._row_height).bottomLeft())
        QToolTip.showText(place, as_tip(self.plot.reading(self.row)), self)

    def _row_at(self, y: int) -> int:
        row = (y - AXIS_HEIGHT) // self._row_height
        return row if 0 <= row < len(self.plot.rows) else -1

    def _point_at(self, row: int) -> None:
        if row != self.row:
            self.row = row
            self.update()
