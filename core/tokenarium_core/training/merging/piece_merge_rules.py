"""The merges of SentencePiece's BPE: pieces by its rules, each once, and its order of equally frequent ones.

Source: ``src/bpe_model_trainer.cc`` in google/sentencepiece (0.2.3).
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.training.merging.merge_rules import RIGHT, MergeRules
from tokenarium_core.training.sentencepiece.piece_rules import SPACE, PieceRules

_MARK: Final = "▁"
_HEAD_BITS: Final = 52  # of the first characters of a piece, behind its length in an order


@final
class PieceMergeRules(MergeRules):
    """Of pairs that are equally frequent the shorter piece comes first, then the smaller one by its code points.

    The first symbols are the characters of an alphabet, sorted by code point, ``▁`` among them. An order
    is a length in characters, and as many of the first characters as fit into one integer. Two pairs that make
    the same piece are one to SentencePiece only where text is encoded: the second is never merged.

    ``pieces`` are all symbols by id, with ``▁``.
    """

    def __init__(self, rules: PieceRules, alphabet: list[int]) -> None:
        self._rules = rules
        self._bits: i64 = max(len(alphabet) - 1, 1).bit_length()
        self._fitting: i64 = _HEAD_BITS // self._bits
        self.pieces: list[str] = []
        self._known: set[str] = set()
        self._lengths = vec[i32]()
        self._heads = vec[i64]()
        self._free = vec[i32]()
        top = self._bits * (self._fitting - 1)
        for symbol, code in enumerate(alphabet):
            self.pieces.append(_MARK if code == SPACE else chr(code))
            self._lengths = append(self._lengths, 1)
            self._heads = append(self._heads, i64(symbol) << top)
            self._free = append(self._free, 1 if rules.is_free(code) else 0)

    def allow(self, left: i64, right: i64) -> bool:
        """Tells whether the piece of two may be one, and is none yet."""
        if i64(self._lengths[left]) + i64(self._lengths[right]) > self._rules.max_length:
            return False
        piece = self.pieces[left] + self.pieces[right]
        if piece in self._known:
            return False
        if self._free[left] != 0 or self._free[right] != 0:
            return self._rules.allows(piece.replace(_MARK, " "))
        return True

    def add(self, left: i64, right: i64) -> None:
        """Takes note of the piece of the next id."""
        piece = self.pieces[left] + self.pieces[right]
        self.pieces.append(piece)
        self._known.add(piece)
        self._heads = append(self._heads, self._head(left, right))
        self._lengths = append(self._lengths, i32(len(piece)))
        self._free = append(self._free, self._free[left] | self._free[right])

    def order(self, pair: i64) -> i64:
        """Returns the length and the first characters of the piece of a pair, as one integer."""
        left = pair >> 32
        right = pair & RIGHT
        length = i64(self._lengths[left]) + i64(self._lengths[right])
        return length << _HEAD_BITS | self._head(left, right)

    def precedes(self, pair: i64, other: i64) -> bool:
        """Compares whole pieces; where even they are the same, the smaller pair comes first."""
        piece = self.pieces[pair >> 32] + self.pieces[pair & RIGHT]
        second = self.pieces[other >> 32] + self.pieces[other & RIGHT]
        return pair < other if piece == second else piece < second

    def _head(self, left: i64, right: i64) -> i64:
        """Returns the first characters of the piece of two, the very first as the highest bits."""
        length = i64(self._lengths[left])
        if length >= self._fitting:
            return self._heads[left]
        return self._heads[left] | self._heads[right] >> self._bits * length
