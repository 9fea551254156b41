"""The simplest way to find merges: count all pairs, join the most frequent one, and count again.

A `PairRecord` of it keeps the most frequent pairs before each merge: what was merged, what came next, and what tied.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i32, i64

from tokenarium_core.training.merging.merger import (
    RIGHT,
    MergeColumns,
    Merger,
    MergeRules,
    pair_precedes,
)
from tokenarium_core.training.merging.pair_index import COUNT, PAIR, STRIDE, PairIndex, PairSketch
from tokenarium_core.training.merging.pair_record import PairRecord
from tokenarium_core.training.merging.segmentation import BLOCK_BITS, NOTHING, Segmentation

LAYING_OUT: Final = 0
COUNTING: Final = 1
JOINING: Final = 2
POSITIONS_AT_A_TIME: Final = 1 << 15


@final
class RecountMerger(Merger):
    """Two walks over all tokens for each merge: one that counts the pairs, one that joins the best.

    For n merges over a text of m tokens that is n * m steps, so `BpeMerger` works differently.
    All counts are known each time, so this one can keep a ``record`` of the pairs after the best.

    ``first_seen``: of equally frequent pairs the one whose first place is the leftmost is merged, as ``max`` over a
    dictionary of counts does in Python; else the one that the rules prefer. It has a meaning only where the segmentation
    is the text itself.
    """

    def __init__(
        self,
        words: Segmentation,
        merges: MergeColumns,
        end: i64,
        min_frequency: i64,
        record: PairRecord | None = None,
        first_seen: bool = False,
        rules: MergeRules | None = None,
    ) -> None:
        super().__init__(words, merges, end, min_frequency, rules)
        self._record = record
        if record is not None:
            record.first_seen = first_seen
        self._ledger = record.ledger if record is not None else None
        self._first_seen = first_seen
        self._stage: i64 = LAYING_OUT
        self._at: i64 = 0
        self._all = PairSketch(0)
        self._index = PairIndex()
        self._left: i64 = 0
        self._right: i64 = 0
        self._count: i64 = 0

    def advance(self) -> None:
        """Works on for about a millisecond."""
        words = self.words
        start = self._at
        stop = min(start + POSITIONS_AT_A_TIME, words.end)
        if self._stage == LAYING_OUT:
            if words.lay_out():
                if self._record is not None:
                    self._record.begin(words.tokens)
                self._begin(COUNTING)
        elif self._stage == COUNTING:
            self._at = self._index.count_pairs(words, self._all, 0, start, stop)
            self.visited += self._at - start
            if self._at >= words.end:
                self._choose()
        else:
            self._at = self._join(start, stop)
            self.visited += self._at - start
            if self._at >= words.end:
                self.add_merge(self._left, self._right, self._count)
                self._begin(COUNTING)

    def _begin(self, stage: i64) -> None:
        """Goes to the first position of a stage; over when all merges are made, and counted if that is noted."""
        self.done = self.merges.made == self.end and self._ledger is None
        self._stage = stage
        self._at = 0
        if stage == COUNTING:
            self._index.clear()

    def _choose(self) -> None:
        """Chooses the pair that occurs most often; over when that is not often enough."""
        if self._ledger is not None:
            self._ledger.note(self._index)
            if self.merges.made == self.end:
                self.done = True
                return
        rows = self._index.rows
        rules = self.rules
        best: i64 = 0
        pair: i64 = 0
        row: i64 = 0
        while row < self._index.end:
            count = rows[row + COUNT]
            other = rows[row + PAIR]
            row += STRIDE
            if count < best or count == 0:
                continue
            # Rows are in the order in which pairs were first seen.
            if count == best and (self._first_seen or not pair_precedes(rules, other, pair)):
                continue
            if rules.allow(other >> 32, other & RIGHT):
                best = count
                pair = other
        if best < self.min_frequency:
            self.done = True
            return
        if self._record is not None:
            self._record.note(self._index, 1, self.rules, None, self._first_seen)
        token = self.first + self.merges.made
        self._left = pair >> 32
        self._right = pair & RIGHT
        self._count = best
        sizes = self.words.sizes
        sizes[token] = sizes[self._left] + sizes[self._right]
        rules.add(self._left, self._right)
        self._begin(JOINING)

    def _join(self, begin: i64, end: i64) -> i64:
        """Joins the pair where it begins in ``begin`` … ``end``; returns where to continue."""
        words = self.words
        symbols = words.symbols
        sizes = words.sizes
        weights = words.weights
        left = self._left
        right = self._right
        token = self.first + self.merges.made
        size = i64(sizes[token])
        at = begin
        while at < end:
            found = i64(symbols[at])
            if found < 0:
                at += 1
                continue
            behind = at + i64(sizes[found])
            if found != left or symbols[behind] != right:
                at = behind
                continue
            symbols[behind] = NOTHING
            symbols[at] = i32(token)
            symbols[at + size - 1] = i32(token)
            words.tokens -= weights[at >> BLOCK_BITS]
            at += size
        return at
