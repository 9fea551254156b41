"""The score of each piece, which pieces a path may contain, and how sums are rounded at each step.

Source: sentencepiece 0.2.3, ``src/unigram_model.cc``, which adds up in 32-bit floats.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import FormatError
from tokenarium_core.models.boundary_filter import BoundaryFilter
from tokenarium_core.models.unigram.unigram_trie import ROOT, TOKEN_MASK, UnigramTrie
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.unicode.utf8 import character_sizes
from tokenarium_core.vocabulary import BYTE, NORMAL, SPACE_MARK, USER_DEFINED, Vocabulary

LEVELS: Final = 278

RESET: Final = 100000.0
"""The magnitude of a 32-bit sum beyond which it restarts at 0."""

NEAR: Final = 1000.0
"""The magnitude of the sums in a region up to which its path has a steadiness."""

ZERO_LEVEL: Final = 149
"""The level of sums from 0.5 to 1."""

STEADY_AT_ZERO: Final = 1
"""The steadiness of a path that is surely the one from the sum 0."""

_USUAL_LEVEL: Final = ZERO_LEVEL + 9
_LARGE_LEVEL: Final = ZERO_LEVEL + 17
_STEADY: Final = 31  # of a path that depends on no sum before it, unless the sums begin again
_BEYOND: Final = 32
_LOWEST_LEVEL: Final = 140
_ALL: Final = 1 << 40
_SOME_IDS: Final = 32.0

SENTENCEPIECE: Final = 0
TOKENIZERS: Final = 1
"""The reference whose rules apply where the two differ."""

_UNKNOWN_PENALTY: Final = 10.0
_TENTH: Final = 0.1
_LARGEST_SINGLE: Final = 3.4028234663852886e38


@final
class Rounding:
    """How sums are rounded: to 24 bits (``single``), or not beyond the precision of a double.

    A sum has the *level* k if its magnitude is below ``highs[k]`` = 2^(k - 149), and no lower level. Adding
    ``magics[k]`` to it and subtracting it again leaves the nearest multiple of 2^(k - 173), the even one of two (round
    half to even, as the processor does for 32-bit floats).
    """

    def __init__(self, single: bool) -> None:
        self.single = single
        self.highs = vec[float]([0.0] * (LEVELS + 1))
        self.magics = vec[float]([0.0] * (LEVELS + 1))
        high = 2.0**-ZERO_LEVEL
        for level in range(LEVELS):
            self.highs[level] = high
            unit = 2.0**-ZERO_LEVEL if level < 24 else high * 2.0**-24
            self.magics[level] = unit * 1.5 * 2.0**52 if single else 0.0
            high *= 2.0
        self.highs[LEVELS] = float("inf")
        self.digits = 2.0**24 if single else 2.0**53

    def level(self, value: float, guess: i64) -> i64:
        """Returns the level of a value; the search begins at ``guess``. Zero has any level."""
        highs = self.highs
        size = -value if value < 0.0 else value
        if size == 0.0:
            return guess
        level = guess
        while level < LEVELS and size >= highs[level]:
            level += 1
        while level > 0 and size < highs[level - 1]:
            level -= 1
        return level

    def round(self, value: float, level: i64) -> float:
        """Returns a value of the given level rounded."""
        if level == LEVELS and self.single:
            return float("inf") if value > 0.0 else float("-inf")
        magic = self.magics[level]
        return (value + magic) - magic

    def steady(self, sure: float, span: float) -> i64:
        """Returns the level below which a sum before it leaves a path as it is; 0 if none surely does.

        ``sure``: the lead of the path, for each step that rounds. ``span``: the magnitude of the sums in it.
        Level 1 stands for the sum 0.
        """
        if sure == self.highs[LEVELS]:
            return LEVELS
        # The error of a step is the magnitude / digits at most; half of it, since a sum on the way may have the next
        # level.
        sure = sure * self.digits * 0.5 - span
        if sure < self.highs[ZERO_LEVEL]:
            return 1 if sure > 0.0 else 0
        return self.level(sure, _LARGE_LEVEL)


@final
class RunningSum:
    """The sum from the beginning of a word. It is computed late, since hardly any path depends on it.

    ``total`` is the sum up to the id ``out[counted - 1]``. Up to ``out[until - 1]`` it keeps a level for which a
    steadiness of ``reach`` is enough: see `steadiness`.
    """

    def __init__(self, rounding: Rounding, values: vec[float], unknown: float) -> None:
        self.rounding = rounding
        self.total = 0.0
        self.level: i64 = _USUAL_LEVEL - 1
        self.counted: i64 = 0
        self.until: i64 = 0
        self.reach: i64 = 0
        self._first: i64 = 0
        self._first_reach: i64 = 0
        self._values = values
        self._limit = RESET if rounding.single else rounding.highs[LEVELS]
        self._unknown = unknown
        # What an id or an unknown character adds at most, and more than rounding may add to that.
        self._most = (-unknown if unknown < 0.0 else unknown) * 1.01 + 0.01
        for value in values:
            size = (-value if value < 0.0 else value) * 1.01 + 0.01
            if size > self._most:
                self._most = size
        # What a character adds at most, known or not.
        self._step = self._most + (-unknown if unknown < 0.0 else unknown)
        self.take(0.0, 0)
        self._first = self.until  # of a new sum
        self._first_reach = self.reach

    def clear(self, counted: i64) -> None:
        """Continues from 0, up to the id before ``counted``."""
        self.total = 0.0
        self.level = _USUAL_LEVEL - 1
        self.counted = counted
        self.until = counted + self._first
        self.reach = self._first_reach

    def take(self, total: float, counted: i64) -> None:
        """Continues from a sum, which is rounded, up to the id before ``counted``."""
        self.total = total
        self.counted = counted
        self.level = self.rounding.level(total, self.level)
        self._bound()

    def add_unknown(self, counted: i64) -> None:
        """Adds an unknown character, once all ids before ``counted`` are added."""
        total = self.total + self._unknown
        self.level = self.rounding.level(total, self.level)
        self.total = self.rounding.round(total, self.level)
        self.counted = counted
        self.until -= 1
        if counted >= self.until:
            self._bound()

    def catch_up(self, out: vec[i32], count: i64) -> None:
        """Adds up to the id before ``count``."""
        if count == self.counted:
            return
        rounding = self.rounding
        values = self._values
        level = self.level
        magic = rounding.magics[level]
        high = rounding.highs[level]
        low = rounding.highs[level - 1] if level > 0 else 0.0
        total = self.total
        lifted = total + magic  # at this height a double is rounded as it should be
        for index in range(self.counted, count):
            value = values[i64(out[index])]
            before = total
            lifted += value
            total = lifted - magic
            size = -total if total < 0.0 else total
            if size >= high or size <= low:  # perhaps of another level
                total = before + value
                level = rounding.level(total, level)
                total = rounding.round(total, level)
                magic = rounding.magics[level]
                high = rounding.highs[level]
                low = rounding.highs[level - 1] if level > 0 else 0.0
                lifted = total + magic
        self.level = level
        self.total = total
        self.counted = count
        if count >= self.until:
            self._bound()

    def exact_reach(self, characters: i64) -> i64:
        """Returns the steadiness that is enough for a part of this many characters, when all ids are added up."""
        size = -self.total if self.total < 0.0 else self.total
        if size == 0.0:
            return STEADY_AT_ZERO
        ahead = float(characters) * self._step
        size += ahead if ahead < NEAR else NEAR
        return _BEYOND if size >= self._limit else _enough(self.level + 1)

    def begin_again(self) -> None:
        """Continues from 0 if the reference does: see `RESET`."""
        if self.rounding.single and not -RESET <= self.total <= RESET:
            self.take(0.0, self.counted)

    def _bound(self) -> None:
        """Sets for how long which steadiness is enough: for some ids at least, so that this is seldom called."""
        size = -self.total if self.total < 0.0 else self.total
        near = self._limit - NEAR
        if size >= near:
            self.reach = _BEYOND
            self.until = self.counted
            return
        highs = self.rounding.highs
        level: i64 = _USUAL_LEVEL
        if self.level > level:
            level = self.level
        if level < LEVELS and highs[level] - size < self._most * _SOME_IDS:
            level += 1
        high = highs[level] if highs[level] < near else near
        ids = (high - size) / self._most
        self.reach = _enough(level + 1)
        ahead: i64 = _ALL
        if ids < float(_ALL):
            ahead = i64(ids)
        self.until = self.counted + ahead


def steadiness(level: i64) -> i64:
    """Returns a steady level (see `UnigramSearch`) in five bits, or a lower one; levels of usual sums are exact."""
    if level < STEADY_AT_ZERO + _LOWEST_LEVEL:
        return STEADY_AT_ZERO if level > 0 else 0
    if level >= LEVELS:
        return _STEADY
    return level - _LOWEST_LEVEL if level < _LOWEST_LEVEL + _STEADY else _STEADY - 1


def _enough(level: i64) -> i64:
    """Returns the steadiness that a path needs if the sum before it has a lower level than this one."""
    if level <= _LOWEST_LEVEL + STEADY_AT_ZERO:
        return STEADY_AT_ZERO + 1
    return level - _LOWEST_LEVEL if level < _LOWEST_LEVEL + _STEADY else _STEADY


@final
class UnigramScores:
    """The pieces of a vocabulary that a text can produce, in ``trie``; ``values`` are their scores by id.

    ``unknown`` is the score of an unknown character: the lowest score minus 10.

    - sentencepiece: normal and user-defined pieces. The latter score 0.1 for each byte but the first (a
      space counts as the three of ``▁``), which is more than logarithms of probabilities can have. Sums are
      32-bit floats.
    - tokenizers: all pieces by their text in the file, also ``<unk>`` and ``<0x0A>``. Sums are doubles.
    """

    def __init__(
        self, vocabulary: Vocabulary, rules: i64, cached: CacheReader | None = None
    ) -> None:
        self.rounding = Rounding(rules == SENTENCEPIECE)
        self.trie = UnigramTrie(vocabulary.count if cached is None else 0)
        self.values = vec[float]([0.0] * vocabulary.count)
        self.unknown = 0.0
        self._vocabulary = vocabulary
        self._rules: i64 = rules
        self._rate()
        if cached is not None:
            self.trie.load(cached)
            return
        self._plant()

    def dump(self, out: CacheWriter) -> None:
        """Writes what does not follow at once from the vocabulary: the trie."""
        self.trie.dump(out)

    def find(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns the id of the piece that is ``data[start:stop]`` (padded), -1 if there is none."""
        node: i64 = ROOT
        at = start
        value: i64 = 0
        while at < stop:
            if node == 0:
                return -1
            byte: i64 = data[at]
            value = self.trie.find(node, data, at)
            node = value >> 32
            at += i64(character_sizes[byte])
            if value == 0:
                return -1
        return (value & TOKEN_MASK) - 1

    def fill(self, boundaries: BoundaryFilter) -> None:
        """Records in a filter which characters the pieces join."""
        vocabulary = self._vocabulary
        offsets = vocabulary.offsets
        for token in range(vocabulary.count):
            if self._is_text(token):
                if i64(vocabulary.kinds[token]) == BYTE:
                    boundaries.add(literal_byte(vocabulary, token), 0, 6)
                else:
                    boundaries.add(vocabulary.arena, i64(offsets[token]), i64(offsets[token + 1]))

    def _is_text(self, token: i64) -> bool:
        """Returns whether text can produce a piece."""
        kind: i64 = i64(self._vocabulary.kinds[token])
        if self._rules == SENTENCEPIECE:
            return kind == NORMAL or kind == USER_DEFINED
        if self._vocabulary.outside and token in self._vocabulary.outside:
            return False
        return i64(self._vocabulary.offsets[token + 1]) > i64(self._vocabulary.offsets[token])

    def _rate(self) -> None:
        vocabulary = self._vocabulary
        scores = vocabulary.scores
        kinds = vocabulary.kinds
        values = self.values
        single = self._rules == SENTENCEPIECE
        lowest = _LARGEST_SINGLE if single else float("inf")
        for token in range(vocabulary.count):
            value = scores[token]
            if not -_LARGEST_SINGLE <= value <= _LARGEST_SINGLE and single:
                raise FormatError(
                    f"The score of the entry with the id {token} is {value}: it must be a number."
                )
            values[token] = value
            if (not single or i64(kinds[token]) == NORMAL) and value < lowest:
                lowest = value
        self.unknown = self._rounded(lowest - _UNKNOWN_PENALTY)
        if single:
            for token in range(vocabulary.count):
                if i64(kinds[token]) == USER_DEFINED:
                    values[token] = self._rounded(_TENTH * float(self._length(token) - 1))

    def lattice_score(self, token: i64, characters: i64) -> float:
        """Returns the score of a piece in a lattice, where sentencepiece counts characters instead of bytes."""
        if self._rules == SENTENCEPIECE and i64(self._vocabulary.kinds[token]) == USER_DEFINED:
            return self._rounded(_TENTH * float(characters - 1))
        return self.values[token]

    def _length(self, token: i64) -> i64:
        """Returns the length of a piece in bytes of the reference's text."""
        vocabulary = self._vocabulary
        start: i64 = i64(vocabulary.offsets[token])
        stop: i64 = i64(vocabulary.offsets[token + 1])
        if vocabulary.spelling == SPACE_MARK:
            return stop - start + 2 * vocabulary.arena.count(b" ", start, stop)
        return stop - start

    def _rounded(self, value: float) -> float:
        rounding = self.rounding
        return rounding.round(value, rounding.level(value, 0))

    def _plant(self) -> None:
        vocabulary = self._vocabulary
        offsets = vocabulary.offsets
        trie = self.trie
        arena = vocabulary.arena
        for token in range(vocabulary.count):
            if self._is_text(token):
                if i64(vocabulary.kinds[token]) == BYTE:
                    trie.add(literal_byte(vocabulary, token), 0, 6, token)
                else:
                    trie.add(arena, i64(offsets[token]), i64(offsets[token + 1]), token)
        trie.finish()


def literal_byte(vocabulary: Vocabulary, token: i64) -> bytes:
    """Returns a byte piece as spelled in its file, ``<0x0A>``, padded."""
    return f"<0x{vocabulary.piece(token)[0]:02X}>".encode() + ZEROS
