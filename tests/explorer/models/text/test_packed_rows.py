"""Packed rows are read as arrays of the same rows are, and are smaller."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenarium.models.text import packed_rows
from tokenarium.models.text.chunked_column import ChunkedColumn, memory_of_columns
from tokenarium.models.text.packed_rows import (
    RisingRows,
    Rows,
    WideRows,
    memory_of,
    packed_ids,
    packed_rising,
    taken_apart,
)

STEPS = st.lists(
    st.one_of(st.integers(0, 3), st.sampled_from([0, 511, 512, 513, 2_000])),
    min_size=1,
    max_size=600,
)


@settings(deadline=None)
@given(st.integers(-5, 70_000), STEPS, st.floats(0, 1), st.floats(0, 1), st.integers(0, 2**32))
def test_places_that_never_fall(
    origin: int, steps: list[int], begin: float, length: float, seed: int
) -> None:
    array = (origin + np.cumsum(steps)).astype(np.int32)
    first = round(begin * len(array))
    last = first + round(length * (len(array) - first))
    random = np.random.default_rng(seed)
    values = [
        *random.integers(array[0] - 3, array[-1] + 3, 20).tolist(),
        int(array[0]),
        1.5 + first,
    ]
    for rows, some in (
        (RisingRows.of(array), array),
        (RisingRows.of(array)[first:last], array[first:last]),
    ):
        check(rows, some, first, last)
        for side in ("left", "right"):
            for value in values:
                found = rows.row_of(value, side)  # type: ignore[arg-type]
                assert found == np.searchsorted(some, value, side)  # type: ignore[call-overload]


def test_a_number_at_the_end_of_a_block() -> None:
    """The block has as many zeros as the number asks for, and rows after the last of them."""
    array = np.array([0] * 256 + [200] * 56 + [1_000] * 600, np.int32)
    rows = RisingRows.of(array)
    assert rows.row_of(200) == 256
    assert rows.row_of(200, "right") == rows.row_of(201) == 312


@given(st.lists(st.integers(0, (1 << 24) - 1)), st.floats(0, 1), st.floats(0, 1))
def test_wide_numbers(numbers: list[int], begin: float, length: float) -> None:
    array = np.array(numbers, np.int32)
    first = round(begin * len(array))
    last = first + round(length * (len(array) - first))
    check(WideRows.of(array), array, first, last)
    check(WideRows.of(array)[first:last], array[first:last], 1, 2)


def check(rows: RisingRows | WideRows, array: np.ndarray, first: int, last: int) -> None:
    assert len(rows) == len(array)
    assert np.asarray(rows).tolist() == array.tolist()
    assert np.asarray(rows).dtype == np.int32
    assert np.asarray(rows[first:last]).tolist() == array[first:last].tolist()
    assert np.asarray(rows[first:last][1:-1]).tolist() == array[first:last][1:-1].tolist()
    assert [rows[row] for row in range(len(rows))][:9] == array[:9].tolist()
    layout, arrays = taken_apart(rows)
    assert np.asarray(layout.of(list(arrays))).tolist() == array.tolist()
    assert memory_of(rows[first:last]) == memory_of(rows)
    if len(array):
        assert rows[-1] == array[-1]
    for row in (len(array), -len(array) - 1):
        with pytest.raises(IndexError):
            rows[row]


@pytest.mark.parametrize(
    "rows", [[], [3], [5, 4], [0, 100_000], [1 << 24], [65_535], [65_536], [1 << 30, 7]]
)
def test_whatever_the_rows_are_they_stay_the_same(rows: list[int]) -> None:
    array = np.array(rows, np.int32)
    for packed in (packed_ids(array), packed_rising(array)):
        assert ChunkedColumn([(packed, 7)]).tolist() == (array + 7).tolist()


def test_a_token_needs_a_fraction_of_what_its_numbers_do() -> None:
    edges = np.cumsum(np.random.default_rng(5).integers(0, 9, 100_000)).astype(np.int32)
    rows = packed_rising(edges)
    assert isinstance(rows, RisingRows)
    assert size(rows) < edges.nbytes / 5
    ids = np.arange(100_000, dtype=np.int32)
    assert size(packed_ids(ids)) == 300_000
    assert size(packed_ids(ids[:60_000])) == 120_000
    # Rows that fall, and rows far apart, stay as they are.
    for others in (edges[::-1], edges * 9):
        assert isinstance(packed_rising(others), np.ndarray)


def test_starts_and_ends_of_the_same_edges_count_once() -> None:
    edges = packed_rising(np.arange(0, 40_000, 4, dtype=np.int32))
    starts, ends = (ChunkedColumn([(rows, 0)]) for rows in (edges[:-1], edges[1:]))
    assert memory_of_columns([starts, ends]) == size(edges)


def test_only_the_blocks_that_are_asked_for_are_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of ten million costs what one of a thousand does."""
    rows = RisingRows.of(np.arange(0, 1_000_000, 3, dtype=np.int32))
    unpacked: list[int] = []
    of_blocks = packed_rows._Bits.of_blocks

    def noted(self: packed_rows._Bits, begin: int, end: int) -> packed_rows.IntArray:
        unpacked.append(end - begin)
        return of_blocks(self, begin, end)

    monkeypatch.setattr(packed_rows._Bits, "of_blocks", noted)
    assert rows[100_000] == 300_000
    assert rows.row_of(300_000) == 100_000
    assert np.asarray(rows[100_000:100_100]).tolist() == list(range(300_000, 300_300, 3))
    assert rows[5_000:][95_000] == 300_000
    assert unpacked == [packed_rows.WINDOW]  # once for all of these
    assert [rows[row] for row in range(0, 300_000, 30_000)] == list(range(0, 900_000, 90_000))
    assert len(unpacked) == 11
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(rows[3:5])[0] = 7  # it is kept for others
    assert len(rows._bits._windows) <= packed_rows.KEPT_WINDOWS


def size(rows: Rows) -> int:
    return sum(memory_of(rows).values())
