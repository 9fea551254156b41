"""A cache of the paths of parts of texts."""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.columns import grown
from tokenarium_core.models.word_cache import (
    HASH_SHIFT,
    MEDIUM,
    MULTIPLIER_0,
    MULTIPLIER_1,
    SHORT,
    TINY,
    WordCaches,
    hash_of,
)

INLINE: Final = 1
"""The lowest byte of a value that contains the ids itself."""

NUMBER_SHIFT: Final = 8
STEADINESS_SHIFT: Final = 10
IDS_SHIFT: Final = 15
_SHORT_IDS: Final = 1 << 16
_IDS_BITS: Final = 48
_FIRST_ROOM: Final = 4096


@final
class UnigramCache(WordCaches):
    """Values by part.

    A value has the steadiness of a path and its ids: up to three in itself, or two if the vocabulary is large, so that
    nothing else is read. It is then ``ids << 15 | steadiness << 10 | number << 8 | INLINE``, an id taking ``bits``; the
    number 0 is for an unknown character. Other values are ``place << 8 | count``, with the ids in ``pool``, after their
    steadiness.
    """

    def __init__(self, tokens: i64) -> None:
        super().__init__()
        self.bits: i64 = 16 if tokens <= _SHORT_IDS else 24
        self.mask: i64 = 0xFFFF if self.bits == 16 else 0xFFFFFF
        self.pool = vec[i32]([0] * _FIRST_ROOM)
        self._pooled: i64 = 0

    def find_each(
        self, data: bytes, start: i64, ends: vec[i32], first: i64, stop: i64, values: vec[i64]
    ) -> None:
        """Writes the value of each of some parts to ``values``; if there is none, its place, below 0, for `is_free`.

        No step waits for a value, so the processor reads many at once.
        """
        masks = self.masks
        slots = self.tiny.places
        rows = self.tiny.rows
        mask: i64 = self.tiny.mask
        short_places = self.short.places
        short_rows = self.short.rows
        short_mask: i64 = self.short.mask
        at = start
        for part in range(first, stop):
            end: i64 = i64(ends[part])
            size = end - at
            value: i64 = -1
            if size <= TINY:
                key = (read_i64_le(data, at) & masks[24 + size]) | size << 56
                slot = key * MULTIPLIER_0 >> HASH_SHIFT & mask
                row: i64 = i64(slots[slot])
                while row != 0 and rows[row] != key:
                    slot = (slot + 1) & mask
                    row = i64(slots[slot])
                value = rows[row + 1] if row != 0 else ~slot
            elif size <= SHORT:
                key = read_i64_le(data, at)
                key_1 = (read_i64_le(data, at + 8) & masks[16 + size]) | size << 56
                slot = (key * MULTIPLIER_0 ^ key_1 * MULTIPLIER_1) >> HASH_SHIFT & short_mask
                row = i64(short_places[slot])
                while row != 0 and (short_rows[row + 1] != key_1 or short_rows[row] != key):
                    slot = (slot + 1) & short_mask
                    row = i64(short_places[slot])
                value = short_rows[row + 2] if row != 0 else ~slot
            elif size <= MEDIUM:
                value = self._find_medium(data, at, end)
            values[part - first] = value
            at = end

    def _find_medium(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns what `find_each` writes for a part of more than `SHORT` bytes."""
        masks = self.masks
        slots = self.medium.places
        rows = self.medium.rows
        size = stop - start
        key = read_i64_le(data, start)
        key_1 = read_i64_le(data, start + 8)
        key_2 = read_i64_le(data, start + 16) & masks[8 + size]
        key_3 = (read_i64_le(data, start + 24) & masks[size]) | size << 56
        slot = hash_of(key, key_1, key_2, key_3) & self.medium.mask
        while True:
            row: i64 = i64(slots[slot])
            if row == 0:
                return ~slot
            if rows[row + 3] == key_3 and rows[row] == key:
                if rows[row + 1] == key_1 and rows[row + 2] == key_2:
                    return rows[row + 4]
            slot = (slot + 1) & self.medium.mask

    def is_free(self, slot: i64, size: i64) -> bool:
        """Returns whether the place that `find_each` wrote for a part of this size is still free."""
        cache = self.tiny if size <= TINY else self.short if size <= SHORT else self.medium
        return i64(cache.places[~slot]) == 0

    def keep(
        self, data: bytes, start: i64, stop: i64, ids: vec[i32], number: i64, steadiness: i64
    ) -> i64:
        """Stores ``ids[:number]`` for a new part; returns its value."""
        if not self.make_room(stop - start):
            self._pooled = 0
        bits = self.bits
        value: i64 = 0
        if number * bits <= _IDS_BITS:
            for index in range(number - 1, -1, -1):
                value = value << bits | i64(ids[index])
            value = ((value << 5 | steadiness) << 2 | number) << 8 | INLINE
        else:
            offset = self._pooled
            if offset + number + 1 > len(self.pool):
                self.pool = grown(self.pool, offset, offset + number + 1)
            pool = self.pool
            pool[offset] = i32(steadiness)
            for index in range(number):
                pool[offset + 1 + index] = ids[index]
            self._pooled = offset + number + 1
            value = offset << 8 | (number + 1)
        self.put(data, start, stop, value)
        return value
