"""The law of a trace, for every model and every format: the animation shows what was run.

The ids are those of the references; the other modules of this folder see to that, on the same models.
"""

from __future__ import annotations

import functools
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import hf_models
import pytest
import sentencepiece_models
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from other_files import FILES, subword_codes, tokenizer_of
from small_vocabularies import of_pieces
from tekken_files import tekken
from trace_law import ids_by_law

import tokenarium_core as tc
from tokenarium.models.merges.run import TraceRun
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece
from tokenarium_core.formats.subword_nmt_format import read_codes
from tokenarium_core.formats.tekken_format import read_tekken
from tokenarium_core.formats.vocab_txt_format import read_vocab_txt
from tokenarium_core.training.algorithms import ALGORITHMS

PIECES = [b"th", b"he", b"the", b" the", b"ing", b" w", "é".encode(), b"aa", b"aaaa", b"\n\n"]
"""Pieces of byte-level BPE, some of which merges cannot make, so that they are taken whole."""

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "th", "##e", "##ing", "a", "##a", "नम", "é"]


def of_bytes() -> tc.Tokenizer:
    return of_pieces(PIECES, "cl100k", {"<|endoftext|>": 300})


def of_json() -> tc.Tokenizer:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.json"
        of_bytes().save(path)
        return tc.open(path)


def of_tekken() -> tc.Tokenizer:
    return read_tekken(json.dumps(tekken()).encode(), "tekken.json", "small")


def of_trainer(algorithm: str) -> tc.Tokenizer:
    """Returns what a trainer of ours makes of some lines."""
    lines = [*sentencepiece_models.LINES, *hf_models.CORPUS] * 2
    removing = {"threshold": 0.5} if algorithm == "picky-bpe" else {}
    return tc.train(algorithm, lines, vocab_size=700, **removing)


def of_codes() -> tc.Tokenizer:
    return read_codes(subword_codes(None, True), "x.codes", "codes 0.1")


def of_words() -> tc.Tokenizer:
    return read_vocab_txt("\n".join(WORDS).encode(), "vocab.txt", True)


def of_model(name: str) -> tc.Tokenizer:
    content = sentencepiece_models.trained(**sentencepiece_models.MODELS[name])
    return read_sentencepiece(content, f"{name}.model", name)


def of_huggingface(name: str) -> tc.Tokenizer:
    made = hf_models.KINDS[name](hf_models.CORPUS)
    return read_huggingface(made.to_str().encode(), name)


MADE: dict[str, Callable[[], tc.Tokenizer]] = {
    "byte-level BPE, .tiktoken": of_bytes,
    "byte-level BPE, our JSON": of_json,
    "byte-level BPE, tekken.json": of_tekken,
    "WordPiece, vocab.txt": of_words,
    "codes 0.1 of subword-nmt": of_codes,
    **{
        f"SentencePiece, .model: {name}": functools.partial(of_model, name)
        for name in sentencepiece_models.MODELS
    },
    **{
        f"Hugging Face, tokenizer.json: {name}": functools.partial(of_huggingface, name)
        for name in hf_models.KINDS
    },
    **{f"another format: {name}": functools.partial(tokenizer_of, name) for name in FILES},
    **{f"trained here: {name}": functools.partial(of_trainer, name) for name in ALGORITHMS},
}
"""Small models of each kind, in each form of file, with each option that makes a difference."""

REAL = {
    "byte-level BPE: gpt2": "gpt2",
    "byte-level BPE: r50k_base": "r50k_base",
    "byte-level BPE: cl100k_base": "cl100k_base",
    "byte-level BPE: o200k_base": "o200k_base",
    "byte-level BPE, encoder.json and vocab.bpe": "gpt2/encoder.json",
    "SentencePiece BPE, .model: Gemma 3": "gemma3.model",
    "SentencePiece BPE, .model: Mistral": "mistral-v3.model",
    "SentencePiece BPE, tokenizer.json: Gemma 3": "gemma3-tokenizer.json",
}
"""Published vocabularies, by their names or files."""

SIGNS = [
    " ", "  ", "▁", "\n", "\r\n", "the", " thing", "aaaaa", "é", "e\u0301", "ﬁ", "Ⅷ", "नमस्ते",
    "日本語", "한국어", "مرحبا", "👩\u200d🚀", "\U0001fae9", "☃", "\u200b", "\x00", "<mask>", "<unk>",
    "[UNK]", "<0x41>", "<|endoftext|>", "##ing", "123,456",
]  # fmt: skip
TEXT = st.lists(
    st.one_of(st.text(max_size=6), st.sampled_from(SIGNS), st.text("theod é", max_size=12)),
    max_size=10,
).map("".join)


@functools.cache
def made(name: str) -> tc.Tokenizer:
    return MADE[name]()


@functools.cache
def real(name: str, data: Path) -> tc.Tokenizer:
    path = data / "tokenizers" / name
    return tc.open(path if path.exists() else name)


@pytest.mark.parametrize("name", MADE)
@settings(max_examples=60)
@given(text=TEXT)
def test_any_text(name: str, text: str) -> None:
    tokenizer = made(name)
    for special in ("none", "all"):
        ids_by_law(tokenizer, text, special)


@pytest.mark.parametrize("name", MADE)
@settings(max_examples=20)
@given(text=TEXT)
def test_players_end_with_the_ids(name: str, text: str) -> None:
    """A player follows the trace in steps: to the end, back to the beginning, and again."""
    tokenizer, data = made(name), text.encode()
    run = TraceRun(tokenizer, data, 0, len(data))
    begin = [symbol for word in run.symbols() for symbol in word]
    for _ in range(2):
        run.go_to(len(run))
        ids = [symbol.id for word in run.symbols() for symbol in word]
        assert ids == tokenizer.encode_ids(text)
        run.go_to(0)
        assert [symbol for word in run.symbols() for symbol in word] == begin


@pytest.mark.parametrize("name", MADE)
def test_lines(name: str) -> None:
    tokenizer = made(name)
    for text in ("", *sentencepiece_models.LINES, *hf_models.SAMPLES, "the ☃ " * 3000):
        ids_by_law(tokenizer, text)


@pytest.mark.parametrize("name", MADE)
def test_declarations(name: str, texts: dict[str, str]) -> None:
    tokenizer = made(name)
    for text in texts.values():
        ids_by_law(tokenizer, text[:2000])


@pytest.mark.usefixtures("tiktoken_cache")
@pytest.mark.parametrize("name", REAL)
def test_published(name: str, data: Path, texts: dict[str, str]) -> None:
    tokenizer = real(REAL[name], data)
    for text in texts.values():
        ids_by_law(tokenizer, text)


@pytest.mark.parametrize("name", REAL)
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.data())
def test_published_on_any_text(
    name: str, parts: st.DataObject, data: Path, tiktoken_cache: Path
) -> None:
    ids_by_law(real(REAL[name], data), parts.draw(TEXT))
