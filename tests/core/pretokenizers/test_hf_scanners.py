"""Scanners that replace splitters: the same words, in slices too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from librt.vecs import vec
from mypy_extensions import i32, u8

from tokenarium_core.normalized_text import unchanged
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.patterns.found_pattern import FoundRegex, FoundString
from tokenarium_core.pretokenizers.character_splitters import (
    Digits,
    FixedLength,
    Punctuation,
    Whitespace,
    WhitespaceSplit,
)
from tokenarium_core.pretokenizers.hf_scanners import scanner_for_oniguruma, scanner_of
from tokenarium_core.pretokenizers.hf_splitters import Split, SplitterSequence, WordSplitter
from tokenarium_core.pretokenizers.pretokenizer import REMOVED, PreTokenizer
from tokenarium_core.pretokenizers.scanner_cl100k import CL100K, LLAMA3, QWEN2
from tokenarium_core.pretokenizers.scanners import pre_tokenizer
from tokenarium_core.pretokenizers.spelling_splitters import ByteLevel, Metaspace

O200K = pre_tokenizer("o200k").pattern
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

SAME: dict[str, WordSplitter] = {
    "Whitespace": Whitespace(),
    "WhitespaceSplit": WhitespaceSplit(),
    "Digits": Digits(),
    "Digits, individual": Digits(True),
    "Punctuation": Punctuation(),
    "Punctuation, Contiguous": Punctuation("Contiguous"),
    "Punctuation, Removed": Punctuation("Removed"),
    "ByteLevel": ByteLevel(False, True),
    "ByteLevel, idle": ByteLevel(False, False),
    "Split llama3, inverted, and ByteLevel": SplitterSequence(
        [Split(FoundRegex(LLAMA3), "Removed", True), ByteLevel(False, False)]
    ),
    **{
        f"Split {name} and ByteLevel": SplitterSequence(
            [Split(FoundRegex(pattern), "Isolated"), ByteLevel(False, False)]
        )
        for name, pattern in (
            ("gpt2", GPT2),
            ("llama3", LLAMA3),
            ("qwen2", QWEN2),
            ("o200k", O200K),
        )
    },
}


def scanned(scanner: PreTokenizer, text: str, room: int) -> list[bytes]:
    data = padded(text)
    stop = len(data) - PADDING
    words: list[bytes] = []
    start = 0
    while start < stop:
        ends, rules = vec[i32]([0] * room), vec[u8]([0] * room)
        count = scanner.cut(data, start, stop, ends, rules)
        assert count > 0
        for index in range(count):
            if rules[index] != REMOVED:
                assert rules[index] < len(scanner.rules)
                words.append(data[start : ends[index]])
            start = ends[index]
    return words


def split(splitter: WordSplitter, text: str) -> list[bytes]:
    data = padded(text)
    result = splitter.split(unchanged(data, len(data) - PADDING, 0))
    starts = [0, *result.ends]
    return [result.text.data[a:b] for a, b in zip(starts, result.ends, strict=False)]


@given(
    name=st.sampled_from(list(SAME)),
    text=st.text(alphabet="ab1٣,.'_ \n\u00a0é日²Ⅷ-sLl", max_size=20) | st.text(max_size=20),
    room=st.sampled_from([1, 2, 64]),
)
def test_scanners_cut_as_their_splitters(name: str, text: str, room: int) -> None:
    scanner = scanner_of(SAME[name])
    assert scanner is not None
    assert scanned(scanner, text, room) == split(SAME[name], text)


@pytest.mark.parametrize(
    "splitter",
    [
        Metaspace(),
        ByteLevel(True, True),
        FixedLength(),
        Punctuation("MergedWithNext"),
        Split(FoundString(" "), "Isolated"),
        Split(FoundRegex(GPT2), "Removed"),
        SplitterSequence([Digits(), Punctuation()]),
    ],
)
def test_splitters_without_a_scanner(splitter: WordSplitter) -> None:
    assert scanner_of(splitter) is None


def test_patterns_that_mean_something_else_in_oniguruma() -> None:
    assert scanner_for_oniguruma(CL100K) is None
    assert scanner_for_oniguruma(LLAMA3) is not None
