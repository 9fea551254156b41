"""The views of the overlap of vocabularies: a matrix of all pairs, and lists of entries."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QTableView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from tokenarium.analyses.parts import PairCell, PairMatrix, PieceList
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.vocabulary.vocabulary_table import PieceListModel
from tokenarium.style.palette import mix
from tokenarium.style.shapes import marker_icon
from tokenarium.style.theme import CARD_GAP, CARD_MARGIN, GRID
from tokenarium.style.themed import Themed
from tokenarium.widgets.flat_table import make_flat
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import CardFrame, ElidedLabel, strong

ROW_HEIGHT = 5 * GRID
WIDTH = 16 * GRID
LEAST_WIDTH = 13 * GRID
"""Pixels of a column."""

ID_WIDTH = 8 * GRID
"""Pixels of the ids in the lists."""

ENTRY_HEIGHT = 3 * GRID
"""Pixels of a row of the lists."""


class MatrixView(Themed, QTableWidget):
    """A `PairMatrix` that shows all its columns, as long as their figures have room."""

    chosen = Signal(object)
    """The keys of two tokenizers."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._keys: Sequence[str] = ()
        make_flat(self)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setShowGrid(False)
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.currentCellChanged.connect(self._pick)

    def show_part(self, matrix: PairMatrix) -> None:
        """Shows a matrix; the chosen pair stays, or is the first one."""
        selected = self.key
        self.blockSignals(True)
        self.clear()
        self._keys = matrix.keys
        count = len(self._keys)
        self.setRowCount(count)
        self.setColumnCount(count)
        for index, (name, colour) in enumerate(zip(matrix.names, matrix.colours, strict=True)):
            for put in (self.setHorizontalHeaderItem, self.setVerticalHeaderItem):
                head = QTableWidgetItem(name)
                head.setIcon(marker_icon(self.theme.identity(colour)))
                put(index, head)
            for number, cell in enumerate(matrix.cells[index]):
                self.setItem(index, number, self._cell(cell))
        self.fit_columns()
        bar = self.horizontalScrollBar().sizeHint().height()
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + count * ROW_HEIGHT + bar)
        self.blockSignals(False)
        if not (selected and self.choose(selected)) and count > 1:
            self.choose((self._keys[0], self._keys[1]))

    def _cell(self, cell: PairCell) -> QTableWidgetItem:
        item = QTableWidgetItem(cell.text)
        item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setToolTip(as_tip(cell.tip))
        if cell.share < 0:
            item.setForeground(self.theme.dim)
        else:
            item.setBackground(mix(self.theme.surface, self.theme.accent, 0.3 * cell.share))
        return item

    @property
    def key(self) -> tuple[str, str] | None:
        """The keys of the chosen pair."""
        row, column = self.currentRow(), self.currentColumn()
        return (self._keys[row], self._keys[column]) if row >= 0 and row != column else None

    def choose(self, pair: tuple[str, str]) -> bool:
        """Chooses two tokenizers by their keys; returns whether both are there."""
        if not set(pair) <= set(self._keys) or pair[0] == pair[1]:
            return False
        self.setCurrentCell(*(self._keys.index(key) for key in pair))
        return True

    def _pick(self) -> None:
        if self.key is not None:
            self.chosen.emit(self.key)

    def fit_columns(self) -> None:
        """Divides the width among the columns."""
        count = self.columnCount()
        room = self.width() - self.verticalHeader().sizeHint().width()
        for number in range(count):
            self.setColumnWidth(number, min(max(room // count, LEAST_WIDTH), WIDTH))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()


class PieceListsView(QWidget):
    """Three `PieceList` side by side, each in a card."""

    entry_activated = Signal(int, str)
    """An id, and the key of its tokenizer."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._keys = ["", "", ""]
        self.titles = [strong(ElidedLabel()) for _ in self._keys]
        self.models = [PieceListModel() for _ in self._keys]
        self.lists = [_list(model) for model in self.models]
        row = in_row(into=self, spacing=CARD_GAP)
        for place, (title, view) in enumerate(zip(self.titles, self.lists, strict=True)):
            card = CardFrame()
            in_column(title, (view, 1), into=card, spacing=GRID, margins=CARD_MARGIN)
            row.addWidget(card, 1)
            view.activated.connect(lambda index, place=place: self._activate(place, index))

    def show_part(self, lists: Sequence[PieceList]) -> None:
        """Shows lists."""
        for index, shown in enumerate(lists):
            self._keys[index] = shown.key
            self.titles[index].setText(f"{len(shown.pieces):,} {shown.title}")
            self.lists[index].setAccessibleName(f"Entries {shown.title}")
            self.models[index].set_rows(shown.pieces, shown.ids)
            self.lists[index].scrollToTop()

    def _activate(self, place: int, index: QModelIndex) -> None:
        self.entry_activated.emit(self.models[place].token(index), self._keys[place])


def _list(model: PieceListModel) -> QTableView:
    """Returns a view of pieces: a table, as Qt's lists and trees would first lay out all 200,000 rows."""
    view = QTableView(showGrid=False, wordWrap=False)
    view.setModel(model)
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setTabKeyNavigation(False)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.horizontalHeader().hide()
    view.horizontalHeader().setSectionResizeMode(
        1, QHeaderView.ResizeMode.Stretch
    )  # however narrow the view is
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.verticalHeader().setDefaultSectionSize(ENTRY_HEIGHT)
    view.setColumnWidth(0, ID_WIDTH)
    view.setMinimumHeight(12 * GRID)
    make_flat(view)
    return view
