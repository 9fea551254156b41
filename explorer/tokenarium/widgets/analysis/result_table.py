"""The view of a `Table`: sortable, with marked changes in texts, and with fewer columns if it is narrow."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPainter, QResizeEvent, QTextDocument
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidgetItem,
)

from tokenarium.analyses.table import Table, TableCell
from tokenarium.models.text.marked import MarkedPart
from tokenarium.models.text.piece import readable
from tokenarium.models.text.qt_text import as_tip
from tokenarium.style.fonts import TEXT_SIZE, reading_font
from tokenarium.style.shapes import marker_icon
from tokenarium.style.theme import GRID
from tokenarium.style.themed import Themed
from tokenarium.widgets.flat_table import ROW_HEIGHT, FlatTree, TermHeads

KEY = Qt.ItemDataRole.UserRole
CELL = Qt.ItemDataRole.UserRole + 1

NARROW = 68 * GRID
"""Pixels: a narrower table leaves columns out."""

READABLE = 24 * GRID
"""Pixels that a column of texts or names gets, if it needs them, before all others are shown."""

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ResultTable(Themed, FlatTree):
    """A row for each row of a `Table`, which is shown by `show_part`."""

    chosen = Signal(str)
    """The key of the row that is now the current one."""
    activated_row = Signal(str)
    """The key of a row that was clicked, or chosen with Enter."""

    def __init__(self, name: str) -> None:
        super().__init__(name, [])
        self._spare: list[int] = []
        self._growing: list[int] = []
        self._heads = TermHeads([], {})
        self.setHeaderItem(self._heads)
        self._marked = _MarkedDelegate(self)
        self.setAllColumnsShowFocus(True)
        self.itemActivated.connect(lambda row, _: self.activated_row.emit(row.data(0, KEY)))
        self.itemClicked.connect(lambda row, _: self.activated_row.emit(row.data(0, KEY)))
        self.currentItemChanged.connect(
            lambda row, _: self.chosen.emit(row.data(0, KEY)) if row is not None else None
        )

    def show_part(self, table: Table[object]) -> None:
        """Shows a table; keeps the current row if the new table has it."""
        selected = self.key
        self._marked.forget()
        self.setSortingEnabled(False)
        self.blockSignals(True)
        self.clear()
        self._show_heads(table)
        self.addTopLevelItems([self._row(table, row) for row in table.rows])
        self._leave_out()
        if table.sortable:
            self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
            self.setSortingEnabled(True)
        rows = min(max(len(table.rows), 1), table.seen)
        self.setFixedHeight((rows + 1) * ROW_HEIGHT + (2 + 3 * table.scrolls) * GRID)
        self.blockSignals(False)
        if table.sortable and table.rows and not self.choose(selected):
            self.setCurrentIndex(self.model().index(0, 0))

    def _show_heads(self, table: Table[object]) -> None:
        columns = table.shown
        heads = self._heads
        heads.terms = {at: column.term for at, column in enumerate(columns) if column.term}
        self.setColumnCount(len(columns))
        header = self.header()
        self._spare = [at for at, column in enumerate(columns) if column.spare]
        self._growing = [at for at, column in enumerate(columns) if column.grows]
        modes = QHeaderView.ResizeMode
        for at, column in enumerate(columns):
            header.setSectionResizeMode(at, modes.ResizeToContents)
            heads.setText(at, column.title or "")
            heads.setTextAlignment(at, RIGHT if column.number else LEFT)
            heads.setToolTip(at, as_tip(column.tip))
            marker = marker_icon(self.theme.identity(column.colour)) if column.colour >= 0 else None
            heads.setIcon(at, marker or QIcon())
            if column.grows:
                header.setSectionResizeMode(
                    at, modes.Interactive if table.scrolls else modes.Stretch
                )
                if table.scrolls:
                    self.setColumnWidth(at, 28 * GRID)
        if table.sortable:
            header.setMinimumSectionSize(6 * GRID)

    def _row(self, table: Table[object], row: object) -> QTreeWidgetItem:
        item = _SortedRow()
        item.setData(0, KEY, table.key(row))
        for at, column in enumerate(table.shown):
            cell = column.cell(row)
            item.setData(at, CELL, cell)
            item.setToolTip(at, as_tip(cell.tip))
            item.setTextAlignment(at, RIGHT if column.number else LEFT)
            if cell.colour >= 0:
                item.setIcon(at, marker_icon(self.theme.identity(cell.colour)))
            if cell.marked is None:
                item.setText(at, cell.text)
            else:
                item.setData(at, Qt.ItemDataRole.AccessibleTextRole, cell.text[:200])
                self.setItemDelegateForColumn(at, self._marked)
        return item

    @property
    def key(self) -> str:
        """The key of the current row, or ""."""
        item = self.currentItem()
        return item.data(0, KEY) if item is not None else ""

    def choose(self, key: str) -> bool:
        """Makes the row of a key the current one; returns whether there is one."""
        for place in range(self.topLevelItemCount()):
            item = self.topLevelItem(place)
            if item is not None and item.data(0, KEY) == key:
                self.setCurrentItem(item)
                return True
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._leave_out()

    def _leave_out(self) -> None:
        """Hides spare columns in a narrow table, and the first of them as long as those that grow are too narrow to read."""
        for at in range(self.columnCount()):
            self.setColumnHidden(at, at in self._spare and self.width() < NARROW)
        if not self._growing:
            return
        wanted = {at: self._wanted(at) for at in range(self.columnCount())}
        equal = min(max(wanted[at] for at in self._growing), READABLE)
        wanted |= dict.fromkeys(self._growing, equal)  # they share what the others leave
        for at in self._spare:
            shown = (width for at, width in wanted.items() if not self.isColumnHidden(at))
            if sum(shown) <= self.viewport().width():
                return
            self.setColumnHidden(at, True)

    def _wanted(self, at: int) -> int:
        return max(self.sizeHintForColumn(at), self.header().sectionSizeHint(at))


class _SortedRow(QTreeWidgetItem):
    """A row that is sorted by the sort keys of its cells, not by their texts."""

    def __lt__(self, other: QTreeWidgetItem) -> bool:
        tree = self.treeWidget()
        column = tree.sortColumn() if tree is not None else 0
        mine, theirs = (one.data(column, CELL).sorted_by for one in (self, other))
        return bool(mine < theirs)


class _MarkedDelegate(QStyledItemDelegate):
    """Paints a text, its changed parts with the background of a question."""

    def __init__(self, table: ResultTable) -> None:
        super().__init__(table)
        self._table = table
        self._document = QTextDocument()
        self._document.setDocumentMargin(0)
        self._parts: dict[str, str] = {}  # HTML by text, computed when a row is first visible

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        own = QStyleOptionViewItem(option)
        self.initStyleOption(own, index)
        own.text = ""
        style = own.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, own, painter, own.widget)
        theme = self._table.theme
        chosen = bool(own.state & QStyle.StateFlag.State_Selected) and own.widget.hasFocus()
        ink = theme.on_accent if chosen else theme.ink
        mark = f"background-color:{theme.ask_ground.name()};color:{theme.ask.name()}"
        self._document.setDefaultFont(reading_font(TEXT_SIZE + 1))
        html = self._html(index.data(CELL)).replace("<i>", f'<span style="{mark}">')
        self._document.setHtml(f'<span style="color:{ink.name()};white-space:pre">{html}</span>')
        rect = QRectF(own.rect).adjusted(GRID, 0, -GRID, 0)
        painter.save()
        painter.setClipRect(rect)
        top = rect.top() + (rect.height() - self._document.size().height()) / 2
        painter.translate(rect.left(), top)
        self._document.drawContents(painter)
        painter.restore()

    def forget(self) -> None:
        """Forgets the HTML of an earlier table."""
        self._parts.clear()

    def _html(self, cell: TableCell) -> str:
        """Returns the text of a cell, its changed parts in ``<i>…</span>``."""
        if cell.text not in self._parts:
            parts = cell.marked() if cell.marked is not None else []
            self._parts[cell.text] = "".join(map(self._written, parts))
        return self._parts[cell.text]

    @staticmethod
    def _written(part: MarkedPart) -> str:
        shown = readable(part.text.encode("utf-8", "replace"), 240) if part.changed else part.text
        text = escape(shown.replace("\n", "⏎")).replace(" ", "&nbsp;")
        return f"<i>{text}</span>" if part.changed else text

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(30 * GRID, ROW_HEIGHT)
