"""Overlap as a program and as a command, against sets of pieces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.analyses.overlap import OVERLAP
from tokenarium.commands.cli import app
from tokenarium.resources.shipped_tokenizers import shipped_path

NAMES = ("tokenarium-8k", "wordpiece-8k")


@pytest.fixture
def tokenizers() -> dict[str, tc.Tokenizer]:
    return {name: tc.open(shipped_path(name)) for name in NAMES}


def pieces(tokenizer: tc.Tokenizer) -> set[bytes]:
    vocabulary = tokenizer.vocabulary
    ids = range(len(vocabulary))
    left_out = ("control", "unknown", "unused")
    return {vocabulary.piece(one) for one in ids if vocabulary.kind(one) not in left_out}


def test_the_rows_are_those_of_sets(tokenizers: dict[str, tc.Tokenizer]) -> None:
    one, other = map(pieces, tokenizers.values())
    rows = OVERLAP.run(tokenizers).rows
    assert [row["shared entries"] for row in rows] == [
        len(one), len(one & other), len(one & other), len(other)
    ]  # fmt: skip
    assert rows[1]["Jaccard"] == pytest.approx(len(one & other) / len(one | other), rel=1e-5)


def test_the_command_writes_json_a_table_and_csv(
    tokenizers: dict[str, tc.Tokenizer], tmp_path: Path
) -> None:
    paths = [str(shipped_path(name)) for name in NAMES]
    line = ["overlap", paths[0], "--with", paths[1]]
    written = CliRunner().invoke(app, [*line, "--json", "--csv", str(tmp_path / "table.csv")])
    answer = json.loads(written.stdout)
    one, other = map(pieces, tokenizers.values())
    assert list(answer["entries"].values()) == [len(one), len(other)]
    assert {pair["shared"] for pair in answer["pairs"]} == {len(one & other)}
    assert len((tmp_path / "table.csv").read_text("utf-8").splitlines()) == 5
    assert f"{len(one & other):,}" in CliRunner().invoke(app, line).stdout


def test_one_tokenizer_is_too_few() -> None:
    refused = CliRunner().invoke(app, ["overlap", str(shipped_path(NAMES[0]))])
    assert refused.exit_code == 1
    assert "--with" in refused.output
