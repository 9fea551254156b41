"""Merges of pairs that are counted without overlap, made one at a time as the caller asks."""

from __future__ import annotations

from mypy_extensions import i64

from tokenarium_core.training.merging.bpe_merger import MERGING, BpeMerger
from tokenarium_core.training.merging.merger import BYTES, RIGHT, MergeColumns, MergeRules
from tokenarium_core.training.merging.pair_index import COUNT, PAIR
from tokenarium_core.training.merging.pair_queue import PairHeap
from tokenarium_core.training.merging.segmentation import BLOCK_BITS, NOTHING, Segmentation


class ApartMerger(BpeMerger):
    """A `BpeMerger` for a caller that chooses between several: `advance` until ``ready``, then `best_row` and `make`.

    Pairs in a run of one token are counted as they can be merged: "aaa" has one "aa", "aaaa" two.

    A pair below ``threshold`` may be hidden: `lower` it to see it. A pair that the rules do not allow is dropped.
    """

    def __init__(
        self,
        words: Segmentation,
        merges: MergeColumns,
        end: i64,
        min_frequency: i64,
        rules: MergeRules,
    ) -> None:
        self._heap = PairHeap(rules)
        super().__init__(words, merges, end, min_frequency, rules, BYTES, self._heap)

    @property
    def ready(self) -> bool:
        """Whether `best_row` can be asked now."""
        return self._stage == MERGING

    @property
    def threshold(self) -> int:
        """The count from which on no pair is hidden; at the least frequency, none is."""
        return self._threshold

    def best_row(self) -> i64:
        """Returns the row of the pair that is merged next here; -1 if none of those that are not hidden is left."""
        while True:
            row = self._heap.top_row(self._index, self._threshold)
            if row < 0:
                return -1
            pair = self._index.rows[row + PAIR]
            if self.rules.allow(pair >> 32, pair & RIGHT):
                return row
            self._heap.pop()

    def count(self, row: i64) -> i64:
        """Returns how often the pair of a row occurs; 0 for no row."""
        if row < 0:
            return 0
        return self._index.rows[row + COUNT]

    def pair(self, row: i64) -> i64:
        """Returns the pair of a row: ``left << 32 | right``."""
        return self._index.rows[row + PAIR]

    def make(self, row: i64) -> None:
        """Merges the pair of the row that `best_row` returned."""
        self._heap.pop()
        self._merge(row)
        self._index.rows[row + COUNT] = 0

    def lower(self, ceiling: i64) -> None:
        """Lowers the threshold, to no more than a count: then `advance` until ``ready``."""
        self._ceiling = ceiling
        self._survey()

    def _merge_some(self, operations: i64) -> None:
        """Nothing: the caller makes the merges."""

    def _correct_counts(self) -> None:
        """Takes from the counted pairs of equal tokens those that overlap."""
        index = self._index
        words = self.words
        symbols = words.symbols
        sizes = words.sizes
        before: i64 = NOTHING
        run: i64 = 0
        at: i64 = 0
        while at < words.end:
            token = i64(symbols[at])
            if token < 0:
                before = NOTHING
                at += 1
                continue
            if token != before:
                run = 0
                before = token
            run += 1
            if run > 1 and run & 1:
                row = index.find(token << 32 | token)
                if row >= 0:
                    index.rows[row + COUNT] -= words.weights[at >> BLOCK_BITS]
            at += i64(sizes[token])
        self.visited += words.end

    def _joined(self, left: i64, right: i64, token: i64, start: i64) -> None:
        """Notes where no pair of equal tokens is lost or won, since it would overlap another one.

        "aa" is lost with the last "a" of "aaaa" that goes into another token, and not with that of "aaa". Of the new
        tokens in a row, every second one wins a pair.
        """
        before: i64 = 0
        behind: i64 = 0
        not_won: i64 = 0
        symbols = self.words.symbols
        weights = self.words.weights
        positions = self._index.positions
        near = self._neighbours
        lefts_of = near.before.tokens
        rights_of = near.behind.tokens
        chain: i64 = 1
        k: i64 = 0
        while k < near.places:
            at = i64(positions[start + k])
            earlier = i64(lefts_of[k])
            if earlier == token:
                chain += 1
                if chain & 1:
                    not_won += weights[at >> BLOCK_BITS]
            else:
                chain = 1
                if earlier == left and left != right:
                    size = i64(self.words.sizes[left])
                    place = at - size
                    run: i64 = 2
                    while i64(symbols[place - 1]) == left:
                        place -= size
                        run += 1
                    if run & 1:
                        before += weights[at >> BLOCK_BITS]
            if i64(rights_of[k]) == right and left != right:
                size = i64(self.words.sizes[right])
                place = at + i64(self.words.sizes[token]) + size
                run = 2
                while i64(symbols[place]) == right:
                    place += size
                    run += 1
                if run & 1:
                    behind += weights[at >> BLOCK_BITS]
            k += 1
        near.before.kept = before
        near.behind.kept = behind
        near.not_won = not_won
