"""What tokens cost: the prices that users enter for models, and amounts of money as text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tokenarium.models.counted import cleaned
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.piece import counted

MOST_PRICE: Final = 1_000_000
"""The greatest price of a million tokens."""

MOST_PRICES: Final = 100
"""The most models with a price."""

LONGEST_MODEL: Final = 60
LONGEST_CURRENCY: Final = 6
"""The most characters of the name of a model, and of a currency."""

NO_PRICES: Final = (
    "No prices are entered: enter what a million tokens of a model cost to see what a text costs."
)


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens of a model cost, as its input and as its output; None for what was not entered.

    ``tokenizer`` is the key of its tokenizer. Without a ``model``, it is the price of any model with that tokenizer.
    Raises ValueError for a name or a number that cannot be one.
    """

    model: str
    tokenizer: str
    input: float | None
    output: float | None = None

    def __post_init__(self) -> None:
        numbers = (self.input, self.output)
        known = [number for number in numbers if number is not None]
        if self.model != cleaned(self.model) or len(self.model) > LONGEST_MODEL:
            raise ValueError("This cannot be the name of a model.")
        if not known or not all(0 <= number <= MOST_PRICE for number in known):
            raise ValueError(f"A price is a number from 0 to {MOST_PRICE:,}.")

    def costs(self, tokens: float) -> tuple[float | None, float | None]:
        """Returns what tokens cost as input and as output."""
        each = (self.input, self.output)
        as_input, as_output = (None if one is None else tokens * one / 1e6 for one in each)
        return as_input, as_output


@dataclass(frozen=True, slots=True)
class PriceList:
    """The prices of models, in the order in which they were entered, all in one ``currency``, which may be empty.

    Raises ValueError if there are too many, if a tokenizer has two prices of one model, or if that is no currency.
    """

    prices: tuple[Price, ...] = ()
    currency: str = ""

    def __post_init__(self) -> None:
        if self.currency != cleaned(self.currency) or len(self.currency) > LONGEST_CURRENCY:
            raise ValueError(f"A currency has at most {LONGEST_CURRENCY} characters.")
        if len(self.prices) > MOST_PRICES:
            raise ValueError(f"There can be prices of at most {MOST_PRICES:,} models.")
        named = {(price.tokenizer, price.model) for price in self.prices}
        if len(named) < len(self.prices):
            raise ValueError("A model has only one price for each tokenizer.")

    def of(self, tokenizer: str) -> tuple[Price, ...]:
        """Returns the prices of the models with a tokenizer, by its key."""
        return tuple(price for price in self.prices if price.tokenizer == tokenizer)

    def lines(self, tokenizers: Iterable[str] | None = None) -> list[str]:
        """Returns a line for each price, or for each of these tokenizers, for settings and sessions."""
        chosen = None if tokenizers is None else set(tokenizers)
        return [
            f"{price.model}\t{_written(price.input)}\t{_written(price.output)}\t{price.tokenizer}"
            for price in self.prices
            if chosen is None or price.tokenizer in chosen
        ]


def price_of(line: str) -> Price:
    """Returns the price in one of the `PriceList.lines`; ValueError if there is none."""
    model, given_input, given_output, tokenizer = line.split("\t", 3)
    if not tokenizer:
        raise ValueError("A price has a tokenizer.")
    return Price(model, tokenizer, _read(given_input), _read(given_output))


def kept_prices(lines: Sequence[str], currency: str) -> PriceList:
    """Returns the prices in lines and a currency from a file of settings; what is wrong in them is left out."""
    found: dict[tuple[str, str], Price] = {}
    for line in lines[:MOST_PRICES]:
        try:
            price = price_of(line)
        except ValueError:
            continue
        found.setdefault((price.tokenizer, price.model), price)
    try:
        return PriceList(tuple(found.values()), currency)
    except ValueError:
        return PriceList(tuple(found.values()))


def amount_text(amount: float, currency: str = "") -> str:
    """Returns an amount of money: two decimals, and more where the first two digits would not be seen.

    >>> (
    ...     amount_text(0.000314, "$"),
    ...     amount_text(1234.5, "EUR"),
    ...     amount_text(0.0, "€"),
    ...     amount_text(0.07),
    ... )
    ('$0.00031', '1,234.50\\xa0EUR', '€0', '0.070')
    """
    places = 2 if amount == 0 or amount >= 1 else max(2, 1 - math.floor(math.log10(amount)))
    text = f"{amount:,.{places}f}" if amount else "0"
    if not currency:
        return text
    before = len(currency) == 1 and not currency.isalnum()
    return f"{currency}{text}" if before else f"{text}\u00a0{isolated(currency)}"


def cost_text(price: Price, tokens: float, currency: str, rates: bool = False) -> str:
    """Returns what tokens cost with a model, as input and as output; ``rates``: and the prices of a million.

    >>> (
    ...     cost_text(Price("gpt-4o", "", 2.5, 10.0), 1000, "$"),
    ...     cost_text(Price("", "", 2.0), 5, "", True),
    ... )
    ('$0.0025 in, $0.010 out (gpt-4o)', '0.000010 in at 2.00 a million tokens')
    """
    ways = zip(price.costs(tokens), (price.input, price.output), ("in", "out"), strict=True)
    costs = [
        f"{amount_text(cost, currency)} {way}"
        + (f" at {amount_text(rate or 0.0, currency)} a million tokens" if rates else "")
        for cost, rate, way in ways
        if cost is not None
    ]
    return f"{', '.join(costs)}{f' ({isolated(price.model)})' if price.model else ''}"


def priced_sentence(price_list: PriceList) -> str:
    """Returns how many prices there are, and in which currency.

    >>> priced_sentence(PriceList()), priced_sentence(PriceList((Price("a", "k", 1.0),), "EUR"))
    ('none entered', '1 price, in EUR')
    """
    if not price_list.prices:
        return "none entered"
    currency = f", in {isolated(price_list.currency)}" if price_list.currency else ""
    return f"{counted(len(price_list.prices), 'price')}{currency}"


def _written(price: float | None) -> str:
    return "" if price is None else f"{price:.12g}"


def _read(text: str) -> float | None:
    return float(text) if text else None
