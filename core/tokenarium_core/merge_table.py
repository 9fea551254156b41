"""Which two neighbours merge, into what, and which merge comes first.

A merge has a *rank*: its place in the order of training. The table answers the one question that
encoding asks over and over: has this pair of ids a merge, and of which rank?
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.frozen import FrozenReader, FrozenWriter

MAX_IDS: Final = 1 << 21
"""Ids and ranks are below this, so that a pair and its rank share one 64-bit entry."""

NO_MERGE: Final = 2097152
"""The rank of a pair that does not merge: above every rank."""

ID_MASK: Final = 2097151

ANY_SHIFT: Final = 1 << 40  # no merge yet
NO_SHIFT: Final = 1 << 41
_MULTIPLIER: Final = 0x1E3779B97F4A7C15  # odd, and below 2**62: a larger literal would be boxed


@final
class MergeTable:
    """Merges by pair and by rank, for ids below `MAX_IDS`.

    ``shift`` is what all results have above their ranks, as in nearly all vocabularies (`NO_SHIFT` in others):
    it spares encoding a look into ``results``.

    An entry is ``left << 42 | right << 21 | rank``, in an open-addressing table that is at most four fifths
    full: longer searches cost less than a table that leaves the processor's cache. That of a large vocabulary does,
    and many pairs that are asked for have no merge. So there are four bits for each entry, by the hash of a pair:
    where its bit is 0, the table need not be read.
    """

    def __init__(self, capacity: i64) -> None:
        size: i64 = 1024
        while size * 4 < capacity * 5:
            size *= 2
        self.entries = vec[i64]([-1] * size)
        self.mask: i64 = size - 1
        self._powers = vec[u8]([1, 2, 4, 8, 16, 32, 64, 128])
        self._bits = vec[u8]([0] * (size // 2))
        self.lefts = vec[i32]([0] * capacity)
        self.rights = vec[i32]([0] * capacity)
        self.results = vec[i32]([-1] * capacity)
        self.capacity: i64 = capacity
        self.pairs: i64 = 0
        self.shift: i64 = ANY_SHIFT

    def __len__(self) -> int:
        return self.capacity

    def set(self, rank: i64, left: i64, right: i64, result: i64) -> bool:
        """Gives a pair its merge; false where the pair had one already (the first stays).

        Several pairs may share a rank when they make the same piece (see `BytePairEncoder`); the
        columns then keep the first.
        """
        entries = self.entries
        pair: i64 = left << 21 | right
        at: i64 = (pair * _MULTIPLIER >> 36) & self.mask
        while True:
            entry = entries[at]
            if entry < 0:
                break
            if entry >> 21 == pair:
                return False
            at = (at + 1) & self.mask
        entries[at] = pair << 21 | rank
        self._note(pair)
        self.pairs += 1
        if self.pairs * 5 > self.mask * 4:
            self._grow()
        shift = result - rank
        if self.shift == ANY_SHIFT:
            self.shift = shift
        elif self.shift != shift:
            self.shift = NO_SHIFT
        if self.results[rank] < 0:
            self.lefts[rank] = i32(left)
            self.rights[rank] = i32(right)
            self.results[rank] = i32(result)
        return True

    def cut(self, capacity: i64) -> None:
        """Gives back the room for ranks from ``capacity`` on, none of which has a merge."""
        self.lefts = self.lefts[:capacity]
        self.rights = self.rights[:capacity]
        self.results = self.results[:capacity]
        self.capacity = capacity

    def find(self, left: i64, right: i64) -> i64:
        """Returns the rank of a pair's merge, or `NO_MERGE`."""
        pair: i64 = left << 21 | right
        mask = self.mask
        at: i64 = pair * _MULTIPLIER >> 36
        if (i64(self._bits[at >> 3 & mask >> 1]) >> (at & 7)) & 1 == 0:
            return NO_MERGE
        entries = self.entries
        at &= mask
        while True:
            entry = entries[at]
            if entry >> 21 == pair:
                return entry & ID_MASK
            if entry < 0:
                return NO_MERGE
            at = (at + 1) & mask

    def _grow(self) -> None:
        old = self.entries
        mask: i64 = self.mask * 2 + 1
        entries = vec[i64]([-1] * (mask + 1))
        for entry in old:
            if entry >= 0:
                at: i64 = ((entry >> 21) * _MULTIPLIER >> 36) & mask
                while entries[at] >= 0:
                    at = (at + 1) & mask
                entries[at] = entry
        self.take(entries)

    def take(self, entries: vec[i64]) -> None:
        """Takes another table of entries."""
        self.entries = entries
        self.mask = len(entries) - 1
        self._bits = vec[u8]([0] * (len(entries) // 2))
        for entry in entries:
            if entry >= 0:
                self._note(entry >> 21)

    def _note(self, pair: i64) -> None:
        bit = pair * _MULTIPLIER >> 36
        self._bits[bit >> 3 & self.mask >> 1] |= self._powers[bit & 7]


def freeze_merges(table: MergeTable, out: FrozenWriter) -> None:
    """Writes a table of merges."""
    out.i64s(table.entries)
    out.i32s(table.lefts)
    out.i32s(table.rights)
    out.i32s(table.results)
    out.number(table.pairs)
    out.number(table.shift)


def thaw_merges(frozen: FrozenReader) -> MergeTable:
    """Returns the table that `freeze_merges` wrote."""
    table = MergeTable(0)
    table.take(frozen.i64s())
    table.lefts = frozen.i32s()
    table.rights = frozen.i32s()
    table.results = frozen.i32s()
    table.capacity = len(table.results)
    table.pairs = frozen.number()
    table.shift = frozen.number()
    return table
