"""The lattice of a run of Unigram: the pieces over the region, and the paths through them with their scores."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from tokenarium.models.merges.playback import PlayedWord
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.text.piece import SPACE, quoted, readable
from tokenarium_core.models import Lattice, Path, Unigram

SPACES = f" {SPACE}▁"
"""What the user may type for a space."""


@dataclass(frozen=True, slots=True)
class PathPiece:
    """A piece at one place: its bytes, its id and its score. ``unknown``: a character that is not a piece."""

    start: int
    end: int
    id: int
    score: float
    unknown: bool


@dataclass(frozen=True, slots=True)
class LatticePath:
    """A path through the lattice: the numbers of its edges from left to right, and the sum of their scores."""

    edges: tuple[int, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Parting:
    """Where a path leaves the best one until they meet again: the edges of each there, by number."""

    start: int
    end: int
    taken: tuple[int, ...]
    best: tuple[int, ...]
    difference: float


@dataclass(frozen=True, slots=True)
class _Section:
    """A word with its lattice; an added token has none."""

    word: PlayedWord
    lattice: Lattice | None
    first: int  # the number of its first edge


class LatticePaths:
    """All paths through the words of a run: the lattices side by side."""

    def __init__(self, run: TraceRun) -> None:
        model = run.tokenizer.model
        assert isinstance(model, Unigram)
        self.data = run.data
        self.start = run.words[0].start if run.words else 0
        self.end = run.words[-1].end if run.words else 0
        self.edges: list[PathPiece] = []
        self._model = model
        self._sections: list[_Section] = []
        for word in run.words:
            self._add(word, run)
        # Where a word does not begin where the one before ends: that end, by its first byte.
        self._gaps = {right.start: left.end for left, right in pairwise(run.words)}
        self.best = self._joined([self._best(section) for section in self._sections])

    def n_best(self, count: int) -> list[LatticePath]:
        """Returns up to ``count`` paths, the best first."""
        best: list[tuple[int, ...]] = [()]
        for section in self._sections:
            further: list[tuple[int, ...]] = [(section.first,)]
            if section.lattice is not None:
                further = [self._numbers(section, path) for path in section.lattice.n_best(count)]
            both = [before + after for before in best for after in further]
            best = heapq.nlargest(count, both, key=self._score)
        return [self.path(edges) for edges in best]

    def path(self, edges: Sequence[int]) -> LatticePath:
        """Returns a path by the numbers of its edges."""
        return LatticePath(tuple(edges), self._score(edges))

    def through(self, chosen: Sequence[int]) -> LatticePath | None:
        """Returns the best path that takes all these edges, or None."""
        must = [self.edges[number] for number in chosen]
        sums: dict[int, tuple[float, int]] = {self.start: (0.0, -1)}
        for number, edge in enumerate(self.edges):
            if number not in chosen and any(_overlap(edge, other) for other in must):
                continue
            self._reach(sums, number, edge)
        return self._traced(sums)

    def sums(self, frontier: int) -> dict[int, tuple[float, int]]:
        """Returns the search's state when its frontier is at a byte: all pieces before it are done.

        For each reachable byte: the best sum so far, and the number of the last edge to it.
        """
        sums: dict[int, tuple[float, int]] = {self.start: (0.0, -1)}
        number = 0
        while number < len(self.edges) and self.edges[number].start < frontier:
            self.reach(sums, number)
            number += 1
        return sums

    def reach(self, sums: dict[int, tuple[float, int]], number: int) -> None:
        """Goes on with the search by one edge; they are in the order of their beginnings."""
        self._reach(sums, number, self.edges[number])

    def typed(self, text: str) -> LatticePath:
        """Returns the path that the user typed in the form of `text`; ValueError with a sentence.

        A space may be written as ``␣`` or ``▁``.
        """
        pieces: list[tuple[int, int]] = []
        begin = at = self.start
        for sign in text:
            if sign != "|" or (begin == at and self.data[at : at + 1] == b"|"):
                at = self._follow(at, sign)
            elif begin < at:
                pieces.append((begin, at))
                at = next((start for start, end in self._gaps.items() if end == at), at)
                begin = at
        if begin < at:
            pieces.append((begin, at))
        if at < self.end:
            rest = quoted(self.data[at : self.end], 20)
            raise ValueError(f"{rest} is left over: write pieces for the whole text.")
        return self.path([self._number(start, end) for start, end in pieces])

    def text(self, edges: Sequence[int]) -> str:
        """Returns pieces as the user reads and types them, with ``|`` between them."""
        return "|".join(self.surface(number) for number in edges)

    def surface(self, number: int) -> str:
        """Returns one piece as the user reads it."""
        edge = self.edges[number]
        return readable(self.data[edge.start : edge.end])

    def partings(self, path: LatticePath) -> list[Parting]:
        """Returns where a path takes other pieces than the best one, from left to right."""
        partings = []
        start = self.start
        mine: list[int] = []
        theirs: list[int] = []
        other = list(self.best.edges)
        for number in path.edges:
            mine.append(number)
            end = self.edges[number].end
            while other and self.edges[other[0]].end <= end:
                theirs.append(other.pop(0))
            if theirs and self.edges[theirs[-1]].end == end:
                if mine != theirs:
                    difference = self._score(mine) - self._score(theirs)
                    partings.append(Parting(start, end, tuple(mine), tuple(theirs), difference))
                start, mine, theirs = end, [], []
        return partings

    def ids(self, path: LatticePath) -> list[int]:
        """Returns the ids of a path."""
        ids: list[int] = []
        for section in self._sections:
            numbers = [n for n in path.edges if self._belongs(section, n)]
            if section.lattice is None:
                ids += [self.edges[number].id for number in numbers]
            else:
                inside = Path([number - section.first for number in numbers], 0.0)
                ids += self._model.path_ids(section.lattice, inside)
        return ids

    @cached_property
    def chances(self) -> list[float]:
        """For each edge, how probable it is that a path drawn by the model's scores takes it."""
        chances: list[float] = []
        for section in self._sections:
            chances += section.lattice.marginals() if section.lattice is not None else [1.0]
        return chances

    def _add(self, word: PlayedWord, run: TraceRun) -> None:
        first = len(self.edges)
        if word.rule < 0:  # an added token
            token = run.playback.steps[word.first].result
            self.edges.append(PathPiece(word.start, word.end, token, 0.0, False))
            self._sections.append(_Section(word, None, first))
            return
        lattice = self._model.lattice(self.data[word.start : word.end].decode())
        unknown = self._model.unknown_id
        for number in range(len(lattice)):
            edge = lattice.edge(number)
            start, end = word.start + edge.start, word.start + edge.stop
            self.edges.append(PathPiece(start, end, edge.token, edge.score, edge.token == unknown))
        self._sections.append(_Section(word, lattice, first))

    def _best(self, section: _Section) -> tuple[int, ...]:
        if section.lattice is None:
            return (section.first,)
        return self._numbers(section, section.lattice.best())

    def _numbers(self, section: _Section, path: Path) -> tuple[int, ...]:
        return tuple(section.first + edge for edge in path.edges)

    def _joined(self, parts: list[tuple[int, ...]]) -> LatticePath:
        return self.path([number for part in parts for number in part])

    def _belongs(self, section: _Section, number: int) -> bool:
        return section.word.start <= self.edges[number].start < section.word.end

    def _score(self, edges: Sequence[int]) -> float:
        return sum(self.edges[number].score for number in edges)

    def _reach(self, sums: dict[int, tuple[float, int]], number: int, edge: PathPiece) -> None:
        if edge.start not in sums and self._gaps.get(edge.start, -1) in sums:
            sums[edge.start] = (sums[self._gaps[edge.start]][0], -1)
        if edge.start in sums:
            total = sums[edge.start][0] + edge.score
            if edge.end not in sums or total > sums[edge.end][0]:
                sums[edge.end] = (total, number)

    def _traced(self, sums: dict[int, tuple[float, int]]) -> LatticePath | None:
        if self.end not in sums:
            return None
        numbers = []
        at = self.end
        while at > self.start:
            number = sums[at][1]
            if number < 0:
                at = self._gaps[at]
                continue
            numbers.append(number)
            at = self.edges[number].start
        return self.path(numbers[::-1])

    def _follow(self, at: int, sign: str) -> int:
        """Returns the byte after the character at ``at`` if ``sign`` is a spelling of it."""
        end = at + 1
        while end < self.end and self.data[end] & 0xC0 == 0x80:
            end += 1
        here = self.data[at:end]
        if at == self.end or not (
            sign.encode() == here or sign == readable(here) or (here == b" " and sign in SPACES)
        ):
            rest = quoted(self.data[at : self.end], 20) if at < self.end else ""
            raise ValueError(
                f"The text goes on with {rest}, not with “{sign}”: change only where it is split."
                if rest
                else f"“{sign}” is after the end of the text: change only where it is split."
            )
        return end

    def _number(self, start: int, end: int) -> int:
        for number, edge in enumerate(self.edges):
            if (edge.start, edge.end) == (start, end):
                return number
        piece = quoted(self.data[start:end], 40, always=True)
        raise ValueError(f"{piece} is not an entry of this vocabulary.")


def _overlap(left: PathPiece, right: PathPiece) -> bool:
    return left.start < right.end and right.start < left.end
