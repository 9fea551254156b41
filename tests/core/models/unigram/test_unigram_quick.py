"""The quick searches find the path that the search itself finds, or none.

What the one in integers is sure of holds from any sum that its level allows; the rounded one finds the sum, too.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from librt.vecs import vec

from tokenarium_core.models.unigram.unigram_quick import QuickSearch, RoundedSearch
from tokenarium_core.models.unigram.unigram_scores import (
    RESET,
    SENTENCEPIECE,
    TOKENIZERS,
    ZERO_LEVEL,
    UnigramScores,
)
from tokenarium_core.models.unigram.unigram_search import UnigramSearch
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.vocabulary import NORMAL, SPACE_MARK, UNKNOWN, PieceArena, Vocabulary

PIECES = st.dictionaries(
    st.text("abか😀", min_size=1, max_size=5),
    st.one_of(
        st.floats(-20, 3, width=32), st.integers(-9, 0).map(float), st.sampled_from([-1.25, -2.5])
    ),
    min_size=1,
    max_size=14,
)

CLOSE_PIECES = st.dictionaries(
    st.text("abか", min_size=1, max_size=5),
    st.one_of(st.floats(-20, 3, width=32), st.sampled_from([-1.0, -2.0, -2.001, -3.0])),
    min_size=1,
    max_size=14,
)
"""Of these, more have paths that are nearly as good as the best."""


def scores_of(pieces: dict[str, float], rules: int = SENTENCEPIECE) -> UnigramScores:
    """Returns the scores of ``<unk>`` and these pieces."""
    arena = PieceArena(1 + len(pieces))
    arena.add(b"<unk>", UNKNOWN)
    for piece in pieces:
        arena.add(piece.encode(), NORMAL)
    arena.scores = vec[float]([0.0, *pieces.values()])
    return UnigramScores(Vocabulary(arena, (NORMAL,), SPACE_MARK), rules)


def search_of(scores: UnigramScores) -> UnigramSearch:
    return UnigramSearch(scores.trie, scores.values, 0, scores.unknown, scores.rounding)


def path_from(search: UnigramSearch, text: str, total: float, exact: bool) -> list[int]:
    """Returns the best path of the search itself, from a sum in front."""
    data = padded(text)
    search.begin(data, 0, len(data) - PADDING, total, exact)
    search.advance(len(data), None)
    pieces = search.trace_back()
    return [search.path[index] for index in range(pieces)]


def quick_path(quick: QuickSearch, text: str) -> list[int]:
    data = padded(text)
    pieces = quick.search(data, 0, len(data) - PADDING)
    return [quick.path[index] for index in range(pieces)]


@given(PIECES, st.text("aaabかc😀", min_size=1, max_size=20), st.floats(0.5, 1), st.booleans())
def test_sure_paths(
    pieces: dict[str, float], text: str, share: float, tokenizers_rules: bool
) -> None:
    scores = scores_of(pieces, TOKENIZERS if tokenizers_rules else SENTENCEPIECE)
    quick = QuickSearch(scores, 0)
    search = search_of(scores)
    path = quick_path(quick, text)
    if not path:
        return
    assert path == path_from(search, text, 0.0, True)
    if quick.level > 0:
        assert path == path_from(search, text, 0.0, False)
    if quick.level > ZERO_LEVEL:
        # The level of a sum in front is a lower one; near to `RESET` no path is taken for sure.
        size = min(2.0 ** (quick.level - 1 - ZERO_LEVEL) * share, RESET - 2000.0)
        for total in (-size, size):
            level = scores.rounding.level(total, 0)
            rounded = scores.rounding.round(total, level)
            if scores.rounding.level(rounded, 0) < quick.level:
                assert path == path_from(search, text, rounded, False)


def test_is_sure_of_most() -> None:
    quick = QuickSearch(scores_of({"a": -3.0, "aa": -4.0, "b": -2.0, "か": -5.0, "かa": -7.5}), 0)
    assert quick_path(quick, "aabかab") == [2, 3, 5, 3]


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ({"a": -1.0, "aa": -2.0}, "aa"),  # equal ways
        ({"a": -1.0, "aa": -2.00001}, "aa"),  # nearly
        ({"a": -1.0}, "aba"),  # an unknown character
        ({"a": -1.0}, "a" * 256),  # too long
        ({"a": -7000.0, "b": -1.0}, "aa"),  # too large
    ],
)
def test_leaves_the_others(pieces: dict[str, float], text: str) -> None:
    assert quick_path(QuickSearch(scores_of(pieces), 0), text) == []


def searches(
    pieces: dict[str, float], rules: int = SENTENCEPIECE
) -> tuple[RoundedSearch, UnigramSearch]:
    """Returns both searches over ``<unk>``, the id 0, and these pieces."""
    scores = scores_of(pieces, rules)
    quick = QuickSearch(scores, 0)
    return RoundedSearch(scores, quick.automaton, 0, quick.longest), search_of(scores)


@pytest.mark.slow
@given(
    CLOSE_PIECES,
    st.text("aaabか", min_size=1, max_size=20),
    st.one_of(st.just(0.0), st.floats(-RESET, RESET, width=32), st.floats(-3, 3, width=32)),
    st.booleans(),
)
def test_the_rounded_search_finds_the_same_path_and_sum(
    pieces: dict[str, float], text: str, before: float, tokenizers_rules: bool
) -> None:
    rounded, search = searches(pieces, TOKENIZERS if tokenizers_rules else SENTENCEPIECE)
    data = padded(text)
    size = len(data) - PADDING
    count = rounded.search(data, 0, size, before)
    if count == 0:
        return
    search.begin(data, 0, size, before)
    search.advance(size, None)
    assert count == search.trace_back()
    assert [rounded.path[index] for index in range(count)] == [
        search.path[index] for index in range(count)
    ]
    assert rounded.sum == search.sum


def test_decides_by_rounding() -> None:
    """The first of two that are equal in front of a large sum, though the second is better by a little."""
    rounded, _ = searches({"a": -1.0, "b": -1.0, "ab": -2.001})
    data = padded("ab")
    assert [rounded.path[index] for index in range(rounded.search(data, 0, 2, 0.0))] == [1, 2]
    assert [rounded.path[index] for index in range(rounded.search(data, 0, 2, -70000.0))] == [3]


@pytest.mark.parametrize(
    ("text", "before"),
    [("ax", 0.0), ("a" * 256, 0.0), ("aa", RESET + 1)],  # unknown, too long, too far
)
def test_the_rounded_search_leaves_the_others(text: str, before: float) -> None:
    rounded, _ = searches({"a": -1.0, "aa": -1.5})
    data = padded(text)
    assert rounded.search(data, 0, len(data) - PADDING, before) == 0
