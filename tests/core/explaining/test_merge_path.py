"""The merges of a tokenizer with their ids, beside what the files list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hf_models
import pytest

import tokenarium_core as tc
from tokenarium_core.explaining.merge_path import merges

TEXTS = ["The first merge takes the most frequent pair; the next merge takes the next one."] * 3


@pytest.mark.parametrize("make", [hf_models.llama3, hf_models.llama2])
def test_they_are_those_of_the_file(make: Any, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    make(TEXTS).save(str(path))
    model = json.loads(path.read_text(encoding="utf-8"))["model"]
    listed = [pair.split(" ") if isinstance(pair, str) else pair for pair in model["merges"]]
    vocab = model["vocab"]
    expected = [(vocab[left], vocab[right], vocab[left + right]) for left, right in listed]
    assert merges(tc.open(path)) == expected


def test_what_has_no_merges_is_refused() -> None:
    with pytest.raises(tc.ArgumentError, match="has no merges"):
        merges(tc.train("unigram", TEXTS, vocab_size=60))
