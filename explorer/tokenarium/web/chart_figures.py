"""Charts of pages: bars as rows of a table, curves as a drawing with a table of their points below."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from io import StringIO
from typing import Final

from tokenarium.models.charts.chart import (
    Axis,
    BarSeries,
    Chart,
    ChartBar,
    ChartCurve,
    GroupedBars,
    shown_number,
)
from tokenarium.models.compare.dot_plot import ticks
from tokenarium.web.html import escaped, table
from tokenarium.web.shapes import colour_class, marker_svg
from tokenarium.web.svg_parts import line, number, svg, text_at, text_width

WIDTH: Final = 420.0
HEIGHT: Final = 240.0
LEFT, RIGHT, TOP, BOTTOM = 48.0, 16.0, 12.0, 40.0
"""Pixels of curves, and around them for the labels of their axes."""

MARK: Final = 11.0
"""Pixels of the marker at the end of a curve."""

MOST_GROUPS: Final = 12
"""The most groups of bars that are shown."""

MOST_POINTS: Final = 200
"""The most points of a curve; of more, some at equal distances are left out."""

MOST_LISTED: Final = 40
"""The most rows of the table of a chart."""


def chart_html(chart: Chart, title: str, empty: str = "") -> str:
    """Returns a chart with a title; ``empty`` is said if nothing is drawn."""
    head = f'<p class="label">{escaped(title)}</p>' if title else ""
    if chart.empty:
        return f'{head}<p class="note">{escaped(empty)}</p>' if empty else ""
    if isinstance(chart, GroupedBars):
        legend = _legend(chart.curves) if len(chart.names) > 1 else ""
        body = legend + _grouped(chart, title)
    elif chart.bars:
        body = _bars(chart, title)
    else:
        body = _legend(chart.curves) + _curves(chart, title)
    return f'<div class="chart">{head}{body}</div>'


def _legend(curves: Sequence[ChartCurve]) -> str:
    named = [curve for curve in curves if curve.title]
    if len(named) < 2:
        return ""
    items = "".join(f"<li>{marker_svg(one.colour)} {escaped(one.title)}</li>" for one in named)
    return f'<ul class="legend key">{items}</ul>'


# Bars.


def _bars(chart: Chart, title: str) -> str:
    """Returns the bars of one colour, each with its name and its length."""
    bars = [ChartBar(length, shown_number(length), ()) for _, length in chart.bars]
    place = _placing(chart.x, bars)
    rows = [
        f'<tr><th scope="row">{escaped(name)}</th>{_bar(bar, place, chart.colour)}</tr>'
        for (name, _), bar in zip(chart.bars, bars, strict=True)
    ]
    return _bar_table(chart, title, [chart.y.title], rows)


def _grouped(chart: GroupedBars, title: str) -> str:
    """Returns the bars of each group one below the other, with the markers of their series."""
    shown = range(min(len(chart.names), MOST_GROUPS))
    there = [bar for one in chart.series for bar in one.bars if bar is not None]
    place = _placing(chart.x, there)
    heads, rows = [chart.y.title, "Tokenizer"], []
    if len(chart.names) == 1:  # the bars have their names themselves
        heads = ["Tokenizer"]
        for one in chart.series:
            name = f'<th scope="row">{marker_svg(one.colour)} {escaped(one.title)}</th>'
            rows.append(f"<tr>{name}{_drawn(one, 0, place)}</tr>")
        return _bar_table(chart, title, heads, rows)
    for at in shown:
        for number_of, one in enumerate(chart.series):
            name = ""
            if not number_of:
                span = f' rowspan="{len(chart.series)}"' * (len(chart.series) > 1)
                name = f'<th scope="rowgroup"{span}>{escaped(chart.names[at])}</th>'
            who = f'{marker_svg(one.colour)}<span class="hidden">{escaped(one.title)}</span>'
            rows.append(f"<tr>{name}<td>{who}</td>{_drawn(one, at, place)}</tr>")
    html = _bar_table(chart, title, heads, rows)
    rest = len(chart.names) - len(shown)
    return html + (f'<p class="note">And {rest:,} more.</p>' if rest else "")


def _drawn(one: BarSeries, at: int, place: Callable[[float], float]) -> str:
    bar = one.bars[at]
    return "<td></td><td>none</td>" if bar is None else _bar(bar, place, one.colour)


def _bar(bar: ChartBar, place: Callable[[float], float], identity: int) -> str:
    """Returns the cells of a bar: as it is drawn, and in words."""
    ends = [place(bar.start), place(bar.end)]
    left, right = min(ends), max(ends)
    drawn = f'<rect x="{number(left)}" width="{number(max(right - left, 0.5))}" height="6"/>'
    if bar.hatched is not None:
        at = place(bar.hatched)
        drawn += f'<rect class="doubt" x="{number(at)}" width="{number(max(right - at, 0))}" height="6"/>'
    if bar.mark is not None:
        drawn += f'<path d="M{number(place(bar.mark))} 0V6"/>'
    return (
        f'<td class="length"><svg class="bar {colour_class(identity)}" viewBox="0 0 100 6" preserveAspectRatio="none"'
        f' aria-hidden="true">{drawn}</svg></td><td class="num">{escaped(bar.words)}</td>'
    )


def _bar_table(chart: Chart, title: str, heads: Sequence[str], rows: Sequence[str]) -> str:
    names = "".join(f'<th scope="col">{escaped(one)}</th>' for one in heads)
    return (
        f'<table class="bars"><caption>{escaped(title or chart.x.label)}</caption><thead><tr>{names}'
        f'<td></td><th scope="col">{escaped(chart.x.label)}</th></tr></thead><tbody>{"".join(rows)}</tbody></table>'
    )


def _placing(axis: Axis, bars: Sequence[ChartBar]) -> Callable[[float], float]:
    """Returns where a value is along bars that are 100 wide; 0 is on the axis unless it is logarithmic."""
    values = [value for bar in bars for value in (bar.start, bar.end) if value > 0]
    low, high = axis.limits or (0.0, max(values, default=1.0))
    if axis.logarithmic:
        low = low if low > 0 else min(values, default=1.0) / 2
    elif not axis.limits:
        low = min(0.0, *(min(bar.start, bar.end) for bar in bars)) if bars else 0.0
    first, last = axis.place(low), axis.place(high)
    wide = (last - first) or 1.0

    def place(value: float) -> float:
        value = max(value, low) if axis.logarithmic else value
        return 100 * max(0.0, min(1.0, (axis.place(value) - first) / wide))

    return place


# Curves.


def _curves(chart: Chart, title: str) -> str:
    drawn = [curve for curve in chart.curves if curve.points]
    xs = [x for curve in drawn for x, _ in curve.points] + [mark.at for mark in chart.marks]
    across = _along(chart.x, xs, LEFT, WIDTH - RIGHT)
    up = _along(chart.y, [y for curve in drawn for _, y in curve.points], HEIGHT - BOTTOM, TOP)
    foot, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = []
    for value, y in up.ticks:
        parts.append(line("grid", (LEFT, y), (right, y)))
        parts.append(text_at(shown_number(value), LEFT - 6, y + 4, "end"))
    free = 0.0  # from where on a label is beside the one before
    for value, x in across.ticks:
        label = shown_number(value)
        half = text_width(label, 12) / 2 + 4
        if x - half >= free:
            parts.append(text_at(label, x, foot + 16, "middle"))
            free = x + half
    parts.append(line("axis", (LEFT, TOP), (LEFT, foot), (right, foot)))
    parts.append(text_at(chart.x.label, (LEFT + right) / 2, HEIGHT - 6, "middle"))
    for mark in chart.marks:
        x = across.place(mark.at)
        parts.append(line("mark-line", (x, TOP), (x, foot)))
        late = x > WIDTH / 2
        parts.append(
            text_at(mark.text, x - 5 if late else x + 5, TOP + 10, "end" if late else "start")
        )
    for curve in drawn:
        step = -(-len(curve.points) // MOST_POINTS)
        points = [*curve.points[:-1:step], curve.points[-1]]
        places = [(across.place(x), up.place(y)) for x, y in points]
        dashed = " dashed" if curve.dashed else ""
        parts.append(line(f"curve {colour_class(curve.colour)}{dashed}", *places))
        left, top = (number(value - MARK / 2) for value in places[-1])
        size = f'<svg x="{left}" y="{top}" width="{MARK:g}" height="{MARK:g}"'
        parts.append(marker_svg(curve.colour).replace("<svg", size, 1))
    figure = svg("".join(parts), WIDTH, HEIGHT, f"{title or chart.y.label}. {chart.summary()}")
    upright = f'<p class="axis-name">{escaped(chart.y.label)}</p>'
    return upright + figure + _points(chart, title)


class _Along:
    """Where the values of an axis are, between two places in pixels, and its ticks."""

    def __init__(self, axis: Axis, low: float, high: float, first: float, last: float) -> None:
        self._axis, self._low = axis, low
        self._at, self._wide = axis.place(low), (axis.place(high) - axis.place(low)) or 1.0
        self._first, self._last = first, last
        values = [value for value in ticks(low, high, axis.logarithmic) if low <= value <= high]
        self.ticks = [(value, self.place(value)) for value in values]

    def place(self, value: float) -> float:
        """Returns where a value is."""
        share = (self._axis.place(value) - self._at) / self._wide
        return self._first + (self._last - self._first) * share


def _along(axis: Axis, values: Sequence[float], first: float, last: float) -> _Along:
    low, high = axis.limits or (min(values), max(values))
    if high <= low:
        low, high = low - 0.5, high + 0.5
    return _Along(axis, low, high, first, last)


def _points(chart: Chart, title: str) -> str:
    """Returns the points of curves as a table that is folded in."""
    head, *rows = csv.reader(StringIO(chart.table()))
    step = -(-len(rows) // MOST_LISTED)
    cells = [list(map(escaped, row)) for row in rows[::step]]
    listed = table(head, cells, title or chart.y.label)
    note = f" {len(cells):,} of {len(rows):,} points." if step > 1 else ""
    said = f"<p>{note.strip()}</p>" if note else ""
    return f'<details class="listed"><summary>As a table</summary>{said}{listed}</details>'
