"""Lists of ids as users write them, and what ids decode to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from played_models import bpe, unigram, wordpiece
from small_vocabularies import LOWER, of_pieces

import tokenarium_core as tc
from tokenarium.models.text.id_decoding import (
    LIMIT,
    decode_ids,
    is_entry,
    looks_like_ids,
    summary,
    text_of,
)
from tokenarium_core.command_values import ids_in

EURO = of_pieces([b"\xe2\x82"], special_tokens={"<|end|>": 300})

LISTS = [
    ("", ()),
    ("464, 3290", (464, 3290)),
    ("[464, 3290]", (464, 3290)),
    ("464\n3290\t7", (464, 3290, 7)),
    ("[[464, 3290],\n [7, 8]]", (464, 3290, 7, 8)),
    ("tensor([464, 3290], dtype=torch.int64, device='cuda:0')", (464, 3290)),
    ("array([464, 3290], dtype=int32)", (464, 3290)),
    ("(464; 3290)", (464, 3290)),
]


@pytest.mark.parametrize(("text", "ids"), LISTS)
def test_lists_of_ids(text: str, ids: tuple[int, ...]) -> None:
    assert ids_in(text) == (ids_in(text).__class__)(ids, ())


@pytest.mark.parametrize("word", ["x", "-3", "1.5", "0x1f", "9" * 5000, "12a", "१२"])
def test_words_that_are_no_ids_are_named(word: str) -> None:
    found = ids_in(f"1, {word}, 2")
    assert found.ids == (1, 2)
    assert found.others == (word,)


@pytest.mark.parametrize(
    ("text", "is_list"),
    [
        ("[15339, 1917]", True),
        ("tensor([15339, 1917])", True),
        ("15339 1917 11 12 13", True),
        ("15339 1917", False),
        ("[1, 2, 3]", False),
        ("1 2 3 4 5", False),
        ("[15339, x]", False),
        ("In 2024 there were 31415 of them", False),
        ("", False),
    ],
)
def test_what_looks_like_a_list_of_ids(text: str, is_list: bool) -> None:
    assert looks_like_ids(text) == is_list


@given(st.text(max_size=40))
def test_any_text_is_read(text: str) -> None:
    ids_in(text)
    looks_like_ids(text)


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=20))
def test_the_ids_of_a_text_decode_to_it(text: str) -> None:
    decoded = decode_ids(LOWER, LOWER.encode_ids(text))
    assert decoded.text == text
    assert decoded.faults == decoded.unknown == decoded.notes == ()
    assert decoded.same
    assert "".join(part for part, _ in decoded.parts()) == text


@given(st.lists(st.integers(-3, 1200), max_size=12))
def test_any_ids_are_decoded(ids: list[int]) -> None:
    for tokenizer in (EURO, bpe(), unigram(), wordpiece()):
        decoded = decode_ids(tokenizer, ids)
        vocabulary = tokenizer.vocabulary
        assert [row.id for row in decoded.rows] == ids
        assert set(decoded.unknown) == {token for token in ids if not is_entry(vocabulary, token)}
        assert all(0 <= fault.first <= fault.last < len(ids) for fault in decoded.faults)
        assert summary(decoded, len(ids))
        known = [token for token in ids if is_entry(vocabulary, token)]
        assert decoded.data == tokenizer.decode_bytes(known)


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        (
            [256],
            "<0xE2><0x82> of id 256 are not UTF-8: the character goes on in an id that is missing at the end.",
        ),
        (
            [0x82],
            "<0x82> of id 130 is not UTF-8: the character begins in an id that is missing before this one.",
        ),
        (
            [256, 97],
            "<0xE2><0x82> of id 256 are not UTF-8: the character does not go on in the next id.",
        ),
        ([0xE2, 0x82, 97], "<0xE2><0x82> of ids 226 to 130 are not UTF-8"),
    ],
)
def test_what_is_not_utf8_is_said_with_its_ids(ids: list[int], said: str) -> None:
    decoded = decode_ids(EURO, ids)
    assert len(decoded.faults) == 1
    assert decoded.faults[0].sentence.startswith(said)
    assert decoded.same is None
    marked = [part for part, good in decoded.parts() if not good]
    assert marked == ["".join(f"<0x{byte:02X}>" for byte in decoded.faults[0].data)]


def test_halves_that_meet_are_whole() -> None:
    decoded = decode_ids(EURO, [256, 0xAC])
    assert decoded.text == "€"
    assert not decoded.faults


def test_ids_that_are_no_entries_and_special_ones_are_named() -> None:
    decoded = decode_ids(EURO, [97, 9999, 300])
    assert decoded.unknown == (9999,)
    assert "9,999 has no entry: this vocabulary has 0 to 300" in decoded.notes[0]
    assert [row.note for row in decoded.rows] == ["", "no such id", "special token"]
    assert "1 unknown id" in summary(decoded, 3)


def test_other_ids_for_the_same_text_are_noticed() -> None:
    spelled = [*b"low"]
    assert decode_ids(LOWER, spelled).same is False
    assert "different ids" in summary(decode_ids(LOWER, spelled), 3)


def test_what_the_decoder_changes_is_said() -> None:
    tokenizer: tc.Tokenizer = bpe()
    decoded = decode_ids(tokenizer, tokenizer.encode_ids("the people"))
    assert decoded.notes == ("The decoder drops the space at the start.",)


def test_very_many_ids() -> None:
    decoded = decode_ids(LOWER, [97] * (LIMIT * 20))
    assert len(decoded.rows) == LIMIT
    assert len(decoded.data) == LIMIT * 20


@given(st.lists(st.integers(-3, 400), max_size=12))
def test_the_text_alone_is_that_of_all(ids: list[int]) -> None:
    decoded = decode_ids(EURO, ids)
    text, unknown = text_of(EURO, ids)
    assert text == "".join(part for part, _ in decoded.parts())
    assert unknown == len(decoded.unknown)
