"""Where a text may be split without changing its tokens: between characters that are not adjacent in any piece.

Two neighbouring characters can end up in one token only if some piece of the vocabulary contains them adjacent. If none
does, both sides are merged as if the other did not exist; and every path of a lattice passes between them, so the best
path is the best one up to that position followed by the best one after it. That is exact. It turns the long "words" of
scripts without spaces, and documents without a pre-tokenizer, into short ones that can be looked up.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.models.bpe.merge_table import MergeTable
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.unicode.utf8 import EACH_01, character_sizes
from tokenarium_core.vocabulary import BYTE, NORMAL, Vocabulary, low_bytes

BUCKETS: Final = 1 << 21
BUCKET_MULTIPLIER: Final = 0x1E3779B97F4A7C15
BUCKET_SHIFT: Final = 38
"""The position of the hash in the product of a pair."""

SPARE: Final = 8
"""The extra room after the parts of a text that `BoundaryFilter.cut` needs."""

LEADS: Final = 0xF00000F0  # of two characters of three bytes, these bits …
THREE_BYTES: Final = 0xE00000E0  # … have these values
SIX_BYTES: Final = 0xFFFFFFFFFFFF


@final
class BoundaryFilter:
    """The pairs of characters that some piece joins, as a filter that errs only on the safe side.

    A pair is ``left ^ right << 24``, the bytes of both characters in little-endian order.

    - ``ascii_pairs``: of two ASCII characters, by ``right << 8 | left`` (two bytes of a text as they are read): 1 if
      a cut is possible.
    - ``joined``: one bit a bucket, by the hash of a pair, ``mask`` being the last bucket. A collision hides a possible
      boundary; it never creates a wrong one.
    - ``partly``: by the first byte of the right and the last byte of the left character, for pieces
      that begin or end inside a character. (Where only its last byte is missing after a whole
      character, the 64 pairs that it may be are in ``joined``: so few that more can be cut.)
    """

    def __init__(self, buckets: i64 = BUCKETS, cached: CacheReader | None = None) -> None:
        if cached is None:
            self.joined = vec[u8]([0] * (buckets // 8))
            self.ascii_pairs = vec[u8]([1] * 65536)
            self._partly = vec[u8]([0] * 65536)
        else:
            self.joined = cached.u8s()
            self.ascii_pairs = cached.u8s()
            self._partly = cached.u8s()
        self.mask: i64 = len(self.joined) * 8 - 1
        self._bits = vec[u8]([1, 2, 4, 8, 16, 32, 64, 128])
        self._masks = vec[i64]([0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF])

    def dump(self, out: CacheWriter) -> None:
        """Writes the filter, for ``cached``."""
        out.u8s(self.joined)
        out.u8s(self.ascii_pairs)
        out.u8s(self._partly)

    def join(self, left: i64, right: i64) -> None:
        """Records that two whole characters may be adjacent in a piece."""
        bucket = _bucket(left ^ right << 24, self.mask)
        self.joined[bucket >> 3] |= self._bits[bucket & 7]
        if left < 0x80 and right < 0x80:
            self.ascii_pairs[right << 8 | left] = 0

    def add(self, data: bytes, start: i64, stop: i64) -> None:
        """Records each pair of neighbouring characters, whole or partial, in the piece ``data[start:stop]`` (padded)."""
        masks = self._masks
        sizes = character_sizes
        left: i64 = start
        byte: i64 = data[start]
        left_size: i64 = 0  # of a piece that begins inside a character
        if byte & 0xC0 != 0x80:
            left_size = i64(sizes[byte])
        at = start + 1
        while at < stop:
            byte = data[at]
            if byte & 0xC0 != 0x80:
                size: i64 = i64(sizes[byte])
                missing: i64 = at + size - stop
                if missing < 0:
                    missing = 0
                if at - left != left_size or missing > 1:
                    before: i64 = data[at - 1]
                    self._partly[byte << 8 | before] = 1
                else:
                    first = read_i64_le(data, left) & masks[left_size]
                    # Where the last byte is missing, it may be any from 0x80 to 0xBF.
                    step = missing << 8 * (size - 1)
                    second = (read_i64_le(data, at) & masks[size - missing]) | step << 7
                    many: i64 = 64 if missing > 0 else 1
                    while many > 0:
                        many -= 1
                        self.join(first, second)
                        second += step
                left = at
                left_size = size
            at += 1

    def add_ascii(self, data: bytes, start: i64, stop: i64) -> bool:
        """Records the pairs of a piece (padded) in ``ascii_pairs`` alone if all of it is ASCII, else returns false.

        This takes a fifth of the time of `add`; `join_ascii` comes after the last piece.
        """
        at = start
        while at < stop:
            if at + 8 <= stop:
                eight = read_i64_le(data, at)
            else:
                eight = read_i64_le(data, at) & low_bytes[stop - at]
            if (eight >> 7) & EACH_01:
                return False
            at += 8
        pairs = self.ascii_pairs
        at = start
        left: i64 = data[at]
        at += 1
        while at < stop:
            right: i64 = data[at]
            pairs[right << 8 | left] = 0
            left = right
            at += 1
        return True

    def join_ascii(self) -> None:
        """Records in ``joined`` what `add_ascii` recorded."""
        pairs = self.ascii_pairs
        for left in range(128):
            for right in range(128):
                if i64(pairs[right << 8 | left]) == 0:
                    self.join(left, right)

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32]) -> i64:
        """Splits ``data[start:stop]`` wherever that is safe: writes the end of each part, returns their count.

        Writes about ``len(ends) - SPARE`` at most: if the last one does not end at ``stop``, call again from there.

        Every character's end is written, and stays if it is safe: a branch could not be predicted.
        """
        pairs = self.ascii_pairs
        joined = self.joined
        mask = self.mask
        partly = self._partly
        sizes = character_sizes
        masks = self._masks
        room: i64 = len(ends) - SPARE
        left = start
        count: i64 = 0
        while count < room:
            pair = read_i64_le(data, left)
            at = left + 3
            if pair & LEADS == THREE_BYTES:
                if at >= stop:
                    ends[count] = i32(stop)
                    return count + 1
                pair &= SIX_BYTES
                sides = pair >> 16 & 0xFFFF
            elif (pair >> 7) & EACH_01 == 0:  # seven pairs of ASCII
                at = left + 1
                last = left + 8 if left + 8 < stop else stop
                while at < last:
                    ends[count] = i32(at)
                    count += i64(pairs[pair & 0xFFFF])
                    pair >>= 8
                    at += 1
                if at >= stop:
                    ends[count] = i32(stop)
                    return count + 1
                left = at - 1
                continue
            else:
                size: i64 = i64(sizes[pair & 0xFF])
                at = left + size
                if at >= stop:
                    ends[count] = i32(stop)
                    return count + 1
                right = read_i64_le(data, at)
                sides = read_i64_le(data, at - 1) & 0xFFFF
                pair = (pair & masks[size]) ^ (right & masks[i64(sizes[right & 0xFF])]) << 24
            bucket = _bucket(pair, mask)
            ends[count] = i32(at)
            count += 1 - ((i64(joined[bucket >> 3]) >> (bucket & 7) | i64(partly[sides])) & 1)
            left = at
        return count

    def may_join(self, left: i64, right: i64, before: i64, behind: i64) -> bool:
        """Returns whether some piece may contain two characters adjacent, as in `cut`.

        With the last byte of the left character (``before``) and the first of the right one (``after``).
        """
        bucket = _bucket(left ^ right << 24, self.mask)
        if (i64(self.joined[bucket >> 3]) >> (bucket & 7)) & 1:
            return True
        return i64(self._partly[behind << 8 | before]) != 0


def _bucket(pair: i64, mask: i64) -> i64:
    return pair * BUCKET_MULTIPLIER >> BUCKET_SHIFT & mask


def boundaries_of(vocabulary: Vocabulary, merges: MergeTable | None = None) -> BoundaryFilter:
    """Returns the filter of all entries that merging bytes of a text can make.

    Added tokens do not come from merging, except for those that the ``merges`` make: in a `tokenizer.json`, an entry
    may be both.
    """
    boundaries = BoundaryFilter()
    arena = vocabulary.arena
    offsets = vocabulary.offsets
    kinds = vocabulary.kinds
    for token in range(vocabulary.count):
        start: i64 = i64(offsets[token])
        stop: i64 = i64(offsets[token + 1])
        kind: i64 = i64(kinds[token])
        if stop - start > 1 and (kind == NORMAL or kind == BYTE):
            if not boundaries.add_ascii(arena, start, stop):
                boundaries.add(arena, start, stop)
    boundaries.join_ascii()
    if merges is None:
        return boundaries
    for rank in range(len(merges)):
        result: i64 = i64(merges.results[rank])
        if result < 0 or i64(kinds[result]) == NORMAL or i64(kinds[result]) == BYTE:
            continue
        boundaries.add(vocabulary.arena, i64(offsets[result]), i64(offsets[result + 1]))
    return boundaries
