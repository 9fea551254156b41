"""The merges of parity-aware BPE: each found for one language, and made in all of them."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.training.merging.merger import BYTES, RIGHT, MergeColumns, Merger
from tokenarium_core.training.merging.pair_index import (
    COUNT,
    PAIR,
    SIZE,
    START,
    STRIDE,
    PairIndex,
    PairSketch,
)
from tokenarium_core.training.merging.pair_queue import PairHeap
from tokenarium_core.training.merging.pair_record import PairRecord
from tokenarium_core.training.merging.segmentation import BLOCK_BITS, NOTHING
from tokenarium_core.training.parity.language_segmentation import LanguageSegmentation
from tokenarium_core.training.parity.length_history import LengthHistory
from tokenarium_core.training.parity.parity_choice import NO_LANGUAGE, ParityChoice
from tokenarium_core.training.parity.string_order import StringOrder

LAYING_OUT: Final = 0
SKETCHING: Final = 1
COUNTING: Final = 2
MEASURING: Final = 3
LISTING: Final = 4
MERGING: Final = 5
HIGHEST: Final = 1 << 60  # above any count
POSITIONS_AT_A_TIME: Final = 1 << 15
WARM: Final = 128  # positions that are fetched into the cache at a time


@final
class ParityMerger(Merger):
    """Finds merges as `BpeMerger` does, with a threshold, counts and a queue for each language.

    A pair is watched if it reaches the threshold of any language. The count of a pair in a language never grows after
    the merge that made its younger token, so a pair that is born below all thresholds needs no list, and one that is
    born below the threshold of a language needs no count there. The positions of a watched pair are listed in all
    languages and in the dev set, in one list: a merge for one language is made in all. When a language has no watched
    pair left at its threshold, all thresholds are lowered, and the pairs are counted again.

    The first ``together`` merges are of the pairs that are most frequent in all languages together: then there is one
    group of parts that are counted, otherwise each language is a group.

    ``languages[k]`` is the language that merge ``k`` was for, and the count of its pair is the count there. ``measured``
    is the part of the segmentation that has the first language's measured text.
    """

    def __init__(
        self,
        words: LanguageSegmentation,
        merges: MergeColumns,
        min_frequency: i64,
        together: i64,
        choice: ParityChoice,
        measured: i64,
        record: PairRecord | None = None,
    ) -> None:
        self._order = StringOrder()
        super().__init__(words, merges, merges.merge_count, min_frequency, self._order)
        self.languages = vec[i32]([0] * merges.merge_count)
        self.history = LengthHistory(words.trained, merges.merge_count)
        self._parts = words
        self._together: i64 = min(together, self.end)
        self._choice = choice
        self._measured: i64 = measured
        self._record = record
        self._stage: i64 = LAYING_OUT
        self._at: i64 = 0
        self._group: i64 = 0  # whose pairs are being counted
        self._groups: i64 = 0
        self._chosen: i64 = (
            NO_LANGUAGE  # the language of the next merge, while its pair is not found yet
        )
        self._sketch = PairSketch(0)
        self._places = PairIndex()
        self._counts: list[PairIndex] = []
        self._queues: list[PairHeap] = []
        self._thresholds = vec[i64]()
        ids = len(words.sizes)
        # Of each neighbour of the current pair: its weight in the current group; in all parts, at first the number of
        # its positions, then where the list of its new pair goes, -1 if that is not watched; whether it is watched.
        self._before = vec[i64]([0] * ids)
        self._behind = vec[i64]([0] * ids)
        self._lists_before = vec[i64]([0] * ids)
        self._lists_behind = vec[i64]([0] * ids)
        self._watched_before = [False] * ids
        self._watched_behind = [False] * ids
        # The different neighbours in the current group, and in all parts.
        self._seen_before = vec[i32]([0] * ids)
        self._seen_behind = vec[i32]([0] * ids)
        self._group_before: i64 = 0
        self._group_behind: i64 = 0
        self._all_before = vec[i32]([0] * ids)
        self._all_behind = vec[i32]([0] * ids)
        self._distinct_before: i64 = 0
        self._distinct_behind: i64 = 0
        self._touched: i64 = 0
        # The neighbours of each merged position, in the order of the list.
        self._lefts_of = vec[i32]()
        self._rights_of = vec[i32]()
        self._merged: i64 = 0

    @property
    def forced_choices(self) -> int:
        """How often the window left no language over, see `ParityChoice`."""
        return self._choice.forced

    def lengths_now(self) -> list[int]:
        """Returns how many tokens the measured text of each language takes now."""
        return list(self._lengths())

    def advance(self) -> None:
        """Works on for about a millisecond."""
        words = self._parts
        if self._stage == LAYING_OUT:
            if words.lay_out():
                self.history.note(0, words.lengths, self._measured)
                if self._record is not None:
                    self._record.begin(words.tokens)
                self._begin_groups()
        elif self._stage == SKETCHING:
            stop = self._end_of(self._group)
            at = self._sketch.add_pairs(words, self._at, min(self._at + POSITIONS_AT_A_TIME, stop))
            self._reach(at)
            if self._at >= stop:
                self._choose_threshold()
                self._stage = COUNTING
                self._at = self._start_of(self._group)
        elif self._stage == COUNTING:
            self._count_on()
        elif self._stage == MEASURING:
            stop = min(self._at + POSITIONS_AT_A_TIME, words.end)
            self._reach(self._places.measure_lists(words, self._at, stop))
            if self._at >= words.end:
                self._places.keep(0)
                self._stage = LISTING
                self._at = 0
        elif self._stage == LISTING:
            stop = min(self._at + POSITIONS_AT_A_TIME, words.end)
            self._reach(self._places.list_positions(words, self._at, stop))
            if self._at >= words.end:
                self._stage = MERGING
        elif self._stage == MERGING:
            self._merge_some(POSITIONS_AT_A_TIME)

    def _reach(self, at: i64) -> None:
        """Continues at a position that the walk over the segmentation reached."""
        self.visited += at - self._at
        self._at = at

    def _start_of(self, group: i64) -> i64:
        return self._parts.starts[group]

    def _end_of(self, group: i64) -> i64:
        part = self._parts.trained if self._groups == 1 else group + 1
        return self._parts.starts[part]

    def _begin_groups(self) -> None:
        """Begins with what is counted from now on: all languages together, or each of them."""
        made = self.merges.made
        if made == self.end:
            self._finish()
            return
        self._groups = 1 if made < self._together else self._parts.trained
        self._thresholds = vec[i64]([HIGHEST] * self._groups)
        self._survey()

    def _survey(self) -> None:
        """Starts to search the pairs to watch from now on."""
        self._places.clear()
        self._counts = []
        self._queues = []
        self._group = 0
        self._begin_group()

    def _begin_group(self) -> None:
        """Starts to search the pairs of a group that are to be watched."""
        start = self._start_of(self._group)
        self._counts.append(PairIndex())
        self._sketch = PairSketch(self._end_of(self._group) - start)
        self._stage = SKETCHING
        self._at = start

    def _choose_threshold(self) -> None:
        """Chooses the threshold of the group whose pairs are sketched."""
        group = self._group
        # Twice its share of the merges that are left: those for other languages take pairs from it as well.
        share = 4 * (self.end - self.merges.made) // self._groups + 1
        before = self._thresholds[group]
        threshold = self._sketch.choose_threshold(share)
        if group == self._chosen or self._groups == 1:
            # It has none left. Lower by more than an eighth: the sketch alone may ask for too much.
            before -= (before >> 3) + 1
        threshold = max(min(threshold, before), self.min_frequency)
        if self._record is not None:
            threshold = self.min_frequency
        self._thresholds[group] = threshold

    def _count_on(self) -> None:
        """Counts more pairs of a group; then goes to the next group, at last to the positions."""
        group = self._group
        words = self._parts
        index = self._counts[group]
        threshold = self._thresholds[group]
        stop = self._end_of(group)
        chunk = min(self._at + POSITIONS_AT_A_TIME, stop)
        self._reach(index.count_pairs(words, self._sketch, threshold, self._at, chunk))
        if self._at < stop:
            return
        index.drop_rare(threshold)
        places = self._places
        queue = PairHeap(self._order)
        self._queues.append(queue)
        row: i64 = 0
        while row < index.end:
            pair = index.rows[row + PAIR]
            if places.find(pair) < 0:
                places.add(pair, 0, 0)
            queue.push(index.rows[row + COUNT], pair, row)
            row += STRIDE
        self._group = group + 1
        if self._group < self._groups:
            self._begin_group()
            return
        self._sketch = PairSketch(0)
        self._stage = MEASURING
        self._at = 0

    def _finish(self) -> None:
        """Releases what only merging needs."""
        self.done = True
        self.history.note(self.merges.made, self._parts.lengths, self._measured, True)
        self._places.clear()
        self._counts = []
        self._queues = []

    def _merge_some(self, operations: i64) -> None:
        """Makes merges until about this many positions were visited."""
        while operations > 0:
            made = self.merges.made
            if made == self.end:
                self._finish()
                return
            if made == self._together and self._groups == 1 < self._parts.trained:
                self._begin_groups()
                return
            if made >= self._together and self._chosen == NO_LANGUAGE:
                self._chosen = self._choice.choose(self._lengths())
                if self._chosen == NO_LANGUAGE:
                    self._finish()
                    return
            group = 0 if self._groups == 1 else self._chosen
            operations -= 32
            row = self._queues[group].next_row(self._counts[group], self._thresholds[group])
            if row >= 0:
                operations -= self._merge(group, self._counts[group].rows[row + PAIR])
                self._chosen = NO_LANGUAGE
            elif self._thresholds[group] > self.min_frequency:
                self._survey()
                return
            elif made < self._together:
                self._finish()
                return
            else:
                self._choice.run_out(self._chosen)
                self._chosen = NO_LANGUAGE

    def _lengths(self) -> vec[i64]:
        """Returns how many tokens the measured text of each language takes now."""
        return self._parts.lengths[self._measured : self._measured + self._parts.trained]

    def _merge(self, group: i64, pair: i64) -> i64:
        """Merges the best pair of a group everywhere; returns how many positions were visited."""
        index = self._counts[group]
        made = self.merges.made
        if self._record is not None:
            self._record.note(index, self.min_frequency, self._order, self._queues[group])
        left = pair >> 32
        right = pair & RIGHT
        token = BYTES + made
        self._parts.sizes[token] = self._parts.sizes[left] + self._parts.sizes[right]
        self._order.add(left, right)
        count = index.rows[index.find(pair) + COUNT]
        row = self._places.find(pair)
        start = self._places.rows[row + START]
        size = self._places.rows[row + SIZE]
        self.languages[made] = i32(self._chosen)
        self._join_all(start, size, left, right, token)
        self._list_new(start, token)
        self.visited += size
        self.add_merge(left, right, count)
        self.history.note(made + 1, self._parts.lengths, self._measured)
        return size

    def _join_all(self, start: i64, size: i64, left: i64, right: i64, token: i64) -> None:
        """Joins the two tokens at the listed positions of all parts, and settles the counts of each group."""
        if size > len(self._lefts_of):
            self._lefts_of = vec[i32]([0] * (size + (size >> 1)))
            self._rights_of = vec[i32]([0] * (size + (size >> 1)))
        self._merged = 0
        self._distinct_before = 0
        self._distinct_behind = 0
        words = self._parts
        starts = words.starts
        positions = self._places.positions
        last = len(starts) - 2
        end = start + size
        at = start
        part: i64 = 0
        while at < end:
            while starts[part + 1] <= i64(positions[at]):
                part += 1
            stop = end if part == last else _first_from(positions, at, end, starts[part + 1])
            trained = part < words.trained
            self._join(start, at, stop, part, left, right, token)
            if trained and self._groups > 1:
                self._settle(part, left, right, token)
            at = stop
            if self._groups == 1 and trained:
                following = at < end and i64(positions[at]) < starts[words.trained]
                if not following:
                    self._settle(0, left, right, token)

    def _join(
        self, first: i64, start: i64, stop: i64, part: i64, left: i64, right: i64, token: i64
    ) -> None:
        """Joins the two tokens at the listed positions from ``start`` to ``stop``, all in one part, left to right.

        Adds up, for each token before or after it, the number of such places, and the weight where pairs are counted.
        The list is overwritten, from ``first`` on, with the positions that held the pair.
        """
        words = self._parts
        symbols = words.symbols
        weights = words.weights
        positions = self._places.positions
        lefts_of = self._lefts_of
        rights_of = self._rights_of
        before = self._before
        behind = self._behind
        lists_before = self._lists_before
        lists_behind = self._lists_behind
        counted = part < words.trained
        left_size = i64(words.sizes[left])
        pair_size = i64(words.sizes[token])
        removed: i64 = 0
        merged = self._merged
        k = start
        warm = start
        while k < stop:
            if k == warm:
                warm = min(k + WARM, stop)
                self._touch(symbols, positions, k, warm)
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
            positions[first + merged] = i32(at)
            lefts_of[merged] = i32(earlier)
            rights_of[merged] = i32(later)
            merged += 1
            if earlier >= 0:
                if lists_before[earlier] == 0:
                    self._all_before[self._distinct_before] = i32(earlier)
                    self._distinct_before += 1
                lists_before[earlier] += 1
                if counted:
                    if before[earlier] == 0:
                        self._seen_before[self._group_before] = i32(earlier)
                        self._group_before += 1
                    before[earlier] += weight
            if later >= 0:
                if lists_behind[later] == 0:
                    self._all_behind[self._distinct_behind] = i32(later)
                    self._distinct_behind += 1
                lists_behind[later] += 1
                if counted:
                    if behind[later] == 0:
                        self._seen_behind[self._group_behind] = i32(later)
                        self._group_behind += 1
                    behind[later] += weight
        self._merged = merged
        words.lengths[part] -= removed
        if counted:
            words.tokens -= removed

    def _touch(self, symbols: vec[i32], positions: vec[i32], begin: i64, end: i64) -> None:
        """Reads the symbols at some positions, only to have them in the cache; see `BpeMerger`."""
        total: i64 = 0
        k = begin
        while k < end:
            total += i64(symbols[i64(positions[k])])
            k += 1
        self._touched = total

    def _settle(self, group: i64, left: i64, right: i64, token: i64) -> None:
        """Moves the counts of the neighbouring pairs to the new ones, in one group; notes which are watched.

        See `BpeMerger` for a row of merges, as in "abab".
        """
        index = self._counts[group]
        queue = self._queues[group]
        threshold = self._thresholds[group]
        before = self._before
        behind = self._behind
        row = index.find(left << 32 | right)
        if row >= 0:
            index.rows[row + COUNT] = 0
        again = before[token]  # weight of "token, left" that became "token, token"
        k: i64 = 0
        while k < self._group_before:
            earlier = i64(self._seen_before[k])
            k += 1
            weight = before[earlier]
            if earlier != token:
                row = index.find(earlier << 32 | left)
                if row >= 0:
                    index.rows[row + COUNT] -= weight
            if weight >= threshold:
                pair = earlier << 32 | token
                index.add(pair, weight, 0)
                queue.push(weight, pair, index.end - STRIDE)
                self._watched_before[earlier] = True
            before[earlier] = 0
        self._group_before = 0
        k = 0
        while k < self._group_behind:
            later = i64(self._seen_behind[k])
            k += 1
            weight = behind[later]
            row = index.find(right << 32 | later)
            if row >= 0:
                index.rows[row + COUNT] -= weight
            if later == left:
                weight -= again
            if weight >= threshold:
                pair = token << 32 | later
                index.add(pair, weight, 0)
                queue.push(weight, pair, index.end - STRIDE)
                self._watched_behind[later] = True
            behind[later] = 0
        self._group_behind = 0

    def _list_new(self, start: i64, token: i64) -> None:
        """Writes the position lists of the new pairs that are watched."""
        listed = self._make_lists(token)
        positions = self._places.positions
        sizes = self._parts.sizes
        before = self._lists_before
        behind = self._lists_behind
        lefts_of = self._lefts_of
        rights_of = self._rights_of
        k: i64 = 0
        while listed and k < self._merged:
            at = i64(positions[start + k])
            earlier = i64(lefts_of[k])
            if earlier >= 0:
                place = before[earlier]
                if place >= 0:
                    positions[place] = i32(at - i64(sizes[earlier]))
                    before[earlier] = place + 1
            later = i64(rights_of[k])
            if later >= 0:
                place = behind[later]
                if place >= 0:
                    positions[place] = i32(at)
                    behind[later] = place + 1
            k += 1
        k = 0
        while k < self._distinct_before:
            before[i64(self._all_before[k])] = 0
            k += 1
        k = 0
        while k < self._distinct_behind:
            behind[i64(self._all_behind[k])] = 0
            k += 1

    def _make_lists(self, token: i64) -> bool:
        """Makes room for the lists of the new pairs that are watched; returns whether there are any."""
        places = self._places
        listed = False
        k: i64 = 0
        while k < self._distinct_before:
            earlier = i64(self._all_before[k])
            k += 1
            size = self._lists_before[earlier]
            self._lists_before[earlier] = -1
            if self._watched_before[earlier]:
                self._watched_before[earlier] = False
                self._lists_before[earlier] = places.add(earlier << 32 | token, 0, size)
                listed = True
        k = 0
        while k < self._distinct_behind:
            later = i64(self._all_behind[k])
            k += 1
            size = self._lists_behind[later]
            self._lists_behind[later] = -1
            if self._watched_behind[later]:
                self._watched_behind[later] = False
                self._lists_behind[later] = places.add(token << 32 | later, 0, size)
                listed = True
        return listed


def _first_from(positions: vec[i32], at: i64, end: i64, position: i64) -> i64:
    """Returns the first index from ``at`` to ``end`` in a rising list whose value is at least ``position``."""
    low = at
    high = end
    while low < high:
        middle = (low + high) >> 1
        if i64(positions[middle]) < position:
            low = middle + 1
        else:
            high = middle
    return low
