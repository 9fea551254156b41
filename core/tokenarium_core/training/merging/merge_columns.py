"""The merges of a training, in packed columns."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.columns import check_rows


@final
class MergeColumns:
    """Merge ``k`` joins ``lefts[k]`` and ``rights[k]``, which stood side by side ``pair_counts[k]`` times.

    With it the corpus takes ``token_counts[k]`` tokens. There is room for ``room`` merges, and the
    first ``made`` of them are there.
    """

    def __init__(self, room: i64) -> None:
        check_rows(room)
        self.room: i64 = room
        self.made: i64 = 0
        self.lefts = vec[i32]([0] * room)
        self.rights = vec[i32]([0] * room)
        self.pair_counts = vec[i64]([0] * room)
        self.token_counts = vec[i64]([0] * room)

    def add(self, left: i64, right: i64, pair_count: i64, token_count: i64) -> None:
        """Adds the next merge."""
        k = self.made
        self.lefts[k] = i32(left)
        self.rights[k] = i32(right)
        self.pair_counts[k] = pair_count
        self.token_counts[k] = token_count
        self.made = k + 1
