"""Which pair merges next, as a question: the right pair among others that wait at the same step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from tokenarium.models.merges.playback import Symbol
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.text.piece import readable
from tokenarium_core.trace import MERGE

MOST_CHOICES = 4
"""The most pairs to choose from."""


@dataclass(frozen=True, slots=True)
class PairChoice:
    """Two neighbours: their texts, and the bytes where the first and the second begin."""

    left: str
    right: str
    start: int
    middle: int

    def __str__(self) -> str:
        return f"{self.left} + {self.right}"


@dataclass(frozen=True, slots=True)
class NextPair:
    """The pairs to choose from, the place of the right one among them, and how it is found."""

    choices: Sequence[PairChoice]
    right: int
    note: str


def next_pair(run: TraceRun, most: int = MOST_CHOICES) -> NextPair | None:
    """Returns which pair merges next at the step of a run; None if nothing merges or there is no choice.

    The pairs and their order are the same each time that the step is asked about.
    """
    step = run.next_step
    if step is None or step.kind != MERGE:
        return None
    symbols = run.symbols()[step.word]
    known = {candidate.start: candidate for candidate in run.candidates(symbols)}
    waiting: list[tuple[float, int, PairChoice]] = []
    right: PairChoice | None = None
    for left, following in pairwise(symbols):
        candidate = known.get(left.start)
        if left.start == step.start:
            right = _choice(run, left, following)
        elif candidate is not None:
            best = float(candidate.rank) if candidate.score is None else -candidate.score
            waiting.append((best, left.start, _choice(run, left, following)))
    if right is None:
        return None
    others: dict[tuple[str, str], PairChoice] = {}
    for _, _, other in sorted(waiting, key=_order):
        others.setdefault((other.left, other.right), other)
    others.pop((right.left, right.right), None)
    listed = list(others.values())[: 2 * most]
    if not listed:
        return None
    by_place = Random(step.event)
    by_place.shuffle(listed)
    chosen = [right, *listed[: most - 1]]
    by_place.shuffle(chosen)
    rule = "lowest rank" if run.score(step.result) is None else "highest score"
    note = f"The pair with the {rule} goes first."
    return NextPair(chosen, chosen.index(right), note)


def _order(one: tuple[float, int, PairChoice]) -> tuple[float, int]:
    return one[0], one[1]


def _choice(run: TraceRun, left: Symbol, right: Symbol) -> PairChoice:
    first, second = (readable(run.data[symbol.start : symbol.end]) for symbol in (left, right))
    return PairChoice(first, second, left.start, right.start)
