"""Where the keys are in rows of cells over bytes: at a cell of a row, with the bytes from an anchor up to it."""

from __future__ import annotations

from collections.abc import Sequence

from tokenarium.models.text.byte_cells import CellRow

Span = tuple[int, int]

NOWHERE: Span = (0, 0)


class ByteCursor:
    """The cell that the keys are at (``head``), that which a selection began with (``anchor``), and the row.

    What moves it keeps the anchor where it goes ``further``, and tells whether it has moved.
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
        """Walks in other rows over ``size`` bytes from now on."""
        self._rows, self._size = rows, size
        self.row = min(self.row, max(len(rows) - 1, 0))
        if self.head[1] > size:
            self.put(NOWHERE)

    def put(self, span: Span) -> None:
        """Goes to some bytes, and selects them alone."""
        self.anchor = self.head = span

    def go(self, byte: int, further: bool) -> bool:
        """Goes to the cell over a byte in the row of now."""
        byte = min(max(byte, 0), self._size - 1)
        cell = self._rows[self.row].cell_at(byte)
        return self._take((cell.start, cell.end) if cell is not None else (byte, byte + 1), further)

    def step(self, step: int, further: bool) -> bool:
        """Goes to the next cell of the row (1), or to the one before (-1)."""
        if self.head == NOWHERE:
            return self.go(0, further)
        found = self._rows[self.row].beside(*self.head, step, self._size)
        return found is not None and self._take((found.start, found.end), further)

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
