"""Viterbi over a short part from a sum in front, rounded as the reference rounds: where rounding decides.

It finds what `UnigramSearch` finds, by the units of the automaton that the quick search has in the processor's cache.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.unigram.unigram_automaton import (
    LENGTH,
    PLACE_SHIFT,
    UNIT_PLACE,
    UnigramAutomaton,
)
from tokenarium_core.models.unigram.unigram_scores import UnigramScores
from tokenarium_core.models.unigram.unigram_sum import RESET, ZERO_LEVEL
from tokenarium_core.models.unigram.unigram_trie import UNIT_SYMBOL

_LONGEST: Final = 255


@final
class RoundedSearch:
    """The pieces of the best path, ``path``, and the sum behind it, ``sum``.

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
        self._sums = vec[float]([0.0] * (_LONGEST + 1))  # of the best path to each place
        self._chosen = vec[i64]([0] * (_LONGEST + 1))  # the ending with which it comes there

    def search(self, data: bytes, start: i64, stop: i64, before: float) -> i64:
        """Writes the best path through ``data[start:stop]`` (padded) from the sum ``before``; returns how many pieces.

        0 where it has unknown characters, where the sums begin again, or for more than ``longest`` bytes.
        """
        if stop - start > self.longest:
            return 0
        units = self._units
        sums = self._sums
        chosen = self._chosen
        automaton = self._automaton
        endings = automaton.endings
        ones = automaton.ones
        places = automaton.places
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
            place = unit >> PLACE_SHIFT & UNIT_PLACE
            best = -highs[len(highs) - 1]
            choice: i64 = 0
            rank: i64 = 0
            more = True
            while more:
                # The longest one first: of two that are equal, the one that begins first is chosen.
                more = place >= i64(places[rank])
                ending = endings[place + rank] if more else ones[unit & UNIT_SYMBOL]
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
        place = size
        while place > 0:
            pieces += 1
            place -= chosen[place] & LENGTH
        index = pieces
        place = size
        while place > 0:
            index -= 1
            token = (chosen[place] >> 8 & 0xFFFFFF) - 1
            if token < 0 or token == self._unknown_id:
                return 0
            path[index] = i32(token)
            place -= chosen[place] & LENGTH
        return pieces
