"""A treemap: the groups of a chart as rectangles, each as large as its bar is long."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import cast

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from tokenarium.models.bars import GroupedBars
from tokenarium.models.chart import Chart, Curve
from tokenarium.models.treemap import squarify
from tokenarium.theme import GRID, SMALL_SIZE, TEXT_SIZE, Theme, ui_font
from tokenarium.widgets.chart_canvas import Canvas
from tokenarium.widgets.focus_ring import paint_focus_ring
from tokenarium.widgets.plot import Plot

LEAST_LETTERS = 3
"""A name that is cut short to fewer tells nothing."""


class TreemapPlot(Plot):
    """A chart of one series of `GroupedBars` as a treemap: the pointer or the arrow keys tell, click or Enter pick."""

    picked = Signal(int)  # the place of a group

    def __init__(self, title: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(title, theme, parent)
        self.map.picked.connect(self.picked)

    def _make_canvas(self, theme: Theme) -> Canvas:
        return Treemap(theme)

    @property
    def map(self) -> Treemap:
        """What draws the rectangles."""
        return cast(Treemap, self.canvas)

    def _legend(self) -> Sequence[Curve]:
        return ()  # its colours only part the rectangles

    def _read(self, at: float | None) -> None:
        chart = self.chart
        if at is None or not isinstance(chart, GroupedBars) or at >= len(chart.names):
            self.reading.setText("")
            return
        place = int(at)
        bar = chart.series[0].bars[place]
        self.reading.setText(f"{chart.names[place]}: {bar.told if bar is not None else 'none'}")


class Treemap(Canvas):
    """The rectangles, the largest at the top left."""

    picked = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._chart: GroupedBars | None = None
        self.places: list[QRectF] = []
        self.current: int | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_chart(self, chart: Chart) -> None:
        if not isinstance(chart, GroupedBars):
            raise TypeError("Only grouped bars can be drawn here.")
        self._chart = chart
        self._go_to(None)
        self._lay()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay()

    def _lay(self) -> None:
        if self._chart is None:
            return
        areas = [bar.end if bar is not None else 0.0 for bar in self._chart.series[0].bars]
        bounds = (0.0, float(GRID), float(self.width()), max(0.0, float(self.height() - GRID)))
        self.places = [QRectF(*place) for place in squarify(areas, bounds)]
        self.update()

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.panel)
        if self._chart is not None:
            for number, place in enumerate(self.places):
                self._paint(painter, self._chart, number, place)
        if self.current is not None and self.current < len(self.places):
            painter.setPen(QPen(self._theme.accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.places[self.current].adjusted(1, 1, -2, -2))
        else:
            paint_focus_ring(painter, self, self._theme)
        painter.end()

    def _paint(self, painter: QPainter, chart: GroupedBars, number: int, place: QRectF) -> None:
        gap = 1 if min(place.width(), place.height()) > 3 else 0
        tokens = self._theme.tokens
        painter.fillRect(place.adjusted(0, 0, -gap, -gap), tokens[number % len(tokens)])
        inside = place.adjusted(GRID // 2, GRID // 4, -GRID // 2, -GRID // 4)
        painter.setPen(self._theme.text)
        bar = chart.series[0].bars[number]
        told = bar.told if bar is not None else ""
        share = told.partition(", ")[2]
        top = inside.top()
        for sizes, texts in (
            ((TEXT_SIZE, SMALL_SIZE), (chart.names[number],)),
            ((SMALL_SIZE,), (told, share, share.partition(" of ")[0])),
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

    def at(self, x: float, y: float) -> int | None:
        """Returns the group at a place of the widget, None where there is none."""
        return next((n for n, place in enumerate(self.places) if place.contains(x, y)), None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        found = self.at(event.position().x(), event.position().y())
        self._go_to(found)
        if found is None or self._chart is None:
            QToolTip.hideText()
            return
        lines = [self._chart.names[found], self._chart.about[found], *self._chart.told(found)]
        text = "<br>".join(escape(line) for line in lines if line)
        text = f"<p style='white-space:pre'>{text}</p>"
        QToolTip.showText(event.globalPosition().toPoint(), text, self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        found = self.at(event.position().x(), event.position().y())
        if found is not None and event.button() == Qt.MouseButton.LeftButton:
            self._go_to(found)
            self.picked.emit(found)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._go_to(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._go_to(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        last = len(self.places) - 1
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}
        steps |= {Qt.Key.Key_Home: -last, Qt.Key.Key_End: last + 1}
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current is not None:
            self.picked.emit(self.current)
        elif key in steps and last >= 0:
            now = -1 if self.current is None else self.current
            self._go_to(max(0, min(now + steps[key], last)))
        else:
            super().keyPressEvent(event)

    def _go_to(self, number: int | None) -> None:
        if number != self.current:
            self.current = number
            self.update()
        self.read.emit(number)


def _fitting(sizes: Sequence[int], texts: Sequence[str], width: float) -> tuple[int, str] | None:
    """Returns the first size and text that fit, else a single text cut short; None where that says too little."""
    for text in texts:
        for size in sizes:
            if QFontMetrics(ui_font(size)).horizontalAdvance(text) <= width:
                return size, text
    if len(texts) > 1:
        return None  # numbers that are cut short would be others
    metrics = QFontMetrics(ui_font(sizes[-1]))
    elided = metrics.elidedText(texts[-1], Qt.TextElideMode.ElideRight, int(width))
    return (sizes[-1], elided) if len(elided) > LEAST_LETTERS else None
