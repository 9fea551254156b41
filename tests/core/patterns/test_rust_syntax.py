"""Patterns in the syntax of tiktoken: what they mean there, and what is refused."""

from __future__ import annotations

from random import Random

import pytest
from random_patterns import FANCY_REGEX, random_text
from tiktoken_cuts import cuts_of_tiktoken

from tokenarium_core.errors import PatternError, TokenariumError
from tokenarium_core.patterns.comparison import other_to_oniguruma, other_to_regex
from tokenarium_core.pretokenizers.pretokenizer import cut
from tokenarium_core.pretokenizers.tiktoken_pattern import tiktoken_cutting, tiktoken_pattern

KIMI = (
    r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""The pattern of Moonshot's Kimi K2 (tokenization_kimi.py)."""

# Each means something else to the regex module, or did not compile there.
PATTERNS = [
    ("[a-z&&[^aeiou]]+|.", "hello"),
    ("[a-z--[aeiou]]+|.", "hello"),
    ("[a-m~~[g-z]]+|.", "hello"),
    ("[[a-f][x-z&&[^y]]]+|.", "abxyz"),
    ("[[:alpha:]]+|(?s:.)", "aéb"),
    ("[[:^alpha:]]+|(?s:.)", "aéb"),
    (r"\h+|\H", "cafe g"),
    (r"\N+|\n", "a\r\nb"),
    (r"\O|a", "a\n"),
    (r"\R|.", "a\r\nb\n\r"),
    ("(?i)[a-z]+|.", "Kı\u017fİK"),
    (r"(?i)\p{Lu}+|.", "aB1ß"),
    (r"(?i)\P{Lu}+|.", "aB1ß"),
    ("(?i)ß|.", "ßẞss"),
    (r"(?i)\é|.", "éÉ"),
    ("(?m)^..|b$|(?s:.)", "ab\ncdb\nb"),
    ("a$|(?s:.)", "a\na"),
    (r"a\Z|(?s:.)", "aa\n\n"),
    (r"(?R)a$|(?s:.)", "a\r\na"),
    (r"(?mR)^a|a$|(?s:.)", "a\r\naa\rab"),
    ("a{2}{3}|.", "aaa{3}aa{3}"),
    ("a{,2}b|.", "aab"),
    ("a{|.", "a{"),
    ("(?U)a+|a+?|.", "aaa"),
    ("a*?+b|.", "aab"),
    ("((?i)a)b|.", "AB"),
    ("(?x) a b # c\n | [ ]|(?s:.)", "ab a"),
    (r"\bab\b|\Bb|(?s:.)", "ab abb"),
    (r"\<a|\b{end}b|\b{start-half}.|(?s:.)", "a ba"),
    (r"[\P{graph}\P{print}]+|(?s:.)", "a \t"),
    (r"\p{^L}+|\pL", "a12"),
    (r"\p{gc!=Lu}+|.", "abC"),
    (r"\p{isGreek}+|.", "aαβ"),
    (r"[]a]+|[^]]", "]a]b"),
    ("[--a]+|.", "-a+"),
    ("[a&&]|.", "a&"),
    (r"(.)\1|.", "aabb"),
    (r"(?<q>a|b)\k<q>|.", "aaabb"),
    (r"(?<=a|bb)c|.", "acbbcbc"),
    (r"(?>a|ab)c|.", "abcac"),
    (r"(?#a|b)\p{Emoji}|.", "a😀1"),
    (KIMI, "Hello, it's KIMI's 你好世界 Straße 12345 \n\n  x\t日本語テキスト!\n"),
]


def pieces_of(pattern: str, text: str) -> list[bytes]:
    data = text.encode()
    ends = list(cut(tiktoken_pattern(pattern), text).ends)
    return [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]


@pytest.mark.parametrize(("pattern", "text"), PATTERNS)
def test_pieces_are_those_of_tiktoken(pattern: str, text: str) -> None:
    assert pieces_of(pattern, text) == cuts_of_tiktoken(pattern, [text])[0]


def test_a_set_operation_keeps_what_both_sides_have() -> None:
    assert pieces_of("[a-z&&[^aeiou]]+|.", "hello") == [b"h", b"e", b"ll", b"o"]


@pytest.mark.slow
def test_random_patterns_cut_as_tiktoken() -> None:
    """A few of what the torture command compares at length."""
    compared = 0
    for seed in range(60):
        chance = Random(seed)
        pattern = FANCY_REGEX.pattern(chance)
        texts = [random_text(chance, pattern) for _ in range(3)]
        try:
            expected = cuts_of_tiktoken(pattern, texts)
            tiktoken_pattern(pattern)
        except (ValueError, TokenariumError):
            continue
        for text, pieces in zip(texts, expected, strict=True):
            if pieces is not None and b"".join(pieces) == text.encode():
                assert pieces_of(pattern, text) == pieces, (pattern, text)
                compared += 1
    assert compared > 80


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"a\Kb|.", r"\K depends"),
        (r"\Ga|.", r"\G depends"),
        ("(?(1)a|b)|.", "a condition"),
        ("(?~ab)|.", "an absent group"),
        (r"(a)\g<1>|.", "a call of a group"),
        ("(?P>a)|.", "a call of a group"),
        ("(*FAIL)|.", "a verb"),
        ("(?:a*)*|.", "may be empty"),
        (r"(?i)(a)\1|.", "in any case"),
        (r"\1(a)|.", "is not closed before it"),
        ("(?-u)a|.", "has no translation"),
        ("(?Q)a|.", "has no translation"),
        (r"\p{scx=Han}|.", "no table of the property 'scx'"),
        (r"\p{age=6.0}|.", "no table of the property 'age'"),
        (r"\p{Nonsense}|.", "is not known"),
        (r"\p{Script=Nonsense}|.", "is not known"),
        (r"\p{L", "not closed"),
        ("[a", "a set is not closed"),
        (r"[\1]", "no references"),
        ("[b-a]", "to a later one"),
        (r"[\w-a]", "begins or ends with a class"),
        ("[<-[bc]]", "before its last bracket"),
        ("a(", "a group is not closed"),
        ("a)", "closes no group"),
        ("*", "repeats nothing"),
        ("(?=a)*", "repeats nothing"),
        ("a{3,2}", "minimum above its maximum"),
        ("a\\", "a backslash ends it"),
        (r"\Q", "has no meaning"),
        (r"\x{110000}", "is not a character"),
        (r"\x4", "has no number"),
        ("(?#a", "a comment is not closed"),
        (r"\b{middle}", "is not a position"),
        ("(?<=a++)b", "looks back"),
        ("(" * 60 + "a" + ")" * 60, "more than 50 groups"),
        ("[" * 60 + "a" + "]" * 60, "more than 50 sets"),
        ("(?:a{999}){999}", "repeats something"),
        ("a" * 20_001, "20,001 characters"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_refused_by_name(pattern: str, reason: str) -> None:
    with pytest.raises(PatternError) as caught:
        tiktoken_pattern(pattern)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("pattern", "text", "position"),
    [
        (r"\w+", "a b", 1),  # tiktoken loses the blank
        (r"(?=b)|\w", "abab", 1),  # tiktoken loses each b: 97 97
        ("a*|b", "ba", 0),  # tiktoken ends with a panic
        ("a*", "aab", 2),
    ],
)
def test_a_text_of_which_tiktoken_loses_a_part_is_refused(
    pattern: str, text: str, position: int
) -> None:
    pieces = cuts_of_tiktoken(pattern, [text])[0]
    assert pieces is None or b"".join(pieces) != text.encode()
    with pytest.raises(PatternError, match="tiktoken would lose") as caught:
        cut(tiktoken_pattern(pattern), text)
    assert caught.value.position == position
    assert f"{text[position]!r}" in str(caught.value)


def test_an_empty_match_at_the_end_is_none() -> None:
    assert pieces_of("a*", "aa") == [b"aa"] == cuts_of_tiktoken("a*", ["aa"])[0]


def test_rules_have_the_names_of_groups() -> None:
    cutter = tiktoken_pattern(r"(?<word>\w+)|(?P<sign>[^\w\s])|\s+")
    assert cutter.rules == ["word", "sign", "alternative 3"]
    found = cut(cutter, "a, b")
    assert [found.names[rule] for rule in found.rules] == ["word", "sign", "alternative 3", "word"]
    assert tiktoken_pattern("[a-z]|[^a-z]{2}").rules == ["alternative 1", "alternative 2"]
    assert tiktoken_pattern("(?s:.)").rules == ["match"]


def test_known_patterns_keep_their_scanners() -> None:
    for name in ("gpt2", "cl100k", "o200k", "llama3", "qwen2", "tekken"):
        scanner = tiktoken_cutting(name)
        assert tiktoken_pattern(scanner.pattern) is scanner
        assert scanner.name == name


def test_many_kinds_of_characters() -> None:
    """More sets than one byte can number."""
    text = "".join(chr(0x4E00 + index) for index in range(300))
    pattern = "|".join(f"{character}b" for character in text) + "|(?s:.)"
    assert len(pieces_of(pattern, f"{text}b{text[:3]}b")) == 299 + 1 + 2 + 1


# The same pattern in another engine.


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        (r"\p{L}+|\P{L}", ""),
        ("(?s).+", ""),
        (r"(?P<word>\w+?)|(?>[^\w]{2,3}+)|[\s\S]", ""),
        (r"\b\w|\W|\B\w", ""),
        ("(?i:'s|'t|'ll)|(?i:Ab)|(?s:.)", ""),
        ("(?i:ki)|(?s:.)", "i"),
        ("[a-z&&[^b]]|(?s:.)", "[a-z&&[^b]]"),
        ("[[:alpha:]]|(?s:.)", "[[:alpha:]]"),
        (r"\h|(?s:.)", r"\h"),
        ("a$|(?s:.)", "$"),
        ("a{2}{3}|(?s:.)", "a{2}{3}"),
        ("a(?i)b|(?s:.)", "(?i)"),
    ],
)
def test_what_the_regex_module_reads_differently(pattern: str, part: str) -> None:
    assert other_to_regex(pattern) == part


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        (r"\p{L}+|\P{L}", ""),
        ("[a-z&&[^b]]+|\\h", ""),
        ("(?i:'s|'t|'ll)|a{1,2}|[^a]", ""),
        (r"\p{N}{1,3}+|\P{N}", r"\p{N}{1,3}+"),
        (r"[\w]+|[^\w]", r"[\w]"),
        ("[[:alpha:]]|[^a]", "[[:alpha:]]"),
        ("a$|[^a]", "$"),
        ("(?i:ss)|[^a]", "ss"),
    ],
)
def test_what_oniguruma_reads_differently(pattern: str, part: str) -> None:
    assert other_to_oniguruma(pattern, pattern) == part
