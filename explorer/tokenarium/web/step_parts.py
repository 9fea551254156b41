"""The parts of a figure that is played step by step: each is recorded once, with how it looks from which step on.

The parts that are seen at the step at which the figure was made are markup, so that it is complete without a script, and
a list has all steps. The others are data: parts of the same shape differ only in their place and their texts. The script
makes them, and then only exchanges the classes of parts, so a page shows what the trace has.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partialmethod
from html import unescape
from typing import Final, NamedTuple
from xml.etree import ElementTree

from tokenarium.models.text.segmentation import TOKEN_COLOURS
from tokenarium.web.html import escaped
from tokenarium.web.page import Figure
from tokenarium.web.svg_parts import number
from tokenarium_core.progress import Progress

OFF = "off"
"""The class of a part that is not seen."""

KIND = "steps"
"""The behaviour of the script that plays such figures."""


HUE = "hue"
"""A look with one of the hues: neighbours that are seen in a row have its two shades in turn, as tokens of a text have."""

StepReport = Callable[[Progress], None]
"""Is told how many of the steps of a figure are drawn."""

_REPORTED: Final = 16
_HUES: Final = TOKEN_COLOURS // 2
_TEXT: Final = re.compile(r"(?<=>)[^<>]+(?=<)")


def untold(progress: Progress) -> None:
    """Reports nothing."""


def each_step(last: int, report: StepReport, doing: str = "drawing the steps") -> Iterator[int]:
    """Yields the steps of a run from 0 to the last, and reports from time to time for how many something is done."""
    for step in range(last + 1):
        if step % _REPORTED == 0:
            report(Progress(doing, step, last + 1, False))
        yield step


class StepSaid(NamedTuple):
    """A step in words: the sentence about what happens next, and how many symbols, tokens or pieces there are."""

    sentence: str
    figures: str = ""


class _WrittenPart(NamedTuple):
    """A part as markup."""

    layer: int
    place: int
    tag: str
    base: str
    inside: str
    left: float
    row: int


class StepParts:
    """The parts of a figure, and their looks at each step.

    Call `begin` for each step in turn, and `part` for everything that is seen there only; `keep` and `drop` say from
    which step on something is seen, and up to which. A key is used in one of the two ways.
    """

    def __init__(self) -> None:
        self._step = -1
        self._boxes: set[tuple[int, ...]] = set()
        self._now: dict[Hashable, str] = {}
        self._before: dict[Hashable, str] = {}
        self._looks: dict[Hashable, list[tuple[int, str]]] = {}
        self._drawn: dict[Hashable, _WrittenPart] = {}

    def begin(self, step: int) -> None:
        """Begins a step, after everything that is seen at the last one."""
        self._note()
        self._step, self._now = step, {}

    def part(
        self,
        key: Hashable,
        layer: int,
        tag: str,
        base: str,
        draw: Callable[[], str],
        look: str = "",
        place: int = 0,
        left: float = 0.0,
        row: int = -1,
        *,
        stays: bool = False,
    ) -> None:
        """Shows a part with the classes ``base`` and ``look``, at this step only unless it ``stays``, see `keep`.

        ``draw`` returns what is inside its ``tag`` when it is first seen. Parts of a higher layer are over others, and in
        a layer those of a higher ``place`` come later. A drawing is moved by ``left`` pixels, so that those of one shape are
        the same wherever they are. ``row``: the row of a part whose look has a hue.
        """
        if stays:
            self._set(key, look)
        else:
            self._now[key] = look
        if key not in self._drawn:
            self._drawn[key] = _WrittenPart(layer, place, tag, base, draw(), left, row)

    keep = partialmethod(part, stays=True)
    """Shows a part, as `part` does, from this step on, until it is kept with another look or dropped."""

    def drop(self, key: Hashable) -> None:
        """Hides a part that was kept, from this step on."""
        if key in self._looks:
            self._set(key, OFF)

    def _set(self, key: Hashable, look: str) -> None:
        looks = self._looks.setdefault(key, [])
        if looks and looks[-1][0] == self._step:
            looks.pop()
        if (looks[-1][1] if looks else OFF) != look:
            looks.append((self._step, look))

    def end(self) -> None:
        """Ends the last step."""
        self._note()
        self._now = self._before

    def look(self, key: Hashable, step: int) -> str:
        """Returns the classes of a part at a step; `OFF` where it is not seen."""
        looks = self._looks[key]
        at = bisect_right(looks, (step, "\U0010ffff")) - 1
        return looks[at][1] if at >= 0 else OFF

    def markup(self, step: int, *layers: int) -> str:
        """Returns the parts of some layers, or of all, that are seen at a step: the lowest layer first, else by their order.

        The element that has them needs the attribute ``data-parts``; elements of higher layers come later.
        """
        self._boxes.add(layers)
        shades = _Shades()
        written = []
        for key in self._ordered(layers):
            one, look = self._drawn[key], self.look(key, step)
            if look != OFF:
                written.append(_element(one, shades.of(look, one.row)))
        return "".join(written)

    def data(self, step: int) -> dict[str, object]:
        """Returns what the script makes all parts from; those that are seen at a step are there.

        ``shapes`` are elements, in which the sign ``?`` stands for each text. ``parts`` has a list for each element with parts,
        and for each part: the number of its shape, or -1 less that number if it is there; its changes, each as a step and
        the number of a look; and unless it is there, its place and its texts. With its place is its row, if it has one.
        """
        shapes: dict[str, int] = {}
        looks: dict[str, int] = {OFF: 0}
        parts = [
            [self._packed(key, step, shapes, looks) for key in self._ordered(layers)]
            for layers in sorted(self._boxes)
        ]
        trees = [_tree(ElementTree.fromstring(shape)) for shape in shapes]
        return {"shapes": trees, "looks": list(looks), "parts": parts}

    def _ordered(self, layers: Sequence[int]) -> list[Hashable]:
        keys = [
            key
            for key, one in self._drawn.items()
            if self._looks[key] and (not layers or one.layer in layers)
        ]
        keys.sort(key=lambda key: (self._drawn[key].layer, self._drawn[key].place))
        return keys

    def _packed(
        self, key: Hashable, step: int, shapes: dict[str, int], looks: dict[str, int]
    ) -> list[object]:
        one = self._drawn[key]
        element = _element(one._replace(left=0.0), "")
        shape = shapes.setdefault(_TEXT.sub("?", element), len(shapes))
        changes: list[int] = []
        for at, look in self._looks[key]:
            changes += [at, looks.setdefault(look, len(looks))]
        row = [one.row] if one.row >= 0 else []
        if self.look(key, step) != OFF:
            return [-1 - shape, changes, *row]
        left = float(number(one.left))
        place = int(left) if left == int(left) else left
        texts = map(unescape, _TEXT.findall(element))
        return [shape, changes, [place, *row] if row else place, *texts]

    def _note(self) -> None:
        now, before, step = self._now, self._before, self._step
        for key, look in now.items():
            if before.get(key) != look:
                self._looks.setdefault(key, []).append((step, look))
        for key in before:
            if key not in now:
                self._looks[key].append((step, OFF))
        self._before = now


class _Shades:
    """Gives neighbours in a row the two shades of their hues in turn."""

    def __init__(self) -> None:
        self._row, self._count = -1, 0

    def of(self, look: str, row: int) -> str:
        """Returns the look of the next part that is seen."""
        if row < 0:
            return look
        self._count = self._count + 1 if row == self._row else 0
        self._row = row
        shade = _HUES * (self._count % 2)
        return re.sub(rf"{HUE}(\d+)", lambda found: f"s{int(found[1]) + shade}", look)


def _tree(element: ElementTree.Element) -> list[object]:
    """Returns an element as its name, its attributes and what is inside, which the script makes without reading markup."""
    inside: list[object] = [element.text] if element.text else []
    for child in element:
        inside += [_tree(child), *([child.tail] if child.tail else [])]
    return [element.tag, element.attrib, *inside]


def _element(one: _WrittenPart, look: str) -> str:
    moved = f' transform="translate({number(one.left)})"' if one.left else ""
    return f'<{one.tag} class="{f"{one.base} {look}".strip()}"{moved}>{one.inside}</{one.tag}>'


def figure(
    title: str,
    about: str,
    stage: str,
    parts: StepParts,
    said: Sequence[StepSaid],
    step: int,
    more: str = "",
    beside: str = "",
) -> Figure:
    """Returns a figure with its ``stage`` as markup, its parts, its steps in words, and the step that is shown at first.

    ``beside`` is markup that follows the steps too, before the list of them; ``more`` is after the list.
    """
    items = "".join(f"<li>{escaped(one.sentence)}</li>" for one in said)
    steps = f"{len(said) - 1:,} step{'' if len(said) == 2 else 's'}"
    listed = f'<details class="listed"><summary>All {steps}</summary><ol start="0">{items}</ol></details>'
    html = frame(title, about, stage, said[step], beside + listed + more)
    data = {"figures": [one.figures for one in said], "at": step, **parts.data(step)}
    return Figure(html, data, KIND)


def frame(title: str, about: str, stage: str, said: StepSaid, more: str) -> str:
    """Returns the markup of a figure that is played: what it is about, the stage, the step in words, and ``more``."""
    return (
        f'<div class="steps" role="group" aria-label="{escaped(title)}, step by step">'
        f'<p class="head"><strong>{escaped(title)}</strong> <span class="about">{escaped(about)}</span>'
        f' <span class="count">{escaped(said.figures)}</span></p>'
        f'<div class="stage" tabindex="0" role="group" aria-label="{escaped(title)}, figure">{stage}</div>'
        f'<p class="said" role="status">{escaped(said.sentence)}</p><div class="player" hidden></div>{more}</div>'
    )
