"""Viterbi over a short part in integers, for the many parts in which rounding decides nothing.

A score is rounded to a multiple of 2^-16. A path that is better than all others by more than these roundings can be
is the best one for `UnigramSearch` too. Where none is, and where a character is unknown, that one has to search.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.unigram_scores import UnigramScores
from tokenarium_core.unigram_sum import LEVELS, NEAR
from tokenarium_core.unigram_trie import NODE_SHIFT, PIECE_SHIFT, ROOT, UNIT_PIECE, UNIT_SYMBOL

_LONGEST: Final = 255
_PARTS_OF_ONE: Final = 65536.0
_LARGEST: Final = 8000.0  # the magnitude up to which sums are counted
_NOTHING: Final = -(1 << 62)  # lower than any sum
# A sum has 32 bits; below are 24 of the piece that was added last, id + 1, and 8 of its length.
_SUM: Final = -(1 << 32)
_PIECE: Final = 0xFFFFFF
# A gap, for each step that rounds, with which the sum in front is of no matter: in 32 bits it begins again at 100,000.
_AMPLE: Final = 1 << 12
_MORE_THAN_ANY: Final = 1 << 40


@final
class QuickSearch:
    """The pieces of the best path, ``path``, and below which level the sum in front of it may be, ``level``.

    ``longest``: the most bytes of a part that can be searched; 0 where the scores are too large.
    """

    def __init__(self, scores: UnigramScores, unknown_id: i64) -> None:
        self.path = vec[i32]([0] * (_LONGEST + 1))
        self.level: i64 = 0
        self.longest: i64 = 0
        self._rounding = scores.rounding
        self._trie = scores.trie
        self._weights = vec[i64]([0] * (len(scores.values) + 1))  # what a piece adds, by id + 1
        self._unknown_id: i64 = unknown_id
        self._symbols = vec[i32]([0] * (_LONGEST + 8))
        # The best sum and the second best one at each place, side by side. A place is that of a character.
        self._sums = vec[i64]([0] * (2 * _LONGEST + 8))
        self._stops = vec[i32]([0] * (_LONGEST + 1))
        self._weigh(scores)

    def _weigh(self, scores: UnigramScores) -> None:
        """Rounds the scores, if they are of a magnitude that leaves room for sums of them."""
        weights = self._weights
        values = scores.values
        size = scores.unknown if scores.unknown > 0.0 else -scores.unknown
        for unit in self._trie.units:
            piece = unit >> PIECE_SHIFT & UNIT_PIECE
            if piece > 0:
                value = values[piece - 1]
                if not -_LARGEST < value < _LARGEST:
                    return
                if value > size or -value > size:
                    size = value if value > 0.0 else -value
                weights[piece] = _in_parts(value) | piece << 8
        if size >= _LARGEST:
            return
        weights[0] = _in_parts(scores.unknown)
        self.longest = _LONGEST
        while self.longest > 0 and float(self.longest) * size > _LARGEST:
            self.longest >>= 1

    def search(self, data: bytes, start: i64, stop: i64) -> i64:
        """Writes the best path through ``data[start:stop]`` (padded) and its level; returns how many pieces.

        0 where it is not sure which one is the best, where it has unknown characters, or for more than
        ``longest`` bytes.
        """
        if stop - start > self.longest:
            return 0
        symbols = self._symbols
        sums = self._sums
        units = self._trie.units
        weights = self._weights
        size = self._trie.read(data, start, stop, symbols)
        for at in range(2, 2 * size + 2):
            sums[at] = _NOTHING
        sums[0] = 0
        lowest: i64 = 0
        highest: i64 = 0
        for place in range(size):
            till = sums[2 * place] & _SUM
            lowest = till if till < lowest else lowest
            highest = till if till > highest else highest
            symbol: i64 = i64(symbols[place])
            unit = units[ROOT ^ symbol]
            if unit & UNIT_SYMBOL != symbol:
                unit = 0  # nothing goes on
            piece = unit >> PIECE_SHIFT & UNIT_PIECE
            if piece == 0 and self._unknown_id < 0:
                return 0
            end = place
            ends = True  # a piece, or an unknown character
            while True:
                end += 1
                if ends:
                    total = till + weights[piece] | end - place
                    there = sums[2 * end]
                    other = sums[2 * end + 1]
                    loser = there if total > there else total
                    sums[2 * end] = total if total > there else there
                    sums[2 * end + 1] = loser if loser > other else other
                symbol = i64(symbols[end])
                unit = units[unit >> NODE_SHIFT ^ symbol]
                if unit & UNIT_SYMBOL != symbol:
                    break
                piece = unit >> PIECE_SHIFT & UNIT_PIECE
                ends = piece > 0
        till = sums[2 * size] & _SUM
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
        place = size
        while place > 0:
            pieces += 1
            stops[_LONGEST - pieces] = i32(place)
            place -= sums[2 * place] & 255
        sure = self._rounding.highs[LEVELS]
        ample: i64 = _AMPLE if self._rounding.single else _MORE_THAN_ANY
        first = _LONGEST - pieces
        for index in range(pieces):
            place = i64(stops[first + index])
            sum = sums[2 * place]
            token = (sum >> 8 & _PIECE) - 1
            if token < 0 or token == unknown_id:
                return 0
            path[index] = i32(token)
            second = sums[2 * place + 1]
            if second == _NOTHING:
                continue
            # Each character has added one rounded score at most, on either path.
            gap = (sum >> 32) - (second >> 32) - place
            steps = index + 1 + 2 * place + 2
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
