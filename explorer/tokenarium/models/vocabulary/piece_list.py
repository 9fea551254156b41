"""A list of pieces with their ids, made for a view row by row: a vocabulary has hundreds of thousands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt

from tokenarium.models.text.direction import in_its_direction
from tokenarium.models.text.piece import hexadecimal, readable
from tokenarium.models.titled_columns import RIGHT, Index, TitledColumns
from tokenarium.style.theme import mono_font


class PieceListModel(TitledColumns):
    """Rows of an id and a piece."""

    columns = ("Id", "Piece")

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[bytes] = ()
        self._ids: Mapping[bytes, int] = {}
        self._mono = mono_font()

    def set_rows(self, rows: Sequence[bytes], ids: Mapping[bytes, int]) -> None:
        """Shows other pieces, with the ids that a vocabulary has for them."""
        self.beginResetModel()
        self._rows, self._ids = rows, ids
        self.endResetModel()

    def token(self, index: Index) -> int:
        """Returns the id in a row."""
        return self._ids[self._rows[index.row()]]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        piece = self._rows[index.row()]
        first = index.column() == 0
        if role == Qt.ItemDataRole.DisplayRole:
            return str(self._ids[piece]) if first else in_its_direction(readable(piece), piece)
        if role == Qt.ItemDataRole.TextAlignmentRole and first:
            return RIGHT
        if role == Qt.ItemDataRole.FontRole and first:
            return self._mono
        if role == Qt.ItemDataRole.ToolTipRole:
            unit = "byte" if len(piece) == 1 else "bytes"
            return (
                f"id {self._ids[piece]} · {len(piece)} {unit}: {hexadecimal(piece, 24)}\n"
                "Enter or a double click shows it in the vocabulary."
            )
        return None
