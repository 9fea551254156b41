"""The figures of a comparison, each with its formula and source, from the counts of `tally`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tokenarium.models.compare.boundary_metrics import BOUNDARY_METRICS, TOKEVAL
from tokenarium.models.compare.distribution_metrics import DISTRIBUTION_METRICS
from tokenarium.models.compare.metric import Metric, percent, ratio
from tokenarium.models.compare.tally import Tally
from tokenarium.models.compare.words import WORD_RULE
from tokenarium.models.text.lost_text import is_doubtful

MOSTLY_UNSPACED = 0.3
"""The share of characters of unspaced scripts from which word figures mean nothing."""


def words_mean_something(tally: Tally) -> bool:
    """Returns whether figures of words mean something: most of the text is in scripts whose words are found."""
    return tally.unspaced < MOSTLY_UNSPACED * max(tally.characters, 1)


def is_flattered(metric: Metric, counted: Tally | Figures) -> bool:
    """Returns whether a figure looks too good because much of the text is lost."""
    return metric.flattered and is_doubtful(counted.lost_share)


def quantile(histogram: npt.NDArray[np.int64], share: float) -> float | None:
    """Returns the least value that at least this share of the counted ones do not exceed.

    >>> quantile(np.array([0, 5, 4, 1]), 0.5)
    1.0
    """
    total = int(histogram.sum())
    if not total:
        return None
    return float(np.searchsorted(np.cumsum(histogram), math.ceil(share * total)))


COMPRESSION = (
    "Fewer tokens cost less, but do not make a better model: 64 models trained with tokenizers of several kinds showed"
    " no such rule (Schmidt et al. 2024, Tokenization Is More Than Compression)."
)
STRR = (
    "Words are encoded without the space that precedes them in texts, so a tokenizer that has only “ the” divides “the”. Frequent"
    " words count as often as they occur: for a list of words that counts each once, give such a list. A larger vocabulary"
    " raises it, whatever the model."
)

METRICS: tuple[Metric, ...] = (
    Metric(
        "tokens", "Tokens", "", "Tokens", "for the same text",
        "how many ids the text becomes",
        "",
        lambda t: t.tokens, 0, "low", flattered=True, term="token", caveat=COMPRESSION,
    ),
    Metric(
        "bytes_per_token", "Bytes per token", "bytes", "Bytes per token", "higher is shorter",
        "bytes of UTF-8 ÷ tokens",
        "",
        lambda t: ratio(t.byte_count, t.tokens), 2, "high", flattered=True, term="bytes per token", caveat=COMPRESSION,
    ),
    Metric(
        "characters_per_token", "Characters per token", "code points", "Characters per token", "code points",
        "code points ÷ tokens",
        "",
        lambda t: ratio(t.characters, t.tokens), 2, "high",
        flattered=True, term="characters per token", caveat=COMPRESSION,
    ),
    Metric(
        "fertility", "Fertility, in context", "tokens per word", "Tokens per word", "1 means one word per token",
        f"Σ tokens that have a byte of a word, in the text ÷ words. {WORD_RULE}",
        "Rust et al. 2021, How Good is Your Tokenizer?",
        lambda t: ratio(t.touching, t.word_count), 2, "low", of_words=True, flattered=True, term="fertility",
    ),
    Metric(
        "fertility_alone", "Fertility, words alone", "tokens per word", "Tokens per word alone", "each word by itself",
        "Σ tokens of each word encoded by itself ÷ words. It differs from fertility in context: here no space precedes"
        " a word, and no punctuation mark shares a token with it",
        "",
        lambda t: ratio(t.alone, t.word_count), 2, "low", of_words=True, flattered=True, term="fertility",
    ),
    Metric(
        "fertility_median", "Fertility, median", "tokens per word", "Median word", "tokens",
        "the least number that half of the words do not exceed, in the text",
        "",
        lambda t: quantile(t.words, 0.5), 0, "low", of_words=True, flattered=True, term="fertility",
    ),
    Metric(
        "fertility_95", "Fertility, 95th percentile", "tokens per word", "Long words", "tokens of the 95th percentile",
        "the least number that 95 of 100 words do not exceed, in the text",
        "",
        lambda t: quantile(t.words, 0.95), 0, "low", of_words=True, flattered=True, term="fertility",
    ),
    Metric(
        "whole_words", "Words in one token", "%", "Words in one token", "of all words",
        "words with one token in the text ÷ words",
        "",
        lambda t: percent(float(t.words[:2].sum()), t.word_count), 1, "high", of_words=True, flattered=True,
    ),
    Metric(
        "continued", "Words continued", "%", "Words continued", "in two tokens or more",
        "words with two tokens or more ÷ words",
        "Rust et al. 2021, as the proportion of continued words",
        lambda t: percent(float(t.words[2:].sum()), t.word_count), 1, "low", of_words=True, flattered=True,
    ),
    Metric(
        "alone_median", "Fertility, words alone, median", "tokens per word", "Median word alone", "tokens",
        "the least number that half of the words do not exceed, each encoded by itself",
        "",
        lambda t: quantile(t.words_alone, 0.5), 0, "low", of_words=True, flattered=True, term="fertility",
    ),
    Metric(
        "alone_95", "Fertility, words alone, 95th percentile", "tokens per word", "Long words alone", "tokens of the 95th percentile",
        "the least number that 95 of 100 words do not exceed, each encoded by itself",
        "",
        lambda t: quantile(t.words_alone, 0.95), 0, "low", of_words=True, flattered=True, term="fertility",
    ),
    Metric(
        "alone_whole", "Words alone in one token (STRR)", "%", "Words alone in one token", "STRR",
        "words with one token when encoded by themselves ÷ words",
        "Nayeem et al. 2025, Beyond Fertility, as the single-token retention rate",
        lambda t: percent(float(t.words_alone[:2].sum()), t.word_count), 1, "high",
        of_words=True, flattered=True, term="single-token retention rate", caveat=STRR,
    ),
    Metric(
        "used", "Vocabulary used", "%", "Vocabulary used", "of its entries",
        "different ids in the text ÷ entries of the vocabulary",
        "",
        lambda t: percent(float(np.count_nonzero(t.uses)), len(t.uses)), 1,
        caveat="It grows with the text and its languages: compare it only on the same text, and on a long one.",
    ),
    Metric(
        "fallback", "Byte tokens", "%", "Byte tokens", "one byte of a character",
        "tokens that are one byte of a character that has several ÷ tokens",
        "",
        lambda t: percent(t.fallback, t.tokens), 2, "low", flattered=True,
    ),
    Metric(
        "inside", "Tokens inside a character", "%", "Tokens inside a character", "cut letters or emoji",
        "tokens that begin or end inside a character ÷ tokens",
        f"{TOKEVAL}: 100% minus its completeness rate",
        lambda t: percent(t.cut, t.tokens), 1, "low", flattered=True,
    ),
    Metric(
        "unknown", "Unknown", "%", "Unknown", "of the tokens",
        "unknown tokens ÷ tokens",
        "",
        lambda t: percent(t.unknown, t.tokens), 2, "low", term="unknown token",
    ),
    Metric(
        "unknown_text", "Unknown text", "%", "Unknown text", "of the bytes",
        "bytes of the text that unknown tokens stand for ÷ bytes that all tokens stand for",
        "",
        lambda t: percent(t.unknown_bytes, t.covered_bytes), 2, "low", term="unknown token",
    ),
    Metric(
        "lost_text", "Lost text", "%", "Lost text", "of the bytes",
        "bytes of the text that unknown tokens stand for, or that no token stands for and decoding does not restore ÷ bytes",
        "",
        lambda t: percent(t.lost_bytes, t.byte_count), 2, "low", term="unknown token",
    ),
    *DISTRIBUTION_METRICS,
    Metric(
        "round_trip", "Round trip", "%", "Round trip", "texts that come back",
        "texts that decoding gives back byte for byte ÷ texts",
        "",
        lambda t: percent(t.texts - t.changed, t.texts), 0, "high", term="round trip",
    ),
    *BOUNDARY_METRICS,
)  # fmt: skip
"""All figures of the table, in the order of its columns."""

METRIC_OF = {metric.id: metric for metric in METRICS}
"""The figures by their ids."""

KEY_COLUMNS = ("tokens", "bytes_per_token", "fertility", "whole_words", "inside")
"""The figures that are shown at first in a window, by their ids."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The values of all `METRICS`, in their order, for one text or file; smaller than a `Tally`.

    ``words_say``: see `words_mean_something`; ``unknown_share`` and ``lost_share``: see `Tally`.
    """

    values: tuple[float | None, ...]
    byte_count: int
    characters: int
    unknown_share: float
    lost_share: float
    words_say: bool
    words: int = 0
    texts: int = 0

    @property
    def raw(self) -> tuple[int, int, int, int]:
        """What was counted whatever the tokenizer: bytes, code points, words and texts."""
        return self.byte_count, self.characters, self.words, self.texts

    def value(self, metric: str) -> float | None:
        """Returns a value by the id of its metric."""
        return self.values[_PLACES[metric]]


_PLACES = {metric.id: index for index, metric in enumerate(METRICS)}


def figures_of(tally: Tally) -> Figures:
    """Returns all figures of what was counted."""
    values = tuple(metric.value(tally) for metric in METRICS)
    says = words_mean_something(tally)
    return Figures(
        values,
        tally.byte_count,
        tally.characters,
        tally.unknown_share,
        tally.lost_share,
        says,
        tally.word_count,
        tally.texts,
    )


# Between languages, on parallel texts.


def premiums(tokens: Sequence[int], reference: int) -> list[float]:
    """Returns each language's tokens divided by those of the reference language, for the same content.

    Source: Petrov et al. 2023, Language Model Tokenizers Introduce Unfairness Between Languages.
    """
    return [count / tokens[reference] if tokens[reference] else math.nan for count in tokens]


# Between vocabularies.


def jaccard(shared: int, one: int, other: int) -> float | None:
    """Returns how much two sets have in common: what is in both ÷ what is in either (Jaccard 1901)."""
    return ratio(shared, one + other - shared)
