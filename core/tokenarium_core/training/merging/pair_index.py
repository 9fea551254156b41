"""The pairs of neighbouring tokens that training may merge soon: their counts and their places.

Upper bounds for the counts of all pairs, in little memory, show which ones are worth counting.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.training.merging.merger import RIGHT, MergeRules
from tokenarium_core.training.merging.segmentation import BLOCK_BITS, Segmentation

MULTIPLIER: Final = 0x2545F4914F6CDD1D  # of Vigna's xorshift*: odd, and its bits well spread
EXACT_BITS: Final = (
    4  # pairs are counted exactly at once if a table of all is that much shorter than the words
)
SMALL_TABLE: Final = 1 << 16  # … or has no more than so many pairs
OCTAVE: Final = 8  # steps between a count and its double, in the histogram of counts
PAIR: Final = 0  # ``left << 32 | right``
COUNT: Final = 1  # how often it occurs in the corpus
START: Final = 2  # of the list of its positions, in ``positions``
SIZE: Final = 3  # of that list
STRIDE: Final = 4


@final
class PairSketch:
    """One row of a count-min sketch: pairs that share a bucket by their hash are counted together.

    So no pair is more frequent than its bucket (Cormode and Muthukrishnan 2005,
    https://doi.org/10.1016/j.jalgor.2003.12.001). With far more buckets than frequent pairs, few
    rare pairs count as frequent ones.

    While there are few ids (``exact``), each pair has its own bucket, and in ``sizes`` the number of its positions.
    """

    def __init__(self, positions: i64, ids: i64 = 0) -> None:
        self.exact: bool = 0 < ids * ids <= max(positions >> EXACT_BITS, SMALL_TABLE)
        self.ids: i64 = ids
        size: i64 = 1024
        if self.exact:
            size = ids * ids
        else:
            while size < positions >> 3:
                size *= 2
        self.buckets = vec[i64]([0] * size)
        self.sizes = vec[i32]([0] * size) if self.exact else vec[i32]()
        self.mask: i64 = size - 1

    def add_pairs(self, words: Segmentation, begin: i64, end: i64) -> i64:
        """Adds the pairs that begin in ``begin`` … ``end``; returns where to continue."""
        buckets = self.buckets
        counted = self.sizes
        exact = self.exact
        ids = self.ids
        mask = self.mask
        symbols = words.symbols
        weights = words.weights
        sizes = words.sizes
        at = begin
        while at < end:
            left = i64(symbols[at])
            if left < 0:
                at += 1
                continue
            behind = at + i64(sizes[left])
            right = i64(symbols[behind])
            if right < 0:
                at = behind + 1
                continue
            if exact:
                bucket = left * ids + right
                counted[bucket] += 1
            else:
                bucket = bucket_of(left << 32 | right) & mask
            buckets[bucket] += weights[at >> BLOCK_BITS]
            at = behind
        return at

    def choose_threshold(self, merge_count: i64) -> i64:
        """Returns a count that enough pairs reach for ``merge_count`` merges; at least 1.

        Twice as many, since merges take pairs from each other, but no more than a quarter of all pairs: at first there
        are few, and most merges will be of pairs that do not exist yet.
        """
        histogram = vec[i64]([0] * (64 * OCTAVE))
        k: i64 = 0
        while k <= self.mask:
            histogram[_step(self.buckets[k])] += 1
            k += 1
        rank = max(min(2 * merge_count, (self.mask + 1 - histogram[0]) >> 2), 1)
        step: i64 = 64 * OCTAVE - 1
        while step > 1 and rank > histogram[step]:
            rank -= histogram[step]
            step -= 1
        if step < OCTAVE:
            return step
        return (OCTAVE + step % OCTAVE) << (step // OCTAVE - 1)


def bucket_of(pair: i64) -> i64:
    """Returns the hash of a pair; its lowest 32 bits count."""
    return (pair ^ (pair >> 29)) * MULTIPLIER >> 32


def _step(count: i64) -> i64:
    """Returns the place of a count in a histogram of `OCTAVE` steps to each doubling."""
    if count < OCTAVE:
        return count
    octave: i64 = 0
    while count >= 2 * OCTAVE:
        count >>= 1
        octave += 1
    return OCTAVE * (octave + 1) + count - OCTAVE


@final
class PairIndex:
    """A hash table from a pair to its row, four numbers side by side in one packed array.

    The number at ``row`` + `PAIR` is the pair, + `COUNT` its count, + `START` and + `SIZE` say where its positions (of
    the left token's first byte) are listed. A list is written once, in rising order. Later merges leave stale positions
    in it, which a look-up detects: the tokens there are no longer the two.

    Filling it takes two walks over the segmentation: `count_pairs` makes a row for each pair that
    may be frequent, `keep` drops those that are not, `list_positions` fills the others' lists.
    """

    def __init__(self) -> None:
        self.rows = vec[i64]()
        self.end: i64 = 0  # of the rows in use
        self.positions = vec[i32]()
        self._positions_first: i64 = 0  # where the first list begins
        self._positions_end: i64 = 0
        self._slots = vec[i32]()
        self._slot_mask: i64 = 0
        self.clear()

    def clear(self) -> None:
        """Makes the index empty."""
        self.rows = vec[i64]([0] * (STRIDE * 1024))
        self.end = 0
        self.positions = vec[i32]()
        self._positions_first = 0
        self._positions_end = 0
        self._slots = vec[i32]([-1] * 2048)
        self._slot_mask = 2047

    def find(self, pair: i64) -> i64:
        """Returns the row of a pair, or -1."""
        rows = self.rows
        slots = self._slots
        slot_mask = self._slot_mask
        slot = bucket_of(pair) & slot_mask
        while True:
            row = i64(slots[slot])
            if row < 0 or rows[row] == pair:
                return row
            slot = (slot + 1) & slot_mask

    def add(self, pair: i64, count: i64, size: i64) -> i64:
        """Adds a new pair with room for ``size`` positions; returns where its list starts."""
        row = self._add_row(pair)
        self.rows[row + COUNT] = count
        return self._add_list(row, size)

    @property
    def inside(self) -> bool:
        """Whether the lists are behind the tokens of a segmentation, not in an array of their own."""
        return self._positions_first > 0

    def has_room(self, size: i64) -> bool:
        """Returns whether there is room for lists of ``size`` positions after those that are there."""
        return self._positions_end + size <= len(self.positions)

    def reserve(self, size: i64, threshold: i64) -> None:
        """Makes room for lists of ``size`` positions, first of all that of the pairs whose count is below ``threshold``.

        Lists must be in the order of their rows, as they are without `list_again`.
        """
        positions = self.positions
        rows = self.rows
        used = self._positions_first
        row: i64 = 0
        while row < self.end:
            if rows[row + COUNT] < threshold:
                rows[row + SIZE] = 0
            at = rows[row + START]
            stop = at + rows[row + SIZE]
            rows[row + START] = used
            while at < stop:
                positions[used] = positions[at]
                used += 1
                at += 1
            row += STRIDE
        self._positions_end = used
        end = used + size
        if end > len(positions) - (
            (len(positions) - self._positions_first) >> 3
        ):  # else it would soon be done again
            self._enlarge(end)

    def _enlarge(self, end: i64) -> None:
        """Moves the lists into a longer array of their own, with room up to ``end`` and a quarter more."""
        first = self._positions_first
        used = self._positions_end - first
        positions = vec[i32]([0] * (end - first + ((end - first) >> 2)))
        k: i64 = 0
        while k < used:
            positions[k] = self.positions[first + k]
            k += 1
        row: i64 = 0
        while row < self.end:
            self.rows[row + START] -= first
            row += STRIDE
        self.positions = positions
        self._positions_first = 0
        self._positions_end = used

    def list_again(self, row: i64, places: list[int]) -> None:
        """Gives a row another list of positions, in rising order."""
        start = self._add_list(row, len(places))
        for k in range(len(places)):
            self.positions[start + k] = i32(places[k])

    def _add_list(self, row: i64, size: i64) -> i64:
        """Gives a row room for ``size`` positions; returns where they start."""
        if not self.has_room(size):
            self.rows[row + START] = self._positions_end
            self._enlarge(self._positions_end + size)
        start = self._positions_end
        self.rows[row + START] = start
        self.rows[row + SIZE] = size
        self._positions_end = start + size
        return start

    def _add_row(self, pair: i64) -> i64:
        """Adds a row of zeros for a new pair and returns it."""
        row = self.end
        if row == len(self.rows):
            for _ in range(STRIDE):
                self.rows = append(self.rows, 0)
        self.rows[row] = pair
        self.rows[row + COUNT] = 0
        self.rows[row + SIZE] = 0
        self.end = row + STRIDE
        if self.end > STRIDE // 2 * self._slot_mask:
            self._build_slots(2 * (self._slot_mask + 1))
        else:
            self._enter(row)
        return row

    def _enter(self, row: i64) -> None:
        """Enters a row into the hash table."""
        slots = self._slots
        slot_mask = self._slot_mask
        slot = bucket_of(self.rows[row]) & slot_mask
        while slots[slot] >= 0:
            slot = (slot + 1) & slot_mask
        slots[slot] = i32(row)

    def _build_slots(self, size: i64) -> None:
        """Makes the hash table again with ``size`` slots, a power of two."""
        self._slots = vec[i32]([-1] * size)
        self._slot_mask = size - 1
        row: i64 = 0
        while row < self.end:
            self._enter(row)
            row += STRIDE

    def count_pairs(
        self, words: Segmentation, sketch: PairSketch, threshold: i64, begin: i64, end: i64
    ) -> i64:
        """Counts the pairs that begin in ``begin`` … ``end``; returns where to continue.

        Those that surely do not reach ``threshold``, by the sketch, are left out.
        """
        buckets = sketch.buckets
        mask = sketch.mask
        symbols = words.symbols
        weights = words.weights
        sizes = words.sizes
        at = begin
        while at < end:
            left = i64(symbols[at])
            if left < 0:
                at += 1
                continue
            behind = at + i64(sizes[left])
            right = i64(symbols[behind])
            if right < 0:
                at = behind + 1
                continue
            pair = left << 32 | right
            if buckets[bucket_of(pair) & mask] >= threshold:
                row = self.find(pair)
                if row < 0:
                    row = self._add_row(pair)
                rows = self.rows
                rows[row + COUNT] += weights[at >> BLOCK_BITS]
                rows[row + SIZE] += 1
            at = behind
        return at

    def threshold_of(self, least: i64, most: i64, rules: MergeRules) -> i64:
        """Returns the lowest threshold from ``least`` on at which the lists have no more than ``most`` positions.

        But the most frequent pair reaches it, however long its list. Pairs that the rules do not allow are not counted.
        """
        rows = self.rows
        total: i64 = 0
        row: i64 = 0
        while row < self.end:
            if rows[row + COUNT] >= least:
                total += rows[row + SIZE]
            row += STRIDE
        if total <= most:
            return least
        counts: list[tuple[int, int]] = []
        row = 0
        while row < self.end:
            pair = rows[row + PAIR]
            if rows[row + COUNT] >= least and rules.allow(pair >> 32, pair & RIGHT):
                counts.append((rows[row + COUNT], rows[row + SIZE]))
            row += STRIDE
        if not counts:
            return least
        counts.sort(reverse=True)
        threshold: i64 = counts[0][0]
        total = 0
        for count, size in counts:
            total += size
            if total > most and count < threshold:
                return threshold
            threshold = count
        return least

    def add_exact(self, sketch: PairSketch, least: i64) -> None:
        """Adds the pairs of an exact sketch whose count is at least ``least``."""
        ids = sketch.ids
        left: i64 = 0
        bucket: i64 = 0
        while left < ids:
            right: i64 = 0
            while right < ids:
                if sketch.buckets[bucket] >= least:
                    row = self._add_row(left << 32 | right)
                    self.rows[row + COUNT] = sketch.buckets[bucket]
                    self.rows[row + SIZE] = i64(sketch.sizes[bucket])
                bucket += 1
                right += 1
            left += 1

    def keep(self, threshold: i64, words: Segmentation | None = None) -> None:
        """Drops the pairs whose count is below ``threshold``; makes room for the others' lists.

        They are written behind the tokens of ``words`` if they fit there.
        """
        self.drop_rare(threshold)
        rows = self.rows
        used: i64 = 0
        row: i64 = 0
        while row < self.end:
            used += rows[row + SIZE]
            row += STRIDE
        first: i64 = 0
        if words is not None and 0 < used <= words.spare:
            first = words.end
            self.positions = words.symbols
        else:
            # With room for the lists of new pairs: a larger array is made beside the old one, which takes the most memory.
            self.positions = vec[i32]([0] * (used + (used >> 2)))
        self._positions_first = first
        row = 0
        while row < self.end:
            rows[row + START] = first
            first += rows[row + SIZE]
            rows[row + SIZE] = 0
            row += STRIDE
        self._positions_end = first

    def drop_rare(self, threshold: i64) -> None:
        """Drops the pairs whose count is below ``threshold``."""
        rows = self.rows
        kept: i64 = 0
        row: i64 = 0
        while row < self.end:
            if rows[row + COUNT] >= threshold:
                rows[kept + PAIR] = rows[row + PAIR]
                rows[kept + COUNT] = rows[row + COUNT]
                rows[kept + SIZE] = rows[row + SIZE]
                kept += STRIDE
            row += STRIDE
        self.end = kept
        size: i64 = 1024
        while size < kept:
            size *= 2
        self._build_slots(size)

    def list_positions(
        self, words: Segmentation, begin: i64, end: i64, measures: bool = False
    ) -> i64:
        """Lists the positions in ``begin`` … ``end`` of the pairs that are here; returns where to continue.

        With ``measures`` it only counts them, before `keep` makes room for them.
        """
        symbols = words.symbols
        sizes = words.sizes
        positions = self.positions
        rows = self.rows
        at = begin
        while at < end:
            left = i64(symbols[at])
            if left < 0:
                at += 1
                continue
            behind = at + i64(sizes[left])
            right = i64(symbols[behind])
            if right < 0:
                at = behind + 1
                continue
            row = self.find(left << 32 | right)
            if row >= 0:
                if not measures:
                    positions[rows[row + START] + rows[row + SIZE]] = i32(at)
                rows[row + SIZE] += 1
            at = behind
        return at


def touched(symbols: vec[i32], positions: vec[i32], begin: i64, end: i64) -> i64:
    """Reads the symbols at some positions, only to have them in the cache; returns a sum that is to be kept.

    They are far apart. A loop without branches waits for many of them at a time, the working loop for one after the
    other.
    """
    total: i64 = 0
    k = begin
    while k < end:
        total += i64(symbols[i64(positions[k])])
        k += 1
    return total
