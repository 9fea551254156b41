"""What a chart shows, as plain data and as a table: axes, curves with marks, bars, groups of bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import Literal

from tokenarium.models.csv_text import csv_text

LEAST_APART = 0.1
"""How far apart the ends of curves must be for names, as a share of the height of the chart."""

MOST_NAMES = 6
"""The most curves that have their names at their ends."""


@dataclass(frozen=True, slots=True)
class Axis:
    """What is measured along an axis, and in what unit; ``logarithmic``: equal steps are equal factors.

    ``limits`` are the least and the greatest value that it shows; None: those of the data.
    """

    title: str
    unit: str = ""
    logarithmic: bool = False
    limits: tuple[float, float] | None = None

    def place(self, value: float) -> float:
        """Returns where a value is drawn: its logarithm on a logarithmic axis."""
        return log10(value) if self.logarithmic and value > 0 else value

    @property
    def label(self) -> str:
        """The title with its unit."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


def roomy(most: float) -> float:
    """Returns a round number of at least ``most``; there are few, so that an axis seldom changes as values grow."""
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


def decade_limits(values: Sequence[float]) -> tuple[float, float]:
    """Returns the numbers 1, 2 and 5 times a power of ten around values above 0, so that both ends of a logarithmic
    axis have a number.

    >>> decade_limits([0.043, 0.07]), decade_limits([200])
    ((0.02, 0.1), (100.0, 500.0))
    """
    steps = sorted(
        float(f"{factor}e{power}")
        for power in range(floor(log10(min(values))) - 1, floor(log10(max(values))) + 2)
        for factor in (1, 2, 5)
    )
    low = max(step for step in steps if step < min(values))
    return low, min(step for step in steps if step > max(values))


@dataclass(frozen=True, slots=True)
class ChartCurve:
    """Points from left to right, joined; ``colour`` is the number of the identity of its tokenizer.

    ``counts`` are what was counted at each point, if its height is computed from that; they are in the table.
    """

    title: str
    points: Sequence[tuple[float, float]]
    colour: int = 0
    dashed: bool = False
    counts: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class ChartMark:
    """A place on the horizontal axis that a line is drawn at, and what it means."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves over a horizontal axis, or bars, each with a name on the vertical axis and a length.

    A chart has curves or bars, not both.
    """

    x: Axis
    y: Axis
    curves: Sequence[ChartCurve] = ()
    marks: Sequence[ChartMark] = ()
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

    @property
    def ends_apart(self) -> bool:
        """Whether the curves end so far from each other that their names have room there."""
        drawn = [curve for curve in self.curves if curve.points]
        heights = [self.y.place(y) for curve in drawn for _, y in curve.points]
        heights += map(self.y.place, self.y.limits or ())
        if not 1 < len(drawn) <= MOST_NAMES or not heights or max(heights) <= min(heights):
            return False
        least = LEAST_APART * (max(heights) - min(heights))
        ends = sorted(self.y.place(curve.points[-1][1]) for curve in drawn)
        return all(after - before >= least for before, after in pairwise(ends))

    def table(self) -> str:
        """Returns everything that is drawn as CSV, with a line of titles: a row for each point or bar."""
        if self.bars:
            lengths = [[name, _number(length)] for name, length in self.bars]
            return csv_text([[self.y.label, self.x.label], *lengths])
        counted = any(curve.counts for curve in self.curves)
        rows = [["curve", self.x.label, self.y.label, *["count"] * counted]]
        for curve in self.curves:
            counts = [str(count) for count in curve.counts] or [""] * len(curve.points)
            rows += [
                [curve.title, _number(x), _number(y), *[count] * counted]
                for (x, y), count in zip(curve.points, counts, strict=True)
            ]
        return csv_text(rows)

    def summary(self) -> str:
        """Returns what it shows in words, for users who cannot see it."""
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

    def reading(self, at: float) -> tuple[float, list[tuple[ChartCurve, float]]]:
        """Returns the place nearest to ``at`` where a curve has a point, and each curve's height there."""
        places = [x for curve in self.curves for x, _ in curve.points]
        if not places:
            return at, []
        nearest = min(places, key=lambda x: abs(x - at))
        heights = []
        for curve in self.curves:
            height = _height(curve.points, nearest)
            if height is not None:
                heights.append((curve, height))
        return nearest, heights


@dataclass(frozen=True, slots=True)
class ChartBar:
    """A bar from ``start`` to ``end`` along the axis, hatched from ``hatched`` on, with a mark across it at ``mark``.

    ``words`` are its value; ``cells`` are its values in the table.
    """

    end: float
    words: str
    cells: Sequence[str]
    start: float = 0.0
    mark: float | None = None
    hatched: float | None = None


@dataclass(frozen=True, slots=True)
class BarSeries:
    """The bars of one colour, by group; None if a group has none."""

    title: str
    colour: int
    bars: Sequence[ChartBar | None]


@dataclass(frozen=True, slots=True)
class GroupedBars(Chart):
    """Horizontal bars in groups from top to bottom; ``names`` are the names of the groups.

    ``columns`` are the titles of the bars' cells, ``base`` is the value that a line is drawn at, ``about``
    explains some names.
    """

    names: Sequence[str] = ()
    series: Sequence[BarSeries] = ()
    columns: Sequence[str] = ()
    base: float | None = None
    about: Sequence[str] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self.names or not self.series

    @property
    def kind(self) -> Literal["bars", "curves"]:
        """What it draws."""
        return "bars"

    def table(self) -> str:
        """Returns all bars as CSV, with a line of titles: a row for each."""
        rows: list[Sequence[str]] = [[self.y.label, "Tokenizer", *self.columns]]
        for index, name in enumerate(self.names):
            for series in self.series:
                bar = series.bars[index]
                if bar is not None:
                    rows.append([name, series.title, *bar.cells])
        return csv_text(rows)

    def values(self, place: int) -> list[str]:
        """Returns the values of a group in words, a line for each series."""
        bars = [(series.title, series.bars[place]) for series in self.series]
        return [f"{title}: {'none' if bar is None else bar.words}" for title, bar in bars]

    def summary(self) -> str:
        """Returns the first groups in words, for users who cannot see the chart."""
        shown = [f"{name}: {'; '.join(self.values(n))}" for n, name in enumerate(self.names[:8])]
        rest = len(self.names) - len(shown)
        more = f" And {rest} more." if rest else ""
        return f"{self.x.label} by {self.y.title.lower()}. {'. '.join(shown)}.{more}"


def grouped_bars(
    x: Axis,
    y: Axis,
    names: Sequence[str],
    series: Sequence[BarSeries],
    columns: Sequence[str],
    base: float | None = None,
    about: Sequence[str] = (),
) -> GroupedBars:
    """Returns bars with a legend of their series."""
    key = [ChartCurve(bar_series.title, (), bar_series.colour) for bar_series in series]
    return GroupedBars(
        x, y, key, names=names, series=series, columns=columns, base=base, about=about
    )


def lower_first(title: str) -> str:
    """Returns a title for the middle of a sentence."""
    return title[:1].lower() + title[1:]


def shown_number(number: float) -> str:
    """Returns a number for users: with commas, and no meaningless digits."""
    size = abs(number)
    if number == int(number) or size >= 1000:
        return f"{number:,.0f}"
    if size >= 0.1:
        return f"{number:.2f}"
    return f"{number:.{1 - floor(log10(size))}f}".rstrip("0")  # two digits, and never 1e-05


def _number(number: float) -> str:
    return f"{number:.0f}" if number == int(number) else repr(float(number))


def _height(points: Sequence[tuple[float, float]], at: float) -> float | None:
    """Returns the height of a curve at a place; between two points, on the line that joins them."""
    for index, (x, y) in enumerate(points):
        if x == at:
            return y
        if x > at:
            if index == 0:
                return None
            before, height = points[index - 1]
            return height + (y - height) * (at - before) / (x - before)
    return None
