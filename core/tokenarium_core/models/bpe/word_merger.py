"""Merging the bytes of one word by rank: the BPE algorithm itself."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import FormatError
from tokenarium_core.models.bpe.byte_pairs import AFTER, BEFORE, NEVER, BytePairs
from tokenarium_core.models.bpe.merge_heap import LongWord
from tokenarium_core.models.bpe.merge_table import (
    BUCKET_SHIFT,
    MULTIPLIER,
    NO_MERGE,
    NO_SHIFT,
    NO_SYMBOL,
    OTHER_MULTIPLIER,
    MergeTable,
)
from tokenarium_core.models.word_cache import SeenWords
from tokenarium_core.tokenizer_cache import CacheReader
from tokenarium_core.trace import MERGE, Trace
from tokenarium_core.vocabulary import Vocabulary

LINEAR: Final = 48
"""Up to this many bytes, a scan finds the lowest rank faster than a heap."""

_NO_KEY: Final = 536870912  # NO_MERGE << 8, which would not be a constant to the compiler

_AT_ONCE: Final = -1  # as a mask of merges
_IN_TURN: Final = 0

# Where the columns of a lane begin, for the symbol at position 0.
_LANE: Final = 256
_SYMBOLS: Final = 1
_KEYS: Final = 65
_FOLLOWING: Final = 129
_PREVIOUS: Final = 193


@final
class WordMerger:
    """Merges one word after the other, or two side by side; the ids of the last one are ``symbols[:count]``.

    The rule: of all neighbours that have a merge, the pair with the lowest rank merges first, the
    leftmost one among equals, until none is left. With the ranks ``lo`` 0, ``ow`` 1, ``lo w`` 2 the word
    ``l o w`` becomes ``lo w`` and then ``low``; ``ow`` is never made.

    A word is in a *lane* of four columns. The merges that need not wait for their turn (see `BytePairs`) are already
    made. From then on each symbol stays at its position. ``rank << 8 | position`` is the key of the merge with the symbol
    that follows, so the smallest key is the next merge. Before the first symbol and after the last there is one that
    merges with nothing.

    Merging mostly means waiting for the table, which is too large for a near cache, to know which merge comes next. Two
    words in two lanes wait at the same time.
    """

    def __init__(
        self, byte_ids: vec[i64], merges: MergeTable, cached: CacheReader | None = None
    ) -> None:
        self.byte_ids = byte_ids
        self.merges = merges
        self.symbols = vec[i64]([0] * (LINEAR + 1))
        self._lanes = vec[i64]([0] * (2 * _LANE))
        self.byte_pairs = BytePairs(byte_ids, merges, cached)

    def merge(self, data: bytes, start: i64, stop: i64, trace: Trace | None) -> i64:
        """Merges ``data[start:stop]``, which must not be empty, and returns the count of ids."""
        size = stop - start
        if size > LINEAR:
            return self._merge_long(data, start, stop, trace)
        lanes = self._lanes
        merges = self.merges
        size = self._load(0, data, start, size, _AT_ONCE if trace is None else _IN_TURN)
        best = self._link(0, size)
        while best < _NO_KEY:
            position = best & 0xFF
            left = lanes[_SYMBOLS + position]
            right = lanes[_SYMBOLS + lanes[_FOLLOWING + position]]
            following = merge_step(
                lanes,
                0,
                best,
                size,
                merges.entries,
                merges.mask,
                merges.shift,
                merges.known_results,
            )
            if trace is not None:
                trace.add(
                    MERGE, start + position, left, right, lanes[_SYMBOLS + position], best >> 8
                )
            best = following
        return self._gather(0, size)

    def merge_late(self, data: bytes, seen: SeenWords) -> None:
        """Merges all waiting words, of up to `LINEAR` bytes each, and settles them."""
        lanes = self._lanes
        merges = self.merges
        entries = merges.entries
        results = merges.known_results
        mask = merges.mask
        shift = merges.shift
        sizes = seen.sizes
        count = seen.late
        following: i64 = 0  # the next word to load
        # The current lane and the other one: where it begins, its word, that one's size, and its best key.
        lane: i64 = 0
        word: i64 = -1
        size: i64 = 0
        best: i64 = _NO_KEY
        other_lane: i64 = _LANE
        other_word: i64 = -1
        other_size: i64 = 0
        other_best: i64 = _NO_KEY
        while True:
            if best < _NO_KEY:
                best = merge_step(lanes, lane, best, size, entries, mask, shift, results)
            else:
                if word >= 0:
                    seen.settle(word, self.symbols, self._gather(lane, size))
                    word = -1
                if following < count:
                    word = following
                    size = self._load(lane, data, seen.starts[word], sizes[word], _AT_ONCE)
                    best = self._link(lane, size)
                    following += 1
                elif other_word < 0:
                    return
            lane, other_lane = other_lane, lane
            word, other_word = other_word, word
            size, other_size = other_size, size
            best, other_best = other_best, best

    def _load(self, lane: i64, data: bytes, start: i64, size: i64, may: i64) -> i64:
        """Puts the bytes of a word into a lane; makes merges that need not wait ``_AT_ONCE``, or all ``_IN_TURN``.

        Returns the number of symbols left. Whether a merge waits is known one byte later, so each symbol is written
        then, and is overwritten if it went into the merge before it.
        """
        lanes = self._lanes
        byte_ids = self.byte_ids
        entries = self.byte_pairs.entries
        results = self.merges.known_results
        shift = self.merges.shift
        never: i64 = NEVER
        begin = lane + _SYMBOLS
        at = begin
        byte: i64 = data[start]
        symbol: i64 = byte_ids[byte]
        # The symbol to be written, and the rank of its merge with the next one.
        before: i64 = 0
        rank: i64 = never
        bound: i64 = never  # `BEFORE` of the symbol before the pair
        next_bound: i64 = never
        gone: i64 = 1  # 1 if the symbol to be written went into the merge before it
        for position in range(start + 1, start + size):
            after: i64 = data[position]
            entry = entries[byte << 8 | after]
            safe = ((rank - bound) & (rank - (entry >> AFTER & never))) >> 63 & may
            merged: i64 = rank + shift if shift != NO_SHIFT else i64(results[rank & safe])
            lanes[at] = before ^ ((before ^ merged) & safe)
            at += 1 - gone
            gone = safe & 1
            bound = next_bound
            next_bound = entry >> BEFORE
            rank = entry & never
            before = symbol
            symbol = byte_ids[after]
            byte = after
        safe = (rank - bound) >> 63 & may
        merged = rank + shift if shift != NO_SHIFT else i64(results[rank & safe])
        lanes[at] = before ^ ((before ^ merged) & safe)
        at += 1 - gone
        lanes[at] = symbol
        return at + 1 + safe - begin

    def _link(self, lane: i64, size: i64) -> i64:
        """Links the symbols of a lane and finds their merges; returns the best key."""
        lanes = self._lanes
        merges = self.merges
        entries = merges.entries
        mask = merges.mask
        no_merge: i64 = NO_MERGE
        at = lane + _SYMBOLS
        best: i64 = _NO_KEY
        left = lanes[at]
        lanes[lane] = NO_SYMBOL
        for position in range(size - 1):
            right = lanes[at + 1]
            pair = left << 21 | right
            tag = pair << 21
            bucket = (pair * MULTIPLIER >> BUCKET_SHIFT & mask) << 1 | 1
            difference = entries[bucket] ^ tag
            rank = difference if difference < no_merge else no_merge
            difference = entries[bucket + 1] ^ tag
            rank = difference if difference < rank else rank
            bucket = (pair * OTHER_MULTIPLIER >> BUCKET_SHIFT & mask) << 1 | 1
            difference = entries[bucket] ^ tag
            rank = difference if difference < rank else rank
            difference = entries[bucket + 1] ^ tag
            rank = difference if difference < rank else rank
            key = rank << 8 | position
            best = key if key < best else best
            lanes[at + (_KEYS - _SYMBOLS)] = key
            lanes[at + (_FOLLOWING - _SYMBOLS)] = position + 1
            lanes[at + (_PREVIOUS - _SYMBOLS)] = position - 1
            at += 1
            left = right
        lanes[at + (_FOLLOWING - _SYMBOLS)] = size
        lanes[at + (_PREVIOUS - _SYMBOLS)] = size - 2
        lanes[at + 1] = NO_SYMBOL
        at += _KEYS - _SYMBOLS
        for behind in range(4):  # keys are read four by four
            lanes[at + behind] = _NO_KEY
        return best

    def _gather(self, lane: i64, size: i64) -> i64:
        """Writes the remaining symbols of a lane to ``symbols``; returns how many there are."""
        lanes = self._lanes
        symbols = self.symbols
        count: i64 = 0
        position: i64 = 0
        while position < size:
            symbols[count] = lanes[lane + _SYMBOLS + position]
            count += 1
            position = lanes[lane + _FOLLOWING + position]
        return count

    def _merge_long(self, data: bytes, start: i64, stop: i64, trace: Trace | None) -> i64:
        word = LongWord(data, start, stop, self.byte_ids, self.merges)
        while not word.step(1 << 30, trace):
            pass
        if len(self.symbols) < word.size:
            self.symbols = vec[i64]([0] * word.size)
        ids = vec[i32]([0] * word.size)
        count = word.write(ids, 0)
        for index in range(count):
            self.symbols[index] = i64(ids[index])
        return count


def merge_step(
    lanes: vec[i64],
    lane: i64,
    best: i64,
    size: i64,
    entries: vec[i64],
    mask: i64,
    shift: i64,
    results: vec[i32],
) -> i64:
    """Makes the merge with the key ``best`` in a lane, for a word of ``size`` bytes; returns the next best key.

    There is no branch here except for loops: its direction would be known only after the table was read. The lookups
    are those of `MergeTable.find`.
    """
    no_merge: i64 = NO_MERGE  # which would be a Python object if it were alone
    position = best & 0xFF
    at = lane + position
    rank = best >> 8
    merged: i64 = rank + shift if shift != NO_SHIFT else i64(results[rank])
    right = lanes[at + _FOLLOWING]
    behind = lanes[lane + _FOLLOWING + right]
    before = lanes[at + _PREVIOUS]
    lanes[at + _SYMBOLS] = merged
    lanes[at + _FOLLOWING] = behind
    lanes[lane + _PREVIOUS + behind] = position
    lanes[lane + _KEYS + right] = _NO_KEY

    # After the last symbol and before the first there is nothing to merge with, whatever the id. So the lookup uses 0
    # there: a place that is always near, not one far away in the table.
    left = merged & ((behind - size) >> 63)
    pair = left << 21 | lanes[lane + _SYMBOLS + behind]
    tag = pair << 21
    bucket = (pair * MULTIPLIER >> BUCKET_SHIFT & mask) << 1 | 1
    difference = entries[bucket] ^ tag
    rank = difference if difference < no_merge else no_merge
    difference = entries[bucket + 1] ^ tag
    rank = difference if difference < rank else rank
    bucket = (pair * OTHER_MULTIPLIER >> BUCKET_SHIFT & mask) << 1 | 1
    difference = entries[bucket] ^ tag
    rank = difference if difference < rank else rank
    difference = entries[bucket + 1] ^ tag
    rank = difference if difference < rank else rank
    lanes[at + _KEYS] = rank << 8 | position

    merged = merged & ~(before >> 63)
    pair = lanes[lane + _SYMBOLS + before] << 21 | merged
    tag = pair << 21
    bucket = (pair * MULTIPLIER >> BUCKET_SHIFT & mask) << 1 | 1
    difference = entries[bucket] ^ tag
    rank = difference if difference < no_merge else no_merge
    difference = entries[bucket + 1] ^ tag
    rank = difference if difference < rank else rank
    bucket = (pair * OTHER_MULTIPLIER >> BUCKET_SHIFT & mask) << 1 | 1
    difference = entries[bucket] ^ tag
    rank = difference if difference < rank else rank
    difference = entries[bucket + 1] ^ tag
    rank = difference if difference < rank else rank
    lanes[lane + _KEYS + before] = rank << 8 | (before & 0xFF)

    at = lane + _KEYS
    end = at + size - 1
    best = _NO_KEY
    while at < end:
        key = lanes[at]
        best = key if key < best else best
        key = lanes[at + 1]
        best = key if key < best else best
        key = lanes[at + 2]
        best = key if key < best else best
        key = lanes[at + 3]
        best = key if key < best else best
        at += 4
    return best


def byte_ids(vocabulary: Vocabulary) -> vec[i64]:
    """Returns the id of each of the 256 bytes; FormatError if one has none."""
    ids = vec[i64]([0] * 256)
    for byte in range(256):
        token = vocabulary.find(bytes([byte]))
        if token < 0:
            raise FormatError(
                f"The byte 0x{byte:02X} has no entry: a byte-level vocabulary has one for each of the 256."
            )
        ids[byte] = token
    return ids
