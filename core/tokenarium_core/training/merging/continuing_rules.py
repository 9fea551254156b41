"""The merges of WordPiece: pieces that begin a word or continue one, each made once."""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from tokenarium_core.training.merging.merge_rules import MergeRules


@final
class ContinuingRules(MergeRules):
    """Joins what begins a word, or continues it, with what continues it.

    ``pieces`` are all symbols by id, those that continue a word with ``affix``. Where two pairs make the same
    piece, only the first of them is merged.
    """

    def __init__(self, characters: list[int], continuing: list[int], affix: str) -> None:
        self._affix: i64 = len(affix)
        self.pieces = [chr(code) for code in characters]
        self.pieces += [affix + chr(code) for code in continuing]
        self._known: set[str] = set()

    def allow(self, left: i64, right: i64) -> bool:
        """Tells whether the piece of two is new."""
        return self._joined(left, right) not in self._known

    def add(self, left: i64, right: i64) -> None:
        """Takes note of the piece of the next id."""
        piece = self._joined(left, right)
        self.pieces.append(piece)
        self._known.add(piece)

    def _joined(self, left: i64, right: i64) -> str:
        return self.pieces[left] + self.pieces[right][self._affix :]
