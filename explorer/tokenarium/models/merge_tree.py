"""The tree that the merges of a word grow: symbols as leaves, merged pieces above the two they came from."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tokenarium.models.playback import Step, Symbol
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


def grown(leaves: list[Symbol], steps: list[Step], first: int) -> list[Node]:
    """Returns the nodes after some steps, children before parents; ``first`` is the number of the first step.

    Taking a merge back makes no node.
    """
    nodes = [Node(leaf.start, leaf.end, leaf.id) for leaf in leaves]
    standing = {leaf.start: number for number, leaf in enumerate(leaves)}
    for number, step in enumerate(steps, first):
        if step.kind in (kinds.TRY, kinds.EDGE, kinds.UNMERGE):
            continue
        below = tuple(standing.pop(at) for at in range(step.start, step.end) if at in standing)
        if step.kind == kinds.BYTE_FALLBACK and not below and nodes:
            last = nodes[-1]  # further bytes of the same character
            if last.kind == kinds.BYTE_FALLBACK and last.end == step.start:
                nodes[-1] = replace(last, end=step.end)
                continue
        height = 1 + max((nodes[child].height for child in below), default=0)
        standing[step.start] = len(nodes)
        nodes.append(
            Node(step.start, step.end, step.result, below, height, number, step.kind, step.rank)
        )
    return nodes
