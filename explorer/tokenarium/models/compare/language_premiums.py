"""What languages cost: premiums and the Gini of each tokenizer, with bootstrap intervals, and figures of each text."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.compare.comparing import LanguageCounts, ParallelCounts, line_counts
from tokenarium.models.compare.intervals import bootstrap
from tokenarium.models.compare.metric import Metric
from tokenarium.models.compare.metrics import (
    METRICS,
    is_flattered,
    premiums,
)
from tokenarium.models.compare.tally import Measured, measured
from tokenarium.models.inequality import gini
from tokenarium.models.text.lost_text import SIGN, listed
from tokenarium.models.text.piece import percent
from tokenarium_core.progress import Progress

MEASURES: tuple[Metric, ...] = tuple(
    metric
    for metric in METRICS
    if metric.id
    in (
        "bytes_per_token",
        "characters_per_token",
        "fertility",
        "fertility_alone",
        "alone_median",
        "alone_95",
        "alone_whole",
        "unknown_text",
        "lost_text",
        "round_trip",
    )
)
"""What is shown of each text next to its premium; it needs no text to compare with."""


@dataclass(frozen=True, slots=True)
class PremiumEstimate:
    """A value and the bounds of its 95% interval, which only aligned texts have.

    ``doubt`` says how lost text distorts it, if it does; ``tokens`` is how many it is worked out from.
    """

    value: float
    low: float | None = None
    high: float | None = None
    doubt: str = ""
    tokens: int | None = None

    def __str__(self) -> str:
        text = f"{self.value:.2f}"
        if self.low is not None and self.high is not None:
            text += f" (95%: {self.low:.2f} to {self.high:.2f})"
        return f"{SIGN} {text}: {self.doubt}" if self.doubt else text


def language_premiums(
    counts: LanguageCounts, reference: int, names: Sequence[str]
) -> list[PremiumEstimate]:
    """Returns the premium of each language: its tokens divided by those of the reference language."""
    tokens = counts.tokens
    sums = tokens.sum(axis=0).tolist()
    values = premiums(sums, reference)
    doubts = [_doubt(counts, index, reference, names) for index in range(len(values))]
    if len(tokens) < 2:
        return [
            PremiumEstimate(value, None, None, doubts[index], sums[index])
            for index, value in enumerate(values)
        ]
    low, high = bootstrap(tokens, lambda sums: _quotients(sums, reference))
    return [
        PremiumEstimate(value, float(low[index]), float(high[index]), doubts[index], sums[index])
        for index, value in enumerate(values)
    ]


def _doubt(counts: LanguageCounts, place: int, reference: int, names: Sequence[str]) -> str:
    if place == reference:
        return ""  # against itself: 1 whatever its tokens are
    if counts.doubtful[place]:
        return f"{percent(counts.lost[place])} of it is lost, so it looks cheap"
    if counts.doubtful[reference]:
        share = percent(counts.lost[reference])
        return f"{share} of {names[reference]} is lost, so this looks expensive"
    return ""


def language_figures(counts: LanguageCounts, metric: Metric) -> list[PremiumEstimate | None]:
    """Returns one figure of each language's text; None if it does not exist."""
    estimates: list[PremiumEstimate | None] = []
    for figures, tokens in zip(counts.figures, counts.tokens.sum(axis=0).tolist(), strict=False):
        value = figures.value(metric.id)
        doubt = ""
        if is_flattered(metric, figures):
            lost = percent(figures.lost_share)
            doubt = f"{lost} of it is lost, so it looks better than it is"
        elif metric.of_words and not figures.words_say:
            doubt = "its scripts put no spaces between words, so this means nothing"
        one = None if value is None else PremiumEstimate(value, doubt=doubt, tokens=tokens)
        estimates.append(one)
    return estimates


def by_mean_figure(found: Sequence[Sequence[PremiumEstimate | None]], metric: Metric) -> list[int]:
    """Returns the numbers of the languages, the best first: by the mean of the figures that are not doubtful.

    A language without any comes last.
    """
    down = metric.better == "high"
    means: list[float] = []
    for column in zip(*found, strict=True):
        sure = [
            estimate.value for estimate in column if estimate is not None and not estimate.doubt
        ]
        means.append((-1 if down else 1) * fmean(sure) if sure else np.inf)
    return sorted(range(len(means)), key=means.__getitem__)


def language_table(
    counts: ParallelCounts, titles: Sequence[str], reference: int | None
) -> list[dict[str, str | float | None]]:
    """Returns a row for each language and tokenizer; ``titles`` are the tokenizers' names in the order of the counts.

    Without a ``reference`` (texts do not say the same) there are no premiums.
    """
    rows: list[dict[str, str | float | None]] = []
    columns = [
        language_premiums(language_counts, reference, counts.languages)
        if reference is not None
        else None
        for language_counts in counts.counts.values()
    ]
    tokens = [
        language_counts.tokens.sum(axis=0).tolist() for language_counts in counts.counts.values()
    ]
    for index, language in enumerate(counts.languages):
        for number, language_counts in enumerate(counts.counts.values()):
            row: dict[str, str | float | None] = {
                "language": language,
                "tokenizer": titles[number],
                "tokens": tokens[number][index],
                **{
                    metric.id: language_counts.figures[index].value(metric.id)
                    for metric in MEASURES
                },
            }
            estimates = columns[number]
            if estimates is not None:
                premium = estimates[index]
                row |= {"premium": premium.value, "low": premium.low, "high": premium.high}
                row["doubt"] = premium.doubt
            rows.append(row)
    return rows


def language_gini(counts: LanguageCounts) -> PremiumEstimate | None:
    """Returns the Gini of the languages' tokens."""
    value = gini(counts.tokens.sum(axis=0).tolist())
    if value is None:
        return None
    lost = int(counts.doubtful.sum())
    doubt = f"{lost} of {len(counts.lost)} languages lose a part of their text" if lost else ""
    if len(counts.tokens) < 2:
        return PremiumEstimate(value, None, None, doubt)
    low, high = bootstrap(counts.tokens, _ginis)
    return PremiumEstimate(value, float(low[0]), float(high[0]), doubt)


def by_mean_premium(counts: ParallelCounts, reference: int) -> list[int]:
    """Returns the numbers of the languages, the cheapest first: by the geometric mean over the tokenizers.

    Doubtful counts are left out; a language without any other comes last.
    """
    logs = np.full((len(counts.counts), len(counts.languages)), np.nan)
    for row, language_counts in zip(logs, counts.counts.values(), strict=True):
        sums = language_counts.tokens.sum(axis=0)
        known = ~language_counts.doubtful & ~language_counts.doubtful[reference]
        row[known] = np.log(np.maximum(sums, 1) / max(int(sums[reference]), 1))[known]
    known_by = np.isfinite(logs).sum(axis=0)
    means = np.where(known_by > 0, np.nansum(logs, axis=0) / np.maximum(known_by, 1), np.inf)
    order: list[int] = np.argsort(means, kind="stable").tolist()
    return order


def lost_languages(counts: LanguageCounts, names: Sequence[str], reference: int | None) -> str:
    """Returns the languages that are lost in part, with their shares, in words; empty for none."""
    shares = [
        (names[index], float(counts.lost[index]))
        for index in np.flatnonzero(counts.doubtful).tolist()
    ]
    if reference is not None and counts.doubtful[reference]:
        return (
            f"{names[reference]} itself {percent(counts.lost[reference])}, so none can be compared"
        )
    return listed(shares)


def widest_gap(
    names: Sequence[str],
    titles: Sequence[str],
    found: Sequence[Sequence[PremiumEstimate | None]],
    reference: int,
) -> tuple[str, str]:
    """Returns what a chart of premiums shows, as figures and as a sentence; two empty texts if it shows nothing.

    It is the language in which the tokenizers differ by the greatest factor; with one tokenizer, the one that costs
    the most. ``found`` has the premiums of each tokenizer, ``names`` and ``titles`` are those of the languages and
    tokenizers. Doubtful premiums do not count.
    """
    widest: tuple[float, int, list[tuple[float, str]]] = 1.0, -1, []
    for index in range(len(names)):
        known = [
            (one.value, titles[number])
            for number, column in enumerate(found)
            if (one := column[index]) is not None and not one.doubt and one.value > 0
        ]
        if index == reference or len(known) < max(min(len(found), 2), 1):
            continue
        factor = max(known)[0] / (min(known)[0] if len(found) > 1 else 1.0)
        if factor > widest[0]:
            widest = factor, index, known
    _, index, known = widest
    if index < 0:
        return "", ""
    most, dearest = max(known)
    least, cheapest = min(known)
    language, base = names[index], names[reference]
    if len(found) < 2:
        sentence = f"The same content in {language} costs {dearest} {most:.1f} times its {base}, the most of all languages."
        return f"{most:.1f}×", sentence
    return (
        f"{most:.1f}× → {least:.1f}×",
        f"The same content in {language} costs {dearest} {most:.1f} times its {base}; for {cheapest} it is {least:.1f}.",
    )


def _quotients(sums: npt.NDArray[np.int64], reference: int) -> npt.NDArray[np.float64]:
    quotients: npt.NDArray[np.float64] = sums / np.maximum(sums[:, [reference]], 1)
    return quotients


def _ginis(sums: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """`gini` of each row, at once."""
    count = sums.shape[1]
    weights = 2 * np.arange(1, count + 1) - count - 1
    totals = np.maximum(sums.sum(axis=1, keepdims=True), 1)
    ginis: npt.NDArray[np.float64] = np.sort(sums, axis=1) @ weights[:, None] / (count * totals)
    return ginis


class ParallelJob:
    """``counts`` has each tokenizer's counts of all lines and languages, by its key, once it is done."""

    def __init__(
        self, texts: Sequence[Sequence[str]], tokenizers: Mapping[str, tc.Tokenizer]
    ) -> None:
        self.counts: dict[str, LanguageCounts] = {}
        self._texts = texts
        self._measured: list[Measured] = []
        self._left = list(tokenizers.items())
        self._languages: list[LanguageCounts] = []  # of the first remaining tokenizer
        self._total = len(self._left)

    def step(self, budget_ms: float, /) -> Progress:
        """Works for about ``budget_ms``, but at least one language: give few lines."""
        until = time.monotonic() + budget_ms / 1000
        while len(self._measured) < len(self._texts) and time.monotonic() < until:
            self._measured.append(measured(*self._texts[len(self._measured)]))
        ready = len(self._measured) == len(self._texts)
        while ready and self._left and time.monotonic() < until:
            key, tokenizer = self._left[0]
            text = self._measured[len(self._languages)]
            self._languages.append(line_counts(tokenizer, [text]))
            if len(self._languages) == len(self._texts):
                self.counts[key] = _beside(self._languages)
                self._left.pop(0)
                self._languages = []
        done = self._total - len(self._left)
        return Progress("Comparing languages", done, self._total, not self._left)


def _beside(languages: Sequence[LanguageCounts]) -> LanguageCounts:
    """Joins the counts of single languages."""
    return LanguageCounts(
        np.concatenate([columns.tokens for columns in languages], axis=1),
        np.concatenate([columns.lost for columns in languages]),
        tuple(figures for columns in languages for figures in columns.figures),
    )
