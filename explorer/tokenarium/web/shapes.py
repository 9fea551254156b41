"""Markers and tiles as SVG, from the points that the window paints too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tokenarium.style.cuts import NARROW, PLAIN_CUTS, Cut, edge_points
from tokenarium.style.markers import look_of, marker_circles, marker_points

GAP: Final = 0.75
"""Pixels of ground that a token leaves free at each side."""


def number(value: float) -> str:
    """Returns a coordinate with at most two decimals.

    >>> number(3.0), number(-0.456)
    ('3', '-0.46')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"


NEUTRAL: Final = 1000
"""From here on, identities are those of patterns: a grey, hollow marker, as a tokenizer may have the same name."""


def colour_class(identity: int) -> str:
    """Returns the class with the colours of an identity."""
    return "grey" if identity >= NEUTRAL else f"i{look_of(identity)[0]}"


def marker_svg(identity: int) -> str:
    """Returns the marker of a tokenizer by the number of its identity; its name stands beside it."""
    _, marker, hollow = look_of(identity % NEUTRAL)
    points = marker_points(marker)
    path = f"M{_points(points)}z" if points else "".join(map(_circle, marker_circles(marker)))
    inner = ' class="hollow"' if hollow or identity >= NEUTRAL else ""
    return (
        f'<svg class="mark {colour_class(identity)}" viewBox="-1 -1 2 2" aria-hidden="true">'
        f'<path{inner} fill-rule="evenodd" d="{path}"/></svg>'
    )


def token_outline(
    left: float, right: float, height: float, cuts: tuple[Cut, Cut], scale: float = 1.0
) -> str:
    """Returns the outline of a token from ``left`` to ``right`` as the path of an SVG, with the form of each cut.

    ``scale``: units of the drawing for each pixel across.
    """
    at_left, at_right = cuts if right - left >= NARROW * scale else (Cut.STRAIGHT, Cut.STRAIGHT)
    left += 0 if cuts[0] is Cut.OPEN else GAP * scale
    right -= 0 if cuts[1] is Cut.OPEN else GAP * scale
    right = max(right, left + 0.4 * scale)
    if at_left in PLAIN_CUTS and at_right in PLAIN_CUTS:
        return f"M{number(left)} 0H{number(right)}V{number(height)}H{number(left)}z"
    points = [
        (left, 0.0),
        (right, 0.0),
        *((right - scale * x, y) for x, y in edge_points(height, at_right)),
        (right, height),
        (left, height),
        *((left + scale * x, y) for x, y in reversed(edge_points(height, at_left))),
    ]
    return f"M{_points(points)}z"


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{number(x)} {number(y)}" for x, y in points)


def _circle(radius: float) -> str:
    r = number(radius)
    return f"M-{r} 0a{r} {r} 0 1 0 {number(2 * radius)} 0a{r} {r} 0 1 0 -{number(2 * radius)} 0z"


def bar_svg(share: float, selected: float = 0.0) -> str:
    """Returns the bar of a count: its share of the greatest, and the part of it that is selected, from 0 to 1."""
    parts = "".join(
        f'<rect class="{kind}" width="{number(100 * min(width, 1.0))}" height="6"/>'
        for kind, width in (("share", share), ("picked", selected))
        if width > 0
    )
    return f'<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">{parts}</svg>'
