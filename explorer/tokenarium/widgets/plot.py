"""Draws a chart with pyqtgraph in the colours of the theme, tells its values, and takes it out as a file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QPainter,
    QPaintEvent,
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
from tokenarium.models.chart import Chart, shown_number
from tokenarium.theme import GRID, SMALL_SIZE, Theme, ui_font
from tokenarium.widgets.chart_canvas import NOTHING, Canvas, ChartCanvas, curve_pen
from tokenarium.widgets.panel import ElidedLabel, menu_button, secondary, strong

KINDS = "Picture (*.png);;Vectors (*.svg);;Table (*.csv)"
KEY_LINE = 2 * GRID


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
        return ChartCanvas(theme)

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
            painter.setPen(curve_pen(self._theme, curve.colour, curve.dashed))
            painter.drawLine(place.left(), middle, place.left() + 2 * GRID, middle)
            painter.setPen(self._theme.faint)
            painter.drawText(place.adjusted(2 * GRID + GRID // 2, 0, GRID, 0), flags, curve.title)
        painter.end()
