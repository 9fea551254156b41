"""The places on the canvas of merges: columns, rows and ranks never cover each other."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenarium.models.merges.canvas_layout import (
    LEAST_COLUMN,
    MARGIN,
    MOST_SCALE,
    CanvasColumns,
    CanvasWord,
    least_height,
    least_width,
    pills_in_rows,
    rows_in,
    scale_in,
    spread,
    word_columns,
)
from tokenarium.models.merges.playback import Growth, Symbol


def word(start: int, sizes: list[int]) -> CanvasWord:
    """A word of symbols with these many bytes, each of them a letter."""
    edges = [start]
    for size in sizes:
        edges.append(edges[-1] + size)
    leaves = [Symbol(a, b, 1) for a, b in pairwise(edges)]
    letters = [float(n) for n in range(edges[-1] - start + 1)]
    return word_columns(Growth(leaves, [], 0), start, edges[-1], list(pairwise(edges)), letters)


SIZES = st.lists(st.integers(1, 4), min_size=1, max_size=8)


@given(sizes=st.lists(SIZES, min_size=1, max_size=5), width=st.integers(0, 3000))
def test_columns_are_side_by_side_in_both_directions(sizes: list[list[int]], width: int) -> None:
    words: list[CanvasWord] = []
    for one in sizes:
        words.append(word(words[-1].edges[-1] if words else 0, one))
    for mirrored in (False, True):
        columns = CanvasColumns(words, width, mirrored)
        assert columns.column >= LEAST_COLUMN
        assert columns.width >= least_width(words)
        spans = [columns.span(a, b) for placed in words for a, b in pairwise(placed.edges)]
        ordered = spans[::-1] if mirrored else spans
        for (left, right), (other, _) in pairwise(ordered):
            assert left < right <= other + 1e-6
        assert ordered[0][0] >= MARGIN - 1e-6
        assert ordered[-1][1] <= columns.width - MARGIN + 1e-6
        for placed in words:
            for start, end in pairwise(placed.edges):
                left, right = columns.span(start, end)
                assert columns.bytes_between(left + 1, right - 1) == (start, start)


@given(height=st.floats(0, 2000), pills=st.integers(0, 3), levels=st.integers(1, 30))
def test_rows_are_below_each_other(height: float, pills: int, levels: int) -> None:
    least = least_height(pills, levels)
    rows = rows_in(max(height, least), pills, levels)
    assert 0 <= rows.pills <= rows.line <= rows.tile
    assert rows.tile + rows.tile_height < rows.note < rows.tree <= rows.top(levels)
    assert rows.row > rows.node
    assert rows.foot + rows.node <= max(height, least) + 1e-6


SPANS = st.lists(st.tuples(st.floats(0, 500), st.floats(5, 60)), max_size=12).map(
    lambda found: sorted((left, left + width) for left, width in found)
)


@given(spans=SPANS, rows=st.integers(1, 3), first=st.integers(-1, 11))
def test_ranks_in_a_row_do_not_cover_each_other(
    spans: list[tuple[float, float]], rows: int, first: int
) -> None:
    first = first if first < len(spans) else -1
    found = pills_in_rows(spans, rows, first)
    if first >= 0:
        assert found[first] == 0
    for row in range(rows):
        here = [span for span, place in zip(spans, found, strict=True) if place == row]
        for (_, right), (left, _) in pairwise(sorted(here)):
            assert right <= left


@given(spans=SPANS)
def test_ranks_that_fit_are_shifted_apart(spans: list[tuple[float, float]]) -> None:
    needed = sum(right - left + 4 for left, right in spans)
    found = spread(spans, 0.0, max(560.0, needed))
    assert [b - a for a, b in found] == pytest.approx([b - a for a, b in spans])
    for (_, right), (left, _) in pairwise(found):
        assert right + 4 <= left + 1e-6
    assert all(left >= -1e-6 for left, _ in found)


def test_twelve_letters_fit_beside_a_lesson_and_the_queue() -> None:
    assert CanvasColumns([word(0, [1] * 12)], 480).width == 480


@given(sizes=SIZES, width=st.floats(1, 9000), height=st.floats(1, 9000), levels=st.integers(1, 30))
def test_a_word_is_enlarged_only_into_room_that_it_leaves(
    sizes: list[int], width: float, height: float, levels: int
) -> None:
    words = [word(0, sizes)]
    scale = scale_in(words, width, height, levels)
    assert 1 <= scale <= MOST_SCALE
    if scale > 1:
        rows = rows_in(height / scale, 2, levels)
        assert rows.foot + rows.node <= height / scale
        columns = CanvasColumns(words, width / scale)
        assert (columns.column, rows.tile_height, rows.node) == pytest.approx((96, 90, 38))
    assert scale_in(words, 90_000, 90_000, levels) == MOST_SCALE
