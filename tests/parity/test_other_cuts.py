"""Unstable ends of prompts as tiktoken finds them, and the best cuts of a text as sentencepiece ranks them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import sentencepiece_models
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium_core.explaining.decoded_pieces import DecodedPieces
from tokenarium_core.explaining.prompt_end import unstable_end
from tokenarium_core.explaining.streaming import stream
from tokenarium_core.explaining.ways import ways
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece

PROMPTS = [
    "", "strawberr", "http:", "Hello fanta", "hello world\n\n", "can'", "été", "12", "x = 1\n  ", "안녕하",
    "Hello there. <", "a\u00a0", "naïve 日", "\n", "f(x", "don'", "\U0001f468\u200d", "e\u0301",
]  # fmt: skip


@functools.cache
def both(name: str) -> tuple[tiktoken.Encoding, tc.Tokenizer]:
    """Returns one encoding twice: tiktoken's and ours."""
    return tiktoken.get_encoding(name), tc.open(name)


def check_end(name: str, text: str) -> None:
    reference, tokenizer = both(name)
    end = unstable_end(tokenizer, text)
    stable, completions = reference.encode_with_unstable(text)
    assert end.ids[: end.ruled] == stable, text
    assert end.completions == {tuple(ids) for ids in completions}, text


@pytest.mark.usefixtures("tiktoken_cache")
@pytest.mark.parametrize("name", ["gpt2", "cl100k_base"])
def test_unstable_ends(name: str) -> None:
    for text in PROMPTS:
        check_end(name, text)


@pytest.mark.usefixtures("tiktoken_cache")
@settings(max_examples=12)
@given(st.text("abc é.\n1", min_size=2, max_size=8))
def test_unstable_ends_of_random_texts(text: str) -> None:
    check_end("gpt2", text + "ra")


@pytest.mark.usefixtures("tiktoken_cache")
def test_a_known_prefix() -> None:
    """A published example: str·aw·b·err becomes str·aw·berry."""
    tokenizer = both("cl100k_base")[1]
    end = unstable_end(tokenizer, "strawberr")
    pieces = tokenizer.vocabulary.piece
    assert [pieces(token) for token in end.ids] == [b"str", b"aw", b"b", b"err"]
    ids = tokenizer.encode_ids("strawberry")
    assert [pieces(token) for token in ids] == [b"str", b"aw", b"berry"]
    assert end.changed <= 2


@pytest.mark.usefixtures("tiktoken_cache")
def test_a_known_number_of_ways() -> None:
    """Zheng et al. 2025 (arXiv 2506.19004): the sequences of ids that decode to `` tokenization``."""
    assert ways(both("cl100k_base")[1], " tokenization").count == 1834


@pytest.mark.usefixtures("tiktoken_cache")
def test_streams_are_those_of_tiktoken() -> None:
    reference, tokenizer = both("cl100k_base")
    for text in ("Hello, 歪 안녕하세요 😀", "naïve café", "👩‍👩‍👧"):
        ids = reference.encode_ordinary(text)
        made = stream(tokenizer, ids)
        for count, step in enumerate(made.steps, 1):
            decoded = reference.decode_bytes(ids[:count])
            assert made.text[: step.shown].encode() + step.held == decoded
            assert step.alone == reference.decode([ids[count - 1]])


@pytest.mark.parametrize("kind", ["unigram, plain", "unigram, bytes", "unigram, identity"])
def test_the_best_of_unigram(kind: str) -> None:
    import sentencepiece

    options: dict[str, Any] = dict(sentencepiece_models.MODELS[kind])
    content = sentencepiece_models.trained(**options)
    reference = sentencepiece.SentencePieceProcessor(model_proto=content)
    tokenizer = read_sentencepiece(content, "small.model", "small")
    pieces = DecodedPieces(tokenizer)
    for text in ("The quick brown", "the dog sleeps", "other", "café", "ab"):
        for count in (1, 5, 40):
            try:
                found = ways(tokenizer, text, best=count, pieces=pieces)
            except tc.UnsupportedError:
                continue
            assert [way.ids for way in found.best] == reference.nbest_encode_as_ids(text, count)
            assert found.best[0].ids == found.canonical


def test_the_best_of_gemma_decode_to_the_text(real: Callable[[str], tc.Tokenizer]) -> None:
    tokenizer = real("gemma3.model")
    found = ways(tokenizer, "tokenization 歪", best=50)
    assert found.best[0].ids == found.canonical
    assert {tokenizer.decode(way.ids) for way in found.best} == {"tokenization 歪"}
    assert found.count > 1000
