"""A list of rows with columns, chosen by their numbers."""

from __future__ import annotations

from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

from tokenarium.widgets.flat_table import make_flat


class RowList(QTreeWidget):
    """Base of lists with no levels."""

    def __init__(self) -> None:
        super().__init__()
        make_flat(self)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)

    @property
    def row(self) -> int:
        """The number of the chosen row; -1 where none is."""
        current = self.currentItem()
        return self.indexOfTopLevelItem(current) if current is not None else -1

    def choose(self, row: int) -> None:
        """Chooses a row."""
        self.setCurrentItem(self.item(row))

    def item(self, row: int) -> QTreeWidgetItem:
        """Returns the item of a row; IndexError where there is none."""
        item = self.topLevelItem(row)
        if item is None:
            raise IndexError(f"There is no row {row}.")
        return item
