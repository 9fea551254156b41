"""Merging the bytes of one word by rank: the algorithm of BPE itself."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import FormatError
from tokenarium_core.long_word import LongWord
from tokenarium_core.merge_table import NO_MERGE, NO_SHIFT, MergeTable
from tokenarium_core.trace import MERGE, Trace
from tokenarium_core.vocabulary import Vocabulary

LINEAR: Final = 48
"""Up to this many bytes, looking for the lowest rank by a scan is faster than a heap."""


_NO_KEY: Final = 536870912  # NO_MERGE << 8, which would not be a constant to the compiler


@final
class WordMerger:
    """Merges one word after the other; the ids of the last one are ``symbols[:count]``.

    The rule: of all neighbours that have a merge, the pair with the lowest rank merges first, the
    leftmost one among equals, until none is left. With the ranks ``lo`` 0, ``ow`` 1, ``lo w`` 2 the word
    ``l o w`` becomes ``lo w`` and then ``low``; ``ow`` has no chance.

    Each symbol stays at the place of its first byte. ``rank << 8 | place`` is the key of the merge with
    the symbol that follows, so that the smallest key is the next merge.
    """

    def __init__(self, byte_ids: vec[i64], merges: MergeTable) -> None:
        self.byte_ids = byte_ids
        self.merges = merges
        self.symbols = vec[i64]([0] * (LINEAR + 1))
        self._keys = vec[i64]([0] * (LINEAR + 1))
        self._following = vec[i64]([0] * (LINEAR + 1))
        self._previous = vec[i64]([0] * (LINEAR + 1))
        self._byte_pairs = vec[i32]([NO_MERGE] * 65536)
        for left in range(256):
            for right in range(256):
                rank = merges.find(byte_ids[left], byte_ids[right])
                self._byte_pairs[left * 256 + right] = i32(rank)

    def learn_byte_pair(self, left: i64, right: i64, rank: i64) -> None:
        """Notes a merge of two single bytes that was added to the table later."""
        self._byte_pairs[left * 256 + right] = i32(rank)

    def merge(self, data: bytes, start: i64, stop: i64, trace: Trace | None) -> i64:
        """Merges ``data[start:stop]``, which must not be empty, and returns the count of ids."""
        if stop - start > LINEAR:
            return self._merge_long(data, start, stop, trace)
        symbols = self.symbols
        keys = self._keys
        following = self._following
        previous = self._previous
        byte_ids = self.byte_ids
        byte_pairs = self._byte_pairs
        last: i64 = stop - start - 1
        byte: i64 = data[start]
        best: i64 = _NO_KEY
        for place in range(last):
            after: i64 = data[start + place + 1]
            key: i64 = i64(byte_pairs[byte << 8 | after]) << 8 | place
            symbols[place] = byte_ids[byte]
            keys[place] = key
            following[place] = place + 1
            previous[place] = place - 1
            if key < best:
                best = key
            byte = after
        symbols[last] = byte_ids[byte]
        if best == _NO_KEY:
            return last + 1
        following[last] = last + 1
        previous[last] = last - 1
        merges = self.merges
        results = merges.results
        shift = merges.shift
        while best < _NO_KEY:
            at = best & 0xFF
            rank = best >> 8
            right = following[at]
            merged: i64 = rank + shift if shift != NO_SHIFT else i64(results[rank])
            if trace is not None:
                trace.add(MERGE, start + at, symbols[at], symbols[right], merged, rank)
            symbols[at] = merged
            after = following[right]
            following[at] = after
            if right < last:
                keys[right] = _NO_KEY
            if after <= last:
                previous[after] = at
                keys[at] = merges.find(merged, symbols[after]) << 8 | at
            else:
                keys[at] = _NO_KEY
            before = previous[at]
            if before >= 0:
                keys[before] = merges.find(symbols[before], merged) << 8 | before
            # Over all places, also those inside of symbols: a loop of one length and with no branch is
            # quicker than a shorter one whose course cannot be foreseen.
            best = _NO_KEY
            for place in range(last):
                key = keys[place]
                best = key if key < best else best
        count: i64 = 0
        at = 0
        while at <= last:
            symbols[count] = symbols[at]
            count += 1
            at = following[at]
        return count

    def _merge_long(self, data: bytes, start: i64, stop: i64, trace: Trace | None) -> i64:
        word = LongWord(data, start, stop, self.byte_ids, self.merges)
        while not word.step(1 << 30, trace):
            pass
        if len(self.symbols) < word.size:
            self.symbols = vec[i64]([0] * word.size)
        ids = vec[i32]([0] * word.size)
        count = word.write(ids, 0)
        for index in range(count):
            self.symbols[index] = i64(ids[index])
        return count


def byte_ids(vocabulary: Vocabulary) -> vec[i64]:
    """Returns the id of each of the 256 bytes; FormatError where one has none."""
    ids = vec[i64]([0] * 256)
    for byte in range(256):
        token = vocabulary.find(bytes([byte]))
        if token < 0:
            raise FormatError(
                f"The byte 0x{byte:02X} has no piece: a byte-level vocabulary has one for each of the 256."
            )
        ids[byte] = token
    return ids
