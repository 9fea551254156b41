"""The first of the shipped tokenizers: complete, of the size it says, and useful in every language of the samples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tokenarium_core as tc

pytestmark = pytest.mark.core

RESOURCES = Path(__file__).resolve().parents[2] / "resources"
TOKENIZER = tc.open(RESOURCES / "tokenizers" / "tokenarium-8k.json")
SAMPLES = [
    sample["file"]
    for group in json.loads((RESOURCES / "samples.json").read_text("utf-8"))["groups"]
    for sample in group["samples"]
]


def test_it_is_what_its_name_says() -> None:
    assert TOKENIZER.name == "Tokenarium 8k"
    assert len(TOKENIZER.vocabulary) == 8000
    assert TOKENIZER.special_tokens == {"<|endoftext|>": 7999}
    assert TOKENIZER.pre_tokenizer.name == "o200k"


@pytest.mark.parametrize("file", SAMPLES)
def test_it_cuts_every_sample_and_gives_it_back(file: str) -> None:
    text = (RESOURCES / "samples" / file).read_bytes().decode()
    ids = TOKENIZER.encode_ids(text)
    assert TOKENIZER.decode(ids) == text
    least = 1.3 if file.startswith(("hard", "numbers")) else 2
    assert len(text.encode()) / len(ids) > least
