"""Columns in chunks: whatever is asked of one gives what an array of the same rows gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenarium.models.text import chunked_column
from tokenarium.models.text.chunked_column import ChunkedColumn
from tokenarium.models.text.packed_rows import RisingRows, packed_ids

EDITS = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.floats(0, 1),
        st.lists(st.integers(0, 3), max_size=9),
        st.integers(-4, 9),
    ),
    max_size=40,
)


@settings(deadline=None)
@given(st.lists(st.integers(0, 50), max_size=40), EDITS, st.integers(-2, 60), st.booleans())
def test_any_edits(
    rows: list[int], edits: list[tuple[float, float, list[int], int]], value: int, is_packed: bool
) -> None:
    """Also of packed rows, of which chunks of arrays are made where they are small."""
    few, small = chunked_column.FEW, chunked_column.SMALL
    chunked_column.FEW, chunked_column.SMALL = 3, 6  # type: ignore[misc]
    try:
        array = np.array(sorted(rows), np.int32)
        column = ChunkedColumn.of(array)
        if is_packed and rows:
            half = len(rows) // 2
            column = ChunkedColumn(
                [(packed_ids(array[:half]), 0), (RisingRows.of(array[half:] - 5), 5)]
            )
        for begin, length, put, further in edits:
            head = round(begin * len(array))
            tail = head + round(length * (len(array) - head))
            made = np.array(sorted(put), np.int32)
            column = column.spliced(head, tail, made, 7, further)
            array = np.concatenate((array[:head], made + 7, array[tail:] + further), dtype=np.int32)
            check(column, array, head, tail)
        assert len(column._stops) <= 3 + 2 * len(array) // 6 + 1
        # The rows of a text never fall, which is what a search needs.
        rising = np.sort(array)
        sorted_column = ChunkedColumn.chain(
            [_some(half, is_packed) for half in np.split(rising, [len(rising) // 3])]
        )
        for side in ("left", "right"):
            values = np.arange(-1, 60, 7)
            assert (
                sorted_column.rows_of(values, side).tolist()
                == np.searchsorted(rising, values, side).tolist()
            )  # type: ignore[arg-type]
            assert sorted_column.row_of(value, side) == np.searchsorted(rising, value, side)  # type: ignore[arg-type]
    finally:
        chunked_column.FEW, chunked_column.SMALL = few, small  # type: ignore[misc]


def _some(rows: np.ndarray, is_packed: bool) -> ChunkedColumn:
    if is_packed and len(rows):
        return ChunkedColumn([(RisingRows.of(rows), 0)])
    return ChunkedColumn.of(rows)


def check(column: ChunkedColumn, array: np.ndarray, first: int, last: int) -> None:
    assert len(column) == len(array)
    assert column.tolist() == array.tolist()
    assert np.asarray(column).dtype == np.int32
    assert column[first:last].tolist() == array[first:last].tolist()
    assert column.part(first, last).tolist() == array[first:last].tolist()
    assert column.moved(3).tolist() == (array + 3).tolist()
    assert column.around([1], [2, 3]).tolist() == [1, *array.tolist(), 2, 3]
    places = np.arange(len(array), dtype=np.int32)[::-1]
    assert column.take(places).tolist() == array[places].tolist()
    assert column.take(places).dtype == np.int32
    if len(array):
        assert column[-1] == array[-1]
        assert column[first % len(array)] == array[first % len(array)]


def test_nothing_is_copied() -> None:
    rows = np.arange(20, dtype=np.int32)
    column = ChunkedColumn.of(rows).spliced(4, 8, np.array([1, 2], np.int32), 100, 1000)
    assert np.shares_memory(column.part(0, 3)[:], rows)
    assert np.shares_memory(column.spliced(5, 5, rows, 0, 0)[:2], rows)


@pytest.mark.parametrize("kind", [np.uint8, np.int32])
def test_no_rows(kind: type[np.generic]) -> None:
    column = ChunkedColumn([], kind)
    assert column[:].dtype == kind
    assert column[3:9].tolist() == []
    assert column.row_of(4) == 0
    with pytest.raises(IndexError):
        column[0]
