"""SVG for figures: tiles with their cuts, texts that fit, branches. Colours are classes, see ``resources/web``."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from tokenarium.models.merges.canvas_places import CanvasBox
from tokenarium.models.text.direction import isolated
from tokenarium.style.cuts import NARROW, PLAIN_CUTS, Cut, edge_points
from tokenarium.web.html import escaped
from tokenarium.web.shapes import GAP
from tokenarium.web.shapes import number as two_decimals

LEAST_SIZE = 11

_NARROW = frozenset("fijlrtI.,:;|!'`()[]")
_WIDE = frozenset("mwMW@%")


@lru_cache(maxsize=1 << 14)
def text_width(text: str, size: float) -> float:
    """Returns about how many pixels a text is wide: fonts are the reader's."""
    ems = 0.0
    for sign in text:
        if sign.isascii():
            ems += 0.32 if sign in _NARROW else 0.88 if sign in _WIDE else 0.58
        elif unicodedata.category(sign)[0] == "M" or unicodedata.category(sign) == "Cf":
            continue
        else:
            ems += 1.0 if unicodedata.east_asian_width(sign) in "WF" else 0.64
    return ems * size


def number(value: float) -> str:
    """Returns a number of pixels with at most one decimal: drawings of many steps have very many.

    >>> number(3.0), number(3.26)
    ('3', '3.3')
    """
    return two_decimals(round(value, 1))


def text(
    words: str,
    x: float,
    y: float,
    size: float,
    room: float = 0.0,
    classes: str = "",
    least: float = LEAST_SIZE,
) -> str:
    """Returns a text around a point, centred both ways; smaller, then squeezed, if it does not fit ``room`` pixels."""
    squeezed = ""
    if room and words:
        wide = text_width(words, size)
        if wide > room:
            size = max(least, size * room / wide)
            if text_width(words, size) > room * 1.05:
                squeezed = f' textLength="{number(room)}" lengthAdjust="spacingAndGlyphs"'
    named = f' class="{classes}"' if classes else ""
    return (
        f'<text{named} x="{number(x)}" y="{number(y + 0.35 * size)}" font-size="{number(size)}"{squeezed}>'
        f"{escaped(isolated(words))}</text>"
    )


def text_at(words: str, x: float, y: float, anchor: str) -> str:
    """Returns a text of a chart on the line of a point, which is its ``anchor``: start, middle or end."""
    return f'<text class="{anchor}" x="{two_decimals(x)}" y="{two_decimals(y)}" font-size="12">{escaped(words)}</text>'


def tile(
    box: CanvasBox, left: Cut = Cut.STRAIGHT, right: Cut = Cut.STRAIGHT, radius: float = 9.0
) -> str:
    """Returns the ground of a tile with the rule at its foot; torn where a cut is inside a character."""
    x, y, w, h = box.left + GAP, box.top, max(1.2, box.width - 2 * GAP), box.height
    if w < NARROW:
        left = right = Cut.STRAIGHT
    r = min(radius, w / 2)
    path = [f"M{number(x + (r if left in PLAIN_CUTS else 0))} {number(y)}"]
    if right in PLAIN_CUTS:
        path.append(f"H{number(x + w - r)}a{number(r)} {number(r)} 0 0 1 {number(r)} {number(r)}")
    else:
        path.append(f"H{number(x + w)}")
        path += [f"L{number(x + w - a)} {number(y + b)}" for a, b in edge_points(h, right, True)]
    path.append(f"L{number(x + w)} {number(y + h)}H{number(x)}")
    if left in PLAIN_CUTS:
        path.append(f"V{number(y + r)}a{number(r)} {number(r)} 0 0 1 {number(r)} -{number(r)}")
    else:
        path += [
            f"L{number(x + a)} {number(y + b)}" for a, b in reversed(edge_points(h, left, True))
        ]
    foot = max(2.0, 0.05 * h)
    return f'<path class="f" d="{"".join(path)}z"/>{rect("r", CanvasBox(x, y + h - foot, w, foot))}'


def rect(classes: str, box: CanvasBox, radius: float = 0.0) -> str:
    """Returns a rectangle."""
    rounded = f' rx="{number(radius)}"' if radius else ""
    x, y, w, h = map(number, box)
    return f'<rect class="{classes}" x="{x}" y="{y}" width="{w}" height="{h}"{rounded}/>'


def branch(x: float, y: float, to: float, down: float) -> str:
    """Returns the line from the foot of a tile or a node down to one of its parts."""
    bend = (down - y) * 0.55
    return (
        f'<path class="line" d="M{number(x)} {number(y)}C{number(x)} {number(y + bend)} {number(to)}'
        f' {number(down - bend)} {number(to)} {number(down)}"/>'
    )


def line(classes: str, *points: tuple[float, float]) -> str:
    """Returns straight lines from point to point."""
    path = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return f'<path class="{classes}" d="M{path}"/>'


def svg(inside: str, width: float, height: float, label: str, kind: str = "scales") -> str:
    """Returns a drawing: one that ``scales`` is no wider than its room, a ``wide`` one scrolls."""
    # As narrow as it may become: at three quarters, its texts can still be read.
    least = min(9, max(3, round(0.75 * width / 80)))
    size = f'width="{number(width)}" height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}"'
    return f'<svg class="{kind} least{least}" {size} role="img" aria-label="{escaped(label)}">{inside}</svg>'
