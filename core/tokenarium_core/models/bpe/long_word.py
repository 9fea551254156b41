"""Merging a word of any length in O(n log n), in steps: linked symbols and a heap of candidate merges.

Short words are merged faster by `WordMerger`'s scan. This is for the others: 1 MB of one letter is one
pre-token too, and must neither hang the program nor take quadratic time.

The structure follows huggingface/tokenizers, ``models/bpe/word.rs``; the order of merges is the same as
the scan's: lowest rank first, leftmost among equals.
"""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.bpe.merge_table import NO_MERGE, MergeTable
from tokenarium_core.models.bpe.place_heap import PLACE_MASK, PlaceHeap
from tokenarium_core.models.model import PendingWord
from tokenarium_core.trace import MERGE, Trace


@final
class LongWord(PendingWord):
    """The symbols of one word and the merges that wait, lowest rank first.

    ``symbols[p]`` is the id of the symbol that begins at byte p of the word, -1 inside of a symbol;
    ``following[p]`` and ``previous[p]`` are the places of its neighbours. A merge that waits is stale
    where the pair at its place has another rank by now.
    """

    def __init__(
        self, data: bytes, start: i64, stop: i64, ids: vec[i64], merges: MergeTable
    ) -> None:
        super().__init__(start, stop)
        size = stop - start
        self.size: i64 = size
        self.merges = merges
        self.symbols = vec[i64]([0] * size)
        self.following = vec[i64]([0] * size)
        self.previous = vec[i64]([0] * size)
        self._waiting = PlaceHeap(size)
        symbols = self.symbols
        for place in range(size):
            byte: i64 = data[start + place]
            symbols[place] = ids[byte]
            self.following[place] = place + 1
            self.previous[place] = place - 1
        waiting = self._waiting
        for place in range(size - 1):
            rank = merges.find(symbols[place], symbols[place + 1])
            if rank != NO_MERGE:
                waiting.fill(rank, place)
        waiting.arrange()

    def step(self, most: i64, trace: Trace | None) -> bool:
        """Makes up to ``most`` merges; true when no more can be made."""
        symbols = self.symbols
        following = self.following
        previous = self.previous
        merges = self.merges
        results = merges.results
        waiting = self._waiting
        size = self.size
        while most > 0:
            if waiting.count == 0:
                return True
            entry = waiting.pop()
            left: i64 = entry & PLACE_MASK
            rank: i64 = entry >> 32
            if symbols[left] < 0:
                continue
            right: i64 = following[left]
            if right >= size or merges.find(symbols[left], symbols[right]) != rank:
                continue
            # In a word like "aaa" two equal merges overlap; the leftmost comes first, since equal
            # ranks are ordered by place, and the other is stale then.
            result: i64 = i64(results[rank])
            if trace is not None:
                trace.add(MERGE, self.start + left, symbols[left], symbols[right], result, rank)
            symbols[left] = result
            symbols[right] = -1
            after: i64 = following[right]
            following[left] = after
            if after < size:
                previous[after] = left
                behind = merges.find(result, symbols[after])
                if behind != NO_MERGE:
                    waiting.push(behind, left)
            before: i64 = previous[left]
            if before >= 0:
                ahead = merges.find(symbols[before], result)
                if ahead != NO_MERGE:
                    waiting.push(ahead, before)
            most -= 1
        return waiting.count == 0

    def write(self, out: vec[i32], count: i64) -> i64:
        """Writes the ids into ``out`` from index ``count`` on; returns the index behind the last."""
        symbols = self.symbols
        following = self.following
        place: i64 = 0
        while place < self.size:
            out[count] = i32(symbols[place])
            count += 1
            place = following[place]
        return count
