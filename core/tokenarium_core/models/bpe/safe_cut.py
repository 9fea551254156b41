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

from tokenarium_core.models.bpe.merge_table import MergeTable
from tokenarium_core.unicode.utf8 import character_sizes
from tokenarium_core.vocabulary import BYTE, NORMAL, Vocabulary

_BUCKETS: Final = 1 << 21
_BUCKET_SHIFT: Final = 43  # the highest 21 bits of a product
_MULTIPLIER: Final = 0x1E3779B97F4A7C15
_LEADS: Final = 0xF00000F0  # of two characters of three bytes, side by side …
_THREE_BYTES: Final = 0xE00000E0  # … these bits are these
_SIX_BYTES: Final = 0xFFFFFFFFFFFF


@final
class SafeCut:
    """The pairs of characters that some piece joins, as a filter with errors on the safe side only.

    - ``joined``: one bit a bucket, by a hash of two whole characters. A collision hides a possible cut;
      it never makes a wrong one.
    - ``partly``: by the first byte of the right and the last byte of the left character, for pieces
      that begin or end inside of a character. (Where only its last byte is missing behind a whole
      character, the 64 pairs that it may be are in ``joined``: so few that more can be cut.)

    Added tokens come of no text, but for those that the ``merges`` make: in a `tokenizer.json`, an entry may be both.
    """

    def __init__(self, vocabulary: Vocabulary, merges: MergeTable | None = None) -> None:
        self._joined = vec[u8]([0] * (_BUCKETS // 8))
        self._partly = vec[u8]([0] * 65536)
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
        if merges is None:
            return
        for rank in range(len(merges)):
            result: i64 = i64(merges.results[rank])
            if result < 0 or i64(kinds[result]) == NORMAL or i64(kinds[result]) == BYTE:
                continue
            self._add(arena, i64(offsets[result]), i64(offsets[result + 1]))

    def _add(self, arena: bytes, start: i64, stop: i64) -> None:
        """Notes each pair of neighbouring characters in one piece, whole or partial."""
        joined = self._joined
        masks = self._masks
        bits = self._bits
        sizes = character_sizes
        left: i64 = start
        byte: i64 = arena[start]
        left_size: i64 = 0  # of a piece that begins inside of a character
        if byte & 0xC0 != 0x80:
            left_size = i64(sizes[byte])
        at = start + 1
        while at < stop:
            byte = arena[at]
            if byte & 0xC0 != 0x80:
                size: i64 = i64(sizes[byte])
                missing: i64 = at + size - stop
                if missing < 0:
                    missing = 0
                if at - left != left_size or missing > 1:
                    before: i64 = arena[at - 1]
                    self._partly[byte << 8 | before] = 1
                else:
                    first = read_i64_le(arena, left) & masks[left_size]
                    # Where the last byte is missing, it may be any from 0x80 to 0xBF.
                    step = missing << 8 * (size - 1)
                    second = (read_i64_le(arena, at) & masks[size - missing]) | step << 7
                    many: i64 = 64 if missing > 0 else 1
                    while many > 0:
                        many -= 1
                        bucket = _bucket(first ^ second << 24)
                        joined[bucket >> 3] |= bits[bucket & 7]
                        second += step
                left = at
                left_size = size
            at += 1

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32]) -> i64:
        """Cuts ``data[start:stop]`` wherever that is safe: writes where each part ends, returns how many.

        Every character's end is written, and stays where it is safe: no processor foresees which are.
        """
        joined = self._joined
        partly = self._partly
        sizes = character_sizes
        masks = self._masks
        left = start
        count: i64 = 0
        while True:
            pair = read_i64_le(data, left)
            at = left + 3
            if pair & _LEADS == _THREE_BYTES:
                if at >= stop:
                    break
                pair &= _SIX_BYTES
                sides = pair >> 16 & 0xFFFF
            else:
                size: i64 = i64(sizes[pair & 0xFF])
                at = left + size
                if at >= stop:
                    break
                right = read_i64_le(data, at)
                sides = read_i64_le(data, at - 1) & 0xFFFF
                pair = (pair & masks[size]) ^ (right & masks[i64(sizes[right & 0xFF])]) << 24
            bucket = _bucket(pair)
            ends[count] = i32(at)
            count += 1 - ((i64(joined[bucket >> 3]) >> (bucket & 7) | i64(partly[sides])) & 1)
            left = at
        ends[count] = i32(stop)
        return count + 1

    def may_join(self, left: i64, right: i64, before: i64, behind: i64) -> bool:
        """Tells whether some piece may hold two characters side by side, as `cut` finds out.

        They are given as their bytes in little-endian order, with the last one of the left character
        (``before``) and the first of the right one (``behind``).
        """
        bucket = _bucket(left ^ right << 24)
        if (i64(self._joined[bucket >> 3]) >> (bucket & 7)) & 1:
            return True
        return i64(self._partly[behind << 8 | before]) != 0


def _bucket(pair: i64) -> i64:
    """Returns the bucket of two characters: the bytes of the right one begin at bit 24."""
    return pair * _MULTIPLIER >> _BUCKET_SHIFT & (_BUCKETS - 1)
