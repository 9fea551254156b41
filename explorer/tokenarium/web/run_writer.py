"""Writes the runs of a text, pieces of its layers, as elements whose style gives them the colours of their parts."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final
from urllib.parse import quote

from tokenarium.models.text.direction import reads_right_to_left
from tokenarium.models.text.text_runs import RunPart, TextRun
from tokenarium.style.cuts import Cut
from tokenarium.web.html import escaped
from tokenarium.web.shapes import number, token_outline

TILE: Final = 28
"""Pixels of the height of a token in the text."""

WIDE: Final = 19.0
USUAL: Final = 11.0
"""Pixels that a grapheme is assumed to be wide, where its edges depend on that: one of East Asia or an emoji, and any
other."""

MOST_SHARED: Final = 64
"""Parts of one grapheme that are drawn, at most: there may be thousands of combining marks."""


class RunWriter:
    """Writes the runs of a text as elements without ink, whose style gives them the colours of their parts.

    The classes: ``s0`` to ``s15`` is the colour of a token, ``o`` says that it began in an element before, ``l`` and ``r``
    that it goes on at the left and at the right of this one, ``z`` that a part has no characters, ``x`` that the characters
    are lost, ``b`` that they are selected, and ``g`` that several parts share a grapheme, as many as ``data-p`` says. How
    they share it is a rule of the style sheet, in ``styles``: elements inside a grapheme would break its shaping.
    """

    def __init__(self) -> None:
        self._colours: dict[str, str] = {}
        self._teeth: dict[str, list[str]] = {}  # the graphemes that are divided alike

    @property
    def styles(self) -> tuple[str, ...]:
        """The rules that the elements need."""
        colours = [f"{element}{{{rule}}}" for element, rule in self._colours.items()]
        teeth = [f"{','.join(alike)}{{{rule}}}" for rule, alike in self._teeth.items()]
        return (*colours, *teeth)

    def html(self, run: TextRun, right_to_left: bool = False, extra: str = "") -> str:
        """Returns a run in a line of a direction; ``extra`` are more classes, each after a space."""
        if not run.text:
            return "<i class=z></i>"
        if not run.parts:
            return self.plain(run.text, extra.strip())
        shown = _value(run.text)
        one = run.parts[0]
        more = ("" if one.first else " o") + extra
        turned = _is_turned(run.text, right_to_left)
        if len(run.parts) > 1:
            name = self._shared(run, turned)
            return f'<i class="g {name}{more}" data-p={len(run.parts)} data-t={shown}></i>'
        left, right = (one.right, one.left) if turned else (one.left, one.right)
        more += " l" if left is Cut.OPEN else ""
        more += " r" if right is Cut.OPEN else ""
        name = f"s{one.colour}"
        return f"<i class={_value(name + more)} data-t={shown}></i>"

    def plain(self, text: str, classes: str = "") -> str:
        """Returns characters that no part has."""
        named = f" class={_value(classes)}" if classes else ""
        return f"<u{named} data-t={_value(text)}></u>"

    def _shared(self, run: TextRun, turned: bool) -> str:
        """Returns the class of a grapheme that several parts share, and keeps its rule."""
        scale = 100 / (WIDE if ord(max(run.text)) >= 0x1100 else USUAL)
        outlines, fills, rules = [], [], []
        for part in _some(run.parts):
            start, end, cuts = 100 * part.start, 100 * part.end, (part.left, part.right)
            if turned:
                start, end, cuts = 100 - end, 100 - start, (part.right, part.left)
            outlines.append(token_outline(start, end, TILE, cuts, scale))
            stop = f"{number(100 * part.end)}%"
            fills.append(f"var(--c{part.colour}) 0 {stop}")
            rules.append(f"var(--u{part.colour % 8}) 0 {stop}")
        to = "270deg" if turned else "90deg"
        mask = (
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 {TILE}' preserveAspectRatio='none'>"
            f"<path d='{''.join(outlines)}'/></svg>"
        )
        teeth = f"--teeth:url('data:image/svg+xml,{quote(mask, safe='/:= ')}')"
        colours = f"background-image:linear-gradient({to},{','.join(rules)}),linear-gradient({to},{','.join(fills)})"
        name = f"g{blake2b((colours + teeth).encode(), digest_size=5).hexdigest()}"
        element = f"i.{name}"  # as particular as the rule of all tokens, and after it
        if element not in self._colours:
            self._colours[element] = colours
            self._teeth.setdefault(teeth, []).append(element)
        return name


def _is_turned(text: str, right_to_left: bool) -> bool:
    """Returns whether characters in a line of a direction are written from the right; text without letters or digits is as the line."""
    if any(map(str.isalnum, text)):
        return reads_right_to_left([text])
    return right_to_left or reads_right_to_left([text])


def _some(parts: Sequence[RunPart]) -> Sequence[RunPart]:
    """Returns parts of one grapheme, or as many as can be drawn in its width, each up to where the next one begins."""
    step = -(-len(parts) // MOST_SHARED)
    starts = parts[::step]
    return [
        one._replace(end=parts[min(at * step + step, len(parts)) - 1].end)
        for at, one in enumerate(starts)
    ]


def _value(text: str) -> str:
    """Returns the value of an attribute, in quotation marks only if it needs them."""
    return text if text.isalnum() and text.isascii() else f'"{escaped(text)}"'
