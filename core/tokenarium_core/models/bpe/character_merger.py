"""Encoding a region of characters by BPE itself: split into symbols, merge, write the remaining symbols.

The caller has already cut the text where that is safe, and looked into the caches.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.bpe.character_symbols import CharacterSymbols
from tokenarium_core.models.bpe.merge_heap import SymbolHeap
from tokenarium_core.models.bpe.merge_table import NO_MERGE, NO_SHIFT, CharacterMerges
from tokenarium_core.models.model import PendingWord
from tokenarium_core.trace import WHOLE, Trace
from tokenarium_core.vocabulary import Vocabulary

LINEAR: Final = 48
"""Up to this many symbols, a scan finds the first merge faster than a heap."""

_NO_KEY: Final = 536870912  # NO_MERGE << 8, which would not be a constant to the compiler
_ALL: Final = 1 << 40


@final
class CharacterMerger:
    """Merges the symbols of one region after the other, in place.

    Each symbol stays at the place where it began; ``priority << 8 | position`` is the key of the merge with the
    symbol that follows, so that the smallest key is the next merge (see `WordMerger`, which does the same
    with bytes).

    ``plain`` are the symbols of ASCII if each ASCII character always starts as the same one, for `merge_plain`; else it
    is empty. The merges of two of them have a table of their own: they are needed most often, and the table of all
    merges is far larger than the processor's cache.
    """

    def __init__(self, vocabulary: Vocabulary, merges: CharacterMerges, plain: vec[i64]) -> None:
        self.vocabulary = vocabulary
        self.merges = merges
        self.plain = plain
        self.symbols = vec[i64]([0] * (LINEAR + 1))  # the symbols that `merge_plain` left
        self._pairs = vec[i32]([NO_MERGE] * (128 * 128 if len(plain) else 0))
        for pair in range(len(self._pairs)):
            self._pairs[pair] = i32(merges.priority(plain[pair >> 7], plain[pair & 127]))
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
        keys = self._keys
        best: i64 = _NO_KEY
        symbol = symbols[0]
        for position in range(count - 1):
            after = symbols[position + 1]
            key: i64 = merges.priority(symbol, after) << 8 | position
            keys[position] = key
            if key < best:
                best = key
            symbol = after
        if best >= _NO_KEY:
            return count
        self._merge_by_keys(symbols, count - 1, best)
        following = self._following
        left: i64 = 0
        at: i64 = 0
        while at < count:
            behind = following[at]
            symbols[left] = symbols[at]
            starts[left] = starts[at]
            stops[left] = stops[behind - 1]
            left += 1
            at = behind
        return left

    def merge_plain(self, data: bytes, start: i64, stop: i64) -> i64:
        """Merges the characters of a region; how many ``symbols`` are left, or 0 if it is long or not ASCII."""
        plain = self.plain
        if stop - start > LINEAR or len(plain) == 0:
            return 0
        symbols = self.symbols
        pairs = self._pairs
        keys = self._keys
        last: i64 = stop - start - 1
        best: i64 = _NO_KEY
        byte: i64 = data[start]
        if byte >= 0x80:
            return 0
        symbols[0] = plain[byte]
        for position in range(last):
            after: i64 = data[start + position + 1]
            if after >= 0x80:
                return 0
            key: i64 = i64(pairs[byte << 7 | after]) << 8 | position
            keys[position] = key
            if key < best:
                best = key
            symbols[position + 1] = plain[after]
            byte = after
        if best >= _NO_KEY:
            return last + 1
        self._merge_by_keys(symbols, last, best)
        following = self._following
        left: i64 = 0
        at: i64 = 0
        while at <= last:
            symbols[left] = symbols[at]
            left += 1
            at = following[at]
        return left

    def _merge_by_keys(self, symbols: vec[i64], last: i64, best: i64) -> None:
        """Merges ``symbols[:last + 1]`` by their keys, of which ``best`` is the smallest.

        A symbol that is left stays at its place; the next one is that in ``_following``.
        """
        keys = self._keys
        following = self._following
        previous = self._previous
        for position in range(last + 1):
            following[position] = position + 1
            previous[position] = position - 1
        merges = self.merges
        table = merges.table
        priorities = merges.priorities
        first_tied = merges.first_tied
        results = table.known_results
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
            for position in range(last):
                key = keys[position]
                best = key if key < best else best


@final
class CharacterWord(PendingWord):
    """The symbols of ``data[start:stop]``, and the ids that they become.

    ``after_unknown``: the id before them in this word is the unknown one, into which the first may fall.
    """

    def __init__(
        self,
        data: bytes,
        start: i64,
        stop: i64,
        heap: SymbolHeap,
        source: CharacterSymbols,
        after_unknown: bool,
    ) -> None:
        super().__init__(start, stop)
        self._data = data
        self._heap = heap
        self._source = source
        self._after_unknown = after_unknown

    def step(self, budget: i64, trace: Trace | None) -> bool:
        """Makes up to ``budget`` merges; true when all are made."""
        return self._heap.step(budget, self._source.vocabulary, trace)

    def write(self, out: vec[i32], count: i64) -> i64:
        """Writes the ids into ``out`` from index ``count`` on; returns the index after the last."""
        heap = self._heap
        left = heap.gather()
        return self._source.write(
            self._data,
            heap.symbols,
            heap.starts,
            heap.stops,
            left,
            heap.seen,
            self._after_unknown,
            out,
            count,
            vec[i32](),
            None,
        )


@final
class RegionEncoder:
    """Encodes regions: with ``source`` into symbols, with ``merger`` or a heap into fewer."""

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
        """Writes the ids of a region in the fastest way; returns the index after the last.

        A ``whole`` word may itself be an entry, and has its own ends.
        """
        merger = self.merger
        left: i64 = 0 if whole else merger.merge_plain(data, start, stop)
        symbols = merger.symbols
        alone = self.vocabulary.count
        for index in range(left):
            symbol = symbols[index]
            if symbol >= alone:  # a character that is not a piece
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
        """Writes the ids of a region, their places if ``spans`` has room, and the events if there is a trace."""
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
