"""The longest-prefix walk: its tries, their states, and that it takes what encoding takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece_models import Piece, message

import tokenarium_core as tc
from tokenarium_core import COMPILED
from tokenarium_core.added_tokens import IN_A_WORD, NOT_ALLOWED, AddedToken, AddedTokens
from tokenarium_core.explaining.prefix_walk import (
    ADDED,
    MODEL,
    NORMALIZED,
    NORMALIZER,
    WORD_TOO_LONG,
    WORD_UNKNOWN,
    WORDS,
    PrefixTrie,
    prefix_tries,
    prefix_walks,
)
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece
from tokenarium_core.formats.vocab_txt_format import read_vocab_txt
from tokenarium_core.prefix_matcher import PrefixMatcher
from tokenarium_core.trace import PIECE, SPECIAL, Trace

LETTERS: list[Piece] = [
    ("<unk>", 0.0, 2),
    ("ab", 0.0, 4),
    ("abcd", 0.0, 4),
    ("▁▁", 0.0, 4),
    *((letter, -20.0, 1) for letter in "▁abcdx"),
    ("xa", -1.0, 1),
]


def small() -> tc.Tokenizer:
    """Returns BPE of SentencePiece with the user-defined pieces ``ab``, ``abcd`` and two spaces."""
    proto = message(LETTERS, 2)
    proto.normalizer_spec.add_dummy_prefix = False
    return read_sentencepiece(proto.SerializeToString(), "test.model", "test")


def trie(*pieces: str) -> PrefixTrie:
    data = [piece.encode() for piece in pieces]
    numbers = list(range(len(data)))
    return PrefixTrie(MODEL, data, numbers, PrefixMatcher(data, numbers))


def real(data: Path, name: str) -> tc.Tokenizer:
    return tc.open(data / "tokenizers" / name)


def test_the_walk_goes_on_until_no_edge_is_left_and_takes_the_last_match() -> None:
    walked = trie("ab", "abcd")
    assert walked.states == 5
    first, second, rest = walked.walk(b"babd")
    assert [(step.byte, step.state) for step in first.steps] == [(98, -1)]
    assert (first.start, first.stop, first.id) == (0, 1, -1)
    assert [(step.state, step.id) for step in second.steps] == [(1, -1), (2, 0), (-1, -1)]
    assert (second.start, second.stop, second.id) == (1, 3, 0)
    assert (rest.start, rest.stop, rest.id) == (3, 4, -1)


def test_edges_lead_to_the_states_of_the_walk() -> None:
    walked = trie("ab", "ax", "b")
    (a, b) = walked.edges(0)
    assert (a.byte, a.id, b.byte, b.id) == (97, -1, 98, 2)
    assert [step.byte for step in walked.edges(a.state)] == [98, 120]
    assert [step.id for step in walked.edges(a.state)] == [0, 1]


def test_states_are_counted_over_bytes_and_over_characters() -> None:
    walked = trie("▁", "▁▁", "é")
    assert (walked.states, walked.character_states) == (1 + 6 + 2, 1 + 2 + 1)


LISTS = st.lists(st.text("ab▁é", min_size=1, max_size=5), min_size=1, max_size=6, unique=True)


@given(pieces=LISTS, text=st.text("ab▁éx", max_size=30))
@settings(deadline=None)
def test_a_walk_takes_what_the_matcher_takes(pieces: list[str], text: str) -> None:
    data = text.encode()
    matcher = PrefixMatcher([one.encode() for one in pieces], list(range(len(pieces))))
    for place in trie(*pieces).walk(data):
        number = matcher.match(data + b"\0" * 16, place.start, len(data))
        assert place.id == number
        if number >= 0:
            assert place.stop - place.start == matcher.length
        read = bytes(step.byte for step in place.steps)
        assert data[place.start :].startswith(read)


def test_a_model_has_the_pieces_with_spaces_and_the_normalizer_as_the_file_spells_them() -> None:
    normalizer, model = prefix_tries(small())
    assert (normalizer.stage, model.stage) == (NORMALIZER, MODEL)
    assert "▁▁".encode() in normalizer.pieces
    assert b"  " in model.pieces
    assert (normalizer.states, model.states) == (1 + 4 + 6, 1 + 4 + 2)


@pytest.mark.slow
@given(text=st.text("abcdx ", max_size=24))
@settings(deadline=None)
def test_the_walk_of_a_model_takes_what_its_trace_takes(text: str) -> None:
    tokenizer = small()
    trace = Trace()
    tokenizer.encode(text, trace=trace)
    taken = [
        (int(trace.positions[event]), int(trace.results[event]))
        for event in range(len(trace))
        if trace.kinds[event] == PIECE
    ]
    walks = prefix_walks(tokenizer, text)
    assert [(one.start, one.id) for one in walks[-1].taken] == taken


def with_added(*tokens: AddedToken) -> tc.Tokenizer:
    made = tc.train("bpe", ["low lower"], vocab_size=260)
    return tc.Tokenizer("added", made.model, made.pre_tokenizer, AddedTokens(list(tokens)))


def test_added_tokens_that_stay_text_say_why() -> None:
    tokenizer = with_added(
        AddedToken("<s>", 256), AddedToken("low", 257, special=False, single_word=True)
    )
    (walk,) = prefix_walks(tokenizer, "<s>lower low", special="none")
    met = [(one.id, one.left) for one in walk.places if one.id >= 0]
    assert met == [(256, NOT_ALLOWED), (257, IN_A_WORD), (257, "")]
    (walk,) = prefix_walks(tokenizer, "<s>lower low")
    assert [one.id for one in walk.taken] == [256, 257]


def test_a_tokenizer_without_such_tokens_has_no_trie() -> None:
    assert prefix_tries(with_added()) == []
    assert prefix_walks(with_added(), "low") == []


TEXT = "<start_of_turn>Hello World! <unused0> 🩵<unused1>    <end_of_turn>\n\n"


@pytest.mark.skipif(not COMPILED, reason="takes long where it is interpreted")
def test_gemma_has_12951_states_as_its_file_spells_the_pieces(data: Path) -> None:
    """``gemma3.model``, over the UTF-8 of its 6,410 user-defined pieces, ``▁`` as three bytes, with the first state."""
    tries = {one.stage: one for one in prefix_tries(real(data, "gemma3.model"))}
    assert len(tries[NORMALIZER].pieces) == 6410
    assert tries[NORMALIZER].states == 12951
    assert tries[MODEL].states == 12889  # a space is one byte
    assert tries[NORMALIZER].character_states == 12889
    (added,) = prefix_tries(real(data, "gemma3-tokenizer.json"))
    assert (added.stage, len(added.pieces), added.states) == (ADDED, 6415, 12977)
    assert added.character_states == 12915


@pytest.mark.skipif(not COMPILED, reason="takes long where it is interpreted")
@pytest.mark.parametrize("name", ["gemma3.model", "gemma3-tokenizer.json", "mistral-v3.model"])
def test_real_walks_take_what_the_traces_take(data: Path, name: str) -> None:
    tokenizer = real(data, name)
    trace = Trace()
    tokenizer.encode(TEXT, special="all", trace=trace)
    taken = [
        int(trace.results[event])
        for event in range(len(trace))
        if trace.kinds[event] in (PIECE, SPECIAL)
    ]
    walks = prefix_walks(tokenizer, TEXT)
    assert sorted(one.id for walk in walks for one in walk.taken) == sorted(taken)


def test_tokens_of_normalized_text_are_looked_for_in_it() -> None:
    made = tc.train("bpe", ["low lower"], vocab_size=260, normalization="nfc")
    tokens = AddedTokens([AddedToken("é", 256, special=False, normalized=True)])
    tokenizer = tc.Tokenizer("added", made.model, made.pre_tokenizer, tokens, made.normalizer)
    (walk,) = prefix_walks(tokenizer, "xe\N{COMBINING ACUTE ACCENT}x")
    assert walk.trie.stage == NORMALIZED
    (found,) = walk.taken
    assert (walk.text.start_of(found.start), walk.text.stop_of(found.stop)) == (1, 4)


WORDPIECE = b"[UNK]\nun\n##aff\n##able\n##a\na\nu\n"


def test_wordpiece_walks_through_its_entries() -> None:
    tokenizer = read_vocab_txt(WORDPIECE, "test")
    (trie,) = [one for one in prefix_tries(tokenizer) if one.stage == WORDS]
    assert trie.character_states == 0
    # The two roots; "[UNK]", "un" (which has "u") and "a"; "aff" (which has "a") and "able" beside it.
    assert trie.states == 2 + 5 + 2 + 1 + 3 + 3
    walk = prefix_walks(tokenizer, "unaffable unx")[-1]
    found = [(one.root, one.id, one.left) for one in walk.places]
    assert found == [
        (0, 1, ""),
        (1, 2, ""),
        (1, 3, ""),
        (0, 1, WORD_UNKNOWN),
        (1, -1, ""),
    ]
    assert [one.id for one in walk.taken] == tokenizer.encode_ids("unaffable")


@pytest.mark.slow
@given(text=st.text("unafble x", max_size=20))
@settings(deadline=None)
def test_the_walk_of_wordpiece_gives_its_ids(text: str) -> None:
    tokenizer = read_vocab_txt(WORDPIECE, "test")
    walk = prefix_walks(tokenizer, text)[-1]
    ids = [one.id for one in walk.places if not (one.id >= 0 and one.left)]
    assert [0 if id < 0 else id for id in ids] == tokenizer.encode_ids(text)


def test_a_word_that_is_too_long_is_not_walked() -> None:
    walk = prefix_walks(read_vocab_txt(WORDPIECE, "test"), "u" * 101)[-1]
    (place,) = walk.places
    assert (place.id, place.left, place.steps) == (-1, WORD_TOO_LONG, [])


def test_edges_have_the_ids_that_end_there() -> None:
    (trie,) = prefix_tries(with_added(AddedToken("<s>", 256), AddedToken("<", 300)))
    (first,) = trie.edges(0)
    assert first.id == 300
