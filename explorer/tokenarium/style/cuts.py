"""The edges of tokens as data: what each shows, and its outline."""

from __future__ import annotations

from enum import Enum


class Cut(Enum):
    """What the edge of a painted token shows."""

    STRAIGHT = "between characters"
    NOTCH = "inside a grapheme"
    TORN = "inside a character"
    OPEN = "goes on in another line"


NARROW = 9.0
"""Pixels: on narrower tokens all cuts are straight."""

PLAIN_CUTS = (Cut.STRAIGHT, Cut.OPEN)
"""Those whose edge is a straight line."""


def edge_points(height: float, cut: Cut, tile: bool = False) -> list[tuple[float, float]]:
    """Returns the points of an edge from the top to the foot: pixels into the token, and down.

    ``tile``: of a tile, whose teeth and notches are larger.

    >>> edge_points(10, Cut.NOTCH)
    [(0.0, 3.0), (3.0, 5.0), (0.0, 7.0)]
    """
    if cut is Cut.NOTCH:
        deep = 4.0 if tile else 3.0
        return [(0.0, 0.3 * height), (deep, 0.5 * height), (0.0, 0.7 * height)]
    if cut is Cut.TORN:
        teeth = max(3, round(height / 14)) if tile else 3
        deep = min(5.0, height / teeth / 2) if tile else 3.0
        step = height / teeth
        points: list[tuple[float, float]] = []
        for tooth in range(teeth):
            points += [(0.0, tooth * step), (deep, (tooth + 0.5) * step)]
        return points
    return []
