"""The tables of a vocabulary's entries and of its merges; rows are made only when visible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QItemSelectionModel, QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from tokenarium.models.text.qt_text import into_qt
from tokenarium.models.titled_columns import Index
from tokenarium.models.vocabulary.merge_list import (
    LEFT_TEXT,
    MADE_TEXT,
    RIGHT_TEXT,
    MergeListModel,
)
from tokenarium.models.vocabulary.vocabulary_table import (
    BYTES,
    ID,
    INDICATOR,
    PIECE,
    VALUE,
    VocabularyTable,
)
from tokenarium.style.fonts import mono_font
from tokenarium.style.theme import GRID
from tokenarium.widgets.flat_table import make_headings_flat

WIDTHS = (8, 13, 11, 10, 8, 8, 7, 8, 11, 9, 12)
"""The least widths of the columns, in grids."""

GROWING = {PIECE: 25, BYTES: 34}
"""The columns that share the remaining room with the last one, and how many grids each may grow by."""

MERGE_WIDTHS = (9, 9, 9, 9, 12, 12, 14, 24)
MERGE_GROWING = {LEFT_TEXT: 16, RIGHT_TEXT: 16, MADE_TEXT: 20}
"""The same for the table of merges."""

DECORATION = QSize(1, 1)
"""The size of an empty decoration of cells, whose room is their margin; a style sheet would be slower."""

LEFT_MARGIN, RIGHT_MARGIN = 10, 3
"""Pixels that Qt then leaves in a cell."""

ROW_HEIGHT, LOW_ROW = 5 * GRID, 7 * GRID // 2
"""Pixels of a row, and of one in a low table."""

FEWEST_ROWS = 10
"""In a table with room for fewer rows, the rows are low."""

MOST_COPIED = 10_000
"""The most rows that can be copied; an export has no limit."""


class RowTable(QTableView):
    """Rows of a vocabulary or of merges; its page sorts them after a click on a heading.

    ``growing``: the columns that share the remaining room with the last one, and how many grids each may grow by.
    """

    sort_wanted = Signal(int, bool)  # a column, and whether the largest come first
    pointed = Signal(int)  # the id of the new current entry
    menu_requested = Signal(int, QPoint)  # an id, a place on the screen

    def __init__(
        self,
        name: str,
        entries: VocabularyTable | MergeListModel,
        widths: Sequence[int],
        growing: Mapping[int, int],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._rows = entries
        self._widths, self._growing = widths, growing
        entries.setParent(self)
        self.setModel(entries)
        make_headings_flat(self, LEFT_MARGIN, RIGHT_MARGIN)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        rows = self.verticalHeader()
        rows.setVisible(False)
        rows.setMinimumSectionSize(LOW_ROW)
        rows.setDefaultSectionSize(ROW_HEIGHT)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        heads = self.horizontalHeader()
        heads.setHighlightSections(False)
        heads.setMinimumSectionSize(4 * GRID)
        heads.setMinimumHeight(ROW_HEIGHT)
        heads.setSortIndicatorShown(True)
        heads.setSortIndicator(ID, Qt.SortOrder.AscendingOrder)
        heads.setSectionsClickable(True)
        heads.setStretchLastSection(True)
        for column, width in enumerate(widths):
            self.setColumnWidth(column, width * GRID)
        heads.sectionClicked.connect(self._sort)
        heads.sectionResized.connect(self._keep_width)
        self._sorted = (ID, False)
        self._own_widths = False
        self._sharing = False

    def initViewItemOption(self, option: QStyleOptionViewItem) -> None:
        super().initViewItemOption(option)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
        option.decorationSize = DECORATION

    @property
    def full_width(self) -> int:
        """The width in pixels at which no column is cut off."""
        return (self._shown_widths + 1) * GRID + self.verticalScrollBar().sizeHint().width()

    @property
    def _shown_widths(self) -> int:
        """The least widths of the visible columns, in grids."""
        return sum(
            width for index, width in enumerate(self._widths) if not self.isColumnHidden(index)
        )

    @property
    def current(self) -> int:
        """The id of the current entry, -1 if there is none."""
        return self._rows.token(self.currentIndex().row())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()
        height = LOW_ROW if self.height() < FEWEST_ROWS * ROW_HEIGHT else ROW_HEIGHT
        if height != self.verticalHeader().defaultSectionSize():
            self.verticalHeader().setDefaultSectionSize(height)
            self.horizontalHeader().setMinimumHeight(height)
            if self.currentIndex().isValid():
                self.scrollTo(self.currentIndex())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints hairlines between the rows; Qt's grid has vertical lines too."""
        super().paintEvent(event)
        viewport, height = self.viewport(), self.verticalHeader().defaultSectionSize()
        top = self.rowViewportPosition(max(self.rowAt(0), 0))
        bottom = min(top + self._rows.rowCount() * height, viewport.height())
        painter = QPainter(viewport)
        for line in range(top + height - 1, bottom, height):
            painter.fillRect(0, line, viewport.width(), 1, self.palette().mid())
        painter.end()

    def _share_room(self) -> None:
        """Gives the remaining room to pieces and bytes, unless the user has resized a column."""
        if self._own_widths:
            return
        self._sharing = True
        spare = max(self.viewport().width() - self._shown_widths * GRID, 0)
        for column, most in self._growing.items():
            more = min(spare // (len(self._growing) + 1), most * GRID)
            self.setColumnWidth(column, self._widths[column] * GRID + more)
        self._sharing = False

    def _keep_width(self, column: int) -> None:
        if not self._sharing and column in self._growing:
            self._own_widths = True

    def sort_by(self, column: int, descending: bool) -> None:
        """Shows the direction of sorting in a heading."""
        self._sorted = (column, descending)
        order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicator(column, order)

    def go_to(self, row: int) -> None:
        """Makes a row current, and scrolls to it."""
        index = self._rows.index(row, min(self._growing))
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        self.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)

    def copied(self) -> str:
        """Returns the selected rows with tabs between cells, after the headings; numbers are written for programs."""
        rows = sorted({index.row() for index in self.selectionModel().selectedRows()})
        shown = [n for n in range(self._rows.columnCount()) if not self.isColumnHidden(n)]
        heads = [str(self._rows.headerData(n, Qt.Orientation.Horizontal)) for n in shown]
        lines = [[self._rows.copied_cell(row, n) for n in shown] for row in rows[:MOST_COPIED]]
        return "".join("\t".join(line) + "\n" for line in [heads, *lines])

    @property
    def at_top(self) -> bool:
        """Whether the current row is the first, or there is none."""
        return self.currentIndex().row() <= 0

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        self.pointed.emit(self._rows.token(current.row()))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Asks for the menu of the entry under the pointer, or of the current one."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        token = self.current if by_key else self._rows.token(self.rowAt(event.pos().y()))
        if token >= 0:
            self.menu_requested.emit(token, self._below() if by_key else event.globalPos())

    def _below(self) -> QPoint:
        """The point under the current row, on the screen."""
        return self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).bottomLeft())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current >= 0:
            self.menu_requested.emit(self.current, self._below())
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(into_qt(self.copied()))
            return
        if event.key() == Qt.Key.Key_Up and self.at_top:
            event.ignore()  # the page goes to the field above
            return
        others = event.modifiers() & ~Qt.KeyboardModifier.ControlModifier
        if not others and event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End):
            last = self._rows.rowCount() - 1
            if last >= 0:  # of the rows, as rows are selected, not cells
                self.go_to(0 if event.key() == Qt.Key.Key_Home else last)
            return
        super().keyPressEvent(event)

    def _sort(self, column: int) -> None:
        descending = self._sorted == (column, False)
        self.sort_wanted.emit(column, descending)


class EntryTable(RowTable):
    """Rows of entries."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.entries = VocabularyTable(mono_font())
        super().__init__("Entries of the vocabulary", self.entries, WIDTHS, GROWING, parent)
        self.setColumnHidden(INDICATOR, True)

    def show_indicators(self, shown: bool) -> None:
        """Shows or hides the column of how well a model was trained on each entry."""
        if self.isColumnHidden(INDICATOR) == shown:
            self.setColumnHidden(INDICATOR, not shown)
            self._share_room()

    def show_values(self, shown: bool) -> None:
        """Shows or hides the column of ranks or scores."""
        self.setColumnHidden(VALUE, not shown)


class MergeListTable(RowTable):
    """Rows of merges; a double click on a side or on the result shows its entry."""

    entry_wanted = Signal(int)  # an id

    def __init__(self, parent: QWidget | None = None) -> None:
        self.merges = MergeListModel(mono_font())
        super().__init__("Merges", self.merges, MERGE_WIDTHS, MERGE_GROWING, parent)
        self.doubleClicked.connect(self._show_entry)

    def _show_entry(self, index: Index) -> None:
        token = self.merges.token_at(index.row(), index.column())
        if token >= 0:
            self.entry_wanted.emit(token)
