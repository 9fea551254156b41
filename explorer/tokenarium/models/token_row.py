"""The row of a tokenizer's tokens over the bytes of a text, and what stands out among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.alignment import Alignment
from tokenarium.models.byte_cells import Cell, Look, Mark, Row
from tokenarium.models.piece import hexadecimal, readable
from tokenarium.models.piece_signs import signs
from tokenarium.models.segmentation import token_colours
from tokenarium.models.text_map import IntArray, TextMap
from tokenarium_core.byte_pair_encoder import BytePairEncoder
from tokenarium_core.vocabulary import BYTE

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Counts:
    """How many tokens stand out: single bytes, parts of characters, parts of grapheme clusters."""

    tokens: int
    fallback: int
    torn: int
    split: int


class TokenRow(Row):
    """The tokens of one tokenizer; ``key`` and ``tint`` are the library's key and colour of it."""

    look = Look.TOKEN

    def __init__(
        self,
        key: str,
        name: str,
        tint: int,
        tokenizer: tc.Tokenizer,
        encoding: tc.Encoding,
        text: TextMap,
        edges: npt.NDArray[np.bool_] | None,
    ) -> None:
        super().__init__(
            name, f"The tokens of {name}, spelled as in its vocabulary, and their ids."
        )
        self.key = key
        self.tint = tint
        self.tokenizer = tokenizer
        self.encoding = encoding
        self.alignment = Alignment(encoding)
        self._text = text
        self.ids: IntArray = np.asarray(memoryview(encoding.ids), dtype=np.int32)
        self.spans: IntArray = np.asarray(memoryview(encoding.spans), dtype=np.int32).reshape(-1, 2)
        places = np.asarray(memoryview(encoding.places), dtype=np.int32).reshape(-1, 2)
        self.lefts: Floats
        self.rights: Floats
        self.lefts, self.rights = self.alignment.drawn(places)
        self._colours = token_colours(self.ids)
        self.marks = self._find_marks(edges)

    @property
    def counts(self) -> Counts:
        """How many tokens there are, and how many stand out."""
        marks = self.marks
        torn = (marks & (Mark.TORN_START | Mark.TORN_END)) != 0
        split = (marks & (Mark.SPLIT_START | Mark.SPLIT_END)) != 0
        return Counts(
            len(marks),
            int(np.count_nonzero(marks & Mark.FALLBACK)),
            int(np.count_nonzero(torn)),
            int(np.count_nonzero(split & ~torn)),
        )

    def cells(self, start: int, end: int) -> list[Cell]:
        first = int(np.searchsorted(self.rights, float(start), side="left"))
        last = int(np.searchsorted(self.lefts, float(end), side="right"))
        at_end = end >= self._text.byte_count
        cells = []
        for index in range(first, last):
            left, right = float(self.lefts[index]), float(self.rights[index])
            if left == right:
                if not (start <= left < end or (at_end and left >= end)):
                    continue
            elif right <= start or left >= end:
                continue
            cells.append(self._cell(index, left, right))
        return cells

    def touching(self, start: int, end: int) -> tuple[int, int]:
        """Returns the tokens over some bytes, first and one past the last; with those put in between."""
        first = int(np.searchsorted(self.rights, float(start), side="right"))
        last = int(np.searchsorted(self.lefts, float(end), side="left"))
        while first > 0 and self.lefts[first - 1] == self.rights[first - 1] == start:
            first -= 1
        return first, max(first, last)

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Returns the bytes that the tokens from ``first`` up to but not including ``last`` stand for."""
        if first >= last:
            return 0, 0
        return int(self.spans[first, 0]), int(self.spans[last - 1, 1])

    def tip(self, cell: Cell) -> str:
        vocabulary = self.tokenizer.vocabulary
        token = int(self.ids[cell.index])
        surface = vocabulary.surface(token)
        lines = [
            f"{self.title}: {readable(surface.encode('utf-8', 'surrogatepass'))}",
            f"id {token} · token {cell.index:,} · {vocabulary.kind(token)} · "
            f"bytes {hexadecimal(vocabulary.piece(token), 16) or 'none'}",
        ]
        if cell.empty:
            lines.append("It stands for no byte of the text: the normalizer put it in.")
        if Mark.FALLBACK in cell.mark:
            lines.append("Byte fallback: the vocabulary has no piece for this character.")
        if cell.mark.torn:
            lines.append("It holds only part of a character.")
        elif cell.mark.split:
            lines.append("It begins or ends inside what a reader takes for one character.")
        return "\n".join(lines + [sign.sentence for sign in signs(vocabulary, token)][:6])

    def _cell(self, index: int, left: float, right: float) -> Cell:
        token = int(self.ids[index])
        label = readable(self.tokenizer.vocabulary.surface(token).encode("utf-8", "surrogatepass"))
        return Cell(
            left,
            right,
            int(self.spans[index, 0]),
            int(self.spans[index, 1]),
            label,
            note=str(token),
            colour=int(self._colours[index]),
            mark=Mark(int(self.marks[index])),
            index=index,
        )

    def _find_marks(self, edges: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.uint8]:
        marks = np.zeros(len(self.ids), dtype=np.uint8)
        if not len(marks):
            return marks
        there = self.lefts < self.rights
        for bounds, torn, split in (
            (self.lefts, Mark.TORN_START, Mark.SPLIT_START),
            (self.rights, Mark.TORN_END, Mark.SPLIT_END),
        ):
            whole = bounds.astype(np.int32)
            inside = there & ((whole != bounds) | self._text.inside_character(whole))
            marks[inside] |= np.uint8(torn)
            if edges is not None:
                marks[there & ~inside & ~edges[whole]] |= np.uint8(split)
        if not isinstance(self.tokenizer.model, BytePairEncoder):
            kinds = np.asarray(memoryview(self.tokenizer.vocabulary.kinds))
            marks[kinds[self.ids] == BYTE] |= np.uint8(Mark.FALLBACK)
        special = list(self.tokenizer.special_tokens.values())
        marks[np.isin(self.ids, np.asarray(special, dtype=np.int32))] |= np.uint8(Mark.SPECIAL)
        return marks
