"""Where the rectangles of a treemap lie: areas in proportion, and sides that differ as little as can be."""

from __future__ import annotations

from collections.abc import Sequence

Rectangle = tuple[float, float, float, float]
"""Left, top, width and height."""


def squarify(areas: Sequence[float], bounds: Rectangle) -> list[Rectangle]:
    """Returns a rectangle for each of some areas, the largest first, that fill the bounds together.

    Rows are laid along the shorter side of what is left, each as long as its worst rectangle becomes squarer by it
    (Bruls, Huizing and van Wijk, "Squarified Treemaps", 2000). Areas may be in any unit; all are above 0.

    >>> squarify([3, 1], (0, 0, 4, 1))
    [(0, 0, 3.0, 1.0), (3.0, 0, 1.0, 1.0)]
    """
    left, top, width, height = bounds
    unit = width * height / sum(areas) if areas else 0.0
    found: list[Rectangle] = []
    start = 0
    while start < len(areas):
        side = min(width, height)
        stop, filled = start + 1, areas[start] * unit
        worst = _worst(areas[start] * unit, areas[start] * unit, filled, side)
        while stop < len(areas):
            longer = filled + areas[stop] * unit
            next_worst = _worst(areas[start] * unit, areas[stop] * unit, longer, side)
            if next_worst > worst:
                break
            stop, filled, worst = stop + 1, longer, next_worst
        depth = filled / side if side else 0.0
        at = 0.0
        for area in areas[start:stop]:
            length = area * unit / depth if depth else 0.0
            if width >= height:
                found.append((left, top + at, depth, length))
            else:
                found.append((left + at, top, length, depth))
            at += length
        if width >= height:
            left, width = left + depth, max(width - depth, 0.0)
        else:
            top, height = top + depth, max(height - depth, 0.0)
        start = stop
    return found


def _worst(largest: float, least: float, filled: float, side: float) -> float:
    """Returns the worst ratio of sides in a row with these largest and least areas."""
    if not filled or not side or not least:
        return float("inf")
    return max(side * side * largest / filled**2, filled**2 / (side * side * least))
