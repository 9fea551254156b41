"""What finds merges: the base of the ways to do so, which all find the same."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from tokenarium_core.training.merging.merge_columns import MergeColumns
from tokenarium_core.training.merging.merge_rules import MergeRules
from tokenarium_core.training.merging.segmentation import Segmentation

BYTES: Final = 256


class Merger:
    """Base of all that make merges over a segmentation, by the budget of their caller.

    Each merge takes the pair that stands most often, overlapping places counted each ("aaa" has two
    "aa"); of equal counts the one that the rules prefer, as a rule that with the smallest ids, the left
    one first. It is made from left to right everywhere. They stop before merge ``end``, or when no pair
    stands ``min_frequency`` times.

    ``rules`` tell which pairs are never merged; None: all may be. ``first`` is the token of the first
    merge of all: how many symbols there are to begin with.
    """

    def __init__(
        self,
        words: Segmentation,
        merges: MergeColumns,
        end: i64,
        min_frequency: i64,
        rules: MergeRules | None,
        first: i64 = BYTES,
    ) -> None:
        self.words = words
        self.merges = merges
        self.end: i64 = end
        self.min_frequency: i64 = min_frequency
        self.rules = MergeRules() if rules is None else rules
        self.first: i64 = first
        self.visited: i64 = 0  # places in the segmentation that were looked at: what it costs
        self.done = False

    def advance(self) -> None:
        """Works on for about a millisecond."""
        raise NotImplementedError

    def add_merge(self, left: i64, right: i64, count: i64) -> None:
        """Notes a merge, once it is made everywhere."""
        self.merges.add(left, right, count, self.words.tokens)
