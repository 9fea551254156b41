"""The row of the normalised text: what the normalizer made of each character."""

from __future__ import annotations

import tokenarium_core as tc
from tokenarium.models.text.alignment import Alignment
from tokenarium.models.text.byte_cells import Cell, CellMark, CellRow, Look
from tokenarium.models.text.piece import hexadecimal, readable
from tokenarium.models.text.text_map import TextMap
from tokenarium_core.vocabulary import SPACE_MARK

REMOVED = "∅"
"""Stands where nothing is left of a character."""


class NormalizedRow(CellRow):
    """The normalised text over the bytes that it was made of; what did not change is faint."""

    look = Look.FORM

    def __init__(
        self, name: str, tokenizer: tc.Tokenizer, encoding: tc.Encoding, text: TextMap
    ) -> None:
        super().__init__(
            "Normalised",
            f"What the model of {name} gets to see. Faint: unchanged. {REMOVED}: taken out. "
            "A small box between two bytes: put in.",
        )
        self._text = text
        self._alignment = Alignment(encoding)
        self._space = "▁" if tokenizer.vocabulary.spelling == SPACE_MARK else "·"

    def cells(self, start: int, end: int) -> list[Cell]:
        alignment = self._alignment
        first, last = alignment.made_of(start, end)
        if end == self._text.byte_count and alignment.aligned:
            last = alignment.size
        first, last = self._whole(first, last)
        cells: list[Cell] = []
        covered = start
        for at, stop in _characters(alignment.data, first, last):
            a, b = int(alignment.text.start_of(at)), int(alignment.text.stop_of(stop))
            if a > covered:
                cells.append(self._gap(covered, a))
            if cells and a < b and cells[-1].right > a and not cells[-1].empty:
                before = cells.pop()  # several characters made of the same
                at, a = before.index, before.start
            cells.append(self._cell(a, b, at, stop))
            covered = max(covered, b)
        ends = min(end, self._text.byte_count)
        if alignment.aligned and covered < ends:
            cells.append(self._gap(covered, ends))
        return cells

    def tip(self, cell: Cell) -> str:
        original = self._text.utf8[cell.start : cell.end]
        before = f"{readable(original)} ({hexadecimal(original)})"
        if cell.label == REMOVED:
            return f"The normalizer takes out {before}."
        if cell.empty:
            return f"The normalizer puts {cell.label} in here."
        if not cell.mark & CellMark.CHANGED:
            return f"{before}: unchanged"
        return f"{before} becomes {cell.label} ({cell.note})"

    def _cell(self, a: int, b: int, at: int, stop: int) -> Cell:
        data = self._alignment.slice(at, stop)
        label = readable(data).replace("·", self._space)
        same = data == self._text.utf8[a:b]
        mark = CellMark.FAINT if same else CellMark.CHANGED
        return Cell(a, b, a, b, label, note=hexadecimal(data), mark=mark, index=at)

    def _gap(self, start: int, end: int) -> Cell:
        return Cell(start, end, start, end, REMOVED, mark=CellMark.CHANGED)

    def _whole(self, first: int, last: int) -> tuple[int, int]:
        """Returns a range of normalised bytes, widened to whole characters."""
        data, size = self._alignment.data, self._alignment.size
        while first > 0 and data[first] & 0xC0 == 0x80:
            first -= 1
        while last < size and data[last] & 0xC0 == 0x80:
            last += 1
        return first, last


def _characters(data: bytes, first: int, last: int) -> list[tuple[int, int]]:
    """Returns the bytes of each character of some UTF-8."""
    heads = [at for at in range(first, last) if data[at] & 0xC0 != 0x80]
    return list(zip(heads, [*heads[1:], last], strict=True))
