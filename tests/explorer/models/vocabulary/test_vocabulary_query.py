"""The line that filters a vocabulary: what it means by tables, and what it finds beside a naive filter."""

from __future__ import annotations

import contextlib
import functools
import math
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import hf_models
import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from narrowed import there
from played_models import bpe, unigram, wordpiece
from running import run_through
from small_files import write_file
from small_vocabularies import LOWER, of_pieces

import tokenarium_core as tc
from tokenarium.models.scripts.vocabulary_scripts import CLASS_NAMES, query_of, script_of_piece
from tokenarium.models.vocabulary import vocabulary_filter
from tokenarium.models.vocabulary.query_line import complete, hint, values_of
from tokenarium.models.vocabulary.vocabulary_columns import VocabularyColumns
from tokenarium.models.vocabulary.vocabulary_filter import (
    ExpressionSearch,
    Filter,
    _in_any,
    holding,
    needed_text,
    space_signs,
)
from tokenarium.models.vocabulary.vocabulary_query import (
    QueryError,
    Term,
    parse,
    quoted,
    words,
    written,
)
from tokenarium_core.explaining.vocabulary_entries import superwords
from tokenarium_core.formats.hf.hf_format import read_huggingface

PIECES = [
    " the", "the", "The", " of the", "ing", " жить", "ж", "日本", "本", "aб", "👩", "İx", "é", "É",
    "\n\n", "\t",
]  # fmt: skip
SPLIT = [b"\xe6\x97", b"a\xe6", b"\xf0\x9f"]


@functools.cache
def columns() -> VocabularyColumns:
    """A vocabulary with a bit of everything."""
    pieces = [b"th", *(p.encode() for p in PIECES), *SPLIT]
    return VocabularyColumns(
        of_pieces([p for p in pieces if len(p) > 1], special_tokens={"<|end|>": 290})
    )


def found(line: str, of: VocabularyColumns | None = None, **findings: list[int]) -> set[int]:
    """Returns the ids that a line finds."""
    of = of or columns()
    terms = parse(line, space_signs(of))
    mask = Filter(of, findings).mask(terms)
    tried = np.flatnonzero(mask).astype(np.int32)
    if any(term.key == "re" for term in terms):
        search = ExpressionSearch(of, terms, tried)
        run_through(search, 1e3)
        return set(search.matches)
    return set(tried.tolist())


def pieces_found(line: str) -> list[bytes]:
    return [columns().piece(token) for token in sorted(found(line))]


@pytest.mark.parametrize(
    ("line", "pieces"),
    [
        ("the", [" the", "the", " of the"]),
        ("like:the", [" the", "the", "The", " of the"]),
        ("like:É", ["é", "É"]),
        ('" the"', [" the", " of the"]),
        ("Ġthe", [" the", " of the"]),
        ("the len:3", ["the"]),
        ("the !flag:space", ["the"]),
        ("the !of", []),
        ("bytes:e697a5", ["日本"]),
        ('bytes:"e6 9c"', ["日本", "本"]),
        ("script:han", ["日本", "本"]),
        ("script:Hani chars:2", ["日本"]),
        ("script:mixed", ["aб"]),
        ("with:cyrillic len:>2", [" жить", "aб"]),
        ("script:cyr", [" жить", "ж"]),
        ("flag:superword", [" of the"]),
        ("type:normal flag:special", []),
        (r"re:^\s?[Tt]he$", [" the", "the", "The"]),
        ("re:^Ġ.*e$ !flag:superword", [" the"]),
        ("!re:. type:normal id:256-", ["\n\n"]),
        ("the script:", [" the", "the", " of the"]),
        ("rank:256 type:normal", [b"th"]),
    ],
)
def test_what_lines_find(line: str, pieces: list[str | bytes]) -> None:
    expected = [p if isinstance(p, bytes) else p.encode() for p in pieces]
    assert sorted(pieces_found(line)) == sorted(expected)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("scirpt:latin", "There is no filter “scirpt:”. Did you mean “script:”?"),
        ("script:latin2", "There is no script “latin2”. Did you mean latin?"),
        ("len:a", "“a” is not a number or range."),
        ("len:5-3", "“5-3” ends before it begins: write 3-5."),
        ("bytes:xy", "“x” is not a hexadecimal digit."),
        ("re:(", "The regular expression cannot be read: missing ) at position 1"),
        ("re:ab**", "The regular expression cannot be read: multiple repeat at position 3"),
        ("re:a{1000000000}", "The regular expression repeats its parts more than 10,000 times."),
        ("re:((a{900}){,900}){2,900}", "repeats its parts more than 10,000 times."),
        (f"re:a{{{'9' * 5000}}}", "repeats its parts more than 10,000 times."),
        ("re:" + "(?:" * 2000 + "a" + ")" * 2000, "The regular expression is too large."),
        ("a " * 16_000, "A filter has at most 64 terms."),
        ("finding:other", "There is no finding “other”."),
        ("type:nomal", "There is no type “nomal”. Did you mean normal?"),
    ],
)
def test_errors_are_sentences(line: str, sentence: str) -> None:
    with pytest.raises(QueryError, match=re.escape(sentence)):
        found(line)


def test_findings_are_sets_of_ids() -> None:
    assert found("finding:odd len:2-", odd=[3, 256, 260]) == {256, 260}


@pytest.mark.parametrize(
    ("line", "terms"),
    [
        ("", []),
        ("  a  b ", [("", "a", False), ("", "b", False)]),
        ('a:b "c d"', [("a", "b", False), ("", "c d", False)]),
        ('re:"a ""b"" c" x', [("re", 'a "b" c', False), ("", "x", False)]),
        ("re:^ +$", [("re", "^ +$", False)]),
        (
            "!re:a b !type:normal x",
            [("re", "a b", True), ("type", "normal", True), ("", "x", False)],
        ),
        ("re: a  ", [("re", " a", False)]),
        ('!len:3 !"x" !x', [("len", "3", True), ("", "x", True), ("", "!x", False)]),
        ('"open', [("", "open", False)]),
        ("::", [("", "::", False)]),
    ],
)
def test_words(line: str, terms: list[tuple[str, str, bool]]) -> None:
    assert [(word.key, word.value, word.negated) for word in words(line)] == terms


@given(st.text(max_size=8), st.sampled_from(["", "text", "re"]), st.text(max_size=3))
def test_what_is_written_is_read_back(value: str, key: str, before: str) -> None:
    line = f"{quoted(before)} {written(key, value)}"
    last = list(words(line))[-1]
    assert (last.key, last.value) == (key, value)
    assert line[last.start : last.end] == written(key, value)


@given(st.text(max_size=30))
def test_no_line_does_more_than_be_wrong(line: str) -> None:
    with contextlib.suppress(QueryError):
        parse(line, "ĠĊĉ")


# A naive filter, entry by entry.

TERMS: list[tuple[str, Callable[[tc.Tokenizer, int], bool]]] = [
    ("e", lambda t, n: b"e" in t.vocabulary.piece(n)),
    ("len:2-3", lambda t, n: 2 <= len(t.vocabulary.piece(n)) <= 3),
    ("len:1,>4", lambda t, n: len(t.vocabulary.piece(n)) == 1 or len(t.vocabulary.piece(n)) > 4),
    ("chars:0..1", lambda t, n: len(t.vocabulary.piece(n).decode("utf-8", "ignore")) <= 1),
    ("id:10-300", lambda t, n: 10 <= n <= 300),
    ("type:normal", lambda t, n: t.vocabulary.kind(n) == "normal"),
    ("type:byte,control", lambda t, n: t.vocabulary.kind(n) in ("byte", "control")),
    ("flag:space", lambda t, n: t.vocabulary.piece(n).startswith(b" ")),
    ("flag:superword", lambda t, n: n in superwords(t)),
    ("flag:splits", lambda t, n: script_of_piece(t.vocabulary.piece(n)) == "bytes"),
    ("bytes:61", lambda t, n: b"a" in t.vocabulary.piece(n)),
    ("re:[aeiou]", lambda t, n: re.search(rb"[aeiou]", t.vocabulary.piece(n)) is not None),
    ("like:T", lambda t, n: b"t" in t.vocabulary.piece(n).lower()),
]
TOKENIZERS = {
    "bpe": bpe,
    "unigram": unigram,
    "wordpiece": wordpiece,
    "bytes": lambda: columns().tokenizer,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TOKENIZERS)
@given(data=st.data())
def test_a_line_finds_what_a_naive_filter_finds(name: str, data: st.DataObject) -> None:
    tokenizer = TOKENIZERS[name]()
    chosen = data.draw(st.lists(st.tuples(st.booleans(), st.sampled_from(TERMS)), max_size=3))
    chosen.sort(key=lambda one: ":" in one[1][0])  # a word behind a re: is a part of it
    of = VocabularyColumns(tokenizer)
    line = " ".join(f"!{text}" if turned and ":" in text else text for turned, (text, _) in chosen)
    assert found(line, of) == {
        token
        for token in range(of.count)
        if all(
            test(tokenizer, token) != (turned and ":" in text) for turned, (text, test) in chosen
        )
    }


@functools.cache
def both_files() -> tuple[VocabularyColumns, VocabularyColumns]:
    """One tokenizer from two files: in GPT-2's alphabet, and of plain bytes as tiktoken's are."""
    texts = [" the cafés, the naïve жить жизнь 日本 👩 👩\n\n\tthe end\n\n\tof the" * 5]
    trained = tc.train("bpe", texts, vocab_size=340)
    folder = Path(tempfile.mkdtemp())
    for name, format in (("a.json", "huggingface"), ("b.tiktoken", "tiktoken")):
        trained.save(folder / name, format)
    spelled, plain = (
        VocabularyColumns(tc.open(folder / name)) for name in ("a.json", "b.tiktoken")
    )
    return spelled, plain


@given(st.data())
def test_what_one_file_spells_is_found_where_the_other_has_bytes(data: st.DataObject) -> None:
    spelled, plain = both_files()
    assert spelled.vocabulary.spelling != plain.vocabulary.spelling
    token = data.draw(st.integers(0, spelled.count - 1))
    line = quoted(spelled.vocabulary.surface(token))
    expected = {spelled.piece(token) for token in found(line, spelled)}
    assert expected  # the entry itself, or what has é as a letter where it is spelled é
    assert {plain.piece(token) for token in found(line, plain)} == expected


@pytest.mark.parametrize(
    ("tokenizer", "line", "expected"),
    [
        (wordpiece(), "Ġthe", "Ġ is not a space in this vocabulary"),
        (wordpiece(), "▁the", "▁ is not a space in this vocabulary"),
        (LOWER, "▁the", "▁ is not a space in this vocabulary"),
        (LOWER, "Ġzzz", "Case matters"),
        (unigram(), "▁zzz", "Case matters"),
        (unigram(), "Ġzzz", "Ġ is not a space in this vocabulary"),
        (LOWER, "日本", "Remove a filter"),
        (LOWER, "rank:999-", "The ranks of this vocabulary range from 256 to 262."),
        (LOWER, "rank:258 zzz", "Case matters"),
        (unigram(), "rank:5-10 type:normal", "The scores of this vocabulary range from −"),
        (wordpiece(), "rank:0-", "have neither ranks nor scores"),
    ],
)
def test_the_reason_that_nothing_is_found_is_true_of_the_vocabulary(
    tokenizer: tc.Tokenizer, line: str, expected: str
) -> None:
    of = VocabularyColumns(tokenizer)
    assert found(line, of) == set()
    assert expected in hint(parse(line, space_signs(of)), of)


def test_a_letter_of_the_alphabet_is_a_letter_where_entries_are_no_bytes(tmp_path: Path) -> None:
    file = write_file(tmp_path / "vocab.txt", "[UNK]\nĠ\nĠurġina")
    assert found("Ġ", VocabularyColumns(tc.open(file))) == {1, 2}


@given(st.binary(min_size=1, max_size=3))
def test_bytes_are_found_within_entries_only(needle: bytes) -> None:
    of = columns()
    expected = [needle in of.piece(token) for token in range(of.count)]
    assert holding(of, needle).tolist() == expected


@given(st.from_regex(r"[abc.^$*+?\\{}12()\[\]]{0,8}", fullmatch=True), st.text("abc12", max_size=6))
def test_what_an_expression_needs_is_in_all_that_it_matches(expression: str, text: str) -> None:
    try:
        pattern = regex.compile(expression)
    except regex.error:
        return
    if pattern.search(text) is not None:
        assert needed_text(expression) in text


@given(st.lists(st.one_of(st.text(max_size=4).map(str.encode), st.binary(max_size=4)), max_size=9))
def test_entries_are_decoded_each_by_itself(pieces: list[bytes]) -> None:
    of = VocabularyColumns(of_pieces(list(dict.fromkeys(p for p in pieces if len(p) > 1))))
    for _ in range(2):
        decoded = [of.piece(token).decode("utf-8", "surrogateescape") for token in range(of.count)]
        assert of.texts(range(of.count)) == decoded


EXPRESSIONS = [
    r"^[A-Z]{3}$", r"\d{2}", "(?i)ing$", r"[^\x00-\x7f]", r"^(?!.*e)", r"(.)\1\1", r"(?<=\s)\p{Lu}",
    r"(\s?\w+)+$", r"e.*t.*n", "(?:the){e<=1}", "(?V1)[[a-z]--[aeiou]]x", "",
]  # fmt: skip


@pytest.mark.parametrize("negated", [False, True])
def test_a_search_of_a_large_vocabulary_is_one_by_one(data: Path, negated: bool) -> None:
    of = VocabularyColumns(tc.open(str(data / "tokenizers" / "mistral-v3.model")))
    texts = [of.piece(token).decode("utf-8", "surrogateescape") for token in range(of.count)]
    tried = of.order("length", descending=True)[::3]
    for expression in EXPRESSIONS:
        search = ExpressionSearch(of, [Term("re", expression, negated, 0, 0, expression)], tried)
        run_through(search, 1e3)
        pattern = regex.compile(expression)
        expected = [n for n in tried.tolist() if (pattern.search(texts[n]) is None) == negated]
        assert search.matches.tolist() == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "expression", ["^(a|aa)+b$", "^(?:(?:(?:a|a)+)+)+b$", "(?R)|^ab", "^(?:a|(?1))(b)$", "(a+)+$|b"]
)  # fmt: skip
def test_an_expression_that_never_ends_is_given_up(
    expression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary_filter, "PATIENCE_S", 0.2)
    of = VocabularyColumns(of_pieces([*(b"a" * n for n in range(2, 20, 4)), b"a" * 60, b"ab"]))
    search = ExpressionSearch(of, parse(f"re:{expression}"), np.arange(of.count, dtype=np.int32))
    run_through(search, 1.0)
    assert search.gave_up or b"ab" in [of.piece(token) for token in search.matches]


@pytest.mark.parametrize(
    "expression",
    [
        *("(?:|a|){16}[xy]", "(?:|a|)" * 16 + "[xy]", "(?:a?|b?)" * 14 + "[xy]"),
        *("(?x)(?:|a|) {16}[xy]", "(?:|a|)(?#){16}[xy]"),
    ],
)
def test_an_expression_that_takes_long_for_one_character_is_given_up(
    expression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary_filter, "TIMEOUT_S", 1e-4)
    of = VocabularyColumns(of_pieces([b"aa"]))
    tried = np.array([of.vocabulary.find(b"a"), of.vocabulary.find(b"aa")], np.int32)
    search = ExpressionSearch(of, [Term("re", expression, False, 0, 0, expression)], tried)
    run_through(search, 1.0)
    assert search.gave_up == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "expression", [r"(((\w|\w)+)+)+[!?]$", r"^(?:a|b|ab)+?(?:\w|\w)+[!?]", "(?R)"]
)
def test_a_hopeless_expression_is_not_tried_on_all(
    expression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary_filter, "PATIENCE_S", 0.1)
    monkeypatch.setattr(vocabulary_filter, "SLOW_S", 0.0)  # all count, on any machine
    pieces = [bytes(97 + (number >> bit & 1) for bit in range(9)) for number in range(400)]
    of = VocabularyColumns(of_pieces([*pieces, *(piece * 4 for piece in pieces)]))
    search = ExpressionSearch(of, parse(f"re:{expression}"), np.arange(of.count, dtype=np.int32))
    run_through(search, 1.0)
    assert not len(search.matches)
    assert search.gave_up > 100


def test_intervals_that_overlap_find_what_is_in_one_of_them() -> None:
    chance = Random(3)
    numbers = np.array([*range(-5, 60), math.nan, math.inf, -math.inf])
    for _ in range(200):
        intervals = [(low := chance.randrange(50), low + chance.randrange(9)) for _ in range(4)]
        intervals += chance.choice([[], [(-math.inf, 3)], [(40, math.inf)]])
        expected = [any(low <= n <= high for low, high in intervals) for n in numbers.tolist()]
        assert _in_any(numbers, intervals).tolist() == expected
    assert not _in_any(numbers, []).any()


def test_completions() -> None:
    line = "the scr"
    offered = there(complete(line, len(line), columns()))
    assert [choice.text for choice in offered.choices] == ["script:"]
    assert line[offered.start : offered.end] == "scr"
    offered = there(complete("!script:", 8, columns()))
    texts = [choice.text for choice in offered.choices]
    assert "!script:han" in texts
    assert texts[0] == "!script:bytes"
    assert complete("the ", 4, columns()) is None


@pytest.mark.parametrize("key", ["script", "type", "flag"])
def test_all_values_that_are_offered_are_understood(key: str) -> None:
    for choice in values_of(columns(), key):
        assert len(found(choice.text)) == choice.count


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(CLASS_NAMES)), ids=CLASS_NAMES)
def test_every_class_can_be_asked_for(number: int) -> None:
    (term,) = parse(query_of(number))
    assert isinstance(term.value, frozenset)
    assert number in term.value


# As the file spells it.


@functools.cache
def of_file(kind: str) -> tc.Tokenizer:
    """A tokenizer of a file that spells its entries in a way of its own."""
    return read_huggingface(hf_models.KINDS[kind](hf_models.CORPUS).to_str().encode(), kind)


SPELLED = {
    "alphabet": lambda: of_file("byte_level"),
    "word ends": lambda: of_file("clip"),
    "bpe": bpe,
    "unigram": unigram,
    "wordpiece": wordpiece,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SPELLED)
def test_an_entry_is_found_as_its_file_spells_it(name: str) -> None:
    of = VocabularyColumns(SPELLED[name]())
    for token in range(of.count):
        surface = of.vocabulary.surface(token)
        if not surface or holding(of, surface.encode()).any():
            continue
        assert token in found(written("", surface), of), surface


def test_spelling_counts_where_bytes_find_nothing() -> None:
    of = VocabularyColumns(of_file("byte_level"))
    pieces = {token: of.piece(token) for token in range(of.count)}
    assert found("Ã©", of) == {token for token, piece in pieces.items() if "é".encode() in piece}
    assert found("!text:Ã©", of) == set(pieces) - found("Ã©", of)
    of = VocabularyColumns(wordpiece())
    surfaces = {token: of.vocabulary.surface(token) for token in range(of.count)}
    assert found("##", of) == {n for n, surface in surfaces.items() if surface.startswith("##")}
    of = VocabularyColumns(bpe())
    assert found("<0x0A>", of) == {
        n for n in range(of.count) if of.vocabulary.surface(n) == "<0x0A>"
    }
    assert len(found("<0x0A>", of)) == 1
