"""The edges of tokens as data: what each shows, and its outline."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from unicodedata import category


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


@lru_cache(maxsize=1 << 15)
def tile_cuts(piece: bytes) -> tuple[Cut, Cut]:
    """Returns how the left and the right edge of a single piece are drawn.

    Torn if its bytes begin or end inside a character; with a notch if it begins with a mark, which belongs to the
    character before.
    """
    left = right = Cut.STRAIGHT
    if piece and piece[0] & 0xC0 == 0x80:
        left = Cut.TORN
    elif category(piece.decode(errors="ignore")[:1] or " ")[0] == "M":
        left = Cut.NOTCH
    lone = piece[-4:].decode("utf-8", "surrogateescape")[-1:]
    if lone and 0xDC80 <= ord(lone) <= 0xDCFF and not (left is Cut.TORN and _is_tail(piece)):
        right = Cut.TORN
    return left, right


def _is_tail(piece: bytes) -> bool:
    """Whether a piece ends with the last byte of a character, as far as its own bytes show."""
    return all(byte & 0xC0 == 0x80 for byte in piece)
