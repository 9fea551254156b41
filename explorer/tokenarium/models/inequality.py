"""How unequal numbers are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def gini(values: Sequence[float]) -> float | None:
    """Returns how unequal values are: 0 if all are the same, near 1 where one has all.

    Σᵢ Σⱼ |xᵢ − xⱼ| ÷ (2 n² mean), by Gini 1912; in the form for sorted values.

    >>> gini([1, 1, 1, 1])
    0.0
    """
    sorted_values = np.sort(np.asarray(values, np.float64))
    count = len(sorted_values)
    total = float(sorted_values.sum())
    if not count or total <= 0:
        return None
    weights = 2 * np.arange(1, count + 1) - count - 1
    return float((weights * sorted_values).sum() / (count * total))
