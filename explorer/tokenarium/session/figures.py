"""Which figures the user has chosen to see, and what they are about."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from tokenarium.models.compare.prices import MOST_PRICE, Price, PriceList, amount_text

MOST_TOKENS = 1_000_000_000
"""The most tokens of a context window."""


class FigureChoice(QObject):
    """The columns and languages of comparisons, and what the counts of tokens are compared with."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns: frozenset[str] = frozenset()
        """The figures of a comparison that are shown, by their ids; empty: the key ones."""
        self.languages_out: frozenset[str] = frozenset()
        """The languages, by their codes or the names of their files, that are left out of comparisons."""
        self.context_tokens = 0
        """The size of a context window in tokens; 0 if none was entered."""
        self.price_per_million = 0.0
        """The price of a million tokens of any other model; 0 if none was entered."""
        self.price_list = PriceList()

    def show_columns(self, ids: Iterable[str]) -> None:
        """Shows these figures in comparisons, and no others."""
        self._set(columns=frozenset(ids))

    def leave_out(self, languages: Iterable[str]) -> None:
        """Leaves these languages out of comparisons, and no others."""
        self._set(languages_out=frozenset(languages))

    def set_cost(self, context_tokens: int, price_per_million: float) -> None:
        """Sets what the counts of tokens are compared with; raises ValueError for what they cannot be."""
        if not (0 <= context_tokens <= MOST_TOKENS and 0 <= price_per_million <= MOST_PRICE):
            raise ValueError("The size of a context window or a price is out of range.")
        self._set(context_tokens=context_tokens, price_per_million=price_per_million)

    def set_prices(self, price_list: PriceList) -> None:
        """Sets the prices of models."""
        self._set(price_list=price_list)

    def prices_of(self, tokenizer: str) -> tuple[Price, ...]:
        """Returns the prices of the models with a tokenizer, or else that of any other model; none if none is entered."""
        own = self.price_list.of(tokenizer)
        return own or ((Price("", tokenizer, price),) if (price := self.price_per_million) else ())

    def cost_in_short(self, tokenizer: str, tokens: int | None) -> str:
        """Returns what tokens cost as input of the first model, or else as output; empty if that is not known."""
        prices = self.prices_of(tokenizer)
        if not prices or tokens is None:
            return ""
        as_input, as_output = prices[0].costs(tokens)
        cost = as_output if as_input is None else as_input
        return amount_text(cost or 0.0, self.price_list.currency)

    def _set(self, **values: object) -> None:
        if any(getattr(self, name) != value for name, value in values.items()):
            vars(self).update(values)
            self.changed.emit()
