"""The code-point table against both engines it was made from, over every code point."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version

import fontTools.unicodedata
import pytest
import regex
import tiktoken

from tokenarium_core.unicode import codepoints
from tokenarium_core.unicode.codepoints import (
    CATEGORIES,
    CATEGORY_TABLE,
    CODE_POINTS,
    FLAGS,
    SCRIPT_TABLE,
    SCRIPTS,
    category_of,
    script_name,
    script_of,
)
from tokenarium_core.unicode.codepoints_data import OTHER_IN_REGEX, REGEX_VERSION, TIKTOKEN_VERSION
from tokenarium_core.unicode.scripts_data import FONTTOOLS_VERSION

SURROGATES = range(0xD800, 0xE000)
EVERYTHING = "".join(chr(c) for c in range(CODE_POINTS) if c not in SURROGATES)
UNASSIGNED = CATEGORIES.index("Cn")

CLASSES = {
    r"\p{L}": codepoints.LETTER,
    r"\p{N}": codepoints.NUMBER,
    r"\s": codepoints.SPACE,
    r"\p{M}": codepoints.MARK,
    r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]": codepoints.UPPER,
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]": codepoints.LOWER,
    r"[\r\n]": codepoints.NEWLINE,
    r"\p{P}": codepoints.PUNCTUATION,
}


def in_regex(pattern: str) -> str:
    """Returns all characters that a pattern matches in the `regex` module."""
    return "".join(regex.findall(pattern, EVERYTHING))


def in_tiktoken(pattern: str) -> str:
    """Returns all characters that a pattern matches in tiktoken: unmatched text gives no ids."""
    ranks = {bytes([b]): b for b in range(256)}
    encoding = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return encoding.decode_bytes(encoding.encode_ordinary(EVERYTHING)).decode()


def categories(matching: Callable[[str], str]) -> bytearray:
    """Returns the index of every code point's general category, as an engine sees it."""
    table = bytearray(b"\xff" * CODE_POINTS)
    table[SURROGATES.start : SURROGATES.stop] = bytes([CATEGORIES.index("Cs")]) * len(SURROGATES)
    for index, category in enumerate(CATEGORIES):
        for character in matching(rf"\p{{{category}}}"):
            table[ord(character)] = index
    return table


def recorded_differences() -> dict[int, str]:
    """Returns the category in `regex`, by code point, where it is not the table's."""
    different = {}
    for item in OTHER_IN_REGEX.split():
        span, _, category = item.partition("=")
        first, _, last = span.partition("-")
        for code_point in range(int(first, 16), int(last or first, 16) + 1):
            different[code_point] = category
    return different


def assert_nearly_equal(theirs: bytearray, apart_from: dict[int, str]) -> None:
    """Asserts that an engine with another version of Unicode agrees on what both have assigned.

    Each new Unicode gives another category to a handful of old characters; this allows for that.
    """
    changed = [
        code_point
        for code_point in range(CODE_POINTS)
        if theirs[code_point] != CATEGORY_TABLE[code_point]
        and UNASSIGNED not in (theirs[code_point], CATEGORY_TABLE[code_point])
        and code_point not in apart_from
    ]
    assert len(changed) < 64


@pytest.mark.slow
def test_table_is_regex_but_for_the_recorded_differences() -> None:
    theirs = categories(in_regex)
    different = recorded_differences()
    if regex.__version__ != REGEX_VERSION:
        assert_nearly_equal(theirs, apart_from=different)
        return
    expected = bytearray(CATEGORY_TABLE)
    for code_point, category in different.items():
        assert category_of(code_point) != category
        expected[code_point] = CATEGORIES.index(category)
    assert theirs == expected


@pytest.mark.slow
def test_table_is_tiktoken() -> None:
    theirs = categories(in_tiktoken)
    if tiktoken.__version__ != TIKTOKEN_VERSION:
        assert_nearly_equal(theirs, apart_from={})
        return
    assert theirs == CATEGORY_TABLE


@pytest.mark.slow
@pytest.mark.parametrize("pattern", CLASSES)
def test_flag_is_the_class_in_tiktoken(pattern: str) -> None:
    flag = CLASSES[pattern]
    ours = [c for c in range(CODE_POINTS) if FLAGS[c] & flag]
    theirs = [ord(character) for character in in_tiktoken(pattern)]
    if tiktoken.__version__ != TIKTOKEN_VERSION:
        ours = [c for c in ours if c < 0x250]
        theirs = [c for c in theirs if c < 0x250]
    assert ours == theirs


def test_white_space_is_the_same_in_regex() -> None:
    assert in_regex(r"\s") == in_tiktoken(r"\s")


@pytest.mark.parametrize(
    ("character", "category"),
    [
        ("A", "Lu"),
        ("ß", "Ll"),
        ("ǅ", "Lt"),
        ("ʰ", "Lm"),
        ("語", "Lo"),
        ("\u0301", "Mn"),
        ("\ud800", "Cs"),
        ("\U0010ffff", "Cn"),
        ("½", "No"),
        ("\n", "Cc"),
        ("«", "Pi"),
    ],
)
def test_category_of(character: str, category: str) -> None:
    assert category_of(ord(character)) == category


@pytest.mark.parametrize("code_point", [CODE_POINTS, 1 << 40])
def test_no_category_beyond_unicode(code_point: int) -> None:
    with pytest.raises(IndexError):
        category_of(code_point)


UNKNOWN = "Zzzz"


@pytest.mark.slow
def test_table_is_fonttools() -> None:
    theirs = [fontTools.unicodedata.script(chr(c)) for c in range(CODE_POINTS)]
    ours = [SCRIPTS[index] for index in SCRIPT_TABLE]
    if version("fonttools") == FONTTOOLS_VERSION:
        assert ours == theirs
    else:  # it may know another Unicode: a few old characters move to another script each time
        known = [pair for pair in zip(ours, theirs, strict=True) if UNKNOWN not in pair]
        assert sum(our != their for our, their in known) < 64


@pytest.mark.parametrize(
    ("character", "code", "name"),
    [
        ("a", "Latn", "Latin"),
        ("あ", "Hira", "Hiragana"),
        ("語", "Hani", "Han"),
        (" ", "Zyyy", "Common"),
        ("\u0301", "Zinh", "Inherited"),
        ("\U0010ffff", UNKNOWN, "Unknown"),
        ("𐕂", "Aghb", "Caucasian Albanian"),
    ],
)
def test_script_of(character: str, code: str, name: str) -> None:
    assert script_of(ord(character)) == code
    assert script_name(code) == name


def test_names_are_fonttools() -> None:
    assert sorted(SCRIPTS) == SCRIPTS
    for code in SCRIPTS:
        assert script_name(code) == fontTools.unicodedata.script_name(code).replace("_", " ")
