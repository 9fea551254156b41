"""Ids with numbers split first, against tokenizers with a Split put before all other pre-tokenizers, and tiktoken."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import hf_models
import pytest
import regex
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from small_vocabularies import of_pieces

import tokenarium_core as tc
from tokenarium.models.text.digit_cuts import DIGIT_RULES, DigitCuts, DigitRule

tokenizers = pytest.importorskip("tokenizers")
pre_tokenizers = tokenizers.pre_tokenizers

NUMBERS = [
    "1234567 and 12,345.67, x12y1234 ٣٤٥٦ Ⅷ½ 2²",
    "  12 345\n6789",
    "1",
    "20250312T000000",
    "▁12▁1234",
]
TEXTS = [text for text in hf_models.SAMPLES if "<" not in text and "[" not in text] + NUMBERS
IDS = [rule.id for rule in DIGIT_RULES]


@functools.cache
def both(name: str, rule: DigitRule, folder: Path) -> tuple[tokenizers.Tokenizer, DigitCuts]:
    """Returns the reference with the rule before its pre-tokenizers, and ours."""
    reference = hf_models.KINDS[name]([*hf_models.CORPUS, *NUMBERS * 3])
    path = folder / f"{name}-digits.json"
    reference.save(str(path))
    split = pre_tokenizers.Split(tokenizers.Regex(rule.pattern), "isolated")
    own = [reference.pre_tokenizer] if reference.pre_tokenizer is not None else []
    reference.pre_tokenizer = pre_tokenizers.Sequence([split, *own])
    return reference, DigitCuts(tc.open(path), rule)


@pytest.mark.parametrize("rule", DIGIT_RULES, ids=IDS)
@pytest.mark.parametrize("name", hf_models.KINDS)
def test_the_ids_are_those_of_a_split_put_first(
    name: str, rule: DigitRule, tmp_path_factory: pytest.TempPathFactory
) -> None:
    reference, cuts = both(name, rule, tmp_path_factory.getbasetemp())
    for text in TEXTS:
        assert cuts.encode_ids(text) == reference.encode(text, add_special_tokens=False).ids, text


@pytest.mark.parametrize("rule", DIGIT_RULES, ids=IDS)
@given(text=st.text("12٣ aé,.▁\n", max_size=12))
def test_random_texts(rule: DigitRule, tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    for name in ("byte_level", "llama2", "bert", "prefixed_bytes", "metaspace_bpe"):
        reference, cuts = both(name, rule, tmp_path_factory.getbasetemp())
        assert cuts.encode_ids(text) == reference.encode(text, add_special_tokens=False).ids


@pytest.mark.usefixtures("tiktoken_cache")
@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
@pytest.mark.parametrize("rule", DIGIT_RULES, ids=IDS)
def test_each_part_has_the_ids_of_tiktoken(name: str, rule: DigitRule) -> None:
    reference, cuts = tiktoken.get_encoding(name), DigitCuts(tc.open(name), rule)
    for text in TEXTS:
        parts = [part for part in regex.split(f"({rule.pattern})", text) if part]
        wanted = [token for part in parts for token in reference.encode_ordinary(part)]
        assert cuts.encode_ids(text) == wanted


def test_an_added_token_with_digits_is_not_split(tmp_path: Path) -> None:
    reference = hf_models.KINDS["byte_level"](["12 of 34"])
    reference.add_tokens(["x12"])
    path = tmp_path / "tokenizer.json"
    reference.save(str(path))
    split = pre_tokenizers.Split(tokenizers.Regex(r"\p{N}"), "isolated")
    reference.pre_tokenizer = pre_tokenizers.Sequence([split, reference.pre_tokenizer])
    cuts = DigitCuts(tc.open(path), DIGIT_RULES[0])
    text = "12x12x1 é34x12"
    ids = reference.encode(text, add_special_tokens=False).ids
    assert cuts.encode_ids(text) == ids
    assert ids.count(reference.token_to_id("x12")) == 2


def test_threes_from_the_right_are_those_of_separators() -> None:
    for digits in range(1, 14):
        number = 10 ** (digits - 1) + 7
        pattern = DIGIT_RULES[1].pattern
        assert regex.findall(pattern, str(number)) == re.findall(r"\d+", f"{number:,}")


def test_a_very_long_number_is_split_without_looking_at_it_again_and_again() -> None:
    threes = of_pieces([b"11", b"111"])
    for digits, first in ((50_000, b"11"), (50_001, b"111"), (50_002, b"1")):
        ids = DigitCuts(threes, DIGIT_RULES[1]).encode_ids("1" * digits)
        pieces = list(map(threes.vocabulary.piece, ids))
        assert pieces == [first, *[b"111"] * ((digits - len(first)) // 3)]
