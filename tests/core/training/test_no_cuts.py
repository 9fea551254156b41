"""The pattern ``none``: nothing is cut before the model, in training, in files and where a tokenizer is opened."""

from __future__ import annotations

from pathlib import Path

import pytest

import tokenarium_core as tc
from tokenarium_core.pretokenizers.scanners import cutting

TEXT = "the cat sat on the mat; " * 4


@pytest.mark.parametrize("algorithm", ["bpe", "picky-bpe", "boundless-bpe", "parity-bpe"])
def test_training_without_cuts_merges_over_spaces(algorithm: str) -> None:
    made = tc.train(algorithm, [TEXT], vocab_size=290, pattern="none")
    ids = made.encode_ids(TEXT)
    assert made.decode(ids) == TEXT
    assert any(b"t " in made.vocabulary.piece(id) for id in ids)


@pytest.mark.parametrize("format", ["tiktoken", "huggingface", "tokenarium"])
def test_its_files_give_the_same_ids(tmp_path: Path, format: str) -> None:
    made = tc.train("bpe", [TEXT], vocab_size=290, pattern="none")
    path = tmp_path / ("a.tiktoken" if format == "tiktoken" else "a.json")
    made.save(path, format=format)
    assert tc.open(path).encode_ids(TEXT) == made.encode_ids(TEXT)
    if format == "tiktoken":
        assert tc.open(path, pattern="none").encode_ids(TEXT) == made.encode_ids(TEXT)


def test_the_name_cuts_nothing() -> None:
    cutter = cutting("none")
    assert cutter.name == "none"
    with pytest.raises(tc.PatternError, match="none, which splits nothing"):
        cutting("nothing")
