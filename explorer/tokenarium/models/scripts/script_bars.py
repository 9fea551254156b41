"""The bars of scripts for several tokenizers: shares, linear, logarithmic, or relative to one tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tokenarium.models.charts.chart import Axis, BarSeries, ChartBar, GroupedBars, grouped_bars
from tokenarium.models.scripts.vocabulary_scripts import (
    ABOUT_CLASSES,
    CLASS_NAMES,
    Ints,
    VocabularyScripts,
    largest_first,
)

Scale = Literal["share", "log", "difference", "ratio", "bytes"]
SCRIPT = Axis("Script of the entry")


@dataclass(frozen=True, slots=True)
class ScriptCounts:
    """The entries of a vocabulary, or the tokens of a text, by class; ``cut``: those that cut a character.

    ``sizes`` are the bytes of the entries, for the scale "bytes".
    """

    title: str
    colour: int
    counts: Ints
    cut: Ints | None = None
    sizes: Ints | None = None

    @property
    def total(self) -> int:
        """How many there are in all."""
        return int(self.counts.sum())


def share_bars(
    counted: Sequence[ScriptCounts], scale: Scale, reference: int, what: str, of: str
) -> tuple[GroupedBars, list[int]]:
    """Returns the bars, the largest share first, and the class of each group.

    ``what`` is counted, as "entries", and ``of`` what they are a share of, as "vocabulary". ``reference`` is the number of
    the tokenizer to compare with, by the scales "difference" (percentage points) and "ratio".
    """
    shares = [100 * counts.counts / max(counts.total, 1) for counts in counted]
    order = largest_first(shares)
    if scale == "bytes":
        return _size_bars(counted, order, what), order
    series = []
    for counts, share in zip(counted, shares, strict=True):
        if scale in ("difference", "ratio") and counts is counted[reference]:
            continue
        bars: list[ChartBar | None] = []
        for number in order:
            count, percent = int(counts.counts[number]), float(share[number])
            against = float(shares[reference][number])
            end = _end(scale, percent, against)
            words = f"{count:,} {what}, {_percent(percent)} of {of}"
            if scale == "difference":
                words += f", {_signed(percent - against)} points"
            elif scale == "ratio" and against:
                words += f", {percent / against:,.2f} times the share"
            elif scale == "ratio" and count:
                words += f"; {counted[reference].title} has none"
            cells: tuple[str, ...] = (str(count), f"{percent:.6g}")
            hatched = None
            if counts.cut is not None:
                cut = int(counts.cut[number])
                cells = (str(count), str(cut), f"{percent:.6g}")
                words += f"; {cut:,} of them cut a character" if cut else ""
                if cut and scale in ("share", "log"):
                    hatched = percent * (count - cut) / count
            if scale in ("difference", "ratio"):
                cells += ("" if end is None else f"{end:.6g}",)
            bar = (
                None if end is None else ChartBar(end, words, cells, *_start(scale), None, hatched)
            )
            bars.append(bar)
        series.append(BarSeries(counts.title, counts.colour, bars))
    names, about = _names(order)
    axis = _axis(scale, of, counted[reference].title if counted else "")
    cuts = any(counts.cut is not None for counts in counted)
    columns: tuple[str, ...] = (what.capitalize(), f"Share of {of} (%)")
    if cuts:
        columns = (columns[0], f"{columns[0]} that cut a character", columns[1])
    if scale in ("difference", "ratio"):
        columns += (axis.label,)
    base = {"difference": 0.0, "ratio": 1.0}.get(scale)
    return grouped_bars(axis, SCRIPT, names, series, columns, base, about), order


def _size_bars(counted: Sequence[ScriptCounts], order: Sequence[int], what: str) -> GroupedBars:
    """Returns bars of the average bytes of an entry, in the groups of the shares."""
    series = []
    for counts in counted:
        bars: list[ChartBar | None] = []
        for number in order:
            count = int(counts.counts[number])
            size = int(counts.sizes[number]) if counts.sizes is not None else 0
            if not count or counts.sizes is None:
                bars.append(None)
                continue
            words = f"{size / count:.2f} bytes on average, {count:,} {what} of {size:,} bytes"
            bars.append(
                ChartBar(size / count, words, (str(count), str(size), f"{size / count:.6g}"))
            )
        series.append(BarSeries(counts.title, counts.colour, bars))
    names, about = _names(order)
    columns = (what.capitalize(), f"Bytes of the {what}", "Average bytes")
    return grouped_bars(
        Axis("Average size of an entry", "bytes"), SCRIPT, names, series, columns, about=about
    )


def length_bars(
    vocabularies: Sequence[tuple[str, int, VocabularyScripts]],
) -> tuple[GroupedBars, list[int]]:
    """Returns bars from the lower to the upper quartile of the lengths, marked at the median."""
    shares = [use.counts / max(use.total, 1) for _, _, use in vocabularies]
    measured = [
        number
        for number in largest_first(shares)
        if any(not np.isnan(use.lengths[number, 1]) for _, _, use in vocabularies)
    ]
    series = []
    for title, colour, use in vocabularies:
        bars: list[ChartBar | None] = []
        for number in measured:
            low, middle, high = use.lengths[number].tolist()
            if np.isnan(middle):
                bars.append(None)
                continue
            words = f"median {middle:g} characters, quartiles {low:g} and {high:g}, of {int(use.counts[number]):,} entries"
            cells = (str(int(use.counts[number])), f"{low:g}", f"{middle:g}", f"{high:g}")
            bars.append(ChartBar(high, words, cells, low, middle))
        series.append(BarSeries(title, colour, bars))
    names, about = _names(measured)
    axis = Axis("Length of an entry: quartiles, and a mark at the median", "characters")
    columns = (
        "Entries",
        "Lower quartile (characters)",
        "Median (characters)",
        "Upper quartile (characters)",
    )
    return grouped_bars(axis, SCRIPT, names, series, columns, about=about), measured


def _end(scale: Scale, percent: float, against: float) -> float | None:
    if scale == "difference":
        return percent - against
    if scale == "ratio":
        return percent / against if percent and against else None
    return percent if percent else None


def _start(scale: Scale) -> tuple[float]:
    return (1.0,) if scale == "ratio" else (0.0,)


def _axis(scale: Scale, of: str, reference: str) -> Axis:
    if scale == "difference":
        return Axis(f"Share of {of} beyond that of {reference}", "percentage points")
    if scale == "ratio":
        return Axis(f"Share of {of}, as a multiple of that of {reference}", "", True)
    return Axis(f"Share of {of}", "%", scale == "log")


def _names(order: Sequence[int]) -> tuple[list[str], list[str]]:
    return [CLASS_NAMES[n] for n in order], [ABOUT_CLASSES.get(n, "") for n in order]


def _percent(percent: float) -> str:
    if percent >= 10 or percent == 0:
        return f"{percent:.0f}%" if percent in (0, 100) else f"{percent:.1f}%"
    return f"{percent:#.3g}%"  # with zeros, so that figures line up


def _signed(points: float) -> str:
    return f"{points:+.3g}".replace("-", "−")
