"""BoundlessBPE beside the published code, as data, and beside the plainest form of it, in training and in encoding."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_boundless import Event, PlainTraining, encoded
from running import run_whole
from trace_law import ids_by_law

import tokenarium_core as tc
from tokenarium_core.errors import TokenariumError
from tokenarium_core.formats.boundless_format import read_boundless
from tokenarium_core.formats.registry import files_of
from tokenarium_core.pretokenizers.pretokenizer import cut
from tokenarium_core.pretokenizers.scanners import cutting
from tokenarium_core.training.algorithms import make_trainer
from tokenarium_core.training.boundless_trainer import BoundlessTrainer
from tokenarium_core.training.word_counts import count

PUBLISHED = json.loads(Path(__file__).with_name("published_boundless.json").read_text("utf-8"))[
    "cases"
]
"""Made by `helpers/published_boundless.py`, which names the commit and the command."""

words = st.text("ab'A_é", min_size=1, max_size=7)
vocabularies = st.lists(words, min_size=1, max_size=12, unique=True)


def events_of(trainer: BoundlessTrainer) -> list[Event]:
    """Returns what was learned, in order."""
    events: list[Event] = []
    deletion = 0
    for k in range(trainer.merges_made):
        kind = "supermerge" if trainer.crosses[k] else "merge"
        events.append((kind, trainer.piece(trainer.left[k]), trainer.piece(trainer.right[k])))
        while deletion < len(trainer.deleted) and trainer.deleted_after[deletion] == k:
            events.append(("deletion", trainer.piece(trainer.deleted[deletion])))
            deletion += 1
    return events


def pre_tokens(pattern: str, text: str) -> list[bytes]:
    """Returns the pre-tokens of a text."""
    data = text.encode()
    ends = [0, *cut(cutting(pattern), text).ends]
    return [data[start:end] for start, end in pairwise(ends)]


def trained(case: dict[str, Any]) -> BoundlessTrainer:
    """Returns the finished training of a published case."""
    pattern = cutting(case["regex"])
    return run_whole(
        BoundlessTrainer(
            pattern,
            256 + case["merges"],
            case["corpus"],
            threshold=case["threshold"],
            min_frequency=1,
        )
    )


@pytest.mark.parametrize("case", PUBLISHED, ids=[f"case {n}" for n in range(len(PUBLISHED))])
def test_the_published_code_learns_and_encodes_the_same(case: dict[str, Any]) -> None:
    expected = [(kind, *map(bytes.fromhex, parts)) for kind, *parts in case["events"]]
    trainer = trained(case)
    assert events_of(trainer) == expected
    tokenizer = trainer.tokenizer("trained")
    for text, ids in case["encodings"]:
        assert ids_by_law(tokenizer, text) == ids


@pytest.mark.parametrize("case", PUBLISHED, ids=[f"case {n}" for n in range(len(PUBLISHED))])
def test_the_plain_form_is_the_published_one(case: dict[str, Any]) -> None:
    documents = [pre_tokens(case["regex"], text) for text in case["corpus"]]
    plain = PlainTraining(documents, case["merges"], case["threshold"])
    assert [[event[0], *(part.hex() for part in event[1:])] for event in plain.events] == case[
        "events"
    ]
    pieces = [bytes([byte]) for byte in range(256)]
    pieces += [b"".join(event[1:]) for event in plain.events if event[0] != "deletion"]
    for text, ids in case["encodings"]:
        assert encoded(pre_tokens(case["regex"], text), plain.events) == [pieces[id] for id in ids]


def test_the_published_file() -> None:
    case = PUBLISHED[0]
    saved = case["saved"].encode()
    opened = read_boundless(saved, "saved.model")
    for text, ids in case["encodings"]:
        assert ids_by_law(opened, text) == ids
    trainer = trained(case)
    written = files_of(trainer.tokenizer("trained"), "boundless", "trained")
    assert written == {"trained.model": saved}


@pytest.mark.slow
@given(
    vocabulary=vocabularies,
    texts=st.lists(st.lists(st.integers(0, 11), max_size=30), min_size=1, max_size=6),
    merges=st.integers(1, 90),
    threshold=st.sampled_from([0.55, 0.7, 0.9, 1.0, 1.1]),
    min_frequency=st.integers(1, 3),
    pattern=st.sampled_from(["o200k", "gpt2"]),
    step=st.integers(0, 90),
)
def test_like_the_plain_form(
    vocabulary: list[str],
    texts: list[list[int]],
    merges: int,
    threshold: float,
    min_frequency: int,
    pattern: str,
    step: int,
) -> None:
    corpus = [" ".join(vocabulary[n % len(vocabulary)] for n in text) for text in texts]
    trainer = run_whole(
        BoundlessTrainer(
            cutting(pattern),
            256 + merges,
            corpus,
            threshold=threshold,
            min_frequency=min_frequency,
        )
    )
    plain = PlainTraining(
        [pre_tokens(pattern, text) for text in corpus], merges, threshold, min_frequency
    )
    assert events_of(trainer) == plain.events
    assert list(trainer.pair_counts) == plain.counts
    step = min(step, trainer.merges_made)
    tokenizer = trainer.tokenizer_after(step, "some")
    made = 0
    events: list[Event] = []
    for event in plain.events:
        made += event[0] != "deletion"
        if made > step:
            break
        events.append(event)
    for text in (*corpus, " ".join(corpus), " ".join([vocabulary[0]] * 40)):
        pieces = [tokenizer.vocabulary.piece(id) for id in ids_by_law(tokenizer, text)]
        assert pieces == encoded(pre_tokens(pattern, text), events)


def test_rows_of_words_longer_than_a_slice() -> None:
    corpus = ["so on and on and on and so on and on and so on " * 3]
    tokenizer = tc.train("boundless-bpe", corpus, vocab_size=290, min_frequency=1)
    long = " on and" * 9000 + " so on" * 9000
    pieces = [tokenizer.vocabulary.piece(id) for id in ids_by_law(tokenizer, long)]
    assert b"".join(pieces) == long.encode()
    assert max(piece.count(b" ") for piece in pieces) > 1
    head = " on and" * 50
    assert tokenizer.encode_ids(long)[:9] == tokenizer.encode_ids(head)[:9]


def test_a_long_word() -> None:
    tokenizer = tc.train("boundless-bpe", ["aaaa aaaa aaaa bbbb"], vocab_size=262)
    text = " aaaa" + "a" * 20_000 + " aaaa aaaa"
    assert tokenizer.decode(ids_by_law(tokenizer, text)) == text


def test_nothing_joins_across_a_special_token_or_two_texts() -> None:
    corpus = ["in the<|end|>in the"] * 9 + ["the", "in"] * 9
    trainer = run_whole(
        make_trainer("boundless-bpe", corpus, vocab_size=300, special_tokens=["<|end|>"])
    )
    tokenizer = trainer.tokenizer("t")
    made = {tokenizer.vocabulary.piece(id) for id in range(256, len(tokenizer.vocabulary))}
    assert b"in the" in made
    assert not any(b"the" in piece and piece.endswith(b"in") for piece in made)
    ids = list(tokenizer.encode("in the<|end|>in the", special="all").ids)
    assert [tokenizer.vocabulary.surface(id) for id in ids] == ["in the", "<|end|>", "in the"]


def test_a_deleted_token_keeps_its_id() -> None:
    trainer = run_whole(make_trainer("boundless-bpe", ["abc abc abc abd"] * 5, vocab_size=300))
    assert isinstance(trainer, BoundlessTrainer)
    assert len(trainer.deleted) > 0
    tokenizer = trainer.tokenizer("t")
    deleted = trainer.deleted[0]
    assert tokenizer.vocabulary.piece(deleted) == trainer.piece(deleted)
    assert deleted not in tokenizer.encode_ids("abc abd ab abc")
    assert len(tokenizer.vocabulary) == trainer.piece_count


def test_counts_have_no_order() -> None:
    with pytest.raises(TokenariumError, match="the order of the words"):
        count("boundless-bpe", ["a b"])


def test_a_joining_pattern_of_ones_own() -> None:
    corpus = ["1234 and 1234 and 1234 or 1234"] * 4
    tokenizer = tc.train("boundless-bpe", corpus, vocab_size=290, pattern="gpt2", joining=r" ?\w+$")
    made = {tokenizer.vocabulary.piece(id) for id in range(256, len(tokenizer.vocabulary))}
    assert any(b"1234" in piece and b"and" in piece for piece in made)
    with pytest.raises(TokenariumError, match="does not compile"):
        tc.train("boundless-bpe", corpus, vocab_size=290, joining="(")
