"""The cuts at every size of a vocabulary: by hand, and against encoders that have the first merges alone."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nested_columns import ids_at, nested
from played_models import wordpiece
from small_vocabularies import LOWER, of_pieces

import tokenarium_core as tc
from tokenarium_core.models.nested_cuts import ALWAYS, merge_levels


@pytest.mark.parametrize(
    ("number", "pieces"),
    [
        (0, [b"l", b"o", b"w", b"e", b"r"]),
        (1, [b"lo", b"w", b"e", b"r"]),
        (2, [b"lo", b"w", b"e", b"r"]),  # ow has no chance
        (3, [b"low", b"e", b"r"]),
        (4, [b"low", b"er"]),
        (5, [b"lower"]),
        (7, [b"lower"]),
    ],
)
def test_the_first_merges(number: int, pieces: list[bytes]) -> None:
    cuts = nested(LOWER, "lower")
    assert [LOWER.vocabulary.piece(token) for token in ids_at(cuts, number)] == pieces


def test_levels_count_merges_from_one() -> None:
    levels = merge_levels(LOWER.model)
    assert len(levels) == 7
    assert levels.base == len(LOWER.vocabulary) - 7 == 256
    assert [LOWER.vocabulary.piece(int(piece)) for piece in levels.pieces][:2] == [b"lo", b"ow"]


def test_a_merge_waits_for_those_of_its_parts() -> None:
    tokenizer = of_pieces([b"xyz", b"yz"])
    cuts = nested(tokenizer, "axyz")
    # The first merge needs what the second one makes, and comes with it.
    assert ids_at(cuts, 1) == [*b"axyz"]
    assert ids_at(cuts, 2) == [ord("a"), 256]


def naive(pieces: list[bytes], word: bytes) -> list[bytes]:
    """Merges as tiktoken defines it: a whole piece as it is, else the lowest rank of two neighbours' bytes."""
    ranks = {piece: index for index, piece in enumerate(pieces)}
    if word in ranks:
        return [word]
    parts = [word[at : at + 1] for at in range(len(word))]
    while True:
        joined = [(ranks.get(a + b, len(pieces)), at) for at, (a, b) in enumerate(pairwise(parts))]
        rank, at = min(joined, default=(len(pieces), 0))
        if rank == len(pieces):
            return parts
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


WORDS = st.lists(st.text("abc", min_size=1, max_size=9), min_size=1, max_size=4)
PIECES = st.lists(st.text("abc", min_size=2, max_size=4), max_size=12, unique=True)


@given(PIECES, WORDS)
@example(["abc", "bc", "ab"], ["abc"])
@example(["abca", "ab"], ["abca", "abcaab"])
@example(["aa"], ["a" * 60])
def test_any_vocabulary(pieces: list[str], words: list[str]) -> None:
    coded = [piece.encode() for piece in pieces]
    tokenizer = of_pieces(coded)
    cuts = nested(tokenizer, " ".join(words))
    text = [part.encode() for word in words for part in (word, " ")][:-1]
    for number in range(len(cuts.merges) + 1):
        # What no merge makes is there from the beginning.
        first = [p for index, p in enumerate(coded) if cuts.merges.of_piece[256 + index] <= number]
        expected = [part for word in text for part in naive(first, word)]
        assert [tokenizer.vocabulary.piece(token) for token in ids_at(cuts, number)] == expected
    assert ids_at(cuts, len(cuts.merges)) == tokenizer.encode_ids(" ".join(words))


def test_in_steps_as_at_once() -> None:
    text = ("lower slow " * 40 + "o" * 5000 + "lo" * 3000 + " ") * 2
    whole, stepped = nested(LOWER, text), nested(LOWER, text, 0.0)
    for name in ("levels", "firsts", "orders", "results"):
        assert list(getattr(whole, name)) == list(getattr(stepped, name))
    assert ids_at(whole, len(whole.merges)) == LOWER.encode_ids(text)
    assert LOWER.nested_cuts("").step(1.0).finished


def test_special_tokens_stay_whole() -> None:
    tokenizer = of_pieces([b"lo"], special_tokens={"<end>": 300})
    cuts = tokenizer.nested_cuts("lo<end>lo", special="all")
    assert cuts.step(1e9).finished
    assert ids_at(cuts, 0) == [*b"lo", 300, *b"lo"]
    assert ids_at(cuts, 1) == [256, 300, 256]
    assert [int(level) for level in cuts.levels[2:7]] == [ALWAYS, -1, -1, -1, -1]


def test_models_that_do_not_merge_say_so() -> None:
    with pytest.raises(tc.UnsupportedError, match="does not merge when it encodes"):
        wordpiece().nested_cuts("a")
