"""Edges in bits: whatever is asked of them is what an array of truths gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenarium.models.text import grapheme_edges
from tokenarium.models.text.grapheme_edges import GraphemeEdges


@given(st.integers(0, 70), st.sets(st.integers(0, 70)), st.integers(0, 70), st.integers(0, 70))
def test_edges(size: int, places: set[int], middle: int, begin: int) -> None:
    marked = [*sorted(place for place in places if place < size), size]
    edges = GraphemeEdges(size)
    half = [place for place in marked if place < middle]
    for some in (half, [], marked[len(half) :]):
        edges.mark(np.array(some, np.int64))
    expected = sorted({0, *marked})
    assert np.flatnonzero(edges).tolist() == expected
    assert len(np.asarray(edges)) == size + 1
    assert edges.nbytes == size // 8 + 1
    everywhere = np.arange(size + 1, dtype=np.int32)
    assert edges.are_at(everywhere).tolist() == [place in expected for place in range(size + 1)]
    byte = min(begin, size)
    assert edges.between(byte, middle).tolist() == [
        one for one in expected if byte <= one <= middle
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grapheme_edges, "NEAR", 2)
        assert edges.at_or_before(byte) == max(one for one in expected if one <= byte)
        assert edges.at_or_after(byte) == min(one for one in expected if one >= byte)
