"""The options with prices of models, for commands that count tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

import tokenarium_core as tc
from tokenarium.models.compare.prices import MOST_PRICE, Price, PriceList
from tokenarium.models.counted import cleaned, printable

PriceOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TOKENIZER[:MODEL]=IN[/OUT]",
        help="What a million tokens of a model cost as input and as output, such as o200k_base:gpt-4o=2.50/10; adds a"
        " table of what the texts cost; may be repeated.",
    ),
]
CurrencyOption = Annotated[str, typer.Option(help="The currency of the prices, such as $ or EUR.")]


def price_list(given: Sequence[str], currency: str, tokenizers: Sequence[str]) -> PriceList:
    """Returns the prices of options; each tokenizer is one of ``tokenizers``, as they were given.

    Raises TokenariumError for what is not a price, or of another tokenizer.
    """
    prices = [_price(one, tokenizers) for one in given]
    try:
        return PriceList(tuple(prices), cleaned(currency))
    except ValueError as error:
        raise tc.TokenariumError(str(error)) from None


def _price(given: str, tokenizers: Sequence[str]) -> Price:
    whose, equals, numbers = given.rpartition("=")
    # The longest name first: that of a file may begin with that of another, and has a colon on Windows.
    found = (
        name
        for name in sorted(tokenizers, key=len, reverse=True)
        if whose == name or whose.startswith(f"{name}:")
    )
    tokenizer = next(found, None)
    if not equals or tokenizer is None:
        raise tc.TokenariumError(
            f"--price {printable(given)!r} names none of the tokenizers: write it as TOKENIZER=IN/OUT or"
            " TOKENIZER:MODEL=IN/OUT, with a tokenizer as it is given to this command."
        )
    as_input, _, as_output = numbers.partition("/")
    try:
        known = [float(number) if number.strip() else None for number in (as_input, as_output)]
        return Price(cleaned(whose[len(tokenizer) + 1 :]), tokenizer, *known)
    except ValueError:
        raise tc.TokenariumError(
            f"--price {printable(given)!r} has no price: give one or two numbers from 0 to {MOST_PRICE:,}, such as"
            " 2.50/10."
        ) from None
