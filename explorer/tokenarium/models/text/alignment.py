"""Aligns the normalized text with the bytes of the original text."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.text_map import IntArray, row_of

Floats = npt.NDArray[np.float64]


class Alignment:
    """Maps the normalized text of an encoding to the original bytes.

    Tokens that were made of the same original bytes share them: of ``f`` and ``i`` out of ``ﬁ`` (three
    bytes), each has one and a half.
    """

    def __init__(self, encoding: tc.Encoding) -> None:
        text = encoding.text
        self.text = text
        self.data = text.data
        self.size: int = text.size
        self.aligned: bool = text.aligned
        self.origin: int = text.origin
        self.starts: IntArray = array_of(text.starts)
        self.stops: IntArray = array_of(text.stops)

    def drawn(self, places: IntArray) -> tuple[Floats, Floats]:
        """Returns where the tokens in these places (n × 2, sorted) begin and end, in original bytes.

        Give with each token all that share its origin.
        """
        begin, end = places[:, 0], places[:, 1]
        if not self.aligned or not len(places):
            return (begin + self.origin).astype(np.float64), (end + self.origin).astype(np.float64)
        low, high = int(begin[0]), max(int(end[-1]), int(begin[0]) + 1)
        starts, stops = self.starts[low:high], self.stops[low:high]
        begin, end = begin - low, end - low
        size = len(starts)
        # Neighbouring bytes of one origin are a run; only those in a place have a share of it.
        edges = np.bincount(begin, minlength=size + 1) - np.bincount(end, minlength=size + 1)
        covered = np.cumsum(edges[:size])
        upto = np.cumsum(covered)
        before = upto - covered
        same = (starts[1:] == starts[:-1]) & (stops[1:] == stops[:-1])
        run = np.concatenate(([0], np.cumsum(~same)))
        first = np.flatnonzero(np.concatenate(([True], ~same)))
        total = np.maximum(np.add.reduceat(covered, first), 1)
        head = np.minimum(begin, size - 1)
        tail = np.maximum(end - 1, 0)
        left = starts[head] + (stops[head] - starts[head]) * (
            (before[head] - before[first[run[head]]]) / total[run[head]]
        )
        left = np.where(begin < size, left, stops[size - 1])
        right = starts[tail] + (stops[tail] - starts[tail]) * (
            (upto[tail] - before[first[run[tail]]]) / total[run[tail]]
        )
        return left, np.where(end > begin, np.maximum(right, left), left)

    def made_of(self, start: int, end: int) -> tuple[int, int]:
        """Returns the normalized bytes that were made of the original bytes from ``start`` to ``end``.

        What was inserted directly before them belongs to them; at the end of a text, also what was inserted there.
        """
        if not self.aligned:
            low, high = start - self.origin, end - self.origin
            return max(0, min(low, self.size)), max(0, min(high, self.size))
        first = row_of(self.stops, start, "right")
        while first > 0 and self.starts[first - 1] == self.stops[first - 1] == start:
            first -= 1
        last = row_of(self.starts, end)
        return first, max(first, last)

    def slice(self, start: int, end: int) -> bytes:
        """Returns bytes of the normalized text."""
        return self.data[start:end]
