"""The views of the overlap of vocabularies: a matrix of all pairs, and lists of entries."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from tokenarium.analyses.parts import PairCell, PairMatrix, PieceList
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.vocabulary.vocabulary_table import PieceListModel
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, number_font, ui_font
from tokenarium.style.palette import mix
from tokenarium.style.shapes import paint_marker
from tokenarium.style.theme import CARD_GAP, CARD_MARGIN, CONTROL_RADIUS, GRID, Identity
from tokenarium.style.themed import Themed
from tokenarium.widgets.flat_table import make_flat
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import CHIP_SIZE, CardFrame, ElidedLabel, heading, secondary

ROW_HEIGHT = 6 * GRID
WIDTH = 40 * GRID
LEAST_WIDTH = 13 * GRID
"""Pixels of a column."""

MOST_NAMES = 28 * GRID
"""Pixels of the names before the rows."""

ID_WIDTH = 7 * GRID
"""Pixels of the ids in the lists."""

ENTRY_HEIGHT = 4 * GRID
"""Pixels of a row of the lists."""

SHARE = Qt.ItemDataRole.UserRole
"""The share of a cell, or -1 where a tokenizer meets itself."""

FRAME = 2
"""Pixels of the frame of the chosen pair."""


class MatrixView(Themed, QTableWidget):
    """A `PairMatrix` that shows all its columns, as long as their figures have room."""

    chosen = Signal(object)
    """The keys of two tokenizers."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._keys: Sequence[str] = ()
        self._colours: Sequence[int] = ()
        make_flat(self)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setItemDelegate(_PairDelegate(self))
        self.setHorizontalHeader(_MatrixNames(Qt.Orientation.Horizontal, self))
        self.setVerticalHeader(_MatrixNames(Qt.Orientation.Vertical, self))
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.currentCellChanged.connect(self._pick)

    def show_part(self, matrix: PairMatrix) -> None:
        """Shows a matrix; the chosen pair stays, or is the first one."""
        selected = self.key
        self.blockSignals(True)
        self.clear()
        self._keys, self._colours = matrix.keys, matrix.colours
        count = len(self._keys)
        self.setRowCount(count)
        self.setColumnCount(count)
        for index, name in enumerate(matrix.names):
            for put in (self.setHorizontalHeaderItem, self.setVerticalHeaderItem):
                put(index, QTableWidgetItem(name))
            for number, cell in enumerate(matrix.cells[index]):
                self.setItem(index, number, self._cell(cell))
        self.fit_columns()
        self._fit_height()
        self.blockSignals(False)
        if not (selected and self.choose(selected)) and count > 1:
            self.choose((self._keys[0], self._keys[1]))

    def _cell(self, cell: PairCell) -> QTableWidgetItem:
        item = QTableWidgetItem(cell.text)
        item.setData(SHARE, cell.share)
        item.setToolTip(as_tip(cell.tip))
        return item

    def identity(self, place: int) -> Identity:
        """Returns the looks of a tokenizer by its place."""
        return self.theme.identity(self._colours[place])

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

    def _fit_height(self) -> None:
        columns = sum(self.columnWidth(number) for number in range(self.columnCount()))
        scrolls = columns > self.width() - self.verticalHeader().sizeHint().width()
        bar = self.horizontalScrollBar().sizeHint().height() if scrolls else 0
        heads = self.horizontalHeader().sizeHint().height()
        self.setFixedHeight(heads + self.rowCount() * ROW_HEIGHT + bar)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()
        self._fit_height()


class _MatrixNames(QHeaderView):
    """The names of the tokenizers, each with its marker next to it: above columns at the right, as their numbers are."""

    def __init__(self, orientation: Qt.Orientation, matrix: MatrixView) -> None:
        super().__init__(orientation, matrix)
        self._matrix = matrix
        self._upright = orientation == Qt.Orientation.Vertical
        self.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    def sizeHint(self) -> QSize:
        if not self._upright:
            return QSize(0, 4 * GRID)
        names = [self._name(place) for place in range(self.count())]
        widest = max(map(self.fontMetrics().horizontalAdvance, names), default=0)
        return QSize(min(CHIP_SIZE + GRID + widest + 2 * GRID, MOST_NAMES), 0)

    def _name(self, section: int) -> str:
        return str(self.model().headerData(section, self.orientation()) or "")

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        theme = self._matrix.theme
        painter.save()
        painter.fillRect(rect, theme.surface)
        painter.fillRect(rect.left(), rect.bottom(), rect.width(), 1, theme.line)
        room = QRectF(rect).adjusted(0 if self._upright else GRID, 0, -GRID, 0)
        chip = CHIP_SIZE + GRID
        metrics = self.fontMetrics()
        name = metrics.elidedText(
            self._name(section), Qt.TextElideMode.ElideRight, int(room.width()) - chip
        )
        if not self._upright:
            room.setLeft(room.right() - chip - metrics.horizontalAdvance(name))
        marker = QRectF(room.left(), room.center().y() - CHIP_SIZE / 2, CHIP_SIZE, CHIP_SIZE)
        paint_marker(painter, marker, self._matrix.identity(section))
        painter.setFont(self.font())
        painter.setPen(theme.ink)
        painter.drawText(room.adjusted(chip, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, name)
        painter.restore()


class _PairDelegate(QStyledItemDelegate):
    """Paints the share of a pair over its count, on a ground that is deeper the larger the share; the chosen in a frame."""

    def __init__(self, matrix: MatrixView) -> None:
        super().__init__(matrix)
        self._matrix = matrix

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        theme, rect = self._matrix.theme, QRect(option.rect)
        share, (first, *rest) = float(index.data(SHARE)), str(index.data()).split("\n")
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if share >= 0:
            painter.fillRect(rect, mix(theme.surface, theme.accent, 0.3 * share))
        painter.fillRect(rect.left(), rect.bottom(), rect.width(), 1, theme.line)
        if option.state & QStyle.StateFlag.State_Selected and share >= 0:
            inset = FRAME / 2 + 1
            painter.setPen(QPen(theme.accent, FRAME))
            painter.setBrush(theme.wash)
            frame = QRectF(rect).adjusted(inset, inset, -inset, -inset - 1)
            painter.drawRoundedRect(frame, CONTROL_RADIUS, CONTROL_RADIUS)
        room = rect.adjusted(GRID, 0, -GRID, 0)
        right = Qt.AlignmentFlag.AlignRight
        if rest:
            painter.setFont(number_font(TEXT_SIZE, QFont.Weight.DemiBold))
            painter.setPen(theme.ink)
            painter.drawText(room.adjusted(0, 7, 0, 0), int(right), first)
            painter.setFont(number_font(SMALL_SIZE))
            painter.setPen(theme.dim)
            bottom = int(right | Qt.AlignmentFlag.AlignBottom)
            painter.drawText(room.adjusted(0, 0, 0, -7), bottom, rest[0])
        else:
            painter.setFont(number_font())
            painter.setPen(theme.dim)
            painter.drawText(room, int(right | Qt.AlignmentFlag.AlignVCenter), first)
        painter.restore()


class PieceListsView(QWidget):
    """Three `PieceList` side by side, each in a card."""

    entry_activated = Signal(int, str)
    """An id, and the key of its tokenizer."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._keys = ["", "", ""]
        self.counts = [heading("") for _ in self._keys]
        self.titles = [secondary(ElidedLabel()) for _ in self._keys]
        self.models = [PieceListModel() for _ in self._keys]
        self.lists = [_list(model) for model in self.models]
        row = in_row(into=self, spacing=CARD_GAP)
        titles = zip(self.counts, self.titles, self.lists, strict=True)
        for place, (count, title, view) in enumerate(titles):
            card = CardFrame()
            head = in_row(count, (title, 1), spacing=GRID)
            in_column(head, (view, 1), into=card, spacing=GRID, margins=CARD_MARGIN)
            row.addWidget(card, 1)
            view.activated.connect(lambda index, place=place: self._activate(place, index))

    def show_part(self, lists: Sequence[PieceList]) -> None:
        """Shows lists."""
        for index, shown in enumerate(lists):
            self._keys[index] = shown.key
            self.counts[index].setText(f"{len(shown.pieces):,}")
            self.titles[index].setText(shown.title)
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
