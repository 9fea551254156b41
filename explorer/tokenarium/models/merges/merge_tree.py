"""The tree that the merges of a word grow: symbols as leaves, merged pieces above the two they came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from tokenarium.models.merges.playback import Step, Symbol
from tokenarium_core import trace as kinds


@dataclass(frozen=True, slots=True)
class Node:
    """One symbol that stood in the word at some step, or the bytes that a character fell back to.

    ``below`` are the numbers of the nodes that it came of (a leaf has none), ``height`` the most nodes below it.
    ``step`` is the number of the event that made it (-1: it was there), ``kind`` and ``rank`` are that event's.
    """

    start: int
    end: int
    id: int
    below: tuple[int, ...] = ()
    height: int = 0
    step: int = -1
    kind: int = -1
    rank: int = -1


class Growth:
    """The nodes that the steps of a word grow, children before parents, and how many there are after each step.

    ``first`` is the number of the first step. Taking a merge back makes no node. Between two bytes of one
    character that falls back, its node is already there with all of them: nobody stops there.
    """

    def __init__(self, leaves: Sequence[Symbol], steps: Sequence[Step], first: int) -> None:
        self.nodes = [Node(leaf.start, leaf.end, leaf.id) for leaf in leaves]
        self._first = first
        self._counts = [len(self.nodes)]  # of nodes, by how many steps are made
        standing = {leaf.start: number for number, leaf in enumerate(leaves)}
        for number, step in enumerate(steps, first):
            if step.kind not in (kinds.TRY, kinds.EDGE, kinds.UNMERGE):
                self._grow(number, step, standing)
            self._counts.append(len(self.nodes))
        # By node: which one is above it, in the end; the most that are above each other so far.
        self._above = [len(self.nodes)] * len(self.nodes)
        self._heights = list(accumulate((node.height for node in self.nodes), max))
        for number, node in enumerate(self.nodes):
            for child in node.below:
                self._above[child] = number

    def count(self, position: int) -> int:
        """How many of the nodes are there when so many steps of the run are made."""
        return self._counts[max(0, min(position - self._first, len(self._counts) - 1))]

    def tops(self, count: int) -> list[int]:
        """Returns which of the first ``count`` nodes have none above them, from left to right."""
        found = [number for number, above in enumerate(self._above[:count]) if above >= count]
        return sorted(found, key=lambda number: self.nodes[number].start)

    def height(self, count: int) -> int:
        """The most nodes below one of the first ``count``."""
        return self._heights[count - 1] if count else 0

    def _grow(self, number: int, step: Step, standing: dict[int, int]) -> None:
        nodes = self.nodes
        below = tuple(standing.pop(at) for at in range(step.start, step.end) if at in standing)
        if step.kind == kinds.BYTE_FALLBACK and not below and nodes:
            last = nodes[-1]  # further bytes of the same character
            if last.kind == kinds.BYTE_FALLBACK and last.end == step.start:
                nodes[-1] = replace(last, end=step.end)
                return
        height = 1 + max((nodes[child].height for child in below), default=0)
        standing[step.start] = len(nodes)
        nodes.append(
            Node(step.start, step.end, step.result, below, height, number, step.kind, step.rank)
        )
