"""Rows of cells over the bytes of a text, and the cursor that moves through them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum


class CellMark:
    """Why a cell is marked: bits, as plain numbers, since thousands are read for a picture."""

    NONE = 0
    TORN_START = 1  # begins inside a character
    TORN_END = 2  # ends inside a character
    SPLIT_START = 4  # begins inside a grapheme cluster, at a character
    SPLIT_END = 8
    FALLBACK = 16  # a byte that stands for a character which the vocabulary lacks
    FAINT = 32  # nothing of interest: unchanged, or the same again
    CHANGED = 64
    SPECIAL = 128
    SUPERWORD = 256  # one piece of several words
    LOST = 512  # an unknown token: its text is lost
    TORN = TORN_START | TORN_END
    SPLIT = SPLIT_START | SPLIT_END


class Look(Enum):
    """How the cells of a row are drawn."""

    BRACKET = "bracket"
    PLAIN = "plain"
    MONO = "mono"
    RUN = "run"
    FORM = "form"
    TOKEN = "token"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a row, for the bytes ``start`` to ``end`` of the text.

    It is drawn from ``left`` to ``right``, in bytes: cells that share a character have a fraction of it each; if both
    are equal, it is between two bytes. ``mark``: bits of `CellMark`. ``short`` is for where the label does not fit.
    """

    left: float
    right: float
    start: int
    end: int
    label: str
    short: str = ""
    note: str = ""
    colour: int = -1
    mark: int = CellMark.NONE
    index: int = -1

    @property
    def empty(self) -> bool:
        """Whether it is between two bytes."""
        return self.left == self.right


class CellRow:
    """Base of all rows: a title, a look, and cells on demand, so that long texts are cheap."""

    look = Look.PLAIN

    def __init__(self, title: str, about: str) -> None:
        self.title = title
        self.about = about

    def cells(self, start: int, end: int) -> list[Cell]:
        """Returns the cells that touch the bytes from ``start`` to ``end``, from left to right."""
        raise NotImplementedError

    def title_at(self, start: int) -> str:
        """Returns the title for a line that begins with byte ``start``."""
        return self.title

    def tip(self, cell: Cell) -> str:
        """Returns the tooltip of a cell."""
        return cell.label

    def cell_at(self, byte: int) -> Cell | None:
        """Returns the first cell over a byte, or None."""
        return next((c for c in self.cells(byte, byte + 1) if not c.empty), None)

    def beside(self, start: int, end: int, step: int, size: int) -> Cell | None:
        """Returns the next cell after the bytes from ``start`` to ``end``, or before them (``step`` -1).

        ``size`` is the length of the text in bytes.
        """
        at = end if step > 0 else start - 1
        for byte in range(at, max(min(at + step * GAP, size), -1), step):
            cells = [c for c in self.cells(byte, byte + 1) if not c.empty]
            cells = [c for c in cells if (c.end > end if step > 0 else c.start < start)]
            if cells:
                return cells[0] if step > 0 else cells[-1]
        return None


GAP = 1024
"""Most bytes without a cell that a step skips."""


Span = tuple[int, int]

NOWHERE: Span = (0, 0)


class ByteCursor:
    """The cell that the keys are at (``head``), that which a selection began with (``anchor``), and the row.

    Its moves return whether it has moved; a move ``further`` keeps the anchor.
    """

    def __init__(self) -> None:
        self.row = 0
        self.anchor = NOWHERE
        self.head = NOWHERE
        self._rows: Sequence[CellRow] = ()
        self._size = 0

    @property
    def span(self) -> Span:
        """The bytes from the anchor to the head, whichever comes first."""
        return min(self.anchor[0], self.head[0]), max(self.anchor[1], self.head[1])

    def set_rows(self, rows: Sequence[CellRow], size: int) -> None:
        """Sets the rows to move in, over ``size`` bytes."""
        self._rows, self._size = rows, size
        self.row = min(self.row, max(len(rows) - 1, 0))
        if self.head[1] > size:
            self.put(NOWHERE)

    def put(self, span: Span) -> None:
        """Goes to some bytes, and selects them alone."""
        self.anchor = self.head = span

    def go(self, byte: int, further: bool) -> bool:
        """Goes to the cell over a byte in the current row."""
        byte = min(max(byte, 0), self._size - 1)
        cell = self._rows[self.row].cell_at(byte)
        return self._take((cell.start, cell.end) if cell is not None else (byte, byte + 1), further)

    def step(self, step: int, further: bool) -> bool:
        """Goes to the next cell of the row (1), or to the one before (-1)."""
        if self.head == NOWHERE:
            return self.go(0, further)
        cell = self._rows[self.row].beside(*self.head, step, self._size)
        return cell is not None and self._take((cell.start, cell.end), further)

    def step_row(self, step: int, columns: int, further: bool) -> bool:
        """Goes to the row below or above; from the last one to the first of the next line of ``columns`` bytes."""
        byte, row = self.head[0], self.row + step
        if self.head == NOWHERE:
            row = self.row
        elif not 0 <= row < len(self._rows):
            if not 0 <= byte + step * columns < self._size:
                return False
            byte += step * columns
            row %= len(self._rows)
        self.row = row
        return self.go(byte, further)

    def _take(self, head: Span, further: bool) -> bool:
        self.head = head
        if not further or self.anchor == NOWHERE:
            self.anchor = head
        return True
