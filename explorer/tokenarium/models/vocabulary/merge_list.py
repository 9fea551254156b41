"""The merges of a tokenizer as a list with ids, ``(101, 32) → 256``: sorted, filtered, shown as a table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Qt

from tokenarium.models.text.direction import in_its_direction
from tokenarium.models.text.piece import piece_text, score_number, score_text
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.titled_columns import RIGHT, Index
from tokenarium.models.vocabulary.vocabulary_columns import Ids, Mask, VocabularyColumns
from tokenarium.models.vocabulary.vocabulary_table import DISPLAY, LEFT, Column, ColumnTable
from tokenarium_core.progress import Progress
from tokenarium_core.trace import NO_PIECE

MERGE_COLUMNS = (
    Column(
        "rank",
        "Rank",
        "Of two merges, the one with the lower rank is made first.",
        RIGHT,
        False,
        "rank",
    ),
    Column(
        "left_id", "Left id", "– stands for a character that is not an entry.", RIGHT, True, "id"
    ),
    Column(
        "right_id", "Right id", "– stands for a character that is not an entry.", RIGHT, True, "id"
    ),
    Column("id", "Id", "The id of the resulting entry.", RIGHT, True, "id"),
    Column("left", "Left", "The symbol on the left side.", LEFT, False, "symbol"),
    Column("right", "Right", "The symbol on the right side.", LEFT, False, "symbol"),
    Column("text", "Entry", "The entry that comes out.", LEFT, False, "piece"),
    Column("written", "Merge", "As code writes it.", LEFT, True, "merge"),
)
"""The columns of the table of merges."""

MERGE, LEFT_ID, RIGHT_ID, MADE_ID, LEFT_TEXT, RIGHT_TEXT, MADE_TEXT, WRITTEN = range(
    len(MERGE_COLUMNS)
)

BY_TEXT = ("left", "right", "text")
"""The columns that are sorted by the bytes of an entry."""

_PAIR = re.compile(r"\s*\(?\s*(\d{1,9})\s*,\s*(\d{1,9})\s*\)?\s*")


def written_merge(left: int, right: int, made: int) -> str:
    """Returns a merge as code writes it.

    >>> written_merge(101, 32, 256)
    '(101, 32) → 256'
    """
    return f"({_id_text(left)}, {_id_text(right)}) → {_id_text(made)}"


def pair_in(line: str) -> tuple[int, int] | None:
    """Returns the two ids of a line that is a pair; None for any other.

    >>> pair_in("(101, 32)"), pair_in("101,32"), pair_in("the")
    ((101, 32), (101, 32), None)
    """
    match = _PAIR.fullmatch(line)
    return (int(match[1]), int(match[2])) if match else None


@dataclass(frozen=True, slots=True)
class MergeItem:
    """One merge: the rank that the model has for it, the ids of both sides, and that of the result."""

    rank: int
    left: int
    right: int
    made: int


class MergeList:
    """The merges of a tokenizer, as `tokenarium_core.merges` has them, in packed columns of ids.

    A row is a place in the order in which merges are made, and ``ranks`` are those of the model, which the players
    show: several rows have one rank where several pairs make one piece. `NO_PIECE` is a character that is not an entry.
    ``columns`` are those of its vocabulary, which has merges.
    """

    def __init__(self, columns: VocabularyColumns) -> None:
        merges = columns.merges
        assert merges is not None
        self.columns = columns
        ranks = np.flatnonzero(merges.results >= 0).astype(np.int32)
        self.ranks = ranks
        if len(merges.priorities):
            ranks = ranks[_sorted_by(merges.priorities[ranks])]
            self.ranks = merges.priorities[ranks]
        count = np.int32(columns.count)
        self.lefts, self.rights, self.results = (
            np.where(side[ranks] < count, side[ranks], np.int32(NO_PIECE))
            for side in (merges.lefts, merges.rights, merges.results)
        )
        self._orders: dict[tuple[str, bool], Ids] = {}

    def __len__(self) -> int:
        return len(self.results)

    @property
    def has_scores(self) -> bool:
        """Whether merges go by the scores of pieces, not by rank."""
        return self.columns.has_scores

    def item(self, row: int) -> MergeItem:
        """Returns the merge at this place of the order."""
        columns = (self.ranks, self.lefts, self.rights, self.results)
        return MergeItem(*(int(column[row]) for column in columns))

    def score(self, token: int) -> float | None:
        """Returns the score by which a piece is merged; None where merges go by rank."""
        return float(self.columns.values[token]) if self.has_scores and token >= 0 else None

    def text(self, token: int) -> str:
        """Returns the text of a symbol; "" for a character that is not an entry."""
        return piece_text(self.columns.vocabulary, token) if token >= 0 else ""

    def order(self, column: str, descending: bool = False) -> Ids:
        """Returns all rows sorted by a column; equal ones in the order in which they are made."""
        key = column, descending
        if key not in self._orders:
            order = np.arange(len(self), dtype=np.int32)
            if column not in ("rank", "written"):
                order = _sorted_by(self._keys(column))
            elif column == "written":
                order = _sorted_by(self.rights)
                order = order[_sorted_by(self.lefts[order])]
            if descending:
                order = np.ascontiguousarray(order[::-1])
            self._orders[key] = order
        return self._orders[key]

    def _keys(self, column: str) -> Ids:
        ids = {
            "left_id": self.lefts,
            "left": self.lefts,
            "right_id": self.rights,
            "right": self.rights,
        }.get(column, self.results)
        if column not in BY_TEXT:
            return ids
        places = np.empty(self.columns.count + 1, np.int32)
        places[self.columns.order("text")] = np.arange(self.columns.count, dtype=np.int32)
        places[-1] = -1  # of a character that is not an entry
        known: Ids = places[np.where(ids < 0, self.columns.count, ids)]
        return known

    def of_entries(self, mask: Mask, rows: Ids) -> Ids:
        """Returns those of some rows whose merge makes an entry of a mask."""
        made = self.results[rows]
        matches: Ids = rows[(made >= 0) & mask[np.maximum(made, 0)]]
        return matches

    def of_pair(self, left: int, right: int, rows: Ids) -> Ids:
        """Returns those of some rows that merge these two ids."""
        matches: Ids = rows[(self.lefts[rows] == left) & (self.rights[rows] == right)]
        return matches


def _sorted_by(keys: npt.NDArray[np.int32]) -> Ids:
    """Returns the places of keys from the smallest on; equal ones in their order.

    By 16 bits at a time, which numpy sorts in a few milliseconds for half a million keys.
    """
    shifted = (keys - keys.min(initial=0)).astype(np.uint32)
    order = np.argsort(shifted.astype(np.uint16), kind="stable").astype(np.int32)
    if shifted.max(initial=0) < 1 << 16:
        return order
    high = (shifted >> 16).astype(np.uint16)[order]
    both: Ids = order[np.argsort(high, kind="stable")]
    return both


class MergeOrders:
    """Sorts a list of merges by each column ahead, in slices, so that a click on a head finds the rows sorted."""

    def __init__(self, merges: MergeList) -> None:
        self._merges = merges
        self._waiting = [column.id for column in MERGE_COLUMNS]

    def step(self, budget_ms: float) -> Progress:
        """Sorts by the next column."""
        merges, waiting = self._merges, self._waiting
        if waiting and (waiting[0] not in BY_TEXT or merges.columns.text_order(False).finished):
            merges.order(waiting.pop(0))
        elif waiting:  # the texts are sorted for the entries at the same time
            merges.columns.text_order(False).step()
        done = len(MERGE_COLUMNS) - len(waiting)
        return Progress("Sorting the merges", done, len(MERGE_COLUMNS), not waiting)


class MergeListModel(ColumnTable):
    """The table of a list of merges; ``rows`` are the places in the list that are shown."""

    columns = tuple(column.title for column in MERGE_COLUMNS)
    described = MERGE_COLUMNS
    scored = MERGE, Column("rank", "Score", "The highest comes first.", RIGHT, True, "score")
    source: MergeList | None

    def item(self, row: int) -> MergeItem | None:
        """Returns the merge in a row; None for a row that does not exist."""
        if self.source is None or not 0 <= row < len(self.rows):
            return None
        return self.source.item(int(self.rows[row]))

    def token(self, row: int) -> int:
        """Returns the id of the entry that the merge in a row makes, or -1."""
        item = self.item(row)
        return max(item.made, -1) if item is not None else -1

    def token_at(self, row: int, column: int) -> int:
        """Returns the id that a cell is about: of a side, or of the result; -1 for none."""
        item = self.item(row)
        if item is None:
            return -1
        if column in (LEFT_ID, LEFT_TEXT):
            return max(item.left, -1)
        return max(item.right if column in (RIGHT_ID, RIGHT_TEXT) else item.made, -1)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = index.row(), index.column()
        if role == DISPLAY:
            shown = self.cell(row, column)
            token = self.token_at(row, column)
            if column in (LEFT_TEXT, RIGHT_TEXT, MADE_TEXT) and self.source and token >= 0:
                return in_its_direction(shown, self.source.columns.piece(token))
            return shown
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return MERGE_COLUMNS[column].alignment
        if role == Qt.ItemDataRole.FontRole:
            return self._fonts[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return as_tip(
                f"{self.cell(row, WRITTEN)}\nA double click shows the entry in the vocabulary."
            )
        return None

    def cell(self, row: int, column: int) -> str:
        """Returns the text of a cell."""
        item = self.item(row)
        if item is None or self.source is None:
            return ""
        match column:
            case 0:
                score = self.source.score(item.made)
                return f"{item.rank:,}" if score is None else score_text(score)
            case 7:
                return written_merge(item.left, item.right, item.made)
            case 4 | 5 | 6:
                return self.source.text(self.token_at(row, column))
        return _id_text(self.token_at(row, column))

    def copied_cell(self, row: int, column: int) -> str:
        """Returns the text of a cell for other programs: numbers as they read them, nothing for no id."""
        item, token = self.item(row), self.token_at(row, column)
        if column == MERGE and item is not None and self.source is not None:
            score = self.source.score(item.made)
            return str(item.rank) if score is None else score_number(score)
        return (
            "" if column in (LEFT_ID, RIGHT_ID, MADE_ID) and token < 0 else self.cell(row, column)
        )


def _id_text(token: int) -> str:
    return str(token) if token >= 0 else "–"
