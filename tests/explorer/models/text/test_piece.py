"""How pieces, bytes and characters are written: one notation, which nothing else of a text looks like."""

from __future__ import annotations

import pytest
import unicodedata2
from hypothesis import given
from hypothesis import strategies as st
from played_models import bpe, wordpiece
from small_vocabularies import of_pieces

from tokenarium.models.text.piece import byte_sign, character_name, piece_text, readable

NAMES = [
    ("\n", "LINE FEED"),
    ("\x00", "NULL"),
    ("\x7f", "DELETE"),
    ("\x9f", "APPLICATION PROGRAM COMMAND"),
    ("न", "DEVANAGARI LETTER NA"),
    ("\U0001fae9", "FACE WITH BAGS UNDER EYES"),  # of Unicode 16
    ("\U0001fac6", "FINGERPRINT"),
    ("\ue000", "private use"),
    ("\U000f0000", "private use"),
    ("\ufdd0", "noncharacter"),
    ("\U0010ffff", "noncharacter"),
    ("\u0378", "unassigned"),
    ("\ud800", "surrogate"),
]


@pytest.mark.parametrize(("character", "name"), NAMES)
def test_names_of_characters(character: str, name: str) -> None:
    assert character_name(character) == name


def test_each_control_has_an_alias_of_unicode() -> None:
    for code in [*range(0x20), *range(0x7F, 0xA0)]:
        name = character_name(chr(code))
        assert unicodedata2.lookup(name) == chr(code), f"{code:04X}"


@given(st.characters(exclude_categories=("Cc", "Cs", "Co", "Cn")))
def test_no_assigned_character_is_without_a_name(character: str) -> None:
    assert unicodedata2.lookup(character_name(character)) == character


@given(st.binary(max_size=12))
def test_bytes_of_no_whole_character_are_written_in_one_way(piece: bytes) -> None:
    lone = [
        ord(c) - 0xDC00
        for c in piece.decode("utf-8", "surrogateescape")
        if 0xDC80 <= ord(c) <= 0xDCFF
    ]
    shown = readable(piece)
    at = 0
    for byte in lone:
        at = shown.index(byte_sign(byte), at) + 1
    assert "\\x" not in shown or b"\\x" in piece


def test_a_space_does_not_look_like_a_middle_dot() -> None:
    assert readable(b" a b") == "␣a␣b"
    assert readable("a·b".encode()) == "a·b"
    assert readable("\u00a0".encode()) == "⍽"
    assert readable(b"\f") == "‹FF›"
    assert readable(b"\xff") == "<0xFF>"


def test_an_entry_is_written_alike_whatever_its_file_does() -> None:
    for tokenizer in (of_pieces([b" the", b"th"]), bpe()):
        vocabulary = tokenizer.vocabulary
        texts = {piece_text(vocabulary, token) for token in range(len(vocabulary))}
        assert {"␣", "<0xE2>"} <= texts
        assert not any("Ġ" in text or "▁" in text for text in texts)


def test_affixes_are_part_of_an_entrys_text() -> None:
    tokenizer = wordpiece()
    continuing = tokenizer.encode_ids("unaffable")[1:]
    assert all(piece_text(tokenizer.vocabulary, token).startswith("##") for token in continuing)
