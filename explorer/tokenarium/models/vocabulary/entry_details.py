"""Details of one entry of a vocabulary: how it is made, what is made of it, its variants, where else it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

import tokenarium_core as tc
from tokenarium.models.merges.playback import Growth, Step, Symbol
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.vocabulary.vocabulary_columns import Ids, VocabularyColumns
from tokenarium_core.explaining.merge_path import MergePath, MergePaths
from tokenarium_core.explaining.near_spellings import NearSpelling, near_spellings
from tokenarium_core.explaining.vocabulary_entries import entries_of
from tokenarium_core.models import BoundlessBpe, PickyBpe
from tokenarium_core.trace import MERGE
from tokenarium_core.vocabulary import UNUSED

LONGEST_TREE = 200
"""Bytes: no one would read the tree of a longer entry."""


@dataclass(frozen=True, slots=True)
class Ancestry:
    """The trees by which an entry can be made, and what prevents it, if anything."""

    ways: tuple[Growth, ...]
    note: str


def ancestry(columns: VocabularyColumns, token: int) -> Ancestry:
    """Returns how an entry is made by merges."""
    piece = columns.piece(token)
    if isinstance(columns.tokenizer.model, BoundlessBpe):
        return Ancestry(
            (),
            "BoundlessBPE makes an entry by merges, deletions and supermerges: Merges plays them.",
        )
    if isinstance(columns.tokenizer.model, PickyBpe):
        return Ancestry((), "PickyBPE makes an entry by merges and removals: Merges plays them.")
    if columns.merges is None:
        return Ancestry((), "This model makes no merges: its entries are not made from others.")
    if len(piece) > LONGEST_TREE:
        return Ancestry((), f"It has {len(piece):,} bytes: too many for a tree.")
    if not piece or columns.kinds[token] == UNUSED:
        return Ancestry((), "It stands for no text.")
    paths = MergePaths(columns.tokenizer.model).paths(token, 0)
    ways = tuple(_growth(path) for path in paths if path.merges)
    if not ways:
        return Ancestry((), "No merge makes it: it is there from the beginning.")
    if paths[0].missing >= 0:
        return Ancestry(ways, "A part of it cannot be made by any merge.")
    if len(ways) > 1:
        return Ancestry(
            ways, "Its own bytes are merged differently; each of these merges would make it."
        )
    return Ancestry(ways, "")


def _growth(path: MergePath) -> Growth:
    """Returns the tree of one way to make an entry."""
    made = {(merge.start, merge.stop) for merge in path.merges}
    leaves = [
        Symbol(start, end, symbol)
        for merge in path.merges
        for start, end, symbol in (
            (merge.start, merge.middle, merge.left),
            (merge.middle, merge.stop, merge.right),
        )
        if (start, end) not in made
    ]
    leaves.sort(key=lambda leaf: leaf.start)
    steps = [
        Step(
            number,
            MERGE,
            merge.start,
            merge.stop,
            merge.middle,
            merge.left,
            merge.right,
            merge.result,
            merge.rank,
            merge.score,
            0,
        )
        for number, merge in enumerate(path.merges)
    ]
    return Growth(leaves, steps, 0)


def built_of(columns: VocabularyColumns, token: int) -> tuple[Ids, Ids]:
    """Returns the entries that have this one as left side of their merge, and those that have it as right side.

    Each occurs once, in the order of the merges.
    """
    merges = columns.merges
    if merges is None:
        return np.zeros(0, np.int32), np.zeros(0, np.int32)
    return _made_by(merges.results, merges.lefts == token, columns.count), _made_by(
        merges.results, merges.rights == token, columns.count
    )


def _made_by(results: Ids, chosen: np.typing.NDArray[np.bool_], count: int) -> Ids:
    made = results[chosen]
    made = made[(made >= 0) & (made < count)]
    _, first = np.unique(made, return_index=True)
    return made[np.sort(first)]


def variants(tokenizer: tc.Tokenizer, piece: bytes) -> list[NearSpelling]:
    """Returns variants of an entry's text that are one token; none if its bytes are not text."""
    try:
        return near_spellings(tokenizer, piece.decode())
    except UnicodeDecodeError:
        return []


def same_bytes(
    piece: bytes, tokenizers: Iterable[tuple[str, tc.Tokenizer]]
) -> list[tuple[str, int]]:
    """Returns for each tokenizer, by name or key, the id of the entry with these bytes, or -1."""
    matching = []
    for name, tokenizer in tokenizers:
        ids = entries_of(tokenizer.vocabulary, piece)
        matching.append((name, ids[0] if ids else -1))
    return matching


def occurrences(encoding: tc.Encoding, token: int) -> np.typing.NDArray[np.int32]:
    """Returns where a text has a token: the first byte of each place, and the byte after it (n × 2)."""
    ids = array_of(encoding.ids)
    spans = array_of(encoding.spans).reshape(-1, 2)
    places: np.typing.NDArray[np.int32] = spans[ids == token]
    return places
