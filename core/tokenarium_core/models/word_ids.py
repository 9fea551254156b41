"""The ids of words as values for a cache: a few in the value itself, so that nothing else is read for them."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.columns import grown

NUMBER_SHIFT: Final = 60
ID_BITS: Final = 20
ID_MASK: Final = 1048575

FEW: Final = 3
"""Ids that a value can hold. Where there is room for as many, they can be written at once, with nothing to guess."""

_ONE: Final = 1152921504606846976  # 1 << NUMBER_SHIFT, which would be shifted in 32 bits
_FIRST_ROOM: Final = 4096


@final
class WordIds:
    """Values for ids, and ids for values, which are never below 0.

    A value holds up to three ids of `ID_BITS`, the first one lowest, with their number above `NUMBER_SHIFT`. More ids,
    or greater ones, are in a pool; the value is then ``place << 8 | count``.
    """

    def __init__(self) -> None:
        self._pool = vec[i32]([0] * _FIRST_ROOM)
        self._pooled: i64 = 0

    def value_of(self, ids: vec[i64], count: i64) -> i64:
        """Returns a value that stands for ``ids[:count]``, of which there are 1 to 255."""
        if count <= FEW:
            packed: i64 = 0
            bits: i64 = 0
            for index in range(count - 1, -1, -1):
                packed = packed << ID_BITS | ids[index]
                bits |= ids[index]
            if bits <= ID_MASK:
                return packed | count << NUMBER_SHIFT
        place = self._pooled
        if place + count > len(self._pool):
            self._pool = grown(self._pool, place, place + count)
        pool = self._pool
        for index in range(count):
            pool[place + index] = i32(ids[index])
        self._pooled = place + count
        return place << 8 | count

    def value_of_one(self, token: i64) -> i64:
        """Returns a value that stands for one id."""
        return token | _ONE if token <= ID_MASK else self.value_of(vec[i64]([token]), 1)

    def write(self, value: i64, out: vec[i32], count: i64) -> i64:
        """Writes the ids that a value stands for into ``out``; returns the index behind the last."""
        number = value >> NUMBER_SHIFT
        if number > 0:
            behind = count + number
            while count < behind:  # a loop with a variable that is not used would make objects
                out[count] = i32(value & ID_MASK)
                value = value >> ID_BITS
                count += 1
            return count
        place = value >> 8
        pool = self._pool
        for index in range(place, place + (value & 0xFF)):
            out[count] = pool[index]
            count += 1
        return count
