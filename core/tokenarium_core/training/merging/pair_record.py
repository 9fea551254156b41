"""The most frequent pairs before each merge of a training: what was merged, what came next, and what tied."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i64

from tokenarium_core.training.merging.pair_index import COUNT, PAIR, STRIDE, PairIndex

EMPTY: Final = -1
"""What stands for a pair where there are fewer pairs than room for them."""


@final
class PairRecord:
    """For each merge the ``width`` most frequent pairs that could be made, the one that was made first.

    Row ``k`` lies at ``k * width`` in ``pairs`` (left id << 32 | right id; `EMPTY` behind the last) and in
    ``counts``, in the order in which a training would take them. ``ties[k]`` are the pairs, of all that
    there are, that stand as often as the first one, and ``totals[k]`` all different pairs.
    """

    def __init__(self, width: int) -> None:
        self.width: i64 = width
        self.pairs = vec[i64]()
        self.counts = vec[i64]()
        self.ties = vec[i64]()
        self.totals = vec[i64]()

    def __len__(self) -> int:
        return len(self.ties)

    def note(self, index: PairIndex) -> None:
        """Adds the row of the pairs that stand in an index now."""
        width = self.width
        pairs = vec[i64]([EMPTY] * width)
        counts = vec[i64]([0] * width)
        rows = index.rows
        found: i64 = 0
        row: i64 = 0
        while row < index.end:
            pair = rows[row + PAIR]
            count = rows[row + COUNT]
            row += STRIDE
            place = found
            # From the last one up: most pairs are too rare to get anywhere.
            while place > 0 and (
                counts[place - 1] < count
                or (counts[place - 1] == count and pairs[place - 1] > pair)
            ):
                if place < width:
                    pairs[place] = pairs[place - 1]
                    counts[place] = counts[place - 1]
                place -= 1
            if place < width:
                pairs[place] = pair
                counts[place] = count
                found = min(found + 1, width)
        tied: i64 = 0
        row = 0
        while row < index.end:
            if rows[row + COUNT] == counts[0]:
                tied += 1
            row += STRIDE
        for place in range(width):
            self.pairs = append(self.pairs, pairs[place])
            self.counts = append(self.counts, counts[place])
        self.ties = append(self.ties, tied)
        self.totals = append(self.totals, index.end // STRIDE)
