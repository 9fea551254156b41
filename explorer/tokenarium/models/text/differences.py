"""Where several ways to cut one text disagree."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from tokenarium.models.text.text_map import IntArray
from tokenarium_core import Progress

STRETCH = 1 << 20
"""Bytes of the text that are compared in one go: some milliseconds."""


def difference_sentence(places: int, cuts: int, what: str = "") -> str:
    """Returns in how many places, and at how many cuts that not all make, several ways to cut a text differ.

    ``what`` says which places are meant. A place may have several such cuts, and each has a mark in the text.

    >>> difference_sentence(1, 4), difference_sentence(2, 2, " of the kind digits")
    ('They differ in 1 place, at 4 cuts', 'They differ in 2 places of the kind digits, at 2 cuts')
    """
    return f"They differ in {places:,} place{'s' * (places != 1)}{what}, at {cuts:,} cut{'s' * (cuts != 1)}"


class CutComparison:
    """Several ways to cut a text on their way to where they differ: `step` until it is finished.

    ``cuts`` are the sorted end offsets of the parts, one array for each way to cut; all end where the text ends.

    >>> comparison = CutComparison([np.array([2, 5, 9]), np.array([2, 3, 5, 9])])
    >>> comparison.step(float("inf")).finished
    True
    >>> comparison.disputed.tolist(), comparison.places.tolist()
    ([3], [[2, 5]])
    """

    def __init__(self, cuts: Sequence[IntArray]) -> None:
        self._cuts = cuts if len(cuts) > 1 else []
        self._size = max((int(one[-1]) + 1 for one in self._cuts if len(one)), default=0)
        self._done = 0
        self._shared = 0  # the last cut so far that all share
        self._differs = False  # whether there is another behind it
        self._disputed = [np.empty(0, dtype=np.int32)]
        self._places = [np.empty((0, 2), dtype=np.int32)]

    @property
    def finished(self) -> bool:
        """Whether all of the text is compared."""
        return self._done >= self._size

    @property
    def disputed(self) -> IntArray:
        """The offsets, sorted, at which some of the ways to cut the text cut it and some don't."""
        return np.concatenate(self._disputed)

    @property
    def places(self) -> IntArray:
        """The stretches (n × 2 byte offsets) in which not all cuts are the same.

        A stretch goes from one cut that all share to the next that all share.
        """
        return np.concatenate(self._places)

    def step(self, budget_ms: float) -> Progress:
        """Compares for about ``budget_ms`` milliseconds and reports the bytes done."""
        end = time.perf_counter() + budget_ms / 1000
        while not self.finished:
            self._compare(self._done, min(self._done + STRETCH, self._size))
            if time.perf_counter() >= end:
                break
        return Progress("comparing", self._done, self._size, self.finished)

    def _compare(self, first: int, last: int) -> None:
        votes = np.zeros(last - first, dtype=np.uint16)
        for one in self._cuts:
            low, high = np.searchsorted(one, np.array([first, last], dtype=one.dtype))
            votes[one[low:high] - first] += 1
        offsets = np.flatnonzero(votes).astype(np.int32)
        agreed = votes[offsets] == len(self._cuts)
        shared = offsets[agreed] + np.int32(first)
        disputed = offsets[~agreed] + np.int32(first)
        self._disputed.append(disputed)
        self._done = last
        if not len(shared):
            self._differs |= len(disputed) > 0
            return
        before = np.searchsorted(disputed, shared)  # how many stand before each
        differs = np.diff(before, prepend=0) > 0
        differs[0] |= self._differs
        starts = np.concatenate(([np.int32(self._shared)], shared[:-1]))
        self._places.append(np.stack((starts[differs], shared[differs]), axis=1).astype(np.int32))
        self._shared = int(shared[-1])
        self._differs = len(disputed) > int(before[-1])
