"""What texts cost at every size of a vocabulary, as a chart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tokenarium.models.charts.chart import Axis, Chart, ChartCurve, ChartMark
from tokenarium.models.tokenizers.pruned import CostCurve

POINTS = 400
"""Points of a curve."""


def cost_chart(curve: CostCurve | None, going: int, beside: bool) -> Chart:
    """Returns the costs by the number of entries, with a mark at the chosen one."""
    x, y = Axis("Entries", logarithmic=True), Axis("Tokens", "% more")
    if curve is None or len(curve.tokens) < 2:
        return Chart(x, y)
    least, most = max(curve.smallest, 1), curve.entries
    sizes = np.unique(np.geomspace(least, most, POINTS).round().astype(int))
    places = [index for size in sizes.tolist() if 0 <= (index := most - size) < len(curve.tokens)]
    places.sort()
    curves = [_points("The texts", curve, curve.tokens, places, 0)]
    if beside and curve.text_tokens[0]:
        curves.append(_points("The text of the window", curve, curve.text_tokens, places, 1))
    marks = [ChartMark(float(curve.entries - going), f"{curve.entries - going:,}")] if going else []
    return Chart(x, y, curves, marks)


def _points(
    title: str, curve: CostCurve, tokens: Sequence[int], places: Sequence[int], colour: int
) -> ChartCurve:
    before = max(tokens[0], 1)
    points = [
        (float(curve.entries - index), 100 * (tokens[index] / before - 1))
        for index in reversed(places)
    ]
    return ChartCurve(title, points, colour, counts=[tokens[index] for index in reversed(places)])
