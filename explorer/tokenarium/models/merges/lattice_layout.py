"""The layout of a lattice: its characters in a line, its pieces in rows above them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tokenarium.models.merges.lattice_paths import LatticePaths
from tokenarium.models.text.piece import readable
from tokenarium.models.text.segmentation import token_colours

MARGIN = 24.0
BOX = 36.0
"""The height of a piece in pixels: its text, and its score below it."""

ROW = 42.0
NARROWEST = 44.0
GAP = 8.0
"""Pixels above the rows, between parts, and twice those between the rows and the characters."""


class LatticeMeasures(NamedTuple):
    """Functions that return the width in pixels of a text: of one on a piece, and of a note, such as a score."""

    text: Callable[[str], float]
    note: Callable[[str], float]


class PieceBox(NamedTuple):
    """The rectangle of a piece, in pixels."""

    left: float
    top: float
    width: float
    height: float


class LatticeLayout:
    """The positions of the parts of a lattice, in pixels from the left and the top.

    ``boundaries`` are those of characters, by byte; ``cells`` are the characters: their bytes and their text;
    ``rects`` and ``levels`` are those of the edges: a level is a row, counted from the characters. ``stretch``: how
    much wider than necessary all characters are.
    """

    def __init__(
        self, measures: LatticeMeasures, paths: LatticePaths | None = None, stretch: float = 1.0
    ) -> None:
        self._measures = measures
        self._stretch = stretch
        self.boundaries: dict[int, float] = {}
        self.cells: list[tuple[int, int, str]] = []
        self.levels: list[int] = []
        self.rects: list[PieceBox] = []
        self._columns: dict[int, list[int]] = {}  # the edges that begin at a byte, short ones first
        if paths is not None:
            self._place_characters(paths)
            self._place_edges(paths)
        rows = max(self.levels, default=-1) + 1
        self.floor = GAP + rows * ROW + GAP / 2  # where the characters begin

    @property
    def right(self) -> float:
        """The end of the last character."""
        return max(self.boundaries.values(), default=MARGIN)

    def first(self, left: float) -> int:
        """Returns the shortest of the first edges that begin at ``left`` pixels or later, or the last edge."""
        starts = list(self._columns)
        here = next((at for at in starts if self.boundaries[at] >= left), starts[-1])
        return self._columns[here][0]

    def beside(self, number: int, columns: int, levels: int) -> int:
        """Returns the edge that an arrow key goes to, or the same edge at an end.

        ``columns``: steps to the right among the starts of pieces, to a piece about as high;
        ``levels``: steps up among the pieces with the same start, to longer ones.
        """
        starts = list(self._columns)
        column = next(index for index, at in enumerate(starts) if number in self._columns[at])
        here = self._columns[starts[column]]
        if levels:
            return here[max(0, min(here.index(number) + levels, len(here) - 1))]
        goal = self._columns[starts[max(0, min(column + columns, len(starts) - 1))]]
        if goal is here:
            return number
        return min(goal, key=lambda edge: abs(self.levels[edge] - self.levels[number]))

    def _place_characters(self, paths: LatticePaths) -> None:
        scores: dict[tuple[int, int], str] = {
            (edge.start, edge.end): number_text(edge.score) for edge in paths.edges
        }
        sums = {at: number_text(total) for at, (total, _) in paths.sums(paths.end).items()}
        x = MARGIN
        start = paths.start
        while start < paths.end:
            end = start + 1
            while end < paths.end and paths.data[end] & 0xC0 == 0x80:
                end += 1
            text = readable(paths.data[start:end])
            score = self._measures.note(scores.get((start, end), ""))
            below = (sums.get(start, ""), sums.get(end, ""))
            apart = sum(map(self._measures.note, below)) / 2 + GAP
            self.boundaries[start] = x
            self.cells.append((start, end, text))
            inner = max(self._measures.text(text), score) + 2 * GAP
            x += max(inner, apart, NARROWEST) * self._stretch
            start = end
        self.boundaries[paths.end] = x

    def _place_edges(self, paths: LatticePaths) -> None:
        self.levels = self._levels(paths)
        rows = max(self.levels, default=-1) + 1
        for edge, level in zip(paths.edges, self.levels, strict=True):
            left, right = self.boundaries[edge.start], self.boundaries[edge.end]
            top = GAP + (rows - 1 - level) * ROW
            self.rects.append(PieceBox(left + 3, top, right - left - 6, BOX))
        spans = [(edge.start, edge.end, number) for number, edge in enumerate(paths.edges)]
        for start, _, number in sorted(spans):
            self._columns.setdefault(start, []).append(number)

    def _levels(self, paths: LatticePaths) -> list[int]:
        """Returns the row of each edge, counted from the characters: short ones low, without overlaps."""
        order = {byte: number for number, byte in enumerate(self.boundaries)}
        spans = [(order[edge.start], order[edge.end]) for edge in paths.edges]
        levels = [0] * len(spans)
        taken: list[list[bool]] = []
        for number in sorted(range(len(spans)), key=lambda n: (spans[n][1] - spans[n][0], n)):
            start, end = spans[number]
            level = 0
            while level < len(taken) and any(taken[level][start:end]):
                level += 1
            if level == len(taken):
                taken.append([False] * len(order))
            taken[level][start:end] = [True] * (end - start)
            levels[number] = level
        return levels


def number_text(score: float) -> str:
    """Returns a score with two decimals and a real minus sign."""
    return f"{score:.2f}".replace("-", "−")


def edge_colours(paths: LatticePaths) -> list[int]:
    """Returns the number of each edge's colour; on the best path, those of its tokens side by side."""
    ids = np.array([edge.id for edge in paths.edges], dtype=np.int32)
    colours = token_colours(ids)
    best = list(paths.best.edges)
    colours[best] = token_colours(ids[best])
    return [int(colour) for colour in colours]
