"""Alternatives of small parts, in every behaviour of Split, beside Oniguruma as tokenizers runs it.

The `regex` module joins alternatives that are one character each, and did so wrongly for those that leave one out.
"""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

import tokenarium_core as tc
from tokenarium_core.normalized_text import unchanged
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.patterns.found_pattern import FoundRegex
from tokenarium_core.pretokenizers.hf_splitters import BEHAVIORS, Split
from tokenarium_core.pretokenizers.pattern import pattern as cutting_pattern
from tokenarium_core.pretokenizers.pretokenizer import cut

tokenizers = pytest.importorskip("tokenizers")

PARTS = [
    *(".", "[^b]", "[^a]", "[^ab]", "[ab]", r"[^\n]", r"[\n[^b]]", r"(?m:.)", "(?i:[^b])", r"\N", r"\O"),
    *(r"\s", r"\S", r"\w", r"\W", r"\p{L}", r"\P{L}", r"\n", r"\R", "a", "b", "ab", "[^a][^b]", "\u0301"),
    *("^", "$", r"\b", r"\B", r"\A", r"\z", r"\Z", r"\K", "", "(?=a)", "(?!a)", "(?=$)", "(?!.)", "(?=[^b])"),
    *("(?<=a)", "(?<!a)", r"(?<=\n)", "(?<=^)", "(?<![^b])", "(?!^)"),
    *("a?", "a*", "a+?", "a??", ".+", r"\s+", r"\s+(?!\S)", "(?:.|[^b])", "(?>a|ab)", r"\X", r"\G"),
]  # fmt: skip
TEXTS = [
    *("", "a", "b", "\n", "ab\ncb\n", "a\r\nb\r\n\r\n", "e\u0301b\n\u0301", "b b  a\n\n", " aab\r"),
    "\u2028b\u0085a 1",
]


def theirs_name(behavior: str) -> str:
    """Returns ``merged_with_next`` for ``MergedWithNext``."""
    return "".join(f"_{one.lower()}" if one.isupper() else one for one in behavior)[1:]


def compared(pattern: str, behavior: str, invert: bool) -> int:
    """Compares the cuts of all texts; returns how many, none where either side refuses the pattern."""
    try:
        expression = tokenizers.Regex(pattern)
    except Exception:
        return 0
    theirs = tokenizers.pre_tokenizers.Split(expression, theirs_name(behavior), invert)
    try:
        ours = Split(FoundRegex(pattern), behavior, invert)
    except tc.TokenariumError:
        return 0
    for text in TEXTS:
        expected = [word for word, _ in theirs.pre_tokenize_str(text) if word]
        data = padded(text)
        split = ours.split(unchanged(data, len(data) - PADDING, 0))
        starts = [0, *split.ends]
        found = [split.text.data[a:b].decode() for a, b in zip(starts, split.ends, strict=False)]
        assert found == expected, f"{pattern!r}, {behavior}, invert {invert}, on {text!r}"
    return len(TEXTS)


@pytest.mark.parametrize("last", ["$", "^", r"\R", r"\b", r"\B", "(?=a)", "a*", "(?<=a)"])
def test_parts_that_each_leave_out_one_character(last: str) -> None:
    for first, second in (".", "[^b]"), ("[^b]", "."), ("[^a]", "[^b]"), (r"\N", "[^[a]]"):
        for behavior, invert in product(BEHAVIORS, [False, True]):
            assert compared(f"{first}|{second}|{last}", behavior, invert)
            compared(f"(?:{last}|{first}|{second})a", behavior, invert)


@pytest.mark.parametrize(
    "pattern", ["[a[^b][^c]]|$", "(?i)[^a]|[^b]|^", "[^b-b]|[^[a]]|$", "[[^]][^-]]|$"]
)
def test_in_sets(pattern: str) -> None:
    for behavior in BEHAVIORS:
        assert compared(pattern, behavior, False)


@pytest.mark.parametrize("seed", range(8))
def test_random_alternatives(seed: int) -> None:
    chance = Random(seed)
    count = 0
    for _ in range(100):
        pattern = "|".join(chance.choices(PARTS, k=chance.randrange(2, 5)))
        shape = chance.random()
        if shape < 0.1:
            pattern = f"(?:{pattern})+"
        elif shape < 0.2:
            pattern = f"(?:{pattern}){chance.choice(PARTS)}"
        count += compared(pattern, chance.choice(BEHAVIORS), chance.random() < 0.4)
    assert count > 600


@pytest.mark.parametrize(
    "pattern",
    [
        "(?:[^a]|[^b])|x",
        "(?:[^a]|[^b])x|.",
        "[^]]|[^b](?=x)|.",
        r"(?i)(?:[^A]|[^\x62])|x",
        "(?V1)[[^a][^b]]|x",
    ],
)
def test_patterns_of_the_module_itself(pattern: str) -> None:
    """Those of tiktoken's files and of trainings, which no translation changes: each finds every character."""
    for text in ("ab", "xaxb", "]b-"):
        assert cut(cutting_pattern(pattern), text).ends[-1] == len(text)
