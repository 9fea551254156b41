"""A table of scripts: how many characters each has, and how many of them have a token of their own."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTreeWidgetItem

from tokenarium.models.text.piece import whole_percent
from tokenarium.models.titled_columns import RIGHT
from tokenarium.style.theme import GRID
from tokenarium.widgets.flat_table import FlatTree

SCRIPT, ASSIGNED, FIRST = range(3)
LEAST_NAME = 12 * GRID
"""The least pixels of the names of scripts."""

_VALUE = Qt.ItemDataRole.UserRole


class ScriptTable(FlatTree):
    """A row for each script, sortable by any column; one row is current."""

    script_picked = Signal(int)

    def __init__(self) -> None:
        super().__init__("Characters with a token of their own, by script", ())
        self.setSortingEnabled(True)
        self.sortByColumn(FIRST, Qt.SortOrder.DescendingOrder)
        self.header().setMinimumSectionSize(8 * GRID)
        self.currentItemChanged.connect(self._tell)

    def show_rows(
        self, titles: Sequence[str], rows: Sequence[tuple[int, str, int, Sequence[int]]]
    ) -> None:
        """Shows rows of a script, its name, its number of characters, and how many of them each tokenizer has."""
        current = self.script
        with QSignalBlocker(self):
            self.setCurrentIndex(
                QModelIndex()
            )  # otherwise each removed row would make the next one current
            self.clear()
            self.setColumnCount(FIRST + len(titles))
            self.setHeaderLabels(["Script", "Characters", *titles])
            head = self.headerItem()
            head.setToolTip(ASSIGNED, "Characters that Unicode assigns to the script")
            for column in range(ASSIGNED, FIRST + len(titles)):
                head.setTextAlignment(column, RIGHT)
            for column, title in enumerate(titles, FIRST):
                head.setToolTip(column, f"Characters that are an entry of {title} alone")
            for number, name, assigned, owns in rows:
                item = _Row([name, f"{assigned:,}", *(_share(own, assigned) for own in owns)])
                item.setData(SCRIPT, _VALUE, number)
                item.setToolTip(SCRIPT, name)
                for column, value in enumerate((assigned, *owns), ASSIGNED):
                    item.setData(column, _VALUE, value)
                    item.setTextAlignment(column, RIGHT)
                self.addTopLevelItem(item)
            header = self.header()
            header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
            header.setSectionResizeMode(SCRIPT, QHeaderView.ResizeMode.Fixed)
            self._fit()
            if header.sortIndicatorSection() >= FIRST + len(titles):
                self.sortByColumn(FIRST, Qt.SortOrder.DescendingOrder)
        self.choose(current)

    def _fit(self) -> None:
        """Gives the names of the scripts their width, or less if the figures need it."""
        header = self.header()
        figures = sum(header.sectionSize(column) for column in range(ASSIGNED, header.count()))
        room = max(self.viewport().width() - figures, LEAST_NAME)
        self.setColumnWidth(SCRIPT, min(self.sizeHintForColumn(SCRIPT), room))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @property
    def script(self) -> int:
        """The current script, -1 for none."""
        item = self.currentItem()
        return -1 if item is None else int(item.data(SCRIPT, _VALUE))

    def choose(self, script: int) -> None:
        """Makes the row of a script current, or the first row."""
        rows = (self.topLevelItem(row) for row in range(self.topLevelItemCount()))
        items = [item for item in rows if item is not None]
        matches = [item for item in items if item.data(SCRIPT, _VALUE) == script] or items[:1]
        if matches:
            self.setCurrentItem(matches[0])
            self.scrollToItem(matches[0])

    def _tell(self) -> None:
        if self.currentItem() is not None:
            self.script_picked.emit(self.script)


class _Row(QTreeWidgetItem):
    """A row that sorts numbers as numbers, and the largest of equal shares first."""

    def __lt__(self, other: QTreeWidgetItem) -> bool:
        tree = self.treeWidget()
        column = tree.sortColumn() if tree is not None else SCRIPT
        if column == SCRIPT:
            return self.text(SCRIPT) < other.text(SCRIPT)
        return int(self.data(column, _VALUE)) < int(other.data(column, _VALUE))


def _share(own: int, assigned: int) -> str:
    return f"{own:,} · {whole_percent(own, assigned)}" if own else "0"
