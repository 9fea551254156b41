"""Where what a normalizer made stands over the bytes of the original text."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.text_map import IntArray

Floats = npt.NDArray[np.float64]


class Alignment:
    """The way from the normalised text of an encoding back to the original bytes.

    What was made of the same original bytes shares them evenly: of ``fi`` out of ``ﬁ`` (three bytes),
    ``f`` has the first one and a half.
    """

    def __init__(self, encoding: tc.Encoding) -> None:
        text = encoding.text
        self.text = text
        self.data = text.data
        self.size: int = text.size
        self.aligned: bool = text.aligned
        self.origin: int = text.origin
        self.starts: IntArray = np.asarray(memoryview(text.starts), dtype=np.int32)
        self.stops: IntArray = np.asarray(memoryview(text.stops), dtype=np.int32)

    def drawn(self, places: IntArray) -> tuple[Floats, Floats]:
        """Returns where some places (n × 2) of the normalised text begin and end, in original bytes."""
        begin, end = places[:, 0], places[:, 1]
        if not self.aligned:
            return (begin + self.origin).astype(np.float64), (end + self.origin).astype(np.float64)
        starts, stops = self.starts, self.stops
        same = (starts[1:] == starts[:-1]) & (stops[1:] == stops[:-1])
        run = np.concatenate(([0], np.cumsum(~same)))
        first = np.searchsorted(run, np.arange(run[-1] + 1))
        length = np.bincount(run)
        # The share of a byte's original span that lies before it, and the share up to its end.
        head = np.minimum(begin, self.size - 1)
        left = starts[head] + (stops[head] - starts[head]) * (
            (head - first[run[head]]) / length[run[head]]
        )
        left = np.where(begin < self.size, left, stops[self.size - 1])
        tail = np.maximum(end - 1, 0)
        right = starts[tail] + (stops[tail] - starts[tail]) * (
            (tail + 1 - first[run[tail]]) / length[run[tail]]
        )
        return left, np.where(end > begin, np.maximum(right, left), left)

    def made_of(self, start: int, end: int) -> tuple[int, int]:
        """Returns the normalised bytes that were made of the original bytes from ``start`` to ``end``.

        What was put in directly before them belongs to them; at the end of a text, what was put in there.
        """
        if not self.aligned:
            low, high = start - self.origin, end - self.origin
            return max(0, min(low, self.size)), max(0, min(high, self.size))
        first = int(np.searchsorted(self.stops, np.int32(start), side="right"))
        while first > 0 and self.starts[first - 1] == self.stops[first - 1] == start:
            first -= 1
        last = int(np.searchsorted(self.starts, np.int32(end), side="left"))
        return first, max(first, last)

    def slice(self, start: int, end: int) -> bytes:
        """Returns bytes of the normalised text."""
        return self.data[start:end]
