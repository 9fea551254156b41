"""The base of charts whose groups are inspected and picked by pointer or keys."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QToolTip, QWidget

from tokenarium.models.charts.chart import Chart, GroupedBars
from tokenarium.widgets.charts.chart_canvas import Canvas
from tokenarium.widgets.charts.plot import Plot


class GroupCanvas(Canvas):
    """Base of drawings of `GroupedBars`: the pointer or the keys show the values of a group.

    A click or Space chooses a group, which stays marked; a double click or Enter opens it; Escape chooses none.
    """

    picked = Signal(int)  # the index of the chosen group; -1: none
    opened = Signal(int)  # the index of a group

    def __init__(self) -> None:
        super().__init__()
        self._chart: GroupedBars | None = None
        self.current: int | None = None
        self.chosen: int | None = None
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    # For subclasses.

    def group_at(self, place: QPoint) -> int | None:
        """Returns the group at a place of the widget, or None."""
        raise NotImplementedError

    def _steps(self, last: int) -> Mapping[Qt.Key, int]:
        """Returns the keys that go to other groups, with their steps; ``last`` is the last group."""
        raise NotImplementedError

    def _mark_current(self) -> None:
        """Marks the current group and the chosen one, if there are any."""
        raise NotImplementedError

    def _show_current(self) -> None:
        """Scrolls to the current group, if the drawing scrolls."""

    # Reading and picking.

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        group = self.group_at(event.position().toPoint())
        self._go_to(group)
        if group is None or self._chart is None:
            QToolTip.hideText()
            return
        lines = [f"<b>{escape(self._chart.names[group])}</b>"]
        if self._chart.about[group]:
            lines.append(f"<i>{escape(self._chart.about[group])}</i>")
        lines += map(escape, self._chart.values(group))
        lines.append("<i>Double click: its entries</i>")
        text = f"<p style='white-space:pre'>{'<br>'.join(lines)}</p>"
        QToolTip.showText(event.globalPosition().toPoint(), text, self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        group = self.group_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton:
            self._go_to(group)
            self._pick(group)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        group = self.group_at(event.position().toPoint())
        if group is not None and event.button() == Qt.MouseButton.LeftButton:
            self.opened.emit(group)

    def choose(self, group: int | None) -> None:
        """Marks a group as the chosen one, or none."""
        self.chosen = group
        self._mark_current()

    def _pick(self, group: int | None) -> None:
        if group != self.chosen:
            self.choose(group)
            self.picked.emit(-1 if group is None else group)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._go_to(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._go_to(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        last = len(self._chart.names) - 1 if self._chart is not None else -1
        steps = {**self._steps(last), Qt.Key.Key_Home: -last, Qt.Key.Key_End: last + 1}
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current is not None:
            self.opened.emit(self.current)
        elif key == Qt.Key.Key_Space and self.current is not None:
            self._pick(self.current)
        elif key == Qt.Key.Key_Escape and self.chosen is not None:
            self._pick(None)
        elif key in steps and last >= 0:
            now = -1 if self.current is None else self.current
            self._go_to(max(0, min(now + steps[key], last)))
            self._show_current()
        else:
            super().keyPressEvent(event)

    def _go_to(self, group: int | None) -> None:
        self.current = group
        self._mark_current()
        self.read.emit(self.chosen if group is None else group)


class GroupPlot(Plot):
    """A chart of `GroupedBars`, whose title line shows the values of the current group."""

    signs = True
    picked = Signal(int)  # see `GroupCanvas`
    opened = Signal(int)

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        assert isinstance(self.canvas, GroupCanvas)
        self.canvas.picked.connect(self.picked)
        self.canvas.opened.connect(self.opened)

    def _read(self, at: float | None) -> None:
        chart = self.chart
        if at is None or not isinstance(chart, GroupedBars) or at >= len(chart.names):
            self.reading.setText("")
            return
        self.reading.setText(f"{chart.names[int(at)]}: {self._reading(chart, int(at))}")

    def _reading(self, chart: GroupedBars, place: int) -> str:
        """Returns the values of a group in one line, without their total, which the axis names."""
        return "; ".join(line.partition(" of the ")[0] for line in chart.values(place))


def grouped(chart: Chart) -> GroupedBars:
    """Returns a chart as `GroupedBars`; raises TypeError for other kinds."""
    if not isinstance(chart, GroupedBars):
        raise TypeError("Only grouped bars can be drawn here.")
    return chart
