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
from mypy_extensions import i32, i64, u8

from tokenarium_core.long_word import LongWord
from tokenarium_core.merge_table import NO_MERGE, MergeTable
from tokenarium_core.model import Model, PendingWord
from tokenarium_core.safe_cut import SafeCut
from tokenarium_core.trace import WHOLE, Trace
from tokenarium_core.vocabulary import Vocabulary
from tokenarium_core.word_cache import (
    HASH_SHIFT,
    MULTIPLIER_0,
    MULTIPLIER_1,
    WordCache,
    key_masks,
)
from tokenarium_core.word_merger import WordMerger

TINY: Final = 7
SHORT: Final = 15
MEDIUM: Final = 31
"""The most bytes of a word in each of the three caches, whose keys are one, two and four integers."""

LONG: Final = 4096
"""A stretch of more bytes than this, with no safe cut in it, is left to the caller, who may take a rest."""


@final
class BytePairEncoder(Model):
    """The model of a byte-level BPE tokenizer.

    ``whole_pieces``: a pre-token that is itself a piece is taken whole, even where merging would
    not reach it (tiktoken's rule; it matters only for vocabularies with pieces out of merging's reach).

    `encode_words` stops early behind a stretch longer than `LONG`, which then waits in `take_pending`
    for its merges to be made.
    """

    def __init__(self, vocabulary: Vocabulary, merger: WordMerger, whole_pieces: bool) -> None:
        super().__init__(vocabulary, adds_up=True)
        self.merger = merger
        self.whole_pieces = whole_pieces
        self._long_word: LongWord | None = None
        self._tiny = WordCache(1)
        self._short = WordCache(2)
        self._medium = WordCache(4)
        self._masks = key_masks()
        self._parts = vec[i32]([0] * 1024)
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
        rules: vec[u8],
        first: i64,
        stop: i64,
        out: vec[i32],
        count: i64,
    ) -> i64:
        """Writes the ids of words, see `Model.encode_words`; no rule of a byte-level text removes one."""
        return self._encode_run(data, start, ends, first, stop, out, count, not self.whole_pieces)

    def _encode_run(
        self,
        data: bytes,
        start: i64,
        ends: vec[i32],
        first: i64,
        stop: i64,
        out: vec[i32],
        count: i64,
        cut: bool,
    ) -> i64:
        """Does what `encode_words` says; where ``cut``, words of more than 15 bytes are cut first."""
        masks = self._masks
        tiny = self._tiny
        slots = tiny.slots
        mask: i64 = tiny.mask
        pool = tiny.pool
        position = start
        word = first
        while word < stop:
            end: i64 = i64(ends[word])
            size = end - position
            if size <= TINY:
                key = (read_i64_le(data, position) & masks[24 + size]) | size << 56
                at = (key * MULTIPLIER_0 >> HASH_SHIFT & mask) << 1
                while slots[at] != key:
                    if slots[at] == 0:
                        at = -1
                        break
                    at = (at + 2) & (mask << 1 | 1)
                if at >= 0:
                    value = slots[at + 1]
                    if value & 0xFF == 1:
                        out[count] = i32(value >> 8)
                        count += 1
                    else:
                        place = value >> 8
                        for index in range(place, place + (value & 0xFF)):
                            out[count] = pool[index]
                            count += 1
                else:
                    count = self._encode_new(tiny, data, position, end, key, 0, 0, 0, out, count)
                    slots = tiny.slots
                    mask = tiny.mask
                    pool = tiny.pool
            elif size <= SHORT:
                count = self._encode_short(data, position, end, out, count)
            else:
                if cut:
                    parts = self._cut(data, position, end)
                    count = self._encode_run(
                        data, position, self._parts, 0, parts, out, count, False
                    )
                else:
                    count = self._encode_stretch(data, position, end, out, count)
                if self._long_word is not None:
                    self.word = word  # and `position` stands behind the long part
                    return count
                slots = tiny.slots
                mask = tiny.mask
                pool = tiny.pool
            position = end
            word += 1
        self.word = word
        self.position = position
        return count

    def take_pending(self) -> PendingWord | None:
        """Returns the stretch longer than `LONG` at which `encode_words` stopped, once."""
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

    def merge_rank(self, left: i64, right: i64) -> i64:
        """Returns the rank of the merge of two neighbouring ids; -1 where there is none."""
        rank = self.merges.find(left, right)
        return -1 if rank == NO_MERGE else rank

    def merged(self, left: i64, right: i64) -> i64:
        """Returns the id that two neighbouring ids merge into; -1 where they have no merge."""
        rank = self.merges.find(left, right)
        return -1 if rank == NO_MERGE else i64(self.merges.results[rank])

    def byte_symbols(self) -> list[int]:
        """Returns the ids of the 256 bytes, with which every word begins."""
        ids = self.merger.byte_ids
        return [ids[byte] for byte in range(256)]

    def _encode_new(
        self,
        cache: WordCache,
        data: bytes,
        start: i64,
        stop: i64,
        key_0: i64,
        key_1: i64,
        key_2: i64,
        key_3: i64,
        out: vec[i32],
        count: i64,
    ) -> i64:
        """Encodes a word (or a part of one) that is not in the cache, and keeps it there."""
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
        cache.put(key_0, key_1, key_2, key_3, symbols, ids)
        return count + ids

    def _encode_short(self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64) -> i64:
        """Encodes a word of 8 to 15 bytes."""
        cache = self._short
        slots = cache.slots
        mask = cache.mask
        size = stop - start
        key_0 = read_i64_le(data, start)
        key_1 = (read_i64_le(data, start + 8) & self._masks[16 + size]) | size << 56
        slot = (key_0 * MULTIPLIER_0 ^ key_1 * MULTIPLIER_1) >> HASH_SHIFT & mask
        while True:
            at = slot * 3
            found = slots[at + 1]
            if found == key_1 and slots[at] == key_0:
                return write_value(slots[at + 2], cache.pool, out, count)
            if found == 0:
                return self._encode_new(cache, data, start, stop, key_0, key_1, 0, 0, out, count)
            slot = (slot + 1) & mask

    def _cut(self, data: bytes, start: i64, stop: i64) -> i64:
        """Cuts a long word where that is safe: the ends go into ``_parts``. Returns how many."""
        safe_cut = self._safe_cut
        if safe_cut is None:
            safe_cut = SafeCut(self.vocabulary)
            self._safe_cut = safe_cut
        if len(self._parts) < stop - start:
            self._parts = vec[i32]([0] * (stop - start))
        return safe_cut.cut(data, start, stop, self._parts)

    def _encode_stretch(self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64) -> i64:
        """Encodes more than 15 bytes: from the cache, by merging, or as a `LongWord` for later."""
        size = stop - start
        if size <= MEDIUM:
            masks = self._masks
            cache = self._medium
            key_0 = read_i64_le(data, start)
            key_1 = read_i64_le(data, start + 8)
            key_2 = read_i64_le(data, start + 16) & masks[8 + size]
            key_3 = (read_i64_le(data, start + 24) & masks[size]) | size << 56
            value = cache.find(key_0, key_1, key_2, key_3)
            if value < 0:
                return self._encode_new(
                    cache, data, start, stop, key_0, key_1, key_2, key_3, out, count
                )
            return write_value(value, cache.pool, out, count)
        merger = self.merger
        if self.whole_pieces:
            token = self.vocabulary.find_in(data, start, stop)
            if token >= 0:
                out[count] = i32(token)
                return count + 1
        if size > LONG:
            self._long_word = LongWord(data, start, stop, merger.byte_ids, merger.merges)
            self.position = stop
            return count
        ids = merger.merge(data, start, stop, None)
        symbols = merger.symbols
        for index in range(ids):
            out[count + index] = i32(symbols[index])
        return count + ids


def write_value(value: i64, pool: vec[i32], out: vec[i32], count: i64) -> i64:
    """Writes the ids that a value of `WordCache` stands for; returns the index behind the last."""
    if value & 0xFF == 1:
        out[count] = i32(value >> 8)
        return count + 1
    place = value >> 8
    for index in range(place, place + (value & 0xFF)):
        out[count] = pool[index]
        count += 1
    return count
