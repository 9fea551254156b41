"""The merges of parity-aware BPE: each found for one language, and made in all of them."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.training.merging.bpe_merger import POSITIONS_AT_A_TIME
from tokenarium_core.training.merging.merger import BYTES, RIGHT, MergeColumns, Merger
from tokenarium_core.training.merging.neighbours import Neighbours
from tokenarium_core.training.merging.pair_index import COUNT, PAIR, SIZE, START
from tokenarium_core.training.merging.pair_record import PairRecord
from tokenarium_core.training.parity.language_segmentation import LanguageSegmentation
from tokenarium_core.training.parity.length_history import LengthHistory
from tokenarium_core.training.parity.parity_choice import NO_LANGUAGE, ParityChoice
from tokenarium_core.training.parity.string_order import StringOrder
from tokenarium_core.training.parity.watched_pairs import WatchedPairs


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
        self._laid_out = False
        self._chosen: i64 = (
            NO_LANGUAGE  # the language of the next merge, while its pair is not found
        )
        self._watched = WatchedPairs(words, self._order, min_frequency, record is not None)
        self._places = self._watched.places
        ids = len(words.sizes)
        self._group = Neighbours(ids)  # what is added up in the current group
        # And in all parts: the numbers of places, and in place of a weight 1 if the new pair is watched.
        self._all = Neighbours(ids)

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
        if not self._laid_out:
            self._laid_out = words.lay_out()
            if self._laid_out:
                self.history.note(0, words.lengths, self._measured)
                if self._record is not None:
                    self._record.begin(words.tokens)
                self._begin_groups()
        elif not self._watched.ready:
            self.visited += self._watched.advance()
        else:
            self._merge_some(POSITIONS_AT_A_TIME)

    def _begin_groups(self) -> None:
        """Begins with what merges are chosen for from now on: all languages together, or each of them."""
        merge_count = self.merges.made
        if merge_count == self.end:
            self._finish()
            return
        groups: i64 = 1 if merge_count < self._together else self._parts.trained
        self._watched.begin(groups, self.end - merge_count)

    def _finish(self) -> None:
        """Releases what only merging needs."""
        self.done = True
        self.history.note(self.merges.made, self._parts.lengths, self._measured, True)
        self._watched.clear()

    def _merge_some(self, operations: i64) -> None:
        """Makes merges until about this many positions were visited."""
        watched = self._watched
        while operations > 0:
            merge_count = self.merges.made
            if merge_count == self.end:
                self._finish()
                return
            if merge_count == self._together and watched.groups == 1 < self._parts.trained:
                self._begin_groups()
                return
            if merge_count >= self._together and self._chosen == NO_LANGUAGE:
                self._chosen = self._choice.choose(self._lengths())
                if self._chosen == NO_LANGUAGE:
                    self._finish()
                    return
            group: i64 = self._chosen
            if watched.groups == 1:
                group = 0
            operations -= 32
            index = watched.counts[group]
            row = watched.queues[group].next_row(index, watched.thresholds[group])
            if row >= 0:
                operations -= self._merge(group, index.rows[row + PAIR])
                self._chosen = NO_LANGUAGE
            elif watched.thresholds[group] > self.min_frequency:
                watched.begin_again(group, self.end - merge_count)
                return
            elif merge_count < self._together:
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
        index = self._watched.counts[group]
        merge_count = self.merges.made
        if self._record is not None:
            queue = self._watched.queues[group]
            self._record.note(index, self.min_frequency, self._order, queue)
        left = pair >> 32
        right = pair & RIGHT
        token = BYTES + merge_count
        self._parts.sizes[token] = self._parts.sizes[left] + self._parts.sizes[right]
        self._order.add(left, right)
        count = index.rows[index.find(pair) + COUNT]
        row = self._places.find(pair)
        start = self._places.rows[row + START]
        size = self._places.rows[row + SIZE]
        self.languages[merge_count] = i32(self._chosen)
        self._join_all(start, size, left, right, token)
        listed = self._all.before.list_watched(self._places, token)
        listed = self._all.behind.list_watched(self._places, token) or listed
        if listed:
            positions = self._places.positions
            self._all.list_places(positions, positions, start, self._parts.sizes, 0)
        self._all.forget()
        self.visited += size
        self.add_merge(left, right, count)
        self.history.note(merge_count + 1, self._parts.lengths, self._measured)
        return size

    def _join_all(self, start: i64, size: i64, left: i64, right: i64, token: i64) -> None:
        """Joins the two tokens at the listed positions of all parts, and settles the counts of each group."""
        near = self._group
        near.hold(size)
        words = self._parts
        together = self._watched.groups == 1
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
            removed = near.join(words, positions, start, at, stop, left, right, token)
            words.lengths[part] -= removed
            at = stop
            if part >= words.trained:
                near.hand_places_to(self._all)
                near.forget()
                continue
            words.tokens -= removed
            if not together:
                self._settle(part, left, right, token)
            elif at == end or i64(positions[at]) >= starts[words.trained]:
                self._settle(0, left, right, token)

    def _settle(self, group: i64, left: i64, right: i64, token: i64) -> None:
        """Moves the counts of the neighbouring pairs to the new ones, in one group; notes which are watched."""
        index = self._watched.counts[group]
        near = self._group
        near.hand_places_to(self._all)  # lists are made for all groups, see `_merge`
        queue = self._watched.queues[group]
        near.settle(index, queue, None, self._watched.thresholds[group], left, right, token)
        near.before.mark_watched(self._all.before)
        near.behind.mark_watched(self._all.behind)
        near.forget()
        row = index.find(left << 32 | right)
        if row >= 0:
            index.rows[row + COUNT] = 0


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
