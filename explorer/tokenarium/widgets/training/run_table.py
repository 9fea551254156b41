"""The runs of an experiment in figures: a row for each, with a best figure in bold if it is unique.

A run that loses text is not compared with others.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QTreeWidgetItem

from tokenarium.models.text.lost_text import SAYS
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.training.training_queue import RUN_COLUMNS, QueuedTraining
from tokenarium.style.shapes import marker_icon
from tokenarium.style.theme import Theme
from tokenarium.widgets.flat_table import FlatTree

COMPARED = (3, 4)
"""The columns with bytes per token."""


class RunTable(FlatTree):
    """Shows the figures of runs; the number of a run is the data of its row."""

    def __init__(self) -> None:
        heads = [name for name, _ in RUN_COLUMNS]
        super().__init__("Runs in figures", heads, numbers=range(1, len(heads)), growing=(0,))
        self.header().setSectionsMovable(False)
        for place, (_, meaning) in enumerate(RUN_COLUMNS):
            self.headerItem().setToolTip(place, meaning)

    def show_runs(
        self, runs: Sequence[QueuedTraining], chosen: QueuedTraining | None, theme: Theme
    ) -> None:
        """Shows these runs; the row of ``chosen`` is the current one."""
        rows = [(run, run.cells()) for run in runs]
        best: dict[int, str] = {}
        for place in COMPARED:
            values = [cells[place] for run, cells in rows if cells[place] != "–" and not run.loses]
            if len(values) > 1 and values.count(max(values, key=float)) == 1:
                best[place] = max(values, key=float)
        with QSignalBlocker(self):
            self.clear()
            for run, cells in rows:
                item = self._row(run, cells, best, theme)
                self.addTopLevelItem(item)
                if run is chosen:
                    self.setCurrentItem(item)

    def _row(
        self, run: QueuedTraining, cells: list[str], best: dict[int, str], theme: Theme
    ) -> QTreeWidgetItem:
        item = self.row_of(cells)
        item.setIcon(0, marker_icon(theme.identity(run.identity)))
        item.setData(0, Qt.ItemDataRole.UserRole, str(run.number))
        item.setToolTip(0, as_tip(run.status))
        for place in range(1, len(cells)):
            if place in COMPARED and run.loses and cells[place] != "–":
                item.setForeground(place, theme.dim)
                item.setToolTip(
                    place, as_tip(f"It {run.loses}: it is not compared with other runs. {SAYS}")
                )
            elif best.get(place) == cells[place]:
                font = item.font(place)
                font.setBold(True)
                item.setFont(place, font)
                item.setToolTip(place, "The most bytes per token of the runs that lose no text")
        return item
