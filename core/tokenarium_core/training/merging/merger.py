"""What finds merges: the base of the strategies, which all find the same, with the rules that they ask and their columns."""

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
    """Merge ``k`` joins ``lefts[k]`` and ``rights[k]``, which stood side by side ``pair_counts[k]`` times.

    With it the corpus takes ``token_counts[k]`` tokens. There is room for ``merge_count`` merges, and the
    first ``made`` of them are there.
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
