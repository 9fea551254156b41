"""The merges of byte-pair encoding, each found from the changes of the one before it."""

from __future__ import annotations

from typing import Final

from librt.vecs import append
from mypy_extensions import i64

from tokenarium_core.training.merging.merger import BYTES, RIGHT, MergeColumns, Merger, MergeRules
from tokenarium_core.training.merging.neighbours import Neighbours
from tokenarium_core.training.merging.pair_index import (
    COUNT,
    PAIR,
    SIZE,
    START,
    STRIDE,
    PairIndex,
    PairSketch,
)
from tokenarium_core.training.merging.pair_queue import PairHeap, PairQueue
from tokenarium_core.training.merging.pair_record import PairRecord
from tokenarium_core.training.merging.segmentation import Segmentation

LAYING_OUT: Final = 0
SKETCHING: Final = 1
COUNTING: Final = 2
LISTING: Final = 3
MERGING: Final = 4
HIGHEST: Final = 1 << 60  # above any count
POSITIONS_AT_A_TIME: Final = 1 << 15


class BpeMerger(Merger):
    """The incremental strategy: only the changes of a merge are visited again.

    Only the most frequent pairs are watched (counted exactly, their positions listed, in a heap): those that reach
    ``threshold``. The count of a pair never grows after the merge that made its younger token, so a pair that is born
    below needs no row. When no watched pair is left at the threshold, it is lowered and the pairs are counted again: a
    few times in a whole training. For a ``record`` all pairs are watched that may be merged at all; its ledger gets the
    counts of all others, too.
    """

    def __init__(
        self,
        words: Segmentation,
        merges: MergeColumns,
        end: i64,
        min_frequency: i64,
        rules: MergeRules | None = None,
        first: i64 = BYTES,
        queue: PairQueue | None = None,
        record: PairRecord | None = None,
    ) -> None:
        super().__init__(words, merges, end, min_frequency, rules, first)
        self._threshold: i64 = HIGHEST
        self._ceiling: i64 = HIGHEST  # the next threshold is no higher
        self._highest: i64 = HIGHEST  # … for all reasons
        self._sketch = PairSketch(0)
        self._index = PairIndex()
        self._queue = PairHeap(self.rules) if queue is None else queue
        self._record = record
        self._ledger = record.ledger if record is not None else None
        self._stage: i64 = LAYING_OUT
        self._at: i64 = 0
        self._neighbours = Neighbours(len(words.sizes))
        self._compacted: i64 = (
            merges.made
        )  # how many merges there were when the words were compacted

    def advance(self) -> None:
        """Works on for about a millisecond."""
        words = self.words
        start = self._at
        stop = min(start + POSITIONS_AT_A_TIME, words.end)
        if self._stage == LAYING_OUT:
            if words.lay_out():
                if self._record is not None:
                    self._record.begin(words.tokens)
                self._survey()
        elif self._stage == SKETCHING:
            sketch = self._sketch
            self._reach(sketch.add_pairs(words, start, stop))
            if self._at >= words.end:
                # Lower than before by more than an eighth: the sketch alone may ask for too much.
                before = self._threshold
                threshold = sketch.choose_threshold(self.end - self.merges.made)
                threshold = min(threshold, before - (before >> 3) - 1, self._ceiling)
                self._highest = min(before - 1, self._ceiling)
                self._threshold = max(threshold, self.min_frequency)
                if self._queue.needs_all() or self._record is not None:
                    self._threshold = self.min_frequency
                if sketch.exact:
                    self._index.add_exact(sketch, self._threshold)
                    self._begin_listing()
                else:
                    self._begin(COUNTING)
        elif self._stage == COUNTING:
            least = self._least_counted()
            self._reach(self._index.count_pairs(words, self._sketch, least, start, stop))
            if self._at >= words.end:
                self._begin_listing()
        elif self._stage == LISTING:
            self._reach(self._index.list_positions(words, start, stop))
            if self._at >= words.end:
                self._begin(MERGING)
        elif self._stage == MERGING:
            self._merge_some(POSITIONS_AT_A_TIME)

    def _reach(self, at: i64) -> None:
        """Continues at a position that the walk over the segmentation reached."""
        self.visited += at - self._at
        self._at = at

    def _begin(self, stage: i64) -> None:
        """Goes to the first position of a stage; over when nothing is left to do."""
        if self.merges.made == self.end and not self._counts_once(stage):
            self._finish()
            return
        self._stage = stage
        self._at = 0

    def _least_counted(self) -> i64:
        """Returns the lowest count of the pairs that are counted: a ledger gets all of them."""
        return self._threshold if self._ledger is None else 1

    def _begin_listing(self) -> None:
        """Chooses the pairs to watch, once they are counted, and goes on to list where they are."""
        self._sketch = PairSketch(0)
        self._correct_counts()
        self._watch()
        self._begin(LISTING)

    def _counts_once(self, stage: i64) -> bool:
        """Returns whether the pairs are counted though nothing is merged: a ledger has them."""
        return self._ledger is not None and len(self._ledger) == 0 and stage != MERGING

    def _finish(self) -> None:
        """Releases what only merging needs."""
        self.done = True
        self._index.clear()
        self._queue.clear()
        self._neighbours.clear()

    def _survey(self) -> None:
        """Starts to search the pairs to watch from now on."""
        self._index.clear()
        self._neighbours.clear()
        words = self.words
        ids = self.first + self.merges.made
        if words.spare > 0 and self.merges.made > self._compacted:
            self._compacted = self.merges.made
            words.compact(ids)
        # A record lists the pairs in the order in which the words have them.
        self._sketch = PairSketch(words.end, ids if self._record is None else 0)
        self._begin(SKETCHING)

    def _watch(self) -> None:
        """Keeps the counted pairs that reach the threshold, in the index and in the heap."""
        index = self._index
        if self._ledger is not None:
            self._ledger.recount(index)
            self._ledger.symbol_counts = self._queue.all_occurrences()
        words = self.words
        if words.spare > 0:
            self._raise(words.spare - (words.spare >> 2))
        index.keep(self._threshold, words)
        self._queue.clear()
        row: i64 = 0
        while row < index.end:
            self._queue.push(index.rows[row + COUNT], index.rows[row + PAIR], row)
            row += STRIDE

    def _raise(self, most: i64) -> None:
        """Raises the threshold until the lists have no more than ``most`` positions, so that they fit behind the words.

        But it is always below that of the last survey: so each survey gets further.
        """
        threshold = self._index.threshold_of(self._threshold, most, self.rules)
        self._threshold = max(self._threshold, min(threshold, self._highest))

    def _merge_some(self, operations: i64) -> None:
        """Makes merges until about this many positions were visited."""
        index = self._index
        while operations > 0:
            if self.merges.made == self.end:
                self._finish()
                return
            row = self._queue.next_row(index, self._threshold)
            if row < 0:
                if self._threshold == self.min_frequency:
                    self._finish()
                else:
                    self._survey()
                return
            operations -= 32
            pair = index.rows[row + PAIR]
            if self.rules.allow(pair >> 32, pair & RIGHT):
                # Each place that is merged has a new pair before it and one after it, at most.
                size = 2 * index.rows[row + SIZE]
                if not index.has_room(size):
                    if index.inside:
                        self._raise(self.words.spare - (self.words.spare >> 2) - size)
                    index.reserve(size, self._threshold)
                self._merge(row)
                operations -= index.rows[row + SIZE]
                self.visited += index.rows[row + SIZE]

    def _merge(self, row: i64) -> None:
        """Merges the pair of a row everywhere."""
        index = self._index
        words = self.words
        pair = index.rows[row + PAIR]
        left = pair >> 32
        right = pair & RIGHT
        token = self.first + self.merges.made
        if self._record is not None:
            self._record.note(index, self.min_frequency, self.rules, self._queue)
        words.sizes[token] = words.sizes[left] + words.sizes[right]
        self.rules.add(left, right)
        count = index.rows[row + COUNT]
        near = self._neighbours
        size = index.rows[row + SIZE]
        start = index.rows[row + START]
        near.hold(size)
        removed = near.join(words, index.positions, start, start, start + size, left, right, token)
        words.tokens -= removed
        self._queue.merged(left, right, token, removed)
        self._joined(left, right, token, start)
        if near.settle(index, self._queue, self._ledger, self._threshold, left, right, token):
            near.list_places(index.positions, index.positions, start, words.sizes, 0)
        near.forget()
        ledger = self._ledger
        if ledger is not None:
            ledger.set(pair, 0)
            ledger.end_step()
            ledger.joined = append(ledger.joined, removed)
        index.rows[row + COUNT] = 0  # nothing is left of it
        self.add_merge(left, right, count)

    def _correct_counts(self) -> None:
        """Changes the counts of all pairs, which were counted with overlap; nothing here."""

    def _joined(self, left: i64, right: i64, token: i64, start: i64) -> None:
        """Notes what a subclass has to know of the places that were joined, listed from ``start`` on; nothing here."""
