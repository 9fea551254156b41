"""The row of a tokenizer's tokens over the bytes of a text, and which of them are marked."""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.alignment import Alignment
from tokenarium.models.text.byte_cells import Cell, CellMark, CellRow, Look
from tokenarium.models.text.grapheme_edges import GraphemeEdges
from tokenarium.models.text.lost_text import text_loss
from tokenarium.models.text.piece import byte_numbers, piece_text, signs
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.superword_ids import superword_ids, superword_note
from tokenarium.models.text.text_map import IntArray, TextMap
from tokenarium_core.models import BoundlessBpe, BytePairEncoder, PickyBpe
from tokenarium_core.progress import Progress
from tokenarium_core.vocabulary import BYTE

AT_ONCE = 1 << 16
"""Tokens that are counted between two looks at the clock: some milliseconds."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many tokens are marked: bytes, parts of characters or of grapheme clusters, superwords, unknown tokens."""

    tokens: int
    fallback: int
    torn: int
    split: int
    superwords: int
    lost: int = 0


class TokenRow(CellRow):
    """The tokens of one tokenizer; ``key`` and ``identity`` are those of the library."""

    look = Look.TOKEN

    def __init__(
        self,
        key: str,
        name: str,
        identity: int,
        tokenizer: tc.Tokenizer,
        encoding: tc.Encoding,
        text: TextMap,
        edges: GraphemeEdges | None,
    ) -> None:
        super().__init__(
            name,
            f"The tokens of {name}, spelled as in its vocabulary, and their ids.\n"
            "Click here, or press Return in the row, to make it the current tokenizer, which comes first.",
        )
        self.key = key
        self.identity = identity
        self.tokenizer = tokenizer
        self.encoding = encoding
        self.alignment = Alignment(encoding)
        self._text = text
        self._edges = edges
        self.ids: IntArray = array_of(encoding.ids)
        spans = array_of(encoding.spans).reshape(-1, 2)
        self.starts: IntArray = spans[:, 0]
        self.ends: IntArray = spans[:, 1]
        self._parts = TextParts.of_tokens(self.ids, spans)
        self._places = array_of(encoding.places).reshape(-1, 2)

    def marks(self, first: int, last: int) -> npt.NDArray[np.uint16]:
        """Returns the `CellMark` of each token from ``first`` up to but not including ``last``."""
        ids, starts, ends = self.ids[first:last], self.starts[first:last], self.ends[first:last]
        marks = np.zeros(len(ids), dtype=np.uint16)
        if not len(ids):
            return marks
        # Tokens that share what was made of one character overlap in the original.
        index = np.arange(first, last)
        final = len(self.ids) - 1
        before = np.where(index > 0, self.ends[index - 1], 0)
        next_starts = np.where(index < final, self.starts[np.minimum(index + 1, final)], ends[-1])
        there = starts < ends
        for bounds, shared, torn, split in (
            (starts, before > starts, CellMark.TORN_START, CellMark.SPLIT_START),
            (ends, next_starts < ends, CellMark.TORN_END, CellMark.SPLIT_END),
        ):
            inside = there & (shared | self._text.inside_character(bounds))
            marks[inside] |= np.uint16(torn)
            if self._edges is not None:
                marks[there & ~inside & ~self._edges.are_at(bounds)] |= np.uint16(split)
        if not isinstance(self.tokenizer.model, BytePairEncoder | PickyBpe | BoundlessBpe):
            kinds = array_of(self.tokenizer.vocabulary.kinds)
            marks[kinds[ids] == BYTE] |= np.uint16(CellMark.FALLBACK)
        special = list(self.tokenizer.special_tokens.values())
        marks[np.isin(ids, np.asarray(special, dtype=np.int32))] |= np.uint16(CellMark.SPECIAL)
        marks[np.isin(ids, superword_ids(self.tokenizer))] |= np.uint16(CellMark.SUPERWORD)
        marks[text_loss(self.tokenizer).unknown[ids]] |= np.uint16(CellMark.LOST)
        return marks

    @cached_property
    def counting(self) -> RowCounting:
        """The counting of the marked tokens."""
        return RowCounting(self)

    @property
    def counts(self) -> Counts:
        """How many tokens there are, and how many are marked; finishes the counting."""
        self.counting.step(float("inf"))
        return self.counting.counts

    def cells(self, start: int, end: int) -> list[Cell]:
        first = bisect_left(self.ends, start)
        last = bisect_right(self.starts, end)
        while 0 < first < len(self.ids) and self.ends[first - 1] > self.starts[first]:
            first -= 1
        while 0 < last < len(self.ids) and self.ends[last - 1] > self.starts[last]:
            last += 1
        lefts, rights = self.alignment.drawn(self._places[first:last])
        marks = self.marks(first, last).tolist()
        colours = self._parts.looks(range(first, last)).colours.tolist()
        at_end = end >= self._text.byte_count
        cells = []
        for index, (left, right) in enumerate(zip(lefts.tolist(), rights.tolist(), strict=True)):
            if left == right:
                if not (start <= left < end or (at_end and left >= end)):
                    continue
            elif right <= start or left >= end:
                continue
            cells.append(self._cell(first + index, left, right, marks[index], colours[index]))
        return cells

    def touching(self, start: int, end: int) -> tuple[int, int]:
        """Returns the tokens over some bytes, first and one past the last, with those inserted before them."""
        first = bisect_right(self.ends, start)
        last = bisect_left(self.starts, end)
        while first > 0 and self.starts[first - 1] == self.ends[first - 1] == start:
            first -= 1
        return first, max(first, last)

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Returns the bytes that the tokens from ``first`` up to but not including ``last`` stand for."""
        if first >= last:
            return 0, 0
        return int(self.starts[first]), int(self.ends[last - 1])

    def tip(self, cell: Cell) -> str:
        vocabulary = self.tokenizer.vocabulary
        token = int(self.ids[cell.index])
        text, surface = piece_text(vocabulary, token), vocabulary.surface(token)
        lines = [
            f"{self.title}: {text}" + (f", in the file {surface}" if surface != text else ""),
            f"id {token} · token {cell.index:,} · {vocabulary.kind(token)} · "
            f"bytes {byte_numbers(vocabulary.piece(token), 16) or 'none'}",
        ]
        if cell.empty:
            special = token in self.tokenizer.special_tokens.values()
            lines.append(
                "It stands for no byte of the text: it marks the beginning or the end."
                if special
                else "It stands for no byte of the text: the normalizer put it in."
            )
        if cell.mark & CellMark.FALLBACK:
            lines.append("Byte fallback: the vocabulary has no entry for this character.")
        if cell.mark & CellMark.LOST:
            lines.append("Its text is lost: the vocabulary has no entry for it.")
        if cell.mark & CellMark.TORN:
            lines.append("It holds only part of a character.")
        elif cell.mark & CellMark.SPLIT:
            lines.append("It begins or ends inside what readers see as one character.")
        if cell.mark & CellMark.SUPERWORD:
            lines.append(superword_note(vocabulary, token))
        return "\n".join(lines + [sign.sentence for sign in signs(vocabulary, token)][:6])

    def _cell(self, index: int, left: float, right: float, mark: int, colour: int) -> Cell:
        token = int(self.ids[index])
        piece = self.tokenizer.vocabulary.piece(token)
        label = piece_text(self.tokenizer.vocabulary, token)
        return Cell(
            left,
            right,
            int(self.starts[index]),
            int(self.ends[index]),
            label,
            byte_numbers(piece) if label.count("<0x") == len(piece) else "",
            note=str(token),
            colour=colour,
            mark=mark,
            index=index,
        )


class RowCounting:
    """Counts the marked tokens of a row in slices: call `step` until it is finished."""

    def __init__(self, row: TokenRow) -> None:
        self._row = row
        self._done = 0
        self.counts = Counts(len(row.ids), 0, 0, 0, 0)

    @property
    def finished(self) -> bool:
        """Whether all tokens are counted."""
        return self._done == len(self._row.ids)

    def step(self, budget_ms: float) -> Progress:
        """Counts for about ``budget_ms`` milliseconds and reports the tokens done."""
        end = time.perf_counter() + budget_ms / 1000
        while not self.finished:
            self._count()
            if time.perf_counter() >= end:
                break
        return Progress("counting", self._done, len(self._row.ids), self.finished)

    def _count(self) -> None:
        last = min(self._done + AT_ONCE, len(self._row.ids))
        marks = self._row.marks(self._done, last)
        torn = (marks & CellMark.TORN) != 0
        split = (marks & CellMark.SPLIT) != 0
        before = self.counts
        self.counts = Counts(
            before.tokens,
            before.fallback + int(np.count_nonzero(marks & CellMark.FALLBACK)),
            before.torn + int(np.count_nonzero(torn)),
            before.split + int(np.count_nonzero(split & ~torn)),
            before.superwords + int(np.count_nonzero(marks & CellMark.SUPERWORD)),
            before.lost + int(np.count_nonzero(marks & CellMark.LOST)),
        )
        self._done = last
