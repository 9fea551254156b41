"""The merges of a training as a table: those that are done, and those to come."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QModelIndex,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from tokenarium.models.merges.training_story import BYTES, TrainingStory
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.titled_columns import RIGHT, Index, TitledColumns
from tokenarium.style.fonts import TEXT_SIZE, ui_font
from tokenarium.style.theme import GRID, Theme
from tokenarium.widgets.flat_table import make_flat

COLUMNS = ("Merge", "Left", "Right", "Piece", "Places")
TERMS = {0: "merge", 1: "symbol", 2: "symbol", 3: "piece"}
NUMBERS = (0, 4)
NUMBER_WIDTH = 8 * GRID
"""Pixels of a column of numbers; the pieces share the rest."""

MEASURED = 3000
"""The most merges whose texts are measured for the widths of the columns."""

CELL_MARGIN = 2.0 * GRID
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
PIECE = 3


class MergeRows(TitledColumns):
    """A row for each merge, read from the story when it is visible."""

    columns = COLUMNS
    terms = TERMS

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.position = 0
        self._story: TrainingStory | None = None
        self._rows = range(0)
        self._underlined = ui_font(TEXT_SIZE)
        self._underlined.setUnderline(True)

    def set_story(self, story: TrainingStory | None) -> None:
        """Lists the merges of another training."""
        self.beginResetModel()
        self._story, self.position = story, 0
        self._rows = range(len(story) if story is not None else 0)
        self.endResetModel()

    def set_position(self, position: int) -> None:
        """Shows this many merges as done."""
        first, last = sorted((self.position, position))
        self.position = position
        if first < last:
            self.dataChanged.emit(self.index(first, 0), self.index(last - 1, len(COLUMNS) - 1))

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if section in NUMBERS else LEFT
        return super().headerData(section, orientation, role)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        story, row, column = self._story, index.row(), index.column()
        if story is None or not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            if column in NUMBERS:
                return f"{row + 1 if column == 0 else int(story.counts[row]):,}"
            tokens = (0, int(story.lefts[row]), int(story.rights[row]), BYTES + row)
            return story.text(tokens[column])
        if role == Qt.ItemDataRole.TextAlignmentRole and column in NUMBERS:
            return RIGHT
        if role == Qt.ItemDataRole.ForegroundRole and row >= self.position:
            return self.theme.dim
        if column == PIECE and story.is_superword(BYTES + row):
            if role == Qt.ItemDataRole.FontRole:
                return self._underlined
            if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
                text = f"{story.text(BYTES + row)}, a superword"
                return as_tip(text) if role == Qt.ItemDataRole.ToolTipRole else text
        return None


class LearnedMergesTable(QTableView):
    """The table; choosing a row goes to its merge."""

    picked = Signal(int)  # the number of merges up to this one

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Merges")
        self.setToolTip("Choose a merge to go there")
        self.rows = MergeRows(theme)
        make_flat(self)
        self.setModel(self.rows)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(3 * GRID)
        self.verticalHeader().setMinimumSectionSize(GRID)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(5 * GRID)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._wanted = [0.0] * len(COLUMNS)
        self.selectionModel().currentRowChanged.connect(
            lambda now, _: self.picked.emit(now.row() + 1) if now.isValid() else None
        )

    def set_story(self, story: TrainingStory | None) -> None:
        """Lists the merges of another training."""
        self.rows.set_story(story)
        metrics, self._wanted = self.fontMetrics(), [0.0] * len(COLUMNS)
        for column in range(len(COLUMNS)):
            shown = (
                self.rows.data(self.rows.index(row, column))
                for row in range(min(self.rows.rowCount(), MEASURED))
            )
            widest = max((metrics.horizontalAdvance(str(text)) for text in shown), default=0)
            self._wanted[column] = max(widest + CELL_MARGIN, 5.0 * GRID)
        self._share_width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()
        index = self.currentIndex()
        if index.isValid():
            self.scrollTo(index)

    def _share_width(self) -> None:
        """Gives each column of pieces what its longest one needs, and the rest in equal parts; long ones shrink first."""
        pieces = [column for column in range(len(COLUMNS)) if column not in NUMBERS]
        room = float(self.viewport().width() - len(NUMBERS) * NUMBER_WIDTH)
        widths = dict.fromkeys(NUMBERS, float(NUMBER_WIDTH))
        wanted = {column: self._wanted[column] for column in pieces}
        spare = room - sum(wanted.values())
        if spare >= 0:
            widths |= {column: width + spare / len(pieces) for column, width in wanted.items()}
        else:
            left = pieces[:]
            for column in sorted(pieces, key=wanted.__getitem__):
                widths[column] = min(wanted[column], room / len(left))
                room -= widths[column]
                left.remove(column)
        for column, width in widths.items():
            self.horizontalHeader().resizeSection(column, max(3 * GRID, int(width)))

    def set_theme(self, theme: Theme) -> None:
        """Shows other colours."""
        self.rows.theme = theme
        self.viewport().update()

    def show_position(self, position: int) -> None:
        """Chooses the last merge that is done; emits nothing."""
        self.rows.set_position(position)
        with QSignalBlocker(self.selectionModel()):
            if position:
                index = self.rows.index(position - 1, 0)
                self.setCurrentIndex(index)
                self.scrollTo(index)
            else:
                self.clearSelection()
                self.setCurrentIndex(QModelIndex())
                self.scrollToTop()
        self.viewport().update()
