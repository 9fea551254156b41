"""Merges that take tokens away again: the incremental strategy of PickyBPE.

After each merge, a part of it that hardly occurs elsewhere is removed from the vocabulary, and its parts take its place.
So, unlike in BPE, pairs become more frequent again, and each pair is watched from the beginning.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import extend, vec
from mypy_extensions import i32, i64

from tokenarium_core.columns import doubled, grown
from tokenarium_core.models.bpe.merge_events import MergeEvents
from tokenarium_core.training.merging.merger import BYTES, RIGHT, MergeColumns, Merger, MergeRules
from tokenarium_core.training.merging.neighbours import Neighbours, Side
from tokenarium_core.training.merging.pair_index import (
    COUNT,
    SIZE,
    START,
    STRIDE,
    PairIndex,
    PairSketch,
)
from tokenarium_core.training.merging.pair_queue import PairHeap
from tokenarium_core.training.merging.place_lists import PlaceLists
from tokenarium_core.training.merging.segmentation import BLOCK_BITS, NOTHING, Segmentation

POSITIONS_AT_A_TIME: Final = 1 << 15
PLACES_AT_A_TIME: Final = 1 << 13
"""Each costs about four times as much as a position does when pairs are counted."""

LAST: Final = 1 << 30
"""Marks the last position of a token that has several: its first one is then never taken for another's."""

_TOKEN: Final = LAST - 1
_LAYING_OUT: Final = 0
_COUNTING: Final = 1
_LISTING: Final = 2
_MERGING: Final = 3


@final
class PickyMerger(Merger):
    """Merges the most frequent pair again and again, and removes tokens that are little more than parts of others.

    When a pair of tokens was joined ``n`` times, each of the two that has two bytes or more, the left one first, is
    removed if ``n / (rest + n) > threshold``, where ``rest`` is how often it still occurs (of a token joined with
    itself, two for each of the ``n``). Wherever it occurs, the tokens that it was first made of take its place, or the
    parts of those that are not there. Chizhov et al. 2024 (https://arxiv.org/abs/2409.04599), as in the authors'
    ``bpe_trainer.py``, with counts that are exact where a merge makes a token that is there already.

    Of equally frequent pairs the one with the smallest numbers comes first, see `MergeEvents`, which gets all that was
    done. It ends when there are ``end`` tokens beside the bytes, or no pair occurs ``min_frequency`` times.

    Every merge and every removal takes some tokens away and puts others there (`_replace`), which changes the counts of
    the pairs around those places only. Pairs and tokens have lists of their places, in which some are out of date.
    """

    def __init__(
        self,
        words: Segmentation,
        merges: MergeColumns,
        end: i64,
        min_frequency: i64,
        threshold: float,
    ) -> None:
        super().__init__(words, merges, end, min_frequency, None)
        self.events = MergeEvents()
        self.pair_counts = vec[i64]([0] * (end + 1))
        """How often the pair of a merge occurred, by how many tokens beside the bytes there first were after it."""
        self.token_counts = vec[i64]([0] * (end + 1))
        """How many tokens the corpus took when there were first so many of them beside the bytes."""
        self._threshold = threshold
        self._index = PairIndex()
        self._sketch = PairSketch(0)
        self._queue = PairHeap(MergeRules())
        self._places_of_pairs = PlaceLists()
        self._places_of_tokens = PlaceLists()
        self._occurrences = vec[i64]([0] * BYTES)
        self._stage: i64 = _LAYING_OUT
        self._at: i64 = 0
        # What `_replace` found: the places, and their neighbours.
        self._found = vec[i32]([0] * 1024)
        self._neighbours = Neighbours(BYTES)
        self._neighbours.hold(1024)

    @property
    def entries(self) -> i64:
        """How many tokens there are beside the bytes."""
        return i64(len(self.events.pieces)) - BYTES - self.events.removed

    def advance(self) -> None:
        """Works on for about a millisecond."""
        words = self.words
        index = self._index
        stop = min(self._at + POSITIONS_AT_A_TIME, words.end)
        if self._stage == _LAYING_OUT:
            if words.lay_out():
                self.token_counts[0] = words.tokens
                self._stage = _COUNTING
        elif self._stage == _COUNTING:
            self._at = index.count_pairs(words, self._sketch, 0, self._at, stop)
            if self._at >= words.end:
                self._begin_lists()
        elif self._stage == _LISTING:
            self._at = index.list_positions(words, self._at, stop)
            if self._at >= words.end:
                index.positions = vec[i32]()
                self._stage = _MERGING
        else:
            self._merge_some(PLACES_AT_A_TIME)

    def _begin_lists(self) -> None:
        """Makes room for the places of each pair, which `PairIndex.list_positions` fills."""
        index = self._index
        rows = index.rows
        row: i64 = 0
        while row < index.end:
            rows[row + START] = self._places_of_pairs.add(row // STRIDE, rows[row + SIZE])
            rows[row + SIZE] = 0
            if rows[row + COUNT] >= self.min_frequency:
                self._queue.push(rows[row + COUNT], rows[row], row)
            row += STRIDE
        index.positions = self._places_of_pairs.pool
        self._stage = _LISTING
        self._at = 0

    def _merge_some(self, operations: i64) -> None:
        """Makes merges until about this many places were visited."""
        index = self._index
        while operations > 0:
            row: i64 = -1
            if self.entries < self.end:
                row = self._queue.next_row(index, self.min_frequency)
            if row < 0:
                self._finish()
                return
            count = index.rows[row + COUNT]
            pair = index.rows[row]
            operations -= 32 + self._merge(row, pair >> 32, pair & RIGHT, count)

    def _finish(self) -> None:
        """Releases what only merging needs."""
        self.done = True
        self._index.clear()
        self._queue.clear()
        self._places_of_pairs = PlaceLists()
        self._places_of_tokens = PlaceLists()

    def _merge(self, row: i64, left: i64, right: i64, count: i64) -> i64:
        """Joins two tokens everywhere, and removes each of them where it should be; returns the places visited."""
        token: i64 = self.events.merge(left, right)
        self._make_room(token)
        sizes = self.words.sizes
        sizes[token] = sizes[left] + sizes[right]
        chunk = self._places_of_pairs.take(row // STRIDE)
        visited, joined = self._replace(self._places_of_pairs, chunk, [left, right], [token])
        for part in (left,) if left == right else (left, right):
            rest = self._occurrences[part]
            if part >= BYTES and int(joined) / int(rest + joined) > self._threshold:
                visited += self._remove(part)
        self.visited += visited
        entries = self.entries
        if self.token_counts[entries] == 0:
            self.pair_counts[entries] = count
            self.token_counts[entries] = self.words.tokens
        return visited

    def _remove(self, token: i64) -> i64:
        """Removes a token, and puts its parts in its places; returns the places visited."""
        events = self.events
        events.remove(token)
        parts = [i64(part) for part in events.parts_of(len(events) - 1)]
        chunk = self._places_of_tokens.take(token)
        visited, _ = self._replace(self._places_of_tokens, chunk, [token], parts)
        return visited

    def _make_room(self, token: i64) -> None:
        """Makes the columns of tokens long enough for one more."""
        if token >= len(self._occurrences):
            size = 2 * token
            self._occurrences = extend(self._occurrences, vec[i64]([0] * (size - token)))
            self.words.sizes = grown(self.words.sizes, token, size)
            self._neighbours = Neighbours(size)
            self._neighbours.hold(len(self._found))

    def _replace(
        self, lists: PlaceLists, chunk: i64, olds: list[i64], news: list[i64]
    ) -> tuple[i64, i64]:
        """Puts tokens in place of others of the same bytes; returns the places visited, and how often it was done.

        ``olds`` is a pair or one token, ``chunk`` the list of places where it may be.
        """
        pool = lists.pool
        self._neighbours.hold(0)
        visited: i64 = 0
        weight: i64 = 0
        own = len(olds) == 2 and olds[0] == olds[1]
        while chunk >= 0:
            k = chunk + 2
            stop = k + i64(pool[chunk + 1])
            visited += stop - k
            while k < stop:
                at = i64(pool[k])
                k += 1
                if own:
                    at = self._begin_of_run(at, olds[0])
                while at >= 0 and self._is_at(at, olds):
                    weight += self._put(at, olds, news)
                    at = at + i64(self.words.sizes[news[0]]) if own else -1
            chunk = i64(pool[chunk])
        self._count(olds, news, weight)
        return visited, weight

    def _begin_of_run(self, at: i64, token: i64) -> i64:
        """Returns where a run of one token begins that has it at a place; -1 if it is not there."""
        symbols = self.words.symbols
        size = i64(self.words.sizes[token])
        if i64(symbols[at]) != token:
            return -1
        while i64(symbols[at - 1]) >= 0 and i64(symbols[at - 1]) & _TOKEN == token:
            at -= size
        return at

    def _is_at(self, at: i64, olds: list[i64]) -> bool:
        """Returns whether a token, or a pair, begins at a place."""
        symbols = self.words.symbols
        if i64(symbols[at]) != olds[0]:
            return False
        return len(olds) == 1 or i64(symbols[at + i64(self.words.sizes[olds[0]])]) == olds[1]

    def _put(self, at: i64, olds: list[i64], news: list[i64]) -> i64:
        """Writes the new tokens at a place, and notes it with its neighbours; returns its weight."""
        symbols = self.words.symbols
        sizes = self.words.sizes
        end = at
        for old in olds:
            size = i64(sizes[old])
            symbols[end] = NOTHING
            symbols[end + size - 1] = NOTHING
            end += size
        to = at
        for new in news:
            size = i64(sizes[new])
            symbols[to] = i32(new)
            if size > 1:
                symbols[to + size - 1] = i32(new | LAST)
            to += size
        self._note(at, end)
        return self.words.weights[at >> BLOCK_BITS]

    def _note(self, at: i64, end: i64) -> None:
        """Notes that a place was found from ``at`` to ``end``, and its neighbours."""
        place = self._neighbours.places
        if place == len(self._found):
            self._found = doubled(self._found)
        self._found[place] = i32(at)
        symbols = self.words.symbols
        earlier = i64(symbols[at - 1])
        later = i64(symbols[end])
        if earlier >= 0:
            earlier &= _TOKEN
        self._neighbours.add(earlier, later)

    def _count(self, olds: list[i64], news: list[i64], weight: i64) -> None:
        """Changes the counts of tokens and pairs for all places that were found, and lists the new ones.

        First all that is gained, then all that is lost: where two places are side by side, the first one gains a pair
        that the second one loses.
        """
        near = self._neighbours
        near.add_up(self.words.weights, self._found, 0)
        self.words.tokens += weight * (len(news) - len(olds))
        for old in olds:
            self._occurrences[old] -= weight
        for new in news:
            self._occurrences[new] += weight
        last = news[len(news) - 1]
        self._gain_all(near.before, news[0])
        self._gain_all(near.behind, last)
        # Where the places of the pairs between two new tokens are written.
        inner = [
            self._gain(news[part] << 32 | news[part + 1], weight, near.places)
            for part in range(len(news) - 1)
        ]
        self._lose_all(near.before, olds[0])
        self._lose_all(near.behind, olds[len(olds) - 1])
        if len(olds) == 2:
            self._lose(olds[0] << 32 | olds[1], weight)
        self._list(news, inner)
        self._announce_all(near.before, news[0])
        self._announce_all(near.behind, last)
        for part in range(len(news) - 1):
            self._announce(news[part] << 32 | news[part + 1])
        near.forget()

    def _gain_all(self, side: Side, new: i64) -> None:
        """Adds to the counts of the pairs of a new token with its neighbours."""
        k: i64 = 0
        while k < side.distinct:
            other = i64(side.seen[k])
            k += 1
            weight = side.sums[2 * other]
            places = side.sums[2 * other + 1]
            side.sums[2 * other + 1] = self._gain(side.pair(other, new), weight, places)

    def _lose_all(self, side: Side, old: i64) -> None:
        """Takes from the counts of the pairs of an old token with its neighbours."""
        k: i64 = 0
        while k < side.distinct:
            other = i64(side.seen[k])
            k += 1
            self._lose(side.pair(other, old), side.sums[2 * other])

    def _announce_all(self, side: Side, new: i64) -> None:
        """Puts the pairs of a new token with its neighbours into the queue."""
        k: i64 = 0
        while k < side.distinct:
            self._announce(side.pair(i64(side.seen[k]), new))
            k += 1

    def _gain(self, pair: i64, weight: i64, places: i64) -> i64:
        """Adds to the count of a pair; returns where its new places are to be written."""
        index = self._index
        row = index.find(pair)
        if row < 0:
            index.add(pair, 0, 0)
            row = index.end - STRIDE
        index.rows[row + COUNT] += weight
        return self._places_of_pairs.add(row // STRIDE, places)

    def _lose(self, pair: i64, weight: i64) -> None:
        index = self._index
        index.rows[index.find(pair) + COUNT] -= weight

    def _announce(self, pair: i64) -> None:
        """Puts a pair that became more frequent into the queue."""
        row = self._index.find(pair)
        count = self._index.rows[row + COUNT]
        if count >= self.min_frequency:
            self._queue.push(count, pair, row)

    def _list(self, news: list[i64], inner: list[i64]) -> None:
        """Writes the places of the pairs that were gained, and of the new tokens."""
        sizes = self.words.sizes
        pool = self._places_of_pairs.pool
        offset: i64 = 0  # from the first byte of the new tokens to that of this one
        for part in range(len(news)):
            new = news[part]
            if new >= BYTES:
                start = self._places_of_tokens.add(new, self._neighbours.places)
                self._write(self._places_of_tokens.pool, start, offset)
            if part < len(inner):
                self._write(pool, inner[part], offset)
                offset += i64(sizes[new])
        self._neighbours.list_places(pool, self._found, 0, sizes, offset)

    def _write(self, pool: vec[i32], start: i64, offset: i64) -> None:
        """Writes the places that were found to ``pool[start]`` and so on, each ``offset`` further on."""
        k: i64 = 0
        while k < self._neighbours.places:
            pool[start + k] = i32(i64(self._found[k]) + offset)
            k += 1
