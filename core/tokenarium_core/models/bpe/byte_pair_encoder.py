"""Byte-level BPE: each pre-token's bytes, merged by rank until no neighbours have a merge.

A pre-token is first looked up in a cache, since most words of a text were seen before. Long ones are split where that
is safe, so that their parts can be looked up too. Neither changes any id.

If a vocabulary has only ranks, as in tiktoken's files, a piece's id is its rank, and any two neighbours whose joined
bytes are a piece may merge. In a trained vocabulary exactly one merge makes each piece: the one that remains when its
own bytes are merged using the pieces of lower rank. So one pass in the order of the ranks finds all merges.

Sources: Sennrich et al. 2016 (BPE); GPT-2's ``encoder.py`` (on bytes); tiktoken's ``src/lib.rs`` (ranks
only, and a pre-token that is itself a piece is not merged).
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import FormatError
from tokenarium_core.models.boundary_filter import SPARE, BoundaryFilter, boundaries_of
from tokenarium_core.models.bpe.merge_heap import LongWord
from tokenarium_core.models.bpe.merge_table import NO_MERGE, MergeTable, load_merges
from tokenarium_core.models.bpe.word_merger import WordMerger, byte_ids
from tokenarium_core.models.model import UNLIMITED, Model, PendingWord, WordBatch, check_whole
from tokenarium_core.models.word_cache import (
    HASH_SHIFT,
    ID_BITS,
    ID_MASK,
    MEDIUM,
    MULTIPLIER_0,
    MULTIPLIER_1,
    NUMBER_SHIFT,
    SHORT,
    SeenWords,
    WordCache,
    claim_medium,
    find_medium,
    key_masks,
)
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.trace import WHOLE, Trace
from tokenarium_core.vocabulary import NORMAL, Vocabulary, dump_vocabulary, load_vocabulary

LONG: Final = 4096
"""A region of more bytes than this without a safe boundary is left to the caller, which may pause."""

_BITE: Final = 1 << 17
"""The bytes of a long word after which `BytePairEncoder.encode_words` stops at a safe boundary: a
pre-token may be the whole text."""

_THREE_BYTES: Final = 0xE0  # the first byte of a character of three or four bytes is this or above
_BATCH: Final = 2048
"""The number of words, or parts of long ones, whose values are collected before their ids are written."""

_UNCUT: Final = 1 << 14
"""The bytes of new long words that are merged whole before words are split: merging these takes about as long as
building the table for splitting, which prose never needs. In alphabetic scripts, where nearly any two letters are
adjacent in some piece, splitting saves little: there, words of up to 31 bytes count a quarter."""

_BYTES_PER_NEW_WORD: Final = 40
"""About the number of bytes per distinct word in prose of one to four megabytes."""

_MOST_WORK: Final = 1 << 32
"""The most bytes that are read to find the merges from ranks: a vocabulary of 200,000 entries needs 100 million."""


@final
class BytePairEncoder(Model):
    """The model of a byte-level BPE tokenizer.

    ``whole_pieces``: a pre-token that is itself a piece becomes that piece, even if merging would
    not reach it (tiktoken's rule; it matters only for vocabularies with pieces that merging cannot reach).

    `encode_words` stops early after a region longer than `LONG`, which `take_pending` then returns, so that its merges
    can be made; and in a word of more than `_BITE` bytes.
    """

    def __init__(self, vocabulary: Vocabulary, merger: WordMerger, whole_pieces: bool) -> None:
        super().__init__(vocabulary, adds_up=True, room=2 * _BITE)
        self.reads_rules = False
        self.merger = merger
        self.whole_pieces = whole_pieces
        self._long_word: LongWord | None = None
        self._most_whole: i64 = UNLIMITED
        self._position: i64 = 0  # how far `encode_words` came
        self._masks = key_masks()
        self._values = vec[i64]([0] * _BATCH)
        self._count: i64 = 0
        self._parts = vec[i32]([0] * 1024)
        self._boundaries: BoundaryFilter | None = None
        self._uncut: i64 = 0  # bytes of long words that were merged whole
        self._seen = SeenWords(_BATCH)

    @property
    def merges(self) -> MergeTable:
        """The merges by pair and by rank."""
        return self.merger.merges

    def fresh(self) -> BytePairEncoder:
        """Returns the same model with empty caches."""
        return self.on(self.vocabulary)

    def on(self, vocabulary: Vocabulary) -> BytePairEncoder:
        """Returns the same model with empty caches on a vocabulary that differs only in pieces that never merge."""
        model = BytePairEncoder(vocabulary, self.merger, self.whole_pieces)
        model._boundaries = self._boundaries
        return model

    @property
    def kept_words(self) -> int:
        """How many words, and parts of long ones, are in the caches."""
        return self._seen.short.words + self._seen.medium.words

    def expect(self, size: i64) -> None:
        """Makes room for the words of a text of this size."""
        self._seen.short.expect(size // _BYTES_PER_NEW_WORD)

    def encode_words(self, words: WordBatch, out: vec[i32], count: i64) -> i64:
        """Writes the ids of words, see `Model.encode_words`; no rule of a byte-level text removes one.

        First all words are looked up, then the new ones are merged, and then the ids are written.
        """
        data = words.data
        ends = words.ends
        stop = words.stop
        word = words.first
        self._begin()
        self._position = words.start
        self._most_whole = words.most_whole
        while word < stop:
            word = self._find_words(data, ends, word, stop)
            if word == stop:
                break
            if self._count == _BATCH:
                count = self._write(data, out, count)
                self._begin()
                continue
            count = self._encode_cut(data, i64(ends[word]), out, count)
            if self._long_word is not None:
                break  # the position is after the long part
            if self._position < i64(ends[word]):
                break  # after a bite of the word
            word += 1
        words.first = word
        words.start = self._position
        return self._write(data, out, count)

    def _begin(self) -> None:
        """Starts collecting values: there is room for a new word after each of them."""
        if self._seen.late > 0:
            self._seen = SeenWords(_BATCH)  # a text was not finished: its marks are still there
        self._count = 0
        self._make_room(self._seen.short, _BATCH)

    def _make_room(self, cache: WordCache, words: i64) -> None:
        if not cache.make_room(words):
            self._seen = SeenWords(_BATCH)

    def _find_words(self, data: bytes, ends: vec[i32], first: i64, stop: i64) -> i64:
        """Collects the values of words; returns the first that is too long, or for whose value there is no room."""
        masks = self._masks
        short = self._seen.short
        rows = short.rows
        mask: i64 = short.mask
        places = short.places
        values = self._values
        count = self._count
        position = self._position
        word = first
        last = first + _BATCH - count
        last = stop if stop < last else last
        while word < last:
            end: i64 = i64(ends[word])
            size = end - position
            if size > SHORT:
                break
            key_0 = read_i64_le(data, position) & masks[24 + size]
            key_1 = (read_i64_le(data, position + 8) & masks[16 + size]) | size << 56
            slot = (key_0 * MULTIPLIER_0 ^ key_1 * MULTIPLIER_1) >> HASH_SHIFT & mask
            at: i64 = i64(places[slot])
            while rows[at + 1] != key_1 or rows[at] != key_0:
                if at == 0:
                    short.words += 1
                    at = short.words * 3
                    places[slot] = i32(at)
                    rows[at] = key_0
                    rows[at + 1] = key_1
                    rows[at + 2] = self._new_value(data, position, size, at + 2)
                    break
                slot = (slot + 1) & mask
                at = i64(places[slot])
            values[count] = rows[at + 2]
            count += 1
            position = end
            word += 1
        self._count = count
        self._position = position
        return word

    def _new_value(self, data: bytes, start: i64, size: i64, row: i64) -> i64:
        """Returns the value of a word that is not in a cache, or its marker; ``row`` as in `SeenWords`."""
        if self.whole_pieces:
            token = self.vocabulary.find_in(data, start, start + size)
            if token >= 0:
                return self._seen.ids.value_of_one(token)
        return self._seen.add(start, size, row)

    def _write(self, data: bytes, out: vec[i32], count: i64) -> i64:
        """Writes the ids of all words whose values were collected; returns the index after the last."""
        seen = self._seen
        if seen.late > 0:
            self.merger.merge_late(data, seen)
        ids = seen.ids
        values = self._values
        # Three ids are always written at once, so no branch is needed: for the words before the
        # last two there is room for them.
        value_count = self._count
        for index in range(value_count):
            value = values[index]
            number = value >> NUMBER_SHIFT
            if number > 0 and index < value_count - 2:
                out[count] = i32(value & ID_MASK)
                out[count + 1] = i32(value >> ID_BITS & ID_MASK)
                out[count + 2] = i32(value >> (2 * ID_BITS) & ID_MASK)
                count += number
            else:
                count = ids.write(value if value >= 0 else seen.settled(value), out, count)
        seen.late = 0
        self._count = 0
        return count

    def take_pending(self) -> PendingWord | None:
        """Returns the region longer than `LONG` at which `encode_words` stopped, once."""
        long_word = self._long_word
        self._long_word = None
        return long_word

    def encode_traced(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace
    ) -> i64:
        """Writes the ids of one word and adds its events; see `Model.encode_traced`.

        `WordMerger.merge` and `LongWord` are what encoding uses too; but new words of up to `MEDIUM` bytes it merges
        two at a time (`WordMerger.merge_late`), which mixes the merges of both.
        """
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
        """Returns the rank of the merge of two neighbouring ids; -1 if there is none."""
        rank = self.merges.find(i64(left), i64(right))
        return -1 if rank == NO_MERGE else rank

    def merged(self, left: i64, right: i64) -> i64:
        """Returns the id that two neighbouring ids merge into; -1 if they have no merge."""
        rank = self.merges.find(i64(left), i64(right))
        return -1 if rank == NO_MERGE else i64(self.merges.results[rank])

    def byte_symbols(self) -> list[int]:
        """Returns the ids of the 256 bytes, from which every word starts."""
        ids = self.merger.byte_ids
        return [ids[byte] for byte in range(256)]

    def _encode_cut(self, data: bytes, stop: i64, out: vec[i32], count: i64) -> i64:
        """Encodes a long word from ``_position`` to ``stop``, or a chunk of it, or up to a part of more than
        `LONG` bytes.

        It is split into parts where that is safe; these are looked up like words. The first ones are not, see `_UNCUT`.
        """
        parts: i64 = 1
        if self.whole_pieces:
            self._parts[0] = i32(stop)
        elif self._find_kept(data, self._position, stop):
            return count
        elif self._boundaries is None and self._stays_whole(data, self._position, stop):
            self._parts[0] = i32(stop)
        else:
            parts = self._cut(data, self._position, stop)
        part: i64 = 0
        while part < parts:
            part = self._find_words(data, self._parts, part, parts)
            if part == parts:
                break
            start = self._position
            end: i64 = i64(self._parts[part])
            if end - start > MEDIUM or self._count == _BATCH or not self._seen.medium.has_room(1):
                count = self._write(data, out, count)
                self._begin()
                self._make_room(self._seen.medium, 1)
            if end - start > SHORT:
                if end - start > MEDIUM:
                    count = self._encode_region(data, start, end, out, count)
                else:
                    self._find_medium(data, start, end)
                self._position = end
                part += 1
                if self._long_word is not None:
                    break
        return count

    def _stays_whole(self, data: bytes, start: i64, stop: i64) -> bool:
        """Returns whether a long word is merged whole, since there are still too few to build the table for splitting."""
        size = stop - start
        if size <= MEDIUM and data[start] < _THREE_BYTES and data[start + 1] < _THREE_BYTES:
            size >>= 2
        self._uncut += size
        return self._uncut < _UNCUT

    def _find_kept(self, data: bytes, start: i64, stop: i64) -> bool:
        """Collects the value of a word of 16 to 31 bytes if it is cached; otherwise false.

        If characters have three bytes, nearly all long words are split and not cached whole, so no lookup is made.
        """
        if stop - start > MEDIUM or data[start] >= _THREE_BYTES or data[start + 1] >= _THREE_BYTES:
            return False
        value = find_medium(self._seen.medium, self._masks, data, start, stop)
        if value == -1:
            return False
        self._values[self._count] = value
        self._count += 1
        self._position = stop
        return True

    def _find_medium(self, data: bytes, start: i64, stop: i64) -> None:
        """Gathers the value of 16 to 31 bytes."""
        medium = self._seen.medium
        value = find_medium(medium, self._masks, data, start, stop)
        if value == -1:
            row = claim_medium(medium, self._masks, data, start, stop)
            value = self._new_value(data, start, stop - start, ~row)
            medium.rows[row] = value
        self._values[self._count] = value
        self._count += 1

    def _cut(self, data: bytes, start: i64, stop: i64) -> i64:
        """Splits a long word, or a chunk of it, where that is safe: the ends go into ``_parts``.

        Returns their number.
        """
        boundaries = self._filter()
        bite: i64 = _BITE
        while True:
            last = min(start + bite, stop)
            room = min(last - start, _BITE) + SPARE
            if len(self._parts) < room:
                self._parts = vec[i32]([0] * room)
            parts = boundaries.cut(data, start, last, self._parts)
            if last == stop or i64(self._parts[parts - 1]) < last:
                return parts
            if parts > 1:
                return parts - 1  # the end of the bite is not a safe place
            bite *= 2

    def _filter(self) -> BoundaryFilter:
        """Returns where words may be split; it is made at the first use."""
        boundaries = self._boundaries
        if boundaries is None:
            boundaries = boundaries_of(self.vocabulary, self.merges)
            self._boundaries = boundaries
        return boundaries

    def dump(self, out: CacheWriter) -> None:
        """Writes the model with all of its tables, for `load_encoder`."""
        dump_vocabulary(self.vocabulary, out, searched=self.whole_pieces)
        self.merges.dump(out)
        out.i64s(self.merger.byte_ids)
        out.i64s(self.merger.byte_pairs.entries)
        out.number(1 if self.whole_pieces else 0)
        if not self.whole_pieces:
            self._filter().dump(out)

    def _encode_region(self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64) -> i64:
        """Encodes more than 31 bytes: by merging, or as a `LongWord` for later."""
        merger = self.merger
        if self.whole_pieces:
            token = self.vocabulary.find_in(data, start, stop)
            if token >= 0:
                out[count] = i32(token)
                return count + 1
        if stop - start > LONG:
            check_whole(stop - start, self._most_whole)
            self._long_word = LongWord(data, start, stop, merger.byte_ids, merger.merges)
            return count
        ids = merger.merge(data, start, stop, None)
        symbols = merger.symbols
        for index in range(ids):
            out[count + index] = i32(symbols[index])
        return count + ids


def load_encoder(cached: CacheReader) -> BytePairEncoder:
    """Returns the model that `BytePairEncoder.dump` wrote."""
    vocabulary = load_vocabulary(cached)
    merges = load_merges(cached)
    merger = WordMerger(cached.i64s(), merges, cached)
    model = BytePairEncoder(vocabulary, merger, cached.number() == 1)
    if not model.whole_pieces:
        model._boundaries = BoundaryFilter(cached=cached)
    return model


def encoder_of_ranks(vocabulary: Vocabulary) -> BytePairEncoder:
    """Returns the encoder of a vocabulary whose ids are ranks.

    Raises FormatError if one of the 256 bytes has no piece.
    """
    ids = byte_ids(vocabulary)
    table = MergeTable(vocabulary.count)
    merger = WordMerger(ids, table)
    arena = vocabulary.arena
    offsets = vocabulary.offsets
    kinds = vocabulary.kinds
    reached = True
    for token in range(vocabulary.count):
        start: i64 = i64(offsets[token])
        stop: i64 = i64(offsets[token + 1])
        if stop - start < 2 or i64(kinds[token]) != NORMAL:
            continue
        if merger.merge(arena, start, stop, None) != 2:
            reached = False
            break
        left, right = merger.symbols[0], merger.symbols[1]
        table.set(token, left, right, token)
        merger.byte_pairs.learn(left, right, token, token)
    if reached:
        merger.byte_pairs.learned()
        return BytePairEncoder(vocabulary, merger, whole_pieces=False)
    return _encoder_of_all_splits(vocabulary)


def _encoder_of_all_splits(vocabulary: Vocabulary) -> BytePairEncoder:
    """Returns an encoder in which any two pieces that join into a third one merge, as in tiktoken.

    Needed only for vocabularies that do not come from training: if lower ranks do not lead to a piece, the merges
    depend on the surrounding text.
    """
    table = MergeTable(vocabulary.count)
    arena = vocabulary.arena
    offsets = vocabulary.offsets
    kinds = vocabulary.kinds
    longest: i64 = 0
    for token in range(vocabulary.count):
        longest = max(longest, i64(offsets[token + 1]) - i64(offsets[token]))
    sizes = vec[u8]([0] * (longest + 1))  # 1 for those in some piece
    for token in range(vocabulary.count):
        sizes[i64(offsets[token + 1]) - i64(offsets[token])] = 1
    work: i64 = 0  # bytes read so far
    for token in range(vocabulary.count):
        start: i64 = i64(offsets[token])
        stop: i64 = i64(offsets[token + 1])
        if i64(kinds[token]) != NORMAL:
            continue
        for middle in range(start + 1, stop):
            if i64(sizes[middle - start]) == 0 or i64(sizes[stop - middle]) == 0:
                continue
            work += stop - start
            if work > _MOST_WORK:
                raise FormatError(
                    f"The entry {token} has {stop - start:,} bytes, and many others are as long: no training makes"
                    " such a vocabulary, and finding its merges would take minutes."
                )
            left = vocabulary.find_in(arena, start, middle)
            if left >= 0:
                right = vocabulary.find_in(arena, middle, stop)
                if right >= 0:
                    table.set(token, left, right, token)
    return BytePairEncoder(vocabulary, WordMerger(byte_ids(vocabulary), table), whole_pieces=True)


def encoder_of_merges(vocabulary: Vocabulary, merges: MergeTable) -> BytePairEncoder:
    """Returns the encoder of a vocabulary whose merges are known.

    Raises FormatError if one of the 256 bytes has no piece.
    """
    return BytePairEncoder(vocabulary, WordMerger(byte_ids(vocabulary), merges), whole_pieces=False)
