"""Going through a run step by step gives what the run gave, in both directions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from small_vocabularies import of_pieces

import tokenarium_core as tc
from tokenarium.models.merges.playback import Playback, Symbol

TOKENIZER = of_pieces([b"lo", b"low", b" lo", b" low", b"er", b"lower", "é".encode()])


def playback(text: str) -> tuple[Playback, list[int]]:
    """Returns the run of a text, and its ids."""
    trace = tc.Trace()
    encoding = TOKENIZER.encode(text, trace=trace)
    data = text.encode()
    byte_ids = [TOKENIZER.vocabulary.find(bytes([byte])) for byte in range(256)]
    return Playback(trace, len(data), data, byte_ids), list(encoding.ids)


def test_a_word_begins_as_bytes_and_ends_as_its_tokens() -> None:
    run, ids = playback("low")
    assert [symbol.start for symbol in run.symbols()] == [0, 1, 2]
    run.go_to(1)
    assert [(symbol.start, symbol.end) for symbol in run.symbols()] == [(0, 2), (2, 3)]
    run.go_to(99)
    assert [symbol.id for symbol in run.symbols()] == ids
    assert list(run.symbols()) == [Symbol(0, 3, ids[0])]


def test_words_know_their_steps() -> None:
    run, _ = playback("low lower")
    assert [(word.start, word.end) for word in run.words] == [(0, 3), (3, 4), (4, 9)]
    first, _, second = run.words
    assert (first.first, first.last) == (0, 2)
    assert second.last == len(run)
    assert all(step.word == 2 for step in run.steps[second.first :])
    assert run.word_at(0) is first
    assert run.word_at(len(run)) is second


def test_nothing_to_play() -> None:
    run, _ = playback("")
    run.go_to(5)
    assert len(run) == 0
    assert list(run.symbols()) == []
    assert run.word_at(0) is None


@given(st.text("lower é", max_size=20), st.lists(st.integers(0, 30), max_size=8))
def test_every_way_to_a_step_leads_to_the_same_symbols(text: str, ways: list[int]) -> None:
    run, ids = playback(text)
    seen = []
    for position in range(len(run) + 1):
        run.go_to(position)
        seen.append(list(run.symbols()))
        assert b"".join(text.encode()[s.start : s.end] for s in seen[-1]) == text.encode()
    assert [symbol.id for symbol in seen[-1]] == ids
    for position in ways:
        run.go_to(position)
        assert list(run.symbols()) == seen[min(position, len(run))]
