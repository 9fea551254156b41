"""Bytes as users write them, and what tokenizers make of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_vocabularies import LOWER

import tokenarium_core as tc
from tokenarium.models.text.byte_input import (
    about_bytes,
    bytes_in,
    encoded_bytes,
    merged_sentence,
    token_rows,
    written_bytes,
)
from tokenarium.models.text.piece import NumberBase, byte_numbers, code_point_number
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("", b""),
        ("63 61 66 E9", b"caf\xe9"),
        ("636166e9", b"caf\xe9"),
        ("0x63, 0x61,0x66 ; 0xE9", b"caf\xe9"),
        ("63:61:66:E9", b"caf\xe9"),
        ("A", b"\n"),
        (r"\x63\x61\x66\xe9", b"caf\xe9"),
        (r"b'caf\xe9'", b"caf\xe9"),
        ("[99, 97, 102, 233]", b"caf\xe9"),
        ("(236, 149, 136)", "안".encode()),
    ],
)
def test_what_is_written(text: str, data: bytes) -> None:
    assert bytes_in(text).data == data
    assert not bytes_in(text).fault


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("63 xyz", "“xyz” is not pairs of hexadecimal digits."),
        ("636", "“636” is not pairs"),
        ("[99, 256]", "“256” is not a number from 0 to 255."),
        ("b'caf", "not how Python writes bytes"),
        ("b'é'", "not how Python writes bytes"),
    ],
)
def test_what_is_not_a_byte(text: str, said: str) -> None:
    assert said in bytes_in(text).fault


@given(data=st.binary(max_size=80), decimal=st.booleans())
def test_what_is_shown_is_read_again(data: bytes, decimal: bool) -> None:
    NumberBase.decimal = decimal
    try:
        assert bytes_in(byte_numbers(data, len(data))).data == data
        assert bytes_in(written_bytes(data)).data == data
        assert bytes_in(repr(data)).data == data
    finally:
        NumberBase.decimal = False


def test_numbers_in_decimal() -> None:
    text = "안녕하세요 👋 (hello in Korean!)"
    NumberBase.decimal = True
    points = [int(code_point_number(ord(character))) for character in text]
    assert points == [
        50504, 45397, 54616, 49464, 50836, 32, 128075, 32, 40, 104, 101, 108, 108, 111, 32, 105, 110, 32, 75, 111,
        114, 101, 97, 110, 33, 41,
    ]  # fmt: skip
    assert byte_numbers(text.encode(), 99) == (
        "236 149 136 235 133 149 237 149 152 236 132 184 236 154 148 32 240 159 145 139 32 40 104 101 108 108 111 32"
        " 105 110 32 75 111 114 101 97 110 33 41"
    )
    assert byte_numbers(b"abc", 2) == "97 98 …"


def test_the_tokens_of_bytes() -> None:
    encoded = encoded_bytes(LOWER, b"low\xe2 low")
    assert [(token.text, token.start, token.end) for token in encoded.tokens()] == [
        ("low", 0, 3),
        ("<0xE2>", 3, 4),
        ("␣low", 4, 8),
    ]
    assert encoded.decoded() == "low\ufffd low"
    assert encoded.merged_from == 0
    assert "From byte 0 on" in merged_sentence(encoded)
    assert token_rows(encoded)[2] == ["226", "<0xE2>", "E2", "3", "4"]
    assert about_bytes(b"low\xe2 low").startswith(
        "8 bytes: 1 of them is not UTF-8, the first at byte 3 (E2)"
    )


def test_a_text_is_no_special_case() -> None:
    encoded = encoded_bytes(LOWER, b"low low")
    assert encoded.ids == LOWER.encode_ids("low low")
    assert not merged_sentence(encoded)
    assert "the ids are those of the text" in about_bytes(b"low low")


def test_a_model_that_cannot_is_named() -> None:
    path = next(one.path for one in SHIPPED_TOKENIZERS if one.id == "unigram-8k")
    encoded = encoded_bytes(tc.open(path), b"\xff")
    assert "cannot encode bytes that are not UTF-8: its model, Unigram" in encoded.error
