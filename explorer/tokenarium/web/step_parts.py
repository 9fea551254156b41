"""The parts of a figure that is played step by step: each is written once, with how it looks from which step on.

The script only exchanges the classes of the parts, so a page shows what the trace has, and nothing is computed in the
browser. Without a script, the parts look as at the step at which the figure was made, and a list has all steps.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partialmethod
from typing import NamedTuple

from tokenarium.web.html import escaped
from tokenarium.web.page import Figure

OFF = "off"
"""The class of a part that is not seen."""

KIND = "steps"
"""The behaviour of the script that plays such figures."""


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


class StepParts:
    """The parts of a figure, and their looks at each step.

    Call `begin` for each step in turn, and `part` for everything that is seen there only; `keep` and `drop` say from
    which step on something is seen, and up to which. A key is used in one of the two ways.
    """

    def __init__(self) -> None:
        self._step = -1
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
        stays: bool = False,
    ) -> None:
        """Shows a part with the classes ``base`` and ``look``, at this step only unless it ``stays``, see `keep`.

        ``draw`` returns what is inside its ``tag`` when it is first seen. Parts of a higher layer are over others, and in
        a layer those of a higher ``place`` come later.
        """
        if stays:
            self._set(key, look)
        else:
            self._now[key] = look
        if key not in self._drawn:
            self._drawn[key] = _WrittenPart(layer, place, tag, base, draw())

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

    def markup(self, step: int, layers: Iterable[int] | None = None) -> str:
        """Returns the parts of some layers as they look at a step, the lowest layer first, else by their order."""
        chosen = None if layers is None else set(layers)
        keys = [
            key
            for key, one in self._drawn.items()
            if self._looks[key] and (chosen is None or one.layer in chosen)
        ]
        keys.sort(key=lambda key: (self._drawn[key].layer, self._drawn[key].place))
        return "".join(self._written(key, step) for key in keys)

    def _note(self) -> None:
        now, before, step = self._now, self._before, self._step
        for key, look in now.items():
            if before.get(key) != look:
                self._looks.setdefault(key, []).append((step, look))
        for key in before:
            if key not in now:
                self._looks[key].append((step, OFF))
        self._before = now

    def _written(self, key: Hashable, step: int) -> str:
        _, _, tag, base, inside = self._drawn[key]
        looks = self._looks[key]
        if looks[0][0] > 0:
            looks = [(0, OFF), *looks]
        always = len(looks) == 1
        classes = f"{base} {self.look(key, step)}".strip()
        at = "" if always else f' data-at="{";".join(f"{n} {look}".strip() for n, look in looks)}"'
        return f'<{tag} class="{classes}"{at}>{inside}</{tag}>'


def figure(
    title: str,
    about: str,
    stage: str,
    said: Sequence[StepSaid],
    step: int,
    more: str = "",
    beside: str = "",
) -> Figure:
    """Returns a figure with its ``stage`` as markup, its steps in words, and the step that is shown at first.

    ``beside`` is markup that follows the steps too, before the list of them; ``more`` is after the list.
    """
    items = "".join(f"<li>{escaped(one.sentence)}</li>" for one in said)
    steps = f"{len(said) - 1:,} step{'' if len(said) == 2 else 's'}"
    listed = f'<details class="listed"><summary>All {steps}</summary><ol start="0">{items}</ol></details>'
    html = frame(title, about, stage, said[step], beside + listed + more)
    return Figure(html, {"said": [list(one) for one in said], "at": step}, KIND)


def frame(title: str, about: str, stage: str, said: StepSaid, more: str) -> str:
    """Returns the markup of a figure that is played: what it is about, the stage, the step in words, and ``more``."""
    return (
        f'<div class="steps" role="group" aria-label="{escaped(title)}, step by step">'
        f'<p class="head"><strong>{escaped(title)}</strong> <span class="about">{escaped(about)}</span>'
        f' <span class="count">{escaped(said.figures)}</span></p>'
        f'<div class="stage" tabindex="0" role="group" aria-label="{escaped(title)}, figure">{stage}</div>'
        f'<p class="said" role="status">{escaped(said.sentence)}</p><div class="player" hidden></div>{more}</div>'
    )
