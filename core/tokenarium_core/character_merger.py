"""Merging the symbols of a short stretch of text: the algorithm of BPE itself."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.character_merges import CharacterMerges
from tokenarium_core.merge_table import NO_MERGE, NO_SHIFT
from tokenarium_core.symbol_heap import SymbolHeap
from tokenarium_core.vocabulary import Vocabulary

LINEAR: Final = 48
"""Up to this many symbols, looking for the first merge by a scan is faster than a heap."""

_NO_KEY: Final = NO_MERGE << 8
_ALL: Final = 1 << 40


@final
class CharacterMerger:
    """Merges the symbols of one stretch after the other, in place.

    Each symbol stays at the place where it began; ``priority << 8 | place`` is the key of the merge with the
    symbol that follows, so that the smallest key is the next merge (see `WordMerger`, which does the same
    with bytes).
    """

    def __init__(self, vocabulary: Vocabulary, merges: CharacterMerges) -> None:
        self.vocabulary = vocabulary
        self.merges = merges
        self._keys = vec[i64]([0] * (LINEAR + 1))
        self._following = vec[i64]([0] * (LINEAR + 1))
        self._previous = vec[i64]([0] * (LINEAR + 1))

    def merge(self, symbols: vec[i64], starts: vec[i32], stops: vec[i32], count: i64) -> i64:
        """Merges the first ``count`` symbols, with where they start and stop; returns how many are left."""
        if count > LINEAR:
            heap = SymbolHeap(symbols, starts, stops, count, self.merges)
            heap.step(_ALL, self.vocabulary, None)
            return heap.gather()
        merges = self.merges
        table = merges.table
        priorities = merges.priorities
        first_tied = merges.first_tied
        keys = self._keys
        last: i64 = count - 1
        best: i64 = _NO_KEY
        symbol = symbols[0]
        for place in range(last):
            after_symbol = symbols[place + 1]
            rank = table.find(symbol, after_symbol)
            if rank >= first_tied and rank != NO_MERGE:
                rank = i64(priorities[rank])
            key: i64 = rank << 8 | place
            keys[place] = key
            if key < best:
                best = key
            symbol = after_symbol
        if best >= _NO_KEY:
            return count
        following = self._following
        previous = self._previous
        for place in range(count):
            following[place] = place + 1
            previous[place] = place - 1
        results = table.results
        shift = table.shift
        while best < _NO_KEY:
            at: i64 = best & 0xFF
            right = following[at]
            rank = best >> 8
            if rank >= first_tied:
                rank = table.find(symbols[at], symbols[right])
            merged = rank + shift if shift != NO_SHIFT else i64(results[rank])
            symbols[at] = merged
            after = following[right]
            following[at] = after
            if right < last:
                keys[right] = _NO_KEY
            if after <= last:
                previous[after] = at
                rank = table.find(merged, symbols[after])
                if rank >= first_tied and rank != NO_MERGE:
                    rank = i64(priorities[rank])
                keys[at] = rank << 8 | at
            else:
                keys[at] = _NO_KEY
            before = previous[at]
            if before >= 0:
                rank = table.find(symbols[before], merged)
                if rank >= first_tied and rank != NO_MERGE:
                    rank = i64(priorities[rank])
                keys[before] = rank << 8 | before
            best = _NO_KEY
            for place in range(last):
                key = keys[place]
                best = key if key < best else best
        left: i64 = 0
        at = 0
        while at <= last:
            after = following[at]
            symbols[left] = symbols[at]
            starts[left] = starts[at]
            stops[left] = stops[after - 1]
            left += 1
            at = after
        return left
