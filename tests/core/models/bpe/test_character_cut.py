"""Where a text may be cut before its characters are merged, against the rule itself."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from librt.vecs import vec
from mypy_extensions import i32

from tokenarium_core.models.bpe.character_cut import CharacterCut
from tokenarium_core.models.bpe.merge_table import MergeTable
from tokenarium_core.padded_text import PADDING
from tokenarium_core.prefix_matcher import PrefixMatcher
from tokenarium_core.vocabulary import NORMAL, USER_DEFINED, PieceArena, Vocabulary

CHARACTERS = list("abc é漢\n_")
MERGED = ["ab", "bc", "abc", "é漢", " a", "漢a", "__"]  # by the first character and the rest
MARKED = ["\n", "  ", "_c"]


def _cut_of_pieces() -> CharacterCut:
    pieces = CHARACTERS + MERGED + MARKED[1:]
    arena = PieceArena(len(pieces))
    for piece in pieces:
        arena.add(piece.encode(), USER_DEFINED if piece in MARKED else NORMAL)
    table = MergeTable(len(pieces))
    for piece in MERGED:
        table.set(
            pieces.index(piece),
            pieces.index(piece[0]),
            pieces.index(piece[1:]),
            pieces.index(piece),
        )
    matcher = PrefixMatcher(
        [piece.encode() for piece in MARKED], [pieces.index(piece) for piece in MARKED]
    )
    return CharacterCut(Vocabulary(arena), table, [0], matcher)


CUT = _cut_of_pieces()
JOINED = {("a", "b"), ("b", "c"), ("é", "漢"), (" ", "a"), ("漢", "a"), ("_", "_")}


def _plain_cuts(text: str) -> list[str]:
    """Returns the parts of a text: marked pieces, and what merges may join between them."""
    stretches = [""]
    while text:
        marked = max((piece for piece in MARKED if text.startswith(piece)), key=len, default="")
        if marked:
            stretches += [marked, ""]
        else:
            stretches[-1] += text[0]
        text = text[len(marked) or 1 :]
    parts = []
    for stretch in stretches:
        if stretch in MARKED:
            parts.append(stretch)
            continue
        part = stretch[:1]
        for pair in pairwise(stretch):
            if pair not in JOINED:
                parts.append(part)
                part = ""
            part += pair[1]
        parts += [part] if part else []
    return parts


def _cuts(text: str, room: int) -> list[str]:
    data = text.encode() + bytes(PADDING)
    stop = len(data) - PADDING
    ends = vec[i32]([0] * room)
    pieces = vec[i32]([0] * room)
    found = []
    at = 0
    while at < stop:
        parts = CUT.cut(data, at, stop, ends, pieces)
        assert 0 < parts < room
        for part in range(parts):
            found.append(data[at : ends[part]].decode())
            assert (pieces[part] >= 0) == (found[-1] in MARKED)
            at = ends[part]
    return found


@given(st.text(st.sampled_from(CHARACTERS), max_size=60), st.sampled_from([9, 10, 12, 100]))
def test_it_cuts_where_no_merge_joins(text: str, room: int) -> None:
    assert _cuts(text, room) == _plain_cuts(text)


def test_what_follows_the_end_is_not_cut() -> None:
    data = b"ab c_abcab" + bytes(PADDING)
    ends = vec[i32]([0] * 20)
    pieces = vec[i32]([0] * 20)
    for stop in range(1, 11):
        parts = CUT.cut(data, 0, stop, ends, pieces)
        assert ends[parts - 1] == stop
        assert "".join(_plain_cuts(data[:stop].decode())) == data[:stop].decode()
        assert [ends[part] for part in range(parts)] == [
            sum(map(len, _plain_cuts(data[:stop].decode())[: part + 1])) for part in range(parts)
        ]
