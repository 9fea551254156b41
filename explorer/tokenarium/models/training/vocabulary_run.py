"""A vocabulary and how it splits the text that it is from, to be compared with those of other trainings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class VocabularyRun:
    """A vocabulary and how it splits the text of ``size`` bytes that it is from: ``pieces`` with how often each is used.

    ``base``: the pieces that it has however rarely they are used. ``loss``: the mean of −log P of a word in nats, over all
    ways to split it, 0 without probabilities; ``least_loss``: with the probabilities that make the text most likely.
    ``only``: its pieces that the other vocabulary does not have, the most used first.
    """

    name: str
    number: int
    pieces: Mapping[bytes, int]
    size: int
    base: Collection[bytes]
    loss: float = 0.0
    least_loss: float = 0.0
    only: list[bytes] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """The tokens of the text."""
        return sum(self.pieces.values())

    @property
    def ratio(self) -> float:
        """The bytes per token."""
        return self.size / max(self.tokens, 1)

    @property
    def unused(self) -> int:
        """The entries outside the base that are not used."""
        return sum(not count and piece not in self.base for piece, count in self.pieces.items())

    def compare(self, other: VocabularyRun) -> None:
        """Finds the pieces that another vocabulary does not have."""
        alone = [piece for piece in self.pieces if piece not in other.pieces]
        self.only = sorted(alone, key=lambda piece: -self.pieces[piece])
