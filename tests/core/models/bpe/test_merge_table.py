"""Merges by pair: found, not found, and found again after the table has grown or was frozen."""

from __future__ import annotations

import random
from io import BytesIO

import numpy as np
import pytest

from tokenarium_core.errors import FormatError
from tokenarium_core.models.bpe.merge_table import (
    BUCKET_SHIFT,
    MULTIPLIER,
    NO_MERGE,
    NO_SHIFT,
    OTHER_MULTIPLIER,
    MergeTable,
    load_merges,
)
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter


def _pairs(count: int) -> list[tuple[int, int]]:
    chance = random.Random(1)
    return list({(chance.randrange(1 << 21), chance.randrange(1 << 21)) for _ in range(count)})


def test_all_pairs_are_found_and_no_others() -> None:
    pairs = _pairs(3000)
    merges, others = pairs[:1500], pairs[1500:]
    table = MergeTable(1500)
    for rank, (left, right) in enumerate(merges):
        assert table.set(rank, left, right, rank + 256)
    assert [table.find(left, right) for left, right in merges] == list(range(1500))
    assert {table.find(left, right) for left, right in others} == {NO_MERGE}
    assert table.shift == 256
    for left, right in merges[:9]:  # ids below 0 stand for no piece
        assert {table.find(-1, right), table.find(left, -1), table.find(-1, -1)} == {NO_MERGE}


def test_more_pairs_than_ranks_make_it_grow() -> None:
    pairs = _pairs(4000)
    table = MergeTable(10)
    for number, (left, right) in enumerate(pairs):
        table.set(number % 10, left, right, number % 7)
    assert [table.find(left, right) for left, right in pairs] == [
        number % 10 for number in range(len(pairs))
    ]
    assert not table.set(3, *pairs[0], 3)
    assert (table.pairs, table.shift) == (len(pairs), NO_SHIFT)


def test_pairs_that_were_chosen_to_fall_on_one_another_are_refused() -> None:
    """Five pairs whose two buckets are the same find no room in these, however large the table becomes."""
    mask = np.uint64((1 << 10) - 1)  # larger than the table may become for five pairs
    pairs = np.arange(1 << 22, 7 << 20, dtype=np.uint64)
    first, second = (  # numbers of this type wrap around as those of the table do
        pairs * np.uint64(factor) >> np.uint64(BUCKET_SHIFT) & mask
        for factor in (MULTIPLIER, OTHER_MULTIPLIER)
    )
    buckets = (first * (mask + np.uint64(1)) + second).astype(np.int64)
    fellows = [int(pair) for pair in pairs[buckets == np.bincount(buckets).argmax()][:5]]
    assert len(fellows) == 5
    table = MergeTable(5)
    for rank, pair in enumerate(fellows[:4]):
        assert table.set(rank, pair >> 21, pair & (1 << 21) - 1, rank)
    with pytest.raises(FormatError, match="collide in a hash table"):
        table.set(4, fellows[4] >> 21, fellows[4] & (1 << 21) - 1, 4)


def test_a_frozen_table_finds_the_same() -> None:
    pairs = _pairs(500)
    table = MergeTable(500)
    for rank, (left, right) in enumerate(pairs[:250]):
        table.set(rank, left, right, rank)
    out = CacheWriter()
    table.dump(out)
    loaded = load_merges(CacheReader(BytesIO(out.getvalue())))
    assert [loaded.find(*pair) for pair in pairs] == [table.find(*pair) for pair in pairs]
