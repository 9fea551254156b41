"""GPT-2's table of bytes and characters, and the ids of single bytes."""

from __future__ import annotations

import csv
import io

import pytest
from small_vocabularies import LOWER

import tokenarium_core as tc
from tokenarium.models.text.byte_table import (
    HEADS,
    as_csv,
    byte_level,
    byte_rows,
    matching_rows,
    table_values,
)
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS


def test_the_table_has_each_byte_once() -> None:
    rows = byte_rows([LOWER])
    assert [row.byte for row in rows] == list(range(256))
    assert len({row.character for row in rows}) == 256
    assert sum(row.itself for row in rows) == 188
    assert [row.ids for row in rows] == [(byte,) for byte in range(256)]
    assert [ord(row.character) for row in rows if not row.itself] == list(range(256, 324))


@pytest.mark.parametrize(
    ("byte", "meaning", "character", "maps"),
    [
        (0x20, "space", "Ġ", "U+0120"),
        (0x0A, "LF line feed", "Ċ", "U+010A"),
        (0x21, "!", "!", "itself"),
        (0x7F, "DEL delete", "ġ", "U+0121"),
        (0x85, "continues a character", "ħ", "U+0127"),
        (0xAD, "continues a character", "Ń", "U+0143"),
        (0xC1, "never in UTF-8", "Á", "itself"),
        (0xC3, "begins a character of 2 bytes", "Ã", "itself"),
        (0xE2, "begins a character of 3 bytes", "â", "itself"),
        (0xF0, "begins a character of 4 bytes", "ð", "itself"),
        (0xFF, "never in UTF-8", "ÿ", "itself"),
    ],
)
def test_a_byte(byte: int, meaning: str, character: str, maps: str) -> None:
    assert byte_rows()[byte].cells() == [str(byte), f"{byte:02X}", meaning, character, maps]


def test_the_first_entries_of_gpt2(tiktoken_cache: object) -> None:
    rows = byte_rows([tc.open("gpt2")])
    first = sorted(rows, key=lambda row: row.ids)[:10]
    assert "".join(row.character for row in first) == "!\"#$%&'()*"
    assert [row.ids for row in first] == [(place,) for place in range(10)]
    assert rows[0x20].ids == (220,)


@pytest.mark.parametrize(
    ("query", "bytes_found"),
    [
        ("Ġ", [0x20]),
        ("233", [233]),
        ("0xE9", [233]),
        ("line feed", [0x0A]),
        ("a", [0x61]),
        (" ", [0x20]),
        ("nothing like it", []),
        ("never 2", []),
        ("9" * 5000, []),
    ],
)
def test_what_is_found(query: str, bytes_found: list[int]) -> None:
    assert sorted(row.byte for row in matching_rows(byte_rows([LOWER]), query)) == sorted(
        bytes_found
    )


def test_only_those_that_map_to_another_character() -> None:
    assert len(matching_rows(byte_rows(), "", only_mapped=True)) == 68


def test_only_byte_level_vocabularies_have_ids_of_bytes() -> None:
    able = {one.id: byte_level(tc.open(one.path)) for one in SHIPPED_TOKENIZERS}
    assert able["bpe-gpt2-8k"]
    assert able["superbpe-8k"]
    assert not able["sentencepiece-bpe-8k"]
    assert not able["wordpiece-8k"]


def test_the_table_is_written() -> None:
    rows = byte_rows([LOWER])
    lines = list(csv.reader(io.StringIO(as_csv(rows, ["small"]))))
    assert lines[0] == [*HEADS, "small"]
    assert lines[1 + 0x20] == ["32", "20", "space", "Ġ", "U+0120", "32"]
    assert len(lines) == 257
    assert table_values(rows, ["small"])[0x20]["ids"] == {"small": 32}
