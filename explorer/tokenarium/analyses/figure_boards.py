"""The steps of a presentation of compared figures: a board for each figure, and one for what languages cost."""

from __future__ import annotations

from collections.abc import Collection

from tokenarium.analyses.parts import Bar, Board
from tokenarium.models.compare.comparison_model import ComparisonModel
from tokenarium.models.compare.dot_plot import DotPlot
from tokenarium.models.compare.metric import cell_text
from tokenarium.models.compare.metrics import METRICS, is_flattered
from tokenarium.models.text.lost_text import SIGN

MOST_BARS = 12
"""The most bars of a board of languages: the most expensive, and the cheapest."""


def figure_boards(model: ComparisonModel, shown: Collection[str]) -> list[Board]:
    """Returns a board for each figure that is shown, by its id; none before anything is counted."""
    rows = [row for row in model.rows if model.figures(row) is not None]
    boards = []
    for metric in METRICS:
        if metric.id not in shown:
            continue
        bars, values, doubtful = [], [], []
        for row in rows:
            figures = model.figures(row)
            value = figures.value(metric.id) if figures is not None else None
            if value is None:
                continue
            name = f"{row.name} · {row.file}" if row.file else row.name
            share, best = model.share(row, metric) or 0.0, model.is_best(row, metric)
            lossy = figures is not None and is_flattered(metric, figures)
            said = f"{SIGN} " * lossy + cell_text(metric, value)
            bars.append(Bar(name, said, share, row.colour, best))
            values.append(value if metric.better == "low" else -value)
            doubtful.append(lossy)
        if not bars:
            continue
        order = sorted(range(len(bars)), key=lambda at: (doubtful[at], values[at]))
        bars = [bars[at] for at in order]
        winners = [at for at, bar in enumerate(bars) if bar.best]
        right = winners[0] if len(winners) == 1 and len(bars) > 1 else -1
        which = {"low": "Lower is better.", "high": "Higher is better."}.get(metric.better, "")
        title = f"{metric.title} ({metric.unit})" if metric.unit not in ("", "%") else metric.title
        boards.append(
            Board(
                title,
                bars,
                f"{metric.title}: {metric.formula}.",
                f"{metric.title}: which tokenizer is best?",
                which,
                right,
            )
        )
    return boards


def language_boards(plot: DotPlot) -> list[Board]:
    """Returns a board for each tokenizer of a plot of languages: what it needs for the same content in each."""
    unit = plot.axis.unit or plot.axis.title
    boards = []
    for number, series in enumerate(plot.series):
        costs = [
            (row.title, row.values[number]) for row in plot.rows if row.values[number] is not None
        ]
        costs.sort(key=lambda one: (bool(one[1].doubt), -one[1].value) if one[1] else (True, 0.0))
        if len(costs) > MOST_BARS:  # the most expensive, and the cheapest
            costs = costs[: MOST_BARS // 2] + costs[-MOST_BARS // 2 :]
        most = max((estimate.value for _, estimate in costs if estimate is not None), default=1.0)
        bars = [
            Bar(
                name,
                f"{SIGN} " * bool(estimate.doubt) + f"{estimate.value:.2f}",
                estimate.value / most,
                series.colour,
            )
            for name, estimate in costs
            if estimate is not None
        ]
        if len(bars) < 2:
            continue
        boards.append(
            Board(
                f"{plot.axis.title}, {series.title}",
                bars,
                f"{bars[0].name} needs {bars[0].said}, {bars[-1].name} {bars[-1].said}: {unit}.",
                f"Which costs most in {series.title}?",
                unit,
                0 if bars[0].said != bars[1].said else -1,
            )
        )
    return boards
