"""The figures of numbers, operators and characters, from the counts of `boundaries`: definitions of TokEval."""

from __future__ import annotations

import math
from collections import Counter

from tokenarium.models.compare.metric import Metric, percent, ratio
from tokenarium.models.compare.number_sums import MOST_DIGITS, PARTS, NumberSums

TOKEVAL = "Meister et al. 2025, TokEval"
SINGH = "Singh and Strouse 2024, Tokenization counts"

ARITHMETIC = (
    "Groups of three digits from the right made arithmetic better in models that had been trained with groups from the"
    " left (Singh and Strouse 2024, Tokenization counts). It does not show how a model trained with other groups would"
    " calculate: single digits have a low figure, and are common in models that calculate well."
)
FEW_NUMBERS = "It depends on which numbers the text has, such as years. Compare › Numbers counts all numbers up to a limit."
PROSE = "In prose, hyphens, slashes and marks such as * count as operators: measure it on code or on formulas."
UTF8 = (
    "Every tokenizer of bytes divides characters that are rare in what it was trained on. It does not say whether a"
    " model writes these characters correctly."
)


def place_value(sums: NumberSums) -> float | None:
    """Returns the mean F1 of the boundaries of numbers, compared with groups of three from the right."""
    return ratio(sums.place_value / PARTS, sum(sums.numbers))


def grouped(sums: NumberSums, right: bool) -> float | None:
    """Returns the share of numbers of four and more digits in groups of three from one side, in percent."""
    return percent(sums.right if right else sums.left, sum(sums.numbers[3:]))


def split_variability(numbers: Counter[int]) -> float | None:
    """Returns the entropy of the boundaries of numbers of four and more digits, in bits.

    Boundaries are the same if they are as many digits from the left, as in TokEval, whatever the number of digits.
    """
    patterns: Counter[tuple[int, ...]] = Counter()
    for key, times in numbers.items():
        digits = key.bit_length() - 1
        if digits > 3:
            places = range(1, digits)
            patterns[tuple(place for place in places if key >> digits - place & 1)] += times
    total = patterns.total()
    if not total:
        return None
    shares = (times / total for times in patterns.values())
    return -sum(share * math.log2(share) for share in shares) + 0.0


def tokens_per_digit(sums: NumberSums) -> float | None:
    """Returns the mean over numbers of tokens ÷ digits."""
    return ratio(sum(sums.per_digit) / PARTS, sum(sums.numbers))


def magnitude_variation(sums: NumberSums) -> float | None:
    """Returns the coefficient of variation of tokens ÷ digits over numbers of 1, 2 … and 10 or more digits."""
    classes = zip(sums.per_digit, sums.numbers, strict=True)
    means = [one / PARTS / count for one, count in classes if count]
    if len(means) < 2:
        return None
    mean = sum(means) / len(means)
    return percent((sum((one - mean) ** 2 for one in means) / len(means)) ** 0.5, mean)


BOUNDARY_METRICS: tuple[Metric, ...] = (
    Metric(
        "place_value",
        "Place-value boundaries",
        "F1",
        "Place-value boundaries",
        "F1, threes from the right",
        "mean over numbers of 2 · hits ÷ (boundaries + ideal boundaries), 1 if there are none of either. Ideal boundaries are"
        f" before every third digit from the right. Numbers are runs of up to {MOST_DIGITS} decimal digits of any script",
        f"{TOKEVAL}; {SINGH}",
        lambda t: place_value(t.boundaries.sums),
        3,
        "high",
        flattered=True,
        term="place-value boundary",
        caveat=ARITHMETIC,
    ),
    Metric(
        "from_right",
        "Numbers in threes from the right",
        "%",
        "Threes from the right",
        "of the long numbers",
        "numbers of four digits or more with a boundary before every third digit from the right, and no other ÷ numbers of"
        " four digits or more",
        SINGH,
        lambda t: grouped(t.boundaries.sums, True),
        1,
        caveat=ARITHMETIC,
        term="place-value boundary",
    ),
    Metric(
        "from_left",
        "Numbers in threes from the left",
        "%",
        "Threes from the left",
        "of the long numbers",
        "the same from the left; numbers of 6, 9, 12 … digits can count for both sides",
        SINGH,
        lambda t: grouped(t.boundaries.sums, False),
        1,
        caveat=ARITHMETIC,
        term="place-value boundary",
    ),
    Metric(
        "split_variability",
        "Digit split variability",
        "bits",
        "Digit split variability",
        "bits",
        "−Σ p log₂ p, where p is the share of the numbers of four digits or more that have the same boundaries, counted in"
        " digits from the left",
        TOKEVAL,
        lambda t: split_variability(t.boundaries.numbers),
        2,
        "low",
        flattered=True,
        caveat=f"It is 0 also if all numbers are divided badly, in the same way. {FEW_NUMBERS}",
    ),
    Metric(
        "tokens_per_digit",
        "Tokens per digit",
        "tokens per digit",
        "Tokens per digit",
        "mean over numbers",
        "mean over numbers of tokens with a digit of a number ÷ digits of the number",
        TOKEVAL,
        lambda t: tokens_per_digit(t.boundaries.sums),
        2,
        flattered=True,
        caveat=FEW_NUMBERS,
    ),
    Metric(
        "magnitude",
        "Tokens per digit, variation",
        "%",
        "Digits, variation",
        "by length of numbers",
        "standard deviation ÷ mean of the tokens per digit of numbers of 1, 2 … 9 and 10 or more digits, each number of"
        " digits counted once",
        f"{TOKEVAL}, as numeric magnitude consistency",
        lambda t: magnitude_variation(t.boundaries.sums),
        1,
        "low",
        flattered=True,
        caveat=f"Whole numbers as one token vary as much as an inconsistent tokenizer. {FEW_NUMBERS}",
    ),
    Metric(
        "operators_apart",
        "Operators apart",
        "%",
        "Operators apart",
        "of all operators",
        "operators whose tokens stand for nothing else but white space ÷ operators: + - * / % ^ ~ = < > & | and ** // << >> <="
        " >= => == != && || ?:",
        TOKEVAL,
        lambda t: percent(t.boundaries.apart, t.boundaries.operators),
        1,
        "high",
        flattered=True,
        caveat=PROSE,
    ),
    Metric(
        "operators_whole",
        "Long operators in one token",
        "%",
        "Long operators whole",
        "such as != in one token",
        "operators of two characters that one token has ÷ operators of two characters",
        f"{TOKEVAL}, as compound preservation",
        lambda t: percent(t.boundaries.whole, t.boundaries.long_operators),
        1,
        "high",
        flattered=True,
        caveat=PROSE,
    ),
    Metric(
        "split_characters",
        "Characters split",
        "%",
        "Characters split",
        "of several bytes",
        "characters of several bytes whose bytes are in several tokens ÷ characters of several bytes",
        TOKEVAL,
        lambda t: percent(t.boundaries.split, t.boundaries.multibyte),
        1,
        "low",
        flattered=True,
        caveat=UTF8,
    ),
    Metric(
        "crossing",
        "Tokens across characters",
        "%",
        "Tokens across characters",
        "parts of several",
        "tokens with part of a character and at least part of another one ÷ tokens",
        f"{TOKEVAL}, as boundary crossings",
        lambda t: percent(t.boundaries.crossing, t.tokens),
        2,
        "low",
        flattered=True,
        caveat=UTF8,
    ),
)
"""The figures, in the order of their columns."""
