"""The figures of numbers, operators and characters, against definitions written out token by token."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import accumulate, pairwise
from statistics import fmean, pstdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.models.compare.boundaries import BoundaryCounts, number_key
from tokenarium.models.compare.boundary_metrics import (
    BOUNDARY_METRICS,
    grouped,
    magnitude_variation,
    place_value,
    split_variability,
    tokens_per_digit,
)
from tokenarium.models.compare.number_sums import LENGTHS, PARTS, NumberSums, number_sums
from tokenarium.models.compare.tally import measured, tally

FIGURES = {metric.id: metric for metric in BOUNDARY_METRICS}
FORMULAS = "x**2 <= 10 != y  -3>>1 && a+b=12 || !c ?: d - e\n/ f*g=>h  100%  "
DIGITS = "1 12 123 1234 12345 123456 1234567 १२३४५ ١٢٣٤ 2024 0.001 3.14159265 " + "7" * 62
TEXTS = {
    "numbers": sample_text("numbers"),
    "digits": DIGITS,
    "formulas": FORMULAS,
    "code": sample_text("code-python"),
    "hindi": sample_text("prose-hi"),
    "japanese": sample_text("prose-ja"),
    "emoji": sample_text("emoji"),
    "blanks": sample_text("hard-blanks"),
    "nothing": "",
}
OPERATORS = [
    "**",
    "//",
    "<<",
    ">>",
    "<=",
    ">=",
    "=>",
    "==",
    "!=",
    "&&",
    "||",
    "?:",
    *"+-*/=<>&|^~%",
]


@pytest.fixture(scope="module", params=["bpe", "unigram", "byte"])
def tokenizer(request: pytest.FixtureRequest) -> tc.Tokenizer:
    texts = [sample_text(name) for name in ("prose-en", "prose-hi", "numbers", "code-python")]
    if request.param == "byte":
        return tc.train("bpe", [""], vocab_size=256)
    return tc.train(request.param, [*texts, FORMULAS, DIGITS], vocab_size=900)


def tokens_of(tokenizer: tc.Tokenizer, text: str) -> list[tuple[int, int]]:
    """Returns the spans of the tokens that have bytes of the text."""
    encoding = tokenizer.encode(text)
    spans = [encoding.span(token) for token in range(len(encoding))]
    return [(start, end) for start, end in spans if start < end]


def numbers_of(tokenizer: tc.Tokenizer, text: str) -> list[tuple[int, list[int]]]:
    """Returns the digits of each number, and after how many of them another token begins."""
    begins = {start for start, _ in tokens_of(tokenizer, text)}
    found = []
    for match in re.finditer(r"\d+", text):
        places = [len(text[:place].encode()) for place in range(match.start(), match.end())]
        cuts = [index for index, place in enumerate(places) if index and place in begins]
        found.append((len(places), cuts))
    return found


def sums_of(numbers: Counter[int]) -> NumberSums:
    return number_sums(np.array([*numbers]), np.array([*numbers.values()]))


def f1(digits: int, cuts: list[int]) -> float:
    ideal = set(range(digits - 3, 0, -3))
    if not ideal and not cuts:
        return 1.0
    hits = len(ideal & set(cuts))
    precision = hits / len(cuts) if cuts else 1.0
    recall = hits / len(ideal) if ideal else 1.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@pytest.mark.parametrize("name", TEXTS)
def test_numbers_one_by_one(tokenizer: tc.Tokenizer, name: str) -> None:
    text = TEXTS[name]
    numbers = numbers_of(tokenizer, text)
    counts = tally(tokenizer, measured(text)).boundaries
    expected = Counter(
        number_key(size, tuple(size - cut for cut in cuts)) for size, cuts in numbers
    )
    assert counts.numbers == expected
    if not numbers:
        assert all(FIGURES[id].formula for id in FIGURES)
        assert place_value(counts.sums) is None
        return
    assert place_value(counts.sums) == pytest.approx(fmean(f1(*one) for one in numbers))
    per_digit = [(len(cuts) + 1) / size for size, cuts in numbers]
    assert tokens_per_digit(counts.sums) == pytest.approx(fmean(per_digit))
    classes = defaultdict(list)
    for (size, _), figure in zip(numbers, per_digit, strict=True):
        classes[min(size, 10)].append(figure)
    means = [fmean(one) for one in classes.values()]
    variation = 100 * pstdev(means) / fmean(means) if len(means) > 1 else None
    assert magnitude_variation(counts.sums) == pytest.approx(variation)
    long = [one for one in numbers if one[0] > 3]
    if not long:
        assert grouped(counts.sums, True) is None
        return
    right = sum(cuts == list(range(size % 3 or 3, size, 3)) for size, cuts in long)
    left = sum(cuts == list(range(3, size, 3)) for size, cuts in long)
    assert grouped(counts.sums, True) == pytest.approx(100 * right / len(long))
    assert grouped(counts.sums, False) == pytest.approx(100 * left / len(long))
    shares = [times / len(long) for times in Counter(tuple(cuts) for _, cuts in long).values()]
    assert split_variability(counts.numbers) == pytest.approx(
        -sum(p * math.log2(p) for p in shares)
    )


@pytest.mark.parametrize(
    ("digits", "cuts", "figure"),
    [
        # The worked examples of TokEval's documentation and of its metrics/math.py.
        (7, (1, 4), 1.0),
        (7, (4,), 2 / 3),
        (7, (2, 5), 0.0),
        (7, (), 0.0),
        (2, (), 1.0),
        (2, (1,), 0.0),
        (6, (3,), 1.0),
    ],
)
def test_place_value_of_published_examples(
    digits: int, cuts: tuple[int, ...], figure: float
) -> None:
    key = number_key(digits, tuple(digits - cut for cut in cuts))
    assert place_value(sums_of(Counter([key]))) == pytest.approx(figure)


def test_sides_of_groups() -> None:
    right, left, both = number_key(7, (3, 6)), number_key(7, (4, 1)), number_key(6, (3,))
    numbers = Counter(
        {right: 3, left: 2, both: 1, number_key(3, ()): 50, number_key(5, (4, 3, 2, 1)): 4}
    )
    assert grouped(sums_of(numbers), True) == 40
    assert grouped(sums_of(numbers), False) == 30
    # As in TokEval, patterns are counted from the left: {1, 4}, {3, 6}, {3} and {1, 2, 3, 4}.
    shares = [0.3, 0.2, 0.1, 0.4]
    assert split_variability(numbers) == pytest.approx(-sum(p * math.log2(p) for p in shares))


def test_numbers_of_more_digits_than_bits_are_left_out() -> None:
    by_bytes = tc.train("bpe", [""], vocab_size=256)
    found = tally(by_bytes, measured(f"{'1' * 63} 12 {'2' * 1000} ३ {'4' * 62}")).boundaries
    every = tuple(range(1, 62))
    assert found.numbers == Counter([number_key(2, (1,)), number_key(1, ()), number_key(62, every)])
    assert tokens_per_digit(found.sums) == 1


def test_sums_are_exact_for_numbers_of_up_to_16_digits_and_add_up() -> None:
    random = np.random.default_rng(0)
    keys = 2 * random.integers(1, 1 << 16, 400)  # a boundary is at least a digit from the right
    times = random.integers(1, 50, 400)
    numbers, per_digit = [0] * LENGTHS, [Fraction(0)] * LENGTHS
    score, right, left = Fraction(0), 0, 0
    for key, count in zip(keys.tolist(), times.tolist(), strict=True):
        size = key.bit_length() - 1
        cuts = {place for place in range(1, size) if key >> place & 1}
        ideal = set(range(3, size, 3))
        numbers[min(size, LENGTHS) - 1] += count
        per_digit[min(size, LENGTHS) - 1] += Fraction(count * (len(cuts) + 1), size)
        both = len(cuts) + len(ideal)
        score += count * (Fraction(2 * len(cuts & ideal), both) if both else 1)
        right += count * (size > 3 and cuts == ideal)
        left += count * (size > 3 and {size - cut for cut in cuts} == set(range(3, size, 3)))
    found = number_sums(keys, times)
    assert found.numbers == tuple(numbers)
    assert found.per_digit == tuple(PARTS * one for one in per_digit)
    assert found.place_value == PARTS * score
    assert (found.right, found.left) == (right, left)
    few, many = times < 25, times >= 25
    assert found == number_sums(keys[few], times[few]) + number_sums(keys[many], times[many])


@pytest.mark.parametrize("name", TEXTS)
def test_operators_one_by_one(tokenizer: tc.Tokenizer, name: str) -> None:
    text, utf8 = TEXTS[name], TEXTS[name].encode()
    spans = tokens_of(tokenizer, text)
    counts = tally(tokenizer, measured(text)).boundaries
    place, total, apart, long, whole = 0, 0, 0, 0, 0
    while place < len(utf8):
        one = next((one for one in OPERATORS if utf8.startswith(one.encode(), place)), "")
        if not one:
            place += 1
            continue
        end = place + len(one)
        touching = [span for span in spans if span[0] < end and span[1] > place]
        more = b"".join(
            utf8[start:place] + utf8[end:stop]
            for start, stop in touching
            if start <= place or stop >= end
        )
        total += 1
        apart += not more.decode(errors="replace").strip()
        long += len(one) > 1
        whole += len(one) > 1 and len(touching) == 1
        place = end
    assert (counts.operators, counts.apart) == (total, apart)
    assert (counts.long_operators, counts.whole) == (long, whole)


@pytest.mark.parametrize("name", TEXTS)
def test_characters_one_by_one(tokenizer: tc.Tokenizer, name: str) -> None:
    text = TEXTS[name]
    spans = tokens_of(tokenizer, text)
    counts = tally(tokenizer, measured(text)).boundaries
    ends = list(accumulate((len(character.encode()) for character in text), initial=0))
    characters = [pair for pair in pairwise(ends) if pair[1] - pair[0] > 1]
    split = sum(any(a < start < b for start, _ in spans) for a, b in characters)
    whole = set(ends)
    crossing = 0
    for start, end in spans:
        touched = sum(a < end and b > start for a, b in pairwise(ends))
        crossing += touched > 1 and not {start, end} <= whole
    assert counts.multibyte == len(characters)
    assert counts.split == split
    assert counts.crossing == crossing


def test_a_token_across_characters() -> None:
    """ぁ and あ begin alike: a merge joins the last byte of a character with the first two of the next one."""
    tokenizer = tc.train("bpe", ["あぃあぅあぇ" * 9 + "ゃぃゃぅゃぇ" * 9], vocab_size=270)
    text = "あぃゃ"
    spans = tokens_of(tokenizer, text)
    found = tally(tokenizer, measured(text)).boundaries
    crossing = sum(
        start // 3 != (end - 1) // 3 and bool(start % 3 or end % 3) for start, end in spans
    )
    assert (found.multibyte, found.crossing) == (3, crossing)


@given(
    st.lists(
        st.sampled_from(["12", " 3456", "x=", "é", "日本", "**", "\n", "७८९०", "-1"]), max_size=12
    )
)
def test_counts_add_up(parts: list[str]) -> None:
    tokenizer = tc.train("bpe", ["12 3456 x= é **"], vocab_size=270)
    total = BoundaryCounts()
    for part in parts:
        total = total + tally(tokenizer, measured(part)).boundaries
    lines = tally(tokenizer, measured(*parts)).boundaries
    assert lines.split == total.split
    assert lines.crossing == total.crossing
    assert lines.multibyte == total.multibyte
    if not any(one == "\n" for one in parts):
        assert lines == total
