"""Files of each kind whose stored form is more than a vocabulary: as the file itself, and used the second time."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf_files
import hf_models
import pytest
from sentencepiece_models import LINES, SMALL, message
from sentencepiece_models import trained as trained_model
from small_files import write_file
from tokenizer_facts import facts

import tokenarium_core as tc
from tokenarium_core import tokenizer_cache
from tokenarium_core.formats.gguf.gguf_file import metadata_sha256
from tokenarium_core.formats.opening import cached_digest

pytestmark = pytest.mark.compiled

CORPUS = [*LINES, "low lower lowest slow slower 1234 a, b! unbelievable words and wording " * 20]

FILLING = 300_000
"""Bytes that make a file large enough to be stored."""


def sentencepiece(folder: Path, kind: str, **options: Any) -> Path:
    model = message([], 1)
    model.ParseFromString(trained_model(kind, **options))
    model.trainer_spec.input.append("x" * FILLING)
    return write_file(folder / "t.model", model.SerializeToString())


def tied(folder: Path) -> Path:
    """A model in which several merges share a rank."""
    tie = [(piece, -0.1, 1) for piece in ("ba", "aba", "bab", "abab", "baba", "ababa", "babab")]
    model = message([*SMALL, *tie], 2)
    model.trainer_spec.input.append("x" * FILLING)
    return write_file(folder / "t.model", model.SerializeToString())


def huggingface(folder: Path, kind: str) -> Path:
    made = hf_models.KINDS[kind](CORPUS)
    made.add_special_tokens(["<|added|>"])
    return write_file(folder / "tokenizer.json", made.to_str() + " " * FILLING)


def vocab_txt(folder: Path) -> Path:
    file = json.loads(hf_models.bert(CORPUS).to_str())
    pieces = sorted(file["model"]["vocab"], key=file["model"]["vocab"].__getitem__)
    more = [f"filling{number}" for number in range(FILLING // 10)]
    return write_file(folder / "vocab.txt", "\n".join([*pieces, *more]))


def large(writer: Any) -> None:
    writer.add_string("general.description", "x" * FILLING)


def gguf_of_merges(folder: Path, pre: str) -> Path:
    tokenizer = tc.train(
        "bpe", CORPUS, vocab_size=290, pattern="gpt2", special_tokens=["<|im_end|>", "<|call|>"]
    )
    return gguf_files.of_merges(folder / "t.gguf", tokenizer, pre, large, tensors=True)


def gguf_of_pieces(folder: Path) -> Path:
    def more(writer: Any) -> None:
        large(writer)
        writer.add_add_bos_token(True)

    more_pieces: dict[str, Any] = {"byte_fallback": True, "pieces": ("<mask>", "[URL]")}
    model = write_file(folder / "t.model", trained_model("bpe", size=450, **more_pieces))
    return gguf_files.of_sentencepiece(folder / "t.gguf", model, more)


KINDS: dict[str, Callable[[Path], Path]] = {
    "SentencePiece, Unigram": lambda folder: sentencepiece(folder, "unigram"),
    "SentencePiece, Unigram with bytes": lambda folder: sentencepiece(
        folder, "unigram", byte_fallback=True, size=450
    ),
    "SentencePiece, BPE": lambda folder: sentencepiece(folder, "bpe", pieces=("<mask>", "<masks>")),
    "SentencePiece, merges of one rank": tied,
    "tokenizer.json, Unigram": lambda folder: huggingface(folder, "t5"),
    "tokenizer.json, WordPiece": lambda folder: huggingface(folder, "bert"),
    "tokenizer.json, bytes": lambda folder: huggingface(folder, "llama3"),
    "tokenizer.json, characters": lambda folder: huggingface(folder, "llama2"),
    "vocab.txt": vocab_txt,
    "GGUF, bytes": lambda folder: gguf_of_merges(folder, "gpt-2"),
    "GGUF, whole words": lambda folder: gguf_of_merges(folder, "llama-bpe"),
    "GGUF, pieces": gguf_of_pieces,
}


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the cache, which is empty."""
    folder = tmp_path / "kept"
    monkeypatch.setenv(tokenizer_cache.VARIABLE, str(folder))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_stored_file_is_the_file(kind: str, tmp_path: Path, kept: Path) -> None:
    path = KINDS[kind](tmp_path)
    expected = facts(tc.open(path, cache=False))
    first = tc.open(path)
    (stored,) = kept.iterdir()
    assert stored.name.startswith(cached_digest(path) or "-")
    os.utime(stored, ns=(1, 1))
    inode = stored.stat().st_ino
    again = tc.open(path)
    assert stored.stat().st_ino == inode, "it is made again"
    assert stored.stat().st_mtime_ns > 1, "it is not used"
    for tokenizer in (first, again):
        found = facts(tokenizer)
        for name, value in expected.items():
            assert found[name] == value, name


@pytest.mark.slow
def test_the_tensors_of_a_gguf_file_do_not_count(tmp_path: Path, kept: Path) -> None:
    """A model may have hundreds of gigabytes: only what the tokenizer is made of is hashed."""
    path = gguf_of_merges(tmp_path, "gpt-2")
    digest = metadata_sha256(path)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    write_file(path, content)
    assert metadata_sha256(path) == digest
    content[content.index(b"xxx")] ^= 1
    write_file(path, content)
    assert metadata_sha256(path) != digest
    write_file(path, content[:1000])
    assert metadata_sha256(path) == ""
