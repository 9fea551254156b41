"""Whole ``tokenizer.json`` files against tokenizers: Gemma 3's, and one of each kind, trained here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hf_models import CORPUS, KINDS, SAMPLES, llama2
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium_core.formats.hf.hf_format import read_huggingface

tokenizers = pytest.importorskip("tokenizers")
AddedToken = tokenizers.AddedToken

TEXT = st.text(
    alphabet=st.sampled_from("abcdehlot THE.,'▁\n  \t0159éñ日本ー\U0001fae9<>[]#|"), max_size=40
) | st.text(max_size=20)


def same(ours: tc.Tokenizer, theirs: Any, text: str) -> None:
    """Checks all that both say of a text."""
    theirs.encode_special_tokens = False
    everything = theirs.encode(text, add_special_tokens=False).ids
    assert list(ours.encode(text, special="all").ids) == everything, text
    with_template = theirs.encode(text).ids
    assert list(ours.encode(text, special="all", template=True).ids) == with_template, text
    theirs.encode_special_tokens = True
    plain = theirs.encode(text, add_special_tokens=False).ids
    assert ours.encode_ids(text) == plain, text
    theirs.encode_special_tokens = False


def same_decoded(ours: tc.Tokenizer, theirs: Any, ids: list[int]) -> None:
    """Checks the text of some ids."""
    assert ours.decode(ids) == theirs.decode(ids), ids


@pytest.fixture(scope="module", params=KINDS)
def pair(request: pytest.FixtureRequest) -> tuple[tc.Tokenizer, Any]:
    """A tokenizer of ours, and the one that it was read from."""
    theirs = KINDS[request.param](CORPUS)
    return read_huggingface(theirs.to_str().encode(), request.param), theirs


def test_samples(pair: tuple[tc.Tokenizer, Any]) -> None:
    ours, theirs = pair
    for text in SAMPLES:
        same(ours, theirs, text)


def test_declarations(pair: tuple[tc.Tokenizer, Any], texts: dict[str, str]) -> None:
    ours, theirs = pair
    for text in texts.values():
        same(ours, theirs, text)


@settings(max_examples=60)
@given(text=TEXT)
def test_any_text(pair: tuple[tc.Tokenizer, Any], text: str) -> None:
    same(*pair, text)


def test_decoding(pair: tuple[tc.Tokenizer, Any]) -> None:
    ours, theirs = pair
    for text in SAMPLES:
        ids = theirs.encode(text).ids
        same_decoded(ours, theirs, ids)
        same_decoded(ours, theirs, ids[::-1])
    size = theirs.get_vocab_size(with_added_tokens=True)
    same_decoded(ours, theirs, list(range(size)))


def test_added_tokens() -> None:
    theirs = llama2(CORPUS)
    theirs.add_tokens(
        [
            AddedToken("hello", single_word=True),
            AddedToken("quick brown", lstrip=True, rstrip=True),
            AddedToken("Dog", normalized=True),
            AddedToken("fox", normalized=False),
            AddedToken("▁the"),
        ]
    )
    theirs.add_special_tokens([AddedToken("<x>", lstrip=True), "<y y>"])
    ours = read_huggingface(theirs.to_str().encode(), "added")
    for text in (
        "hello hellos (hello) Xhello",
        "the quick brown fox; quick brown",
        "Dog dog  Dog",
        "a   <x> b<x><y y>  <x>the the",
        *SAMPLES,
    ):
        same(ours, theirs, text)
        same_decoded(ours, theirs, theirs.encode(text).ids)


@pytest.fixture(scope="module")
def gemma(data: Path) -> tuple[tc.Tokenizer, Any]:
    """Gemma 3 in both libraries."""
    content = (data / "tokenizers" / "gemma3-tokenizer.json").read_bytes()
    return read_huggingface(content, "gemma3"), tokenizers.Tokenizer.from_str(content.decode())


def test_gemma_on_texts(gemma: tuple[tc.Tokenizer, Any], texts: dict[str, str]) -> None:
    for text in texts.values():
        same(*gemma, text)


def test_gemma_on_samples(gemma: tuple[tc.Tokenizer, Any]) -> None:
    ours, theirs = gemma
    for text in SAMPLES:
        same(ours, theirs, text)
        same_decoded(ours, theirs, theirs.encode(text).ids)


@settings(max_examples=200)
@given(text=TEXT)
def test_gemma_on_any_text(gemma: tuple[tc.Tokenizer, Any], text: str) -> None:
    same(*gemma, text)


@pytest.mark.parametrize(
    ("text", "special", "pieces"),
    [
        ("<bos>Heyllo", "none", "< bos > Hey llo"),
        (
            "<start_of_turn>user\nWho are you?<end_of_turn>\n<start_of_turn>model",
            "all",
            "<start_of_turn> user \n Who ▁are ▁you ? <end_of_turn> \n <start_of_turn> model",
        ),
        ("<unused10> blahblahblah", "none", "<unused10> ▁blah blah blah"),
        ("\U0001fae9", "none", "<0xF0> <0x9F> <0xAB> <0xA9>"),
    ],
)
def test_gemma_on_examples(
    gemma: tuple[tc.Tokenizer, Any], text: str, special: str, pieces: str
) -> None:
    ours, _ = gemma
    ids = ours.encode(text, special=special).ids
    assert [ours.vocabulary.surface(token) for token in ids] == pieces.split(" ")


def test_gemma_loses_marks(gemma: tuple[tc.Tokenizer, Any]) -> None:
    ours, _ = gemma
    assert ours.decode(ours.encode_ids("a▁b")) == "a b"
