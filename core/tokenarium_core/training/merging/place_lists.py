"""Growing lists of positions in one packed array."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.columns import grown


@final
class PlaceLists:
    """Lists of positions by number, in one packed array; a list consists of any number of chunks.

    A chunk consists of the index of the previous chunk, its number of positions, and the positions.
    """

    def __init__(self) -> None:
        self.pool = vec[i32]([0] * 1024)
        self.end: i64 = 0
        self._last = vec[i32]([0] * 1024)  # the last chunk of each list + 1, 0 for none

    def add(self, number: i64, size: i64) -> i64:
        """Adds a chunk for ``size`` positions to a list; returns where they are to be written in ``pool``."""
        if number >= len(self._last):
            self._last = grown(self._last, len(self._last), number + 1)
        chunk = self.end
        self.end = chunk + 2 + size
        if self.end > len(self.pool):
            self.pool = grown(self.pool, chunk, self.end + (self.end >> 1))
        self.pool[chunk] = self._last[number] - 1
        self.pool[chunk + 1] = i32(size)
        self._last[number] = i32(chunk + 1)
        return chunk + 2

    def take(self, number: i64) -> i64:
        """Returns the last chunk of a list, -1 if it is empty, and empties it."""
        if number >= len(self._last):
            return -1
        chunk = i64(self._last[number]) - 1
        self._last[number] = 0
        return chunk
