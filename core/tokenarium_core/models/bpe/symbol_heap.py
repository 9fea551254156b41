"""Merging any number of symbols in O(n log n), in steps: linked symbols and a heap of candidate merges.

Short stretches are merged faster by `CharacterMerger`'s scan, in the same order: first merge first, leftmost
among equals. The structure follows google/sentencepiece, ``src/bpe_model.cc``, and huggingface/tokenizers,
``models/bpe/word.rs``.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.bpe.character_merges import CharacterMerges
from tokenarium_core.models.bpe.merge_table import NO_MERGE
from tokenarium_core.models.bpe.place_heap import PLACE_MASK, PlaceHeap
from tokenarium_core.trace import MERGE, NO_PIECE, Trace
from tokenarium_core.vocabulary import Vocabulary

_GONE: Final = -1


@final
class SymbolHeap:
    """Symbols 0 to ``count - 1`` with the merges that wait, and where in the text each begins and ends.

    A merge that waits, by its priority, is stale where the pair at its place has another merge by now.
    A symbol that was merged into the one before it is -1 until `gather` closes the gaps.

    ``seen`` tells which pair was seen last of each piece that is never used: kept where that is ambiguous.
    """

    def __init__(
        self,
        symbols: vec[i64],
        starts: vec[i32],
        stops: vec[i32],
        count: i64,
        merges: CharacterMerges,
    ) -> None:
        self.symbols = symbols
        self.starts = starts
        self.stops = stops
        self.count: i64 = count
        self.merges = merges
        self.seen: dict[int, tuple[int, int]] = {}
        self._following = vec[i64]([0] * count)
        self._previous = vec[i64]([0] * count)
        self._waiting = PlaceHeap(count)
        following = self._following
        previous = self._previous
        waiting = self._waiting
        for place in range(count):
            following[place] = place + 1
            previous[place] = place - 1
        for place in range(count - 1):
            priority = self._look(symbols[place], symbols[place + 1])
            if priority != NO_MERGE:
                waiting.fill(priority, place)
        waiting.arrange()

    def step(self, most: i64, vocabulary: Vocabulary, trace: Trace | None) -> bool:
        """Makes up to ``most`` merges; true when no more can be made."""
        symbols = self.symbols
        following = self._following
        previous = self._previous
        merges = self.merges
        table = merges.table
        results = table.results
        priorities = merges.priorities
        first_tied = merges.first_tied
        waiting = self._waiting
        count = self.count
        while most > 0:
            if waiting.count == 0:
                return True
            entry = waiting.pop()
            left: i64 = entry & PLACE_MASK
            priority: i64 = entry >> 32
            if symbols[left] == _GONE:
                continue
            right: i64 = following[left]
            if right >= count:
                continue
            rank = table.find(symbols[left], symbols[right])
            if rank == NO_MERGE:
                continue
            result: i64 = i64(results[rank])
            if rank >= first_tied:
                if i64(priorities[rank]) != priority:
                    continue
            elif result != i64(results[priority]):
                continue
            if trace is not None:
                add_merge(
                    trace,
                    vocabulary,
                    i64(self.starts[left]),
                    symbols[left],
                    symbols[right],
                    result,
                    rank,
                )
            symbols[left] = result
            symbols[right] = _GONE
            self.stops[left] = self.stops[right]
            after: i64 = following[right]
            following[left] = after
            before: i64 = previous[left]
            if before >= 0:
                ahead = self._look(symbols[before], result)
                if ahead != NO_MERGE:
                    waiting.push(ahead, before)
            if after < count:
                previous[after] = left
                behind = self._look(result, symbols[after])
                if behind != NO_MERGE:
                    waiting.push(behind, left)
            most -= 1
        return waiting.count == 0

    def gather(self) -> i64:
        """Moves the symbols that are left, with their places, to the front; returns how many they are."""
        symbols = self.symbols
        starts = self.starts
        stops = self.stops
        following = self._following
        at: i64 = 0
        left: i64 = 0
        while at < self.count:
            symbols[left] = symbols[at]
            starts[left] = starts[at]
            stops[left] = stops[at]
            left += 1
            at = following[at]
        return left

    def _look(self, left: i64, right: i64) -> i64:
        """Returns the priority of a pair; notes the pair of a piece that will have to be taken apart."""
        merges = self.merges
        rank = merges.table.find(left, right)
        if rank == NO_MERGE:
            return rank
        if merges.ambiguous:
            result = i64(merges.table.results[rank])
            if result in merges.splits:
                self.seen[result] = (left, right)
        return rank if rank < merges.first_tied else i64(merges.priorities[rank])


def add_merge(
    trace: Trace,
    vocabulary: Vocabulary,
    position: i64,
    left: i64,
    right: i64,
    result: i64,
    rank: i64,
) -> None:
    """Adds the event of one merge; symbols beyond the ids of the vocabulary are no pieces."""
    scores = vocabulary.scores
    trace.add(
        MERGE,
        position,
        shown(left, vocabulary.count),
        shown(right, vocabulary.count),
        result,
        rank,
        scores[result] if len(scores) else 0.0,
    )


def shown(symbol: i64, count: i64) -> i64:
    """Returns the id that a trace tells of a symbol: `NO_PIECE` beyond the ``count`` ids of a vocabulary."""
    return symbol if symbol < count else NO_PIECE
