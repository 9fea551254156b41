"""What a chart shows, as plain data: axes, curves, bars and marks; and the same as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Literal


@dataclass(frozen=True, slots=True)
class Axis:
    """What is measured along an axis, and in what unit; ``logarithmic``: equal steps are equal factors.

    ``limits`` are the least and the most that it shows; None: as far as the values reach.
    """

    title: str
    unit: str = ""
    logarithmic: bool = False
    limits: tuple[float, float] | None = None

    @property
    def label(self) -> str:
        """The title with its unit."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


def roomy(most: float) -> float:
    """Returns a round number that is not below ``most``; few of them, so that an axis seldom changes as values grow."""
    power = 10.0 ** floor(log10(most)) if most > 0 else 1.0
    return next(
        factor * power for factor in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if factor * power >= most
    )


def close_limits(values: Sequence[float]) -> tuple[float, float]:
    """Returns round numbers just below and above some values, so that they fill an axis that need not begin at 0.

    >>> close_limits([3.12, 3.48]), close_limits([2.0])
    ((3.1, 3.5), (1.9, 2.1))
    """
    low, high = min(values), max(values)
    if high - low < 0.01 * abs(high):
        low, high = low - 0.04 * abs(high), high + 0.04 * abs(high)
    step = 10.0 ** floor(log10(high - low)) if high > low else 1.0
    digits = max(0, -floor(log10(step)))
    return round(floor(low / step) * step, digits), round(ceil(high / step) * step, digits)


@dataclass(frozen=True, slots=True)
class Curve:
    """Points from left to right, joined; ``colour`` is a number of the palette of tokenizers."""

    title: str
    points: Sequence[tuple[float, float]]
    colour: int = 0
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on the horizontal axis that a line is drawn at, and what it means."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves over a horizontal axis, or bars: of those each has a name, on the vertical axis, and a length.

    A chart has curves or bars, not both.
    """

    x: Axis
    y: Axis
    curves: Sequence[Curve] = ()
    marks: Sequence[Mark] = ()
    bars: Sequence[tuple[str, float]] = ()
    colour: int = 0  # of the bars

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self.bars and not any(curve.points for curve in self.curves)

    @property
    def kind(self) -> Literal["bars", "curves"]:
        """What it draws."""
        return "bars" if self.bars else "curves"

    def table(self) -> str:
        """Returns everything that is drawn as CSV, with a line of titles: a row for each point or bar."""
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        if self.bars:
            rows.writerow([self.y.label, self.x.label])
            rows.writerows([name, _number(length)] for name, length in self.bars)
            return text.getvalue()
        rows.writerow(["curve", self.x.label, self.y.label])
        for curve in self.curves:
            rows.writerows([curve.title, _number(x), _number(y)] for x, y in curve.points)
        return text.getvalue()

    def summary(self) -> str:
        """Returns what it shows in words, for who cannot see it."""
        if self.bars:
            shown = ", ".join(f"{name} {shown_number(length)}" for name, length in self.bars)
            return f"{self.x.label} by {self.y.title.lower()}: {shown}."
        parts = [
            f"{curve.title}: from {shown_number(curve.points[0][1])} at {shown_number(curve.points[0][0])}"
            f" to {shown_number(curve.points[-1][1])} at {shown_number(curve.points[-1][0])}"
            for curve in self.curves
            if curve.points
        ]
        parts += [f"{mark.text}: {shown_number(mark.at)}" for mark in self.marks]
        return f"{self.y.label} by {self.x.label}. {'; '.join(parts)}."

    def reading(self, at: float) -> tuple[float, list[tuple[Curve, float]]]:
        """Returns the nearest place to ``at`` where a curve has a point, and each curve's height there."""
        places = [x for curve in self.curves for x, _ in curve.points]
        if not places:
            return at, []
        place = min(places, key=lambda x: abs(x - at))
        found = []
        for curve in self.curves:
            height = _height(curve.points, place)
            if height is not None:
                found.append((curve, height))
        return place, found


def shown_number(number: float) -> str:
    """Returns a number as a person reads it: with commas, and no more digits than tell something."""
    size = abs(number)
    if number == int(number) or size >= 1000:
        return f"{number:,.0f}"
    return f"{number:.2f}" if size >= 0.1 else f"{number:.2g}"


def _number(number: float) -> str:
    return f"{number:.0f}" if number == int(number) else repr(float(number))


def _height(points: Sequence[tuple[float, float]], at: float) -> float | None:
    """Returns the height of a curve at a place, between two points that on the line that joins them."""
    for place, (x, y) in enumerate(points):
        if x == at:
            return y
        if x > at:
            if place == 0:
                return None
            before, height = points[place - 1]
            return height + (y - height) * (at - before) / (x - before)
    return None
