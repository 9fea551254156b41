"""Encoding one stretch of characters by the algorithm itself: split into symbols, merge, write what is left.

Whoever calls it has cut the text where that is safe, and looked into the caches.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.bpe.character_merger import CharacterMerger
from tokenarium_core.models.bpe.character_merges import CharacterMerges
from tokenarium_core.models.bpe.character_symbols import CharacterSymbols
from tokenarium_core.models.bpe.symbol_heap import SymbolHeap
from tokenarium_core.trace import WHOLE, Trace
from tokenarium_core.vocabulary import Vocabulary

_ALL: Final = 1 << 40


@final
class StretchEncoder:
    """Encodes stretches: with ``source`` into symbols, with ``merger`` or a heap into fewer."""

    def __init__(
        self, vocabulary: Vocabulary, merges: CharacterMerges, source: CharacterSymbols
    ) -> None:
        self.vocabulary = vocabulary
        self.merges = merges
        self.source = source
        self.merger = CharacterMerger(vocabulary, merges, source.plain)
        self._nothing = vec[i32]()

    def encode(
        self, data: bytes, start: i64, stop: i64, whole: bool, out: vec[i32], count: i64
    ) -> i64:
        """Writes the ids of a stretch by the quickest way there is; returns the index behind the last.

        A ``whole`` word may be an entry as it is, and has ends of its own.
        """
        merger = self.merger
        left: i64 = 0 if whole else merger.merge_plain(data, start, stop)
        symbols = merger.symbols
        alone = self.vocabulary.count
        for index in range(left):
            symbol = symbols[index]
            if symbol >= alone:  # a character that is no piece
                left = 0
                break
            out[count + index] = i32(symbol)
        if left == 0:
            return self.encode_noting(data, start, stop, whole, out, count, self._nothing, None)
        return count + left

    def encode_noting(
        self,
        data: bytes,
        start: i64,
        stop: i64,
        whole: bool,
        out: vec[i32],
        count: i64,
        spans: vec[i32],
        trace: Trace | None,
    ) -> i64:
        """Writes the ids of a stretch, where they stand if ``spans`` has room, and the events if there is a trace."""
        source = self.source
        if whole:
            token = source.find_whole(data, start, stop)
            if token >= 0:
                if len(spans):
                    spans[2 * count] = i32(start)
                    spans[2 * count + 1] = i32(stop)
                if trace is not None:
                    trace.add(WHOLE, start, stop, -1, token, -1)
                out[count] = i32(token)
                return count + 1
        left = source.split(data, start, stop, whole, trace)
        if left == 0:
            return count
        symbols = source.symbols
        starts = source.starts
        stops = source.stops
        seen: dict[int, tuple[int, int]] = source.nothing_seen
        if trace is not None or self.merges.ambiguous:
            heap = SymbolHeap(symbols, starts, stops, left, self.merges)
            heap.step(_ALL, self.vocabulary, trace)
            left = heap.gather()
            seen = heap.seen
        else:
            left = self.merger.merge(symbols, starts, stops, left)
        return source.write(
            data, symbols, starts, stops, left, seen, False, out, count, spans, trace
        )
