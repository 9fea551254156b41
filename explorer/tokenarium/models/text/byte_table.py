"""GPT-2's table of the 256 bytes: the character of each in the alphabet, and its id in byte-level vocabularies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import tokenarium_core as tc
from tokenarium.models.csv_text import csv_text
from tokenarium.models.text.lead_bytes import lead_of
from tokenarium.models.text.piece import CONTROL_NAMES, character_name, readable
from tokenarium_core.unicode.byte_alphabet import BYTES

HEADS = ("Byte", "Hex", "Stands for", "Character", "Maps to")


TIPS = (
    "The byte as a number",
    "The byte in hexadecimal",
    "What the byte is in a text in UTF-8",
    "The character that GPT-2's files write for it",
    "Whether that is the character of the same number; otherwise, its number in Unicode",
)
"""What each of the `HEADS` means."""


@dataclass(frozen=True, slots=True)
class ByteTableRow:
    """One byte: its number, what it is in UTF-8, its character in the alphabet, and its ids by tokenizer (-1: none)."""

    byte: int
    meaning: str
    character: str
    ids: tuple[int, ...] = ()

    @property
    def itself(self) -> bool:
        """Whether its character is the one of its own number."""
        return ord(self.character) == self.byte

    def cells(self) -> list[str]:
        """Returns the texts of `HEADS`, then the ids."""
        return [
            str(self.byte),
            f"{self.byte:02X}",
            self.meaning,
            self.character,
            "itself" if self.itself else f"U+{ord(self.character):04X}",
            *("–" if token < 0 else str(token) for token in self.ids),
        ]


def byte_rows(tokenizers: Sequence[tc.Tokenizer] = ()) -> list[ByteTableRow]:
    """Returns the 256 rows, with the ids that these tokenizers have for the bytes; see `byte_level`."""
    ids = [tokenizer.model.byte_symbols() for tokenizer in tokenizers]
    return [
        ByteTableRow(byte, _meaning(byte), character, tuple(byte_ids[byte] for byte_ids in ids))
        for byte, character in enumerate(BYTES)
    ]


def byte_level(tokenizer: tc.Tokenizer) -> bool:
    """Returns whether words begin as single bytes in a tokenizer, so that each has an id."""
    return len(tokenizer.model.byte_symbols()) == 256


def _meaning(byte: int) -> str:
    """Returns what a byte is in UTF-8."""
    if byte < 0x80 and byte in CONTROL_NAMES:
        return f"{CONTROL_NAMES[byte]} {character_name(chr(byte)).lower()}"
    if byte < 0x80:
        return "space" if byte == 0x20 else readable(bytes([byte]))
    return lead_of(byte).meaning


def matching_rows(
    rows: Sequence[ByteTableRow], query: str, only_mapped: bool = False
) -> list[ByteTableRow]:
    """Returns the rows in which all words of a query are found; a number is a byte, an id, or 0x with hexadecimal digits.

    A single character finds its own row. ``only_mapped``: only bytes that stand for another character.
    """
    words = query.split() if query.strip() else ([query] if query else [])
    return [
        row
        for row in rows
        if not (only_mapped and row.itself) and all(_matches(row, word) for word in words)
    ]


def _matches(row: ByteTableRow, word: str) -> bool:
    if len(word) == 1 and not word.isdigit():
        return word in (row.character, chr(row.byte))
    if word.isdecimal():
        return int(word[:12]) in (row.byte, *row.ids)
    if word[:2].lower() == "0x":
        return word[2:].lower() == f"{row.byte:02x}"
    return word.casefold() in " ".join(row.cells()).casefold()


def table_lines(rows: Sequence[ByteTableRow], names: Sequence[str]) -> list[list[str]]:
    """Returns the table with its heads, a list for each line."""
    return [[*HEADS, *names], *(row.cells() for row in rows)]


def as_csv(rows: Sequence[ByteTableRow], names: Sequence[str]) -> str:
    """Returns the table as CSV."""
    return csv_text(table_lines(rows, names))


def table_values(
    rows: Sequence[ByteTableRow], names: Sequence[str]
) -> list[Mapping[str, int | str | bool | dict[str, int]]]:
    """Returns the table for JSON."""
    return [
        {
            "byte": row.byte,
            "meaning": row.meaning,
            "character": row.character,
            "code_point": ord(row.character),
            "itself": row.itself,
            "ids": dict(zip(names, row.ids, strict=True)),
        }
        for row in rows
    ]
