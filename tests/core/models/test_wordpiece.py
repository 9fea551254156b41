"""WordPiece by hand: cuts, events, places, and what a vocab.txt may not be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium_core.formats.vocab_txt_format import read_vocab_txt
from tokenarium_core.normalizers.bert_normalizer import letters_of
from tokenarium_core.trace import KINDS, Trace

PIECES = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "##a", "aff", "a", "!", "##!",
]  # fmt: skip
SMALL = read_vocab_txt("\n".join(PIECES).encode(), "small")


def spelled(tokenizer: tc.Tokenizer, text: str) -> list[str]:
    return [tokenizer.vocabulary.surface(token) for token in tokenizer.encode_ids(text)]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        (" \t ", []),
        ("unaffable", ["un", "##aff", "##able"]),
        ("UNÄFFABLE!", ["un", "##aff", "##able", "!"]),
        ("aff aaa", ["aff", "a", "##a", "##a"]),
        ("affx a", ["[UNK]", "a"]),
        ("a" * 100, ["a"] + ["##a"] * 99),
        ("a" * 101, ["[UNK]"]),
        ("un\x00a", ["un", "##a"]),
        ("##a", ["[UNK]", "[UNK]", "a"]),
        ("[UNK]", ["[UNK]", "[UNK]", "[UNK]"]),
    ],
)
def test_words_are_the_longest_pieces_from_the_left(text: str, pieces: list[str]) -> None:
    assert spelled(SMALL, text) == pieces
    assert spelled(SMALL, text) == pieces  # from the caches


def test_a_trace_says_what_was_tried() -> None:
    trace = Trace()
    encoding = SMALL.encode("unax", trace=trace)
    events = [
        (KINDS[kind], start, stop, token)
        for kind, start, stop, token in zip(
            trace.kinds, trace.positions, trace.lefts, trace.results, strict=True
        )
    ]
    assert events == [
        ("pre-token", 0, 4, -1),
        ("try", 0, 4, -1),
        ("try", 0, 3, -1),
        ("try", 0, 2, 4),
        ("piece", 0, 2, 4),
        ("try", 2, 4, -1),
        ("try", 2, 3, 7),
        ("piece", 2, 3, 7),
        ("try", 3, 4, -1),
        ("unknown", 0, 4, 1),
    ]
    assert list(encoding.ids) == [1]
    assert trace.replay(b"unax", []) == [1]


@given(st.lists(st.sampled_from(["un", "aff", "able", "É", "x", "!", " ", "中"]), max_size=20))
def test_tokens_are_in_their_words(parts: list[str]) -> None:
    text = "".join(parts)
    trace = Trace()
    encoding = SMALL.encode(text, trace=trace)
    assert list(encoding.ids) == SMALL.encode_ids(text)
    data = text.encode()
    at = 0
    for index, token in enumerate(encoding.ids):
        start, stop = encoding.span(index)
        assert at <= start < stop <= len(data)
        at = stop
        if SMALL.vocabulary.kind(token) != "unknown":
            assert data[start:stop] == SMALL.vocabulary.piece(token)


def test_an_accent_belongs_to_its_letter_or_to_nothing() -> None:
    encoding = SMALL.encode("Ä A\u0308a", trace=None)
    assert list(encoding.ids) == [9, 9, 7]
    assert [encoding.span(index) for index in range(3)] == [(0, 2), (3, 4), (6, 7)]


def test_the_template_and_the_way_back() -> None:
    ids = list(SMALL.encode("unaffable!", template=True).ids)
    assert [SMALL.vocabulary.surface(token) for token in (ids[0], ids[-1])] == ["[CLS]", "[SEP]"]
    assert SMALL.decode(ids) == "unaffable!"


def test_case_follows_from_the_pieces_unless_it_is_given() -> None:
    cased = b"[UNK]\n[unused1]\nParis\nparis\n"
    assert spelled(read_vocab_txt(cased, "cased"), "Paris") == ["Paris"]
    assert spelled(read_vocab_txt(cased, "cased", lowercase=True), "Paris") == ["paris"]
    assert spelled(read_vocab_txt(b"[UNK]\nparis\n", "uncased"), "Paris") == ["paris"]
    details = {detail.name: detail.value for detail in read_vocab_txt(cased, "cased").details}
    assert details["lowercase"] == "no, because some entries have upper-case Latin letters"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "small is empty"),
        (b"\n\n", "small is empty"),
        (b"[UNK]\na\nb\na\n", "Line 4 of small has the entry 'a', which line 2 already has"),
        (b"[UNK]\na\xff\nb\n", r"Line 2 of small is not UTF-8 \(byte 7 of the file\)"),
        (b"a\nb\n", r"small has no line \[UNK\]"),
    ],
)
def test_what_a_vocab_txt_may_not_be(content: bytes, message: str) -> None:
    with pytest.raises(tc.FormatError, match=message):
        read_vocab_txt(content, "small")


def test_hangul_falls_into_its_letters() -> None:
    assert letters_of(0xAC00).decode() == "\u1100\u1161"
    assert letters_of(0xD7A3).decode() == "\u1112\u1175\u11c2"
