"""Where the nodes of a merge tree stand: each over those below it, and trees side by side.

What is below a node stands at the same places under it for ever, so a node is measured once, when it is first
there; a step only moves whole trees.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator

from PySide6.QtCore import QRectF

from tokenarium.models.merges.merge_tree import Growth, Node
from tokenarium.style.theme import GRID

NODE_HEIGHT = 4.25 * GRID
"""The height of a node that came of others: its text, and its rank under it."""

LEAF = 3.0 * GRID
ROW = 6.25 * GRID
LEAF_GAP = 0.75 * GRID


class TreeLayout:
    """The places of the first ``count`` nodes of a word, counted from the word's left and from their own row's top."""

    def __init__(self, growth: Growth, width: Callable[[Node], float]) -> None:
        self.growth = growth
        self.count = -1
        self.width = 0.0
        self._width_of = width
        self._widths: list[float] = []
        self._rooms: list[float] = []  # the width that a node needs with all that is below it
        self._centres: list[float] = []  # from the left of its room
        self._shifts: list[float] = []  # from the left of the room of the node above it
        self._tops: list[int] = []
        self._lefts: list[float] = []  # of the rooms of the tops

    def show(self, count: int) -> None:
        """Places so many of the nodes."""
        if count == self.count:
            return
        for number in range(len(self._rooms), count):
            self._measure(number)
        self.count = count
        self._tops = self.growth.tops(count)
        self._lefts = []
        at = 0.0
        for number in self._tops:
            self._lefts.append(at)
            at += self._rooms[number] + LEAF_GAP
        self.width = at - LEAF_GAP

    def between(self, left: float, right: float) -> Iterator[tuple[int, float]]:
        """Yields the nodes of the trees that reach into so much of the width, each with the left of its room."""
        first = max(0, bisect_right(self._lefts, left) - 1)
        last = bisect_right(self._lefts, right)
        trees = list(zip(self._tops[first:last], self._lefts[first:last], strict=True))
        while trees:
            number, at = trees.pop()
            yield number, at
            below = self.growth.nodes[number].below
            trees += [(child, at + self._shifts[child]) for child in below]

    def rect(self, number: int, room: float) -> QRectF:
        """Where a node stands whose room has its left there."""
        width = self._widths[number]
        height = NODE_HEIGHT if self.growth.nodes[number].height else LEAF
        return QRectF(room + self._centres[number] - width / 2, 0, width, height)

    def newest(self) -> tuple[int, float]:
        """The node that was made last, with the left of its room: nothing is above it yet."""
        number = self.count - 1
        return number, self._lefts[self._tops.index(number)]

    def _measure(self, number: int) -> None:
        node = self.growth.nodes[number]
        width, children = self._width_of(node), node.below
        below = sum(self._rooms[child] for child in children) + LEAF_GAP * (len(children) - 1)
        room = max(width, below)
        inner = (room - below) / 2
        for child in children:
            self._shifts[child] = inner
            inner += self._rooms[child] + LEAF_GAP
        centre = room / 2
        if children:
            ends = [
                self._shifts[child] + self._centres[child] for child in (children[0], children[-1])
            ]
            free = (room - width) / 2
            centre = min(max(sum(ends) / 2, centre - free), centre + free)
        self._widths.append(width)
        self._rooms.append(room)
        self._centres.append(centre)
        self._shifts.append(0.0)
