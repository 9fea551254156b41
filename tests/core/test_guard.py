"""Tokenizers in several threads, and several texts in turns: each gets the same ids as alone."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

import pytest

import tokenarium_core as tc
from tokenarium_core.guard import Guard
from tokenarium_core.pretokenizers.pretokenizer import cut

PATTERN = r"(?<=a)b|(?<=a)c+|\w|\W+"
"""What it cuts depends on what is before, and only an engine can know."""

THREADS = 6


def own() -> tc.Tokenizer:
    return tc.train("bpe", ["abc ab é!"], vocab_size=260, pattern=PATTERN)


def from_file(folder: Path) -> tc.Tokenizer:
    """Returns a tokenizer all of whose stages look for regular expressions."""
    pieces = ["[UNK]", "a", "b", "aa", "xx", " ", "c", "é", "!", "ab", "  "]

    def found(expression: str) -> dict[str, Any]:
        return {"pattern": {"Regex": expression}}

    file = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Replace", **found(r"(?<=c)b+"), "content": "xx"},
        "pre_tokenizer": {
            "type": "Split",
            **found(r"(\w)\1|\s+?"),
            "behavior": "Isolated",
            "invert": False,
        },
        "decoder": {"type": "Replace", **found(r"(a)\1"), "content": "b"},
        "model": {
            "type": "WordLevel",
            "vocab": {piece: number for number, piece in enumerate(pieces)},
            "unk_token": "[UNK]",
        },
    }
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(file), "utf-8")
    return tc.open(path)


def by_job(tokenizer: tc.Tokenizer, text: str) -> list[int]:
    job = tokenizer.encode_job(text)
    while not job.finished:
        job.step(0)
    return list(job.encoding.ids)


def nested(tokenizer: tc.Tokenizer, text: str) -> list[int]:
    try:
        job = tokenizer.nested_cuts(text)
    except tc.UnsupportedError:
        return []
    while not job.finished:
        job.step(0)
    return list(job.levels)


WAYS: dict[str, Callable[[tc.Tokenizer, str], Any]] = {
    "encode_ids": lambda tokenizer, text: tokenizer.encode_ids(text),
    "encode_buffer": lambda tokenizer, text: list(tokenizer.encode_buffer(text)),
    "encode_ids_batch": lambda tokenizer, text: tokenizer.encode_ids_batch([text, text[:9]]),
    "encode": lambda tokenizer, text: list(tokenizer.encode(text, "all").spans),
    "encode_job": by_job,
    "nested_cuts": nested,
    "decode": lambda tokenizer, text: tokenizer.decode([ord(c) % 11 for c in text]),
    "cut": lambda tokenizer, text: list(cut(tokenizer.pre_tokenizer, text).ends),
}


@pytest.fixture
def hurried() -> Iterator[None]:
    """Threads that switch as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("make", ["own", "from a file"])
def test_threads_get_what_one_gets(make: str, tmp_path: Path) -> None:
    rng = Random(22)
    texts = ["".join(rng.choices("aabbc é!", k=rng.randrange(300))) for _ in range(12)]
    # Two of them, since tokenizers may share their stages, and in any case what the core keeps for all.
    tokenizers = [own(), own()] if make == "own" else [from_file(tmp_path), from_file(tmp_path)]
    calls = [(way, text, rng.choice(tokenizers)) for text in texts for way in WAYS]
    expected = [WAYS[way](tokenizer, text) for way, text, tokenizer in calls]

    def run(seed: int) -> list[str]:
        wrong = []
        order = list(range(len(expected)))
        Random(seed).shuffle(order)
        for number in order:
            way, text, tokenizer = calls[number]
            if WAYS[way](tokenizer, text) != expected[number]:
                wrong.append(way)
        return wrong

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(run, range(THREADS))) == [[]] * THREADS


def test_jobs_in_turns_cut_what_each_cuts_alone() -> None:
    """Each goes on where it was, and sees what was before: a slice begins in the middle of a text."""
    tokenizer = own()
    texts = ["ab" * 3000, "acc" * 2000, "b" + "ab" * 2500]
    expected = [tokenizer.encode(text).pre_tokens.ends for text in texts]
    jobs = [tokenizer.encode_job(text) for text in texts]
    while not all(job.finished for job in jobs):
        for job in jobs:
            job.step(0)
            assert tokenizer.encode_ids("ab") == [97, 98]
    assert [list(job.encoding.pre_tokens.ends) for job in jobs] == [list(e) for e in expected]


def test_a_tokenizer_is_as_good_as_before_after_an_error() -> None:
    tokenizer = tc.train("bpe", ["ba!"], vocab_size=256, pattern=r"(?<=b)a|\w+(?=!)|[!b]")
    expected = tokenizer.encode_ids("ba!")
    for _ in range(3):
        with pytest.raises(tc.PatternError, match="matches nothing"):
            tokenizer.encode_ids("ba! ")
        with pytest.raises(IndexError):
            tokenizer.decode([10**30])
        assert tokenizer.encode_ids("ba!") == expected
        assert tokenizer.decode(expected) == "ba!"


@pytest.mark.parametrize("interrupted", [True, False])
def test_a_turn_begins_when_the_other_is_over(interrupted: bool) -> None:
    guard = Guard(interrupted)
    begun, order = Event(), []

    def second() -> None:
        begun.set()
        guard.enter()
        order.append("second")
        guard.leave()

    guard.enter()
    thread = Thread(target=second)
    thread.start()
    begun.wait()
    order.append("first")
    guard.leave()
    thread.join()
    assert order == ["first", "second"]


def test_a_turn_inside_of_a_turn_is_refused() -> None:
    guard = Guard(True)
    guard.enter()
    with pytest.raises(tc.TokenariumError, match="still working"):
        guard.enter()
    guard.leave()
    guard.enter()
    guard.leave()
