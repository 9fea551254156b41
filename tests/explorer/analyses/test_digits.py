"""What other rules for digits do to a text: the table, the tiles, the command and the refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_vocabularies import of_pieces
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.analyses import digits
from tokenarium.analyses.digits import DIGITS
from tokenarium.analyses.parts import TILES
from tokenarium.commands.cli import app
from tokenarium.resources.shipped_tokenizers import shipped_path

PAIRS = of_pieces([b" 1", b"12", b"34", b"123", b"x "], "gpt2")
"""Pairs of digits, and a space before one: “ 1” 256, 12 257, 34 258, 123 259, “x ” 260."""


def pieces(tokenizer: tc.Tokenizer, ids: list[int]) -> list[bytes]:
    return [tokenizer.vocabulary.piece(token) for token in ids]


def test_a_worked_example() -> None:
    answer = DIGITS.run({"pairs": PAIRS}, "x 1234")
    found = answer.result.found["pairs"]
    assert {id: pieces(PAIRS, ids) for id, ids in found.items()} == {
        "own": [b"x", b" 1", b"2", b"34"],
        "single": [b"x", b" ", b"1", b"2", b"3", b"4"],
        "right": [b"x", b" ", b"1", b"2", b"34"],
        "left": [b"x", b" ", b"123", b"4"],
    }
    (row,) = answer.rows
    assert row["As it is"] == 4
    names = ("Single digits", "Threes from the right", "Threes from the left")
    assert [row[name] for name in names] == [6, 5, 4]
    assert [row[f"{name}: difference"] for name in names] == [2, 1, 0]
    shown: Any = DIGITS.show(answer.inputs, answer.result)["tiles"]
    assert shown.sentence == (
        "pairs: 4 tokens as it is; +2 with single digits, +1 with threes from the right, 0 with threes from the left."
    )
    assert [row.lit for row in shown.rows] == [True, False, False, False]
    assert [list(row.ids) for row in shown.rows] == list(found.values())


def test_the_tiles_begin_shortly_before_the_first_difference() -> None:
    text = "ab " * 90 + "1234 " * 90
    answer = DIGITS.run({"pairs": PAIRS}, text)
    shown: Any = DIGITS.show(answer.inputs, answer.result)["tiles"]
    found = answer.result.found["pairs"]
    same = next(
        at for at, two in enumerate(zip(*found.values(), strict=False)) if len(set(two)) > 1
    )
    for row, ids in zip(shown.rows, found.values(), strict=True):
        start = same - digits.BEFORE
        assert list(row.ids) == ids[start : start + TILES]
        assert f"{start + 1:,} to {start + TILES:,} here" in row.heading


def test_a_text_without_digits_says_so() -> None:
    answer = DIGITS.run({"pairs": PAIRS}, "x y z")
    shown: Any = DIGITS.show(answer.inputs, answer.result)["tiles"]
    assert "No rule for digits changes one of them." in shown.sentence
    assert len(set(map(tuple, answer.result.found["pairs"].values()))) == 1


def test_a_tokenizer_that_joins_pre_tokens_is_refused_with_a_reason() -> None:
    joined = tc.train("boundless-bpe", ["12 34 12 34"], vocab_size=258)
    with pytest.raises(tc.UnsupportedError, match="joins pre-tokens again"):
        DIGITS.run({"joined": joined}, "12 34")
    inputs = DIGITS.run({"pairs": PAIRS}, "12").inputs
    inputs.strict = False
    inputs.subjects = [*inputs.subjects, type(inputs.subjects[0])("j", "joined", joined)]
    result = DIGITS.complete(inputs)
    assert list(result.found) == ["pairs"]
    cells = [column.cell(inputs.subjects[1]) for column in DIGITS.table(inputs, result).columns]
    assert cells[1].text == "not defined"
    assert "joins pre-tokens again" in cells[1].tip


def test_the_command_writes_json_and_csv(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    line = ["digits", str(shipped_path("tokenarium-8k")), "In 1999 and 2001"]
    line += ["--with", str(shipped_path("wordpiece-8k"))]
    answer = json.loads(CliRunner().invoke(app, [*line, "--json", "--csv", str(path)]).stdout)
    assert len(answer["tokenizers"]) == 2
    for row in answer["tokenizers"]:
        assert {"own", "single", "right", "left"} <= row.keys()
        assert row["single"]["tokens"] == len(row["single"]["ids"])
    assert len(path.read_text("utf-8").splitlines()) == 3
    written = CliRunner().invoke(app, line).stdout
    assert "before the tokenizer's own pre-tokenizer" in " ".join(written.split())
