"""The rounded search finds the path and the sum that the search itself finds, from any sum in front."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from librt.vecs import vec

from tokenarium_core.models.unigram.unigram_quick import QuickSearch
from tokenarium_core.models.unigram.unigram_rounded import RoundedSearch
from tokenarium_core.models.unigram.unigram_scores import SENTENCEPIECE, TOKENIZERS, UnigramScores
from tokenarium_core.models.unigram.unigram_search import UnigramSearch
from tokenarium_core.models.unigram.unigram_sum import RESET
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.vocabulary import NORMAL, SPACE_MARK, UNKNOWN, PieceArena, Vocabulary

pytestmark = pytest.mark.core

PIECES = st.dictionaries(
    st.text("abか", min_size=1, max_size=5),
    st.one_of(st.floats(-20, 3, width=32), st.sampled_from([-1.0, -2.0, -2.001, -3.0])),
    min_size=1,
    max_size=14,
)


def searches(
    pieces: dict[str, float], rules: int = SENTENCEPIECE
) -> tuple[RoundedSearch, UnigramSearch]:
    """Returns both searches over ``<unk>``, the id 0, and these pieces."""
    arena = PieceArena(1 + len(pieces))
    arena.add(b"<unk>", UNKNOWN)
    for piece in pieces:
        arena.add(piece.encode(), NORMAL)
    arena.scores = vec[float]([0.0, *pieces.values()])
    scores = UnigramScores(Vocabulary(arena, (NORMAL,), SPACE_MARK), rules)
    quick = QuickSearch(scores, 0)
    return (
        RoundedSearch(scores, quick.automaton, 0, quick.longest),
        UnigramSearch(scores.trie, scores.values, 0, scores.unknown, scores.rounding),
    )


@given(
    PIECES,
    st.text("aaabか", min_size=1, max_size=20),
    st.one_of(st.just(0.0), st.floats(-RESET, RESET, width=32), st.floats(-3, 3, width=32)),
    st.booleans(),
)
def test_same_path_and_sum(
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
def test_leaves_the_others(text: str, before: float) -> None:
    rounded, _ = searches({"a": -1.0, "aa": -1.5})
    data = padded(text)
    assert rounded.search(data, 0, len(data) - PADDING, before) == 0
