"""What texts cost with each model, as a table of the page Overview of Compare and of ``tokenarium compare``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.compare.prices import Price, amount_text


@dataclass(frozen=True, slots=True)
class ModelCost:
    """The tokens of a text with the tokenizer of a model, and its price; ``colour`` is the tokenizer's identity."""

    price: Price
    tokenizer: str
    tokens: int
    file: str = ""
    colour: int = -1

    @property
    def order(self) -> float:
        """What rows are sorted by: the cost as input, or as output where that is not known."""
        as_input, as_output = self.price.costs(self.tokens)
        return next((cost for cost in (as_input, as_output) if cost is not None), 0.0)


def cost_table(rows: Iterable[ModelCost], currency: str) -> Table[ModelCost]:
    """Returns the costs, file by file, the lowest first."""
    found = list(rows)
    files = {file: place for place, file in enumerate(dict.fromkeys(one.file for one in found))}
    found.sort(key=lambda one: (files[one.file], one.order))
    named = any(files)

    def text(head: str, name: str, value: str) -> TableColumn[ModelCost]:
        def cell(one: ModelCost) -> TableCell:
            said = {"file": one.file, "model": one.price.model, "tokenizer": one.tokenizer}[value]
            shown = said or ("any model" if value == "model" else "")
            colour = one.colour if value == "tokenizer" else -1
            return TableCell(shown, said, value=said, colour=colour)

        return TableColumn(cell, head, name, name, number=False, grows=True, json=name)

    def amount(
        head: str, printed: str, name: str, output: bool, cost: bool
    ) -> TableColumn[ModelCost]:
        def cell(one: ModelCost) -> TableCell:
            price = one.price.output if output else one.price.input
            number = one.price.costs(one.tokens)[output] if cost else price
            if number is None:
                return TableCell("–", "")
            exact = f"{number:.12g}"
            return TableCell(amount_text(number, currency), exact, value=number)

        return TableColumn(cell, head, name, printed, spare=not cost, json=name)

    columns = [
        *([text("File", "file", "file")] if named else []),
        text("Model", "model", "model"),
        text("Tokenizer", "tokenizer", "tokenizer"),
        TableColumn(
            lambda one: TableCell(f"{one.tokens:,}", str(one.tokens), value=one.tokens),
            "Tokens", "tokens", "tokens", json="tokens",
        ),
        amount("In, a million", "in, a\nmillion", "price_in", False, False),
        amount("Out, a million", "out, a\nmillion", "price_out", True, False),
        amount("As input", "as\ninput", "cost_in", False, True),
        amount("As output", "as\noutput", "cost_out", True, True),
        TableColumn(lambda _: TableCell(currency, value=currency), None, "currency", None, json="currency"),
    ]  # fmt: skip
    return Table(columns, found, key_of, "What it costs", keys=2 + named)


def key_of(one: ModelCost) -> str:
    """Returns what tells a row from the others."""
    return "\t".join((one.file, one.price.tokenizer, one.price.model))


def costs_of(
    prices: Sequence[Price], tokenizer: str, tokens: int, file: str = "", colour: int = -1
) -> list[ModelCost]:
    """Returns a row for each price of a tokenizer."""
    return [ModelCost(price, tokenizer, tokens, file, colour) for price in prices]
