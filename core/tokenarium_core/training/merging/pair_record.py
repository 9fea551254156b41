"""The candidates of a training: the best pairs before each merge, with their scores."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i64

from tokenarium_core.training.merging.merger import RIGHT, MergeRules, pair_precedes
from tokenarium_core.training.merging.pair_index import COUNT, PAIR, STRIDE, PairIndex
from tokenarium_core.training.merging.pair_ledger import PairLedger
from tokenarium_core.training.merging.pair_queue import PairQueue

EMPTY: Final = -1
"""The value in place of a pair if there are fewer pairs than room."""


@final
class PairRecord:
    """For each merge the ``width`` best pairs, the merged one first.

    Row ``k`` is at ``k * width`` in ``pairs`` (left symbol << 32 | right symbol; `EMPTY` after the last) and in
    ``counts`` and ``scores``, in the order in which a training would take them. That order is by score: the count
    itself, or what WordPiece computes from it and from ``left_counts`` and ``right_counts``, how often the
    two symbols occur (0 if only the pair counts).

    ``ties[k]`` counts all pairs with the same score as the first one, ``totals[k]`` all pairs that could be merged:
    with the incremental strategy those that occur ``min_frequency`` times, with the others all that occur.
    ``first_tokens`` is how many tokens the corpus has before the first merge; -1 until that is known. ``first_seen``
    is the order of equally frequent pairs, see `RecountMerger`.

    A ``ledger`` also gets the counts of all pairs, for the strategies that recount them for each merge.
    """

    def __init__(self, width: i64, ledger: PairLedger | None = None) -> None:
        self.width: i64 = width
        self.ledger = ledger
        self.first_seen = False
        self.first_tokens: i64 = -1
        self.pairs = vec[i64]()
        self.counts = vec[i64]()
        self.scores = vec[float]()
        self.left_counts = vec[i64]()
        self.right_counts = vec[i64]()
        self.ties = vec[i64]()
        self.totals = vec[i64]()

    def __len__(self) -> int:
        return len(self.ties)

    def begin(self, tokens: i64) -> None:
        """Records the number of tokens before the first merge; a later stage does not change it."""
        if self.first_tokens < 0:
            self.first_tokens = tokens

    def note(
        self,
        index: PairIndex,
        least: i64,
        rules: MergeRules,
        queue: PairQueue | None,
        first_seen: bool = False,
    ) -> None:
        """Adds the row of the pairs currently in an index that occur at least ``least`` times.

        Ties are broken by the rules, or with ``first_seen`` by the index.
        """
        width = self.width
        pairs = vec[i64]([EMPTY] * width)
        counts = vec[i64]([0] * width)
        scores = vec[float]([0.0] * width)
        rows = index.rows
        size: i64 = 0
        total: i64 = 0
        row: i64 = 0
        while row < index.end:
            pair = rows[row + PAIR]
            count = rows[row + COUNT]
            row += STRIDE
            if count < least:
                continue
            total += 1
            score = float(count) if queue is None else queue.score(pair, count)
            rank = size
            # From the last one up: most pairs score too little to get anywhere.
            while rank > 0 and (
                scores[rank - 1] < score
                or (
                    scores[rank - 1] == score
                    and not first_seen
                    and pair_precedes(rules, pair, pairs[rank - 1])
                )
            ):
                rank -= 1
            if rank == width or not rules.allow(pair >> 32, pair & RIGHT):
                continue
            size = min(size + 1, width)
            last = size - 1
            while last > rank:
                pairs[last] = pairs[last - 1]
                counts[last] = counts[last - 1]
                scores[last] = scores[last - 1]
                last -= 1
            pairs[rank] = pair
            counts[rank] = count
            scores[rank] = score
        self.ties = append(self.ties, _equal(index, least, rules, queue, scores[0]))
        self.totals = append(self.totals, total)
        for rank in range(width):
            pair = pairs[rank]
            self.pairs = append(self.pairs, pair)
            self.counts = append(self.counts, counts[rank])
            self.scores = append(self.scores, scores[rank])
            left: i64 = 0
            right: i64 = 0
            if queue is not None and pair != EMPTY:
                left = queue.occurrences(pair >> 32)
                right = queue.occurrences(pair & RIGHT)
            self.left_counts = append(self.left_counts, left)
            self.right_counts = append(self.right_counts, right)


def _equal(
    index: PairIndex, least: i64, rules: MergeRules, queue: PairQueue | None, best: float
) -> i64:
    """Returns how many pairs have the same score as the best one."""
    rows = index.rows
    ties: i64 = 0
    row: i64 = 0
    while row < index.end:
        pair = rows[row + PAIR]
        count = rows[row + COUNT]
        row += STRIDE
        if count >= least:
            score = float(count) if queue is None else queue.score(pair, count)
            if score == best and rules.allow(pair >> 32, pair & RIGHT):
                ties += 1
    return ties
