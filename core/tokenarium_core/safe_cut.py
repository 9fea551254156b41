"""Where a text may be cut without changing its tokens: between characters that no piece holds side by side.

Two neighbouring characters can only end up in one token if some piece of the vocabulary contains them
next to each other. Where none does, everything to the left and everything to the right merge as if the
other were not there. That is exact for BPE, and it turns the long "words" of scripts without spaces
into short ones, which can be looked up whole.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i64, u8

from tokenarium_core.vocabulary import BYTE, NORMAL, Vocabulary

_PAIR_BITS: Final = 1 << 20
_MULTIPLIER: Final = 0x1E3779B97F4A7C15


@final
class SafeCut:
    """The pairs of characters that some piece joins, as a filter with errors on the safe side only.

    - ``joined``: one byte a bucket, by a hash of two whole characters. A collision hides a possible cut;
      it never makes a wrong one.
    - ``partly``: by the last byte of the left and the first byte of the right character, for pieces
      that begin or end inside of a character.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.joined = vec[u8]([0] * _PAIR_BITS)
        self.partly = vec[u8]([0] * 65536)
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
        joined = self.joined
        partly = self.partly
        left: i64 = start
        whole_left = character_size(arena[start]) > 0
        at = start + 1
        while at < stop:
            byte: i64 = i64(arena[at])
            if byte & 0xC0 != 0x80:
                if (
                    whole_left
                    and at - left == character_size(arena[left])
                    and at + character_size(byte) <= stop
                ):
                    joined[pair_bucket(arena, left, at)] = 1
                else:
                    partly[i64(arena[at - 1]) * 256 + byte] = 1
                left = at
                whole_left = True
            at += 1

    def next(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns the first safe cut behind ``start``: an offset of a character, or ``stop``."""
        joined = self.joined
        partly = self.partly
        left = start
        at = start + character_size(data[start])
        while at < stop:
            byte: i64 = i64(data[at])
            if (
                joined[pair_bucket(data, left, at)] == 0
                and partly[i64(data[at - 1]) * 256 + byte] == 0
            ):
                return at
            left = at
            at += character_size(byte)
        return stop


def character_size(first: i64) -> i64:
    """Returns how many bytes a character takes by its first one; 0 for a byte inside of a character."""
    if first < 0x80:
        return 1
    if first < 0xC0:
        return 0
    return 2 if first < 0xE0 else 3 if first < 0xF0 else 4


def pair_bucket(data: bytes, left: i64, right: i64) -> i64:
    """Returns the bucket of two neighbouring characters that begin at ``left`` and ``right``."""
    first: i64 = 0
    at = left
    while at < right:
        first = first << 8 | data[at]
        at += 1
    second: i64 = 0
    stop = right + character_size(data[right])
    while at < stop:
        second = second << 8 | data[at]
        at += 1
    return ((first << 27) ^ second) * _MULTIPLIER >> 40 & (_PAIR_BITS - 1)
