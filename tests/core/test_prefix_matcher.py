"""The longest piece that begins at a byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenarium_core.prefix_matcher import PrefixMatcher

PADDING = b"\0" * 16


def test_the_longest_piece_wins() -> None:
    matcher = PrefixMatcher([b"a", b"ab", b"abcd", b"\n"], [7, 8, 9, 0])
    assert matcher.match(b"abcx" + PADDING, 0, 4) == 8
    assert matcher.length == 2
    assert matcher.match(b"abcd" + PADDING, 0, 4) == 9
    assert matcher.match(b"abcd" + PADDING, 0, 3) == 8
    assert matcher.match(b"abcd" + PADDING, 1, 4) == -1
    assert matcher.find(b"xy\nz" + PADDING, 0, 4) == 2
    assert (matcher.number, matcher.length, matcher.longest) == (0, 1, 4)
    assert matcher.find(b"xyz" + PADDING, 0, 3) == 3


def test_what_follows_the_end_is_not_seen() -> None:
    matcher = PrefixMatcher([b"ab", b"a\0"], [1, 2])
    assert matcher.find(b"xab" + PADDING, 0, 2) == 2
    assert matcher.match(b"a" + PADDING, 0, 1) == -1


def test_no_more_nested_pieces_than_asked() -> None:
    pieces = [b"x" * size for size in range(1, 101)]
    text = b"x" * 200 + PADDING
    assert PrefixMatcher(pieces, range(100)).match(text, 0, 200) == 99
    assert PrefixMatcher(pieces, range(100), nested=64).match(text, 0, 200) == 63


def test_runs_of_one_byte() -> None:
    matcher = PrefixMatcher(
        [b"  ", b" " * 4, b" " * 20, b"\n", b"\n\n"], [2, 4, 20, 1, 0], nested=2
    )
    found = {0: 0, 1: 0, 2: 2, 3: 2, 4: 4, 19: 4, 20: 4, 30: 4}  # the third one is never tried
    for size, length in found.items():
        data = b" " * size + b"x" + PADDING
        assert matcher.match(data, 0, size + 1) == (length or -1)
        assert matcher.match(b" " * 40 + PADDING, 0, size) == (length or -1)
        if length:
            assert matcher.length == length
    assert matcher.match(b"\n\n\n" + PADDING, 0, 3) == 0
    assert matcher.match(b"\n\n\n" + PADDING, 2, 3) == 1


def test_the_pairs_of_bytes_inside_of_pieces() -> None:
    pairs = PrefixMatcher([b"abc", b"xb", b"a", b"zz"], range(4)).inner_pairs()
    inside = {bytes([pair >> 8, pair & 255]) for pair in range(65536) if pairs[pair]}
    assert inside == {b"ab", b"bc", b"xb", b"zz"}


def test_an_empty_piece_is_refused_and_none_finds_nothing() -> None:
    with pytest.raises(ValueError, match="at least one byte"):
        PrefixMatcher([b""], [0])
    assert PrefixMatcher([], []).find(b"abc" + PADDING, 0, 3) == 3


@given(
    st.lists(st.text("abé\n", min_size=1, max_size=4), max_size=12),
    st.text("abé\n", max_size=30),
)
def test_finds_what_a_naive_search_finds(pieces: list[str], text: str) -> None:
    coded = [piece.encode() for piece in pieces]
    matcher = PrefixMatcher(coded, range(len(coded)))
    data = text.encode()
    padded = data + PADDING
    places = []
    for at in range(len(data)):
        fitting = [piece for piece in coded if data.startswith(piece, at)]
        best = max(fitting, key=len) if fitting else None
        found = matcher.match(padded, at, len(data))
        assert found == (coded.index(best) if best else -1)
        if best:
            assert matcher.length == len(best)
            places.append(at)
    for at in range(len(data)):
        assert matcher.find(padded, at, len(data)) == min(
            (place for place in places if place >= at), default=len(data)
        )
