"""The longest-prefix walk in steps: each reads a byte or takes what was found, and says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece_models import Piece, message

import tokenarium_core as tc
from tokenarium.models.merges.prefix_play import (
    MOST_STRINGS,
    PrefixPlay,
    byte_label,
    own_strings,
    own_tokenizer,
    plays,
    states_text,
)
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.merges.why_finding import alone, finding
from tokenarium.models.text.piece import plain
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece

PIECES: list[Piece] = [
    ("<unk>", 0.0, 2),
    ("ab", 0.0, 4),
    ("abcd", 0.0, 4),
    ("▁▁", 0.0, 4),
    *((letter, -20.0, 1) for letter in "▁abcd"),
]


def small() -> tc.Tokenizer:
    """Returns BPE with the user-defined pieces "ab", "abcd" and two spaces."""
    proto = message(PIECES, 2)
    proto.normalizer_spec.add_dummy_prefix = False
    return read_sentencepiece(proto.SerializeToString(), "test.model", "test")


def play_of(text: str, start: int = 0, end: int | None = None) -> PrefixPlay:
    data = text.encode()
    return plays(small(), data, start, len(data) if end is None else end, "none")[-1]


def test_the_steps_read_byte_by_byte_and_then_take_the_longest() -> None:
    play = play_of("babd")
    assert [play.sentence(position) for position in range(len(play) + 1)] == [
        "3 tokens are looked for at once. The walk begins in state 0, and each byte leads on to another state.",
        "No token begins here, so “b” stays text, and the walk begins again in state 0.",
        "“a” leads from state 0 to state 1.",
        "“b” leads to state 2, where “ab” ends, id 1: the longest match so far.",
        "No edge for “d” leads from state 2. The longest match was “ab”.",
        "“ab”, id 1, is taken whole: no merge sees its inside, and the walk goes on after it.",
        "No token begins here, so “d” stays text, and the walk begins again in state 0."
        " In all, 1 token was taken.",
    ]
    assert [play.moment(position).state for position in range(7)] == [0, 0, 1, 2, -1, 0, 0]
    assert play.moment(len(play)).place is None


def test_the_strings_of_a_user_are_walked_like_added_tokens() -> None:
    data = b"babd abcd"
    (play,) = plays(own_tokenizer(own_strings("abcd  ab abcd")), data, 0, len(data), "none")
    assert (play.trie.pieces, play.trie.ids, play.trie.states) == ([b"abcd", b"ab"], [0, 1], 5)
    assert [(one.start, one.stop, one.id) for one in play.places] == [
        (0, 1, -1), (1, 3, 1), (3, 4, -1), (4, 5, -1), (5, 9, 0),
    ]  # fmt: skip
    assert [step.state for step in play.places[1].steps] == [1, 2, -1]


def test_so_many_strings_of_a_user_are_looked_for() -> None:
    written = " ".join(f"a{n}" for n in range(MOST_STRINGS + 5))
    assert len(own_strings(written)) == MOST_STRINGS
    assert own_strings("  ") == []


def test_only_the_selected_bytes_are_walked_in_their_text() -> None:
    play = play_of("xxabcdxx", 2, 6)
    assert [(one.start, one.stop, one.id) for one in play.places] == [(2, 6, 2)]
    assert play.original(2, 6) == (2, 6)
    assert (play.first, play.last) == (2, 6)


@pytest.mark.slow
@given(st.text("abcd xé", max_size=20))
@settings(deadline=None)
def test_every_moment_is_one_step_after_the_last(text: str) -> None:
    play = play_of(text) if text else None
    if play is None:
        return
    before = play.moment(0)
    for position in range(1, len(play) + 1):
        now = play.moment(position)
        assert now.taken == before.taken + 1 or len(now.read) == len(before.read) + 1
        assert play.sentence(position)
        before = now
    assert before.place is None
    assert before.taken == len(play.places)


def test_states_are_said_with_the_sign_of_the_file() -> None:
    assert states_text(small(), play_of("ab").trie) == (
        "3 tokens · 7 states over bytes · 11 with ▁ as three bytes, as the file spells it"
    )


@pytest.mark.parametrize(("byte", "label"), [(0x61, "a"), (0x20, "␣"), (0xE2, "E2"), (0x0A, "⏎")])
def test_bytes_are_labelled(byte: int, label: str) -> None:
    assert byte_label(byte) == label


def test_a_tokenizer_without_such_tokens_has_no_walk(tmp_path: Path) -> None:
    assert plays(tc.train("bpe", ["low"], vocab_size=258), b"low", 0, 3, "all") == []


@pytest.fixture(scope="module")
def gemma(real: Callable[[str], tc.Tokenizer]) -> tc.Tokenizer:
    return real("gemma3.model")


def test_gemma_takes_its_pieces_before_any_merge(gemma: tc.Tokenizer) -> None:
    text = "<start_of_turn>Hello World! <unused0> 🩵<unused1> - ધ્રુવ".encode()
    play = plays(gemma, text, 0, len(text), "none")[-1]
    parts = [play.data[place.start : place.stop].decode() for place in play.places]
    assert parts == [
        "<start_of_turn>",
        *"Hello World! ",
        "<unused0>",
        *" 🩵",
        "<unused1>",
        *" - ધ્રુવ",
    ]
    assert "12,951 with ▁ as three bytes" in states_text(gemma, play.trie)


def test_gemma_weighs_the_pairs_of_hello(gemma: tc.Tokenizer) -> None:
    run = TraceRun(gemma, b"Hello", 0, 5)
    (symbols,) = run.symbols()
    found = run.candidates(symbols)
    assert [(one.start, one.score) for one in found] == [(0, -1715), (1, -41), (2, -365), (3, -350)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "<unused10>",
            "It is one token, id 16: user-defined, taken before any merge.",
        ),
        (
            "Hello",
            "It is one token, id 9259: merged, with score −8,765, of “H” + “ello”.",
        ),
    ],
)
def test_gemma_says_why_it_is_one_token(gemma: tc.Tokenizer, text: str, sentence: str) -> None:
    assert plain(finding(gemma, alone(text)).sentence) == sentence
