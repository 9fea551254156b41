"""Merges that are made at once give the same words as merges made one by one."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.models.bpe.byte_pairs import AFTER, BEFORE, NEVER, BytePairs
from tokenarium_core.models.bpe.merge_table import MergeTable
from tokenarium_core.models.bpe.word_merger import WordMerger

Merges = list[tuple[int, int, int]]
"""Left, right and result, by rank."""

BYTES = vec[i64](range(256))
A, B, C, D = b"abcd"


def table_of(merges: Merges) -> MergeTable:
    table = MergeTable(len(merges))
    for rank, (left, right, result) in enumerate(merges):
        table.set(rank, left, right, result)
    return table


def merged_in_turn(merges: Merges, word: bytes) -> list[int]:
    """Merges as BPE is defined: the lowest rank first, the leftmost one among equals."""
    ranks = {(left, right): rank for rank, (left, right, _) in enumerate(merges)}
    symbols = list(word)
    while True:
        found = [
            (ranks[pair], place) for place, pair in enumerate(pairwise(symbols)) if pair in ranks
        ]
        if not found:
            return symbols
        rank, place = min(found)
        symbols[place : place + 2] = [merges[rank][2]]


def merged(merger: WordMerger, word: bytes) -> list[int]:
    count = merger.merge(word + bytes(8), 0, len(word), None)
    return [merger.symbols[index] for index in range(count)]


def three(pairs: BytePairs, left: int, right: int) -> tuple[int, int, int]:
    """Returns the rank of two bytes, and the lowest ones after and before."""
    entry = pairs.entries[left << 8 | right]
    return entry & NEVER, entry >> AFTER & NEVER, entry >> BEFORE


def test_ranks_of_two_bytes() -> None:
    merges = [(A, B, 256), (C, 256, 257), (256, C, 258), (B, 256, 259)]
    pairs = BytePairs(BYTES, table_of(merges))
    assert three(pairs, A, B) == (0, 0, 0)
    assert three(pairs, C, A) == (NEVER, 1, NEVER)  # "c" may merge with "ab"
    assert three(pairs, B, C) == (NEVER, NEVER, 2)  # "ab" may merge with "c"
    assert three(pairs, B, A) == (NEVER, 3, NEVER)
    assert three(pairs, D, A) == (NEVER, NEVER, NEVER)


@pytest.mark.parametrize(
    "merges",
    [
        [(256, C, 257), (A, B, 256)],  # what it takes is made later
        [(A, B, 256), (256, C, 257), (B, C, 258), (A, 258, 257), (D, 257, 259), (C, D, 257)],
    ],
)
def test_tables_that_no_training_gives_wait(merges: Merges) -> None:
    pairs = BytePairs(BYTES, table_of(merges))
    for rank, (left, right, _) in enumerate(merges):
        if left < 256 and right < 256:
            assert three(pairs, left, right) == (rank, 0, 0)


def test_pairs_that_share_a_rank_wait() -> None:
    table = MergeTable(3)
    for rank, left, right, result in [
        (0, A, B, 256),
        (1, B, C, 257),
        (2, 256, C, 258),
        (2, A, 257, 258),
    ]:
        assert table.set(rank, left, right, result)
    pairs = BytePairs(BYTES, table)
    assert three(pairs, A, B) == (0, 0, 0)
    assert three(pairs, B, C) == (1, 0, 0)


def trained(chance: random.Random, count: int) -> Merges:
    """Returns merges in an order that a training may have: each of existing symbols."""
    symbols = [A, B, C, D]
    merges: Merges = []
    pairs: set[tuple[int, int]] = set()
    while len(merges) < count:
        pair = (chance.choice(symbols), chance.choice(symbols))
        if pair not in pairs:
            pairs.add(pair)
            merges.append((*pair, 256 + len(merges)))
            symbols.append(256 + len(merges) - 1)
    return merges


@pytest.mark.parametrize("order", ["trained", "shuffled"])
@pytest.mark.parametrize("seed", range(12))
def test_words_are_merged_as_in_turn(seed: int, order: str) -> None:
    chance = random.Random(seed)
    merges = trained(chance, chance.choice([2, 5, 12, 40]))
    if order == "shuffled":
        chance.shuffle(merges)
    merger = WordMerger(BYTES, table_of(merges))
    for _ in range(150):
        word = bytes(chance.choices(b"abcd", k=chance.randrange(1, 30)))
        assert merged(merger, word) == merged_in_turn(merges, word)


@pytest.mark.parametrize("seed", range(4))
def test_merges_are_learned_one_by_one(seed: int) -> None:
    chance = random.Random(seed)
    merges = trained(chance, 30)
    table = MergeTable(len(merges))
    merger = WordMerger(BYTES, table)
    for rank, (left, right, result) in enumerate(merges):
        table.set(rank, left, right, result)
        merger.byte_pairs.learn(left, right, result, rank)
        for _ in range(10):
            word = bytes(chance.choices(b"abcd", k=chance.randrange(1, 20)))
            assert merged(merger, word) == merged_in_turn(merges[: rank + 1], word)
    whole = BytePairs(BYTES, table).entries
    assert list(merger.byte_pairs.entries) == list(whole)
