"""Pre-tokens as long as a text: they are encoded bite by bite, and merged as a whole only up to a bound."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from running import run_through

import tokenarium_core as tc
from tokenarium_core.errors import RoomError
from tokenarium_core.trace import Trace

pytestmark = pytest.mark.compiled

TOKENIZERS = Path(__file__).parents[2] / "resources" / "tokenizers"
BPE, SENTENCEPIECE, UNIGRAM = (
    "tokenarium-8k.json",
    "sentencepiece-bpe-8k.model",
    "unigram-8k.model",
)


def tokenizer(name: str) -> tc.Tokenizer:
    """A tokenizer that comes with the program."""
    return tc.open(TOKENIZERS / name)


def letters(count: int) -> str:
    """Random letters, with no blank between them."""
    return "".join(random.Random(count).choices("abcdefghijklmnopqrstuvwxyzéñ", k=count))


@pytest.mark.slow
@pytest.mark.skipif(not tc.COMPILED, reason="the core is not compiled")
def test_a_giant_word_is_encoded_in_bites() -> None:
    """The ids are those of the word's neighbourhoods: a step never has the whole word, and no id changes."""
    own = tokenizer(BPE)
    word = letters(700_000)
    job = own.encode_job(f"before {word} after")
    steps = 0
    while not job.step(0.0).finished:
        steps += 1
    assert steps > 3
    encoding = job.encoding
    ids, spans = np.asarray(encoding.ids), np.asarray(encoding.spans).reshape(-1, 2)
    assert own.decode(ids.tolist()) == f"before {word} after"
    assert np.array_equal(spans[1:, 0], spans[:-1, 1])
    # The algorithm itself, with no cut: the whole word is merged by one heap.
    trace = Trace()
    whole = own.encode_job(f"before {word} after", trace=trace)
    run_through(whole, 1e9)
    assert np.array_equal(np.asarray(whole.encoding.ids), ids)
    assert own.encode_ids(f"before {word} after") == ids.tolist()


@pytest.mark.parametrize("letter", ["a", "ab"])
def test_a_word_without_a_safe_cut_is_merged_in_steps(letter: str) -> None:
    """The pairs are looked up in steps too; the merges are those of the trace, in their order."""
    own = tokenizer(BPE)
    text = letter * (150_000 // len(letter))
    job = own.encode_job(text)
    steps = 0
    while not job.step(0.0).finished:
        steps += 1
    assert steps > 4
    trace = Trace()
    whole = own.encode_job(text, trace=trace)
    run_through(whole, 1e9)
    assert np.array_equal(np.asarray(whole.encoding.ids), np.asarray(job.encoding.ids))


@pytest.mark.parametrize("name", [BPE, SENTENCEPIECE, UNIGRAM])
def test_a_longer_row_is_refused_where_that_is_asked(name: str) -> None:
    """Before it takes any memory; other texts go on, and the tokenizer works as before."""
    own = tokenizer(name)
    text = "some words " + "a" * 40_000
    plain = own.encode_ids(text)
    job = own.encode_job(text)
    job.refuse_longer(30_000)
    with pytest.raises(RoomError, match=r"40,\d{3} bytes in a row .* 30,000 bytes are allowed"):
        job.step(1e9)
    assert own.encode_ids(text) == plain
    longer = own.encode_job(text)
    longer.refuse_longer(50_000)
    run_through(longer, 1e9)
    assert np.asarray(longer.encoding.ids).tolist() == plain
