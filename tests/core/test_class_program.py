"""Patterns that run without the engine: the same matches as the engine finds, and only the patterns that can be so."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from published_patterns import BLOOM, DEEPSEEK_3, LLAMA3

from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.patterns.class_reader import class_program
from tokenarium_core.patterns.newer_characters import as_seen
from tokenarium_core.patterns.oniguruma import translate
from tokenarium_core.patterns.stretches import Stretches
from tokenarium_core.pretokenizers.by_name import pre_tokenizer
from tokenarium_core.pretokenizers.scanner_cl100k import QWEN2

pytestmark = pytest.mark.core

PUBLISHED = {
    "GPT-2": pre_tokenizer("gpt2").pattern,
    "Llama 3": LLAMA3,
    "Qwen 2": QWEN2,
    "o200k": pre_tokenizer("o200k").pattern,
    "DeepSeek 3": DEEPSEEK_3,
    "DeepSeek 3, numbers": r"\p{N}{1,3}",
    "DeepSeek 3, ideographs": "[一-龥぀-ゟ゠-ヿ]+",
    "DeepSeek, words": r"\s?\p{L}+",
    "DeepSeek, blanks at an end": r"\s+$",
    "BLOOM": BLOOM,
    "CLIP": r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    "XLM-RoBERTa": " {2,}",
}
MADE = {
    "what is taken for a choice's first half": r"a?ab|a+b?c",
    "a group with others in it": r"x(?:a|bc?|(?:d|ef)g)?y",
    "a group of one, repeated": r"(?:a){2,3}b",
    "all or nothing": r"a++b|a{2}|\s?+ ",
    "a look at what follows": r"a+(?=b|\z)|b(?![ab])",
    "letters of any case": r"(?i:'s|ll|ik|t|af)",
    "letters of any case that may be one": "(?i)st|(?:ß|ffi)k|[aß]x",
    "a set in any case": r"(?i:[ab\u00e9]+|[^a-s])",
    "fewer are tried": r"\s*\s*[ab]",
}
OTHERS = [
    "a*",
    "a|b?",
    "(?:a|b)+",
    r"(a)\1",
    "(?<=a)b",
    "a+?",
    r"\ba",
    "(?=a)",
    r"\p{N}{1,3}+",
    "(?i)(?:ss)*",
]


def expected(source: str, text: str) -> list[tuple[int, int]]:
    translated = translate(source)
    return [match.span() for match in regex.finditer(translated, as_seen(text))]


def matches(source: str, text: str) -> list[tuple[int, int]]:
    program = class_program(translate(source))
    assert program is not None
    data = padded(text)
    found = Stretches()
    assert program.find(data, 0, len(data) - PADDING, found)
    bounds = [len(data[:stop].decode()) for stop in [0, *found.stops[: found.count]]]
    assert bounds[-1] == len(text)
    return [
        (bounds[index], bounds[index + 1])
        for index, is_match in enumerate(found.found[: found.count])
        if is_match
    ]


@given(
    name=st.sampled_from([*PUBLISHED, *MADE]),
    text=st.text(
        alphabet="abcdefgikxyſßﬆ'sLlItT1٣²,.(|!_ \n\r\t\u00a0é日の\u0301İK\u17d8", max_size=20
    )
    | st.text(max_size=12),
)
def test_programs_find_what_the_engine_finds(name: str, text: str) -> None:
    source = {**PUBLISHED, **MADE}[name]
    assert matches(source, text) == expected(source, text)


@pytest.mark.parametrize("source", OTHERS)
def test_patterns_that_are_left_to_the_engine(source: str) -> None:
    assert class_program(translate(source)) is None


def test_a_search_that_takes_long_is_left_to_the_engine() -> None:
    data = padded(" " * 2000 + "x")
    program = class_program(translate(r"\s+\s+\s+a"))
    assert program is not None
    assert not program.find(data, 0, len(data) - PADDING, Stretches())
