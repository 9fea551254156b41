"""PickyBPE: the same events, entries and tokens as by counting everything again."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from narrowed import of_kind
from plain_picky import Event, PlainPicky, encoded
from running import run_whole

import tokenarium_core as tc
from tokenarium_core.pretokenizers.pretokenizer import cut
from tokenarium_core.pretokenizers.scanners import cutting
from tokenarium_core.training.algorithms import make_trainer
from tokenarium_core.training.picky_trainer import PickyBpeTrainer

PATTERN = r"\S+|\s+"
CHAIN = ["abcd abcd abcd abcde xab", "cd cd q"]


def trained(texts: list[str], vocab_size: int, threshold: float, least: int) -> PickyBpeTrainer:
    return run_whole(
        of_kind(
            make_trainer(
                "picky-bpe",
                texts,
                vocab_size=vocab_size,
                pattern=PATTERN,
                threshold=threshold,
                min_frequency=least,
            ),
            PickyBpeTrainer,
        )
    )


def plain(texts: list[str], vocab_size: int, threshold: float, least: int) -> PlainPicky:
    cutter = cutting(PATTERN)
    words: Counter[bytes] = Counter()
    for text in texts:
        cuts = cut(cutter, text)
        edges = [0, *cuts.ends]
        data = text.encode()
        words.update(data[start:stop] for start, stop in itertools.pairwise(edges))
    found = PlainPicky(dict(words), threshold, least)
    found.train(vocab_size)
    return found


def events_of(trainer: PickyBpeTrainer) -> list[Event]:
    events = trainer.events
    pieces = events.pieces
    return [
        (pieces[token],) if left < 0 else (pieces[left], pieces[right])
        for left, right, token in zip(events.lefts, events.rights, events.tokens, strict=True)
    ]


words = st.text(alphabet="abcd", min_size=1, max_size=9)
texts = st.lists(st.lists(words, min_size=1, max_size=9).map(" ".join), min_size=1, max_size=4)


@pytest.mark.slow
@given(
    texts=texts,
    others=st.lists(st.text(alphabet="abcdx ", max_size=14), max_size=4),
    size=st.integers(256, 290),
    threshold=st.sampled_from([0.0, 0.3, 0.5, 0.7, 0.9, 1.0]),
    least=st.integers(1, 3),
)
@example(texts=CHAIN, others=["abcde"], size=264, threshold=0.7, least=1)
@example(texts=["aaaa aaaaa aaa aa"], others=["aaaaaaa"], size=270, threshold=0.3, least=1)
def test_as_counting_everything_again(
    texts: list[str], others: list[str], size: int, threshold: float, least: int
) -> None:
    ours = trained(texts, size, threshold, least)
    wanted = plain(texts, size, threshold, least)
    assert events_of(ours) == wanted.events
    tokenizer = ours.tokenizer("picky")
    vocabulary = tokenizer.vocabulary
    assert [vocabulary.piece(id) for id in range(len(vocabulary))] == wanted.entries
    sizes = dict(enumerate(zip(ours.token_counts, ours.pair_counts, strict=True), 257))
    assert sizes == {size: wanted.sizes[size] for size in sizes}
    for text in [*texts, *others]:
        for word in text.split():
            ids = tokenizer.encode_ids(word)
            assert [vocabulary.piece(id) for id in ids] == encoded(word.encode(), wanted)
        assert tokenizer.decode(tokenizer.encode_ids(text)) == text


BYTE_LEVEL = json.loads(Path(__file__).with_name("published_byte_picky.json").read_text("utf-8"))
PUBLISHED = json.loads(Path(__file__).with_name("published_picky.json").read_text("utf-8"))


@pytest.mark.parametrize("case", PUBLISHED["cases"])
def test_as_the_authors_code(case: dict[str, Any]) -> None:
    """Their words begin with “▁”, ours with a space; their size counts four special tokens and the characters."""
    text = "".join(f" {word}" for line in case["lines"] for word in line.split())
    trainer = run_whole(
        of_kind(
            make_trainer(
                "picky-bpe",
                [text],
                vocab_size=256 + case["size"] - 4 - len(set(text)),
                pattern=r"\s?\S+",
                threshold=case["threshold"],
                min_frequency=1,
            ),
            PickyBpeTrainer,
        )
    )
    wanted = [[token.replace("▁", " ").encode() for token in event] for event in case["events"]]
    assert [list(event) for event in events_of(trainer)] == wanted
    tokenizer = trainer.tokenizer("picky")
    for word, tokens in case["encoded"].items():
        ids = tokenizer.encode_ids(f" {word}")
        pieces = [tokenizer.vocabulary.piece(id).decode() for id in ids]
        assert pieces == [token.replace("▁", " ") for token in tokens]


@pytest.mark.parametrize("case", BYTE_LEVEL["cases"])
def test_as_another_picky_bpe_on_bytes(case: dict[str, Any]) -> None:
    """See `published_byte_picky` for where the definitions differ, which they do not in these cases."""
    trainer = run_whole(
        of_kind(
            make_trainer(
                "picky-bpe",
                ["".join(f" {word}" * count for word, count in case["words"].items())],
                vocab_size=case["size"],
                pattern=BYTE_LEVEL["pattern"],
                threshold=case["threshold"],
                min_frequency=1,
            ),
            PickyBpeTrainer,
        )
    )
    wanted = [tuple(map(bytes.fromhex, event)) for event in case["events"]]
    assert events_of(trainer)[: len(wanted)] == wanted


def test_the_cases_of_the_authors_have_removals_and_returns() -> None:
    removed = [event for case in PUBLISHED["cases"] for event in case["events"] if len(event) == 1]
    returned = [
        event
        for case in PUBLISHED["cases"]
        for number, event in enumerate(case["events"])
        if ["".join(event)] in case["events"][:number]
    ]
    assert len(removed) > 20
    assert len(returned) > 5


@pytest.mark.slow
@given(texts=texts, size=st.integers(256, 300))
def test_without_removals_it_is_bpe(texts: list[str], size: int) -> None:
    """Each merge of BPE is one of PickyBPE, as long as no two of them make the same bytes."""
    picky = trained(texts, size, 1.0, 1)
    bpe = tc.train("bpe", texts, vocab_size=size, pattern=PATTERN, min_frequency=1)
    made = [bpe.vocabulary.piece(id) for id in range(len(bpe.vocabulary))]
    if len(set(made)) == len(made):
        assert picky.tokenizer("").vocabulary.count == bpe.vocabulary.count
        for text in texts:
            assert picky.tokenizer("").encode_ids(text) == bpe.encode_ids(text)
