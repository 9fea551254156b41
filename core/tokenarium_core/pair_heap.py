"""A max-heap of pairs by count; of equal counts the smallest pair comes first."""

from __future__ import annotations

from typing import final

from librt.vecs import append, vec
from mypy_extensions import i64


@final
class PairHeap:
    """A binary heap in two packed columns: a count, and a pair packed as ``left << 32 | right``."""

    def __init__(self) -> None:
        self._counts = vec[i64]()
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
        """The smallest of the pairs with the greatest count; the heap must not be empty."""
        return self._pairs[0]

    def clear(self) -> None:
        """Makes the heap empty."""
        self._size = 0

    def push(self, count: i64, pair: i64) -> None:
        """Adds a pair."""
        at = self._size
        if at == len(self._counts):
            self._counts = append(self._counts, 0)
            self._pairs = append(self._pairs, 0)
        self._size = at + 1
        counts = self._counts
        pairs = self._pairs
        while at > 0:
            parent = (at - 1) >> 1
            if counts[parent] > count or (counts[parent] == count and pairs[parent] < pair):
                break
            counts[at] = counts[parent]
            pairs[at] = pairs[parent]
            at = parent
        counts[at] = count
        pairs[at] = pair

    def pop(self) -> None:
        """Takes the top away."""
        size = self._size - 1
        self._size = size
        if size > 0:
            self._sink(self._counts[size], self._pairs[size])

    def replace_top(self, count: i64) -> None:
        """Gives the pair on top another count, and its due place."""
        self._sink(count, self._pairs[0])

    def _sink(self, count: i64, pair: i64) -> None:
        """Puts an entry into the top's place, and down from there."""
        counts = self._counts
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
                or (counts[other] == counts[child] and pairs[other] < pairs[child])
            ):
                child = other
            if count > counts[child] or (count == counts[child] and pair < pairs[child]):
                break
            counts[at] = counts[child]
            pairs[at] = pairs[child]
            at = child
        counts[at] = count
        pairs[at] = pair
