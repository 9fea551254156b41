"""Viterbi over one region of text: the segmentation with the highest sum of scores.

The sums are rounded like those of the reference. sentencepiece adds up 32-bit floats from the beginning of the text, so
far into it two paths that differ by less than 0.01 are "equal", and the order in which they are found decides. To give
the same ids, a search starts from the sum of everything before it, and rounds at each step. It also finds up to which
sum its path cannot depend on that: see `steady_level`.

Sources: Kudo 2018 (Unigram); sentencepiece 0.2.3, ``src/unigram_model.cc`` (``EncodeOptimized``: only a higher
sum replaces one that came before; beyond 100,000 the sums begin again at 0); tokenizers'
``models/unigram/model.rs`` (the same in double precision, with no such limit).
"""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.unigram.unigram_scores import LEVELS, NEAR, RESET, ZERO_LEVEL, Rounding
from tokenarium_core.models.unigram.unigram_trie import (
    NODE_SHIFT,
    PIECE_SHIFT,
    ROOT,
    UNIT_PIECE,
    UNIT_SYMBOL,
    UnigramTrie,
)
from tokenarium_core.trace import EDGE, Trace
from tokenarium_core.unicode.utf8 import character_sizes


@final
class UnigramSearch:
    """The best path through one region at a time: `begin`, `advance` until it is true, `trace_back`.

    ``path[k]`` is the id of the k-th piece and ``path_stops[k]`` the byte after it; an unknown character is
    an edge with the id ``unknown_id``. ``scores`` are what ids add to a sum.
    """

    def __init__(
        self,
        trie: UnigramTrie,
        scores: vec[float],
        unknown_id: i64,
        unknown_score: float,
        rounding: Rounding,
    ) -> None:
        self.trie = trie
        self.scores = scores
        self.unknown_id: i64 = unknown_id
        self.unknown_score = unknown_score
        self.rounding = rounding
        self.path = vec[i32]([0] * 64)
        self.path_stops = vec[i32]([0] * 64)
        self.sum = 0.0
        self.level: i64 = 0
        self.missing: i64 = (
            -1
        )  # the byte of a character without a piece, if no character is unknown
        self._best = vec[float]([0.0] * 64)
        self._second = vec[float]([0.0] * 64)
        self._tokens = vec[i32]([0] * 64)
        self._froms = vec[i32]([0] * 64)
        self._characters = vec[i32]([0] * 64)
        self._data = b""
        self._start: i64 = 0
        self._stop: i64 = 0
        self._at: i64 = 0
        self._seen: i64 = 0
        self._frontier: i64 = 0
        self._single = rounding.single

    def begin(self, data: bytes, start: i64, stop: i64, before: float, exact: bool = False) -> None:
        """Takes the region ``data[start:stop]``; ``before`` is the sum before it.

        ``exact``: without rounding to 24 bits, as `steady_level` needs it.
        """
        size = stop - start
        if size >= len(self._best):
            room = size * 2
            self._best = vec[float]([0.0] * room)
            self._second = vec[float]([0.0] * room)
            self._tokens = vec[i32]([0] * room)
            self._froms = vec[i32]([0] * room)
            self._characters = vec[i32]([0] * room)
            self.path = vec[i32]([0] * room)
            self.path_stops = vec[i32]([0] * room)
        best = self._best
        froms = self._froms
        lowest = -self.rounding.highs[LEVELS]
        for index in range(size + 1):
            best[index] = lowest
            froms[index] = -1
        best[0] = before
        self._single = self.rounding.single and not exact
        self.level = self.rounding.level(before, ZERO_LEVEL) if self._single else 0
        self._data = data
        self._start = start
        self._stop = stop
        self._at = start
        self._seen = 0
        self._frontier = 0
        self.missing = -1

    def advance(self, budget: i64, trace: Trace | None) -> bool:
        """Processes up to ``budget`` more bytes; true when the end of the region is reached.

        Each edge goes into the trace.
        """
        data = self._data
        start = self._start
        stop = self._stop
        at = self._at
        seen = self._seen
        pause = at + budget if budget < stop - at else stop
        best = self._best
        second = self._second
        tokens = self._tokens
        froms = self._froms
        characters = self._characters
        scores = self.scores
        trie = self.trie
        units = trie.units
        sizes = character_sizes
        unknown_id = self.unknown_id
        unknown_score = self.unknown_score
        rounding = self.rounding
        highs = rounding.highs
        single = self._single
        level = self.level
        magic = rounding.magics[level]
        high = highs[level]
        low = highs[level - 1] if level > 0 else 0.0
        frontier = self._frontier
        while at < pause:
            index = at - start
            till = best[index]
            if single and (till < -RESET or till > RESET):
                self._rebase(index, frontier)
                till = 0.0
            characters[index] = i32(seen)
            seen += 1
            byte: i64 = data[at]
            behind = at + i64(sizes[byte])  # the first character
            known = False
            node: i64 = ROOT
            end = at
            while end < stop:
                symbol = trie.symbol(data, end)
                unit = units[node ^ symbol]
                if unit & UNIT_SYMBOL != symbol:
                    break
                byte = data[end]
                end += i64(sizes[byte])
                token = (unit >> PIECE_SHIFT & UNIT_PIECE) - 1
                if token >= 0:
                    if end == behind:
                        known = True
                    index = end - start
                    total = till + scores[token]
                    if total > best[index] or froms[index] < 0:
                        if single:
                            length = -total if total < 0.0 else total
                            if length >= high or (length < low and length > 0.0):
                                level = rounding.level(total, level)
                                magic = rounding.magics[level]
                                high = highs[level]
                                low = highs[level - 1] if level > 0 else 0.0
                                total = rounding.round(total, level)
                            else:
                                total = (total + magic) - magic
                        if total > best[index] or froms[index] < 0:
                            second[index] = best[index]
                            best[index] = total
                            tokens[index] = i32(token)
                            froms[index] = i32(at - start)
                            if index > frontier:
                                frontier = index
                        else:
                            second[index] = total
                    elif total > second[index]:
                        second[index] = total
                    if trace is not None:
                        trace.add(EDGE, at, end, -1, token, -1, scores[token])
                node = unit >> NODE_SHIFT
                if node == 0:
                    break
            if not known:
                index = behind - start
                if index > frontier:
                    frontier = index
                total = till + unknown_score
                if single:
                    level = rounding.level(total, level)
                    total = rounding.round(total, level)
                    magic = rounding.magics[level]
                    high = highs[level]
                    low = highs[level - 1] if level > 0 else 0.0
                if total > best[index] or froms[index] < 0:
                    second[index] = best[index]
                    best[index] = total
                    tokens[index] = i32(unknown_id)
                    froms[index] = i32(at - start)
                    if unknown_id < 0 and self.missing < 0:
                        self.missing = at
                elif total > second[index]:
                    second[index] = total
                if trace is not None and unknown_id >= 0:
                    trace.add(EDGE, at, behind, -1, unknown_id, -1, unknown_score)
            at = behind
        self._at = at
        self._seen = seen
        self._frontier = frontier
        self.level = level
        return at >= stop

    def _rebase(self, first: i64, last: i64) -> None:
        """Subtracts the sum at place ``first`` from all sums up to the place ``last``."""
        best = self._best
        froms = self._froms
        rounding = self.rounding
        offset = best[first]
        for index in range(first, last + 1):
            if index == first or froms[index] >= 0:
                total = best[index] - offset
                best[index] = rounding.round(total, rounding.level(total, 0))

    def trace_back(self) -> i64:
        """Writes the best path into ``path`` and ``path_stops``, its sum into ``sum``; returns its number of pieces."""
        froms = self._froms
        tokens = self._tokens
        path = self.path
        path_stops = self.path_stops
        start = self._start
        count: i64 = 0
        index = self._stop - start
        self.sum = self._best[index]
        self.level = self.rounding.level(self.sum, self.level if self._single else ZERO_LEVEL)
        while index > 0:
            path[count] = tokens[index]
            path_stops[count] = i32(start + index)
            count += 1
            index = i64(froms[index])
        left: i64 = 0
        right = count - 1
        while left < right:
            token = path[left]
            path[left] = path[right]
            path[right] = token
            end = path_stops[left]
            path_stops[left] = path_stops[right]
            path_stops[right] = end
            left += 1
            right -= 1
        return count

    def total_at(self, position: i64) -> float:
        """Returns the sum of the best path to a byte of the region where a piece may begin."""
        return self._best[position - self._start]

    def steady_level(self) -> i64:
        """Returns the level below which the sum before this region surely does not change the path.

        For an exact search from the sum 0 that was traced back. Level 1 stands for that sum itself; 0 if the path is
        never certain, or if the sums are so large that they may begin again.

        Proof. For a sum B before the region, let u be half the distance of neighbouring floats at the largest sum in
        the region. Each step rounds once, by at most u, so the sum at a position k characters into the region differs
        from B plus the exact sum by at most k * u. If an edge reaches a place with a lead of more than (steps + 2 *
        characters + 2) * u over the second best, it is the best one there from B too. If that holds at all places of
        the best path, the path stays.
        """
        best = self._best
        second = self._second
        froms = self._froms
        characters = self._characters
        size = self._stop - self._start
        characters[size] = i32(self._seen)
        span = 0.0
        for index in range(1, size + 1):
            if froms[index] >= 0:
                total = best[index]
                if total > span:
                    span = total
                elif -total > span:
                    span = -total
        rounding = self.rounding
        if rounding.single and not span < NEAR:
            return 0
        highs = rounding.highs
        infinity = highs[LEVELS]
        steps: i64 = 0
        at = size
        while at > 0:
            steps += 1
            at = i64(froms[at])
        sure = infinity
        at = size
        while at > 0:
            gap = best[at] - second[at]
            steps_to_round = float(steps + 2 * i64(characters[at]) + 2)
            if gap < sure * steps_to_round:
                sure = gap / steps_to_round
            steps -= 1
            at = i64(froms[at])
        level = rounding.steady(sure, span)
        # In doubles, only an exact search counts.
        return level if level > 0 or rounding.single else 1
