"""Draws a chart with pyqtgraph in the colours of the theme, tells its values, and takes it out as a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from tokenarium.models.charts.chart import Chart, Curve, shown_number
from tokenarium.models.files import chosen_path, write_whole
from tokenarium.style.theme import GRID, Theme
from tokenarium.widgets.charts.chart_canvas import NOTHING, Canvas, ChartCanvas
from tokenarium.widgets.charts.chart_sheet import SUFFIXES, save_sheet
from tokenarium.widgets.charts.plot_key import PlotKey
from tokenarium.widgets.panel import ElidedLabel, menu_button, secondary, strong
from tokenarium_core import TokenariumError

KINDS = "Picture (*.png);;Vectors (*.svg);;Table (*.csv)"


class Plot(QWidget):
    """A title with a legend and a menu over the drawing.

    Pointing at it, or the arrow keys, tell the values at a place. Charts that follow one another reuse
    what is drawn, so that a live one costs little.
    """

    problem = Signal(str)  # a file that cannot be written
    saved = Signal(object)  # the path of a file that was

    def __init__(self, title: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.chart = NOTHING
        self.title = title
        self._theme = theme
        self.setAccessibleName(title)
        self._key = PlotKey(theme)
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
        self._title = strong(QLabel(title))
        head.addWidget(self._title)
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

    def set_title(self, title: str) -> None:
        """Names what it shows."""
        self.title = title
        self._title.setText(title)
        for widget in (self, self.canvas):
            widget.setAccessibleName(title)
        self.more.setAccessibleName(f"Save the chart “{title}”")

    def _make_canvas(self, theme: Theme) -> Canvas:
        return ChartCanvas(theme)

    def sizeHint(self) -> QSize:
        return QSize(50 * GRID, 28 * GRID)

    def show_chart(self, chart: Chart, note: str = "") -> None:
        """Draws a chart; ``note`` is what is said in the place of an empty one."""
        self.chart = chart
        self.note.setText(note)
        self.more.setEnabled(not chart.empty)
        self._body.show_page(self.note if chart.empty else self.canvas)
        self._key.set_curves(chart.curves)
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
            path = chosen_path(name, f".{suffix}", *SUFFIXES)
            try:
                self.save(path)
            except TokenariumError as error:
                self.problem.emit(str(error))
            else:
                self.saved.emit(path)

    def save(self, path: Path) -> None:
        """Writes the chart, as its suffix says: .png, .svg or .csv; TokenariumError where it cannot be."""
        if path.suffix.lower() == ".csv":
            write_whole(path, self.chart.table())
            return
        canvas = self._make_canvas(self._theme)
        canvas.show_chart(self.chart)
        size = QSize(self.canvas.width(), max(self.canvas.height(), canvas.whole_height()))
        save_sheet(path, self.title, self._legend(), canvas, size, self._theme)

    def _legend(self) -> Sequence[Curve]:
        """What the legend of a file tells."""
        return self.chart.curves

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
