"""Words are cut between characters wherever no piece can hold both, and only there."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from librt.vecs import vec
from mypy_extensions import i32

from tokenarium_core.models.boundary_filter import BoundaryFilter, boundaries_of
from tokenarium_core.padded_text import padded
from tokenarium_core.unicode.utf8 import character_sizes
from tokenarium_core.vocabulary import BYTE, CONTROL, NORMAL, PieceArena, Vocabulary

ALPHABET = "ab éñЖ日本語のてを한국ภา🙂🙃🚀"


def filter_of(pieces: list[bytes], kind: int = NORMAL) -> BoundaryFilter:
    arena = PieceArena(256 + len(pieces))
    for byte in range(256):
        arena.add(bytes([byte]), BYTE)
    for piece in pieces:
        arena.add(piece, kind)
    return boundaries_of(Vocabulary(arena, (NORMAL,)))


def parts_of(boundaries: BoundaryFilter, text: str) -> list[str]:
    """Returns the parts of a text between two others that say nothing about it."""
    data = padded("日" + text + "本語")
    stop = 3 + len(text.encode())
    ends = vec[i32]([0] * len(data))
    count = boundaries.cut(data, 3, stop, ends)
    places = [3, *(ends[index] for index in range(count))]
    return [data[start:end].decode() for start, end in pairwise(places)]


def joins(piece: bytes, left: bytes, right: bytes) -> bool:
    """Returns whether a piece may cross the border between two characters."""
    for place in range(1, len(piece)):
        before, after = piece[:place], piece[place:]
        if (before.endswith(left) or left.endswith(before)) and (
            after.startswith(right) or right.startswith(after)
        ):
            return True
    return False


def partly_joins(piece: bytes, left: bytes, right: bytes) -> bool:
    """Returns whether a piece forbids a cut by the bytes beside it alone."""
    for place in range(1, len(piece)):
        before, after = piece[:place], piece[place:]
        size = character_sizes[after[0]]
        inside = all(byte & 0xC0 == 0x80 for byte in before[-4:])
        if before[-1] == left[-1] and after[0] == right[0] and (inside or len(after) < size - 1):
            return True
    return False


PIECES = st.tuples(
    st.text(ALPHABET, min_size=1, max_size=4), st.integers(0, 3), st.integers(0, 3)
).map(lambda drawn: drawn[0].encode()[drawn[1] :][: len(drawn[0].encode()) - drawn[2]])


@settings(max_examples=60)
@given(
    st.lists(PIECES.filter(lambda piece: len(piece) > 1), unique=True, max_size=6),
    st.text(ALPHABET, min_size=1, max_size=20),
)
def test_cuts_are_where_no_piece_can_be(pieces: list[bytes], text: str) -> None:
    boundaries = filter_of(pieces)
    parts = parts_of(boundaries, text)
    assert "".join(parts) == text
    borders = set()
    place = 0
    for part in parts:
        place += len(part)
        borders.add(place)
    for place in range(1, len(text)):
        left, right = text[place - 1].encode(), text[place].encode()
        if any(joins(piece, left, right) for piece in pieces):
            assert place not in borders
        elif not any(partly_joins(piece, left, right) for piece in pieces):
            assert place in borders
        may_join = boundaries.may_join(
            int.from_bytes(left, "little"), int.from_bytes(right, "little"), left[-1], right[0]
        )
        assert may_join is (place not in borders)


@pytest.mark.parametrize(
    ("piece", "parts"),
    [
        ("日本".encode(), ["日本", "語", "の", "日", "の"]),
        (
            "日本".encode()[:-1],
            ["日本", "語", "の", "日", "の"],
        ),  # or another with its first two bytes
        ("の日".encode()[:-1], ["日", "本", "語", "の日", "の"]),
        ("語の".encode()[1:], ["日", "本", "語の", "日", "の"]),
        ("語".encode(), ["日", "本", "語", "の", "日", "の"]),
    ],
)
def test_pieces_that_end_inside_of_a_character(piece: bytes, parts: list[str]) -> None:
    assert parts_of(filter_of([piece]), "日本語の日の") == parts


def test_the_last_byte_of_a_character_that_is_missing_may_be_any() -> None:
    boundaries = filter_of(["aの".encode()[:-1], "b🙂".encode()[:-1], "cé".encode()[:-1]])
    assert parts_of(boundaries, "aのaはaり") == ["aの", "aは", "a", "り"]
    assert parts_of(boundaries, "b🙂b🙃b🚀") == ["b🙂", "b🙃", "b", "🚀"]
    assert parts_of(boundaries, "cécñcЖ") == ["cé", "cñ", "c", "Ж"]


def test_control_pieces_join_nothing() -> None:
    assert parts_of(filter_of(["日本".encode()], CONTROL), "日本") == ["日", "本"]


@given(st.text("ab -", min_size=8, max_size=60), st.integers(9, 30))
def test_a_long_text_is_cut_in_several_calls(text: str, room: int) -> None:
    boundaries = filter_of([b"ab", b" a", b"--"])
    data = padded(text)
    places: list[int] = []
    ends = vec[i32]([0] * room)
    while not places or places[-1] < len(text):
        count = boundaries.cut(data, places[-1] if places else 0, len(text), ends)
        assert 0 < count < room
        places += ends[:count]
    assert places == [
        k for k in range(1, len(text)) if text[k - 1 : k + 1] not in ("ab", " a", "--")
    ] + [len(text)]
