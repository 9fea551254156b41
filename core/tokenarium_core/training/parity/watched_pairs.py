"""The pairs that parity-aware BPE tracks: their counts in each language, and their positions in all of them."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.training.merging.bpe_merger import HIGHEST, POSITIONS_AT_A_TIME
from tokenarium_core.training.merging.pair_index import COUNT, PAIR, STRIDE, PairIndex, PairSketch
from tokenarium_core.training.merging.pair_queue import PairHeap
from tokenarium_core.training.parity.language_segmentation import LanguageSegmentation
from tokenarium_core.training.parity.string_order import StringOrder

SKETCHING: Final = 0
COUNTING: Final = 1
MEASURING: Final = 2
LISTING: Final = 3
READY: Final = 4


@final
class WatchedPairs:
    """Finds the pairs that reach a threshold in any group, and lists their positions in all parts of a segmentation.

    A merge is chosen for a group: one language, or, if ``groups`` is 1, all of them together. Group ``g`` has
    its pairs with their counts in ``counts[g]``, their order in ``queues[g]``, and the count from which a pair is
    tracked in ``thresholds[g]``. ``places`` lists the positions of all pairs tracked in some group; it has
    no counts.

    `begin`, or `begin_again`, then `advance` until it is ``ready``: each group is sketched and counted separately,
    then the positions of its pairs are counted and listed in all parts.
    """

    def __init__(
        self, words: LanguageSegmentation, order: StringOrder, least: i64, all_pairs: bool
    ) -> None:
        self._words = words
        self._order = order
        self._least: i64 = least
        self._all_pairs = all_pairs
        self.groups: i64 = 0
        self.counts: list[PairIndex] = []
        self.queues: list[PairHeap] = []
        self.thresholds = vec[i64]()
        self.places = PairIndex()
        self._stage: i64 = READY
        self._sketch = PairSketch(0)
        self._group: i64 = 0  # whose pairs are being counted
        self._at: i64 = 0
        self._merges: i64 = 0  # that are still to be made
        self._run_out: i64 = -1  # the group that has no watched pair left

    @property
    def ready(self) -> bool:
        """Whether everything is counted and listed."""
        return self._stage == READY

    def clear(self) -> None:
        """Forgets all pairs."""
        self.counts = []
        self.queues = []
        self.places.clear()

    def begin(self, groups: i64, merges: i64) -> None:
        """Starts to search the pairs of different groups, for a number of merges."""
        self.groups = groups
        self.thresholds = vec[i64]([HIGHEST] * groups)
        self.begin_again(-1, merges)

    def begin_again(self, run_out: i64, merges: i64) -> None:
        """Starts to search more pairs: a group has none left, and this many merges are still to be made."""
        self.clear()
        self._run_out = run_out
        self._merges = merges
        self._group = 0
        self._begin_group()

    def advance(self) -> i64:
        """Works for about a millisecond; returns how many positions were visited."""
        words = self._words
        begin = self._at
        if self._stage == SKETCHING:
            stop = self._end_of(self._group)
            self._at = self._sketch.add_pairs(words, begin, min(begin + POSITIONS_AT_A_TIME, stop))
            visited = self._at - begin
            if self._at >= stop:
                self._choose_threshold()
                self._stage = COUNTING
                self._at = words.starts[self._group]
            return visited
        if self._stage == COUNTING:
            return self._count_on()
        stop = min(begin + POSITIONS_AT_A_TIME, words.end)
        self._at = self.places.list_positions(words, begin, stop, self._stage == MEASURING)
        visited = self._at - begin
        if self._at >= words.end:
            if self._stage == MEASURING:
                self.places.keep(0)
            self._stage += 1
            self._at = 0
        return visited

    def _begin_group(self) -> None:
        """Starts to search the pairs of a group."""
        start = self._words.starts[self._group]
        self.counts.append(PairIndex())
        self._sketch = PairSketch(self._end_of(self._group) - start)
        self._stage = SKETCHING
        self._at = start

    def _end_of(self, group: i64) -> i64:
        part = self._words.trained if self.groups == 1 else group + 1
        return self._words.starts[part]

    def _choose_threshold(self) -> None:
        """Chooses the threshold of the group whose pairs are sketched."""
        group = self._group
        # Four times its share of the merges that are left: those for other languages take pairs from it as well, and
        # each search walks over all words.
        threshold = self._sketch.choose_threshold(4 * self._merges // self.groups + 1)
        before = self.thresholds[group]
        if group == self._run_out:
            # Lower by more than an eighth: the sketch alone may ask for too much.
            before -= (before >> 3) + 1
        threshold = max(min(threshold, before), self._least)
        if self._all_pairs:
            threshold = self._least
        self.thresholds[group] = threshold

    def _count_on(self) -> i64:
        """Counts more pairs of a group; then moves to the next group, and finally to the positions."""
        group = self._group
        begin = self._at
        index = self.counts[group]
        threshold = self.thresholds[group]
        stop = self._end_of(group)
        chunk = min(begin + POSITIONS_AT_A_TIME, stop)
        self._at = index.count_pairs(self._words, self._sketch, threshold, begin, chunk)
        visited = self._at - begin
        if self._at < stop:
            return visited
        index.drop_rare(threshold)
        self._queue(index)
        self._group = group + 1
        if self._group < self.groups:
            self._begin_group()
        else:
            self._sketch = PairSketch(0)
            self._stage = MEASURING
            self._at = 0
        return visited

    def _queue(self, index: PairIndex) -> None:
        """Adds the pairs of a group to its queue, and to those whose positions are listed."""
        places = self.places
        queue = PairHeap(self._order)
        self.queues.append(queue)
        row: i64 = 0
        while row < index.end:
            pair = index.rows[row + PAIR]
            if places.find(pair) < 0:
                places.add(pair, 0, 0)
            queue.push(index.rows[row + COUNT], pair, row)
            row += STRIDE
