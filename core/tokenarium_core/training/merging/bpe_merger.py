"""The merges of byte-pair encoding, each found from the changes of the one before it."""

from __future__ import annotations

from typing import Final

from librt.vecs import append
from mypy_extensions import i32, i64

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
    touched,
)
from tokenarium_core.training.merging.pair_ledger import PairLedger
from tokenarium_core.training.merging.pair_queue import PairHeap, PairQueue
from tokenarium_core.training.merging.pair_record import PairRecord
from tokenarium_core.training.merging.segmentation import BLOCK_BITS, NOTHING, Segmentation

LAYING_OUT: Final = 0
SKETCHING: Final = 1
COUNTING: Final = 2
LISTING: Final = 3
MERGING: Final = 4
HIGHEST: Final = 1 << 60  # above any count
POSITIONS_AT_A_TIME: Final = 1 << 15
WARM: Final = 128  # positions that are fetched into the cache at a time


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
        self._sketch = PairSketch(0)
        self._index = PairIndex()
        self._queue = PairHeap(self.rules) if queue is None else queue
        self._record = record
        self._ledger = record.ledger if record is not None else None
        self._stage: i64 = LAYING_OUT
        self._at: i64 = 0
        self._neighbours = Neighbours(len(words.sizes))
        self._touched: i64 = 0
        # Places where a pair of equal tokens is not lost, before and behind the merged ones, and where none is won: see
        # `ApartMerger`.
        self._kept_before: i64 = 0
        self._kept_behind: i64 = 0
        self._not_won: i64 = 0

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
            self._reach(self._sketch.add_pairs(words, start, stop))
            if self._at >= words.end:
                # Lower than before by more than an eighth: the sketch alone may ask for too much.
                before = self._threshold
                threshold = self._sketch.choose_threshold(self.end - self.merges.made)
                threshold = min(threshold, before - (before >> 3) - 1, self._ceiling)
                self._threshold = max(threshold, self.min_frequency)
                if self._queue.needs_all() or self._record is not None:
                    self._threshold = self.min_frequency
                self._begin(COUNTING)
        elif self._stage == COUNTING:
            least: i64 = 1
            if self._ledger is None:
                least = self._threshold
            self._reach(self._index.count_pairs(words, self._sketch, least, start, stop))
            if self._at >= words.end:
                self._sketch = PairSketch(0)
                self._correct_counts()
                self._watch()
                self._begin(LISTING)
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

    def _counts_once(self, stage: i64) -> bool:
        """Returns whether the pairs are counted though nothing is merged: a ledger has them."""
        return self._ledger is not None and len(self._ledger) == 0 and stage != MERGING

    def _finish(self) -> None:
        """Releases what only merging needs."""
        self.done = True
        self._index.clear()
        self._queue.clear()

    def _survey(self) -> None:
        """Starts to search the pairs to watch from now on."""
        self._index.clear()
        self._sketch = PairSketch(self.words.end)
        self._begin(SKETCHING)

    def _watch(self) -> None:
        """Keeps the counted pairs that reach the threshold, in the index and in the heap."""
        index = self._index
        if self._ledger is not None:
            self._ledger.recount(index)
            self._ledger.symbol_counts = self._queue.all_occurrences()
        index.keep(self._threshold)
        self._queue.clear()
        row: i64 = 0
        while row < index.end:
            self._queue.push(index.rows[row + COUNT], index.rows[row + PAIR], row)
            row += STRIDE

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
                index.reserve(2 * index.rows[row + SIZE], self._threshold)
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
        tokens = words.tokens
        merged = self._join(row, left, right, token)
        self._queue.merged(left, right, token, tokens - words.tokens)
        self._joined(left, right, token, index.rows[row + START], merged)
        if self._settle(left, right, token):
            start = index.rows[row + START]
            self._neighbours.list_places(
                index.positions, index.positions, start, merged, words.sizes, 0
            )
        ledger = self._ledger
        if ledger is not None:
            self._note_changes(ledger, left, right, token)
            ledger.joined = append(ledger.joined, tokens - words.tokens)
        self._neighbours.forget()
        index.rows[row + COUNT] = 0  # nothing is left of it
        self.add_merge(left, right, count)

    def _join(self, row: i64, left: i64, right: i64, token: i64) -> i64:
        """Joins the two tokens at all listed positions, left to right; returns how many there were.

        Adds up, for each token before or after it, the weight and the number of such places. The list is overwritten
        with the positions that held the pair.
        """
        symbols = self.words.symbols
        weights = self.words.weights
        positions = self._index.positions
        start = self._index.rows[row + START]
        size = self._index.rows[row + SIZE]
        near = self._neighbours
        near.hold(size)
        lefts_of = near.lefts
        rights_of = near.rights
        before = near.before
        behind = near.behind
        seen_before = near.seen_before
        seen_behind = near.seen_behind
        distinct_before: i64 = 0
        distinct_behind: i64 = 0
        left_size = i64(self.words.sizes[left])
        pair_size = i64(self.words.sizes[token])
        removed: i64 = 0
        merged: i64 = 0
        k = start
        warm = start
        while k < start + size:
            if k == warm:
                warm = min(k + WARM, start + size)
                self._touched = touched(symbols, positions, k, warm)
            at = i64(positions[k])
            k += 1
            if symbols[at] != left or symbols[at + left_size] != right:
                continue
            end = at + pair_size
            weight = weights[at >> BLOCK_BITS]
            removed += weight
            earlier = i64(symbols[at - 1])
            later = i64(symbols[end])
            symbols[at + left_size] = NOTHING
            symbols[at] = i32(token)
            symbols[end - 1] = i32(token)
            positions[start + merged] = i32(at)
            lefts_of[merged] = i32(earlier)
            rights_of[merged] = i32(later)
            merged += 1
            if earlier >= 0:
                if before[2 * earlier + 1] == 0:
                    seen_before[distinct_before] = i32(earlier)
                    distinct_before += 1
                before[2 * earlier] += weight
                before[2 * earlier + 1] += 1
            if later >= 0:
                if behind[2 * later + 1] == 0:
                    seen_behind[distinct_behind] = i32(later)
                    distinct_behind += 1
                behind[2 * later] += weight
                behind[2 * later + 1] += 1
        near.distinct_before = distinct_before
        near.distinct_behind = distinct_behind
        self.words.tokens -= removed
        return merged

    def _correct_counts(self) -> None:
        """Changes the counts of all pairs, which were counted with overlap; nothing here."""

    def _joined(self, left: i64, right: i64, token: i64, start: i64, merged: i64) -> None:
        """Notes what a subclass has to know of the places that `_join` listed from ``start`` on; nothing here."""

    def _settle(self, left: i64, right: i64, token: i64) -> bool:
        """Moves the counts of the neighbouring pairs to the new ones; returns whether any is watched.

        A place "earlier, left, right" loses the pair (earlier, left) and gains (earlier, token); the same holds after
        it. In a row of merges, as in "abab", the second finds the new token before it: the pair (token, left) there,
        which the first made, is gone again. Of each neighbour's two numbers, the second becomes the start of its new
        list, -1 if the new pair is not watched. A token that no merge made, with `NOTHING` for both, loses no pairs.
        """
        index = self._index
        queue = self._queue
        near = self._neighbours
        before = near.before
        behind = near.behind
        seen = near.seen_before
        distinct = near.distinct_before
        threshold = self._threshold
        again = before[2 * token]  # weight of "token, left" that became "token, token"
        watched = False
        k: i64 = 0
        while k < distinct:
            earlier = i64(seen[k])
            k += 1
            weight = before[2 * earlier]
            if earlier != token:
                row = index.find(earlier << 32 | left)
                if row >= 0:
                    index.rows[row + COUNT] -= weight
                    if earlier == left:
                        index.rows[row + COUNT] += self._kept_before
            else:
                weight -= self._not_won
            if weight >= threshold:
                pair = earlier << 32 | token
                before[2 * earlier + 1] = index.add(pair, weight, before[2 * earlier + 1])
                queue.push(weight, pair, index.end - STRIDE)
                watched = True
            else:
                before[2 * earlier + 1] = -1
        seen = near.seen_behind
        distinct = near.distinct_behind
        k = 0
        while k < distinct:
            later = i64(seen[k])
            k += 1
            weight = behind[2 * later]
            row = index.find(right << 32 | later)
            if row >= 0:
                index.rows[row + COUNT] -= weight
                if later == right:
                    index.rows[row + COUNT] += self._kept_behind
            if later == left:
                weight -= again
            if weight >= threshold:
                pair = token << 32 | later
                behind[2 * later + 1] = index.add(pair, weight, behind[2 * later + 1])
                queue.push(weight, pair, index.end - STRIDE)
                watched = True
            else:
                behind[2 * later + 1] = -1
        return watched

    def _note_changes(self, ledger: PairLedger, left: i64, right: i64, token: i64) -> None:
        """Notes the changed counts of all pairs, of those too that are not watched; see `_settle`."""
        near = self._neighbours
        before = near.before
        behind = near.behind
        again = before[2 * token]
        k: i64 = 0
        while k < near.distinct_before:
            earlier = i64(near.seen_before[k])
            k += 1
            weight = before[2 * earlier]
            if earlier != token:
                ledger.change(earlier << 32 | left, -weight)
            ledger.change(earlier << 32 | token, weight)
        k = 0
        while k < near.distinct_behind:
            later = i64(near.seen_behind[k])
            k += 1
            weight = behind[2 * later]
            ledger.change(right << 32 | later, -weight)
            if later == left:
                weight -= again
            ledger.change(token << 32 | later, weight)
        ledger.set(left << 32 | right, 0)
        ledger.end_step()
