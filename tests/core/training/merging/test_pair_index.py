"""The lists of places of pairs, which are moved together when there is no room for more."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tokenarium_core.training.merging.pair_index import COUNT, SIZE, START, PairIndex


@given(
    pairs=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12)), max_size=40),
    threshold=st.integers(0, 9),
    needed=st.integers(0, 200),
)
def test_lists_of_frequent_pairs_are_kept(
    pairs: list[tuple[int, int]], threshold: int, needed: int
) -> None:
    index = PairIndex()
    expected: dict[int, list[int]] = {}
    for pair, (count, size) in enumerate(pairs):
        start = index.add(pair, count, size)
        places = [1_000 * pair + k for k in range(size)]
        for k, place in enumerate(places):
            index.positions[start + k] = place
        if count >= threshold:
            expected[pair] = places
    for _ in range(3):
        index.reserve(needed, threshold)
        for pair, places in expected.items():
            row = index.find(pair)
            assert index.rows[row + COUNT] == pairs[pair][0]
            start, size = index.rows[row + START], index.rows[row + SIZE]
            assert list(index.positions[start : start + size]) == places
        room = len(index.positions)
        pair = len(pairs)
        start = index.add(pair, 9, needed)
        assert len(index.positions) == room  # there was room for it
        for k in range(needed):
            index.positions[start + k] = k
        expected[pair] = list(range(needed))
        pairs = [*pairs, (9, needed)]
