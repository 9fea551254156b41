"""Patterns as trees; those that run without the engine match as the engine does."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from narrowed import there
from published_patterns import BLOOM, DEEPSEEK_3, LLAMA3

from tokenarium_core.errors import FormatError
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.patterns.class_program import class_program
from tokenarium_core.patterns.found_pattern import FoundRegex
from tokenarium_core.patterns.found_regions import FoundRegions
from tokenarium_core.patterns.oniguruma import OnigurumaPattern
from tokenarium_core.patterns.oniguruma_characters import as_seen
from tokenarium_core.patterns.syntax_tree import (
    CHOICE,
    GROUP,
    OTHER,
    REPEAT,
    SEQUENCE,
    SINGLE,
    PatternNode,
    read_pattern,
)
from tokenarium_core.pretokenizers.scanner_cl100k import QWEN2
from tokenarium_core.pretokenizers.scanners import pre_tokenizer

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
    "characters that may be newlines": r"(?m:a.)b|\N\O",
}
OTHERS = [
    "a*", "a|b?", "(?:a|b)+", r"(a)\1", "(?<=a)b", "a+?", r"\ba", "(?=a)", r"\p{N}{1,3}+",
    "(?i)(?:ss)*",
]  # fmt: skip


def expected(source: str, text: str) -> list[tuple[int, int]]:
    translated = OnigurumaPattern(source).translated
    return [match.span() for match in regex.finditer(translated, as_seen(text))]


def matches(source: str, text: str) -> list[tuple[int, int]]:
    program = there(class_program(OnigurumaPattern(source).tree))
    data = padded(text)
    found = FoundRegions()
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
    assert class_program(OnigurumaPattern(source).tree) is None


def test_a_search_that_takes_long_is_left_to_the_engine() -> None:
    data = padded(" " * 2000 + "x")
    program = there(class_program(OnigurumaPattern(r"\s+\s+\s+a").tree))
    assert not program.find(data, 0, len(data) - PADDING, FoundRegions())


def shape(node: PatternNode) -> str:
    """Returns a tree as text: ``+(a)`` for a repeat, ``(?:(a)`` for a group, ``,(a b)`` and ``|(a b)`` for several parts."""
    if node.kind in (SINGLE, OTHER):
        return node.text
    sign = {SEQUENCE: ",", CHOICE: "|"}.get(node.kind, node.text)
    return f"{sign}({' '.join(shape(part) for part in node.parts)})"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", ",()"),
        ("ab", ",(a b)"),
        ("a|b|", "|(a b ,())"),
        ("a+?b{2,}+", ",(+?(a) {2,}+(b))"),
        ("a{,2}{}", ",({,2}(a) { })"),
        ("[]|)]|[[:^word:]a]", "|([]|)] [[:^word:]a])"),
        (r"\p{Lu}\pL\x41\(\101", r",(\p{Lu} \p L \x41 \( \101)"),
        ("(a|(?:b))?", "?(((|(a (?:(b))))"),
        ("(?P<n>a)(?P=n)(?<m>)(?&n)", ",((?P<n>(a) (?P=n) (?<m>(,()) (?&n))"),
        ("(?i)a(?s-i:.)(?#)|(?#)|(?!b)", "|(,((?i) a (?s-i:(.)) ,() (?!(b))"),
        (r"^\b$\1*", r",(^ \b $ *(\1))"),
        # What does not compile: as much as can be made out.
        ("*a)(b", ",(* a ) ((b))"),
        ("a[b", ",(a [b)"),
        ("a\\", ",(a \\)"),
    ],
)
def test_trees_of_patterns(source: str, expected: str) -> None:
    assert shape(read_pattern(source)) == expected


@given(st.text(alphabet="ab(?:|)[]{}2,*+\\^$#<P>=!i-1", max_size=20))
def test_any_text_has_a_tree_whose_parts_are_in_its_source(source: str) -> None:
    for node in read_pattern(source).all_parts():
        assert node.at <= node.end <= len(source)
        if node.kind in (SINGLE, OTHER):
            assert source[node.at : node.end] == node.text
        elif node.kind == GROUP:
            assert source.startswith(node.text, node.at)
        elif node.kind == REPEAT:
            assert source[: node.end].endswith(node.text)


@pytest.mark.parametrize(
    ("source", "repeats"),
    [("a", 1), ("a{3}", 3), ("(a{3}b{2}){4,}", 12), ("a*{0}", 1), ("(?:a{2}|b{5})+c", 5)],
)
def test_the_most_repeats_of_a_pattern(source: str, repeats: int) -> None:
    assert read_pattern(source).most_repeats() == repeats
    assert OnigurumaPattern(source).tree.most_repeats() == repeats


@pytest.mark.parametrize("digits", ["1000000", "0" * 20 + "1000000", "9" * 5000])
def test_numbers_of_any_length_count(digits: str) -> None:
    assert read_pattern(f"a{{{digits}}}").most_repeats() >= 1_000_000


@pytest.mark.slow
def test_repeats_of_repeats_without_end_have_a_tree() -> None:
    source = "a" + "*" * 15_000
    assert read_pattern(source).written().endswith("*")
    with pytest.raises(FormatError, match="cannot be run here"):
        FoundRegex(source)
