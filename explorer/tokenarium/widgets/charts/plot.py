"""Draws a chart with pyqtgraph in the colours of the theme, shows its values, and saves it as a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from tokenarium.models.charts.chart import Chart, ChartCurve, lower_first, shown_number
from tokenarium.models.charts.figure import FigureSource
from tokenarium.models.files import chosen_path
from tokenarium.style.fonts import HEADING_SIZE, ui_font
from tokenarium.style.theme import CARD_GAP, CARD_MARGIN, GRID, Theme
from tokenarium.widgets.charts.chart_canvas import NOTHING, Canvas, ChartCanvas
from tokenarium.widgets.charts.figure_sheet import KINDS, FigureChart
from tokenarium.widgets.charts.plot_key import PlotKey
from tokenarium.widgets.file_dialogs import ask_new_file
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import CardFrame, ElidedLabel, menu_button, secondary, strong
from tokenarium.widgets.zoom_area import ZoomArea
from tokenarium_core import TokenariumError

if TYPE_CHECKING:
    from tokenarium.widgets.charts.figure_dialog import FigureDialog

SIDE_BY_SIDE = 80 * GRID
"""The least pixels of two charts side by side."""


SAVED = KINDS | {"tex": "LaTeX (*.tex)"}
"""The files that the menu of a chart writes, by their suffixes."""


class SavedChart(FigureChart):
    """Base of charts: a title, a legend ``key``, the menu ``more``, which saves it, and a drawing."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self.key = PlotKey(self.signs)
        self.heading = strong(QLabel(title))
        self.menu = QMenu(self)
        self.menu.addAction("Figure …").triggered.connect(self.open_figure)
        self.menu.addSeparator()
        for suffix in SAVED:
            name = "LaTeX" if suffix == "tex" else suffix.upper()
            self.menu.addAction(f"Save as {name} …").triggered.connect(
                lambda _, kind=suffix: self.ask_and_save(kind)
            )
        self.menu.addSeparator()
        self._code = self.menu.addAction("Copy as Python")
        self._code.triggered.connect(self.copy_code)
        self._code.setToolTip("Copies a program that reproduces the numbers")
        self._code.setEnabled(False)
        self.more = menu_button("Save", f"Save the chart “{title}”", self.menu)
        self.more.setToolTip("Saves what the chart shows, as a picture or as a table")
        self.more.setEnabled(False)
        self.setAccessibleName(title)

    # For subclasses.

    def drawing_widget(self) -> QWidget:
        """Returns the widget of the drawing."""
        raise NotImplementedError

    # Title and files.

    def set_title(self, title: str) -> None:
        """Sets the title."""
        self.title = title
        self.heading.setText(title)
        for widget in (self, self.drawing_widget()):
            widget.setAccessibleName(title)
        self.more.setAccessibleName(f"Save the chart “{title}”")

    def ask_and_save(self, suffix: str) -> None:
        """Asks for a file name and writes the chart there."""
        name, _ = ask_new_file(
            "pictures", self, "Save the chart", f"{self.title}.{suffix}", SAVED[suffix]
        )
        if name:
            path = chosen_path(name, f".{suffix}", *(f".{kind}" for kind in SAVED))
            try:
                self.save(path)
            except TokenariumError as error:
                self.problem.emit(str(error))
            else:
                self.saved.emit(path)

    # Figures.

    def set_source(self, source: FigureSource) -> None:
        """Sets the origin of the numbers, which a figure states."""
        super().set_source(source)
        self._code.setEnabled(source.code is not None)

    def open_figure(self) -> FigureDialog:
        """Opens the dialog that makes a figure of the chart."""
        from tokenarium.widgets.charts.figure_dialog import FigureDialog

        dialog = FigureDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()
        return dialog


class Plot(SavedChart):
    """A title with a legend and a menu, and the drawing.

    The pointer or the arrow keys show the values at a place. A new chart reuses the items of the previous one, so that
    live updates are cheap.
    """

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self.chart = NOTHING
        self.reading = secondary(ElidedLabel())
        self.note = secondary(QLabel())
        self.note.setWordWrap(True)
        self.note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(GRID)
        head.addWidget(self.heading)
        head.addWidget(self.reading, 1)
        head.addWidget(self.more)
        self.canvas = self.make_canvas()
        self.canvas.setAccessibleName(title)
        self.canvas.read.connect(self._read)
        self._body = _Body(self.note, self.canvas)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.key)
        layout.addWidget(ZoomArea(self._body), 1)
        self.setMinimumHeight(24 * GRID)

    @staticmethod
    def make_canvas() -> Canvas:
        """Returns the canvas that draws the chart."""
        return ChartCanvas()

    def sizeHint(self) -> QSize:
        return QSize(50 * GRID, 28 * GRID)

    def show_chart(self, chart: Chart, note: str = "") -> None:
        """Draws a chart; ``note`` is shown instead of an empty one."""
        self.chart = chart
        self.note.setText(note)
        self.more.setEnabled(not chart.empty)
        self._body.show_page(self.note if chart.empty else self.canvas)
        self.key.set_curves(chart.curves)
        self.key.setVisible(len(chart.curves) > 1 and not chart.ends_apart)
        if chart.empty:
            self.reading.setText("")
            return
        self.canvas.show_chart(chart)
        self.canvas.setAccessibleDescription(chart.summary())

    def prepare(self) -> None:
        """Lays out the drawing in advance, so that the first chart is as fast as later ones."""
        if self.canvas.isHidden():
            self.canvas.grab()

    def drawing_widget(self) -> QWidget:
        return self.canvas

    def table(self) -> str:
        return self.chart.table()

    def legend(self) -> Sequence[ChartCurve]:
        return () if self.chart.ends_apart else self.chart.curves

    def names(self) -> Sequence[str]:
        return [curve.title for curve in self.chart.curves]

    def copy_for_file(self, theme: Theme) -> tuple[QWidget, QSize, bool]:
        canvas = self.make_canvas()
        canvas.show_chart(self.chart)
        whole = canvas.whole_height()
        size = QSize(self.canvas.width(), max(self.canvas.height(), whole))
        return canvas, size, not whole

    def about(self) -> str:
        return (
            f"{self.title}: {lower_first(self.chart.y.label)} by {lower_first(self.chart.x.label)}"
        )

    def _read(self, at: float | None) -> None:
        if at is None or self.chart.kind == "bars":
            self.reading.setText("")
            return
        place, heights = self.chart.reading(at)
        values = [
            f"{curve.title} {shown_number(height)}"
            if len(self.chart.curves) > 1
            else shown_number(height)
            for curve, height in heights
        ]
        unit = f" {self.chart.x.unit}" if self.chart.x.unit else ""
        self.reading.setText(
            f"at {shown_number(place)}{unit}: {', '.join(values)} {self.chart.y.unit}"
        )


class _Body(QWidget):
    """Two widgets in the same place, one of which is visible; switching does not lay out the parents."""

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


class PlotPair(QWidget):
    """Lays out two charts according to its width; ``cards``: each in a card, with a title of the size of cards."""

    def __init__(self, one: Plot, other: Plot, cards: bool = False) -> None:
        super().__init__()
        self._row = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(CARD_GAP if cards else 2 * GRID)
        self._places = [_in_card(plot) if cards else plot for plot in (one, other)]
        for place in self._places:
            self._row.addWidget(place, 1)

    def show_other(self, shown: bool) -> None:
        """Shows or hides the second chart."""
        self._places[1].setVisible(shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        direction = QBoxLayout.Direction
        wide = self.width() >= SIDE_BY_SIDE
        self._row.setDirection(direction.LeftToRight if wide else direction.TopToBottom)


def _in_card(plot: Plot) -> QWidget:
    plot.heading.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
    card = CardFrame()
    in_column(plot, into=card, margins=CARD_MARGIN)
    return card
