"""The steps of a training as a table: past and future ones."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QModelIndex,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from tokenarium.models.merges.training_story import TrainingStory
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.titled_columns import RIGHT, ROOT, Index, TitledColumns
from tokenarium.resources.glossary import explanation
from tokenarium.style.fonts import TEXT_SIZE, ui_font
from tokenarium.style.theme import GRID, Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.flat_table import make_table

NUMBER_WIDTH = 11 * GRID
"""The most pixels of a column of numbers; the pieces share the rest."""

COLUMNS = 7
"""The most columns of a story; missing ones are hidden."""

PIECE = 4
"""The column that says which piece a merge made."""

READ, MEASURED = 400, 12
"""About how many evenly spread rows are read for the widths of columns; their longest texts are measured."""

CELL_MARGIN = 2.5 * GRID


class StepRows(TitledColumns):
    """A row for each step, read from the story when it is visible."""

    columns = ()

    def __init__(self) -> None:
        super().__init__()
        self.theme: Theme  # set by its table
        self.position = 0
        self.story: TrainingStory | None = None
        self._rows = range(0)
        self._underlined = ui_font(TEXT_SIZE)
        self._underlined.setUnderline(True)

    def set_story(self, story: TrainingStory | None) -> None:
        """Lists the steps of a training."""
        self.beginResetModel()
        self.story, self.position = story, 0
        if story is not None:
            self.numbers = story.numbers
        self._rows = range(len(story) + 1 - story.first_row if story is not None else 0)
        self.endResetModel()

    def set_position(self, position: int) -> None:
        """Shows this many steps as done."""
        first, last = sorted((self.position, position))
        self.position = position
        if first < last and self._rows:
            end = min(last, len(self._rows) - 1)
            self.dataChanged.emit(
                self.index(max(first - 1, 0), 0), self.index(end, self.columnCount() - 1)
            )

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else COLUMNS

    def head(self, section: int) -> str:
        heads = self.story.heads if self.story is not None else ()
        return heads[section] if section < len(heads) else ""

    def head_tip(self, section: int) -> str | None:
        terms = self.story.terms if self.story is not None else {}
        return explanation(terms[section]) if section in terms else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        story, row, column = self.story, index.row(), index.column()
        if story is None or not index.isValid() or column >= len(story.heads):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return story.cell(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole and column in story.numbers:
            return RIGHT
        if role == Qt.ItemDataRole.ForegroundRole and row + story.first_row > self.position:
            return self.theme.dim
        if column == PIECE and (note := story.note(row)):
            if role == Qt.ItemDataRole.FontRole:
                return self._underlined
            if role == Qt.ItemDataRole.ToolTipRole:
                return as_tip(note)
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return note
        return None


class LearnedMergesTable(Themed, QTableView):
    """The table; choosing a row goes to its merge."""

    picked = Signal(int)  # the step

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setToolTip("Choose a step to go there")
        self.rows = StepRows()
        self.follow_theme()
        make_table(self, "Merges", self.rows)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._wanted: list[float] = []
        self.selectionModel().currentRowChanged.connect(self._pick)

    def _pick(self, now: QModelIndex, _: QModelIndex) -> None:
        story = self.rows.story
        if story is not None and now.isValid():
            self.picked.emit(now.row() + story.first_row)

    def set_story(self, story: TrainingStory | None) -> None:
        """Lists the steps of a training."""
        self.rows.set_story(story)
        self.setAccessibleName(story.unit if story is not None else "Steps")
        count = len(story.heads) if story is not None else 0
        for column in range(COLUMNS):
            self.setColumnHidden(column, column >= count)
        metrics, self._wanted = self.fontMetrics(), [0.0] * count
        for column in range(len(self._wanted)):
            rows = self.rows.rowCount()
            shown = {
                str(self.rows.data(self.rows.index(row, column)))
                for row in range(0, rows, max(1, rows // READ))
            }
            longest = sorted(shown, key=len)[-MEASURED:]
            widest = max((metrics.horizontalAdvance(text) for text in longest), default=0)
            head = metrics.horizontalAdvance(story.heads[column]) + 2 * GRID if story else 0
            self._wanted[column] = max(widest + CELL_MARGIN, head + CELL_MARGIN, 5.0 * GRID)
        self._share_width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()
        index = self.currentIndex()
        if index.isValid():
            self.scrollTo(index)

    def _share_width(self) -> None:
        """Gives each column of pieces the width of its longest piece, and shares the rest.

        Wide columns shrink first.
        """
        story = self.rows.story
        if story is None:
            return
        pieces = [column for column in range(len(story.heads)) if column not in story.numbers]
        fixed = {column: min(self._wanted[column], NUMBER_WIDTH) for column in story.numbers}
        ids = [column for column in pieces if story.heads[column] == "Ids"]
        rest = [column for column in pieces if column not in ids]
        whole = {column: self._wanted[column] for column in ids}
        left_over = self.viewport().width() - sum([*fixed.values(), *whole.values()])
        if left_over >= len(rest) * 7 * GRID:  # truncated ids are useless
            fixed, pieces = fixed | whole, rest
        widths = dict(fixed)
        room = float(self.viewport().width()) - sum(fixed.values())
        needed = {column: self._wanted[column] for column in pieces}
        spare = room - sum(needed.values())
        if spare >= 0:
            widths |= {column: width + spare / len(pieces) for column, width in needed.items()}
        else:
            left = pieces[:]
            for column in sorted(pieces, key=needed.__getitem__):
                widths[column] = min(needed[column], room / len(left))
                room -= widths[column]
                left.remove(column)
        for column, width in widths.items():
            self.horizontalHeader().resizeSection(column, max(3 * GRID, int(width)))

    def dress(self, theme: Theme) -> None:
        self.rows.theme = theme

    def show_position(self, position: int) -> None:
        """Chooses the last merge that is done; emits nothing."""
        self.rows.set_position(position)
        with QSignalBlocker(self.selectionModel()):
            row = position - (self.rows.story.first_row if self.rows.story is not None else 1)
            if row >= 0:
                index = self.rows.index(row, 0)
                self.setCurrentIndex(index)
                self.scrollTo(index)
            else:
                self.clearSelection()
                self.setCurrentIndex(QModelIndex())
                self.scrollToTop()
        self.viewport().update()
