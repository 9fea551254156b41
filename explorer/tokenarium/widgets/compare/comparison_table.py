"""The table of a comparison: as high as its rows, sorted by a click on a heading, copied with Ctrl+C."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from tokenarium.models.compare.comparison_model import ComparisonModel
from tokenarium.style.theme import GRID
from tokenarium.widgets.flat_table import make_flat

ROW_HEIGHT = 4 * GRID
HEADING_HEIGHT = 12 * GRID
COLUMN_WIDTH = 7 * GRID
"""The least pixels of a column, so that changing figures do not move the next columns."""

MARGIN = GRID // 2
MORE_WIDTH = 4 * GRID
"""The most pixels of a column that gets more room than it needs."""

MOST_ROWS = 8
"""The most rows that are visible at once; more of them scroll under their headings."""


class ComparisonTable(QTableView):
    """Rows of figures; headings have tooltips. The names stay while the figures scroll."""

    def __init__(self, model: ComparisonModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.comparison = model
        self.setModel(model)
        make_flat(self, MARGIN)
        self.setAccessibleName("Figures of each tokenizer")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        names = self.verticalHeader()
        names.setDefaultSectionSize(ROW_HEIGHT)
        names.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        names.setHighlightSections(False)
        heading = self.horizontalHeader()
        heading.setSortIndicatorClearable(True)
        heading.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        heading.setHighlightSections(False)
        heading.setFixedHeight(HEADING_HEIGHT)
        # Qt would measure all lines of a heading as one line, and shorten them though each fits.
        heading.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.setSortingEnabled(True)
        model.modelReset.connect(self._fit)
        model.dataChanged.connect(self._grow)
        self._fit()

    def _fit(self) -> None:
        """Sets the height for all rows, and the widths of the columns for their headings and figures, or wider."""
        count = self.comparison.columnCount()
        widths = [self._needed(column) for column in range(count)]
        more = (self.viewport().width() - sum(widths)) // max(count, 1)
        for column, width in enumerate(widths):
            self.setColumnWidth(column, width + min(max(more, 0), MORE_WIDTH))
        bar = self.horizontalScrollBar().sizeHint().height() if more < 0 else 0
        rows = max(self.comparison.rowCount(), 1)
        scrolls = rows > MOST_ROWS
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAlwaysOn if scrolls else policy.ScrollBarAlwaysOff
        )
        self.setFixedHeight(HEADING_HEIGHT + min(rows, MOST_ROWS) * ROW_HEIGHT + bar)

    def _grow(self) -> None:
        """Widens columns whose figures have become longer."""
        columns = range(self.comparison.columnCount())
        if any(self.columnWidth(column) < self._needed(column) for column in columns):
            self._fit()

    def _needed(self, column: int) -> int:
        text = str(self.comparison.headerData(column, Qt.Orientation.Horizontal))
        metrics = self.horizontalHeader().fontMetrics()
        heading = max(metrics.horizontalAdvance(line) for line in text.split("\n"))
        return max(heading + 2 * MARGIN + 2, self.sizeHintForColumn(column), COLUMN_WIDTH)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.comparison.as_text())
        else:
            super().keyPressEvent(event)
