"""Upper bounds for the counts of all pairs in little memory, to tell which are worth counting."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.training.merging.segmentation import BLOCK_BITS, Segmentation

MULTIPLIER: Final = 0x2545F4914F6CDD1D  # of Vigna's xorshift*: odd, and its bits well spread
OCTAVE: Final = 8  # steps between a count and its double, in the histogram of counts


@final
class PairSketch:
    """One row of a count-min sketch: pairs that share a bucket by their hash are counted together.

    So no pair stands more often than its bucket says (Cormode and Muthukrishnan 2005,
    https://doi.org/10.1016/j.jalgor.2003.12.001). With far more buckets than frequent pairs, few
    rare pairs are taken for frequent ones.
    """

    def __init__(self, positions: i64) -> None:
        size: i64 = 1024
        while size < positions >> 3:
            size *= 2
        self.buckets = vec[i64]([0] * size)
        self.mask: i64 = size - 1

    def add_pairs(self, words: Segmentation, begin: i64, end: i64) -> i64:
        """Adds the pairs that begin in ``begin`` … ``end``; returns where to go on."""
        buckets = self.buckets
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
            buckets[bucket_of(left << 32 | right) & mask] += weights[at >> BLOCK_BITS]
            at = behind
        return at

    def choose_threshold(self, wanted: i64) -> i64:
        """Returns a count that enough pairs reach for ``wanted`` merges; at least 1.

        Twice as many, as merges take pairs from each other, but no more than a quarter of all pairs:
        at first there are few, and most of the merges will be of pairs yet to come.
        """
        histogram = vec[i64]([0] * (64 * OCTAVE))
        k: i64 = 0
        while k <= self.mask:
            histogram[_step(self.buckets[k])] += 1
            k += 1
        rank = max(min(2 * wanted, (self.mask + 1 - histogram[0]) >> 2), 1)
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
