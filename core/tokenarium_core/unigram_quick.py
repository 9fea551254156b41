"""Viterbi over a short part in integers, for the many parts in which rounding decides nothing.

A score is rounded to a multiple of 2^-16, and stands in the trie itself: a step reads one integer and nothing
else. A path that is better than all others by more than these roundings can be is the best one for `UnigramSearch`
too. Where none is, and where a character is unknown, that one has to search.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.unigram_scores import UnigramScores
from tokenarium_core.unigram_sum import LEVELS, NEAR
from tokenarium_core.unigram_trie import ROOT, UNIT_TOKEN

_LONGEST: Final = 255
_PARTS_OF_ONE: Final = 65536.0
_LARGEST: Final = 8000.0  # the magnitude up to which sums are counted
_NO_PIECE: Final = -(1 << 61)  # the score of a unit where no piece ends: lower than any sum
_NOTHING: Final = -(1 << 62)
# A sum has 32 bits; below are 24 of the unit that was added last, and 8 of the length of that piece.
_SUM: Final = -(1 << 32)
_NODE: Final = 0xFFFFFF
# A gap, for each step that rounds, with which the sum in front is of no matter: in 32 bits it begins again at 100,000.
_AMPLE: Final = 1 << 12
_MORE_THAN_ANY: Final = 1 << 40


@final
class QuickSearch:
    """The pieces of the best path, ``path``, and below which level the sum in front of it may be, ``level``.

    The units are those of `UnigramTrie`, with a score, a node and a label: ``score << 32 | node << 8 | label``.
    ``longest``: the most bytes of a part that can be searched; 0 where the scores are too large.
    """

    def __init__(self, scores: UnigramScores, unknown_id: i64) -> None:
        self.path = vec[i32]([0] * (_LONGEST + 1))
        self.level: i64 = 0
        self.longest: i64 = 0
        self._rounding = scores.rounding
        self._tokens = vec[i32]([-1] * len(scores.trie.units))  # the ids of the units
        self._sizes = scores.trie.sizes
        self._scored = vec[i64]([0] * len(scores.trie.units))
        self._unknown_id: i64 = unknown_id
        self._unknown: i64 = 0  # the score of an unknown character
        self._best = vec[i64]([0] * (_LONGEST + 8))
        self._second = vec[i64]([0] * (_LONGEST + 8))
        self._characters = vec[i32]([0] * (_LONGEST + 8))
        self._stops = vec[i32]([0] * (_LONGEST + 1))
        self._score(scores)

    def _score(self, scores: UnigramScores) -> None:
        """Writes the units and their ids, if the scores are of a magnitude that leaves room for sums of them."""
        units = scores.trie.units
        tokens = self._tokens
        scored = self._scored
        values = scores.values
        size = scores.unknown if scores.unknown > 0.0 else -scores.unknown
        for index in range(len(units)):
            unit = units[index]
            token = (unit >> 8 & UNIT_TOKEN) - 1
            score: i64 = _NO_PIECE
            if token >= 0:
                value = values[token]
                if not -_LARGEST < value < _LARGEST:
                    return
                if value > size or -value > size:
                    size = value if value > 0.0 else -value
                score = _in_parts(value)
                tokens[index] = i32(token)
            scored[index] = score | unit >> 32 << 8 | unit & 255
        if size >= _LARGEST or len(units) > _NODE:
            return
        self._unknown = _in_parts(scores.unknown)
        self.longest = _LONGEST
        while self.longest > 0 and float(self.longest) * size > _LARGEST:
            self.longest >>= 1

    def search(self, data: bytes, start: i64, stop: i64) -> i64:
        """Writes the best path through ``data[start:stop]`` (padded) and its level; returns how many pieces.

        0 where it is not sure which one is the best, where it has unknown characters, or for more than
        ``longest`` bytes.
        """
        size = stop - start
        if size > self.longest:
            return 0
        best = self._best
        second = self._second
        characters = self._characters
        scored = self._scored
        sizes = self._sizes
        unknown = self._unknown
        for place in range(size + 1):
            best[place] = _NOTHING
            second[place] = _NOTHING
        best[0] = 0
        lowest: i64 = 0
        highest: i64 = 0
        place = 0
        seen: i64 = 0
        while place < size:
            till = best[place] & _SUM
            lowest = till if till < lowest else lowest
            highest = till if till > highest else highest
            characters[place] = i32(seen)
            seen += 1
            byte: i64 = data[start + place]
            end = place + 1
            behind = place + i64(sizes[byte])  # the first character
            index: i64 = ROOT ^ byte
            unit = scored[index]
            while end < behind and unit & 255 == byte:
                byte = data[start + end]
                index = unit >> 8 & _NODE ^ byte
                unit = scored[index]
                end += 1
            added = unit & _SUM
            node = unit >> 8 & _NODE
            if unit & 255 != byte or added == _NO_PIECE:
                if self._unknown_id < 0:
                    return 0
                if unit & 255 != byte:  # nothing goes on: node 0 has no edges
                    node = 0
                index = 0
                added = unknown
            end = behind
            while True:
                total = till + added | index << 8 | end - place
                there = best[end]
                other = second[end]
                loser = there if total > there else total
                best[end] = total if total > there else there
                second[end] = loser if loser > other else other
                if node == 0 or end >= size:
                    break
                byte = data[start + end]
                index = node ^ byte
                unit = scored[index]
                if unit & 255 != byte:
                    break
                added = unit & _SUM
                node = unit >> 8 & _NODE
                end += 1
            place = behind
        if place > size:
            return 0
        till = best[size] & _SUM
        lowest = till if till < lowest else lowest
        highest = till if till > highest else highest
        characters[size] = i32(seen)
        return self._trace_back(size, highest if highest > -lowest else -lowest)

    def _trace_back(self, size: i64, span: i64) -> i64:
        """Follows the best path from its end; ``span`` is the largest magnitude of a sum."""
        best = self._best
        second = self._second
        characters = self._characters
        tokens = self._tokens
        stops = self._stops
        path = self.path
        unknown_id = self._unknown_id
        pieces: i64 = 0
        place = size
        while place > 0:
            pieces += 1
            stops[_LONGEST - pieces] = i32(place)
            place -= best[place] & 255
        sure = self._rounding.highs[LEVELS]
        ample: i64 = _AMPLE if self._rounding.single else _MORE_THAN_ANY
        first = _LONGEST - pieces
        for index in range(pieces):
            place = i64(stops[first + index])
            sum = best[place]
            token: i64 = i64(tokens[sum >> 8 & _NODE])
            if token < 0 or token == unknown_id:
                return 0
            path[index] = i32(token)
            if second[place] < _NO_PIECE:
                continue
            # Each character has added one rounded score at most, on either path.
            seen: i64 = i64(characters[place])
            gap = (sum >> 32) - (second[place] >> 32) - seen
            steps = index + 1 + 2 * seen + 2
            if gap < steps * ample and float(gap) < sure * float(steps):
                sure = float(gap) / float(steps)
        magnitude = float((span >> 32) + 1 + i64(characters[size])) / _PARTS_OF_ONE
        if not sure > 0.0 or (self._rounding.single and not magnitude < NEAR):
            return 0
        self.level = self._rounding.steady(sure / _PARTS_OF_ONE, magnitude)
        return pieces


def _in_parts(score: float) -> i64:
    """Returns a score in 65,536th, in the upper half of an integer."""
    parts: i64 = int(score * _PARTS_OF_ONE + (0.5 if score > 0.0 else -0.5))
    return parts << 32
