"""A bounded table of words: the bytes of a word are its key, packed in integers.

A word of up to 7 bytes is one integer, its length in the top byte; one of up to 15 is two, one of up to
31 four. So two words are compared in as many steps, and a hit in the smallest cache reads 16 bytes.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64

MULTIPLIER_0: Final = 0x1E3779B97F4A7C15
MULTIPLIER_1: Final = 0x165667B19E3779F9
_MULTIPLIER_2: Final = 0x27D4EB2F165667C5
_MULTIPLIER_3: Final = 0x2545F4914F6CDD1D
HASH_SHIFT: Final = 40

TINY: Final = 7
SHORT: Final = 15
MEDIUM: Final = 31
"""The most bytes of a word in caches whose keys are one, two and four integers."""

_FIRST_SLOTS: Final = 16384
_MOST_SLOTS: Final = 1048576
_SLOTS_PER_WORD: Final = 4


@final
class WordCache:
    """Values by word, for words of less than ``8 * width`` bytes; no value is -1.

    ``rows`` has a row for each word: ``width`` integers of key and its value, in the order in which the words
    came. Frequent words come early, so their rows lie side by side and stay in the processor's cache. ``places`` is a
    table with open addressing, by the hash of the key: where the row of a word begins. A look-up in the wrong row
    costs more than an empty place, so three of four are empty. Row 0 is that of a word that is not kept: with
    the key 0, which no word has, and the value -1.

    Up to 262,144 words are kept. The look-up stands in the loops of the models, too, where a call for each word would cost as
    much as the look-up itself.
    """

    def __init__(self, width: i64) -> None:
        self.width: i64 = width
        self.words: i64 = 0
        self.mask: i64 = _FIRST_SLOTS - 1
        self.places = vec[i32]([0] * _FIRST_SLOTS)
        self.rows = vec[i64]([0] * ((_FIRST_SLOTS // _SLOTS_PER_WORD + 1) * (width + 1)))
        self.rows[width] = -1

    def find(self, key_0: i64, key_1: i64, key_2: i64, key_3: i64) -> i64:
        """Returns the value of a word, -1 where it is not kept; keys beyond the width are 0."""
        places = self.places
        rows = self.rows
        width = self.width
        mask = self.mask
        slot = hash_of(key_0, key_1, key_2, key_3) & mask
        while True:
            at: i64 = i64(places[slot])
            if at == 0:
                return -1
            if (
                rows[at] == key_0
                and (width < 2 or rows[at + 1] == key_1)
                and (width < 4 or (rows[at + 2] == key_2 and rows[at + 3] == key_3))
            ):
                return rows[at + width]
            slot = (slot + 1) & mask

    def has_room(self, words: i64) -> bool:
        """Tells whether there is room for so many more words."""
        return (self.words + words) * _SLOTS_PER_WORD <= self.mask + 1

    def make_room(self, words: i64) -> bool:
        """Makes room for so many more words, the rows of which then stay where they are. False where there is none."""
        while not self.has_room(words):
            if self.mask + 1 >= _MOST_SLOTS:
                return False
            self._double()
        return True

    def claim(self, key_0: i64, key_1: i64, key_2: i64, key_3: i64) -> i64:
        """Gives a word that is not kept a row, for which there is room; returns where its value belongs in ``rows``."""
        width = self.width
        self.words += 1
        at = self.words * (width + 1)
        rows = self.rows
        rows[at] = key_0
        if width > 1:
            rows[at + 1] = key_1
        if width > 2:
            rows[at + 2] = key_2
            rows[at + 3] = key_3
        places = self.places
        mask = self.mask
        slot = hash_of(key_0, key_1, key_2, key_3) & mask
        while i64(places[slot]) != 0:
            slot = (slot + 1) & mask
        places[slot] = i32(at)
        return at + width

    def _double(self) -> None:
        """Makes room for twice as many words."""
        width = self.width
        slots = (self.mask + 1) * 2
        mask = slots - 1
        places = vec[i32]([0] * slots)
        old = self.rows
        rows = vec[i64]([0] * ((slots // _SLOTS_PER_WORD + 1) * (width + 1)))
        behind = (self.words + 1) * (width + 1)
        for index in range(behind):
            rows[index] = old[index]
        at = width + 1
        while at < behind:  # a range with such a step would make objects
            # With "else 0" on the same line the keys would be objects.
            key_1: i64 = 0
            key_2: i64 = 0
            key_3: i64 = 0
            if width > 1:
                key_1 = rows[at + 1]
            if width > 2:
                key_2 = rows[at + 2]
                key_3 = rows[at + 3]
            slot = hash_of(rows[at], key_1, key_2, key_3) & mask
            while i64(places[slot]) != 0:
                slot = (slot + 1) & mask
            places[slot] = i32(at)
            at += width + 1
        self.mask = mask
        self.places = places
        self.rows = rows


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


def find_medium(cache: WordCache, masks: vec[i64], data: bytes, start: i64, stop: i64) -> i64:
    """Returns the value in a cache of width 4 of the word ``data[start:stop]`` (padded), 16 to 31 bytes; -1 where it is not kept."""
    size = stop - start
    key_2 = read_i64_le(data, start + 16) & masks[8 + size]
    key_3 = (read_i64_le(data, start + 24) & masks[size]) | size << 56
    return cache.find(read_i64_le(data, start), read_i64_le(data, start + 8), key_2, key_3)


def claim_medium(cache: WordCache, masks: vec[i64], data: bytes, start: i64, stop: i64) -> i64:
    """Gives such a word, which is not kept, a row; see `WordCache.claim`."""
    size = stop - start
    key_2 = read_i64_le(data, start + 16) & masks[8 + size]
    key_3 = (read_i64_le(data, start + 24) & masks[size]) | size << 56
    return cache.claim(read_i64_le(data, start), read_i64_le(data, start + 8), key_2, key_3)
