"""A bounded cache from short words to their ids, laid out so that a hit reads one cache line."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

SHORT: Final = 15
"""Words of up to this many bytes are kept: they fit two integers, their length in the top byte."""

FIRST_MULTIPLIER: Final = 0x1E3779B97F4A7C15
SECOND_MULTIPLIER: Final = 0x165667B19E3779F9

_FIRST_SLOTS: Final = 8192
_MOST_SLOTS: Final = 262144


@final
class WordCache:
    """Ids by word, in an open-addressing table of at most `_MOST_SLOTS` slots, at most half full.

    A slot is four integers: the word's first eight bytes; the other seven with the word's length on
    top (0: the slot is empty); its id, or where its ids stand in ``pool``; how many they are. When the table
    is full it is emptied: words come back as fast as they went.

    `find` is written out in the loop of `BytePairEncoder.encode_words` as well, where a call for each
    word would cost as much as the look-up.
    """

    def __init__(self) -> None:
        self.slots = vec[i64]()
        self.mask: i64 = 0
        self.pool = vec[i32]()
        self._words: i64 = 0
        self._pooled: i64 = 0
        self.low_masks = vec[i64]([0] * (SHORT + 1))
        self.high_masks = vec[i64]([0] * (SHORT + 1))
        mask: i64 = 0
        for size in range(8):
            self.low_masks[size] = mask
            self.low_masks[size + 8] = -1
            self.high_masks[size + 8] = mask
            mask = mask * 256 + 255
        self._empty(_FIRST_SLOTS)

    def find(self, low: i64, high: i64) -> i64:
        """Returns the index of a word's slot in ``slots``, -1 where it is not kept."""
        slots = self.slots
        wrap: i64 = self.mask * 4 + 3
        at = slot_of(low, high, self.mask)
        while slots[at] != low or slots[at + 1] != high:
            if slots[at + 1] == 0:
                return -1
            at = (at + 4) & wrap
        return at

    def put(self, low: i64, high: i64, ids: vec[i64], count: i64) -> None:
        """Keeps ``ids[:count]`` for a word that is not in the table."""
        if (self._words + 1) * 2 > self.mask:
            if self.mask + 1 < _MOST_SLOTS:
                self._grow()
            else:
                self._empty(_MOST_SLOTS)
        value: i64 = i64(ids[0])
        if count > 1:
            value = self._pooled
            if value + count > len(self.pool):
                larger = vec[i32]([0] * (len(self.pool) * 2 + count))
                for index in range(value):
                    larger[index] = self.pool[index]
                self.pool = larger
            for index in range(count):
                self.pool[value + index] = i32(ids[index])
            self._pooled += count
        self._place(low, high, value, count)
        self._words += 1

    def _place(self, low: i64, high: i64, value: i64, count: i64) -> None:
        slots = self.slots
        at = slot_of(low, high, self.mask)
        while slots[at + 1] != 0:
            at = (at + 4) & (self.mask * 4 + 3)
        slots[at] = low
        slots[at + 1] = high
        slots[at + 2] = value
        slots[at + 3] = count

    def _grow(self) -> None:
        old = self.slots
        self.mask = self.mask * 2 + 1
        self.slots = vec[i64]([0] * (self.mask * 4 + 4))
        for at in range(0, len(old), 4):
            if old[at + 1] != 0:
                self._place(old[at], old[at + 1], old[at + 2], old[at + 3])

    def _empty(self, slots: i64) -> None:
        self.slots = vec[i64]([0] * (slots * 4))
        self.mask = slots - 1
        self.pool = vec[i32]([0] * 4096)
        self._words = 0
        self._pooled = 0


def slot_of(low: i64, high: i64, mask: i64) -> i64:
    """Returns the index of the slot where looking for a word begins."""
    return ((low * FIRST_MULTIPLIER ^ high * SECOND_MULTIPLIER) >> 40 & mask) << 2
