"""How much more some languages pay: premiums and the Gini of each tokenizer, with bootstrap intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tokenarium.models.comparing import ParallelCounts
from tokenarium.models.metrics import bootstrap, gini, premiums


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and the bounds of its 95% interval; without these where texts are not aligned by line."""

    value: float
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.value:.2f}"
        return f"{self.value:.2f} (95%: {self.low:.2f} to {self.high:.2f})"


def language_premiums(counts: npt.NDArray[np.int64], reference: int) -> list[Estimate]:
    """Returns how many times the reference language's tokens each language takes; ``counts[line, language]``."""
    values = premiums(counts.sum(axis=0).tolist(), reference)
    if len(counts) < 2:
        return [Estimate(value) for value in values]
    low, high = bootstrap(counts, lambda sums: _quotients(sums, reference))
    return [
        Estimate(value, float(low[place]), float(high[place])) for place, value in enumerate(values)
    ]


def language_gini(counts: npt.NDArray[np.int64]) -> Estimate | None:
    """Returns how unequal the tokens of the languages are; ``counts[line, language]``."""
    value = gini(counts.sum(axis=0).tolist())
    if value is None or len(counts) < 2:
        return None if value is None else Estimate(value)
    low, high = bootstrap(counts, _ginis)
    return Estimate(value, float(low[0]), float(high[0]))


def by_mean_premium(counts: ParallelCounts, reference: int) -> list[int]:
    """Returns the places of the languages, the cheapest first: by the geometric mean over the tokenizers."""
    logs = [
        np.log(np.maximum(one.sum(axis=0), 1) / max(int(one[:, reference].sum()), 1))
        for one in counts.counts.values()
    ]
    if not logs:
        return list(range(len(counts.languages)))
    order: list[int] = np.argsort(np.mean(logs, axis=0), kind="stable").tolist()
    return order


def _quotients(sums: npt.NDArray[np.int64], reference: int) -> npt.NDArray[np.float64]:
    quotients: npt.NDArray[np.float64] = sums / np.maximum(sums[:, [reference]], 1)
    return quotients


def _ginis(sums: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    return np.array([[gini(row) or 0.0] for row in sums])
