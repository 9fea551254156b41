"""Byte-level BPE: each pre-token's bytes, merged by rank until no neighbours have a merge.

A pre-token is looked up in a cache first, since most of a text is words that were seen before. Long
ones are cut where that is safe, so that their parts can be looked up too. Neither changes an id.

Sources: Sennrich et al. 2016 (BPE); GPT-2's ``encoder.py`` (on bytes); tiktoken's ``src/lib.rs`` (ranks
alone, and a pre-token that is itself a piece is taken whole).
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.long_word import LongWord
from tokenarium_core.merge_table import MergeTable
from tokenarium_core.safe_cut import SafeCut
from tokenarium_core.trace import WHOLE, Trace
from tokenarium_core.vocabulary import Vocabulary
from tokenarium_core.word_cache import (
    FIRST_MULTIPLIER,
    SECOND_MULTIPLIER,
    SHORT,
    WordCache,
)
from tokenarium_core.word_merger import WordMerger

LONG: Final = 4096
"""A stretch of more bytes than this, with no safe cut in it, is left to the caller, who may take a rest."""


@final
class BytePairEncoder:
    """The model of a byte-level BPE tokenizer.

    ``whole_pieces``: a pre-token that is itself a piece is taken whole, even where merging would
    not reach it (tiktoken's rule; it matters only for vocabularies with pieces out of merging's reach).

    After `encode_words`, ``word`` and ``position`` tell where it stopped: behind the last word, or
    behind a stretch longer than `LONG`, which then waits in `take_long_word` for its merges to be made.
    """

    def __init__(self, vocabulary: Vocabulary, merger: WordMerger, whole_pieces: bool) -> None:
        self.vocabulary = vocabulary
        self.merger = merger
        self.whole_pieces = whole_pieces
        self.word: i64 = 0
        self.position: i64 = 0
        self._long_word: LongWord | None = None
        self._cache = WordCache()
        self._safe_cut: SafeCut | None = None

    @property
    def merges(self) -> MergeTable:
        """The merges by pair and by rank."""
        return self.merger.merges

    def encode_words(
        self,
        data: bytes,
        start: i64,
        ends: vec[i32],
        first: i64,
        stop: i64,
        out: vec[i32],
        count: i64,
    ) -> i64:
        """Writes the ids of the words ``first`` to ``stop - 1`` into ``out`` from index ``count`` on.

        ``start`` is the byte where word ``first`` (or the rest of it) begins, ``ends`` as `PreTokenizer.cut`
        wrote it. ``out`` must have room for one id a byte. Returns the index behind the last id.
        """
        cache = self._cache
        slots = cache.slots
        wrap: i64 = cache.mask * 4 + 3
        mask: i64 = cache.mask
        pool = cache.pool
        low_masks = cache.low_masks
        high_masks = cache.high_masks
        position = start
        word = first
        while word < stop:
            end: i64 = i64(ends[word])
            size = end - position
            if size <= SHORT:
                low = read_i64_le(data, position) & low_masks[size]
                high = (read_i64_le(data, position + 8) & high_masks[size]) | size << 56
                at = ((low * FIRST_MULTIPLIER ^ high * SECOND_MULTIPLIER) >> 40 & mask) << 2
                while slots[at] != low or slots[at + 1] != high:
                    if slots[at + 1] == 0:
                        at = -1
                        break
                    at = (at + 4) & wrap
                if at >= 0:
                    value: i64 = slots[at + 2]
                    ids: i64 = slots[at + 3]
                    if ids == 1:
                        out[count] = i32(value)
                        count += 1
                    else:
                        for index in range(value, value + ids):
                            out[count] = pool[index]
                            count += 1
                    position = end
                    word += 1
                    continue
                count = self._encode_new(data, position, end, low, high, out, count)
            else:
                count = self._encode_parts(data, position, end, out, count)
                if self._long_word is not None:
                    self.word = word  # and `position` stands behind the long part
                    return count
            slots = cache.slots
            mask = cache.mask
            wrap = mask * 4 + 3
            pool = cache.pool
            position = end
            word += 1
        self.word = word
        self.position = position
        return count

    def take_long_word(self) -> LongWord | None:
        """Returns the stretch at which `encode_words` stopped, once; None where it did not stop."""
        long_word = self._long_word
        self._long_word = None
        return long_word

    def encode_traced(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace
    ) -> i64:
        """Writes the ids of one word and adds its events to the trace; returns the index behind the last."""
        if self.whole_pieces:
            token = self.vocabulary.find_in(data, start, stop)
            if token >= 0:
                trace.add(WHOLE, start, stop, -1, token, -1)
                out[count] = i32(token)
                return count + 1
        ids = self.merger.merge(data, start, stop, trace)
        symbols = self.merger.symbols
        for index in range(ids):
            out[count + index] = i32(symbols[index])
        return count + ids

    def _encode_new(
        self, data: bytes, start: i64, stop: i64, low: i64, high: i64, out: vec[i32], count: i64
    ) -> i64:
        """Encodes a short word (or a part of one) that is not in the cache, and keeps it there."""
        ids: i64 = 0
        merger = self.merger
        if self.whole_pieces:
            token = self.vocabulary.find_in(data, start, stop)
            if token >= 0:
                merger.symbols[0] = token
                ids = 1
        if ids == 0:
            ids = merger.merge(data, start, stop, None)
        symbols = merger.symbols
        for index in range(ids):
            out[count + index] = i32(symbols[index])
        self._cache.put(low, high, symbols, ids)
        return count + ids

    def _encode_parts(self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64) -> i64:
        """Encodes a word too long for the cache, part by part."""
        if self.whole_pieces:
            # A part could be a piece that only a whole word may become: no parts then.
            token = self.vocabulary.find_in(data, start, stop)
            if token >= 0:
                out[count] = i32(token)
                self.position = stop
                return count + 1
            return self._encode_part(data, start, stop, out, count)
        safe_cut = self._safe_cut
        if safe_cut is None:
            safe_cut = SafeCut(self.vocabulary)
            self._safe_cut = safe_cut
        while start < stop:
            end = safe_cut.next(data, start, stop)
            count = self._encode_part(data, start, end, out, count)
            if self._long_word is not None:
                return count
            start = end
        return count

    def _encode_part(self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64) -> i64:
        size = stop - start
        if size <= SHORT:
            cache = self._cache
            slots = cache.slots
            low = read_i64_le(data, start) & cache.low_masks[size]
            high = (read_i64_le(data, start + 8) & cache.high_masks[size]) | size << 56
            at = cache.find(low, high)
            if at < 0:
                return self._encode_new(data, start, stop, low, high, out, count)
            value: i64 = slots[at + 2]
            ids: i64 = slots[at + 3]
            if ids == 1:
                out[count] = i32(value)
                return count + 1
            pool = cache.pool
            for index in range(ids):
                out[count + index] = pool[value + index]
            return count + ids
        merger = self.merger
        if size > LONG:
            self._long_word = LongWord(data, start, stop, merger.byte_ids, merger.merges)
            self.position = stop
            return count
        ids = merger.merge(data, start, stop, None)
        symbols = merger.symbols
        for index in range(ids):
            out[count + index] = i32(symbols[index])
        return count + ids
