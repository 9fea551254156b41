"""The scanners against their patterns: the same cuts, by the same alternative, in `regex` and in tiktoken."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
import regex
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from librt.vecs import vec
from mypy_extensions import i32, u8
from narrowed import there
from pattern_alternatives import ALTERNATIVES, in_regex
from tiktoken_ext import openai_public

from tokenarium_core.errors import PatternError
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.pretokenizers import pretokenizer
from tokenarium_core.pretokenizers.pretokenizer import cut, cut_bytes
from tokenarium_core.pretokenizers.scanner_graphemes import grapheme_kinds
from tokenarium_core.pretokenizers.scanners import (
    ONLY_HERE,
    PRE_TOKENIZERS,
    pre_tokenizer,
    scanner_for,
)
from tokenarium_core.unicode.codepoints import CATEGORY_TABLE, CODE_POINTS
from tokenarium_core.unicode.codepoints_data import OTHER_IN_REGEX, TIKTOKEN_VERSION
from tokenarium_core.unicode.graphemes_data import REGEX_VERSION

COMPILED = not str(pretokenizer.__file__).endswith(".py")
EXAMPLES = 400 if COMPILED else 60
SAME_CLUSTERS = regex.__version__ == REGEX_VERSION
"""Whether `regex` has the Unicode that the table of graphemes was made of."""
COMPARED = [name for name in PRE_TOKENIZERS if name != "graphemes" or SAME_CLUSTERS]

NAMES = [
    ("gpt2", "Hello  world", [("Hello", "word"), (" ", "trailing blanks"), (" world", "word")]),
    ("gpt2", "it's IT'S", [("it", "word"), ("'s", "contraction"), (" IT", "word"), ("'", "punctuation"), ("S", "word")]),
    ("gpt2", " 12345 ", [(" 12345", "digits"), (" ", "trailing blanks")]),
    ("gpt2", "a\n\nb", [("a", "word"), ("\n", "trailing blanks"), ("\n", "blanks"), ("b", "word")]),
    ("cl100k", "Hello  world", [("Hello", "word"), (" ", "trailing blanks"), (" world", "word")]),
    ("cl100k", "IT'Sſ'ſ'reX", [("IT", "word"), ("'S", "contraction"), ("ſ", "word"), ("'ſ", "contraction"), ("'re", "contraction"), ("X", "word")]),
    ("cl100k", "12345", [("123", "1 to 3 digits"), ("45", "1 to 3 digits")]),
    ("cl100k", "(a) !!\n\nb", [("(a", "word"), (")", "punctuation"), (" !!\n\n", "punctuation"), ("b", "word")]),
    ("cl100k", "a \n \n  b", [("a", "word"), (" \n \n", "newlines"), (" ", "trailing blanks"), (" b", "word")]),
    ("cl100k", "a \n 1", [("a", "word"), (" \n", "newlines"), (" ", "blanks"), ("1", "1 to 3 digits")]),
    ("cl100k", "a\n ", [("a", "word"), ("\n ", "trailing blanks")]),
    ("cl100k", "\u3000語\u0301é", [("\u3000語", "word"), ("\u0301é", "word")]),
    ("llama3", "a\n ", [("a", "word"), ("\n", "newlines"), (" ", "trailing blanks")]),
    ("llama3", "1234 5", [("123", "1 to 3 digits"), ("4", "1 to 3 digits"), (" ", "blanks"), ("5", "1 to 3 digits")]),
    ("qwen2", "12 ٣", [("1", "digit"), ("2", "digit"), (" ", "blanks"), ("٣", "digit")]),
    ("o200k", "camelCaseHTML", [("camel", "lower-case word"), ("Case", "lower-case word"), ("HTML", "upper-case word")]),
    ("o200k", "HTMLParser's I'LL", [("HTMLParser's", "lower-case word"), (" I'LL", "upper-case word")]),
    ("o200k", "日本A", [("日本", "lower-case word"), ("A", "upper-case word")]),
    ("o200k", "\u0301A", [("\u0301", "lower-case word"), ("A", "upper-case word")]),
    ("o200k", "'s a/\n/b", [("'s", "lower-case word"), (" a", "lower-case word"), ("/\n/", "punctuation"), ("b", "lower-case word")]),
    ("o200k", "a\n  1 ", [("a", "lower-case word"), ("\n", "newlines"), (" ", "trailing blanks"), (" ", "blanks"), ("1", "1 to 3 digits"), (" ", "trailing blanks")]),
    ("tekken", "I'LL it's 12", [("I", "upper-case word"), ("'LL", "upper-case word"), (" it", "lower-case word"), ("'s", "lower-case word"), (" ", "blanks"), ("1", "digit"), ("2", "digit")]),
    ("digits", "ab12 ½", [("ab", "text"), ("1", "digit"), ("2", "digit"), (" ", "text"), ("½", "digit")]),
    ("superbpe", "By the way, I'm 1,234 x", [("By the way, I'm ", "stretch"), ("1", "1 to 3 digits"), (",", "stretch"), ("234", "1 to 3 digits"), (" x", "stretch")]),
    ("superbpe", "a (!)\n/b  \nc. d ", [("a", "stretch"), (" (!)\n/", "punctuation"), ("b", "stretch"), ("  ", "trailing blanks"), ("\nc. d", "stretch"), (" ", "trailing blanks")]),
    ("numbers", "It’s IT'S", [("It", "word"), ("’s", "contraction"), (" IT", "word"), ("'S", "contraction")]),
    ("numbers", "$1,234_567.895e-6", [("$", "punctuation"), ("1", "1 to 3 digits"), (",234", "thousands"), ("_567", "thousands"), (".895", "decimals"), ("e-6", "exponent")]),
    ("numbers", "12345% 1,2345 e4", [("123", "1 to 3 digits"), ("45%", "1 to 3 digits"), (" 1", "1 to 3 digits"), (",", "punctuation"), ("234", "1 to 3 digits"), ("5", "1 to 3 digits"), (" e", "word"), ("4", "1 to 3 digits")]),
    ("numbers", "क़ी. \n", [("क़ी", "word"), (".", "punctuation"), (" \n", "trailing blanks")]),
    ("graphemes", "e\u0301 \r\n", [("e\u0301", "grapheme"), (" ", "grapheme"), ("\r\n", "grapheme")]),
    ("graphemes", "🇫🇷🇩🇪🇯", [("🇫🇷", "grapheme"), ("🇩🇪", "grapheme"), ("🇯", "grapheme")]),
    ("graphemes", "👩\u200d👩\u200d👧👍🏽x\u200d👧", [("👩\u200d👩\u200d👧", "grapheme"), ("👍🏽", "grapheme"), ("x\u200d", "grapheme"), ("👧", "grapheme")]),
    ("graphemes", "हिन्दी각", [("हि", "grapheme"), ("न्दी", "grapheme"), ("각", "grapheme")]),
    ("graphemes", "\u0600a\u0600\n\u0301", [("\u0600a", "grapheme"), ("\u0600", "grapheme"), ("\n", "grapheme"), ("\u0301", "grapheme")]),
    ("whitespace", " a,b\u00a0\n", [(" ", "blanks"), ("a,b", "word"), ("\u00a0\n", "blanks")]),
]  # fmt: skip


def without_unicode_differences() -> set[int]:
    """Returns the code points that `regex`, knowing a newer Unicode, sees as tiktoken does."""
    usable = set(range(CODE_POINTS)) - set(range(0xD800, 0xE000))
    for item in OTHER_IN_REGEX.split():
        first, _, last = item.partition("=")[0].partition("-")
        usable -= set(range(int(first, 16), int(last or first, 16) + 1))
    return usable


USABLE = without_unicode_differences()
PIECES = [
    "'s", "'S", "'ſ", "'ll", "'L", "'re", "'Ve", "'d", "'", "’s", "re", "ſ", "K",
    "a", "word", "Word", "HTML", "é", "É", "ß", "ǅ", "ʰ", "ª", "日本", "かな", "ב", "𝐀", "𐐨", "abcdefgh", "abcdefg",
    "\u0301", "\u093f", "\u0e31", "\u200d", "\ufe0f", "👩‍👩‍👧", "🙂", "🇫🇷", "\u0345", "\u20dd",
    "1", "1234567", "1,234", "_567", ".5", "e-6", "E+", "2e5", "7%", "٣", "०१", "½", "Ⅷ", "𝟙", "²",
    " ", "  ", "   ", "\t", "\n", "\r\n", "\r", "\n\n", "\u00a0", "\u3000", "\u2028", "\x85", "\x0b", "\x1c",
    ".", "...", "!", "/", "//", "-", "_", "(", "`", "@", "[", "{", "\x7f", "\0", "，", "。", "€", "\ufffd",
]  # fmt: skip
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(PIECES),
        st.characters(exclude_categories=["Cs"]).filter(lambda c: ord(c) in USABLE),
    ),
    max_size=16,
).map("".join)

ASCII_PIECES = [
    " the", " Word", "HTML", "fooBar", "x", "of", "'s", "'", "'x", "''", " ", "    ", "\n", "\n\n", "\r\n", "\n  ", ".",
    ",", " (", ");", "/", "//", "1", "12", ",345", "e-", "%", ".", "1234567", "\t", "\0", "é", "。", "\u00a0",
]  # fmt: skip
LONG_TEXTS = st.lists(st.sampled_from(ASCII_PIECES), min_size=20, max_size=80).map("".join)

WESTERN_PIECES = [
    "ä", "Ä", "ß", "é", "ÿ", "À", "Þ", "×", "÷", "über", "Ärger", "naïveté", "fooÉtat", "“", "”", "’", "—", "…", "‐", "‧",
    "\u200f", "\u2028", "“a", "’s", "the", "Word", "HTML", "x", "'s", "'", "'ſ", " ", "  ", "\t", "\n", "\r\n", "/", ".", " (",
    "1", "1234", "½", "·", "🙂", "日本", "\u0301",
]  # fmt: skip
WESTERN_TEXTS = st.lists(st.sampled_from(WESTERN_PIECES), min_size=20, max_size=80).map("".join)


def in_core(name: str, text: str) -> list[tuple[int, int]]:
    """Returns the same by the scanner."""
    found = cut(pre_tokenizer(name), text)
    return list(zip(found.ends, found.rules, strict=True))


def in_tiktoken(pattern: str, text: str) -> list[int]:
    """Returns the byte ends by tiktoken itself: with every substring a token, a pre-token is one id."""
    data = text.encode()
    ranks = {bytes([byte]): byte for byte in range(256)}
    for start in range(len(data)):
        for end in range(start + 2, len(data) + 1):
            ranks.setdefault(data[start:end], len(ranks))
    encoding = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    ends, end = [], 0
    for token in encoding.encode_ordinary(text):
        end += len(encoding.decode_single_token_bytes(token))
        ends.append(end)
    return ends


def in_slices(name: str, data: bytes, start: int, stop: int, room: int) -> list[tuple[int, int]]:
    """Returns the ends and rules of all pre-tokens of ``data[start:stop]``, cut ``room`` at a time."""
    found: list[tuple[int, int]] = []
    at = start
    while at < stop:
        ends, rules = vec[i32]([0] * room), vec[u8]([0] * room)
        count = pre_tokenizer(name).cut(data, at, stop, ends, rules)
        assert 0 < count <= room
        found += [(ends[i] - start, rules[i]) for i in range(count)]
        at = ends[count - 1]
    return found


def test_there_is_a_pattern_for_every_name() -> None:
    assert list(ALTERNATIVES) == PRE_TOKENIZERS


@pytest.mark.parametrize("name", PRE_TOKENIZERS)
def test_the_pattern_is_its_alternatives(name: str) -> None:
    scanner = pre_tokenizer(name)
    assert scanner.name == name
    assert scanner.pattern == "|".join(ALTERNATIVES[name])
    assert len(scanner.rules) == len(ALTERNATIVES[name])


def test_unknown_name() -> None:
    with pytest.raises(PatternError, match="no pattern called"):
        pre_tokenizer("gpt-2")


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("gpt2", {"gpt2"}),
        ("r50k_base", {"gpt2"}),
        ("p50k_base", {"gpt2"}),
        ("p50k_edit", {"gpt2"}),
        ("cl100k_base", {"cl100k", "llama3"}),  # as older versions of tiktoken write it
        ("o200k_base", {"o200k"}),
        ("o200k_harmony", {"o200k"}),
    ],
)
def test_the_patterns_of_tiktoken_have_scanners(
    encoding: str, names: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda *_, **__: {})
    monkeypatch.setattr(openai_public, "data_gym_to_mergeable_bpe_ranks", lambda *_, **__: {})
    scanner = there(scanner_for(openai_public.ENCODING_CONSTRUCTORS[encoding]()["pat_str"]))
    assert scanner.name in names
    if tiktoken.__version__ == TIKTOKEN_VERSION:
        assert scanner.name == min(names)


def test_a_pattern_without_a_scanner() -> None:
    assert scanner_for(r"\w+|\W+") is None


@pytest.mark.parametrize(("name", "text", "expected"), NAMES)
def test_rules_have_names(name: str, text: str, expected: list[tuple[str, str]]) -> None:
    found = cut(pre_tokenizer(name), text)
    data = text.encode()
    pieces = [data[start:end].decode() for start, end in pairwise([0, *found.ends])]
    assert list(zip(pieces, (found.names[rule] for rule in found.rules), strict=True)) == expected
    assert len(found) == len(expected)


# To make a text takes longer than to cut it: so each text is cut by every scanner.


@pytest.mark.slow
@given(text=TEXTS)
@settings(max_examples=EXAMPLES)
def test_cuts_and_rules_are_those_of_regex(text: str) -> None:
    for name in COMPARED:
        assert in_core(name, text) == in_regex(name, text), name


@pytest.mark.slow
@given(text=TEXTS)
@settings(max_examples=EXAMPLES // 4)
def test_cuts_are_those_of_tiktoken(text: str) -> None:
    for name in (name for name in PRE_TOKENIZERS if name not in ONLY_HERE):
        ends = [end for end, _ in in_core(name, text)]
        assert ends == in_tiktoken(pre_tokenizer(name).pattern, text), name


@pytest.mark.slow
@given(before=TEXTS, text=TEXTS, after=TEXTS, room=st.integers(1, 5))
@settings(max_examples=EXAMPLES // 4)
def test_slices_of_a_text_among_others_cut_the_same(
    before: str, text: str, after: str, room: int
) -> None:
    data = padded(before + text + after)
    start = len(before.encode())
    stop = len(data) - PADDING - len(after.encode())
    for name in COMPARED:
        assert in_slices(name, data, start, stop, room) == in_core(name, text), name


@given(text=TEXTS)
@settings(max_examples=EXAMPLES // 4)
def test_a_text_that_is_divided_is_cut_the_same(text: str) -> None:
    data = padded(text)
    size = len(data) - PADDING
    for name in PRE_TOKENIZERS:
        scanner = pre_tokenizer(name)
        whole = in_slices(name, data, 0, size, 64)
        first = 6 if name == "graphemes" else 3
        assert not scanner.divides or scanner.divide(padded("one two"), 7) == first, name
        stop = size
        while scanner.divides and stop > 0:
            place = scanner.divide(data, stop)
            if place > 0:
                found = in_slices(name, data, 0, place, 64)
                after = in_slices(name, data, place, size, 64)
                assert found + [(place + end, rule) for end, rule in after] == whole, name
            stop = place


@pytest.mark.slow
@pytest.mark.parametrize("pattern", [r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
])  # fmt: skip
@given(text=TEXTS)
@settings(max_examples=EXAMPLES // 4)
def test_older_spellings_cut_the_same(pattern: str, text: str) -> None:
    scanner = there(scanner_for(pattern))
    assert [end for end, _ in in_core(scanner.name, text)] == in_tiktoken(pattern, text)


@pytest.mark.slow
@given(text=LONG_TEXTS, after=LONG_TEXTS, room=st.integers(1, 99))
@settings(max_examples=EXAMPLES)
def test_blocks_of_ascii_are_cut_as_regex_does(text: str, after: str, room: int) -> None:
    data, stop = padded(text + after), len(text.encode())
    for name in COMPARED:
        assert in_slices(name, data, 0, stop, room) == in_regex(name, text), name


@pytest.mark.slow
@given(text=WESTERN_TEXTS, after=WESTERN_TEXTS, room=st.integers(1, 99))
@settings(max_examples=EXAMPLES)
def test_blocks_with_replacements_are_cut_as_regex_does(text: str, after: str, room: int) -> None:
    data, stop = padded(text + after), len(text.encode())
    for name in COMPARED:
        assert in_slices(name, data, 0, stop, room) == in_regex(name, text), name


@given(text=LONG_TEXTS | WESTERN_TEXTS, room=st.integers(1, 99))
@settings(max_examples=EXAMPLES // 4)
def test_the_cuts_are_the_same_without_their_rules(text: str, room: int) -> None:
    data = padded(text)
    stop = len(data) - PADDING
    on_demand = [name for name in PRE_TOKENIZERS if pre_tokenizer(name).names_on_demand]
    assert on_demand
    for name in on_demand:
        ends = vec[i32]([0] * room)
        found: list[int] = []
        while not found or found[-1] < stop:
            start = found[-1] if found else 0
            count = pre_tokenizer(name).cut(data, start, stop, ends, vec[u8]())
            if count == 0:
                break
            found += [ends[index] for index in range(count)]
        assert found == [end for end, _ in in_core(name, text)], name


@pytest.mark.slow
@pytest.mark.parametrize("alphabet", ["aAs \n./'1\tю", "aAäÄß “\n/'1"])
@pytest.mark.parametrize("name", COMPARED)
def test_every_row_of_classes(name: str, alphabet: str) -> None:
    """Blocks of 56 bytes are cut by formulas: these meet all neighbours here, at all places of a block."""
    text = "".join(map("".join, product(alphabet, repeat=5 if COMPILED else 3)))
    assert in_core(name, text) == in_regex(name, text)


def code_points_to_try() -> list[int]:
    """Returns all assigned code points, and the first and last of each run that is not.

    Interpreted, only those where the general category changes.
    """
    unassigned = CATEGORY_TABLE[0x10FFFF], CATEGORY_TABLE[0x10FFFD]  # and those for private use
    return [
        c
        for c in sorted(USABLE - {CODE_POINTS - 1})
        if (COMPILED and CATEGORY_TABLE[c] not in unassigned)
        or CATEGORY_TABLE[c] != CATEGORY_TABLE[c - 1]
        or CATEGORY_TABLE[c] != CATEGORY_TABLE[c + 1]
    ]


@pytest.fixture(scope="module")
def every_code_point() -> str:
    """A text of some megabytes with each of those code points among others."""
    return "".join(
        f"a{c}b {c}'s{c}{c}\n 1{c}A{c}" + ("x" * (i % 9))
        for i, c in enumerate(map(chr, code_points_to_try()))
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPARED)
def test_every_code_point_in_contexts(name: str, every_code_point: str) -> None:
    text = every_code_point
    assert in_core(name, text) == in_regex(name, text)


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="too slow interpreted")
@pytest.mark.parametrize("name", ["gpt2", "cl100k", "o200k"])
def test_every_code_point_alone(name: str) -> None:
    text = " ".join(map(chr, sorted(USABLE)))
    assert in_core(name, text) == in_regex(name, text)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPARED)
@pytest.mark.parametrize(
    "unit",
    [" ", "\n", "\n ", "a", "A", "é", "語", "\u0301", "1", "!", "!\n", "'s", "\u3000", "語A", "\u0301A", " \u0301", "/\n"],
)  # fmt: skip
def test_long_runs_cut_as_short_ones(name: str, unit: str) -> None:
    """A scanner that needs more than linear time would not finish this."""
    times = 300_000 if COMPILED else 300
    for text in (unit * times, unit * times + "b", "語" + unit * times + "\n"):
        assert in_core(name, text)[-1][0] == len(text.encode())
    for text in (unit * 299, unit * 299 + "b", "語" + unit * 299 + "\n"):
        assert in_core(name, text) == in_regex(name, text)


def of_each_kind() -> dict[int, list[str]]:
    """Returns the characters of each kind that the rules of grapheme clusters know."""
    kinds = grapheme_kinds()
    found: dict[int, list[str]] = {}
    for code in range(CODE_POINTS):
        if not 0xD800 <= code < 0xE000:
            found.setdefault(kinds[code], []).append(chr(code))
    return found


KINDS = of_each_kind()
CHARACTERS = st.one_of([st.sampled_from(kind) for kind in KINDS.values()])
"""Characters of each kind equally often."""

needs_the_same_clusters = pytest.mark.skipif(
    not SAME_CLUSTERS, reason=f"the table was made of regex {REGEX_VERSION}"
)


@pytest.mark.slow
@needs_the_same_clusters
@given(characters=st.lists(CHARACTERS, max_size=14), room=st.integers(1, 9))
@settings(max_examples=EXAMPLES)
def test_graphemes_of_all_kinds_are_cut_as_regex_does(characters: list[str], room: int) -> None:
    text = "".join(characters)
    data = padded(text)
    expected = in_regex("graphemes", text)
    assert in_slices("graphemes", data, 0, len(data) - PADDING, room) == expected


@needs_the_same_clusters
def test_graphemes_of_all_kinds_in_a_row() -> None:
    """Each kind behind each two others, so that all rules and all beginnings of them occur."""
    text = "".join(
        "".join(three) for three in product([kind[0] for kind in KINDS.values()], repeat=3)
    )
    assert in_core("graphemes", text) == in_regex("graphemes", text)


def test_graphemes_are_divided_where_they_end() -> None:
    """Behind each kind, each other one: a place to divide is one at which the whole text is cut."""
    scanner = pre_tokenizer("graphemes")
    for pair in product([kind[0] for kind in KINDS.values()], repeat=2):
        text = "x" + "".join(pair)
        data, ends = padded(text), {0, *(end for end, _ in in_core("graphemes", text))}
        assert scanner.divide(data, len(data) - PADDING) in ends, ascii(text)


def test_more_pre_tokens_than_texts_usually_have() -> None:
    assert list(cut(pre_tokenizer("qwen2"), "1" * 1000).ends) == list(range(1, 1001))


def test_the_arrays_can_be_seen_without_a_copy() -> None:
    found = cut_bytes(pre_tokenizer("gpt2"), padded("one two"))
    assert memoryview(found.ends).format == "i"
    assert memoryview(found.ends).tolist() == [3, 7]
    assert memoryview(found.rules).tolist() == [1, 1]


def test_an_empty_text_has_no_pre_tokens() -> None:
    for name in PRE_TOKENIZERS:
        assert len(cut(pre_tokenizer(name), "")) == 0
