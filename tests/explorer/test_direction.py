"""The direction in which a text reads, and a piece of it."""

from __future__ import annotations

import unicodedata

import pytest

from tokenarium.models.text.direction import (
    in_its_direction,
    may_read_right_to_left,
    reads_right_to_left,
)
from tokenarium.models.text.text_map import TextMap


@pytest.mark.parametrize(
    ("paragraphs", "wanted"),
    [
        ([], False),
        (["123 …\n"], False),
        (["\n", "", "אב ab"], True),
        (["\n", "ab אב", "אב"], False),
        (["«", "العربية"], True),
    ],
)
def test_the_direction_of_paragraphs(paragraphs: list[str], wanted: bool) -> None:
    assert reads_right_to_left(paragraphs) == wanted


def test_no_right_to_left_letter_is_overlooked() -> None:
    for code in range(0x110000):
        character = chr(code)
        if unicodedata.bidirectional(character) in {"R", "AL"} and code != 0x200F:  # a mark
            assert may_read_right_to_left(TextMap(character)), hex(code)
    assert not may_read_right_to_left(TextMap("Größe, 日本語, кот"))


@pytest.mark.parametrize(
    ("shown", "piece", "isolated"),
    [
        ("·the", b" the", False),
        ("·é", " é".encode(), False),
        ("·اليوم", " اليوم".encode(), True),
        ("‹ZWNJ›های", "\u200cهای".encode(), True),
        ("‹E2›", b"\xe2", False),
    ],
)
def test_a_piece_is_shown_in_its_direction(shown: str, piece: bytes, isolated: bool) -> None:
    expected = f"\u2067{shown}\u2069" if isolated else shown
    assert in_its_direction(shown, piece) == expected
