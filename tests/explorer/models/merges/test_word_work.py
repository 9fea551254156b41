"""The queue, the list and the cache of a word, as they are at each step that a player shows."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from librt.vecs import vec
from mypy_extensions import i32
from played_models import bpe, unigram
from small_vocabularies import of_pieces

import tokenarium_core as tc
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.merges.word_work import WordWork
from tokenarium_core import trace as kinds
from tokenarium_core.pretokenizers.pattern import pattern
from tokenarium_core.training.merge_trainer import tokenizer_of_merges

BYTES = of_pieces([b"lo", b"low", b" lo", b" low", b"er", b"lower", b"aa", "é".encode()])
LETTERS = "lower aaé\n日 the dog"

NOTEBOOK = [
    (101, 32), (115, 32), (105, 110), (101, 114), (116, 32), (226, 128), (116, 104), (99, 111), (97, 114), (100, 32),
    (44, 32), (111, 114), (101, 110), (97, 110), (97, 108), (111, 110), (258, 103), (263, 100), (115, 116), (105, 116),
]  # fmt: skip
"""Twenty merges over the bytes of a text, tokens 256 to 275."""


def run_of(tokenizer: tc.Tokenizer, text: str) -> TraceRun:
    return TraceRun(tokenizer, text.encode(), 0, len(text.encode()))


@pytest.mark.parametrize("place", range(3))
@settings(max_examples=40)
@given(text=st.text(LETTERS, min_size=1, max_size=24))
def test_queue_and_list_are_those_of_the_symbols_that_are_shown(place: int, text: str) -> None:
    run = run_of((BYTES, bpe(), bpe(False))[place], text)
    work = WordWork(run)
    for step in range(len(run) + 1):
        run.go_to(step)
        moment = work.moment()
        if moment is None:
            continue
        following = run.next_step
        if following is not None and following.kind == kinds.MERGE:
            waiting = [entry for entry in moment.entries if not entry.stale]
            assert waiting[0].start == following.start
            symbols = run.symbols()[following.word]
            there = {(one.start, one.end) for one in moment.symbols if one.id != -1}
            assert there == {(one.start, one.end) for one in symbols}
            assert {one.start for one in waiting} == {one.start for one in run.candidates(symbols)}
        assert moment.queued <= moment.in_all[0]
        assert moment.scanned <= moment.in_all[1]
        assert sum(one.changed for one in moment.symbols) <= 3
        assert bool(moment.merges) == any(one.changed for one in moment.symbols)


def test_going_back_shows_what_was_there_before() -> None:
    run = run_of(BYTES, "lower lower")
    work = WordWork(run)
    moments = []
    for step in range(len(run) + 1):
        run.go_to(step)
        moments.append(work.moment())
    for step in (len(run), 2, 0, 5, 1):
        run.go_to(step)
        assert work.moment() == moments[step]


def test_twenty_merges_of_a_notebook_by_queue_and_by_scan() -> None:
    lefts, rights = (vec[i32]([pair[n] for pair in NOTEBOOK]) for n in (0, 1))
    tokenizer = tokenizer_of_merges("notebook", pattern(r"(?s).+"), lefts, rights, [])
    ids = [72, 101, 108, 108, 111, 32, 119, 267, 108, 100, 33]
    assert tokenizer.encode_ids("Hello world!") == ids
    assert tokenizer.encode_ids("") == []
    run = run_of(tokenizer, "Hello world!")
    work = WordWork(run)
    run.go_to(len(run))
    moment = work.moment()
    assert moment is not None
    assert [one.id for one in moment.symbols if one.id != -1] == ids
    assert moment.merges == 1
    assert moment.scanned == 11 + 10  # every pair, and every pair again
    assert moment.entries == []


def test_a_word_that_comes_again_is_a_hit() -> None:
    run = run_of(BYTES, "low lower low")
    work = WordWork(run)
    assert [one.outcome for one in work.lookups()] == ["miss", "miss", "miss", "hit", "hit"]
    run.go_to(0)
    assert work.looked_up() == 0
    run.go_to(len(run))
    assert work.looked_up() == 4


def test_what_does_not_merge_has_no_work() -> None:
    work = WordWork(run_of(unigram(), "the dog"))
    assert work.moment() is None
    assert work.lookups() == []
    assert work.looked_up() == -1
    whole = of_pieces([b"abc"], "whitespace")
    assert WordWork(run_of(whole, "abc")).moment() is None
