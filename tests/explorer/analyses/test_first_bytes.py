"""The first bytes of UTF-8, against Python's codec, and the entries that begin with them."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.analyses.first_bytes import FIRST_BYTES
from tokenarium.commands.cli import app
from tokenarium.models.text.lead_bytes import LEAD_BYTES, lead_of
from tokenarium.resources.shipped_tokenizers import shipped_path

LAST = 0x10FFFF
CHARACTERS = [chr(n) for n in range(LAST + 1) if not 0xD800 <= n < 0xE000]


def test_the_ranges_are_those_of_python() -> None:
    """What each byte begins, from the encoding of every character."""
    begun: dict[int, list[tuple[int, int]]] = {}
    inside = set()
    for character in CHARACTERS:
        data = character.encode()
        begun.setdefault(data[0], []).append((ord(character), len(data)))
        inside.update(data[1:])
    for one in LEAD_BYTES:
        some = [pair for byte in range(one.first, one.last + 1) for pair in begun.get(byte, [])]
        assert {size for _, size in some} == ({one.size} if one.size else set())
        if one.size:
            assert (one.low, one.high) == (min(some)[0], max(some)[0])
            assert one.low <= ord(one.example) <= one.high
        assert (one.first in inside) == one.meaning.startswith("continues")


def test_the_ranges_hold_each_byte_once_and_its_bits() -> None:
    assert [byte for one in LEAD_BYTES for byte in range(one.first, one.last + 1)] == list(
        range(256)
    )
    for byte in range(256):
        bits = lead_of(byte).bits
        assert all(sign in ("x", bit) for sign, bit in zip(bits, f"{byte:08b}", strict=True))


@pytest.mark.parametrize("name", ["tokenarium-8k", "unigram-8k", "wordpiece-8k"])
def test_entries_are_counted_by_their_first_byte(name: str) -> None:
    tokenizer = tc.open(shipped_path(name))
    vocabulary = tokenizer.vocabulary
    counts = [0] * 256
    for token in range(len(vocabulary)):
        piece = vocabulary.piece(token)
        if piece and vocabulary.kind(token) not in ("control", "unknown", "unused"):
            counts[piece[0]] += 1
    answer = FIRST_BYTES.run({"t": tokenizer})
    assert answer.result.found["t"] == counts
    assert [row["t"] for row in answer.rows] == [sum(counts[one.first : one.last + 1]) for one in LEAD_BYTES]  # fmt: skip


def test_the_command_writes_json_and_a_table() -> None:
    line = ["first-bytes", str(shipped_path("tokenarium-8k"))]
    answer = json.loads(CliRunner().invoke(app, [*line, "--json"]).stdout)
    assert [row["bytes"] for row in answer["ranges"]] == [1, None, None, 2, 3, 4, None]
    (counts,) = answer["entries_by_first_byte"].values()
    assert len(counts) == 256
    assert sum(counts) > 7000
    written = CliRunner().invoke(app, line).stdout
    assert "E0–EF" in written
    assert "begins a character of 3 bytes" in written
