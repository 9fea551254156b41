"""Bars of several series side by side, as plain data: a group for each name, a bar in it for each series."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tokenarium.models.charts.chart import Axis, Chart, Curve


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar from ``start`` to ``end`` along the axis, with a mark across it at ``mark``.

    ``told`` is its value in words; ``cells`` are its values in the table.
    """

    end: float
    told: str
    cells: Sequence[str]
    start: float = 0.0
    mark: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """The bars of one colour, by group; None where a group has none of it."""

    title: str
    colour: int
    bars: Sequence[Bar | None]


@dataclass(frozen=True, slots=True)
class GroupedBars(Chart):
    """Horizontal bars in groups from top to bottom, ``names`` are those of the groups.

    ``columns`` are the titles of the bars' cells, ``base`` is the value that a line is drawn at, ``about``
    explains some of the names.
    """

    names: Sequence[str] = ()
    series: Sequence[Series] = ()
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
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow([self.y.label, "Tokenizer", *self.columns])
        for place, name in enumerate(self.names):
            for series in self.series:
                bar = series.bars[place]
                if bar is not None:
                    rows.writerow([name, series.title, *bar.cells])
        return text.getvalue()

    def told(self, place: int) -> list[str]:
        """Returns the values of a group in words, a line for each series."""
        lines = []
        for series in self.series:
            bar = series.bars[place]
            lines.append(f"{series.title}: {'none' if bar is None else bar.told}")
        return lines

    def summary(self) -> str:
        """Returns what it shows in words, for who cannot see it: the first groups of all."""
        shown = [f"{name}: {'; '.join(self.told(n))}" for n, name in enumerate(self.names[:8])]
        rest = len(self.names) - len(shown)
        more = f" And {rest} more." if rest else ""
        return f"{self.x.label} by {self.y.title.lower()}. {'. '.join(shown)}.{more}"


def grouped_bars(
    x: Axis,
    y: Axis,
    names: Sequence[str],
    series: Sequence[Series],
    columns: Sequence[str],
    base: float | None = None,
    about: Sequence[str] = (),
) -> GroupedBars:
    """Returns bars with a legend of their series."""
    key = [Curve(one.title, (), one.colour) for one in series]
    return GroupedBars(
        x, y, key, names=names, series=series, columns=columns, base=base, about=about
    )
