"""Merging a word of any length in O(n log n), in steps: linked symbols and a heap of candidate merges.

Short words are merged faster by `WordMerger`'s scan. This is for the others: 1 MB of one letter is one
pre-token too, and must neither hang the program nor take quadratic time.

The structure follows huggingface/tokenizers, ``models/bpe/word.rs``; the order of merges is the same as
the scan's: lowest rank first, leftmost among equals.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.merge_table import NO_MERGE, MergeTable
from tokenarium_core.model import PendingWord
from tokenarium_core.trace import MERGE, Trace

_POSITION_MASK: Final = 0xFFFFFFFF


@final
class LongWord(PendingWord):
    """The symbols of one word and the merges that wait, lowest rank first.

    ``symbols[p]`` is the id of the symbol that begins at byte p of the word, -1 inside of a symbol;
    ``following[p]`` and ``previous[p]`` are the places of its neighbours. A heap entry is
    ``rank << 32 | place``; it is stale where the pair at that place has another rank by now.
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
        self.heap = vec[i64]([0] * (size + 2))
        self.queued: i64 = 0
        symbols = self.symbols
        for place in range(size):
            byte: i64 = data[start + place]
            symbols[place] = ids[byte]
            self.following[place] = place + 1
            self.previous[place] = place - 1
        heap = self.heap
        count: i64 = 0
        for place in range(size - 1):
            rank = merges.find(symbols[place], symbols[place + 1])
            if rank != NO_MERGE:
                heap[count] = rank << 32 | place
                count += 1
        self.queued = count
        at: i64 = count // 2 - 1
        while at >= 0:
            self._sink(at)
            at -= 1

    def step(self, most: i64, trace: Trace | None) -> bool:
        """Makes up to ``most`` merges; true when no more can be made."""
        symbols = self.symbols
        following = self.following
        previous = self.previous
        merges = self.merges
        results = merges.results
        heap = self.heap
        size = self.size
        while most > 0:
            if self.queued == 0:
                return True
            entry = heap[0]
            self.queued -= 1
            heap[0] = heap[self.queued]
            self._sink(0)
            left: i64 = entry & _POSITION_MASK
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
                self._queue(merges.find(result, symbols[after]), left)
            before: i64 = previous[left]
            if before >= 0:
                self._queue(merges.find(symbols[before], result), before)
            heap = self.heap
            most -= 1
        return self.queued == 0

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

    def _queue(self, rank: i64, place: i64) -> None:
        if rank == NO_MERGE:
            return
        if self.queued == len(self.heap):
            larger = vec[i64]([0] * (self.queued * 2))
            for index in range(self.queued):
                larger[index] = self.heap[index]
            self.heap = larger
        heap = self.heap
        entry: i64 = rank << 32 | place
        at = self.queued
        self.queued += 1
        while at > 0:
            parent = (at - 1) // 2
            if heap[parent] <= entry:
                break
            heap[at] = heap[parent]
            at = parent
        heap[at] = entry

    def _sink(self, at: i64) -> None:
        """Moves the entry at ``at`` down until its children are not smaller."""
        heap = self.heap
        count = self.queued
        if at >= count:
            return
        entry = heap[at]
        while True:
            child = at * 2 + 1
            if child >= count:
                break
            if child + 1 < count and heap[child + 1] < heap[child]:
                child += 1
            if heap[child] >= entry:
                break
            heap[at] = heap[child]
            at = child
        heap[at] = entry
