"""The bits of n-gram models, against the formula written out with dictionaries."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tokenarium.models.compare.ngram_bits import ngram_bits, split_text

IDS = st.lists(st.integers(0, 3), max_size=30)


def plain_bits(learned: list[int], measured: list[int], size: int, order: int) -> float:
    """Returns the bits by the recursion of Witten and Bell; ``size`` is the mark before both."""
    counts: Counter[tuple[tuple[int, ...], int]] = Counter()
    following: dict[tuple[int, ...], set[int]] = defaultdict(set)
    first = [size, *learned]
    for place in range(1, len(first)):
        for length in range(min(order, place + 1)):
            context = tuple(first[place - length : place])
            counts[context, first[place]] += 1
            following[context].add(first[place])

    def probability(word: int, context: tuple[int, ...]) -> float:
        shorter = probability(word, context[1:]) if context else 1 / size
        total = sum(counts[context, one] for one in following[context])
        kinds = len(following[context])
        return (counts[context, word] + kinds * shorter) / (total + kinds) if total else shorter

    second = [size, *measured]
    return -sum(
        math.log2(probability(second[place], tuple(second[max(place - order + 1, 0) : place])))
        for place in range(1, len(second))
    )


@given(IDS, IDS, st.integers(1, 5))
@example([1], [0, 1, 0, 1, 1], 5)  # contexts that would begin before what is learned
def test_bits_are_those_of_the_recursion(
    learned: list[int], measured: list[int], order: int
) -> None:
    wanted = plain_bits(learned, measured, 4, order)
    assert ngram_bits(learned, measured, 4, order) == pytest.approx(wanted, abs=1e-9)


@given(IDS, st.integers(1, 5))
def test_the_probabilities_of_all_continuations_are_one(learned: list[int], order: int) -> None:
    before = learned[-4:]
    bits = [
        ngram_bits(learned, [*before, one], 4, order) - ngram_bits(learned, before, 4, order)
        for one in range(4)
    ]
    assert sum(2**-one for one in bits) == pytest.approx(1)


@pytest.mark.parametrize(
    ("text", "learned"),
    [
        ("0123\n56\n890", "0123\n56\n"),  # no line ends after the eighth character but at the end
        ("01234567\n\n\nab", "01234567\n\n\n"),
        ("0123456789", "01234567"),
        ("01\n3456789", "01\n"),
        ("", ""),
    ],
)
def test_a_text_is_divided_at_a_line(text: str, learned: str) -> None:
    found = split_text(text)
    assert found.learned == learned
    assert found.learned + found.measured == text


def test_a_vocabulary_without_entries_needs_no_bits() -> None:
    assert ngram_bits([], [], 0, 3) == 0
