"""``tokenarium encode``: texts that are truncated, padded and taken line by line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.commands.cli import app
from tokenarium.commands.terminal import FAILED

TEXT = "one two three\n\nfour"


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A tokenizer.json that stores a truncation and a padding."""
    path = tmp_path / "tokenizer.json"
    trained = tc.train("bpe", ["one two"] * 5, vocab_size=270, special_tokens=["<pad>", "<s>"])
    trained.save(path, format="huggingface")
    made = Tokenizer.from_file(str(path))
    made.enable_truncation(4, stride=1)
    made.enable_padding(length=6, pad_id=trained.special_tokens["<pad>"], pad_token="<pad>")
    made.save(str(path))
    return path


def test_lines_as_the_file_stores_it(stored: Path) -> None:
    command = ["encode", str(stored), TEXT, "--lines", "--truncate", "stored", "--pad", "stored"]
    made = Tokenizer.from_file(str(stored)).encode_batch(TEXT.split("\n"))
    found = CliRunner().invoke(app, [*command, "--json"])
    assert json.loads(found.stdout) == {
        "ids": [one.ids for one in made],
        "attention_mask": [one.attention_mask for one in made],
        "overflowing": [[rest.ids for rest in one.overflowing] for one in made],
    }
    rows = [row for one in made for row in (one.ids, *(rest.ids for rest in one.overflowing))]
    found = CliRunner().invoke(app, command)
    assert [[int(id) for id in line.split()] for line in found.stdout.splitlines()] == rows


def test_numbers_count_before_what_is_stored(stored: Path) -> None:
    ids = tc.open(stored).encode_ids("one two three")
    pad = tc.open(stored).special_tokens["<pad>"]
    found = CliRunner().invoke(app, ["encode", str(stored), "one two three", "--pad", "30"])
    assert found.stdout.split() == [str(id) for id in [*ids, *[pad] * (30 - len(ids))]]
    found = CliRunner().invoke(app, ["encode", str(stored), "one two three", "--truncate", "2"])
    assert [list(map(int, line.split())) for line in found.stdout.splitlines()] == [
        ids[at : at + 2] for at in range(0, len(ids), 2)
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--truncate", "x"], "give a number, or stored"),
        (["--truncate", "0"], "must be at least 1"),
        (["--truncate", "stored"], "stores no truncation"),
        (["--pad", "stored"], "stores no padding"),
        (["--pad", "longest"], "defines no padding token"),
        (["--pad", "3", "--show"], "leave --show"),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path: Path, arguments: list[str], words: str) -> None:
    path = tmp_path / "tokenizer.json"
    tc.train("bpe", [""], vocab_size=256).save(path, format="huggingface")
    found = CliRunner().invoke(app, ["encode", str(path), "a", *arguments])
    assert found.exit_code == FAILED
    assert words in " ".join(found.stderr.split())
