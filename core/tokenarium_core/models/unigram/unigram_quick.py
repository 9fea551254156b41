"""Viterbi over a short part: in integers if rounding does not matter, else rounded as in the reference.

A score is rounded to a multiple of 2^-16. If a path is better than all others by more than these roundings, it is the
best one for `UnigramSearch` too. If there is no such path, the sums are those of `UnigramSearch`, from the sum before
the part, and the automaton, which is in the processor's cache, finds the pieces. Unknown characters need a search.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.unigram.unigram_automaton import (
    ENDING_SHIFT,
    LENGTH,
    UNIT_ENDING,
    UnigramAutomaton,
)
from tokenarium_core.models.unigram.unigram_scores import (
    LEVELS,
    NEAR,
    RESET,
    ZERO_LEVEL,
    UnigramScores,
)
from tokenarium_core.models.unigram.unigram_trie import PIECE_SHIFT, UNIT_PIECE, UNIT_SYMBOL
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter

_LONGEST: Final = 255
_PARTS_OF_ONE: Final = 65536.0
_LARGEST: Final = 8000.0  # the magnitude up to which sums are counted
_LOWEST: Final = -(1 << 61)  # below any sum

# A sum has 32 bits; below are 24 of the piece that was added last, id + 1, and 8 of its length.
_SUM: Final = -(1 << 32)
_PIECE: Final = 0xFFFFFF
_PIECE_BITS: Final = _PIECE << 8
# A gap, for each step that rounds, with which the sum in front is of no matter: in 32 bits it begins again at 100,000.
_AMPLE: Final = 1 << 12
_MORE_THAN_ANY: Final = 1 << 40


@final
class QuickSearch:
    """The pieces of the best path, ``path``, and the level below which the sum before it may be, ``level``.

    ``longest``: the most bytes of a part that can be searched; 0 if the scores are too large, or the pieces too many.
    ``cached``: the earlier output of `dump`.
    """

    def __init__(
        self, scores: UnigramScores, unknown_id: i64, cached: CacheReader | None = None
    ) -> None:
        self.path = vec[i32]([0] * (_LONGEST + 1))
        self.level: i64 = 0
        self.longest: i64 = 0
        self._rounding = scores.rounding
        self._trie = scores.trie
        self._unknown_id: i64 = unknown_id
        # The best sum and the second best one at each position, side by side, in characters.
        self._sums = vec[i64]([0] * (2 * _LONGEST + 8))
        self._units = vec[i64]([0] * (_LONGEST + 1))  # the unit of the automaton at each position
        self._stops = vec[i32]([0] * (_LONGEST + 1))
        if cached is not None:
            self.longest = cached.number()
            self.automaton = UnigramAutomaton(scores.trie, vec[i64](), cached)
            return
        self.automaton = UnigramAutomaton(scores.trie, self._weights(scores))
        if not self.automaton.complete:
            self.longest = 0

    def dump(self, out: CacheWriter) -> None:
        """Writes the automaton, for ``cached``."""
        out.number(self.longest)
        self.automaton.dump(out)

    def _weights(self, scores: UnigramScores) -> vec[i64]:
        """Returns what a piece adds, by id + 1: the scores rounded, if sums of them fit."""
        weights = vec[i64]([0] * (len(scores.values) + 1))
        values = scores.values
        size = scores.unknown if scores.unknown > 0.0 else -scores.unknown
        for unit in self._trie.units:
            piece = unit >> PIECE_SHIFT & UNIT_PIECE
            if piece > 0:
                value = values[piece - 1]
                if not -_LARGEST < value < _LARGEST:
                    return weights
                if value > size or -value > size:
                    size = value if value > 0.0 else -value
                weights[piece] = _in_parts(value) | piece << 8
        if size >= _LARGEST:
            return weights
        weights[0] = _in_parts(scores.unknown)
        self.longest = _LONGEST
        while self.longest > 0 and float(self.longest) * size > _LARGEST:
            self.longest >>= 1
        return weights

    def search(self, data: bytes, start: i64, stop: i64) -> i64:
        """Writes the best path through ``data[start:stop]`` (padded) and its level; returns its number of pieces.

        Returns 0 if the best one is not certain, if there are unknown characters, or for more than ``longest`` bytes.
        """
        if stop - start > self.longest:
            return 0
        size = self.automaton.read(data, start, stop, self._units)
        units = self._units
        sums = self._sums
        ones = self.automaton.ones
        endings = self.automaton.endings
        first_rows = self.automaton.first_rows
        unknown_id = self._unknown_id
        till: i64 = 0
        lowest: i64 = 0
        highest: i64 = 0
        for end in range(1, size + 1):
            unit = units[end]
            row = unit >> ENDING_SHIFT & UNIT_ENDING
            best = till + ones[unit & UNIT_SYMBOL]
            if best & _PIECE_BITS == 0 and unknown_id < 0:
                return 0
            ending = endings[row]
            total = (sums[2 * (end - (ending & LENGTH))] & _SUM) + ending
            # The larger one and the smaller one, with no branch: it could not be predicted.
            less = total - best
            less &= less >> 63
            second = best + less
            best = total - less
            rank: i64 = 1
            while row >= i64(first_rows[rank]):
                ending = endings[row + rank]
                total = (sums[2 * (end - (ending & LENGTH))] & _SUM) + ending
                less = total - best
                less &= less >> 63
                loser = best + less
                best = total - less
                second = loser if loser > second else second
                rank += 1
            sums[2 * end] = best
            sums[2 * end + 1] = second
            till = best & _SUM
            lowest = till if till < lowest else lowest
            highest = till if till > highest else highest
        return self._trace_back(size, highest if highest > -lowest else -lowest)

    def _trace_back(self, size: i64, span: i64) -> i64:
        """Follows the best path from its end; ``span`` is the largest magnitude of a sum."""
        sums = self._sums
        stops = self._stops
        path = self.path
        unknown_id = self._unknown_id
        pieces: i64 = 0
        position = size
        while position > 0:
            pieces += 1
            stops[_LONGEST - pieces] = i32(position)
            position -= sums[2 * position] & 255
        sure = self._rounding.highs[LEVELS]
        ample: i64 = _AMPLE if self._rounding.single else _MORE_THAN_ANY
        first = _LONGEST - pieces
        for index in range(pieces):
            position = i64(stops[first + index])
            sum = sums[2 * position]
            token = (sum >> 8 & _PIECE) - 1
            if token < 0 or token == unknown_id:
                return 0
            path[index] = i32(token)
            second = sums[2 * position + 1]
            if second < _LOWEST:
                continue
            # Each character added one rounded score at most, on either path.
            gap = (sum >> 32) - (second >> 32) - position
            steps = index + 1 + 2 * position + 2
            if gap < steps * ample and float(gap) < sure * float(steps):
                sure = float(gap) / float(steps)
        magnitude = float((span >> 32) + 1 + size) / _PARTS_OF_ONE
        if not sure > 0.0 or (self._rounding.single and not magnitude < NEAR):
            return 0
        self.level = self._rounding.steady(sure / _PARTS_OF_ONE, magnitude)
        return pieces


def _in_parts(score: float) -> i64:
    """Returns a score in 65,536th, in the upper half of an integer."""
    parts: i64 = int(score * _PARTS_OF_ONE + (0.5 if score > 0.0 else -0.5))
    return parts << 32


@final
class RoundedSearch:
    """The pieces of the best path, ``path``, and the sum after it, ``sum``.

    ``longest``: the most bytes of a part that can be searched.
    """

    def __init__(
        self, scores: UnigramScores, automaton: UnigramAutomaton, unknown_id: i64, longest: i64
    ) -> None:
        self.path = vec[i32]([0] * (_LONGEST + 1))
        self.sum = 0.0
        self.longest: i64 = longest
        self._scores = scores
        self._automaton = automaton
        self._unknown_id: i64 = unknown_id
        self._units = vec[i64]([0] * (_LONGEST + 1))
        self._sums = vec[float]([0.0] * (_LONGEST + 1))  # of the best path to each position
        self._chosen = vec[i64]([0] * (_LONGEST + 1))  # the ending with which it gets there

    def search(self, data: bytes, start: i64, stop: i64, before: float) -> i64:
        """Writes the best path through ``data[start:stop]`` (padded) from the sum ``before``; returns its length.

        Returns 0 if there are unknown characters, if the sums begin again, or for more than ``longest`` bytes.
        """
        if stop - start > self.longest:
            return 0
        units = self._units
        sums = self._sums
        chosen = self._chosen
        automaton = self._automaton
        endings = automaton.endings
        ones = automaton.ones
        first_rows = automaton.first_rows
        values = self._scores.values
        unknown = self._scores.unknown
        unknown_id = self._unknown_id
        rounding = self._scores.rounding
        single = rounding.single
        highs = rounding.highs
        level = rounding.level(before, ZERO_LEVEL)
        magic = rounding.magics[level]
        high = highs[level]
        low = highs[level - 1] if level > 0 else 0.0
        size = automaton.read(data, start, stop, units)
        sums[0] = before
        for end in range(1, size + 1):
            till = sums[end - 1]
            if single and not -RESET <= till <= RESET:
                return 0
            unit = units[end]
            row = unit >> ENDING_SHIFT & UNIT_ENDING
            best = -highs[len(highs) - 1]
            choice: i64 = 0
            rank: i64 = 0
            more = True
            while more:
                # The longest one first: of two that are equal, the one that begins first is chosen.
                more = row >= i64(first_rows[rank])
                ending = endings[row + rank] if more else ones[unit & UNIT_SYMBOL]
                rank += 1
                token = (ending >> 8 & 0xFFFFFF) - 1
                if token < 0 and unknown_id < 0:
                    return 0
                total = sums[end - (ending & LENGTH)] + (values[token] if token >= 0 else unknown)
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
                if total > best:
                    best = total
                    choice = ending
            sums[end] = best
            chosen[end] = choice
        self.sum = sums[size]
        return self._trace_back(size)

    def _trace_back(self, size: i64) -> i64:
        chosen = self._chosen
        path = self.path
        pieces: i64 = 0
        position = size
        while position > 0:
            pieces += 1
            position -= chosen[position] & LENGTH
        index = pieces
        position = size
        while position > 0:
            index -= 1
            token = (chosen[position] >> 8 & 0xFFFFFF) - 1
            if token < 0 or token == self._unknown_id:
                return 0
            path[index] = i32(token)
            position -= chosen[position] & LENGTH
        return pieces
