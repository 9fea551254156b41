"""Why a string is not one token, on real vocabularies: tables of cases, and that the evidence is in the run."""

from __future__ import annotations

from pathlib import Path

import pytest
from narrowed import there

import tokenarium_core as tc
from tokenarium_core.explaining import verdict as kinds
from tokenarium_core.explaining.why import why_not
from tokenarium_core.trace import MERGE

pytestmark = pytest.mark.compiled

ENCODINGS = ("gpt2", "cl100k_base", "o200k_base")
MODELS = ("gemma3.model", "gemma3-tokenizer.json", "mistral-v3.model")


@pytest.fixture(scope="module")
def opened() -> dict[str, tc.Tokenizer]:
    """The tokenizers that were opened so far."""
    return {}


def tokenizer(opened: dict[str, tc.Tokenizer], data: Path, name: str) -> tc.Tokenizer:
    """Returns a tokenizer, opened once."""
    if name not in opened:
        opened[name] = tc.open(str(data / "tokenizers" / name) if "." in name else name)
    return opened[name]


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("gpt2", "hello", kinds.ONE),
        ("gpt2", "2024", kinds.NOT_THERE),
        ("gpt2", " 2024", kinds.ONE),
        ("gpt2", "don't", kinds.CUT),
        ("gpt2", "<|endoftext|>", kinds.NEVER_TEXT),
        ("cl100k_base", "2024", kinds.CUT),
        ("cl100k_base", "don't", kinds.CUT),
        ("cl100k_base", "Tokenarium", kinds.NOT_THERE),
        ("o200k_base", "don't", kinds.ONE),
        ("o200k_base", "2024", kinds.CUT),
        ("gemma3.model", " YYYY", kinds.OUTRANKED),
        ("gemma3.model", " diffformul", kinds.OUTRANKED),
        ("gemma3.model", "hello", kinds.ONE),
        ("gemma3.model", "<eos>", kinds.NEVER_TEXT),
        ("gemma3.model", "\U0001f469\u200d\U0001f680", kinds.NOT_THERE),
        ("gemma3-tokenizer.json", " YYYY", kinds.OUTRANKED),
        ("mistral-v3.model", "hello", kinds.PREFIXED),
        ("mistral-v3.model", "Hello", kinds.ONE),
        ("mistral-v3.model", "\n", kinds.NOT_THERE),
        ("mistral-v3.model", "<s>", kinds.NEVER_TEXT),
        ("mistral-v3.model", "<0x0A>", kinds.NEVER_TEXT),
    ],
)
def test_first_reason(
    opened: dict[str, tc.Tokenizer],
    data: Path,
    tiktoken_cache: Path,
    name: str,
    text: str,
    kind: str,
) -> None:
    assert why_not(tokenizer(opened, data, name), text).kind == kind


@pytest.mark.parametrize("name", ENCODINGS + MODELS)
def test_words_in_their_place(
    opened: dict[str, tc.Tokenizer],
    data: Path,
    tiktoken_cache: Path,
    texts: dict[str, str],
    name: str,
) -> None:
    """Every part of some words of 34 languages: is it one token exactly where the encoding has one?"""
    encoder = tokenizer(opened, data, name)
    seen = set()
    for text in texts.values():
        word = next(word for word in text.split() if 5 <= len(word.encode()) <= 24)
        size = len(word.encode())
        encoding = encoder.encode(word)
        places = [encoding.span(index) for index in range(len(encoding))]
        for start in range(0, size, 3):
            for stop in range(start + 2, size + 1, 3):
                verdict = why_not(encoder, word, start, stop)
                seen.add(verdict.kind)
                whole = start == 0 and stop == size
                assert verdict.is_one == (len(encoding) == 1 if whole else (start, stop) in places)
                if verdict.kind == kinds.OUTRANKED:
                    merge, needed = there(verdict.merge), there(verdict.needed)
                    assert merge.rank <= needed.rank
                    assert verdict.trace.kinds[verdict.event] == MERGE
                    assert verdict.trace.results[verdict.event] == merge.result
    assert kinds.OUTRANKED in seen
    assert kinds.PARTED not in seen


@pytest.mark.parametrize("word", [" YYYY", " diffformul", " ::::::::"])
def test_both_forms_of_gemma_name_the_same_merges(
    opened: dict[str, tc.Tokenizer], data: Path, word: str
) -> None:
    """One has scores alone, the other lists every way to make a piece."""
    seen = []
    for name in ("gemma3.model", "gemma3-tokenizer.json"):
        verdict = why_not(tokenizer(opened, data, name), word)
        merges = (verdict.merge, verdict.needed, verdict.blocked)
        seen.append([merge and (merge.start, merge.middle, merge.stop) for merge in merges])
    assert seen[0] == seen[1]
