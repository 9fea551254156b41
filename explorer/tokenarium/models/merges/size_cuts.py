"""A text as it is cut at every size of a vocabulary, each available at once.

The core has run the tokenizer once (`tokenarium_core.NestedCuts`); here numpy reads that run, whole columns
at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.task import finish
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import IntArray
from tokenarium_core.models import ALWAYS, NOTHING
from tokenarium_core.models.nested_cuts import NestedCuts


class SizeCuts:
    """The cuts of one text by the first ``n`` merges of one vocabulary, for any ``n`` up to ``merges``.

    ``base``: entries of the vocabulary that no merge makes, so that with ``n`` merges it has ``base + n``.
    """

    def __init__(self, cuts: NestedCuts) -> None:
        """Reads a finished run."""
        self.merges = len(cuts.merges)
        self.base = int(cuts.merges.base)
        self._made = array_of(cuts.merges.pieces)
        self._levels = array_of(cuts.levels)
        self._firsts = array_of(cuts.firsts)
        self._orders = array_of(cuts.orders)
        self._results = array_of(cuts.results)
        self._fixed = np.flatnonzero(self._levels == ALWAYS).astype(np.int32)
        merged = self._levels[(self._levels >= 0) & (self._levels < ALWAYS)]
        self._joins = np.sort(merged)
        removed = np.count_nonzero(self._firsts[self._fixed] == NOTHING)
        self._most = len(self._fixed) + len(merged) - int(removed)
        later = self._joins[self._joins > 0]  # sorted; np.unique loads a package of 30 ms
        self.changes: IntArray = later[np.diff(later, prepend=0) > 0]
        text = cuts.text
        self._origin = int(text.origin)
        self._starts = array_of(text.starts) if text.aligned else None
        self._stops = array_of(text.stops) if text.aligned else None

    @property
    def size(self) -> int:
        """How many entries the whole vocabulary has."""
        return self.base + self.merges

    def number(self, size: int) -> int:
        """Returns how many merges a vocabulary of so many entries has."""
        return max(0, min(size - self.base, self.merges))

    def piece(self, number: int) -> int:
        """Returns the id of the piece that a merge makes, the first being 1."""
        return int(self._made[number - 1])

    def first_of(self, ids: npt.ArrayLike) -> int:
        """Returns the number of the first merge that makes one of these ids; 0 if none does."""
        merges = np.flatnonzero(np.isin(self._made, ids))
        return int(merges[0]) + 1 if len(merges) else 0

    def count(self, number: int) -> int:
        """Returns how many tokens the text has with the first ``number`` merges."""
        return self._most - int(np.searchsorted(self._joins, np.int32(number), "right"))

    def joined(self, number: int) -> int:
        """Returns how many cuts of the text merge ``number`` removes."""
        first, stop = np.searchsorted(self._joins, np.array([number, number + 1], dtype=np.int32))
        return int(stop - first)

    def place(self, number: int) -> tuple[int, int] | None:
        """Returns the bytes of the first token that merge ``number`` makes in the text, or None."""
        at = np.flatnonzero(self._levels == number)
        if not len(at):
            return None
        start, end = self._spans(at[:1], at[:1] + 1)[0].tolist()
        parts = self.parts(number, start, max(end, start + 1))
        touched = parts.between(start, max(end, start + 1))
        return parts.span(touched.start) if len(touched) else (start, end)

    def counts(self, numbers: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Returns `count` for each of the numbers."""
        merge_numbers = np.asarray(numbers, dtype=np.int32)
        return np.int64(self._most) - np.searchsorted(self._joins, merge_numbers, "right")

    def change_after(self, number: int) -> int | None:
        """Returns the next number of merges at which the cuts change; None after the last."""
        at = int(np.searchsorted(self.changes, np.int32(number), "right"))
        return int(self.changes[at]) if at < len(self.changes) else None

    def change_before(self, number: int) -> int | None:
        """Returns the last number of merges before ``number`` at which the cuts change."""
        at = int(np.searchsorted(self.changes, np.int32(number), "left")) - 1
        if at < 0:
            return 0 if number > 0 else None
        return int(self.changes[at])

    def parts(
        self, number: int, start: int, end: int, superword_ids: npt.ArrayLike = ()
    ) -> TextParts:
        """Returns the tokens with the first ``number`` merges, of all words that touch these bytes of the text."""
        first, last = self._words(start, end)
        levels = self._levels[first:last]
        remains = levels > number
        starts = np.flatnonzero(remains)
        if not len(starts):
            return TextParts.empty()
        # The merge with the greatest order is the last one in a token; 0: there is none.
        orders = np.where(remains, 0, self._orders[first:last]).astype(np.int64)
        latest = np.maximum.reduceat(orders << 32 | self._results[first:last] + 1, starts)
        unmerged = self._firsts[first:last][starts]
        ids = np.where(latest >> 32 > 0, (latest & 0xFFFFFFFF) - 1, unmerged).astype(np.int32)
        starts += first
        ends = np.append(starts[1:], last)
        tokens = ids != NOTHING
        spans = self._spans(starts[tokens], ends[tokens])
        return TextParts.of_tokens(ids[tokens], spans, (), superword_ids)

    def _words(self, start: int, end: int) -> tuple[int, int]:
        """Returns the normalized bytes of the words that touch a range of the original text."""
        if self._starts is None or self._stops is None:
            first, last = start - self._origin, end - self._origin
        else:
            # Including those that were put in at either end, and stand for no byte.
            first = int(np.searchsorted(self._stops, start, "left"))
            last = int(np.searchsorted(self._starts, end, "right"))
        index = int(np.searchsorted(self._fixed, first, "right")) - 1
        stop = int(np.searchsorted(self._fixed, last, "left"))
        first = int(self._fixed[index]) if index >= 0 else 0
        last = int(self._fixed[stop]) if stop < len(self._fixed) else len(self._levels)
        return first, max(first, last)

    def _spans(self, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> IntArray:
        """Returns the bytes of the original text that tokens stand for, as `Encoding.spans` has them."""
        spans = np.empty((len(starts), 2), dtype=np.int32)
        if self._starts is None or self._stops is None:
            spans[:, 0], spans[:, 1] = starts + self._origin, ends + self._origin
        else:
            spans[:, 0] = self._starts[starts]
            spans[:, 1] = np.maximum(self._stops[ends - 1], spans[:, 0])
        return spans


@dataclass(frozen=True, slots=True)
class TokenizerCuts:
    """One tokenizer with the cuts of a text: its name and its identity.

    ``transition`` is the size at which the second stage of its training began; 0: it had none, or that is not known.
    """

    name: str
    identity: int
    tokenizer: tc.Tokenizer
    cuts: SizeCuts
    transition: int = 0


def size_cuts(tokenizer: tc.Tokenizer, text: str) -> SizeCuts:
    """Returns the cuts of a text at once; TokenariumError if the tokenizer has no merges."""
    job = tokenizer.nested_cuts(text)
    finish(job)
    return SizeCuts(job)
