"""The charts of a comparison: how long tokens are, and how often each is used, a curve for each tokenizer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tokenarium.models.charts.chart import Axis, Chart, ChartCurve
from tokenarium.models.compare.comparison_model import ComparedRow
from tokenarium.models.compare.metrics import rank_frequency
from tokenarium.models.compare.tally import LONGEST

TAIL = 0.001
"""Of the tokens: lengths beyond which there are fewer are not drawn, so that the others have room."""

POINTS = 160
"""Points of a rank–frequency curve at most: more look the same."""

LENGTHS_AXES = (Axis("Length of a token", "bytes of the text"), Axis("Share of the tokens", "%"))
RANKS_AXES = (Axis("Rank of the id", "", True), Axis("Times it came out", "", True))


def length_chart(rows: Sequence[ComparedRow]) -> Chart:
    """Returns which share of the tokens has which length; the last length stands for all from there on."""
    counted = [(row, row.tally) for row in rows if row.tally is not None and row.tally.tokens]
    last = 1
    for _, tally in counted:
        shares = tally.lengths / tally.tokens
        last = max(last, int(np.flatnonzero(np.cumsum(shares[::-1])[::-1] >= TAIL)[-1]))
    curves = []
    for row, tally in counted:
        shares = 100 * tally.lengths / tally.tokens
        first = 0 if shares[0] else 1
        points = [(float(length), float(shares[length])) for length in range(first, last + 1)]
        curves.append(ChartCurve(row.name, points, row.colour))
    x, y = LENGTHS_AXES
    unit = x.unit if last < LONGEST else f"{x.unit}; {LONGEST}: or more"
    return Chart(Axis(x.title, unit), y, curves)


def rank_chart(rows: Sequence[ComparedRow]) -> Chart:
    """Returns how often the most frequent id, the second, and so on came out, on scales of factors."""
    curves = []
    for row in rows:
        counts = rank_frequency(row.tally.uses) if row.tally is not None else np.empty(0, np.int64)
        if len(counts):
            ranks = np.unique(np.geomspace(1, len(counts), POINTS).round().astype(np.int64))
            points = [(float(rank), float(counts[rank - 1])) for rank in ranks.tolist()]
            curves.append(ChartCurve(row.name, points, row.colour))
    return Chart(*RANKS_AXES, curves)
