"""The pieces of a step of Unigram as a table: which were removed, which stay, and by how much."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QTableView, QWidget

from tokenarium.models.merges.piece_tables import COUNTED, StepPieces
from tokenarium.models.titled_columns import RIGHT, Index, TitledColumns
from tokenarium.style.theme import GRID, Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.flat_table import make_table

PIECE, SCORE, COUNT, LOSS, FATE = range(5)
LEAST_FATE = 28 * GRID
"""Pixels for the longest sentence about the fate of a piece."""
ABOUT = {
    SCORE: "The natural logarithm of the probability of the piece: after the step, or before it if it is removed",
    COUNT: "How often EM expects the piece in the corpus, or how often the best cuts of all words use it",
    LOSS: "How much less likely a token of the corpus is estimated to be without the piece; pruning removes the pieces with the smallest loss",
}


class StepPieceRows(TitledColumns):
    """A row for each piece from before a step."""

    columns = ("Piece", "Score", "Count", "Loss", "What happened to it")
    numbers = (SCORE, COUNT, LOSS)

    def __init__(self) -> None:
        super().__init__()
        self.theme: Theme  # set by its table
        self.pieces: StepPieces | None = None
        self._rows = range(0)

    def set_pieces(self, pieces: StepPieces | None) -> None:
        """Lists the pieces of a step."""
        self.beginResetModel()
        self.pieces = pieces
        self._rows = range(len(pieces) if pieces is not None else 0)
        self.endResetModel()

    def head(self, section: int) -> str:
        if section == COUNT and self.pieces is not None:
            return COUNTED.get(self.pieces.kind, "Count")
        return super().head(section)

    def head_tip(self, section: int) -> str | None:
        return ABOUT.get(section)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        pieces, row, column = self.pieces, index.row(), index.column()
        if pieces is None or not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            if column == PIECE:
                return pieces.text(row)
            if column == FATE:
                return pieces.fate(row)
            value = (pieces.scores, pieces.counts, pieces.losses)[column - 1][row]
            if np.isnan(value) or (column == COUNT and pieces.kind not in COUNTED):
                return ""
            return (f"{value:,.2f}" if column != LOSS else f"{value:.2e}").replace("-", "−")
        if role == Qt.ItemDataRole.ToolTipRole and column == FATE:
            return pieces.fate(row)
        if role == Qt.ItemDataRole.TextAlignmentRole and column in self.numbers:
            return RIGHT
        if role == Qt.ItemDataRole.ForegroundRole and column == FATE and not pieces.kept[row]:
            return self.theme.bad
        return None


class StepPiecesTable(Themed, QTableView):
    """The table, with the removed pieces first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = StepPieceRows()
        self.follow_theme()
        make_table(self, "Pieces of the step", self.rows, -1)
        header = self.horizontalHeader()
        header.setStretchLastSection(False)
        for column, width in ((PIECE, 14), (SCORE, 9), (COUNT, 11), (LOSS, 11)):
            header.resizeSection(column, width * GRID)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def _share_width(self) -> None:
        """Gives the last column the remaining width, but at least what its sentences need."""
        header = self.horizontalHeader()
        taken = header.length() - header.sectionSize(FATE)
        header.resizeSection(FATE, max(self.viewport().width() - taken, LEAST_FATE))

    def show_pieces(self, pieces: StepPieces | None) -> None:
        """Shows the pieces of a step from the top."""
        self.rows.set_pieces(pieces)
        none = pieces is None or pieces.kind != "pruning"
        self.setColumnHidden(LOSS, none)
        self.setColumnHidden(COUNT, pieces is None or pieces.kind not in COUNTED)
        self._share_width()
        self.scrollToTop()

    def dress(self, theme: Theme) -> None:
        self.rows.theme = theme
