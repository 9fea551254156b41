"""Bootstrap intervals of the figures of a comparison, and paired differences between tokenizers, corrected by Holm.

Documents or lines are drawn with replacement, the same ones for all tokenizers, so that differences are paired: what is
hard in a text is hard for each of them. Only figures that are worked out from sums have intervals. How many entries are
used, and the entropies of ids and of the boundaries of numbers, are biased in a resample, which has fewer different ones
than the text.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from tokenarium.models.compare.measure_cache import key_of, load_arrays, store_arrays
from tokenarium.models.compare.metric import Metric
from tokenarium.models.compare.metrics import METRIC_OF, words_mean_something
from tokenarium.models.compare.tally import Tally
from tokenarium.models.compare.unit_rows import Rows, tally_of_row

Samples = npt.NDArray[np.float64]

MEASURED: Final = (
    "bytes_per_token",
    "characters_per_token",
    "fertility",
    "fertility_alone",
    "whole_words",
    "continued",
    "alone_whole",
    "fallback",
    "inside",
    "unknown",
    "unknown_text",
    "lost_text",
    "round_trip",
    "place_value",
    "from_right",
    "from_left",
    "tokens_per_digit",
    "magnitude",
    "operators_apart",
    "operators_whole",
    "split_characters",
    "crossing",
)
"""The ids of the figures that have intervals."""

WHOLE_NUMBERS: Final = ("fertility_median", "fertility_95", "alone_median", "alone_95")
"""The ids of the figures that are a whole number of tokens, which hardly any sample changes."""

RESAMPLES: Final = 10_000
SIGNIFICANCE: Final = 0.05
"""The chance of a difference where there is none: 1 − this is the confidence of an interval."""

MOST_RESAMPLES: Final = 100_000
FEW_UNITS: Final = 20
"""With fewer units, a percentile interval is too narrow."""

_AT_ONCE: Final = 1 << 22
_REPORTED: Final = 1 << 8
_KEPT: Final = 1000  # fewer samples are drawn again, which takes no time


def resampled_sums(
    counts: npt.NDArray[np.int64],
    resamples: int,
    seed: int,
    progressed: Callable[[float], object] = lambda _: None,
) -> npt.NDArray[np.int64]:
    """Returns the sums of several samples of the rows of ``counts``, each as large and drawn with replacement.

    The draws of a seed (PCG64) depend only on the numbers of rows and samples.
    """
    random = np.random.Generator(np.random.PCG64(seed))
    units = len(counts)
    flat = counts.reshape(units, -1).astype(np.float64)  # sums below 2**53 are exact
    sums = np.empty((resamples, flat.shape[1]), np.int64)
    step = max(_AT_ONCE // max(units, 1), 1)
    for start in range(0, resamples, step):
        many = min(step, resamples - start)
        drawn = random.integers(0, units, (many, units))
        drawn += np.arange(many)[:, None] * units
        weights = np.bincount(drawn.ravel(), minlength=many * units).reshape(many, units)
        sums[start : start + many] = np.rint(weights.astype(np.float64) @ flat)
        progressed((start + many) / resamples)
    return sums.reshape(resamples, *counts.shape[1:])


def bootstrap(
    counts: npt.NDArray[np.int64],
    statistic: Callable[[npt.NDArray[np.int64]], npt.NDArray[np.float64]],
    rounds: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Returns the bounds of a percentile bootstrap interval (Efron 1979) of a statistic over sentences.

    ``counts[sentence, language]`` are tokens; ``statistic`` takes the sums of several samples (n × languages) and
    returns a row for each. Sentences are drawn with replacement, the same ones for all languages.
    """
    samples = statistic(resampled_sums(counts, rounds, seed))
    tail = (1 - level) / 2
    low, high = np.quantile(samples, [tail, 1 - tail], axis=0)
    return low, high


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with the bounds of its interval; all None if it has no meaning, the bounds for a single unit."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The figure of the tokenizer ``first`` minus that of ``second``, both by their places.

    ``p`` is that of a two-sided bootstrap test, ``adjusted`` corrected by Holm for all pairs; ``differs`` if that is at
    most α. All but the places and the value are None for a single unit.
    """

    first: int
    second: int
    value: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    adjusted: float | None = None
    differs: bool | None = None


@dataclass(frozen=True, slots=True)
class MeasureIntervals:
    """One figure of all tokenizers, with the differences of all pairs of those that have it."""

    metric: Metric
    intervals: tuple[Interval, ...]
    differences: tuple[PairedDifference, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SampledFigures:
    """The figures of one tokenizer, in the order of the measures that were asked for, and those of its samples.

    ``samples`` is by resample and measure, and empty for a single unit. Tokenizers that were counted on the same
    ``units`` were sampled with the same draws, so that their differences are paired, whenever each was counted.
    """

    values: tuple[float | None, ...]
    samples: Samples
    units: int


def sampled_figures(
    counts: Rows,
    measures: Sequence[str],
    resamples: int = RESAMPLES,
    seed: int = 0,
    progressed: Callable[[float], object] = lambda _: None,
) -> list[SampledFigures]:
    """Returns the figures of each tokenizer from ``counts`` by unit, tokenizer and column; see `UnitRows`.

    Those of many samples are stored in the measure cache.
    """
    places = range(counts.shape[1])
    keys = [_samples_key(counts[:, place], measures, resamples, seed) for place in places]
    found = [_kept_samples(key, len(counts), len(measures), resamples) for key in keys]
    left = [place for place in places if found[place] is None]
    made = _sampled(counts[:, left], measures, resamples, seed, progressed) if left else []
    for place, one in zip(left, made, strict=True):
        found[place] = one
        if keys[place]:
            store_arrays(keys[place], [np.array(list(map(_number, one.values))), one.samples])
    return [one for one in found if one is not None]


def _samples_key(counts: Rows, measures: Sequence[str], resamples: int, seed: int) -> str:
    """Returns under which name the samples of a tokenizer are stored; empty if there are few."""
    if resamples < _KEPT or len(counts) < 2:
        return ""
    digest = hashlib.sha256(np.ascontiguousarray(counts).tobytes()).hexdigest()
    return key_of("samples", counts=digest, measures=measures, resamples=resamples, seed=seed)


def _kept_samples(key: str, units: int, measures: int, resamples: int) -> SampledFigures | None:
    match load_arrays(key) if key else None:
        case [values, samples] if values.shape == (measures,) and samples.shape == (
            resamples,
            measures,
        ):
            known = (None if math.isnan(value) else value for value in values.tolist())
            return SampledFigures(tuple(known), samples, units)
    return None


def _sampled(
    counts: Rows,
    measures: Sequence[str],
    resamples: int,
    seed: int,
    progressed: Callable[[float], object],
) -> list[SampledFigures]:
    whole = [tally_of_row(row) for row in counts.sum(axis=0)]
    metrics = [METRIC_OF[name] for name in measures]
    samples = np.empty((len(whole), resamples if len(counts) > 1 else 0, len(metrics)), np.float64)
    if samples.shape[1]:
        sums = resampled_sums(counts, resamples, seed, lambda share: progressed(share / 2))
        for number, sample in enumerate(sums):
            for place, row in enumerate(sample):
                one = tally_of_row(row)
                samples[place, number] = [_number(metric.value(one)) for metric in metrics]
            if number % _REPORTED == 0:
                progressed((1 + number / resamples) / 2)
    return [
        SampledFigures(
            tuple(metric.value(one) if _says(metric, one) else None for metric in metrics),
            drawn,
            len(counts),
        )
        for one, drawn in zip(whole, samples, strict=True)
    ]


def intervals_of(
    counts: Rows,
    measures: Sequence[str],
    resamples: int = RESAMPLES,
    seed: int = 0,
    alpha: float = SIGNIFICANCE,
    progressed: Callable[[float], object] = lambda _: None,
) -> list[MeasureIntervals]:
    """Returns figures with intervals from ``counts`` by unit, tokenizer and column; see `UnitRows`."""
    sampled = sampled_figures(counts, measures, resamples, seed, progressed)
    return [measure_intervals(sampled, measures, name, alpha) for name in measures]


def measure_intervals(
    sampled: Sequence[SampledFigures],
    measures: Sequence[str],
    name: str,
    alpha: float = SIGNIFICANCE,
) -> MeasureIntervals:
    """Returns one of the ``measures`` of some tokenizers, with its intervals and paired differences."""
    place = measures.index(name)
    values = [one.values[place] for one in sampled]
    known = [number for number, value in enumerate(values) if value is not None]
    samples = np.stack([one.samples[:, place] for one in sampled], axis=1)
    intervals = tuple(_interval(one, place, alpha) for one in sampled)
    return MeasureIntervals(METRIC_OF[name], intervals, _differences(values, known, samples, alpha))


def figure_intervals(
    sampled: SampledFigures, measures: Sequence[str], alpha: float = SIGNIFICANCE
) -> dict[str, Interval]:
    """Returns the intervals of the figures of a tokenizer by their ids."""
    return {name: _interval(sampled, place, alpha) for place, name in enumerate(measures)}


def _interval(sampled: SampledFigures, place: int, alpha: float) -> Interval:
    value = sampled.values[place]
    if value is None:
        return Interval(None)
    return Interval(value, *_bounds(sampled.samples[:, place], alpha))


def _says(metric: Metric, whole: Tally) -> bool:
    return not metric.of_words or words_mean_something(whole)


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def _bounds(samples: Samples, alpha: float) -> tuple[float | None, float | None]:
    samples = samples[np.isfinite(samples)]  # a sample without a word has no fertility
    if not len(samples):
        return None, None
    low, high = np.quantile(samples, [alpha / 2, 1 - alpha / 2])
    return float(low), float(high)


def _differences(
    values: Sequence[float | None], known: Sequence[int], samples: Samples, alpha: float
) -> tuple[PairedDifference, ...]:
    pairs = list(combinations(known, 2))
    plain = [(values[one] or 0.0) - (values[other] or 0.0) for one, other in pairs]
    apart = [samples[:, one] - samples[:, other] for one, other in pairs]
    bounds = [_bounds(one, alpha) for one in apart]
    if any(low is None for low, _ in bounds):
        return tuple(
            PairedDifference(*pair, value) for pair, value in zip(pairs, plain, strict=True)
        )
    chances = [two_sided(one[np.isfinite(one)]) for one in apart]
    adjusted = holm(chances)
    return tuple(
        PairedDifference(*pair, value, *bound, p, corrected, corrected <= alpha)
        for pair, value, bound, p, corrected in zip(
            pairs, plain, bounds, chances, adjusted, strict=True
        )
    )


def two_sided(differences: Samples) -> float:
    """Returns the p-value of resampled differences: twice the share on the rarer side of zero, counting the observed
    one (Davison and Hinkley 1997, section 4.2), at most 1.

    >>> two_sided(np.array([1.0, 2.0, 3.0])), two_sided(np.array([0.0, 0.0]))
    (0.5, 1.0)
    """
    rarer = min(int((differences <= 0).sum()), int((differences >= 0).sum()))
    return min(1.0, 2 * (rarer + 1) / (len(differences) + 1))


def holm(chances: Sequence[float]) -> list[float]:
    """Returns p-values corrected for how many there are (Holm 1979), in their order.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(chances)
    most = 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        most = max(most, min(1.0, (len(chances) - rank) * chances[place]))
        adjusted[place] = most
    return adjusted


def confidence(alpha: float) -> str:
    """Returns the confidence of the intervals at a significance α.

    >>> confidence(0.05)
    '95%'
    """
    return f"{100 * (1 - alpha):.6g}%"


def interval_notes(
    units: int, unit: str, tokenizers: int, resamples: int, alpha: float
) -> list[str]:
    """Returns what limits the intervals, in sentences."""
    notes = []
    if units < 2:
        notes.append(f"There are no intervals: they need at least two {unit}s.")
    elif units < FEW_UNITS:
        notes.append(f"The intervals come from only {units} {unit}s, so they are too narrow.")
    pairs = tokenizers * (tokenizers - 1) // 2
    if units > 1 and pairs and 2 * pairs / (resamples + 1) > alpha:
        notes.append(
            f"With {resamples:,} resamples and {pairs:,} pairs, no p-value can reach α = {alpha:g}:"
            f" use at least {int(2 * pairs / alpha):,} resamples."
        )
    return notes
