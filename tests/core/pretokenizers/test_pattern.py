"""Pre-tokenizers from a user's own pattern: its cuts, the names of its rules, and its errors."""

from __future__ import annotations

from time import thread_time

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from librt.vecs import vec
from mypy_extensions import i32, u8

from tokenarium_core.errors import PatternError
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.patterns.regex_engine import PATIENCE, TIMEOUT, Allowance
from tokenarium_core.pretokenizers.pattern import pattern
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer, cut


def pieces(pre_tokenizer: PreTokenizer, text: str) -> list[tuple[str, str]]:
    """Returns each pre-token with the name of its rule."""
    found = cut(pre_tokenizer, text)
    data = text.encode()
    starts = [0, *found.ends]
    return [
        (data[start:end].decode(), found.names[rule])
        for start, end, rule in zip(starts[:-1], found.ends, found.rules, strict=True)
    ]


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        (".+", "né", [("né", "match")]),
        (r"\w+|\W+", "né !", [("né", "alternative 1"), (" !", "alternative 2")]),
        (r"(?P<word>\w+)|\W+", "a!", [("a", "word"), ("!", "alternative 2")]),
        (r"(?<word>\w+)| ?(?<rest>\W)", "a !", [("a", "word"), (" !", "rest")]),
        (r"(?P<only>.)", "ab", [("a", "only"), ("b", "only")]),
        # Bars that separate nothing: in sets, groups, comments, after a backslash.
        (r"[|]|[^]|]|]", "|a]", [("|", "alternative 1"), ("a", "alternative 2"), ("]", "alternative 3")]),
        (r"(?:a|b)|\|", "a|", [("a", "alternative 1"), ("|", "alternative 2")]),
        (r"(?#x|y)a|[[:alpha:]|]", "ab|", [("a", "alternative 1"), ("b", "alternative 2"), ("|", "alternative 2")]),
        # A flag for the whole pattern still counts for all of it.
        (r"(?i)a|B", "Ab", [("A", "alternative 1"), ("b", "alternative 2")]),
        # Group numbers, verbose mode and version 1 keep their meaning, so nothing is marked.
        (r"(.)\1|.", "aab", [("aa", "match"), ("b", "match")]),
        ("(?x) a # | b\n | c", "ac", [("a", "match"), ("c", "match")]),
        (r"(?V1)[[a-z]--[b]]+|b", "acb", [("ac", "match"), ("b", "match")]),
        # An alternative that matches the empty string gives no pre-token.
        (r"|a", "aa", [("a", "alternative 2"), ("a", "alternative 2")]),
        # What is before a place counts.
        (r"(?<=a)b+|a|(?<!a)b", "abb", [("a", "alternative 2"), ("bb", "alternative 1")]),
        ("", "", []),
    ],
)  # fmt: skip
def test_pieces(source: str, text: str, expected: list[tuple[str, str]]) -> None:
    assert pieces(pattern(source), text) == expected


@pytest.mark.parametrize(
    ("source", "position"),
    [("a(", 2), ("*", 0), ("a)", 1), (r"\p{Nonsense}", 12), ("[a", 2), ("(?P<n>a)(?P=m)", 11)],
)
def test_a_pattern_that_does_not_compile_says_where(source: str, position: int) -> None:
    with pytest.raises(PatternError, match="does not compile") as caught:
        pattern(source)
    assert caught.value.position == position
    assert not caught.value.in_text


@pytest.mark.parametrize(
    "source", ["(a{9999}){9999}", "((?:a{99}){99}b){99}|c", f"a{{{'9' * 5000}}}"]
)
def test_repeats_that_would_fill_the_memory_are_refused(source: str) -> None:
    with pytest.raises(PatternError, match="repeats something"):
        pattern(source)


@pytest.mark.parametrize(
    "source", ["(?R)?a|.", "(a(?1)?)|.", "(?P<n>a(?&n)?)|.", "(?P<n>a(?P>n)?)|."]
)
def test_calls_of_groups_that_would_fill_the_memory_are_refused(source: str) -> None:
    with pytest.raises(PatternError, match="calls a group") as caught:
        pattern(source)
    assert source.startswith("(?", caught.value.position)


@pytest.mark.parametrize("source", [r"\(?R\)|.", "[(?R)]|.", "(?#(?R)a|."])
def test_what_only_looks_like_a_call_is_none(source: str) -> None:
    assert pieces(pattern(source), "b")[0][0] == "b"


def test_a_pattern_that_would_take_long_to_compile_is_refused() -> None:
    with pytest.raises(PatternError, match="199,999 characters; at most 20,000"):
        pattern("|".join("a" * 100_000))


def test_the_patience_of_a_window() -> None:
    """A pattern without an end is stopped sooner, and others cut as before."""
    source = r"x|(?:a|aa)+[bc]"
    PATIENCE.seconds = 0.03
    try:
        with pytest.raises(PatternError, match=r"more than 0\.03 s at character 2"):
            cut(pattern(source), "xx" + "a" * 200)
        assert pieces(pattern(source), "xaab")[-1] == ("aab", "alternative 2")
    finally:
        PATIENCE.seconds = TIMEOUT


def test_a_search_goes_on_where_other_threads_took_the_time() -> None:
    allowance = Allowance(100, 0.5)
    first = allowance.begin(100)
    assert allowance.goes_on(moved=False)  # this thread did not take half a second
    assert allowance.begin(100) > first
    assert not Allowance(100, 0.0).goes_on(moved=False)


def test_a_search_that_is_stopped_names_the_whole_time_not_what_was_left_for_the_last_try() -> None:
    allowance = Allowance(100, 0.02)
    goes_on = True
    while goes_on:
        allowance.begin(100)
        until = thread_time() + 0.015  # too little to be the pattern's fault in the first try
        while thread_time() < until:
            pass
        goes_on = allowance.goes_on(moved=False)
    assert allowance.refused == 0.02


@pytest.mark.parametrize("source", [r"\p{N}{1,3}|.", "(?:ab){2,}|.", "a{50}b{9999}c{9999}|."])
def test_plain_repeats_are_not(source: str) -> None:
    assert [piece for piece, _ in pieces(pattern(source), "xyz")] == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("source", "text", "position", "reason"),
    [
        (r"\w+", "né !", 2, "matches nothing"),
        (r"\w+|!", "né !", 2, "matches nothing"),
        (r"\w+| ", "né !", 3, "matches nothing"),
        (r"\w*", "né !", 2, "matches only the empty string"),
        ("", "a", 0, "matches only the empty string"),
    ],
)
def test_a_text_with_characters_left_out_says_where(
    source: str, text: str, position: int, reason: str
) -> None:
    with pytest.raises(PatternError, match=reason) as caught:
        cut(pattern(source), text)
    assert caught.value.position == position
    assert caught.value.in_text


def test_a_pattern_that_takes_too_long_says_where() -> None:
    slow = pattern(r"x|(?:a|aa)+[bc]", timeout=0.05)
    with pytest.raises(PatternError, match=r"more than 0\.05 s at character 2") as caught:
        cut(slow, "xx" + "a" * 200)
    assert caught.value.position == 2
    assert caught.value.in_text
    assert pieces(slow, "xaab") == [("x", "alternative 1"), ("aab", "alternative 2")]


def in_slices(
    pre_tokenizer: PreTokenizer, data: bytes, start: int, stop: int, room: int
) -> list[int]:
    """Returns the ends of all pre-tokens, cut ``room`` at a time."""
    found: list[int] = []
    while start < stop:
        ends, rules = vec[i32]([0] * room), vec[u8]([0] * room)
        count = pre_tokenizer.cut(data, start, stop, ends, rules)
        assert 0 < count <= room
        found += ends[:count]
        start = found[-1]
    return found


@pytest.mark.parametrize("source", [r"\w+|\W", r"\b.|\B.", r"(?<=é)é+|.", r".\w*"])
@given(text=st.text(st.sampled_from("aé !語🙂"), max_size=20), room=st.integers(1, 4))
@settings(max_examples=50)
def test_slices_cut_the_same(source: str, text: str, room: int) -> None:
    pre_tokenizer = pattern(source)
    data = padded("é" + text + "tail")
    stop = len(data) - PADDING - len("tail")
    expected = [2 + len(text[: m.end()].encode()) for m in regex.finditer(source, text)]
    assert in_slices(pre_tokenizer, data, 2, stop, room) == expected


@given(st.text(st.sampled_from("ab|()[]{}?*+\\^$.<>P=:!#1,i-w\n "), max_size=12))
@settings(max_examples=200)
def test_any_pattern_gives_cuts_or_a_sentence(source: str) -> None:
    text = "ab1|a b"
    try:
        found = pieces(pattern(source, timeout=0.2), text)
    except PatternError as error:
        sentence = str(error)
    else:
        sentence = "."
        assert "".join(piece for piece, _ in found) == text
    assert sentence.endswith(".")
