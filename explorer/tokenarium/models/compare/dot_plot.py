"""A dot plot as plain data: rows with a name, and a value with an interval for each series."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tokenarium.models.charts.chart import Axis
from tokenarium.models.compare.language_premiums import PremiumEstimate
from tokenarium.models.csv_text import csv_text
from tokenarium.models.text.lost_text import SIGN


@dataclass(frozen=True, slots=True)
class DotSeries:
    """A series of dots: its title, and its colour, a number of the palette of tokenizers."""

    title: str
    colour: int


@dataclass(frozen=True, slots=True)
class DotRow:
    """A name, and the value of each series there; None if it has none."""

    title: str
    values: Sequence[PremiumEstimate | None]


@dataclass(frozen=True, slots=True)
class DotPlot:
    """Rows of dots along one axis. A line is drawn ``at`` the value to compare with."""

    axis: Axis
    series: Sequence[DotSeries] = ()
    rows: Sequence[DotRow] = ()
    at: float | None = None
    one_each: bool = False  # row n has only series n, as a bar after its marker and its name
    times: bool = False  # the values are factors

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not any(value is not None for row in self.rows for value in row.values)

    def bounds(self) -> tuple[float, float]:
        """Returns the least and the greatest number to show.

        Doubtful values, which may be far off, do not count where there are others.
        """
        values = [value for row in self.rows for value in row.values if value is not None]
        finite = [value for value in values if math.isfinite(value.value)]
        ends = [self.at] if self.at is not None else []
        ends += [] if self.axis.logarithmic else [0.0]
        for one in [one for one in finite if not one.doubt] or finite:
            ends += [end for end in (one.value, one.low, one.high) if end is not None]
        return (min(ends), max(ends)) if ends else (0.0, 1.0)

    def reading(self, row: int) -> str:
        """Returns the values of a row in words."""
        one = self.rows[row]
        if self.one_each:
            return f"{one.title}: {one.values[row]}"
        values = [
            f"{series.title} {value}"
            for series, value in zip(self.series, one.values, strict=True)
            if value is not None
        ]
        return "\n".join([f"{one.title}", *values])

    def lines(self) -> list[list[str]]:
        """Returns the values as they are shown, a line for each row and a column for each series, with their titles."""
        if self.one_each:
            own = enumerate(self.rows)
            return [["Tokenizer", self.axis.label], *([row.title, _cell(row.values[at])] for at, row in own)]  # fmt: skip
        heads = ["Language", *(series.title for series in self.series)]
        return [heads, *([row.title, *map(_cell, row.values)] for row in self.rows)]

    def table(self, separator: str = ",") -> str:
        """Returns all values with their bounds, a line for each dot, with a line of titles."""
        row_titles = [] if self.one_each else ["language"]
        titles = ["tokenizer", self.axis.label, "low (95%)", "high (95%)", "doubt"]
        lines = [[*row_titles, *titles, *["tokens"] * (not self.one_each)]]
        for row in self.rows:
            names = [] if self.one_each else [row.title]
            for series, value in zip(self.series, row.values, strict=True):
                if value is not None:
                    ends = ["" if end is None else f"{end:.6g}" for end in (value.low, value.high)]
                    line = [*names, series.title, f"{value.value:.6g}", *ends, value.doubt]
                    tokens = "" if value.tokens is None else str(value.tokens)
                    lines.append([*line, *[tokens] * (not self.one_each)])
        return csv_text(lines, separator)


def _cell(value: PremiumEstimate | None) -> str:
    if value is None:
        return ""
    bounded = value.low is not None and value.high is not None
    bounds = f" [{value.low:.2f}, {value.high:.2f}]" if bounded else ""
    return f"{SIGN} " * bool(value.doubt) + f"{value.value:.2f}{bounds}"


def ticks(low: float, high: float, logarithmic: bool) -> list[float]:
    """Returns round numbers for an axis; on a logarithmic one, 1, 1.5, 2, 3, 4, 6 and 8 times powers of ten."""
    if logarithmic:
        powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
        round_numbers = [
            digit * 10.0**power for power in powers for digit in (1, 1.5, 2, 3, 4, 6, 8)
        ]
        return [number for number in round_numbers if low <= number <= high]
    rough = (high - low) / 5 or 1.0
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * digit for digit in (1, 2, 5, 10) if unit * digit >= rough)
    return [step * n for n in range(math.ceil(low / step), math.floor(high / step) + 1)]
