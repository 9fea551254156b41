"""Regular expressions on all entries at once, beside the library `regex` on one entry after the other."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path

import numpy as np
import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium.models.vocabulary.entry_characters import LONG, EntryCharacters
from tokenarium.models.vocabulary.expression_syntax import NotRegular, read
from tokenarium.models.vocabulary.vocabulary_columns import VocabularyColumns
from tokenarium.models.vocabulary.vocabulary_filter import ExpressionSearch
from tokenarium.models.vocabulary.vocabulary_query import Term

TEXTS = [
    "", "\n", "a", "a\n", "\na", "a\n\n", " a", "ab", "abc", "abab", "ABC", "aB", "b a", "b-a", "_a", "a1", "12",
    "1234", "é", "É", "e\u0301", "ss", "ß", "ẞ", "ſ", "s", "S", "K", "K", "k", "İ", "i", "I", "ı", "ς", "σ", "Σ", "ﬁ",
    "fi", "日本", "日", "жить", "Ж", "👩‍👩‍👧", "👩", "\u200d", "٣", "\t", "\r\n", "\u2028", "\x85", "x^y$", "[a]", "a{2}",
    "\\", "ǅ", "ǆ", "a" * LONG, "a" * (LONG + 1), "b" + "a" * LONG, "\U0010ffff",
]  # fmt: skip
SPLIT = [b"\xe6", b"\x97\xa5", b"a\xe6\x97", b"\xf0\x9f", b"\x91\xa9b", b"\xff", b"\xed\xa0\x80"]
PIECES = [text.encode() for text in TEXTS] + SPLIT


def characters(pieces: list[bytes]) -> EntryCharacters:
    offsets = np.cumsum([0, *map(len, pieces)]).astype(np.int32)
    return EntryCharacters(b"".join(pieces), offsets)


@functools.cache
def all_pieces() -> EntryCharacters:
    return characters(PIECES)


@given(st.lists(st.one_of(st.text(max_size=4).map(str.encode), st.binary(max_size=4)), max_size=20))
def test_entries_are_decoded_each_by_itself(pieces: list[bytes]) -> None:
    spelled = characters(pieces)
    for token, piece in enumerate(pieces):
        assert spelled.text(token) == piece.decode("utf-8", "surrogateescape")


CHARACTERS = [
    *"aABbkKsSßſiIİıσςΣéЖжx1_-日👩 ", ".", "[a-c]", "[^a]", "[]a]", "[^]]", "[a\\]b]", "[\\d_]", "[^\\W\\d]", "\\d",
    "\\D", "\\w", "\\W", "\\s", "\\S", "\\p{L}", "\\P{Lu}", "\\p{Han}", "\\p{^L}", "[\\p{Ll}\\n]", "\\n", "\\x61",
    "\\u0416", "\\.", "\\\\", "\\^", "[A-Z]", "[^\\x00-\\x7f]", "[$^.]", "\\-", "#", "\\ ", ",", "}", "]",
]  # fmt: skip
PLACES = ["^", "$", "\\A", "\\Z", "\\b", "\\B"]
TIMES = ["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,1}", "{,2}", "{2,}", "{0}", "{1,}?"]
LOOKS = [
    "(?=a)",
    "(?<!b)",
    "(?!.)",
    "(?<=.)",
    "(?!)",
    "(?>a*)",
    "a++",
    "(?P<n>a)",
    "(?<n>b)",
    "\\1",
    "(?!.*a)",
]
OTHERS = ["[a&&b]", "[[:alpha:]]", "\\X", "{", "a{e}", "(?|a)", "(?#a)", "\\10", "(?(1)a)", "(?R)", "(?&n)"]  # fmt: skip


def expressions() -> st.SearchStrategy[str]:
    parts = st.one_of(st.sampled_from(CHARACTERS), st.sampled_from(CHARACTERS + PLACES + LOOKS))

    def grown(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        several = st.lists(inside, max_size=4)
        return st.one_of(
            several.map("".join),
            several.map("|".join),
            inside.map("({})".format),
            several.map(lambda ways: f"(?:{'|'.join(ways)})"),
            st.tuples(st.sampled_from(["(?=", "(?!", "(?<=", "(?<!", "(?>"]), inside).map(
                lambda look: f"{look[0]}{look[1]})"
            ),
            st.tuples(inside, st.sampled_from(TIMES)).map("".join),
            st.tuples(inside.map("(?:{})".format), st.sampled_from(TIMES)).map("".join),
        )

    whole = st.recursive(parts, grown, max_leaves=8)
    flags = st.sampled_from(["", "", "", "(?i)", "(?s)", "(?is)"])
    odd = st.sampled_from(["", "", "", "", *OTHERS])
    return st.tuples(flags, whole, odd).map("".join)


@pytest.mark.slow
@settings(max_examples=600)
@given(expressions())
@example("(?i)straße|ss")
@example("^$|a$")
@example("(a|b|ab)*1")
@example("a??$\\n")
@example("")
@example("x{2,1}")
@example("(?i)a|\\P{Lu}")
def test_all_at_once_is_one_by_one(expression: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            pattern = regex.compile(expression)
        except regex.error:
            return
    spelled = all_pieces()
    known = spelled.matched(expression)
    if known is None:
        return
    matched, sure = known
    for token in set(range(len(PIECES))) - set(spelled.long.tolist()):
        text = spelled.text(token)
        wanted = pattern.search(text) is not None
        assert matched[token] == wanted or (not sure and not wanted), (expression, text)


@pytest.mark.parametrize(
    "expression",
    ["^[A-Z]{3}$", r"\d{2}", "(?i)ing$", r"[^\x00-\x7f]", r"^\s?\p{Lu}\p{Ll}+$", r"\bthe\b", "a|b", "x.{0,4}y"],
)  # fmt: skip
def test_what_one_types_is_regular(expression: str) -> None:
    assert read(expression).exact
    assert all_pieces().matched(expression) is not None


@pytest.mark.parametrize(
    "expression", ["(?=a)b", "x(?!y)", "(?<=a)b", "(?<!a)b", r"(a)\1", "(?>a*)b", "a++b", "(?P<n>a)\\1"]
)  # fmt: skip
def test_of_what_is_not_regular_more_is_matched(expression: str) -> None:
    assert not read(expression).exact


@pytest.mark.parametrize("expression", [*OTHERS, "(?x)a b", "(?i:a)b", "a{1000}", "(a*)*", "[a--b]"])  # fmt: skip
def test_what_is_not_regular_is_left_to_the_library(expression: str) -> None:
    with pytest.raises(NotRegular):
        read(expression)


def test_an_automaton_that_would_be_too_large_is_not_made() -> None:
    assert all_pieces().matched("(a|b).{90}") is None
    assert all_pieces().matched("(a{50}){50}") is None
    assert all_pieces().matched("|".join(map(chr, range(200, 300)))) is None


EXPRESSIONS = [
    r"^[A-Z]{3}$",
    r"\d{2}",
    "(?i)ing$",
    r"[^\x00-\x7f]",
    r"^(?!.*e)",
    r"(.)\1\1",
    r"(?<=\s)\p{Lu}",
]


@pytest.mark.parametrize("negated", [False, True])
def test_a_search_of_a_large_vocabulary_is_one_by_one(data: Path, negated: bool) -> None:
    of = VocabularyColumns(tc.open(str(data / "tokenizers" / "mistral-v3.model")))
    texts = [of.piece(token).decode("utf-8", "surrogateescape") for token in range(of.count)]
    tried = of.order("length", descending=True)
    for expression in EXPRESSIONS:
        search = ExpressionSearch(of, [Term("re", expression, negated, 0, 0, expression)], tried)
        while not search.step(1e3).finished:
            pass
        pattern = regex.compile(expression)
        wanted = [n for n in tried.tolist() if (pattern.search(texts[n]) is None) == negated]
        assert search.found.tolist() == wanted
