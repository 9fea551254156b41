"""Which pieces a training of SentencePiece's BPE may make, and which of equally frequent ones it makes first."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.training.merging.merger import RIGHT, MergeRules
from tokenarium_core.training.sentencepiece.piece_rules import SPACE, PieceRules

_MARK: Final = "▁"
_HEAD_BITS: Final = 52  # of the first characters of a piece, after its length in an order


@final
class PieceMergeRules(MergeRules):
    """Of pairs that are equally frequent the shorter piece comes first, then the smaller one by its code points.

    The first symbols are the characters of an alphabet, sorted by code point, ``▁`` among them; others may follow by
    `know`. An order is a length in characters, and as many of the first characters as fit into one integer. Two pairs
    that make the same piece are one to SentencePiece only when it encodes: the second is never merged, nor is a piece
    that is ``known`` before.

    ``pieces`` are all symbols by id, with ``▁``.
    """

    def __init__(self, rules: PieceRules, alphabet: list[str], known: set[str]) -> None:
        self._rules = rules
        self._places = {character: index for index, character in enumerate(alphabet)}
        self._bits: i64 = max(len(alphabet) - 1, 1).bit_length()
        self._fitting: i64 = _HEAD_BITS // self._bits
        self.pieces: list[str] = []
        self._known = known
        self._lengths = vec[i32]()
        self._heads = vec[i64]()
        self._free = vec[i32]()
        for character in alphabet:
            self.know(character)

    def know(self, piece: str) -> None:
        """Notes the piece of the next symbol."""
        head: i64 = 0
        free: i64 = 0
        place = self._bits * (self._fitting - 1)
        for index, character in enumerate(piece):
            if index < self._fitting:
                head |= i64(self._places.get(character, 0)) << place
                place -= self._bits
            if self._rules.is_free(SPACE if character == _MARK else ord(character)):
                free = 1
        self.pieces.append(piece)
        self._known.add(piece)
        self._lengths = append(self._lengths, i32(len(piece)))
        self._heads = append(self._heads, head)
        self._free = append(self._free, i32(free))

    def allow(self, left: i64, right: i64) -> bool:
        """Returns whether the piece of two is allowed, and new."""
        if i64(self._lengths[left]) + i64(self._lengths[right]) > self._rules.max_length:
            return False
        piece = self.pieces[left] + self.pieces[right]
        if piece in self._known:
            return False
        if self._free[left] != 0 or self._free[right] != 0:
            return self._rules.allows(piece.replace(_MARK, " "))
        return True

    def add(self, left: i64, right: i64) -> None:
        """Notes the piece of the next id."""
        self.know(self.pieces[left] + self.pieces[right])

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
