"""Values by word, in caches by the length of the word."""

from __future__ import annotations

from librt.strings import read_i64_le
from mypy_extensions import i64

from tokenarium_core.models.word_cache import (
    MEDIUM,
    SHORT,
    TINY,
    WordCache,
    claim_medium,
    find_medium,
    key_masks,
)


class WordCaches:
    """Base of what remembers words: a cache for each length, and the way of a word of up to `MEDIUM` bytes into one.

    They are bounded: when one of them is full, all are emptied, and the words that matter are back at once. ``moved`` is
    another number whenever words got other places: what was looked up before that is of no use.

    The look-up in ``tiny``, and in some places that in ``short``, stands in the loops of the models, too: a call for
    each word would cost as much as the look-up.
    """

    def __init__(self) -> None:
        self.tiny = WordCache(1)
        self.short = WordCache(2)
        self.medium = WordCache(4)
        self.masks = key_masks()
        self.moved: i64 = 0

    def find(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns the value of the word ``data[start:stop]`` (padded), -1 where it is not kept."""
        masks = self.masks
        size = stop - start
        key_0 = read_i64_le(data, start)
        if size <= TINY:
            return self.tiny.find((key_0 & masks[24 + size]) | size << 56, 0, 0, 0)
        key_1 = read_i64_le(data, start + 8)
        if size <= SHORT:
            return self.short.find(key_0, (key_1 & masks[16 + size]) | size << 56, 0, 0)
        if size > MEDIUM:
            return -1
        return find_medium(self.medium, masks, data, start, stop)

    def make_room(self, size: i64) -> bool:
        """Makes room for a word of ``size`` bytes; false where everything had to be forgotten for it."""
        cache = self.tiny if size <= TINY else self.short if size <= SHORT else self.medium
        slots = cache.mask
        there_is = cache.make_room(1)
        if not there_is:
            self.tiny = WordCache(1)
            self.short = WordCache(2)
            self.medium = WordCache(4)
        if not there_is or cache.mask != slots:
            self.moved += 1
        return there_is

    def put(self, data: bytes, start: i64, stop: i64, value: i64) -> None:
        """Keeps a value for the word ``data[start:stop]`` (padded), which is not kept yet, and for which there is room."""
        masks = self.masks
        size = stop - start
        key_0 = read_i64_le(data, start)
        if size <= TINY:
            key_0 = (key_0 & masks[24 + size]) | size << 56
            self.tiny.rows[self.tiny.claim(key_0, 0, 0, 0)] = value
            return
        key_1 = read_i64_le(data, start + 8)
        if size <= SHORT:
            key_1 = (key_1 & masks[16 + size]) | size << 56
            self.short.rows[self.short.claim(key_0, key_1, 0, 0)] = value
            return
        self.medium.rows[claim_medium(self.medium, masks, data, start, stop)] = value
