"""Texts that are encoded apart, all at once: the ids and places are those of encoding each by itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text import apart
from tokenarium.models.text.apart import TRIED, encoded_apart
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS, ShippedTokenizer

NAMES = ("prose-en", "prose-de", "prose-ja", "code-python")
ODD = [
    "",
    " ",
    "\n",
    "a\nb",
    " a",
    "a ",
    "\r\n",
    "é",
    "👩🏽‍🚀",
    "ﬁ",
    "\u0301x",
    "▁",
    "a b",
    "\ud800",
    "\x00",
]


def assert_apart(tokenizer: tc.Tokenizer, texts: list[str]) -> None:
    found = encoded_apart(tokenizer, texts)
    at = 0
    assert len(found.counts) == len(texts)
    for text, count in zip(texts, found.counts.tolist(), strict=True):
        one = tokenizer.encode(text)
        assert found.ids[at : at + count].tolist() == array_of(one.ids).tolist(), repr(text)
        spans = found.spans[at : at + count].ravel().tolist()
        assert spans == array_of(one.spans).tolist(), repr(text)
        at += count
    assert at == len(found.ids) == len(found.spans)


@pytest.mark.parametrize("shipped", SHIPPED_TOKENIZERS, ids=lambda one: str(one.id))
@pytest.mark.parametrize("lead", ["", " "])
def test_the_tokens_are_those_of_each_text(shipped: ShippedTokenizer, lead: str) -> None:
    tokenizer = tc.open(shipped.path)
    words = [lead + word for name in NAMES for word in sample_text(name).split()[:150]]
    assert_apart(tokenizer, words)
    mixed = [one for place in range(0, len(words), 9) for one in (*words[place : place + 9], ODD[place % len(ODD)])]  # fmt: skip
    assert_apart(tokenizer, mixed)


def test_few_texts_and_none() -> None:
    tokenizer = tc.open(SHIPPED_TOKENIZERS[0].path)
    assert_apart(tokenizer, [])
    assert_apart(tokenizer, ODD)
    assert_apart(tokenizer, ["word"] * (TRIED + 1))


def test_words_are_encoded_together_and_odd_ones_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    alone: list[str] = []
    one_by_one = apart._one_by_one

    def kept(tokenizer: tc.Tokenizer, texts: list[str]) -> apart.ApartTokens:
        alone.extend(texts)
        return one_by_one(tokenizer, texts)

    monkeypatch.setattr(apart, "_one_by_one", kept)
    words = [f"word{number}" for number in range(500)]
    for shipped in SHIPPED_TOKENIZERS:
        encoded_apart(tc.open(shipped.path), words)
        assert alone == [], shipped.id
    alone.clear()
    encoded_apart(tc.open(SHIPPED_TOKENIZERS[0].path), [*words, "\n", *words])
    assert "\n" in alone
    assert len(alone) <= TRIED


@given(st.lists(st.text(max_size=6), min_size=TRIED + 1, max_size=40))
def test_any_texts(texts: list[str]) -> None:
    for shipped in SHIPPED_TOKENIZERS[:3]:
        assert_apart(tc.open(shipped.path), texts)


def test_real_vocabularies(data: Path, real: Callable[[str], tc.Tokenizer]) -> None:
    words = [word for name in NAMES for word in sample_text(name).split()[:400]]
    for name in ("gemma3.model", "mistral-v3.model", "gpt2"):
        assert_apart(real(name), [*words, *ODD, *words])
