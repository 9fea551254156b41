"""The ids of words that were seen, by the bytes of the word."""

from __future__ import annotations

from typing import final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.word_cache import MEDIUM, SHORT, TINY, WordCache, key_masks
from tokenarium_core.word_ids import WordIds


@final
class WordMemory:
    """Values by word, which ``ids`` reads, for words of up to `MEDIUM` bytes.

    The memory is bounded: when one of its caches is full, all is forgotten, and the words that matter are back at once.
    Words of up to `TINY` bytes are looked up by the models themselves, in ``tiny``: a call for each would cost as
    much as the look-up.
    """

    def __init__(self) -> None:
        self.tiny = WordCache(1)
        self.ids = WordIds()
        self._short = WordCache(2)
        self._medium = WordCache(4)
        self._masks = key_masks()
        self._room = vec[i64]([0] * (MEDIUM + 1))

    def find(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns the value of the word ``data[start:stop]`` (padded) of more than `TINY` bytes, -1 for one not seen."""
        masks = self._masks
        size = stop - start
        key_0 = read_i64_le(data, start)
        if size <= SHORT:
            key_1 = (read_i64_le(data, start + 8) & masks[16 + size]) | size << 56
            return self._short.find(key_0, key_1, 0, 0)
        if size > MEDIUM:
            return -1
        key_1 = read_i64_le(data, start + 8)
        key_2 = read_i64_le(data, start + 16) & masks[8 + size]
        key_3 = (read_i64_le(data, start + 24) & masks[size]) | size << 56
        return self._medium.find(key_0, key_1, key_2, key_3)

    def keep(
        self, data: bytes, start: i64, stop: i64, ids: vec[i32], first: i64, last: i64
    ) -> None:
        """Keeps ``ids[first:last]`` for the word ``data[start:stop]`` (padded), unless it has more than `MEDIUM` bytes."""
        masks = self._masks
        size = stop - start
        if size > MEDIUM:
            return
        cache = self.tiny if size <= TINY else self._short if size <= SHORT else self._medium
        if not cache.make_room(1):
            self._forget()
            cache = self.tiny if size <= TINY else self._short if size <= SHORT else self._medium
        key_0 = read_i64_le(data, start)
        key_1: i64 = 0
        key_2: i64 = 0
        key_3: i64 = 0
        if size <= TINY:
            key_0 = (key_0 & masks[24 + size]) | size << 56
        elif size <= SHORT:
            key_1 = (read_i64_le(data, start + 8) & masks[16 + size]) | size << 56
        else:
            key_1 = read_i64_le(data, start + 8)
            key_2 = read_i64_le(data, start + 16) & masks[8 + size]
            key_3 = (read_i64_le(data, start + 24) & masks[size]) | size << 56
        room = self._room
        for index in range(last - first):
            room[index] = i64(ids[first + index])
        place = cache.claim(key_0, key_1, key_2, key_3)
        cache.slots[place] = self.ids.value_of(room, last - first)

    def _forget(self) -> None:
        self.tiny = WordCache(1)
        self._short = WordCache(2)
        self._medium = WordCache(4)
        self.ids = WordIds()
