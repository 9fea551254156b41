"""Which merges of a training join the symbols of one word."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.training.merging.merger import RIGHT

NEVER: Final = -1
"""Instead of a merge: no merge joins the two symbols."""


@final
class WordMerges:
    """The merges of a training, for use in single words.

    Merge ``k`` joins the symbols ``lefts[k]`` and ``rights[k]`` into symbol ``first + k``.
    """

    def __init__(self, lefts: vec[i32], rights: vec[i32], first: int) -> None:
        self._first: i64 = first
        self._merges: dict[int, int] = {}
        for k in range(len(lefts)):
            self._merges.setdefault(i64(lefts[k]) << 32 | i64(rights[k]), k)

    def joins(self, symbols: list[int]) -> list[int]:
        """Returns for each symbol but the first the merge that joins it with what is before it, else `NEVER`.

        As in the training, an earlier merge is made everywhere before a later one, from left to right. So after ``n``
        merges a word is split before the symbols whose number is `NEVER`, or at least ``n``.
        """
        size = len(symbols)
        found = [NEVER] * max(size - 1, 0)
        tokens = list(symbols)
        ends = list(range(1, size + 1))  # where the token at a place ends
        starts = list(range(-1, size - 1))  # where the token before it begins
        waiting: list[int] = []
        for at in range(size - 1):
            k = self._of(tokens[at], tokens[at + 1])
            if k >= 0:
                waiting.append(k << 32 | at)
        heapify(waiting)
        gone = [False] * size
        while waiting:
            top = heappop(waiting)
            at = top & RIGHT
            k = top >> 32
            if gone[at] or ends[at] == size:
                continue
            after = ends[at]
            if self._of(tokens[at], tokens[after]) != k:
                continue
            found[after - 1] = k
            gone[after] = True
            tokens[at] = int(self._first) + k
            ends[at] = ends[after]
            if ends[at] < size:
                starts[ends[at]] = at
                following = self._of(tokens[at], tokens[ends[at]])
                if following >= 0:
                    heappush(waiting, following << 32 | at)
            if starts[at] >= 0:
                earlier = self._of(tokens[starts[at]], tokens[at])
                if earlier >= 0:
                    heappush(waiting, earlier << 32 | starts[at])
        return found

    def _of(self, left: int, right: int) -> int:
        """Returns the merge of two tokens, or `NEVER`; a symbol below 0 is outside the alphabet."""
        if left < 0 or right < 0:
            return NEVER
        return self._merges.get(left << 32 | right, NEVER)
