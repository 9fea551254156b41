"""A bounded table of words: the bytes of a word are its key, packed in integers.

A word of up to 7 bytes is one integer, its length in the top byte; one of up to 15 is two, one of up to
31 four. So two words are compared in as many steps, and a hit in the smallest cache reads 16 bytes.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i64

MULTIPLIER_0: Final = 0x1E3779B97F4A7C15
MULTIPLIER_1: Final = 0x165667B19E3779F9
_MULTIPLIER_2: Final = 0x27D4EB2F165667C5
_MULTIPLIER_3: Final = 0x2545F4914F6CDD1D
HASH_SHIFT: Final = 40

TINY: Final = 7
SHORT: Final = 15
MEDIUM: Final = 31
"""The most bytes of a word in caches whose keys are one, two and four integers."""

_FIRST_SLOTS: Final = 4096
_MOST_SLOTS: Final = 262144


@final
class WordCache:
    """Values by word, for words of less than ``8 * width`` bytes.

    A slot is ``width`` integers of key (the last one is 0 where the slot is empty) and a value, which is not below 0.
    The table is open-addressing, at most three quarters full, and bounded.

    The look-up stands in the loops of the models, too, where a call for each word would cost as much as the
    look-up itself.
    """

    def __init__(self, width: i64) -> None:
        self.width: i64 = width
        self.slots = vec[i64]([0] * (_FIRST_SLOTS * (width + 1)))
        self.mask: i64 = _FIRST_SLOTS - 1
        self.words: i64 = 0

    def find(self, key_0: i64, key_1: i64, key_2: i64, key_3: i64) -> i64:
        """Returns the value of a word, -1 where it is not kept; keys beyond the width are 0."""
        slots = self.slots
        width = self.width
        mask = self.mask
        slot = (hash_of(key_0, key_1, key_2, key_3)) & mask
        while True:
            at = slot * (width + 1)
            if slots[at + width - 1] == 0:
                return -1
            if (
                slots[at] == key_0
                and (width < 2 or slots[at + 1] == key_1)
                and (width < 4 or (slots[at + 2] == key_2 and slots[at + 3] == key_3))
            ):
                return slots[at + width]
            slot = (slot + 1) & mask

    def has_room(self, words: i64) -> bool:
        """Tells whether there is room for so many more words."""
        return (self.words + words) * 4 <= self.mask * 3

    def make_room(self, words: i64) -> bool:
        """Makes room for so many more words: `claim` then gives each a place that stays. False where there is none."""
        while not self.has_room(words):
            if self.mask + 1 >= _MOST_SLOTS:
                return False
            self._grow()
        return True

    def claim(self, key_0: i64, key_1: i64, key_2: i64, key_3: i64) -> i64:
        """Gives a word that is not in the table a place, for which there is room; returns where its value belongs in ``slots``."""
        self.words += 1
        return self._claim(key_0, key_1, key_2, key_3)

    def _claim(self, key_0: i64, key_1: i64, key_2: i64, key_3: i64) -> i64:
        slots = self.slots
        width = self.width
        mask = self.mask
        slot = hash_of(key_0, key_1, key_2, key_3) & mask
        while slots[slot * (width + 1) + width - 1] != 0:
            slot = (slot + 1) & mask
        at = slot * (width + 1)
        slots[at] = key_0
        if width > 1:
            slots[at + 1] = key_1
        if width > 2:
            slots[at + 2] = key_2
            slots[at + 3] = key_3
        return at + width

    def _grow(self) -> None:
        old = self.slots
        width = self.width
        self.mask = self.mask * 2 + 1
        self.slots = vec[i64]([0] * ((self.mask + 1) * (width + 1)))
        for at in range(0, len(old), width + 1):
            if old[at + width - 1] != 0:
                key_1 = old[at + 1] if width > 1 else 0
                key_2 = old[at + 2] if width > 2 else 0
                key_3 = old[at + 3] if width > 2 else 0
                self.slots[self._claim(old[at], key_1, key_2, key_3)] = old[at + width]


def hash_of(key_0: i64, key_1: i64, key_2: i64, key_3: i64) -> i64:
    """Returns the hash of a word's key; its low 24 bits are good, and the same compiled or not."""
    return (
        key_0 * MULTIPLIER_0 ^ key_1 * MULTIPLIER_1 ^ key_2 * _MULTIPLIER_2 ^ key_3 * _MULTIPLIER_3
    ) >> HASH_SHIFT


def key_masks() -> vec[i64]:
    """Returns masks by length: ``masks[24 + n]`` keeps n of the eight bytes read, none below 0, all above 8.

    Integer j of the key of a word with ``size`` bytes keeps ``masks[24 + size - 8 * j]``.
    """
    masks = vec[i64]([0] * 56)
    mask: i64 = 0
    for size in range(32):
        masks[24 + size] = mask if size < 8 else -1
        mask = mask * 256 + 255 if size < 7 else mask
    return masks
