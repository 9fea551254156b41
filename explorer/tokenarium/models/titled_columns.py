"""Base of tables with a few titled columns; a subclass gives their cells."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from tokenarium.resources.glossary import explanation

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
"""The alignment of numbers in a cell."""
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
"""The alignment of text."""


class TitledColumns(QAbstractTableModel):
    """A row for each item of ``_rows``, under the titles of ``columns``."""

    columns: ClassVar[tuple[str, ...]]
    terms: ClassVar[Mapping[int, str]] = {}  # of the glossary, by column: what a head says on hover
    numbers: Collection[int] | None = None
    """Columns whose heads are at the right, and the others at the left; None: all as Qt has them."""
    _rows: Sequence[object]

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.head(section)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.head_tip(section)
        return self.head_alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def head(self, section: int) -> str:
        """Returns the title of a column."""
        return self.columns[section]

    def head_tip(self, section: int) -> str | None:
        """Returns what the head of a column says on hover."""
        return explanation(self.terms[section]) if section in self.terms else None

    def head_alignment(self, section: int) -> Qt.AlignmentFlag | None:
        """Returns the alignment of the head of a column; None for that of its view."""
        if self.numbers is None:
            return None
        return RIGHT if section in self.numbers else LEFT
