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


@final
class WordMerger:
    """Merges one word after the other; the ids of the last one are ``symbols[:count]``.

    The rule: of all neighbours that have a merge, the pair with the lowest rank merges first, the
    leftmost one among equals, until none is left. With the ranks ``lo`` 0, ``ow`` 1, ``lo w`` 2 the word
    ``l o w`` becomes ``lo w`` and then ``low``; ``ow`` has no chance.
    """

    def __init__(self, byte_ids: vec[i64], merges: MergeTable) -> None:
        self.byte_ids = byte_ids
        self.merges = merges
        self.symbols = vec[i64]([0] * (LINEAR + 1))
        self._ranks = vec[i64]([0] * (LINEAR + 1))
        self._starts = vec[i64]([0] * (LINEAR + 1))
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
        ranks = self._ranks
        byte_ids = self.byte_ids
        byte_pairs = self._byte_pairs
        last: i64 = stop - start - 1
        byte: i64 = data[start]
        best: i64 = NO_MERGE
        at: i64 = 0
        for place in range(last):
            after: i64 = data[start + place + 1]
            rank: i64 = i64(byte_pairs[byte << 8 | after])
            symbols[place] = byte_ids[byte]
            ranks[place] = rank
            if rank < best:
                best = rank
                at = place
            byte = after
        symbols[last] = byte_ids[byte]
        if best == NO_MERGE:
            return last + 1
        merges = self.merges
        results = merges.results
        shift = merges.shift
        starts = self._starts
        if trace is not None:
            for place in range(last + 1):
                starts[place] = start + place
        while True:
            merged: i64 = best + shift if shift != NO_SHIFT else i64(results[best])
            if trace is not None:
                trace.add(MERGE, starts[at], symbols[at], symbols[at + 1], merged, best)
                for place in range(at + 1, last):
                    starts[place] = starts[place + 1]
            symbols[at] = merged
            for place in range(at + 1, last):
                symbols[place] = symbols[place + 1]
                ranks[place] = ranks[place + 1]
            last -= 1
            if at < last:
                ranks[at] = merges.find(merged, symbols[at + 1])
            if at > 0:
                ranks[at - 1] = merges.find(symbols[at - 1], merged)
            best = NO_MERGE
            for place in range(last):
                rank = ranks[place]
                if rank < best:
                    best = rank
                    at = place
            if best == NO_MERGE:
                return last + 1

    def _merge_long(self, data: bytes, start: i64, stop: i64, trace: Trace | None) -> i64:
        word = LongWord(data, start, stop, self.byte_ids, self.merges)
        while not word.step(1 << 30, trace):
            pass
        if len(self.symbols) < word.size:
            self.symbols = vec[i64]([0] * word.size)
        return word.copy_to(self.symbols)


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
