"""What an export writes: a picture of one step, or the pictures of some steps and how long each stays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tokenarium.style.theme import MOTION_MS

Kind = Literal["png", "svg", "gif", "frames"]

MOVING_FPS = 25
"""Pictures a second while things slide: a GIF counts in hundredths of a second, and players keep to four of them."""

SHORTEST_MS = 20
"""Shorter pictures of a GIF are shown for longer by most players."""

LAST_MS = 2000
"""The last picture stays at least so long, before all begins again."""


@dataclass(frozen=True, slots=True)
class Order:
    """What to write, and how. ``first`` and ``last`` are steps; a single picture is of ``first``.

    ``step_ms`` is how long a step stays; ``moving``: also the pictures on the way between steps. ``fps``: numbered
    frames are so many a second, as an animation has them; 0: one for each picture. ``width`` and ``height`` are in pixels of
    the window, of which a picture has ``scale`` for each in both directions.
    """

    kind: Kind
    path: Path
    first: int
    last: int
    step_ms: int
    moving: bool
    loop: bool
    fps: int
    width: int
    height: int
    scale: float
    dark: bool


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: the step, how far on the way to it, and how long it stays."""

    step: int
    share: float
    ms: int


def shots(order: Order) -> list[Shot]:
    """Returns the pictures that an order asks for.

    >>> order = Order("gif", Path("a.gif"), 0, 1, 500, True, True, 0, 8, 8, 1.0, False)
    >>> [(shot.step, shot.share, shot.ms) for shot in shots(order)]
    [(0, 1.0, 500), (1, 0.25, 40), (1, 0.5, 40), (1, 0.75, 40), (1, 1.0, 2000)]
    """
    if order.kind in ("png", "svg"):
        return [Shot(order.first, 1.0, 0)]
    if order.kind == "frames" and order.fps:
        return _animation(order)
    moving = round(min(MOTION_MS, order.step_ms * 0.6) * MOVING_FPS / 1000) if order.moving else 0
    moving_ms = 1000 // MOVING_FPS
    rest = max(SHORTEST_MS, (order.step_ms - max(moving - 1, 0) * moving_ms) // 10 * 10)
    found = []
    for step in range(order.first, order.last + 1):
        if step > order.first:
            found += [Shot(step, k / moving, moving_ms) for k in range(1, moving)]
        found.append(Shot(step, 1.0, max(rest, LAST_MS) if step == order.last else rest))
    return found


def _animation(order: Order) -> list[Shot]:
    """Returns a picture for each moment of an animation with so many frames a second."""
    moving = min(MOTION_MS, order.step_ms * 0.6) if order.moving else 0.0
    length = (order.last - order.first) * order.step_ms + LAST_MS
    found = []
    for frame in range(max(1, length * order.fps // 1000)):
        passed = frame * 1000 / order.fps
        steps = min(int(passed // order.step_ms), order.last - order.first)
        inside = passed - steps * order.step_ms
        share = min(1.0, inside / moving) if moving and steps else 1.0
        found.append(Shot(order.first + steps, share, round(1000 / order.fps)))
    return found


def seconds(pictures: list[Shot]) -> float:
    """Returns how long the pictures take one after the other."""
    return sum(shot.ms for shot in pictures) / 1000
