"""The Unicode of tiktoken's engine: every class that a pattern can name, over every code point."""

from __future__ import annotations

import pytest
import tiktoken

from tokenarium_core.patterns.rust_classes import RustClass, rust_unicode
from tokenarium_core.unicode.code_sets import Spans, complement, difference, of_characters
from tokenarium_core.unicode.codepoints import CATEGORIES, CODE_POINTS
from tokenarium_core.unicode.rust_codepoints_data import (
    PROPERTIES,
    TIKTOKEN_VERSION,
    UNKNOWN_SCRIPTS,
)
from tokenarium_core.unicode.scripts_data import SCRIPT_NAMES

pytestmark = pytest.mark.skipif(
    tiktoken.__version__ != TIKTOKEN_VERSION,
    reason=f"the table is of tiktoken {TIKTOKEN_VERSION}, not {tiktoken.__version__}",
)

SURROGATES: Spans = [(0xD800, 0xDFFF)]
EVERYTHING = "".join(chr(c) for c in range(CODE_POINTS) if not 0xD800 <= c < 0xE000)
NAMED = [line.partition(":")[0] for line in PROPERTIES.strip().split("\n") if line[0] != " "]
SCRIPTS = SCRIPT_NAMES.strip().splitlines()
CLASSES = [
    *(
        r"\w",
        r"\W",
        r"\d",
        r"\D",
        r"\s",
        r"\S",
        r"\pL",
        "[[:word:]]",
        "[[:^space:]]",
        "[[:punct:]]",
    ),
    *("[[:graph:]]", "[[:print:]]", "[[:cntrl:]]", "[[:blank:]]", "[[:xdigit:]]", "[[:alnum:]]"),
]
IN_ANY_CASE = [
    *(r"\p{Lu}", r"\P{Lu}", r"[^\p{Ll}]", "[a-z]", "[[:upper:]]", "[[:^lower:]]", r"\p{gc!=Lt}"),
    *(r"[\P{Lu}&&\p{L}]", r"[\p{Greek}--\p{Lu}]", r"[\w~~[a-k]]", r"[^\W[:alpha:]]", r"\p{Lt}"),
]


def in_tiktoken(pattern: str, text: str = EVERYTHING) -> Spans:
    """Returns the characters of a text that a pattern matches: what is left out gives no ids."""
    ranks = {bytes([b]): b for b in range(256)}
    encoding = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return of_characters(encoding.decode_bytes(encoding.encode_ordinary(text)).decode())


def here(pattern: str, ignore: bool = False) -> Spans:
    """Returns the set of a class, without surrogates, which are in no text."""
    return difference(RustClass(pattern, ignore).spans, SURROGATES)


@pytest.mark.parametrize("names", NAMED)
def test_a_property(names: str) -> None:
    expected = in_tiktoken(rf"\p{{{names.split(maxsplit=1)[0]}}}")
    for name in names.split():
        assert here(rf"\p{{{name}}}") == expected, name


def test_categories_by_all_their_names() -> None:
    for name in [*rust_unicode().categories, "any", "assigned", "ascii", "gc=Lu", "isLC"]:
        assert here(rf"\p{{{name}}}") == in_tiktoken(rf"\p{{{name}}}"), name
    assert {name.lower() for name in CATEGORIES} - {"cs"} <= rust_unicode().categories.keys()


def test_scripts() -> None:
    known = 0
    for line in SCRIPTS:
        code, _, name = line.partition(" ")
        if code in UNKNOWN_SCRIPTS.split():
            with pytest.raises(ValueError, match="regex"):
                in_tiktoken(rf"\p{{{code}}}")
            continue
        known += 1
        expected = in_tiktoken(rf"\p{{sc={code}}}")
        for spelled in (code, name, f"Script={name}"):
            assert here(rf"\p{{{spelled}}}") == expected, spelled
    assert known > 160


@pytest.mark.parametrize("text", CLASSES)
def test_a_class(text: str) -> None:
    assert here(text) == in_tiktoken(text)


@pytest.mark.parametrize("text", IN_ANY_CASE)
def test_a_class_in_any_case(text: str) -> None:
    assert here(text, ignore=True) == in_tiktoken(f"(?i){text}")


@pytest.mark.slow
def test_characters_that_are_the_same_in_another_case() -> None:
    known = rust_unicode()
    cased = "".join(chr(code_point) for code_point in sorted(known.others))
    for character in cased:
        expected = in_tiktoken(rf"(?i)\x{{{ord(character):X}}}", cased)
        assert known.in_any_case(of_characters(character)) == expected, hex(ord(character))
    # No other character has another case: a set of all of them takes none of these.
    others = complement(of_characters(cased))
    written = "".join(f"\\x{{{a:X}}}-\\x{{{b:X}}}" for a, b in difference(others, SURROGATES))
    assert in_tiktoken(f"(?i)[{written}]", cased) == []
