"""The direction in which a text reads, and a piece of it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextLayout, QTextOption
from PySide6.QtWidgets import QApplication

import tokenarium_core as tc
from tokenarium.models.text.direction import (
    in_its_direction,
    isolated,
    may_read_right_to_left,
    reads_right_to_left,
    with_its_signs,
)
from tokenarium.models.text.piece import quoted, readable
from tokenarium.models.text.pipeline import stages
from tokenarium.models.text.text_map import TextMap


@pytest.mark.parametrize(
    ("paragraphs", "expected"),
    [
        ([], False),
        (["123 …\n"], False),
        (["\n", "", "אב ab"], True),
        (["\n", "ab אב", "אב"], False),
        (["«", "العربية"], True),
    ],
)
def test_the_direction_of_paragraphs(paragraphs: list[str], expected: bool) -> None:
    assert reads_right_to_left(paragraphs) == expected


def test_no_right_to_left_letter_is_overlooked() -> None:
    for code in range(0x110000):
        character = chr(code)
        if unicodedata.bidirectional(character) in {"R", "AL"} and code != 0x200F:  # a mark
            assert may_read_right_to_left(TextMap(character)), hex(code)
    assert not may_read_right_to_left(TextMap("Größe, 日本語, кот"))


@pytest.mark.parametrize(
    ("shown", "piece", "isolated"),
    [
        ("␣the", b" the", False),
        ("␣é", " é".encode(), False),
        ("␣اليوم", " اليوم".encode(), True),
        ("‹ZWNJ›های", "\u200cهای".encode(), True),
        ("<0xE2>", b"\xe2", False),
    ],
)
def test_a_piece_is_shown_in_its_direction(shown: str, piece: bytes, isolated: bool) -> None:
    expected = f"\u2067{shown}\u2069" if isolated else shown
    assert in_its_direction(shown, piece) == expected


@pytest.mark.parametrize("show", [isolated, with_its_signs])
@pytest.mark.parametrize("piece", [" في", "\nשלום\n"])
def test_signs_stay_at_the_ends_of_a_piece(
    qapp: QApplication, show: Callable[[str], str], piece: str
) -> None:
    shown = readable(piece.encode())
    for line in (
        f"“{show(shown)}” merges",
        f"{show(shown)}  123",
        f"{show(shown)} | {show(shown)}",
    ):
        layout = QTextLayout(line)
        option = QTextOption()
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        layout.setTextOption(option)
        layout.beginLayout()
        layout.createLine()
        layout.endLayout()
        first = line.index(shown)
        glyphs = [layout.glyphRuns(first + place, 1)[0] for place in range(len(shown))]
        places = [glyph.positions()[0].x() for glyph in glyphs]
        assert places == sorted(places, reverse=True), line


def test_sentences_and_stages_keep_signs_at_their_ends() -> None:
    assert quoted(" في".encode()) == "“\u2068␣في\u2069”"
    tokenizer, text = tc.train("bpe", [""], vocab_size=256), " في"
    for stage in stages(tokenizer, tokenizer.encode(text), TextMap(text), 0, 5):
        if stage.name == "Raw":
            assert stage.content == "\u200f␣في\u200f"


@pytest.mark.parametrize("show", [isolated, with_its_signs])
def test_what_reads_to_the_right_stays_as_it_is(show: Callable[[str], str]) -> None:
    assert show("␣the") == "␣the"
    assert show("") == ""
