"""The prices of models: what they may be, and how they come back from settings and sessions."""

from __future__ import annotations

import math

import pytest

from tokenarium.models.compare.prices import (
    LONGEST_CURRENCY,
    LONGEST_MODEL,
    MOST_PRICE,
    MOST_PRICES,
    Price,
    PriceList,
    amount_text,
    kept_prices,
    price_of,
)

LARGE = Price("large", "named:gpt2", 2.5, 10.0)
FILE = Price("", "file:/a\tb.json", None, 0.1)


def test_prices_come_back_from_their_lines() -> None:
    listed = PriceList((LARGE, FILE), "€")
    assert kept_prices(listed.lines(), "€") == listed
    assert listed.lines(["named:gpt2"]) == ["large\t2.5\t10\tnamed:gpt2"]
    assert listed.of("named:gpt2") == (LARGE,)
    exact = Price("m", "k", 0.123456789, 1e6)
    assert price_of(PriceList((exact,)).lines()[0]) == exact


@pytest.mark.parametrize(
    "line",
    [
        "",
        "large",
        "large\t1\t2",
        "large\t1\t2\t",
        "large\t\t\tk",
        "large\tnan\t\tk",
        "large\tinf\t\tk",
        "large\t-1\t\tk",
        "large\t1000001\t\tk",
        "large\ttwo\t\tk",
        " large\t1\t\tk",
        "l\u202earge\t1\t\tk",
        "l\narge\t1\t\tk",
        "l" * (LONGEST_MODEL + 1) + "\t1\t\tk",
    ],
)
def test_what_is_no_price_is_left_out(line: str) -> None:
    with pytest.raises(ValueError, match=r"price|name|float|unpack"):
        price_of(line)
    good = PriceList((LARGE,)).lines()
    assert kept_prices([line, *good, *good], "$").prices == (LARGE,)


def test_lists_are_bounded() -> None:
    many = [Price(str(number), "k", 1.0) for number in range(MOST_PRICES + 1)]
    with pytest.raises(ValueError, match="at most 100 models"):
        PriceList(tuple(many))
    lines = [line for price in many for line in PriceList((price,)).lines()]
    assert kept_prices(lines, "").prices == tuple(many[:-1])
    for currency in ("x" * (LONGEST_CURRENCY + 1), "\u202e", "a\n"):
        with pytest.raises(ValueError, match="A currency has"):
            PriceList((LARGE,), currency)
        assert kept_prices(PriceList((LARGE,)).lines(), currency) == PriceList((LARGE,))
    with pytest.raises(ValueError, match="only one price"):
        PriceList((LARGE, LARGE))


def test_amounts_show_two_digits_and_no_exponent() -> None:
    for amount in (1e-9, 3.7e-5, 0.5, 12.0, MOST_PRICE * 1e9):
        text = amount_text(amount)
        assert "e" not in text
        assert math.isclose(float(text.replace(",", "")), amount, rel_tol=0.06)
