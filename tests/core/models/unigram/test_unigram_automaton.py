"""The automaton finds, at each character, exactly the pieces that end there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core import COMPILED
from tokenarium_core.models.unigram.unigram_automaton import (
    ENDING_SHIFT,
    LENGTH,
    NEVER,
    UNIT_ENDING,
    UnigramAutomaton,
)
from tokenarium_core.models.unigram.unigram_quick import QuickSearch
from tokenarium_core.models.unigram.unigram_scores import SENTENCEPIECE, UnigramScores
from tokenarium_core.models.unigram.unigram_trie import UNIT_SYMBOL, UnigramTrie
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.vocabulary import NORMAL, SPACE_MARK, UNKNOWN, PieceArena, Vocabulary


def automaton_of(pieces: list[str]) -> UnigramAutomaton:
    """Returns the automaton of pieces, in which piece k has the weight ``k + 1 << 8``, and the unknown one 0."""
    trie = UnigramTrie(len(pieces))
    for token, piece in enumerate(pieces):
        data = padded(piece)
        trie.add(data, 0, len(data) - PADDING, token)
    trie.finish()
    return UnigramAutomaton(trie, vec[i64]([index << 8 for index in range(len(pieces) + 1)]))


def endings(automaton: UnigramAutomaton, unit: int) -> list[tuple[int, int]]:
    """Returns the pieces that end at a unit, as the ids + 1 and the lengths, in their order."""
    place = unit >> ENDING_SHIFT & UNIT_ENDING
    found = [automaton.endings[place]] if automaton.endings[place] != NEVER | 1 else []
    rank = 1
    while place >= automaton.first_rows[rank]:
        found.append(automaton.endings[place + rank])
        rank += 1
    found.append(automaton.ones[unit & UNIT_SYMBOL])
    return [(ending >> 8, ending & LENGTH) for ending in found]


def check(pieces: list[str], text: str) -> None:
    automaton = automaton_of(pieces)
    data = padded(text)
    units = vec[i64]([0] * (len(text) + 1))
    assert automaton.read(data, 0, len(data) - PADDING, units) == len(text)
    for end in range(1, len(text) + 1):
        expected = [
            (pieces.index(text[start:end]) + 1, end - start)
            for start in range(max(0, end - LENGTH), end - 1)
            if text[start:end] in pieces
        ]
        single = text[end - 1]
        expected.append((pieces.index(single) + 1 if single in pieces else 0, 1))
        assert endings(automaton, units[end]) == expected


@given(
    st.lists(st.text("abか😀", min_size=1, max_size=5), unique=True, max_size=30),
    st.text("aaabbか😀x", max_size=20),
)
def test_pieces_that_end(pieces: list[str], text: str) -> None:
    check(pieces, text)


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([], "ab"),
        (["abcd", "bc", "c"], "abcabcd"),  # falls out of the longest text
        (["a" * size for size in range(1, 9)], "a" * 12),  # many at one place
        (["ab" * 130, "b", "bb"], "ab" * 131 + "b"),  # longer than an ending can store
    ],
)
def test_certain_pieces(pieces: list[str], text: str) -> None:
    check(pieces, text)


@pytest.mark.skipif(not COMPILED, reason="takes long where it is interpreted")
def test_too_many_endings() -> None:
    """The pieces are too many for the automaton, and found without it."""
    letters = [chr(code) for code in range(0x100, 0x18C)]
    arena = PieceArena(1 + 254 * len(letters))
    arena.add(b"<unk>", UNKNOWN)
    for letter in letters:
        for size in range(1, 255):
            arena.add((letter * size).encode(), NORMAL)
    arena.scores = vec[float]([0.0] + [-1.0] * (254 * len(letters)))
    scores = UnigramScores(Vocabulary(arena, (NORMAL,), SPACE_MARK), SENTENCEPIECE)
    quick = QuickSearch(scores, 0)
    assert not quick.automaton.complete
    assert quick.longest == 0
    assert quick.search(padded(letters[0]), 0, 2) == 0
