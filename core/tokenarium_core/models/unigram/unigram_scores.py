"""What each piece adds to the sum of a path, and which pieces may stand in one."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.errors import FormatError
from tokenarium_core.models.unigram.unigram_cut import UnigramCut
from tokenarium_core.models.unigram.unigram_sum import Rounding
from tokenarium_core.models.unigram.unigram_trie import ROOT, TOKEN_MASK, UnigramTrie
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.unicode.utf8 import character_sizes
from tokenarium_core.vocabulary import BYTE, NORMAL, SPACE_MARK, USER_DEFINED, Vocabulary

SENTENCEPIECE: Final = 0
TOKENIZERS: Final = 1
"""Whose rules hold where the two references differ."""

_UNKNOWN_PENALTY: Final = 10.0
_TENTH: Final = 0.1
_LARGEST_SINGLE: Final = 3.4028234663852886e38


@final
class UnigramScores:
    """The pieces of a vocabulary that text can become, in ``trie``; ``values`` are their scores by id.

    ``unknown`` is the score of an unknown character: the lowest score minus 10.

    - sentencepiece: normal and user-defined pieces. The latter have a tenth for each byte but the first (a
      space counts as the three of ``▁``), which is more than logarithms of probabilities can have. Sums are
      32-bit floats.
    - tokenizers: all pieces by the text that the file has for them, also ``<unk>`` and ``<0x0A>``. Sums are doubles.
    """

    def __init__(self, vocabulary: Vocabulary, rules: i64) -> None:
        self.rounding = Rounding(rules == SENTENCEPIECE)
        self.trie = UnigramTrie(vocabulary.count)
        self.values = vec[float]([0.0] * vocabulary.count)
        self.unknown = 0.0
        self._vocabulary = vocabulary
        self._rules: i64 = rules
        self._rate()
        self._plant()

    def find(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns the id of the piece that is ``data[start:stop]`` (padded), -1 where there is none."""
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

    def fill(self, cut: UnigramCut) -> None:
        """Notes in ``cut`` which characters the pieces join."""
        vocabulary = self._vocabulary
        offsets = vocabulary.offsets
        for token in range(vocabulary.count):
            if self._is_text(token):
                if i64(vocabulary.kinds[token]) == BYTE:
                    cut.add(literal_byte(vocabulary, token), 0, 6)
                else:
                    cut.add(vocabulary.arena, i64(offsets[token]), i64(offsets[token + 1]))

    def _is_text(self, token: i64) -> bool:
        """Tells whether a piece can come out of text."""
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
    """Returns a byte piece as its file spells it, ``<0x0A>``, padded."""
    return f"<0x{vocabulary.piece(token)[0]:02X}>".encode() + ZEROS
