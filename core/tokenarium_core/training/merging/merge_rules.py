"""Which pairs may be merged, and which of two that are equally frequent comes first."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

RIGHT: Final = 0xFFFFFFFF
"""Keeps the right token of a pair, which is packed as ``left << 32 | right``."""


class MergeRules:
    """Base of what a merger asks; as it is, it allows all, and the smallest pair comes first."""

    def allow(self, left: i64, right: i64) -> bool:
        """Tells whether two tokens may be joined. A pair that may not be is not asked for again soon."""
        return True

    def add(self, left: i64, right: i64) -> None:
        """Takes note of the token of the next id, which is joined of two."""

    def order(self, pair: i64) -> i64:
        """Returns the place of a pair among those that are equally frequent: the smaller comes first."""
        return pair

    def precedes(self, pair: i64, other: i64) -> bool:
        """Tells whether a pair comes before another one that has the same ``order``."""
        return pair < other
