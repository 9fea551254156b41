"""Texts in parts, joined: equal to what the whole text gives, also where a tokenizer merges its text as one word."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hf_kinds import HARD, SAMPLES, equal, of_kind

import tokenarium_core as tc
from tokenarium.models.text import edited_encoding
from tokenarium.models.text.chunked_encoding import ChunkedEncoding
from tokenarium.models.text.joined_parts import JoinedParts
from tokenarium.models.text.part_encoding import PartBounds, encoded_part, parts_of
from tokenarium.models.text.text_map import TextMap
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

NEVER = 10**9


def joined(tokenizer: tc.Tokenizer, text: TextMap, parts: list[PartBounds]) -> ChunkedEncoding:
    """The encoding that is joined of the parts; AssertionError where they cannot be."""
    made = JoinedParts()
    for bounds in parts:
        data = text.utf8_of(bounds.begin, bounds.read)
        columns, names, edges = encoded_part(tokenizer, data, bounds, NEVER)
        made.append(columns, names, bounds, edges, True)
    return made.encoding(tokenizer, text, object())


def check(tokenizer: tc.Tokenizer, text: str, first: int = 100, size: int = 300) -> int:
    """Compares all columns; returns how many parts there were, or 0 where the window has to encode the text."""
    text_map = TextMap(text)
    parts = parts_of(tokenizer, text_map, first, size)
    try:
        found = joined(tokenizer, text_map, parts)
    except AssertionError:
        return 0
    equal(found.whole, tokenizer.encode_job(text_map.padded).whole())
    return len(parts)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["llama2", "llama2+", "llama2-", "byte_level", "llama3", "inverted", "bert"]
)
def test_random_texts_in_the_smallest_parts(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tokenizers")
    monkeypatch.setattr(edited_encoding, "BLOCKS", (8, 24, 64))
    draw, counts = random.Random(6), []
    for _ in range(500):
        text = "".join(draw.choices(HARD, k=draw.randrange(60))).replace("\ud800", "x")
        if text:
            counts.append(check(of_kind(kind), text, 5, 30))
    assert counts.count(0) < 25
    assert sum(counts) > 1_000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gemma3.model", "gemma3-tokenizer.json", "mistral-v3.model"])
def test_published_files_that_cut_nothing(
    name: str, real: Callable[[str], tc.Tokenizer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edited_encoding, "BLOCKS", (64, 512, 4096))
    text = "".join(SAMPLES[one][:6_000] for one in ("prose-en", "prose-hi", "code-python"))
    text += "<unused7>\n\n▁ <b>bold</b>  \t" * 90 + SAMPLES["prose-ja"]
    assert check(real(name), text) > 30


@cache
def shipped(name: str) -> tc.Tokenizer:
    return tc.open(next(one.path for one in SHIPPED_TOKENIZERS if one.id == name))


@pytest.mark.slow
@pytest.mark.parametrize("sample", sorted(SAMPLES))
def test_every_sample_with_a_tokenizer_that_cuts_nothing(
    sample: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edited_encoding, "BLOCKS", (64, 512, 4096))
    text = SAMPLES[sample].replace("\ud800", "x")
    assert check(shipped("sentencepiece-bpe-8k"), text, size=600) > len(text.encode()) // 1_500


def test_parts_that_do_not_fit_cannot_be_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word that ends with a part has to end for the part after it, too, and no token goes over the place."""
    monkeypatch.setattr(edited_encoding, "BLOCKS", (64, 512, 4096))
    text = TextMap(SAMPLES["prose-en"][:2_000])
    tokenizer = shipped("sentencepiece-bpe-8k")
    made = JoinedParts()
    first, second, *_ = parts_of(tokenizer, text, 100, 600)
    for bounds in (first, second):
        data = text.utf8_of(bounds.begin, bounds.read)
        columns, names, edges = encoded_part(tokenizer, data, bounds, NEVER)
        assert (edges.begins, edges.ends) == (bounds is first, False)
        if bounds is first:
            made.append(columns, names, bounds, edges, True)
            continue
        with pytest.raises(AssertionError, match="cannot be divided"):
            made.append(columns, names, bounds, replace(edges, begins=True), True)
    spans = np.array(tokenizer.encode(text.text).spans).reshape(-1, 2).tolist()
    inside = next(start + 1 for start, end in spans if end > start + 2 and start > 50)
    for bounds in (
        PartBounds(0, 0, inside, inside + 64, False),
        PartBounds(0, inside, len(text.utf8), len(text.utf8), True),
    ):
        with pytest.raises(AssertionError, match="cannot be divided"):
            encoded_part(tokenizer, text.utf8_of(bounds.begin, bounds.read), bounds, NEVER)
