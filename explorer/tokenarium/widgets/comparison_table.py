"""The table of a comparison: as high as its rows, sorted by a click on a heading, copied with Ctrl+C."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from tokenarium.models.comparison_model import ComparisonModel
from tokenarium.theme import GRID
from tokenarium.widgets.flat_table import make_flat

ROW_HEIGHT = 4 * GRID
HEADING_HEIGHT = 7 * GRID
COLUMN_WIDTH = 10 * GRID
"""At least: figures that change do not move the columns beside them."""


class ComparisonTable(QTableView):
    """Rows of figures; what a heading means is told on hover. The names stay while the figures scroll."""

    def __init__(self, model: ComparisonModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.comparison = model
        self.setModel(model)
        make_flat(self)
        self.setAccessibleName("Figures of each tokenizer")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        names = self.verticalHeader()
        names.setDefaultSectionSize(ROW_HEIGHT)
        names.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        names.setHighlightSections(False)
        heading = self.horizontalHeader()
        heading.setSortIndicatorClearable(True)
        heading.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        heading.setHighlightSections(False)
        heading.setFixedHeight(HEADING_HEIGHT)
        self.setSortingEnabled(True)
        model.modelReset.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        """Makes room for all rows, and each column as wide as its heading."""
        bar = self.horizontalScrollBar().sizeHint().height()
        rows = max(self.comparison.rowCount(), 1)
        self.setFixedHeight(HEADING_HEIGHT + rows * ROW_HEIGHT + bar)
        heading = self.horizontalHeader()
        for column in range(self.comparison.columnCount()):
            text = str(self.comparison.headerData(column, Qt.Orientation.Horizontal))
            widths = [heading.fontMetrics().horizontalAdvance(line) for line in text.split("\n")]
            self.setColumnWidth(column, max(max(widths) + 3 * GRID, COLUMN_WIDTH))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.comparison.as_text())
        else:
            super().keyPressEvent(event)
