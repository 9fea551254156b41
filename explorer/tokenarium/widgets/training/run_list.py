"""The trainings of a window, one below the other: their names, and how far each is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem

from tokenarium.models.training.training_queue import QueuedTraining, RunState
from tokenarium.style.theme import GRID
from tokenarium.widgets.flat_table import RowList

SHOWN_ROWS = 4


class RunList(RowList):
    """A row a training; the chosen one is shown below. Delete cancels one that waits, and clears one that is over."""

    chosen = Signal(object)
    delete_pressed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._runs: list[QueuedTraining] = []
        self.setAccessibleName("Trainings")
        self.setHeaderHidden(True)
        self.setColumnCount(2)
        self.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.setToolTip("Delete takes a training off the list; what it made stays")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.currentItemChanged.connect(lambda *_: self._choose())

    @property
    def current(self) -> QueuedTraining | None:
        """The training of the chosen row."""
        row = self.row
        return self._runs[row] if 0 <= row < len(self._runs) else None

    def show_runs(self, runs: Sequence[QueuedTraining]) -> None:
        """Shows the trainings; a new one is chosen, else the one that was."""
        before, known = self.current, self._runs
        self._runs = list(runs)
        with QSignalBlocker(self):
            while self.topLevelItemCount() > len(runs):
                self.takeTopLevelItem(self.topLevelItemCount() - 1)
            while self.topLevelItemCount() < len(runs):
                self.addTopLevelItem(QTreeWidgetItem())
            for row, run in enumerate(runs):
                self._fill(self.item(row), run)
            new = [run for run in runs if run not in known]
            wanted = new[-1] if new else before if before in self._runs else None
            if wanted is None and runs:
                wanted = runs[-1]
            if wanted is not None:
                self.choose(self._runs.index(wanted))
        row = max(self.sizeHintForRow(0), 2 * GRID)
        self.setFixedHeight(min(max(len(runs), 1), SHOWN_ROWS) * row + GRID)
        if wanted is not before:
            self._choose()

    def show_progress(self, run: QueuedTraining) -> None:
        """Shows how far one is."""
        if run in self._runs:
            self._fill(self.item(self._runs.index(run)), run)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and self.current is not None:
            self.delete_pressed.emit(self.current)
            return
        super().keyPressEvent(event)

    def _choose(self) -> None:
        self.chosen.emit(self.current)

    def _fill(self, item: QTreeWidgetItem, run: QueuedTraining) -> None:
        state: str = run.state.value
        if run.state is RunState.TRAINING and run.progress is not None:
            known = f" {run.progress.fraction:.0%}" if run.progress.fraction else ""
            state = f"{run.progress.phase}{known}"
        for column, text in enumerate((run.name, state)):
            if item.text(column) != text:
                item.setText(column, text)
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
