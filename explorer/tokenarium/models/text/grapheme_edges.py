"""Where graphemes of a text begin and end: a bit for each of its bytes."""

from __future__ import annotations

from typing import Final, final

import numpy as np
import numpy.typing as npt

NEAR: Final = 512
"""Bytes in which the next edge is looked for: graphemes are short, except for long runs of marks."""


@final
class GraphemeEdges:
    """Which of the bytes from 0 to ``size`` a grapheme begins or ends at. The first one is an edge.

    >>> edges = GraphemeEdges(20)
    >>> edges.mark(np.array([3, 9, 20]))
    >>> (
    ...     edges.between(0, 10).tolist(),
    ...     edges.are_at(np.array([9, 10])).tolist(),
    ...     edges.at_or_after(10),
    ... )
    ([0, 3, 9], [True, False], 20)
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._bits = np.zeros((size >> 3) + 1, np.uint8)
        self._bits[0] = 1

    def mark(self, places: npt.NDArray[np.integer]) -> None:
        """Adds edges, which rise and are not far from one another."""
        if not len(places):
            return
        first = int(places[0]) >> 3
        flags = np.zeros(int(places[-1]) - 8 * first + 1, np.bool_)
        flags[places - 8 * first] = True
        packed = np.packbits(flags, bitorder="little")
        self._bits[first : first + len(packed)] |= packed

    def are_at(self, places: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """Returns whether there is an edge at each place."""
        bits = self._bits[places >> 3] >> (places & 7).astype(np.uint8)
        return np.asarray(bits & np.uint8(1), np.bool_)

    def between(self, first: int, last: int) -> npt.NDArray[np.int64]:
        """Returns the edges from one place to another, that included."""
        first = max(first, 0)
        begin = first >> 3
        bits = np.unpackbits(self._bits[begin : (last >> 3) + 1], bitorder="little")
        found = np.flatnonzero(bits[first - 8 * begin : last + 1 - 8 * begin])
        found += first
        return found

    def at_or_before(self, byte: int) -> int:
        """Returns the last edge at a byte or before it."""
        reach = NEAR
        while not len(near := self.between(byte - reach, byte)):
            reach *= 8
        return int(near[-1])

    def at_or_after(self, byte: int) -> int:
        """Returns the next edge at a byte or after it; the end of the text is one, once all are found."""
        reach = NEAR
        while not len(near := self.between(byte, min(byte + reach, self._size))):
            if byte + reach >= self._size:
                return self._size
            reach *= 8
        return int(near[0])

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[np.bool_]:
        flags = np.unpackbits(self._bits, bitorder="little")[: self._size + 1].view(np.bool_)
        return flags.astype(dtype or np.bool_, copy=False)

    @property
    def nbytes(self) -> int:
        """How many bytes of memory it needs."""
        return self._bits.nbytes
