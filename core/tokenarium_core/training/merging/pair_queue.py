"""What tells which of the watched pairs is merged next."""

from __future__ import annotations

from mypy_extensions import i64

from tokenarium_core.training.merging.pair_index import PairIndex


class PairQueue:
    """Base of the orders in which pairs can be merged. ``rows`` of a `PairIndex` stand for pairs."""

    def clear(self) -> None:
        """Forgets all pairs."""
        raise NotImplementedError

    def push(self, count: i64, pair: i64, row: i64) -> None:
        """Adds a pair with its count and its row, which comes behind all rows that were added."""
        raise NotImplementedError

    def next_row(self, index: PairIndex, threshold: i64) -> i64:
        """Returns the row of the next pair, which is taken out; -1 where none stands ``threshold`` times any more."""
        raise NotImplementedError

    def merged(self, left: i64, right: i64, token: i64, weight: i64) -> None:
        """Takes note that two tokens were joined at so many places of the corpus, before the new pairs are pushed."""

    def needs_all(self) -> bool:
        """Tells whether rare pairs may come before frequent ones, so that all have to be watched at once."""
        return False
