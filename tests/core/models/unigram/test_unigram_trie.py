"""The trie finds each piece that was added, and no other."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from librt.strings import read_i64_le

from tokenarium_core import COMPILED, FormatError
from tokenarium_core.models.unigram.unigram_trie import ROOT, TOKEN_MASK, UNIT_SYMBOL, UnigramTrie
from tokenarium_core.unicode.utf8 import character_sizes, code_in, code_point_at


def trie_of(pieces: list[str]) -> UnigramTrie:
    """Returns the trie of pieces whose ids are their places."""
    trie = UnigramTrie(len(pieces))
    for token, piece in enumerate(pieces):
        data = piece.encode()
        trie.add(data + bytes(16), 0, len(data), token)
    trie.finish()
    return trie


def found(trie: UnigramTrie, text: str) -> int:
    """Returns the id of a piece, -1 where there is none."""
    data = text.encode() + bytes(16)
    node, at, token = ROOT, 0, -1
    while at < len(data) - 16:
        value = trie.find(node, data, at)
        if value == 0:
            return -1
        node = value >> 32
        token = (value & TOKEN_MASK) - 1
        at += character_sizes[data[at]]
    return token


@given(st.lists(st.text("abかき😀\0", min_size=1, max_size=5), unique=True), st.text("abかき😀\0"))
def test_finds_pieces(pieces: list[str], other: str) -> None:
    trie = trie_of(pieces)
    assert [found(trie, piece) for piece in pieces] == list(range(len(pieces)))
    assert found(trie, other) == (pieces.index(other) if other in pieces else -1)


@given(st.characters(min_codepoint=0x80, exclude_categories=["Cs"]))
def test_code_points(character: str) -> None:
    data = character.encode() + bytes(16)
    assert code_in(read_i64_le(data, 0)) == code_point_at(data, 0) == ord(character)


def test_many_pieces() -> None:
    """So many that blocks of units are closed, and the tables grow."""
    choose = random.Random(7)
    letters = [
        chr(code) for code in [*range(97, 123), *range(0x3041, 0x3091), *range(0x4E00, 0x5000)]
    ]
    pieces = sorted({"".join(choose.choices(letters, k=choose.randint(1, 6))) for _ in range(4000)})
    trie = trie_of(pieces)
    assert [found(trie, piece) for piece in pieces] == list(range(len(pieces)))
    assert all(found(trie, piece + "a") < 0 for piece in pieces if piece + "a" not in pieces)
    assert len(trie.units) < 2 * sum(len(piece) for piece in pieces)


def test_leaves_out_parts_of_characters() -> None:
    trie = UnigramTrie(2)
    trie.add("é".encode()[:1] + bytes(16), 0, 1, 0)
    trie.add("é".encode()[1:] + bytes(16), 0, 1, 1)
    trie.finish()
    assert found(trie, "é") < 0


@pytest.mark.skipif(not COMPILED, reason="takes long where it is interpreted")
def test_too_many_characters_are_reported() -> None:
    trie = UnigramTrie(1)
    for code in range(0x10000, 0x10000 + UNIT_SYMBOL):
        trie.add(chr(code).encode() + bytes(16), 0, 4, 0)
    with pytest.raises(FormatError, match="too many"):
        trie.finish()
