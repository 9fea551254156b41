"""Where a text may be cut without changing its tokens: between characters that no piece holds side by side.

Two neighbouring characters can only end up in one token if some piece of the vocabulary contains them
next to each other. Where none does, everything to the left and everything to the right merge as if the
other were not there. That is exact for BPE, and it turns the long "words" of scripts without spaces
into short ones, which can be looked up whole.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.vocabulary import BYTE, NORMAL, Vocabulary

_BUCKETS: Final = 1 << 21
_MULTIPLIER: Final = 0x1E3779B97F4A7C15


@final
class SafeCut:
    """The pairs of characters that some piece joins, as a filter with errors on the safe side only.

    - ``joined``: one bit a bucket, by a hash of two whole characters. A collision hides a possible cut;
      it never makes a wrong one.
    - ``partly``: by the last byte of the left and the first byte of the right character, for pieces
      that begin or end inside of a character.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._joined = vec[u8]([0] * (_BUCKETS // 8))
        self._partly = vec[u8]([0] * 65536)
        self._sizes = vec[u8]([0] * 256)
        for byte in range(256):
            self._sizes[byte] = u8(character_size(byte))
        self._bits = vec[u8]([1, 2, 4, 8, 16, 32, 64, 128])
        self._masks = vec[i64]([0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF])
        arena = vocabulary.arena
        offsets = vocabulary.offsets
        kinds = vocabulary.kinds
        for token in range(vocabulary.count):
            start: i64 = i64(offsets[token])
            stop: i64 = i64(offsets[token + 1])
            kind: i64 = i64(kinds[token])
            if stop - start > 1 and (kind == NORMAL or kind == BYTE):
                self._add(arena, start, stop)

    def _add(self, arena: bytes, start: i64, stop: i64) -> None:
        """Notes each pair of neighbouring characters in one piece, whole or partial."""
        joined = self._joined
        masks = self._masks
        bits = self._bits
        left: i64 = start
        left_size = character_size(arena[start])
        at = start + 1
        while at < stop:
            byte: i64 = arena[at]
            size = character_size(byte)
            if size > 0:
                if at - left == left_size and at + size <= stop:
                    pair = (read_i64_le(arena, left) & masks[left_size]) << 28
                    pair = (pair ^ (read_i64_le(arena, at) & masks[size])) * _MULTIPLIER
                    bucket = pair >> 40 & (_BUCKETS - 1)
                    joined[bucket >> 3] |= bits[bucket & 7]
                else:
                    before: i64 = arena[at - 1]
                    self._partly[before << 8 | byte] = 1
                left = at
                left_size = size
            at += 1

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32]) -> i64:
        """Cuts ``data[start:stop]`` wherever that is safe: writes where each part ends, returns how many."""
        joined = self._joined
        partly = self._partly
        sizes = self._sizes
        masks = self._masks
        byte: i64 = data[start]
        size: i64 = i64(sizes[byte])
        left = read_i64_le(data, start) & masks[size]
        at = start + size
        count: i64 = 0
        while at < stop:
            byte = data[at]
            size = i64(sizes[byte])
            right = read_i64_le(data, at) & masks[size]
            bucket = ((left << 28) ^ right) * _MULTIPLIER >> 40 & (_BUCKETS - 1)
            if (i64(joined[bucket >> 3]) >> (bucket & 7)) & 1 == 0:
                before: i64 = data[at - 1]
                if partly[before << 8 | byte] == 0:
                    ends[count] = i32(at)
                    count += 1
            left = right
            at += size
        ends[count] = i32(stop)
        return count + 1

    def may_join(self, left: i64, right: i64, before: i64, behind: i64) -> bool:
        """Tells whether some piece may hold two characters side by side, as `cut` finds out.

        They are given as their bytes in little-endian order, with the last one of the left character
        (``before``) and the first of the right one (``behind``).
        """
        bucket = ((left << 28) ^ right) * _MULTIPLIER >> 40 & (_BUCKETS - 1)
        if (i64(self._joined[bucket >> 3]) >> (bucket & 7)) & 1:
            return True
        return i64(self._partly[before << 8 | behind]) != 0


def character_size(first: i64) -> i64:
    """Returns how many bytes a character takes by its first one; 0 for a byte inside of a character."""
    if first < 0x80:
        return 1
    if first < 0xC0:
        return 0
    return 2 if first < 0xE0 else 3 if first < 0xF0 else 4
