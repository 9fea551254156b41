"""Large numbers that people can read, and what is said of the sequences of a text."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenarium.models.text.ways_words import all_digits, big_number, ways_chart, ways_sentence
from tokenarium_core.explaining.ways import Ways


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, "0"),
        (999_999_999, "999,999,999"),
        (10**9, "1.0 × 10^9"),
        (95 * 10**20, "9.5 × 10^21"),
        (996 * 10**20, "1.0 × 10^23"),
        (13 * 10**411, "1.3 × 10^412"),
    ],
)
def test_big_numbers(number: int, expected: str) -> None:
    assert big_number(number, superscript=False) == expected


def test_more_digits_than_python_writes() -> None:
    assert big_number(7 * 10**9000) == "7.0 × 10⁹⁰⁰⁰"


@given(st.integers(10**9, 10**40))
def test_big_numbers_are_rounded(number: int) -> None:
    first, power = big_number(number, superscript=False).split(" × 10^")
    exact = Decimal(number) / Decimal(10) ** int(power)
    assert abs(exact - Decimal(first)) <= Decimal("0.0501")
    assert 1 <= Decimal(first) < 10


@given(st.integers(0, 10**300))
def test_all_digits(number: int) -> None:
    assert all_digits(number) == str(number)
    assert all_digits(number * 10**8000) == (str(number) + "0" * 8000 if number else "0")


def test_sentences() -> None:
    def said(count: int, canonical: list[int], by_length: list[int]) -> str:
        return ways_sentence(Ways(b"ab", True, count, canonical, by_length, [], ""))

    assert said(1, [5], [0, 1]) == "Only one sequence of ids decodes to it: 1 token."
    assert "None has fewer tokens" in said(4, [5], [0, 1, 2, 1])
    assert "1 of the others has fewer" in said(4, [5, 6], [0, 1, 2, 1])
    assert said(0, [5], [0]) == "No sequence of ids decodes to it."


def test_the_chart_names_the_length_of_encoding() -> None:
    chart = ways_chart(Ways(b"low", True, 4, [257], [0, 1, 2, 1], [], ""))
    assert list(chart.bars) == [("1 (encoding)", 1.0), ("2", 2.0), ("3", 1.0)]
