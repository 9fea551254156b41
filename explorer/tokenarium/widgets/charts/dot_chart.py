"""Draws rows of dots or bars with their intervals; the axis stays visible while the page scrolls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QToolTip, QWidget

from tokenarium.models.charts.chart import Axis, ChartCurve, lower_first
from tokenarium.models.compare.dot_plot import DotPlot, ticks
from tokenarium.models.compare.language_premiums import PremiumEstimate
from tokenarium.models.text.lost_text import SIGN
from tokenarium.models.text.qt_text import as_tip
from tokenarium.style.fonts import HEADING_SIZE, SMALL_SIZE, TEXT_SIZE, number_font, ui_font
from tokenarium.style.shapes import paint_marker
from tokenarium.style.theme import GRID, HIGH_CONTRAST, Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.charts.plot import SavedChart
from tokenarium.widgets.keyboard import paint_focus_ring
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.zoom_area import ZoomButton, next_level

AXIS_HEIGHT = 3 * GRID
DOT_ROW, BAR_ROW = 24, 32
"""Pixels of a row of dots, and of one with a bar."""

MARKER = 13
VALUE_ROOM = 6 * GRID
"""Pixels after a bar, for its value."""

BAR = 10 * GRID
"""The least pixels of the longest bar."""

CENTRED = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)


class DotChart(SavedChart):
    """A title with a menu, a legend, and the drawing, as high as its rows."""

    signs = True

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self._curves: Sequence[ChartCurve] = ()
        self.drawing = DotDrawing()
        self.drawing.setAccessibleName(title)
        self.heading.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
        self._line = in_row(self.heading, STRETCH, self.more, spacing=GRID)
        self._rows = in_column(
            self._line, self.key, self.drawing, STRETCH, into=self, spacing=GRID // 2
        )

    def set_controls(self, about: QWidget | None, controls: QWidget) -> None:
        """Puts a label after the title, and a row of controls under it."""
        if about is not None:
            self._line.insertWidget(1, about, 1)
            self._line.setStretch(2, 0)  # all the room is the label's
        self._rows.insertWidget(1, controls)

    def show_plot(self, plot: DotPlot, note: str = "") -> None:
        """Draws new rows; ``note`` is shown if there are none."""
        self.drawing.note = note
        self.more.setEnabled(not plot.empty)
        series = () if plot.one_each else plot.series  # then the markers are at the names
        self._curves = [ChartCurve(one.title, (), one.colour) for one in series]
        self.key.set_curves(self._curves)
        self.key.setVisible(len(self._curves) > 1)
        self.drawing.show_plot(plot)

    def drawing_widget(self) -> QWidget:
        return self.drawing

    def table(self) -> str:
        return self.drawing.plot.table()

    def lines(self) -> list[list[str]]:
        return self.drawing.plot.lines()

    def legend(self) -> Sequence[ChartCurve]:
        return self._curves

    def copy_for_file(self, theme: Theme) -> tuple[QWidget, QSize, bool]:
        drawing = DotDrawing()
        drawing.whole = True
        drawing.show_plot(self.drawing.plot)
        return drawing, QSize(self.drawing.width(), drawing.sizeHint().height()), False

    def about(self) -> str:
        return f"{self.title}: {lower_first(self.drawing.plot.axis.label)}"


class DotDrawing(Themed, QWidget):
    """The drawing. Pointing at a row, or the arrow keys, show its values.

    The axis is at the top of the visible part: call `update` when the surrounding area scrolls.
    """

    row_reached = Signal(int, int)  # its top and bottom

    def __init__(self) -> None:
        super().__init__()
        self.plot = DotPlot(Axis(""))
        self._measured: DotPlot | None = None  # the plot whose widest name was measured
        self._widest = 0
        self.note = ""  # shown if there is nothing to draw
        self.whole = False  # drawn for a file, with the axis at the very top
        self.row = -1  # the row that is pointed at
        self._percent = 100
        self._zoomed = ZoomButton(self, at_top=True)
        self._zoomed.restore_wanted.connect(lambda: self.set_percent(100))
        self.setFont(number_font(SMALL_SIZE))
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_plot(self, plot: DotPlot) -> None:
        self.plot = plot
        self.row = min(self.row, len(plot.rows) - 1)
        self.setAccessibleDescription(
            "; ".join(plot.reading(row).replace("\n", ", ") for row in range(len(plot.rows)))
        )
        self.setMinimumHeight(self.sizeHint().height())
        self.updateGeometry()
        self.update()

    def zoom_by(self, steps: int, _at: QPoint) -> None:
        """Makes the drawing some steps larger or smaller; it keeps its width."""
        self.set_percent(next_level(self._percent, steps))

    def set_percent(self, percent: int) -> None:
        """Sets the scale of the drawing."""
        self._percent = percent
        self._zoomed.show_size(f"{percent} %", percent == 100)
        self.setMinimumHeight(self.sizeHint().height())
        self.updateGeometry()
        self.update()

    @property
    def _scale_drawn(self) -> float:
        return self._percent / 100

    @property
    def _width(self) -> int:
        """The width in pixels of the drawing before it is enlarged, as for all positions below."""
        return round(self.width() / self._scale_drawn)

    def _seen(self) -> QRect:
        """The part that is visible."""
        seen, drawn = self.visibleRegion().boundingRect(), self._scale_drawn
        return QRectF(
            seen.left() / drawn, seen.top() / drawn, seen.width() / drawn, seen.height() / drawn
        ).toAlignedRect()

    def sizeHint(self) -> QSize:
        rows = len(self.plot.rows) if not self.plot.empty else 3
        height = self._top + rows * self._row_height + GRID
        return QSize(40 * GRID, round(height * self._scale_drawn))

    @property
    def _top(self) -> int:
        """The pixels of the axis; bars have values next to them instead."""
        return 0 if self.plot.one_each else AXIS_HEIGHT

    @property
    def _row_height(self) -> int:
        return BAR_ROW if self.plot.one_each else DOT_ROW

    @property
    def _left(self) -> int:
        if self._measured is not self.plot:
            metrics = QFontMetrics(self._name_font())
            widths = [metrics.horizontalAdvance(row.title) for row in self.plot.rows]
            self._measured, self._widest = self.plot, max(widths, default=0)
        markers = MARKER + GRID if self.plot.one_each else 0
        most = self._width - VALUE_ROOM - BAR if self.plot.one_each else 3 * self._width // 5
        return min(self._widest + 2 * GRID + markers, most)

    @staticmethod
    def _name_font() -> QFont:
        return ui_font(TEXT_SIZE, QFont.Weight.Medium)

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
        right = VALUE_ROOM if self.plot.one_each else 2 * GRID
        return self._left + share * (self._width - self._left - right)

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), self.theme.surface)
        painter.scale(self._scale_drawn, self._scale_drawn)
        if not self.plot.empty:
            scale = self._scale()
            if not self.plot.one_each:
                self._paint_grid(painter, scale)
            for number in range(len(self.plot.rows)):
                self._paint_row(painter, number, scale)
            if not self.plot.one_each:
                self._paint_axis(painter, scale)
        else:
            painter.setFont(ui_font())
            painter.setPen(self.theme.dim)
            painter.drawText(self._seen(), CENTRED, self.note)
        painter.resetTransform()
        if not self.whole:
            paint_focus_ring(painter, self, self.theme, self.visibleRegion().boundingRect())
        painter.end()

    def _ticks(self, scale: tuple[float, float]) -> list[float]:
        low, high = map(math.exp, scale) if self.plot.axis.logarithmic else scale
        return ticks(low, high, self.plot.axis.logarithmic)

    def _paint_grid(self, painter: QPainter, scale: tuple[float, float]) -> None:
        bottom = self._top + len(self.plot.rows) * self._row_height
        lines = [(tick, self.theme.line) for tick in self._ticks(scale)]
        if self.plot.at is not None:
            lines.append((self.plot.at, self.theme.strong))
        for value, colour in lines:
            x = round(self._x(value, scale)) + 0.5
            painter.setPen(QPen(colour, 1))
            painter.drawLine(QPointF(x, self._top), QPointF(x, bottom))

    def _paint_axis(self, painter: QPainter, scale: tuple[float, float]) -> None:
        top = 0 if self.whole else self._seen().top()
        painter.fillRect(QRect(0, top, self._width, AXIS_HEIGHT), self.theme.surface)
        painter.setPen(self.theme.dim)
        flags = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
        free = 0.0
        for tick in self._ticks(scale):
            text = f"{tick:g}×" if self.plot.times else f"{tick:g}"
            x = self._x(tick, scale)
            width = self.fontMetrics().horizontalAdvance(text)
            if x - width / 2 > free:
                painter.drawText(QRectF(x - 30, top, 60, AXIS_HEIGHT - 4), flags, text)
                free = x + width / 2 + GRID
        if top:
            painter.fillRect(QRect(0, top + AXIS_HEIGHT - 1, self._width, 1), self.theme.line)

    def _paint_row(self, painter: QPainter, number: int, scale: tuple[float, float]) -> None:
        row, height, theme = self.plot.rows[number], self._row_height, self.theme
        top = self._top + number * height
        middle = top + height / 2
        if number == self.row:
            painter.fillRect(QRect(0, top, self._left - GRID, height), theme.sunken)
        left = GRID // 2
        if self.plot.one_each:
            self._paint_marker(painter, number, QPointF(left + MARKER / 2, middle))
            left += MARKER + GRID
        font = self._name_font()
        painter.setFont(font)
        painter.setPen(theme.ink)
        room = QRect(left, top, self._left - left - GRID, height)
        title = QFontMetrics(font).elidedText(row.title, Qt.TextElideMode.ElideMiddle, room.width())
        flags = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        painter.drawText(room, flags, title)
        painter.setFont(self.font())
        if self.plot.one_each:
            self._paint_bar(painter, number, row.values[number], middle, scale)
        else:
            self._paint_dots(painter, row.values, middle, scale)

    def _paint_dots(
        self,
        painter: QPainter,
        values: Sequence[PremiumEstimate | None],
        y: float,
        scale: tuple[float, float],
    ) -> None:
        """Paints a band from the least to the greatest value, the intervals, and the markers over both."""
        known = [
            (index, value)
            for index, value in enumerate(values)
            if value is not None and math.isfinite(value.value)
        ]
        sure = [self._x(one.value, scale) for _, one in known if not one.doubt]
        painter.setPen(Qt.PenStyle.NoPen)
        if len(sure) > 1:
            painter.setBrush(self.theme.line)
            if self.theme in HIGH_CONTRAST:  # their lines would hide the intervals
                painter.setPen(self.theme.line)
                painter.setBrush(self.theme.sunken)
            painter.drawRoundedRect(QRectF(min(sure), y - 3, max(sure) - min(sure), 6), 3, 3)
        for place, one in known:
            if one.low is not None and one.high is not None:
                colour = QColor(self.theme.identity(self.plot.series[place].colour).full)
                colour.setAlphaF(0.6)
                pen = QPen(colour, 2)
                if one.doubt:
                    pen = QPen(self.theme.dim, 1, Qt.PenStyle.DotLine)
                painter.setPen(pen)
                ends = (self._x(end, scale) for end in (one.low, one.high))
                painter.drawLine(*(QPointF(end, y) for end in ends))
        for place, one in known:
            at = QPointF(self._x(one.value, scale), y)
            self._paint_marker(painter, place, at, doubtful=bool(one.doubt))

    def _paint_bar(
        self,
        painter: QPainter,
        number: int,
        one: PremiumEstimate | None,
        y: float,
        scale: tuple[float, float],
    ) -> None:
        """Paints a bar on a track, its interval, and its value after it."""
        theme = self.theme
        left, right = float(self._left), self._width - VALUE_ROOM
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.sunken)
        painter.drawRoundedRect(QRectF(left, y - 4, right - left, 8), 4, 4)
        if one is None:
            return
        colour = theme.dim if one.doubt else theme.identity(self.plot.series[number].colour).full
        painter.setBrush(colour)
        painter.drawRoundedRect(
            QRectF(left, y - 4, max(self._x(one.value, scale) - left, 8), 8), 4, 4
        )
        if one.low is not None and one.high is not None:
            painter.setPen(QPen(theme.ink, 1.5))
            low, high = self._x(one.low, scale), self._x(one.high, scale)
            painter.drawLine(QPointF(low, y), QPointF(high, y))
            for end in (low, high):
                painter.drawLine(QPointF(end, y - 2), QPointF(end, y + 2))
        painter.setFont(number_font(TEXT_SIZE, QFont.Weight.DemiBold))
        painter.setPen(theme.dim if one.doubt else theme.ink)
        room = QRectF(right, y - 10, VALUE_ROOM - 2, 20)
        text = f"{SIGN} {one.value:.2f}" if one.doubt else f"{one.value:.2f}"
        right_side = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(room, right_side, text)

    def _paint_marker(
        self, painter: QPainter, place: int, at: QPointF, doubtful: bool = False
    ) -> None:
        identity = self.theme.identity(self.plot.series[place].colour)
        if doubtful:
            identity = replace(identity, full=self.theme.dim, hollow=True)
        box = QRectF(at.x() - MARKER / 2, at.y() - MARKER / 2, MARKER, MARKER)
        paint_marker(painter, box, identity, self.theme.surface)

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
        top = self._top + self.row * self._row_height
        drawn, bottom = self._scale_drawn, top + self._row_height
        self.row_reached.emit(round(top * drawn), round(bottom * drawn))
        place = self.mapToGlobal(QPoint(round(self._left * drawn), round(bottom * drawn)))
        QToolTip.showText(place, as_tip(self.plot.reading(self.row)), self)

    def _row_at(self, y: int) -> int:
        row = (int(y / self._scale_drawn) - self._top) // self._row_height
        return row if 0 <= row < len(self.plot.rows) else -1

    def _point_at(self, row: int) -> None:
        if row != self.row:
            self.row = row
            self.update()
