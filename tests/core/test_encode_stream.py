"""Texts that come in parts have the ids that they have as a whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium_core.padded_text import utf8_size

FOLDER = Path(__file__).parents[2] / "resources" / "tokenizers"
TOKENIZERS = {
    path.name: tc.open(path)
    for path in sorted(FOLDER.iterdir())
    if not path.name.endswith(".pattern.json")
}
TOKENIZERS["sentencepiece"] = tc.train(
    "sentencepiece-bpe", ["the lowest of the low, the newest of the new"] * 4, vocab_size=60
)
TOKENIZERS["any pattern"] = tc.train(
    "bpe", ["the low, the lower"] * 4, vocab_size=270, pattern=r"\w+|\W+"
)
WORDS = [
    "the",
    " lowest",
    ", ",
    "\n\n",
    "1234",
    "naïve",
    "e\u0301",
    "東京",
    "'s",
    "  ",
    "👩🏽‍🚀",
    ".",
    "\ud83d",
    "\ude80",
]


def streamed(tokenizer: tc.Tokenizer, parts: list[str], least: int) -> list[int]:
    stream = tc.EncodeStream(tokenizer, least)
    ids = [id for part in parts for id in stream.add(part)]
    ids += stream.finish()
    assert stream.bytes == utf8_size("".join(parts))
    return ids


@pytest.mark.slow
@pytest.mark.parametrize("name", TOKENIZERS)
@given(
    parts=st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map("".join), max_size=12),
    least=st.integers(1, 40),
)
@example(parts=["\ud83d", "\ude80 the", " low"], least=1)
@example(parts=["1234"] * 9, least=2)
def test_parts_have_the_ids_of_the_text(name: str, parts: list[str], least: int) -> None:
    tokenizer = TOKENIZERS[name]
    expected = list(tokenizer.encode_buffer("".join(parts)))
    assert streamed(tokenizer, parts, least) == expected
    assert streamed(tokenizer, [*parts, ""], least) == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", TOKENIZERS)
@given(
    texts=st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map("".join), max_size=6),
    around=st.tuples(*[st.lists(st.integers(0, 9), max_size=2)] * 2),
)
@example(texts=["the lowest " * 4_000, "", "naïve" * 9_000], around=([1], [2, 3]))
def test_many_texts_have_the_ids_of_each(
    name: str, texts: list[str], around: tuple[list[int], list[int]]
) -> None:
    tokenizer = TOKENIZERS[name]
    before, after = around
    found = tokenizer.encode_texts(texts, before, after)
    each = [[*before, *tokenizer.encode_ids(text), *after] for text in texts]
    assert list(found.ids) == [id for ids in each for id in ids]
    assert list(found.lengths) == [len(ids) for ids in each]
    assert found.bytes == sum(utf8_size(text) for text in texts)


def test_a_stream_begins_again_after_its_end() -> None:
    tokenizer = TOKENIZERS["sentencepiece"]
    stream = tc.EncodeStream(tokenizer, 8)
    for text in ("the lowest of the low", "", "the new"):
        ids = [id for word in text.split(" ") for id in stream.add(word + " ")]
        assert ids + list(stream.finish()) == list(tokenizer.encode_buffer(text + " "))


def test_ids_come_before_the_end() -> None:
    """Of a text that can be divided; nothing is kept of it but the last words."""
    tokenizer = TOKENIZERS["tokenarium-8k.json"]
    assert tokenizer.divides
    stream = tc.EncodeStream(tokenizer, 100)
    text = "It was the lowest of the low. " * 20
    ids = list(stream.add(text))
    rest = list(stream.finish())
    assert len(rest) < 10
    assert ids + rest == tokenizer.encode_ids(text)


@pytest.mark.skipif(not tc.COMPILED, reason="the core is not compiled")
@pytest.mark.parametrize("name", ["gemma3.model", "mistral-v3.model", "gemma3-tokenizer.json"])
def test_large_vocabularies(
    name: str, real: Callable[[str], tc.Tokenizer], texts: dict[str, str]
) -> None:
    tokenizer = real(name)
    whole = json.dumps(texts, ensure_ascii=False)[:400_000]
    parts = [whole[at : at + 7_919] for at in range(0, len(whole), 7_919)]
    assert streamed(tokenizer, parts, 20_000) == tokenizer.encode_ids(whole)
