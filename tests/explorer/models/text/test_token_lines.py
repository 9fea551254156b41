"""The lines of a text with the tokens that begin in them: each token once, whatever cuts it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_vocabularies import LOWER, of_pieces

import tokenarium_core as tc
from tokenarium.models.text.byte_cells import CellMark
from tokenarium.models.text.token_lines import cut_kind, token_lines
from tokenarium.resources.shipped_tokenizers import shipped_path

TOKENIZERS = {"small": LOWER, "lines": of_pieces([b"\n\n", b"w\n", b"\nl"], "whitespace")} | {
    name: tc.open(shipped_path(name)) for name in ("unigram-8k", "wordpiece-8k", "superbpe-8k")
}


@settings(max_examples=60, deadline=None)
@given(st.text("low er\n\r\u2028日é\u0301🧑‍🚀", max_size=40))
def test_each_token_is_in_one_line(text: str) -> None:
    found = token_lines(text, TOKENIZERS)
    for place, (name, tokenizer) in enumerate(TOKENIZERS.items()):
        ids = [int(cell.note) for line in found.lines for cell in line.rows[place]]
        assert ids == list(tokenizer.encode(text)), name
    assert set(found.left_out) == {0}
    assert found.byte_count == len(text.encode())


@settings(max_examples=60, deadline=None)
@given(st.text("low er\n日🧑‍🚀", max_size=40), st.integers(1, 20))
def test_of_the_beginning_are_the_first_tokens(text: str, most: int) -> None:
    found = token_lines(text, TOKENIZERS, most)
    shown = len(text[:most].encode())
    for place, tokenizer in enumerate(TOKENIZERS.values()):
        cells = [cell for line in found.lines for cell in line.rows[place]]
        ids = list(tokenizer.encode(text))
        assert [int(cell.note) for cell in cells] == ids[: len(cells)]
        assert found.left_out[place] == len(ids) - len(cells)
        assert all(cell.right <= shown for cell in cells)


def test_the_lines_are_without_their_ends() -> None:
    found = token_lines("low\r\n\nlower\n", {"small": LOWER})
    assert [line.text for line in found.lines] == ["low", "", "lower"]
    assert [[cell.label for cell in line.rows[0]] for line in found.lines] == [
        ["low", "‹CR›", "⏎"],
        ["⏎"],
        ["lower", "⏎"],
    ]
    (only,) = token_lines("", {"small": LOWER}).lines
    assert (only.text, only.rows) == ("", ((),))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("日", ["part of a character"] * 3),
        ("e\u0301", ["part of what readers see as one character", "part of a character", "part of a character"]),
        ("low", [""]),
    ],
)  # fmt: skip
def test_parts_of_characters_are_marked(text: str, kinds: list[str]) -> None:
    (line,) = token_lines(text, {"small": LOWER}).lines
    assert [cut_kind(cell.mark) for cell in line.rows[0]] == kinds


def test_a_grapheme_at_the_limit_is_still_one() -> None:
    (line,) = token_lines("lowe\u0301", {"small": LOWER}, most=4).lines
    assert [(cell.label, cut_kind(cell.mark)) for cell in line.rows[0]] == [
        ("low", ""),
        ("e", "part of what readers see as one character"),
    ]


def test_special_and_lost_tokens_are_marked() -> None:
    assert cut_kind(CellMark.SPECIAL) == "special"
    (line,) = token_lines("𒀀", {"": TOKENIZERS["wordpiece-8k"]}).lines
    assert [cut_kind(cell.mark) for cell in line.rows[0]] == ["its text is lost"]
