"""Canonical forms of patterns: twins have one form, and a form finds what its pattern finds."""

from __future__ import annotations

import re
from random import Random

import pytest
import regex

from tokenarium_core import COMPILED, FormatError
from tokenarium_core.comparing.pattern_forms import (
    canonical_tree,
    characters_of,
    form_of,
    form_of_string,
    parting_alternatives,
    parting_characters,
)
from tokenarium_core.patterns.oniguruma import OnigurumaPattern
from tokenarium_core.patterns.syntax_tree import (
    CHOICE,
    ENDLESS,
    GROUP,
    REPEAT,
    SINGLE,
    PatternNode,
)

TWINS = [
    (r"\p{N}{1,3}", r"\p{N}\p{N}?\p{N}?"),
    (r"\p{N}{1,3}", r"\p{N}{3}|\p{N}{2}|\p{N}"),
    (r"\p{N}{1,3}", r"(?:[\p{N}])(?:\p{N}{0,2})"),
    (r"'s|'t|'re", r"'(?:[st]|re)"),
    (r"'(?i:s|t)", r"(?i:'s|'t)"),
    (r"[sdmt]|ll", r"ll|m|t|s|d"),
    (r"\s++", r"[\s]+"),
    (r"\p{L}++\p{N}", r"\p{L}+\p{N}"),
    (r"(?:a|b|c)+x", r"[abc]+x"),
    (r"(?:a+)+", "a+"),
    (r"aa*", "a+"),
    (r"(a)(b)", "ab"),
    (r"[a-cb]", "[a-c]"),
    (r"\x61", "a"),
]
OTHERS = [
    (r"\p{N}{1,3}", r"\p{N}|\p{N}{2}|\p{N}{3}"),
    (r"\p{N}{1,3}", r"\p{N}{3}|\p{N}"),
    ("ab|a", "a|ab"),
    ("a+a", "a++a"),
    ("a+?", "a+"),
    (r"(?:aa)+", "a+"),
    (r"a(?=b)", "ab"),
    (r"(a)\1", r"(?:a)a"),
    (r"\p{N}", r"\p{Nd}"),
    ("[ab]x|a", "a|[ab]x"),
    ("(?>a|ab)c", "(?:a|ab)c"),
]


@pytest.mark.parametrize(("one", "other"), TWINS)
def test_twins_have_one_form(one: str, other: str) -> None:
    assert form_of(one) == form_of(other)


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_patterns_that_differ_have_two(one: str, other: str) -> None:
    assert form_of(one) != form_of(other)


def test_a_string_is_the_pattern_of_its_characters() -> None:
    assert form_of_string("a.b ") == form_of(r"a\.b ")
    assert form_of_string("aa") == form_of("a{2}")
    assert form_of_string("a.b") != form_of("a.b")


def test_a_pattern_that_cannot_be_read_is_its_own_form() -> None:
    assert form_of("(") == "("
    assert characters_of("(") == parting_characters("(", "a") == ""


def test_the_characters_on_which_classes_differ() -> None:
    assert parting_characters(r"[\p{L}_]+", r"\p{L}+") == "_"
    assert parting_characters("[a-c]x", "[a-f]x") == "df"
    assert parting_characters("a", "a") == ""
    assert characters_of("[a-c]+ ") == "ac "


def test_the_alternatives_that_have_no_twin() -> None:
    assert parting_alternatives(r"\s+|\p{N}{1,3}|a", r"[\s]+|\p{N}{1,2}|a") == (
        r"\p{N}{1,3}|…",
        r"\p{N}{1,2}|…",
    )
    assert parting_alternatives("a|bc|d", "a|bc") == ("d|…", "…")
    assert parting_alternatives("ab|a", "a|ab") == ("ab|a", "a|ab")
    assert parting_alternatives("x", "y") == ("x", "y")


def written(node: PatternNode) -> str:
    """Returns a canonical tree as a pattern of the `regex` module, each part in a group."""
    parts = [written(part) for part in node.parts]
    if node.kind == SINGLE:
        spans = re.findall(r"(\w+)-(\w+)", node.text)
        return "[" + "".join(f"\\U{int(a, 16):08X}-\\U{int(b, 16):08X}" for a, b in spans) + "]"
    if node.kind == GROUP:
        return f"{node.text}{parts[0]})"
    if node.kind == REPEAT:
        most = "" if node.most == ENDLESS else node.most
        return f"(?:{parts[0]}){{{node.least},{most}}}{node.text}"
    if node.kind == CHOICE:
        return f"(?:{'|'.join(parts)})"
    return f"(?:{''.join(parts)})" if parts else node.text


def random_pattern(rng: Random, depth: int) -> str:
    """Returns a pattern of few characters, so that parts are often alike."""
    ways = []
    for _ in range(rng.choice([1, 1, 2, 3, 4])):
        row = ""
        for _ in range(rng.choice([1, 1, 2, 3])):
            if depth and rng.random() < 0.3:
                opening = rng.choice(["(?:", "(?:", "(", "(?>", "(?=", "(?!"])
                part = f"{opening}{random_pattern(rng, depth - 1)})"
            else:
                part = rng.choice(["a", "b", "[ab]", "[^a]", r"\s", "c"])
            if rng.random() < 0.5 and not part.startswith(("(?=", "(?!")):
                part += rng.choice(
                    ["*", "+", "?", "{2}", "{1,2}", "{0,2}", "{2,}", "++", "?+", "*?", "+?"]
                )
            row += part
        ways.append(row)
    return "|".join(ways)


def test_a_form_finds_what_its_pattern_finds() -> None:
    rng = Random(43)
    checked = shorter = 0
    for _ in range(3000 if COMPILED else 200):
        source = random_pattern(rng, 2)
        try:
            original = OnigurumaPattern(source)
            tree = canonical_tree(source)
        except FormatError:
            continue
        one = regex.compile(original.translated)
        other = regex.compile("(?V1)" + written(tree))
        shorter += len(tree.all_parts()) < len(original.tree.all_parts())
        for _ in range(6):
            text = "".join(rng.choice("aaabbbc x") for _ in range(rng.randrange(1, 12)))
            found = [match.span() for match in one.finditer(text)]
            assert [match.span() for match in other.finditer(text)] == found, (source, text)
        checked += 1
    assert checked > (2500 if COMPILED else 150)
    assert shorter > checked / 3
