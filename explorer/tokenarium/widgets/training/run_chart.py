"""The curves of runs in one chart: bytes per token at each vocabulary size, with a line to drag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QStackedWidget, QWidget

from tokenarium.models.charts.chart import ChartCurve
from tokenarium.models.csv_text import csv_text
from tokenarium.models.merges.size_scale import SizeCurve, SizeScale
from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.theme import GRID, Identity, Theme
from tokenarium.widgets.charts.plot import SavedChart
from tokenarium.widgets.charts.size_chart import ReferenceLine, SizeChart, values_at
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import ElidedLabel, heading, named, secondary
from tokenarium.widgets.segmented import Segmented
from tokenarium.widgets.zoom_area import ZoomArea

UNSEEN, OWN = 0, 1
"""The texts to measure on: held-out text, or the training text."""


class RunChart(SavedChart):
    """The curves of an experiment; ``moved`` emits the size that its line is dragged to."""

    moved = Signal(int)
    text_chosen = Signal(int)  # UNSEEN or OWN

    def __init__(self) -> None:
        super().__init__("Bytes per token")
        self.key.hide()
        self.heading.hide()
        self.measured = secondary(ElidedLabel())
        self.measured.setFont(ui_font(SMALL_SIZE))
        self.texts = named(Segmented(["Unseen text", "Training text"]), "Which text is measured")
        self.chart = SizeChart(from_zero=False)
        self.chart.moved.connect(self.moved)
        self.texts.chosen.connect(self.text_chosen)
        self.note = secondary(QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter))
        self._pages = QStackedWidget()
        self._pages.addWidget(self.note)
        self._pages.addWidget(ZoomArea(self.chart))
        head = in_row(
            heading("Bytes per token"), (self.measured, 1), self.texts, self.more, spacing=GRID
        )
        in_column(head, (self._pages, 1), into=self, spacing=GRID // 2)

    def sizeHint(self) -> QSize:
        return QSize(70 * GRID, 40 * GRID)

    def show_curves(
        self,
        curves: Sequence[SizeCurve],
        about: str,
        references: Sequence[ReferenceLine],
        note: str,
        most: int = 0,
    ) -> None:
        """Draws curves from the start of the first, to at least ``most`` entries.

        ``note`` is shown if there are none.
        """
        drawn = [curve for curve in curves if len(curve.sizes)]
        self.measured.setText(about)
        self.note.setText(note)
        self.more.setEnabled(bool(drawn))
        self._pages.setCurrentIndex(int(bool(drawn)))
        if not drawn:
            return
        least = min(int(curve.sizes[0]) for curve in drawn)
        most = max(most, *(int(curve.sizes[-1]) for curve in drawn))
        if least == most:  # a single size, in the middle
            least, most = max(1, most // 2), most * 2
        self.chart.show_curves(drawn, SizeScale(least, most), "", references)

    def show_size(self, size: int | None) -> None:
        """Moves the line to a size."""
        curves = self.chart.drawing.curves
        values = [values_at(curve, size) if size is not None else None for curve in curves]
        self.chart.show_size(size, values)

    # Files.

    def drawing_widget(self) -> QWidget:
        return self.chart.drawing

    def table(self) -> str:
        rows = [["run", "entries", "bytes per token"]]
        for curve in self.chart.drawing.curves:
            rows += [
                [curve.name, str(size), repr(float(value))]
                for size, value in zip(curve.sizes.tolist(), curve.values.tolist(), strict=True)
            ]
        for line in self.chart.drawing.references:
            rows.append([line.name, "", repr(line.value)])
        return csv_text(rows)

    def legend(self) -> Sequence[ChartCurve]:
        return ()  # names are at the ends of the curves

    def copy_for_file(self, theme: Theme) -> tuple[QWidget, QSize, bool]:
        copy = SizeChart(from_zero=False)
        self.copy_to(copy, theme)
        return copy, self.chart.size().expandedTo(QSize(60 * GRID, 34 * GRID)), True

    def copy_to(self, chart: SizeChart, theme: Theme) -> None:
        """Draws the same curves in a second chart, in the colours of its theme."""
        shown = self.chart.drawing
        curves = [
            replace(curve, identity=_in_theme(curve.identity, theme)) for curve in shown.curves
        ]
        chart.show_curves(curves, shown.scale, "", shown.references)

    def about(self) -> str:
        return f"{self.title} by vocabulary size, {self.measured.text()}"


def _in_theme(identity: Identity, theme: Theme) -> Identity:
    """Returns the same identity in the colours of another theme."""
    same = next(one for one in theme.identities if one.marker is identity.marker)
    return replace(same, hollow=identity.hollow)
