"""The figures of how often the ids occur: entropies, the effective vocabulary and Zipf's law."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from tokenarium.models.compare.metric import Metric, ratio

ALPHA = 2.5
"""The order of Rényi's entropy at which Zouhar et al. (2023) found the best agreement with translation quality."""


Uses = npt.NDArray[np.int64]
"""How often each id occurs."""


def rank_frequency(uses: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Returns how often each occurring id does, the most frequent first (Zipf's curve)."""
    counts: npt.NDArray[np.int64] = np.sort(uses[uses > 0])[::-1]
    return counts


def shannon_entropy(uses: npt.NDArray[np.int64]) -> float | None:
    """Returns the entropy of ids in bits a token: −Σ p log₂ p."""
    counts = uses[uses > 0].astype(np.float64)
    if not len(counts):
        return None
    shares = counts / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def renyi_entropy(uses: npt.NDArray[np.int64], alpha: float = ALPHA) -> float | None:
    """Returns Rényi's entropy of an order other than 1, in bits a token: log₂(Σ p^α) / (1 − α)."""
    counts = uses[uses > 0].astype(np.float64)
    if not len(counts):
        return None
    shares = counts / counts.sum()
    return float(np.log2((shares**alpha).sum()) / (1 - alpha))


def efficiency(entropy: float | None, size: int) -> float | None:
    """Returns an entropy as a share of the most that ``size`` ids could have: log₂ size."""
    return None if entropy is None or size < 2 else entropy / math.log2(size)


def _efficiency(entropy: float | None, size: int) -> float | None:
    """Returns the efficiency in percent."""
    share = efficiency(entropy, size)
    return None if share is None else 100 * share


def effective_vocabulary(uses: Uses) -> float | None:
    """Returns how many ids, all equally frequent, have the same entropy: 2 to the power of it."""
    entropy = shannon_entropy(uses)
    return None if entropy is None else 2**entropy


def average_rank(uses: Uses) -> float | None:
    """Returns the mean rank of the tokens, by the frequency of their ids; the most frequent id has rank 1."""
    counts = rank_frequency(uses)
    return ratio(float(counts @ np.arange(1, len(counts) + 1)), int(counts.sum()))


def zipf_fit(uses: Uses) -> tuple[float, float] | None:
    """Returns Zipf's exponent and how much of the variance the line explains (R²), by least squares.

    The line is through log frequency against log rank, of all ids that occur. None if fewer than two occur, or all do
    equally often.
    """
    counts = rank_frequency(uses)
    if len(counts) < 2 or counts[0] == counts[-1]:
        return None
    ranks, logs = np.log(np.arange(1, len(counts) + 1)), np.log(counts)
    ranks, logs = ranks - ranks.mean(), logs - logs.mean()
    slope = float(ranks @ logs / (ranks @ ranks))
    return -slope, float(slope * (ranks @ logs) / (logs @ logs))


NOT_QUALITY = (
    "The efficiency of the ids does not predict the quality of a model: BPE can be changed so that it rises while"
    " translations get worse (Cognetta et al. 2024, Two Counterexamples to Tokenization and the Noiseless Channel)."
)
ZIPF = (
    "Models did best where the fit was nearest to 1 (He et al. 2025), which is a correlation, over sizes of a vocabulary. A line"
    " through logarithms is mostly determined by rare ids, and depends on the length of the text; it does not prove that a"
    " power law holds (Clauset et al. 2009, Power-Law Distributions in Empirical Data)."
)
SAME_TEXT = (
    "It depends on the length of the text and its languages: compare it only on the same text."
)

DISTRIBUTION_METRICS: tuple[Metric, ...] = (
    Metric(
        "shannon", "Shannon efficiency", "%", "Shannon efficiency", "of the ids",
        "−Σ p log₂ p ÷ log₂ V, where p is the share of an id in the text and V the entries of the vocabulary",
        "Zouhar et al. 2023, Tokenization and the Noiseless Channel",
        lambda t: _efficiency(shannon_entropy(t.uses), len(t.uses)), 1, "high",
        term="Shannon efficiency", caveat=NOT_QUALITY,
    ),
    Metric(
        "renyi", "Rényi efficiency", "%", "Rényi efficiency", "of the ids",
        f"log₂(Σ p^α) ÷ (1 − α) ÷ log₂ V, α = {ALPHA:g}, V the entries of the vocabulary",
        "Zouhar et al. 2023, Tokenization and the Noiseless Channel",
        lambda t: _efficiency(renyi_entropy(t.uses), len(t.uses)), 1, "high",
        term="Rényi efficiency", caveat=NOT_QUALITY,
    ),
    Metric(
        "effective", "Effective vocabulary", "ids", "Effective vocabulary", "ids",
        "2^H, where H = −Σ p log₂ p is the entropy of the ids in the text",
        "Hill 1973, Diversity and Evenness: the number of order 1",
        lambda t: effective_vocabulary(t.uses), 0,
        term="effective vocabulary", caveat=f"Ids that occur equally often are not better for a model. {SAME_TEXT}",
    ),
    Metric(
        "average_rank", "Average rank", "", "Average rank", "of the tokens’ ids",
        "Σ rank · times ÷ tokens, where the id with rank 1 occurs most often",
        "Limisiewicz et al. 2023, Tokenization Impacts Multilingual Language Modeling",
        lambda t: average_rank(t.uses), 0,
        caveat=f"It shows how many entries a language has in the vocabulary, and not whether they help. {SAME_TEXT}",
    ),
    Metric(
        "unigram_bits", "Bits per byte, by frequency of ids", "bits per byte", "Bits per byte", "by frequency of ids",
        "−Σ p log₂ p · tokens ÷ bytes, where p is the share of an id in the text: each token is predicted without those"
        " before it",
        "Shannon 1948, A Mathematical Theory of Communication",
        lambda t: ratio((shannon_entropy(t.uses) or 0.0) * t.tokens, t.byte_count), 3,
        flattered=True, caveat="The frequencies are those of the text itself, so a larger vocabulary makes it lower, and a short text too. A"
        " language model uses the tokens before, and its bits per byte can order tokenizers differently.",
    ),
    Metric(
        "zipf", "Zipf exponent", "", "Zipf exponent", "slope of ranks",
        "the slope of the line, by least squares, of log frequency against log rank of the ids that occur, times −1",
        "Zipf 1949, Human Behavior and the Principle of Least Effort",
        lambda t: fit[0] if (fit := zipf_fit(t.uses)) else None, 2, term="Zipf’s law", caveat=ZIPF,
    ),
    Metric(
        "zipf_fit", "Zipf fit", "R²", "Zipf fit", "R² of the line",
        "the share of the variance of log frequency that the line explains",
        "He et al. 2025, Pre-trained Models Perform the Best When Token Distributions Follow Zipf’s Law",
        lambda t: fit[1] if (fit := zipf_fit(t.uses)) else None, 3, term="Zipf’s law", caveat=ZIPF,
    ),
)  # fmt: skip
"""The figures, in the order of their columns."""
