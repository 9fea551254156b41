"""The pairs of neighbouring tokens that training may merge soon: their counts and their places."""

from __future__ import annotations

from typing import final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.pair_sketch import PairSketch, bucket_of
from tokenarium_core.segmentation import BLOCK_BITS, Segmentation


@final
class PairIndex:
    """A hash table from a pair to its row in packed columns.

    A pair is packed as ``left << 32 | right``. A row holds the pair, its count, and where the list
    of its positions (of the left token's first byte) starts in ``positions`` and how long it is.
    A list is written once. Later merges leave stale positions in it, which show when they are
    looked up: the tokens there are no longer the two.

    Filling it takes two walks over the segmentation: `count_pairs` makes a row for each pair that
    may be frequent, `keep` drops those that are not, `list_positions` fills the others' lists.
    """

    def __init__(self) -> None:
        self.pairs = vec[i64]()
        self.counts = vec[i64]()
        self.starts = vec[i64]()
        self.sizes = vec[i32]()
        self.positions = vec[i32]()
        self.rows: i64 = 0
        self._slots = vec[i32]()
        self._slot_mask: i64 = 0
        self._used: i64 = 0  # of ``positions``
        self.clear()

    def clear(self) -> None:
        """Makes the index empty."""
        self.pairs = vec[i64]([0] * 1024)
        self.counts = vec[i64]([0] * 1024)
        self.starts = vec[i64]([0] * 1024)
        self.sizes = vec[i32]([0] * 1024)
        self.positions = vec[i32]()
        self.rows = 0
        self._slots = vec[i32]([-1] * 2048)
        self._slot_mask = 2047
        self._used = 0

    def find(self, pair: i64) -> i64:
        """Returns the row of a pair, or -1."""
        pairs = self.pairs
        slots = self._slots
        slot_mask = self._slot_mask
        slot = bucket_of(pair) & slot_mask
        while True:
            row = i64(slots[slot])
            if row < 0 or pairs[row] == pair:
                return row
            slot = (slot + 1) & slot_mask

    def add(self, pair: i64, count: i64, size: i64) -> i64:
        """Adds a new pair with room for ``size`` positions; returns where its list starts."""
        start = self._used
        row = self._add_row(pair)
        self.counts[row] = count
        self.starts[row] = start
        self.sizes[row] = i32(size)
        self._used = start + size
        if self._used > len(self.positions):
            self.positions = _resized(self.positions, start, self._used + (self._used >> 2))
        return start

    def _add_row(self, pair: i64) -> i64:
        """Adds an empty row for a new pair and returns its number."""
        row = self.rows
        if row == len(self.pairs):
            self.pairs = append(self.pairs, 0)
            self.counts = append(self.counts, 0)
            self.starts = append(self.starts, 0)
            self.sizes = append(self.sizes, 0)
        self.pairs[row] = pair
        self.counts[row] = 0
        self.starts[row] = 0
        self.sizes[row] = 0
        self.rows = row + 1
        if 2 * self.rows > self._slot_mask:
            self._build_slots(2 * (self._slot_mask + 1))
        else:
            self._enter(row)
        return row

    def _enter(self, row: i64) -> None:
        """Enters a row into the hash table."""
        pair = self.pairs[row]
        slots = self._slots
        slot_mask = self._slot_mask
        slot = bucket_of(pair) & slot_mask
        while slots[slot] >= 0:
            slot = (slot + 1) & slot_mask
        slots[slot] = i32(row)

    def _build_slots(self, size: i64) -> None:
        """Makes the hash table anew with ``size`` slots, a power of two."""
        self._slots = vec[i32]([-1] * size)
        self._slot_mask = size - 1
        row: i64 = 0
        while row < self.rows:
            self._enter(row)
            row += 1

    def count_pairs(
        self, words: Segmentation, sketch: PairSketch, threshold: i64, begin: i64, end: i64
    ) -> i64:
        """Counts the pairs that begin in ``begin`` … ``end``; returns where to go on.

        Those that surely do not reach ``threshold``, as the sketch tells, are left out.
        """
        buckets = sketch.buckets
        mask = sketch.mask
        symbols = words.symbols
        weights = words.weights
        token_sizes = words.sizes
        at = begin
        while at < end:
            left = i64(symbols[at])
            if left < 0:
                at += 1
                continue
            behind = at + i64(token_sizes[left])
            right = i64(symbols[behind])
            if right < 0:
                at = behind + 1
                continue
            pair = left << 32 | right
            if buckets[bucket_of(pair) & mask] >= threshold:
                row = self.find(pair)
                if row < 0:
                    row = self._add_row(pair)
                self.counts[row] += weights[at >> BLOCK_BITS]
                self.sizes[row] += 1
            at = behind
        return at

    def keep(self, threshold: i64) -> None:
        """Drops the pairs whose count is below ``threshold``; makes room for the others' lists."""
        kept: i64 = 0
        row: i64 = 0
        while row < self.rows:
            if self.counts[row] >= threshold:
                kept += 1
            row += 1
        pairs = vec[i64]([0] * kept)
        counts = vec[i64]([0] * kept)
        starts = vec[i64]([0] * kept)
        used: i64 = 0
        kept = 0
        row = 0
        while row < self.rows:
            if self.counts[row] >= threshold:
                pairs[kept] = self.pairs[row]
                counts[kept] = self.counts[row]
                starts[kept] = used
                used += i64(self.sizes[row])
                kept += 1
            row += 1
        self.pairs = pairs
        self.counts = counts
        self.starts = starts
        self.sizes = vec[i32]([0] * kept)
        self.positions = vec[i32]([0] * used)
        self.rows = kept
        self._used = used
        size: i64 = 1024
        while size < 4 * kept:
            size *= 2
        self._build_slots(size)

    def list_positions(self, words: Segmentation, begin: i64, end: i64) -> i64:
        """Lists the pairs that begin in ``begin`` … ``end``; returns where to go on."""
        symbols = words.symbols
        token_sizes = words.sizes
        positions = self.positions
        starts = self.starts
        sizes = self.sizes
        at = begin
        while at < end:
            left = i64(symbols[at])
            if left < 0:
                at += 1
                continue
            behind = at + i64(token_sizes[left])
            right = i64(symbols[behind])
            if right < 0:
                at = behind + 1
                continue
            row = self.find(left << 32 | right)
            if row >= 0:
                positions[starts[row] + i64(sizes[row])] = i32(at)
                sizes[row] += 1
            at = behind
        return at


def _resized(values: vec[i32], used: i64, size: i64) -> vec[i32]:
    """Returns an array of ``size`` that begins with ``values[:used]``, the rest zeros."""
    larger = vec[i32]([0] * size)
    k: i64 = 0
    while k < used:
        larger[k] = values[k]
        k += 1
    return larger
