"""The merges of BPE over characters: which two symbols merge, into which piece, and which merge comes first."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.bpe.merge_table import NO_MERGE, MergeTable


@final
class CharacterMerges:
    """Merges by pair, in the order in which they are made: of the neighbours that have one, the first merge wins.

    ``table`` numbers the merges in that order. Where several pieces have one score, ``priorities`` gives each
    merge the number of the first one with that score, so that the leftmost in the text comes first; it is
    empty where no two are equal. From ``first_tied`` on it may differ from the number itself.

    ``splits`` tells of each piece that is never used which two symbols it is taken apart into; ``ambiguous``
    is true where there is such a piece that more than one pair makes. What it is taken apart into is then
    the pair that was seen last in the text.
    """

    def __init__(self, table: MergeTable, priorities: vec[i32], first_tied: i64) -> None:
        self.table = table
        self.priorities = priorities
        self.first_tied: i64 = first_tied
        self.splits: dict[int, tuple[int, int]] = {}
        self.ambiguous = False

    def priority(self, left: i64, right: i64) -> i64:
        """Returns the place of a pair's merge among all, `NO_MERGE` where it has none."""
        rank = self.table.find(left, right)
        if rank < self.first_tied or rank == NO_MERGE:
            return rank
        return i64(self.priorities[rank])


def merges_of_list(lefts: vec[i32], rights: vec[i32], results: vec[i32]) -> CharacterMerges:
    """Returns merges that a file lists by rank, in columns of ids.

    A pair that is listed twice has its last rank, as in Hugging Face tokenizers.
    """
    table = MergeTable(len(lefts))
    rank: i64 = len(lefts) - 1
    while rank >= 0:
        table.set(rank, i64(lefts[rank]), i64(rights[rank]), i64(results[rank]))
        rank -= 1
    return CharacterMerges(table, vec[i32](), NO_MERGE)
