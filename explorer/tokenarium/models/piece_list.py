"""A list of pieces with their ids, made for a view row by row: a vocabulary has hundreds of thousands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from tokenarium.models.direction import in_its_direction
from tokenarium.models.piece import hexadecimal, readable

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class PieceListModel(QAbstractListModel):
    """Rows of an id and a piece."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[tuple[int, bytes]] = ()

    def set_rows(self, rows: Sequence[tuple[int, bytes]]) -> None:
        """Shows other pieces, with their ids."""
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def token(self, index: Index) -> int:
        """Returns the id in a row."""
        return self._rows[index.row()][0]

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        token, piece = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{token:>7}  {in_its_direction(readable(piece), piece)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"id {token:,} · {len(piece)} bytes: {hexadecimal(piece, 24)}\nEnter or a double click shows it in the vocabulary."
        return None
