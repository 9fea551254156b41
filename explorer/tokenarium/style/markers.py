"""The shapes that distinguish tokenizers without colour, as data: points and circles in a box from -1 to 1.

All of them look equally heavy.
"""

from __future__ import annotations

from enum import Enum
from math import cos, pi, sin

from tokenarium.style.cuts import Cut, edge_points

Points = list[tuple[float, float]]


class Marker(Enum):
    """The shapes that distinguish tokenizers without colour."""

    CIRCLE = "circle"
    SQUARE = "square"
    TRIANGLE = "triangle"
    DIAMOND = "diamond"
    HEXAGON = "hexagon"
    BAR = "bar"
    STAR = "star"
    RING = "ring"
    PLUS = "plus"
    CROSS = "cross"
    TORN_TILE = "torn tile"
    PENTAGON = "pentagon"


MARKERS = tuple(Marker)
"""The markers of the identities, in their order."""


def look_of(slot: int) -> tuple[int, Marker, bool]:
    """Returns the look of an identity: the number of its colour, its marker, and whether that is hollow.

    After the twelve colours they repeat with hollow markers. From 24 on both begin again, each colour with the marker of
    the next one, from 48 on of the one after that.

    >>> look_of(1), look_of(13), look_of(24)
    ((1, <Marker.SQUARE: 'square'>, False), (1, <Marker.SQUARE: 'square'>, True), (0, <Marker.SQUARE: 'square'>, False))
    """
    count = len(MARKERS)
    marker = MARKERS[(slot + slot // (2 * count)) % count]
    return slot % count, marker, slot // count % 2 == 1


def marker_circles(marker: Marker) -> tuple[float, ...]:
    """Returns the radii of the circles of a marker; the second one is a hole."""
    return _CIRCLES.get(marker, ())


def marker_points(marker: Marker) -> Points:
    """Returns the corners of a marker, none if it consists of circles."""
    return _POLYGONS.get(marker, [])


def _regular(corners: int, radius: float, turn: float = -pi / 2) -> Points:
    angles = [turn + 2 * pi * corner / corners for corner in range(corners)]
    return [(radius * cos(angle), radius * sin(angle)) for angle in angles]


def _star(points: int, outer: float, inner: float) -> Points:
    return [
        (
            (outer if corner % 2 == 0 else inner) * cos(-pi / 2 + pi * corner / points),
            (outer if corner % 2 == 0 else inner) * sin(-pi / 2 + pi * corner / points),
        )
        for corner in range(2 * points)
    ]


def _plus(arm: float, half: float) -> Points:
    return [
        (-half, -arm), (half, -arm), (half, -half), (arm, -half), (arm, half), (half, half),
        (half, arm), (-half, arm), (-half, half), (-arm, half), (-arm, -half), (-half, -half),
    ]  # fmt: skip


def _turned(points: Points) -> Points:
    half = 0.5**0.5
    return [(half * (x - y), half * (x + y)) for x, y in points]


def _box(x: float, y: float) -> Points:
    return [(-x, -y), (x, -y), (x, y), (-x, y)]


def _torn_tile(side: float, scale: float) -> Points:
    teeth = [(side / 2 - x, y - side / 2) for x, y in edge_points(side, Cut.TORN)]
    half = side / 2
    corners = [(-half, -half), (half, -half), *teeth, (half, half), (-half, half)]
    return [(scale * x, scale * y) for x, y in corners]


_CIRCLES: dict[Marker, tuple[float, ...]] = {Marker.CIRCLE: (0.8,), Marker.RING: (0.85, 0.42)}
_POLYGONS = {
    Marker.SQUARE: _box(0.72, 0.72),
    Marker.TRIANGLE: [(0.0, -0.85), (0.92, 0.75), (-0.92, 0.75)],
    Marker.DIAMOND: _regular(4, 0.98),
    Marker.HEXAGON: _regular(6, 0.9),
    Marker.BAR: _box(0.95, 0.45),
    Marker.STAR: _star(5, 1.0, 0.45),
    Marker.PLUS: _plus(0.85, 0.32),
    Marker.CROSS: _turned(_plus(0.98, 0.3)),
    Marker.TORN_TILE: _torn_tile(14.0, 0.11),
    Marker.PENTAGON: _regular(5, 0.92),
}
