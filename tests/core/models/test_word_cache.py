"""Values for ids: what was written is read, in the value itself or beside it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.word_cache import ID_MASK, NUMBER_SHIFT, WordCache, WordIds

HIGHEST = (1 << 31) - 1


def written(word_ids: WordIds, value: int, count: int) -> list[int]:
    """Returns the ids of a value, read by `WordIds.write` after one that is already there."""
    out = vec[i32]([7] * (count + 1))
    assert word_ids.write(value, out, 1) == count + 1
    assert out[0] == 7
    return [out[index + 1] for index in range(count)]


@pytest.mark.parametrize(
    ("ids", "packed"),
    [
        ([0], True),
        ([ID_MASK], True),
        ([ID_MASK + 1], False),
        ([5, 0], True),
        ([0, 0, 0], True),
        ([ID_MASK] * 3, True),
        ([1, 2, ID_MASK + 1], False),
        ([1, 2, 3, 4], False),
        ([HIGHEST] * 255, False),
    ],
)
def test_up_to_three_small_ids_are_in_the_value(ids: list[int], packed: bool) -> None:
    word_ids = WordIds()
    value = word_ids.value_of(vec[i64](ids), len(ids))
    assert value >= 0
    assert (value >> NUMBER_SHIFT == len(ids)) == packed
    assert written(word_ids, value, len(ids)) == ids


@pytest.mark.parametrize("token", [0, 1, ID_MASK, ID_MASK + 1, HIGHEST])
def test_one_id(token: int) -> None:
    word_ids = WordIds()
    assert written(word_ids, word_ids.value_of_one(token), 1) == [token]


@pytest.mark.slow
@given(
    st.lists(
        st.lists(st.integers(0, HIGHEST) | st.integers(0, ID_MASK), min_size=1, max_size=40),
        max_size=20,
    )
)
def test_many_words(words: list[list[int]]) -> None:
    word_ids = WordIds()
    # A longer array: what follows the ids that count is not part of them.
    values = [word_ids.value_of(vec[i64]([*ids, HIGHEST, 3]), len(ids)) for ids in words]
    for ids, value in zip(words, values, strict=True):
        assert written(word_ids, value, len(ids)) == ids


def test_the_pool_grows() -> None:
    word_ids = WordIds()
    words = [[number, number + 1, number + 2, HIGHEST] for number in range(3000)]
    values = [word_ids.value_of(vec[i64](ids), 4) for ids in words]
    assert [written(word_ids, value, 4) for value in values] == words


@pytest.mark.parametrize(("kept", "larger"), [(0, True), (100, True), (4000, False)])
def test_room_for_many_words_is_made_at_once(kept: int, larger: bool) -> None:
    """A table with many words grows by and by, where it has to."""
    cache = WordCache(1)
    for word in range(1, kept + 1):
        cache.rows[cache.claim(word, 0, 0, 0)] = word * 3
    cache.expect(30_000)
    assert (cache.mask > 30_000 * 2) == larger
    assert all(cache.find(word, 0, 0, 0) == word * 3 for word in range(1, kept + 1))
    assert cache.find(kept + 1, 0, 0, 0) == -1
