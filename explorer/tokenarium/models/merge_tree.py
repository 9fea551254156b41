"""The tree that the merges of a word grow: symbols as leaves, merged pieces above the two they came from."""

from __future__ import annotations

from dataclasses import dataclass

from tokenarium.models.playback import Step, Symbol
from tokenarium_core import trace as kinds


@dataclass(frozen=True, slots=True)
class Node:
    """One symbol that stood in the word at some step.

    ``left`` and ``right`` are the numbers of the nodes that it was merged of (-1: it is a leaf), ``height`` the
    most merges below it, ``step`` the number of the step that made it (-1: it was there), ``rank`` that merge's.
    """

    start: int
    end: int
    id: int
    left: int
    right: int
    height: int
    step: int
    rank: int


def grown(leaves: list[Symbol], steps: list[Step], first: int) -> list[Node]:
    """Returns the nodes after some steps, children before parents; ``first`` is the number of the first step.

    A step that puts one id in place of several symbols (a piece taken whole, an unknown word) makes a node
    without children, as does one that takes a merge back.
    """
    nodes = [Node(leaf.start, leaf.end, leaf.id, -1, -1, 0, -1, -1) for leaf in leaves]
    standing = {leaf.start: number for number, leaf in enumerate(leaves)}
    for number, step in enumerate(steps, first):
        if step.kind in (kinds.TRY, kinds.EDGE, kinds.UNMERGE):
            continue
        left = standing.get(step.start, -1)
        right = standing.get(step.middle, -1) if step.kind == kinds.MERGE else -1
        if step.kind != kinds.MERGE:
            left = -1
        below = [nodes[child].height for child in (left, right) if child >= 0]
        height = max(below) + 1 if below else 0
        for at in range(step.start, step.end):
            standing.pop(at, None)
        standing[step.start] = len(nodes)
        nodes.append(
            Node(step.start, step.end, step.result, left, right, height, number, step.rank)
        )
    return nodes
