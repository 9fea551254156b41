"""Finding the longest of some pieces that begins at a place in a text."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i64, u8


@final
class PrefixMatcher:
    """Pieces with a number each."""

    def __init__(self, pieces: list[bytes], numbers: list[int]) -> None:
        self._numbers = dict(zip(pieces, numbers, strict=True))
        self._firsts = vec[u8]([0] * 256)
        sizes: set[int] = set()
        for piece in pieces:
            first: i64 = piece[0]
            self._firsts[first] = 1
            sizes.add(len(piece))
        self._sizes = sorted(sizes, reverse=True)

    def match(self, data: bytes, at: i64, stop: i64) -> i64:
        """Returns the number of the longest piece at byte ``at`` and before ``stop``, -1 for none."""
        for size in self._sizes:
            if at + size <= stop:
                number = self._numbers.get(data[at : at + size])
                if number is not None:
                    return number
        return -1

    def find(self, data: bytes, at: i64, stop: i64) -> i64:
        """Returns the first place from ``at`` on where a piece begins, ``stop`` where there is none."""
        firsts = self._firsts
        while at < stop:
            byte: i64 = data[at]
            if firsts[byte] and self.match(data, at, stop) >= 0:
                return at
            at += 1
        return stop
