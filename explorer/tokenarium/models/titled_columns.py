"""Base of tables with a few titled columns; a subclass gives their cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from tokenarium.resources.glossary import explanation

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
"""The alignment of numbers in a cell."""


class TitledColumns(QAbstractTableModel):
    """A row for each item of ``_rows``, under the titles of ``columns``."""

    columns: ClassVar[tuple[str, ...]]
    terms: ClassVar[Mapping[int, str]] = {}  # of the glossary, by column: what a head says on hover
    _rows: Sequence[object]

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self.columns[section]
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.ToolTipRole:
            return explanation(self.terms[section]) if section in self.terms else None
        return None
