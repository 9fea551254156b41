"""What finds merges: the base of the strategies, which all find the same merges, with their rules and columns."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.columns import check_rows
from tokenarium_core.training.merging.segmentation import Segmentation

RIGHT: Final = 0xFFFFFFFF
"""Keeps the right token of a pair, which is packed as ``left << 32 | right``."""

BYTES: Final = 256


@final
class MergeColumns:
    """Merge ``k`` joins ``lefts[k]`` and ``rights[k]``, which were side by side ``pair_counts[k]`` times.

    With it the corpus takes ``token_counts[k]`` tokens. There is room for ``merge_count`` merges; the
    first ``made`` of them exist.
    """

    def __init__(self, merge_count: i64) -> None:
        check_rows(merge_count)
        self.merge_count: i64 = merge_count
        self.made: i64 = 0
        self.lefts = vec[i32]([0] * merge_count)
        self.rights = vec[i32]([0] * merge_count)
        self.pair_counts = vec[i64]([0] * merge_count)
        self.token_counts = vec[i64]([0] * merge_count)

    def add(self, left: i64, right: i64, pair_count: i64, token_count: i64) -> None:
        """Adds the next merge."""
        k = self.made
        self.lefts[k] = i32(left)
        self.rights[k] = i32(right)
        self.pair_counts[k] = pair_count
        self.token_counts[k] = token_count
        self.made = k + 1


class MergeRules:
    """Base of the rules of a merger; this one allows everything, and the smallest pair comes first."""

    def allow(self, left: i64, right: i64) -> bool:
        """Returns whether two tokens may be joined. A pair that may not is not tried again soon."""
        return True

    def add(self, left: i64, right: i64) -> None:
        """Notes the token of the next id, which is joined of two."""

    def order(self, pair: i64) -> i64:
        """Returns the place of a pair among equally frequent ones: the smaller comes first."""
        return pair

    def precedes(self, pair: i64, other: i64) -> bool:
        """Returns whether a pair comes before another one that has the same ``order``."""
        return pair < other


def pair_precedes(rules: MergeRules, pair: i64, other: i64) -> bool:
    """Returns whether a pair comes before another one that is as frequent."""
    order = rules.order(pair)
    second = rules.order(other)
    return rules.precedes(pair, other) if order == second else order < second


class Merger:
    """Base of the strategies that make merges over a segmentation, in steps.

    Each merge takes the pair that occurs most often, counting overlapping places ("aaa" has two "aa"). Of equal counts
    it takes the one that the rules prefer, normally the one with the smallest ids, the left one first. It is made from
    left to right everywhere. The strategy stops before merge ``end``, or when no pair occurs ``min_frequency`` times.

    ``rules`` say which pairs are never merged; None: all may be. ``first`` is the token of the very first merge: the
    number of symbols at the beginning.
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
        self.visited: i64 = 0  # places in the segmentation that were visited: the cost
        self.done = False

    def advance(self) -> None:
        """Works on for about a millisecond."""
        raise NotImplementedError

    def add_merge(self, left: i64, right: i64, count: i64) -> None:
        """Notes a merge, once it is made everywhere."""
        self.merges.add(left, right, count, self.words.tokens)
