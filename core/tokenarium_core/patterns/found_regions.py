"""A text split into the matches of a pattern and the text between them, without gaps."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import extend, vec
from mypy_extensions import i32, i64, u8

_ROOM: Final = 16


@final
class FoundRegions:
    """A text split without gaps: region ``k`` ends before ``stops[k]``, and is a match if ``found[k]`` is 1.

    There are ``count`` of them; later rows of the columns are meaningless. Matches may be empty. Positions are
    bytes.
    """

    def __init__(self) -> None:
        self.count: i64 = 0
        self.stops = vec[i32]([0] * _ROOM)
        self.found = vec[u8]([0] * _ROOM)

    def clear(self) -> None:
        """Removes all regions, so that the columns can be reused for another text."""
        self.count = 0

    def add(self, stop: i64, found: bool) -> None:
        """Appends the region from where the last one ended to byte ``stop``."""
        count = self.count
        if count == len(self.stops):
            self.stops = extend(self.stops, self.stops)
            self.found = extend(self.found, self.found)
        self.stops[count] = i32(stop)
        self.found[count] = 1 if found else 0
        self.count = count + 1

    def invert(self) -> None:
        """Swaps matches and the text between them."""
        for index in range(self.count):
            self.found[index] = u8(1 - i64(self.found[index]))
