"""Sorts the pieces of a vocabulary by their bytes, without a Python object for each, in steps that are short."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]


class TextOrder:
    """A radix sort from the last bytes to the first, two at a time: ``step`` sorts by two bytes.

    Of pieces of which one begins with the other, the shorter comes first; equal ones stand in the order of their ids,
    also where the sort is ``descending``. A step only moves the pieces that reach as far as its bytes.
    """

    def __init__(self, data: npt.NDArray[np.uint8], offsets: Ids, descending: bool = False) -> None:
        lengths = np.diff(offsets)
        self._descending = descending
        if descending:  # all is turned round in the end, and equal ones with it
            backwards = np.argsort(lengths[::-1], kind="stable")
            self._by_length = (len(lengths) - 1 - backwards).astype(np.int32)
        else:
            self._by_length = np.argsort(lengths, kind="stable").astype(np.int32)
        self._lengths = lengths[self._by_length]
        self._starts = offsets[:-1].astype(np.int64)
        self._ends = offsets[1:]
        self._data = np.concatenate([data, np.zeros(2, np.uint8)])
        longest = int(self._lengths[-1]) if len(lengths) else 0
        self._depth = longest + longest % 2  # sorted from here on
        self._order = np.zeros(0, np.int32)

    @property
    def finished(self) -> bool:
        """Whether all is sorted."""
        return self._depth == 0

    def step(self) -> None:
        """Sorts by the two bytes before those that are sorted already."""
        if self.finished:
            return
        depth = self._depth = self._depth - 2
        first = np.searchsorted(self._lengths, depth, side="right")
        last = np.searchsorted(self._lengths, depth + 2, side="right")
        reaching = np.concatenate([self._by_length[first:last], self._order])
        at = self._starts[reaching] + depth
        second = self._data[at + 1] * (at + 1 < self._ends[reaching])
        digits = self._data[at].astype(np.uint16) << 8 | second
        self._order = reaching[np.argsort(digits, kind="stable")]

    def finish(self) -> Ids:
        """Returns the ids in their order."""
        while not self.finished:
            self.step()
        empty = np.searchsorted(self._lengths, 0, side="right")
        order = np.concatenate([self._by_length[:empty], self._order])
        return order[::-1] if self._descending else order
