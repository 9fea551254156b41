"""Encodes the parts of a word in sequence, mostly from caches, and maintains the sum up to each of them.

The sums are those of the reference, to the last rounded bit. Each part is cached with the level of the sum up to which
its path cannot depend on the text before it. Beyond that level it is searched again, from that sum. So where rounding
decides in the reference, far into a long text, it decides in the same way here.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import TokenariumError
from tokenarium_core.models.unigram.unigram_cache import (
    IDS_SHIFT,
    INLINE,
    NUMBER_SHIFT,
    STEADINESS_SHIFT,
    UnigramCache,
)
from tokenarium_core.models.unigram.unigram_quick import QuickSearch, RoundedSearch
from tokenarium_core.models.unigram.unigram_scores import (
    LEVELS,
    STEADY_AT_ZERO,
    RunningSum,
    UnigramScores,
    steadiness,
)
from tokenarium_core.models.unigram.unigram_search import UnigramSearch
from tokenarium_core.models.unigram.unigram_writer import UnigramWriter
from tokenarium_core.models.word_cache import MEDIUM
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.trace import Trace
from tokenarium_core.unicode.utf8 import character_sizes

LONG: Final = 8192
"""A part of more bytes than this is left to the caller, which may pause."""

_GROUP: Final = 128  # parts that are looked up together
_ENDLESS: Final = 1 << 60


@final
class UnigramParts:
    """Writes the ids of parts with `encode`; its state between them is in ``sum`` and ``writer.run``.

    ``run_total`` is the sum where the writer's run of unknown characters begins.
    """

    def __init__(
        self,
        scores: UnigramScores,
        unknown_id: i64,
        writer: UnigramWriter,
        tokens: i64,
        cached: CacheReader | None = None,
    ) -> None:
        self.writer = writer
        self.sum = RunningSum(scores.rounding, scores.values, scores.unknown)
        self.run_total = 0.0
        self.position: i64 = 0
        self.long_end: i64 = 0
        self._scores = scores
        self._unknown_id: i64 = unknown_id
        self._search = self.new_search()
        self._quick = QuickSearch(scores, unknown_id, cached)
        self._rounded = RoundedSearch(
            scores, self._quick.automaton, unknown_id, self._quick.longest
        )
        self._cache = UnigramCache(tokens)
        self._found = vec[i64]([0] * _GROUP)

    def dump(self, out: CacheWriter) -> None:
        """Writes what is searched, for ``cached``."""
        self._quick.dump(out)

    def new_search(self) -> UnigramSearch:
        """Returns a separate search over these pieces."""
        scores = self._scores
        return UnigramSearch(
            scores.trie, scores.values, self._unknown_id, scores.unknown, scores.rounding
        )

    def start_anew(self, count: i64) -> None:
        """Begins a word, whose first id is the one with the index ``count``."""
        self.sum.clear(count)
        self.writer.run = -1

    def start(self, total: float, count: i64) -> None:
        """Begins at a sum before the id ``count``, with no unknown character before it."""
        self.sum.take(total, count)
        self.writer.run = -1

    def write_path(
        self,
        search: UnigramSearch,
        data: bytes,
        start: i64,
        out: vec[i32],
        count: i64,
        trace: Trace | None,
    ) -> i64:
        """Writes the best path of a finished search, and continues from its sum."""
        if search.missing >= 0:
            at = search.missing
            byte: i64 = data[at]
            character = data[at : at + i64(character_sizes[byte])].decode("utf-8", "replace")
            raise TokenariumError(
                f"The character {character!r} (byte {at:,}) is in no entry of this vocabulary, which names no unknown"
                " token: give it an unk_id, or leave the character out."
            )
        pieces = search.trace_back()
        count = self.writer.write_pieces(
            search.path, search.path_stops, pieces, data, start, out, count, trace
        )
        if self.writer.run >= start:
            self.run_total = search.total_at(self.writer.run)
        self.sum.take(search.sum, count)
        return count

    def finish(self, data: bytes, stop: i64, out: vec[i32], count: i64, trace: Trace | None) -> i64:
        """Writes what is waiting at the end of a word."""
        if self.writer.run >= 0:
            count = self.writer.write_run(data, stop, out, count, trace)
        return count

    def encode(
        self,
        data: bytes,
        start: i64,
        ends: vec[i32],
        first: i64,
        stop: i64,
        out: vec[i32],
        count: i64,
        alone: bool,
    ) -> i64:
        """Encodes parts of one word, or (``alone``) short words, whose sums begin at 0.

        ``count`` ids are written already; returns how many there are afterwards. It stops before a part that is `LONG`:
        ``position`` is where it stopped, ``long_end`` where that part ends.
        """
        cache = self._cache
        bits = cache.bits
        mask = cache.mask
        found = self._found
        sums = self.sum
        writer = self.writer
        roomy: i64 = len(out) - 3
        group = first  # the parts before this one were looked up
        base = first  # and those from this one on are in ``found``
        reach: i64 = STEADY_AT_ZERO
        until: i64 = _ENDLESS
        if not alone:
            reach = sums.reach
            until = sums.until
        run = writer.run
        position = start
        part = first
        while part < stop:
            if part == group:
                base = part
                group = part + _GROUP if stop - part > _GROUP else stop
                cache.find_each(data, position, ends, part, group, found)
            if count > until:
                sums.catch_up(out, count)
                reach = sums.reach
                until = sums.until
            end: i64 = i64(ends[part])
            value = found[part - base]
            if value < 0:
                if end - position <= MEDIUM:
                    moved = cache.moved
                    value = self._learn(data, position, end, value)
                    if cache.moved != moved:
                        group = part + 1  # look the others up again
                elif end - position > LONG:
                    self.long_end = end
                    break
            number = value >> NUMBER_SHIFT & 3
            if value & 0xFF == INLINE and number > 0 and run < 0:
                if reach <= value >> STEADINESS_SHIFT & 31:
                    value >>= IDS_SHIFT
                    if count <= roomy:
                        out[count] = i32(value & mask)
                        out[count + 1] = i32(value >> bits & mask)
                        out[count + 2] = i32(value >> bits + bits & mask)
                        count += number
                    else:
                        for _ in range(number):
                            out[count] = i32(value & mask)
                            value >>= bits
                            count += 1
                    position = end
                    part += 1
                    continue
            count = self._encode_slowly(data, position, end, value, out, count, alone)
            run = writer.run
            if not alone:
                reach = sums.reach
                until = sums.until
            position = end
            part += 1
        self.position = position
        return count

    def _encode_slowly(
        self,
        data: bytes,
        start: i64,
        stop: i64,
        value: i64,
        out: vec[i32],
        count: i64,
        alone: bool,
    ) -> i64:
        """Writes the ids of a part with many ids, with unknown characters, or with a sum before it that matters."""
        sums = self.sum
        if alone:
            sums.clear(count)
        if value >= 0:
            if value & 0xFF == INLINE:
                pieces = value >> NUMBER_SHIFT & 3
                if self._is_sure(value >> STEADINESS_SHIFT & 31, stop - start, out, count):
                    if pieces == 0:
                        return self._write_unknown(data, start, stop, out, count, alone)
                    count = self._write_run(data, start, out, count)
                    value >>= IDS_SHIFT
                    for _ in range(pieces):
                        out[count] = i32(value & self._cache.mask)
                        value >>= self._cache.bits
                        count += 1
                    return count
            else:
                place = value >> 8
                pool = self._cache.pool
                if self._is_sure(i64(pool[place]), stop - start, out, count):
                    count = self._write_run(data, start, out, count)
                    for index in range(place + 1, place + (value & 0xFF)):
                        out[count] = pool[index]
                        count += 1
                    return count
        elif stop - start > MEDIUM:
            pieces = self._quick.search(data, start, stop)
            if pieces > 0 and self._is_sure(
                steadiness(self._quick.level), stop - start, out, count
            ):
                path = self._quick.path
                count = self._write_run(data, start, out, count)
                for index in range(pieces):
                    out[count] = path[index]
                    count += 1
                return count
        sums.catch_up(out, count)
        sums.begin_again()
        rounded = self._rounded
        pieces = rounded.search(data, start, stop, sums.total)
        if pieces > 0:
            path = rounded.path
            count = self._write_run(data, start, out, count)
            for index in range(pieces):
                out[count] = path[index]
                count += 1
            sums.take(rounded.sum, count)
            return count
        search = self._search
        search.begin(data, start, stop, sums.total)
        search.advance(stop - start, None)
        count = self.write_path(search, data, start, out, count, None)
        if alone:
            count = self.finish(data, stop, out, count, None)
        return count

    def _is_sure(self, steady: i64, size: i64, out: vec[i32], count: i64) -> bool:
        """Returns whether the sum before it does not matter to a path of this steadiness through ``size`` bytes."""
        sums = self.sum
        if sums.reach <= steady:
            return True
        sums.catch_up(out, count)
        sums.begin_again()
        return sums.exact_reach(size) <= steady

    def _write_run(self, data: bytes, stop: i64, out: vec[i32], count: i64) -> i64:
        """Writes the unknown characters before a known piece; their scores are in the sum already."""
        if self.writer.run >= 0:
            count = self.writer.write_run(data, stop, out, count, None)
            self.sum.counted = count
        return count

    def _write_unknown(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, alone: bool
    ) -> i64:
        """Writes an unknown character, or keeps it until those that follow are known."""
        writer = self.writer
        self.sum.catch_up(out, count)
        if writer.in_bytes:
            count = writer.write_bytes(data, start, stop, out, count, None)
        elif writer.run < 0:
            writer.run = start
            self.run_total = self.sum.total
        if alone:
            return self.finish(data, stop, out, count, None)
        self.sum.add_unknown(count)
        return count

    def _learn(self, data: bytes, start: i64, stop: i64, found: i64) -> i64:
        """Searches a part and caches it if all of it is known. Returns its value, else -1.

        ``found`` is what the cache wrote for it.
        """
        cache = self._cache
        if not cache.is_free(found, stop - start):
            value = cache.find(data, start, stop)
            if value >= 0:
                return value
        quick = self._quick
        pieces = quick.search(data, start, stop)
        if pieces > 0:
            return cache.keep(data, start, stop, quick.path, pieces, steadiness(quick.level))
        search = self._search
        search.begin(data, start, stop, 0.0, True)
        search.advance(stop - start, None)
        if search.missing >= 0:
            return -1
        pieces = search.trace_back()
        path = search.path
        for index in range(pieces):
            if i64(path[index]) == self._unknown_id:
                if pieces > 1 or self._scores.find(data, start, stop) >= 0:
                    return -1
                return cache.keep(data, start, stop, path, 0, steadiness(LEVELS))
        return cache.keep(data, start, stop, path, pieces, steadiness(search.steady_level()))
