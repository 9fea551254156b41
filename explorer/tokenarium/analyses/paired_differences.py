"""Paired differences between tokenizers as rows of tables: in a window, in files and on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tokenarium.analyses.parts import Bar, Board
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.compare.intervals import Interval, MeasureIntervals, PairedDifference
from tokenarium.models.compare.metric import Metric
from tokenarium.models.text.lost_text import SIGN
from tokenarium.models.text.piece import counted

SEEN = 15
"""Pairs that a window shows without scrolling: those of six tokenizers."""

DIFFERS = "differs"
UNDECIDED = "–"
UNDECIDED_TIP = "These documents do not show a difference, which does not say that there is none"

DIFFERENCE_TIP = (
    "The figure of the tokenizer on the left minus that of the other one, with its interval. Both are worked out on the same"
    " samples of the documents"
)
P_TIP = (
    "How often the samples are on the other side of zero, twice: the p-value of a two-sided bootstrap test."
    " Source: Davison and Hinkley 1997, section 4.2"
)
HOLM_TIP = "The p-value corrected for how many pairs of tokenizers are compared. Source: Holm 1979"


class PairRow(NamedTuple):
    """The difference of a pair of tokenizers in one figure; ``doubtful``: one of them loses text, which flatters it."""

    metric: Metric
    pair: PairedDifference
    doubtful: bool


def pair_rows(found: MeasureIntervals, doubtful: Callable[[Metric, int], bool]) -> list[PairRow]:
    """Returns the rows of one figure; ``doubtful`` tells whether that of a tokenizer looks too good."""
    return [
        PairRow(
            found.metric,
            pair,
            doubtful(found.metric, pair.first) or doubtful(found.metric, pair.second),
        )
        for pair in found.differences
    ]


def pair_columns(
    names: Sequence[str], alpha: float, colours: Sequence[int] = ()
) -> list[TableColumn[PairRow]]:
    """Returns the columns of differences; ``colours`` are the identities of the tokenizers in a window."""

    def tokenizer(head: str, place: Callable[[PairedDifference], int]) -> TableColumn[PairRow]:
        def cell(row: PairRow) -> TableCell:
            one = place(row.pair)
            return TableCell(names[one], colour=colours[one] if colours else -1)

        return _everywhere(head, cell, number=False, grows=bool(colours))

    return [
        tokenizer("tokenizer", lambda pair: pair.first),
        tokenizer("minus", lambda pair: pair.second),
        _everywhere("difference", _difference, DIFFERENCE_TIP, "paired difference"),
        _everywhere("p", lambda row: _chance(row.pair.p), P_TIP, "p-value", spare=True),
        _everywhere("p (Holm)", lambda row: _chance(row.pair.adjusted), HOLM_TIP, "Holm’s correction", spare=True),
        _everywhere(f"α = {alpha:g}", _verdict, number=False),
    ]  # fmt: skip


def _everywhere(
    head: str,
    cell: Callable[[PairRow], TableCell],
    tip: str = "",
    term: str = "",
    number: bool = True,
    grows: bool = False,
    spare: bool = False,
) -> TableColumn[PairRow]:
    """Returns a column of a window, of files and of a terminal."""
    title = head if head[:1] in "pα" else head.capitalize()
    return TableColumn(
        cell, title, head, head, number, term=term, tip=tip, grows=grows, spare=spare
    )


def _difference(row: PairRow) -> TableCell:
    pair = row.pair
    interval = Interval(pair.value, pair.low, pair.high)
    return TableCell(interval_text(row.metric, interval, row.doubtful), order=pair.value)


def _chance(p: float | None) -> TableCell:
    return TableCell("" if p is None else f"{p:.4f}", order=-1.0 if p is None else p)


def _verdict(row: PairRow) -> TableCell:
    if row.pair.differs is None:
        return TableCell("")
    if row.pair.differs:
        return TableCell(DIFFERS)
    return TableCell(UNDECIDED, tip=UNDECIDED_TIP)


def interval_text(metric: Metric, interval: Interval, doubtful: bool = False) -> str:
    """Returns a figure with the bounds of its interval; a sign before it if lost text flatters it.

    >>> from tokenarium.models.compare.metrics import METRICS
    >>> interval_text(METRICS[1], Interval(4.0, 3.875, 4.125))
    '4.000 [3.875, 4.125]'
    """
    if interval.value is None:
        return "–"
    sign, value = f"{SIGN} " if doubtful else "", _figure(metric, interval.value)
    if interval.low is None or interval.high is None:
        return f"{sign}{value}"
    return f"{sign}{value} [{_figure(metric, interval.low)}, {_figure(metric, interval.high)}]"


def _figure(metric: Metric, value: float) -> str:
    return f"{value:,.{metric.digits + 1}f}".replace("-", "−")


def paired_table(
    rows: Sequence[PairRow], names: Sequence[str], colours: Sequence[int], alpha: float
) -> Table[Any]:
    """Returns the differences in one figure for a window."""
    return Table(
        pair_columns(names, alpha, colours),
        rows,
        key=lambda row: f"{names[row.pair.first]}\n{names[row.pair.second]}",
        seen=SEEN,
        sortable=True,
    )


def paired_boards(
    rows: Sequence[PairRow], names: Sequence[str], colours: Sequence[int], alpha: float
) -> list[Board]:
    """Returns the step of a presentation with the differences in one figure, the largest first; none without any.

    A bar is in the colour of the first tokenizer of its pair.
    """
    if not rows:
        return []
    metric = rows[0].metric
    rows = sorted(rows, key=lambda row: (row.doubtful, -abs(row.pair.value)))
    most = max(abs(row.pair.value) for row in rows) or 1.0
    bars = [
        Bar(
            f"{names[row.pair.first]} − {names[row.pair.second]}",
            f"{_difference(row).text}{f' {DIFFERS}' * bool(row.pair.differs)}",
            abs(row.pair.value) / most,
            colours[row.pair.first],
        )
        for row in rows
    ]
    differing = sum(bool(row.pair.differs) for row in rows)
    says = "differs" if differing == 1 else "differ"
    figure = metric.title.lower() if metric.title[1:2].islower() else metric.title
    return [
        Board(
            f"Paired differences: {metric.title}",
            bars,
            f"Of {counted(len(rows), 'pair')} of tokenizers, {differing:,} {says} (α = {alpha:g}, corrected for all pairs).",
            f"Which two tokenizers differ most in {figure}?",
            "The figure of the first one minus that of the second one, with its interval.",
            0 if len(rows) > 1 and bars[0].said != bars[1].said else -1,
        )
    ]


def exact_pairs(rows: Sequence[PairRow], names: Sequence[str]) -> list[dict[str, object]]:
    """Returns the differences with all their digits, for files and programs."""
    return [
        {
            "measure": row.metric.id,
            "first": names[row.pair.first],
            "second": names[row.pair.second],
            "difference": row.pair.value,
            "low": row.pair.low,
            "high": row.pair.high,
            "p": row.pair.p,
            "p_holm": row.pair.adjusted,
            "differs": row.pair.differs,
            "doubtful": row.doubtful,
        }
        for row in rows
    ]
