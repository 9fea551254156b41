"""The order of the tracked pairs: the most frequent one is merged next, unless a subclass decides otherwise."""

from __future__ import annotations

from typing import final

from librt.vecs import append, vec
from mypy_extensions import i64

from tokenarium_core.training.merging.merger import MergeRules
from tokenarium_core.training.merging.pair_index import COUNT, PairIndex


class PairQueue:
    """Base of the orders in which pairs can be merged. ``rows`` of a `PairIndex` stand for pairs."""

    def clear(self) -> None:
        """Removes all pairs."""
        raise NotImplementedError

    def push(self, count: i64, pair: i64, row: i64) -> None:
        """Adds a pair with its count and its row, which comes after all rows added before."""
        raise NotImplementedError

    def next_row(self, index: PairIndex, threshold: i64) -> i64:
        """Removes and returns the row of the next pair; -1 if none still occurs ``threshold`` times."""
        raise NotImplementedError

    def merged(self, left: i64, right: i64, token: i64, weight: i64) -> None:
        """Records that two tokens were joined at this many positions in the corpus, before the new pairs are pushed."""

    def score(self, pair: i64, count: i64) -> float:
        """Returns the priority of a pair, the highest first: its count."""
        return float(count)

    def occurrences(self, token: i64) -> i64:
        """Returns how often a token occurs now, if that matters; otherwise 0."""
        return 0

    def all_occurrences(self) -> vec[i64]:
        """Returns how often each token occurs now, by id, if that matters; otherwise none."""
        return vec[i64]()

    def needs_all(self) -> bool:
        """Returns whether rare pairs may come before frequent ones, so that all have to be tracked from the start."""
        return False


@final
class PairHeap(PairQueue):
    """The most frequent pair first: a binary heap in packed columns, of counts, orders and pairs."""

    def __init__(self, rules: MergeRules) -> None:
        self._rules = rules
        self._counts = vec[i64]()
        self._orders = vec[i64]()
        self._pairs = vec[i64]()
        self._size: i64 = 0

    def clear(self) -> None:
        """Clears the heap."""
        self._counts = vec[i64]()
        self._orders = vec[i64]()
        self._pairs = vec[i64]()
        self._size = 0

    def push(self, count: i64, pair: i64, row: i64) -> None:
        """Adds a pair; see `PairQueue.push`."""
        at = self._size
        if at == len(self._counts):
            self._counts = append(self._counts, 0)
            self._orders = append(self._orders, 0)
            self._pairs = append(self._pairs, 0)
        self._size = at + 1
        order = self._rules.order(pair)
        counts = self._counts
        orders = self._orders
        pairs = self._pairs
        while at > 0:
            parent = (at - 1) >> 1
            if counts[parent] > count or (
                counts[parent] == count and not self._precedes(order, pair, parent)
            ):
                break
            counts[at] = counts[parent]
            orders[at] = orders[parent]
            pairs[at] = pairs[parent]
            at = parent
        counts[at] = count
        orders[at] = order
        pairs[at] = pair

    def next_row(self, index: PairIndex, threshold: i64) -> i64:
        """Returns the row of the most frequent pair; see `PairQueue.next_row`. Counts may have become smaller."""
        row = self.top_row(index, threshold)
        if row >= 0:
            self.pop()
        return row

    def top_row(self, index: PairIndex, threshold: i64) -> i64:
        """Returns what `next_row` does, without removing the pair."""
        while self._size > 0:
            row = index.find(self._pairs[0])
            count = index.rows[row + COUNT]
            if count == self._counts[0]:
                # The threshold may have been raised since the pair was pushed: no other one reaches it either.
                return row if count >= threshold else -1
            if count >= threshold:
                self._sink(count, self._orders[0], self._pairs[0])
            else:
                self.pop()
        return -1

    def pop(self) -> None:
        """Removes the top."""
        size = self._size - 1
        self._size = size
        if size > 0:
            self._sink(self._counts[size], self._orders[size], self._pairs[size])

    def _sink(self, count: i64, order: i64, pair: i64) -> None:
        """Replaces the top with an entry, and sifts it down."""
        counts = self._counts
        orders = self._orders
        pairs = self._pairs
        size = self._size
        at: i64 = 0
        while True:
            child = 2 * at + 1
            if child >= size:
                break
            other = child + 1
            if other < size and (
                counts[other] > counts[child]
                or (
                    counts[other] == counts[child]
                    and self._precedes(orders[other], pairs[other], child)
                )
            ):
                child = other
            if count > counts[child] or (
                count == counts[child] and self._precedes(order, pair, child)
            ):
                break
            counts[at] = counts[child]
            orders[at] = orders[child]
            pairs[at] = pairs[child]
            at = child
        counts[at] = count
        orders[at] = order
        pairs[at] = pair

    def _precedes(self, order: i64, pair: i64, other: i64) -> bool:
        """Returns whether a pair comes before the equally frequent one at ``other``."""
        if order != self._orders[other]:
            return order < self._orders[other]
        return self._rules.precedes(pair, self._pairs[other])
