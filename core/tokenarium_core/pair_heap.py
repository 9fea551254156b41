"""A max-heap of pairs by count; which of equal counts comes first, the rules of the training say."""

from __future__ import annotations

from typing import final

from librt.vecs import append, vec
from mypy_extensions import i64

from tokenarium_core.merge_rules import MergeRules


@final
class PairHeap:
    """A binary heap in packed columns: a count, the pair's order, and the pair as ``left << 32 | right``."""

    def __init__(self, rules: MergeRules) -> None:
        self._rules = rules
        self._counts = vec[i64]()
        self._orders = vec[i64]()
        self._pairs = vec[i64]()
        self._size: i64 = 0

    def __len__(self) -> int:
        return self._size

    @property
    def top_count(self) -> i64:
        """The greatest count; the heap must not be empty."""
        return self._counts[0]

    @property
    def top_pair(self) -> i64:
        """The first of the pairs with the greatest count; the heap must not be empty."""
        return self._pairs[0]

    def clear(self) -> None:
        """Makes the heap empty."""
        self._size = 0

    def push(self, count: i64, pair: i64) -> None:
        """Adds a pair."""
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

    def pop(self) -> None:
        """Takes the top away."""
        size = self._size - 1
        self._size = size
        if size > 0:
            self._sink(self._counts[size], self._orders[size], self._pairs[size])

    def replace_top(self, count: i64) -> None:
        """Gives the pair on top another count, and its due place."""
        self._sink(count, self._orders[0], self._pairs[0])

    def _sink(self, count: i64, order: i64, pair: i64) -> None:
        """Puts an entry into the top's place, and down from there."""
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
        """Tells whether a pair comes before the equally frequent one at ``other``."""
        if order != self._orders[other]:
            return order < self._orders[other]
        return self._rules.precedes(pair, self._pairs[other])
