"""Patterns of a tokenizer.json, translated for the regex module, against Oniguruma inside of tokenizers."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_patterns import ONIGURUMA, random_text

import tokenarium_core as tc
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.patterns.found_pattern import FoundRegex
from tokenarium_core.unicode.rust_codepoints_data import PROPERTIES

tokenizers = pytest.importorskip("tokenizers")

CHARACTERS = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
BLOCK = 1 << 13  # characters: what the reference keeps of so many stays in the processor's cache

TEXTS = [
    "1234567 aaaa\nbab\r\nß ss ſ s A\u0301 & - | ] [ {a{1 }\n",
    "don't I'LL We'Ve 'S\u017f \u212a k x\u200dy a\u00b2 ½\u00a0\u2028z\x85.\x0b",
    "\n\nab\n",
    "日本語 カタカナ 한글 кот",
    "",
]

PATTERNS = [
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|\p{N}|\s+",
    r"[!-\/:-~]?[A-Za-z]+|\p{N}{1,3}|[一-龥\u3040-ゟ゠-ヿ]+|[^\s]",
    r"\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿ]+|\s?\d+|[[:punct:]]+",
    r"[\p{P}\p{S}]?\p{L}+| ?\p{L}+|(?=(\d{3})+(?!\d))", r"\p{N}{1,3}+", r"a{2}+", r"a{2,3}?",
    r"a{2}?b", r"a{,2}", r"x{,3}", r"a**", r"a*?", r"a*+b", r"(?:a|b)++", r"a{", r"a{1", r"a{,",
    r"{", r"^", r"$", r"\A|\z|\Z", r"\Ab|\n\z|\n\Z", r".", r"(?m:.)", r"(?m)a.b", r"a(?m:.)b.",
    r"\R", r"\N\O", r"\h+|\H", r"\K", r"a\Ka", r"\e|\t|\x41|\x{41}|\u0041|\0|\x0b", r"\b", r"\B",
    r"\b\w+\b", r"[\w]+|[\W]", r"[^\w\s]+", r"[[a-z]&&[^aeiou]]", r"[a-z&&b-z]", r"[^a-z&&b-z]",
    r"[\w&&[^\d]]", r"[a[b]]", r"[]a]", r"[^]]", r"[a||b]", r"[-a]", r"[a-]", r"[a\-z]", r"[\b\n]",
    r"[[:^alpha:]]", r"[^[:space:][:digit:]]", r"\p{^L}", r"\P{^L}",
    r"\p{Latin}|\p{Han}+|\p{Hiragana}", r"\p{InBasicLatin}", r"\p{Letter}|\p{Decimal_Number}",
    r"\p{Punct}", r"\p{Punctuation}", r"(?i)ß", r"(?i)K|ss", r"(?i:s)", r"((?i)S)",
    r"(?-i:a)|(?i-m:A)", r"(?x) a b # comment", r"(?#comment)a", r"(?<a>a)\k<a>", r"(a)\1",
    r"(?<=a+)b", r"(?<![a-z])s", r"(?<!\n)\w+", r"(?>a+)b", r"(?=b)", r"(?:(?=a)|b)",
    r"(?i)\p{Lu}|[[:lower:]]", r"(?i)[^\p{Lu}]|[^k]", r"(?i:ß)", r"(?i)ﬁ|ﬀ|ǰ|ŉ|ΐ|ẞ|İ",
    r"(?i)ss|ffi|st|sss|i\x{307}", r"(?i)[ßx]t|[à-ÿ]|[\p{L}]s", r"(?i)[\p{L}]+|s{1}|ss?",
    r"(?i)(?<=s)a|(?=ss)", "(?x)a\u2028b", r"[^\S\s]|[^\d\D\n]", r"[^\P{L}\p{Lu}]", r"a|b|", r"",
    r"\/\-\.\_\ ",
]  # fmt: skip


def ours(pattern: FoundRegex, text: str) -> str:
    """Returns the text with every match replaced."""
    data = padded(text)
    found = pattern.regions(data, 0, len(data) - PADDING)
    parts = []
    start = 0
    for stop, is_match in zip(found.stops[: found.count], found.found, strict=False):
        parts.append("<>" if is_match else data[start:stop].decode())
        start = stop
    assert start == len(data) - PADDING
    return "".join(parts)


def theirs(pattern: str) -> Any:
    return tokenizers.normalizers.Replace(tokenizers.Regex(pattern), "<>")


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_match_the_same(pattern: str) -> None:
    reference = theirs(pattern)
    for text in TEXTS:
        assert ours(FoundRegex(pattern), text) == reference.normalize_str(text), text


@given(
    pattern=st.sampled_from(PATTERNS),
    text=st.text(alphabet=st.sampled_from("".join(TEXTS) + "ab1 \n'"), max_size=16),
)
@settings(max_examples=600)
def test_patterns_match_the_same_in_any_text(pattern: str, text: str) -> None:
    assert ours(FoundRegex(pattern), text) == theirs(pattern).normalize_str(text)


ONE_CHARACTER = [
    *(r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", r"\h", "."),
    *(r"[\w]", r"[^\w]", r"[\W]", r"[\d]", r"[\s]", r"[^\s\p{L}\p{N}]", r"[^\w\s]"),
    *(rf"\p{{{name}}}" for name in ("L", "M", "N", "P", "S", "Z", "C")),
    *(rf"\p{{{name}}}" for name in ("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd", "Nl", "No")),
    *(rf"\p{{{name}}}" for name in ("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk")),
    *(rf"\p{{{name}}}" for name in ("So", "Zs", "Cc", "Cf", "Cn", "Any", "Alphabetic", "Word")),
    *(rf"\p{{{name}}}" for name in ("Latin", "Greek", "Cyrillic", "Han", "Hiragana", "Katakana")),
    *(rf"\p{{{name}}}" for name in ("Hangul", "Arabic", "Hebrew", "Thai", "Devanagari", "Common")),
    *(rf"\p{{{name}}}" for name in ("Alnum", "Alpha", "Punct", "Upper", "Lower", "Space", "Graph")),
    *(rf"\p{{{name}}}" for name in ("Print", "Emoji", "Uppercase", "Lowercase", "White_Space")),
    *(rf"[[:{name}:]]" for name in ("alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower")),
    *(rf"[[:{name}:]]" for name in ("print", "punct", "space", "upper", "xdigit", "word", "ascii")),
    *(r"(?i:[sdmt]|ll|ve|re)", r"(?i)[a-z]", r"(?i:k)"),
    *(r"[一-龥ࠀ-一가-퟿]", r"[^\u0370-\u03ff\u1ab0-\u1aff]", r"[ʕ-ʯ]", r"[\x{10000}-\x{10FFFF}]"),
    *(r"\x{1AD5}|[\u20C1\u088F]", r"[\x{E000}-\x{3FFFF}&&\P{L}]"),
]


@pytest.mark.parametrize("pattern", ONE_CHARACTER)
def test_every_code_point(pattern: str) -> None:
    text = "".join(CHARACTERS)
    found = FoundRegex(pattern)
    reference = theirs(pattern)
    wrong = []
    for first in range(0, len(text), BLOCK):
        part = text[first : first + BLOCK]
        if ours(found, part) != reference.normalize_str(part):
            wrong += [c for c in part if ours(found, c) != reference.normalize_str(c)]
    assert not wrong


@pytest.mark.parametrize(
    ("pattern", "named"),
    [
        (r"\X", r"\\X"),
        (r"\G", r"\\G"),
        (r"\y", r"\\y"),
        (r"(?~ab)", r"\(\?~"),
        (r"(?P<n>a)", r"\(\?P"),
        (r"(?|a)", r"\(\?\|"),
        (r"\g<1>", r"\\g"),
        (r"(?(1)a|b)", r"\(\?\("),
        (r"a(?i)b", "start of its group"),
        (r"(?i)(a)\1", "in any case"),
        (r"(?i)(?<=ß)a", "in any case"),
        (r"(?i)s(?:s)", "is split"),
        (r"\xC3\xA9", "a byte of a character"),
        (r"[^[^\S\s]a]", "inverted"),
        (r"(?:ab){1}?", r"\{1\}\?"),
        (r"\b*", "repeats nothing"),
        (r"(?:^|a)+", "repeats nothing"),
        ("a" * 100_000, "at most"),
        ("a{" + "9" * 5000 + "}", "too often"),
        (r"(?<n>a)(b)\1", "by number"),
        (r"(a", "not closed"),
        (r"a)", "closes no group"),
        (r"[a", "not closed"),
        (r"[z-a]", "range"),
        (r"[a-\d]", "range"),
        (r"\p{Nonsense}", "compile"),
        (r"\p{IsL}", "IsL"),
        (r"[[:nonsense:]]", "not known"),
        (r"\k<n>", "compile"),
        ("*a", "repeats nothing"),
        ("a\\", "backslash"),
        (r"\x{110000}", "not a character"),
        ("(" * 100 + ")" * 100, "inside each other"),
        ("[" * 100 + "a" + "]" * 100, "inside each other"),
        ("((a{1000}){1000}){1000}", "too many"),
        ("a{100001}", "too often"),
        ("a{3,2}", "minimum above its maximum"),
    ],
)
def test_what_has_no_translation_is_refused_by_name(pattern: str, named: str) -> None:
    with pytest.raises(tc.FormatError, match=named):
        FoundRegex(pattern)


def test_random_patterns_match_the_same() -> None:
    """Both libraries agree which patterns are valid and what they find; ours may refuse one by name."""
    rng = Random(20)
    tried = 0
    for _ in range(300):
        pattern = ONIGURUMA.pattern(rng)
        try:
            found = FoundRegex(pattern, timeout=0.2)
        except tc.FormatError:
            continue
        reference = theirs(pattern)
        for _ in range(3):
            text = random_text(rng, pattern)
            try:
                expected = reference.normalize_str(text)
                cut = ours(found, text)
            except BaseException as error:
                # Both give up on a pattern that would take for ever, in their own way.
                if "retry-limit" not in str(error) and "took more than" not in str(error):
                    raise
                continue
            assert cut == expected, (pattern, text)
            tried += 1
    assert tried > 600


def test_a_pattern_that_takes_too_long_says_so() -> None:
    with pytest.raises(tc.PatternError, match="took more than"):
        ours(FoundRegex(r"(a|aa)+\1c", timeout=0.05), "a" * 5000)


PROPERTY_NAMES = [
    line.partition(":")[0].split() for line in PROPERTIES.strip().split("\n") if line[0] != " "
]
NOT_IN_ONIGURUMA = {"Bidi_Mirrored", "Bidi_M"}
BLOCKS = [
    *("InArmenian", "In_Arabic_Extended_C", "In_CJK_Unified_Ideographs_Extension_C", "In_Gothic"),
    *("InBasicLatin", "In_Supplementary_Private_Use_Area_A", "In_Currency_Symbols"),
]


@pytest.mark.slow
@pytest.mark.parametrize("names", [*PROPERTY_NAMES, *([block] for block in BLOCKS), ["Inherited"]])
def test_a_property_has_the_same_code_points(names: list[str]) -> None:
    """Also those of another version of Unicode than the regex module's: ``\\p{ExtPict}`` has the star U+2605."""
    everything = "".join(CHARACTERS[1:])
    data = padded(everything)
    for name in dict.fromkeys(names):
        if name in NOT_IN_ONIGURUMA:
            continue
        found = FoundRegex(rf"\p{{{name}}}+").regions(data, 0, len(data) - PADDING)
        here = []
        start = 0
        for stop, is_match in zip(found.stops[: found.count], found.found, strict=False):
            if is_match:
                here.append(data[start:stop].decode())
            start = stop
        expression = tokenizers.Regex(rf"\p{{{name}}}")
        marked = tokenizers.normalizers.Replace(expression, "\0").normalize_str(everything)
        expected = [c for c, mark in zip(everything, marked, strict=True) if mark == "\0"]
        assert "".join(here) == "".join(expected), name
