"""The entries of a vocabulary as item models: rows are ids in some order, cells are made when shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QFont

from tokenarium.models.text.direction import in_its_direction
from tokenarium.models.text.piece import (
    byte_numbers,
    piece_text,
    readable,
    score_number,
)
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.titled_columns import RIGHT, ROOT, Index, TitledColumns
from tokenarium.models.vocabulary.vocabulary_columns import (
    FLAGS,
    NO_RANK,
    Ids,
    VocabularyColumns,
    value_text,
)
from tokenarium.resources.glossary import explanation
from tokenarium.style.fonts import mono_font, number_font
from tokenarium_core.explaining import piece_facts as facts
from tokenarium_core.vocabulary import KINDS

SHOWN_BYTES = 16
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter

# Plain numbers: a page makes some 2,000 calls, and Qt's enums take half the time of one.
DISPLAY, FONT, ALIGNMENT = (
    int(role)
    for role in (
        Qt.ItemDataRole.DisplayRole,
        Qt.ItemDataRole.FontRole,
        Qt.ItemDataRole.TextAlignmentRole,
    )
)
HINTS = (int(Qt.ItemDataRole.ToolTipRole), int(Qt.ItemDataRole.AccessibleTextRole))


@dataclass(frozen=True, slots=True)
class Column:
    """One column: what it sorts by, its head, what is said of it, and how its cells are set.

    ``term``: the name in the glossary of what it shows, whose explanation comes before the ``tip``.
    """

    id: str
    title: str
    tip: str
    alignment: Qt.AlignmentFlag = LEFT
    mono: bool = False
    term: str = ""


COLUMNS = (
    Column("id", "Id", "", RIGHT, True, term="id"),
    Column(
        "text",
        "Piece",
        "Here ␣ is a space, and <0xE2> a byte of no whole character.",
        term="piece",
    ),
    Column(
        "text",
        "Bytes",
        "The bytes that the entry stands for in a text, in byte_numbers.",
        LEFT,
        True,
    ),
    Column("kind", "Type", "", term="type"),
    Column(
        "value",
        "Rank",
        "Of an entry: the rank of the first merge that makes it; – if there is none.",
        RIGHT,
        False,
        term="rank",
    ),
    Column("length", "Length", "In bytes.", RIGHT),
    Column("characters", "Chars", "Whole characters.", RIGHT),
    Column("space", "Space", "✓ where the entry begins with a space.", CENTRE),
    Column(
        "script",
        "Script",
        "Characters that many scripts share do not count.",
        term="script",
    ),
    Column(
        "indicator",
        "Trained",
        "By the embeddings of a model: low if it hardly saw the entry in its training (see Diagnostics).",
        RIGHT,
        term="under-trained",
    ),
    Column(
        "flags",
        "Flags",
        "; ".join(
            f"{name}: {FLAGS[name][1]}"
            for name in ("splits", "superword", "unreachable", "special")
        )
        + ".",
    ),
)
(ID, PIECE, BYTES, KIND, VALUE, LENGTH, CHARACTERS, SPACE, SCRIPT, INDICATOR, MARKS) = range(
    len(COLUMNS)
)

ALIGNMENTS = tuple(column.alignment.value for column in COLUMNS)


class ColumnTable(TitledColumns):
    """A table of `Column`s; ``rows`` are those of its ``source`` that are shown.

    ``scored`` is a place, and the column that is there if the source has scores.
    """

    described: ClassVar[tuple[Column, ...]]
    scored: ClassVar[tuple[int, Column]]

    def __init__(self, mono: QFont, parent: QObject | None = None) -> None:
        super().__init__(parent)
        numbers = number_font()
        self._fonts = [
            mono if column.mono else numbers if column.alignment == RIGHT else None
            for column in self.described
        ]
        self.source: Any = None
        self.rows: Ids = np.zeros(0, np.int32)

    def show_rows(self, source: Any, rows: Ids) -> None:
        """Shows other rows, or another source."""
        self.beginResetModel()
        self.source, self.rows = source, rows
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def _column(self, section: int) -> Column:
        place, scored = self.scored
        has_scores = section == place and self.source is not None and self.source.has_scores
        return scored if has_scores else self.described[section]

    def head(self, section: int) -> str:
        return self._column(section).title

    def head_tip(self, section: int) -> str:
        column = self._column(section)
        known = explanation(column.term) if column.term else ""
        return "\n".join(part for part in (known, column.tip, "A click sorts by it.") if part)

    def head_alignment(self, section: int) -> Qt.AlignmentFlag:
        return self.described[section].alignment


class VocabularyTable(ColumnTable):
    """The table of one vocabulary; ``rows`` are the shown ids."""

    columns = tuple(column.title for column in COLUMNS)
    described = COLUMNS
    scored = VALUE, Column("value", "Score", "", RIGHT, term="score")
    source: VocabularyColumns | None

    def token(self, row: int) -> int:
        """Returns the id in a row, or -1."""
        return int(self.rows[row]) if 0 <= row < len(self.rows) else -1

    def row_of(self, token: int) -> int:
        """Returns the row of an id, or -1 if it is not shown."""
        places = np.flatnonzero(self.rows == token)
        return int(places[0]) if len(places) else -1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == DISPLAY:
            token, column = int(self.rows[index.row()]), index.column()
            shown = self.cell(token, column)
            if column == PIECE and self.source is not None:
                return in_its_direction(shown, self.source.piece(token))
            return shown
        if role == ALIGNMENT:
            return ALIGNMENTS[index.column()]
        if role == FONT:
            return self._fonts[index.column()]
        return self._hint(index, role) if role in HINTS else None

    def _hint(self, index: Index, role: int) -> str | None:
        token, column = int(self.rows[index.row()]), index.column()
        if role == Qt.ItemDataRole.ToolTipRole:
            return as_tip(self._tip(token, column))
        if column != SPACE:
            return None
        return "begins with a space" if self.cell(token, SPACE) else ""

    def cell(self, token: int, column: int) -> str:
        """Returns the text of a cell."""
        columns = self.source
        assert columns is not None
        match column:
            case 0:
                return str(token)
            case 1:
                return piece_text(columns.vocabulary, token)
            case 2:
                return byte_numbers(columns.piece(token), SHOWN_BYTES)
            case 3:
                return str(KINDS[columns.kinds[token]])
            case 4:
                return value_text(columns, token)
            case 5:
                return str(columns.lengths[token])
            case 6:
                return str(columns.characters[token])
            case 7:
                return "✓" if columns.flags[token] & facts.LEADING_SPACE else ""
            case 8:
                return columns.scripts_of(token)
            case 9:
                return f"{columns.indicators[token]:.3g}" if columns.indicator else ""
        return ", ".join(columns.flags_of(token))

    def copied_cell(self, row: int, column: int) -> str:
        """Returns the text of a cell for other programs: numbers as they read them, nothing for no number."""
        columns, token = self.source, self.token(row)
        assert columns is not None
        if column == INDICATOR and columns.indicator:
            return f"{columns.indicators[token]:.6g}"
        if column != VALUE:
            return self.cell(token, column)
        value = float(columns.values[token])
        return "" if not columns.has_scores and value == NO_RANK else score_number(value)

    def _tip(self, token: int, column: int) -> str:
        columns = self.source
        assert columns is not None
        if column == BYTES:
            return byte_numbers(columns.piece(token), 256)
        if column == MARKS:
            return "\n".join(f"{name}: {FLAGS[name][1]}" for name in columns.flags_of(token))
        if column == PIECE:
            return f"{columns.vocabulary.surface(token)} in the file"
        if column == INDICATOR:
            return f"{columns.indicators[token]:.6g}: the {columns.indicator}"
        return self.cell(token, column)


class PieceListModel(TitledColumns):
    """A table of ids and pieces, for some pieces of a vocabulary."""

    columns = ("Id", "Piece")
    terms: ClassVar = {0: "id", 1: "piece"}

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[bytes] = ()
        self._ids: Mapping[bytes, int] = {}
        self._mono = mono_font()

    def set_rows(self, rows: Sequence[bytes], ids: Mapping[bytes, int]) -> None:
        """Shows other pieces with their ids."""
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
                f"id {self._ids[piece]} · {len(piece)} {unit}: {byte_numbers(piece, 24)}\n"
                "Enter or a double click shows it in the vocabulary."
            )
        return None
