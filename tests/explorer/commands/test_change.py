"""The command that changes special tokens: what it writes, what it says, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tiktoken
from command_line import command

import tokenarium_core as tc
from tokenarium.commands.terminal import FAILED

change = command("change")


def test_a_file_with_the_change_is_written_and_proved(tmp_path: Path) -> None:
    out = tmp_path / "chat.model"
    code, said = change(
        "unigram-8k", "--out", out, "--add", "<|im_start|>", "--rename", "<s>=<start>"
    )
    assert code == 0
    assert "<|im_start|> has the id 8000. SentencePiece never makes it from a text" in said
    assert "identical on" in said
    assert tc.open(out).special_tokens["<start>"] == 1


def test_chosen_ids_are_those_of_the_library(tiktoken_cache: Path, tmp_path: Path) -> None:
    out = tmp_path / "chat.tiktoken"
    code, said = change("cl100k_base", "--out", out, "--add", "<|im_start|>=100264", "--json")
    assert code == 0
    found = json.loads(said[said.index("{") :])
    assert found["changed"][0]["id"] == 100264
    beside = json.loads((tmp_path / "chat.pattern.json").read_text())
    assert beside["special_tokens"]["<|im_start|>"] == 100264
    ranks = tiktoken.load.load_tiktoken_bpe(str(out))
    assert ranks == tiktoken.get_encoding("cl100k_base")._mergeable_ranks


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "There is nothing to change"),
        (["--rename", "<nope>=<x>"], "does not begin with a special token"),
        (["--remove", "<s>"], "names it in its settings"),
        (["--add", "<x>=5"], "can only get the id 8000"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, arguments: list[str], reason: str) -> None:
    out = tmp_path / "x.model"
    code, said = change("unigram-8k", "--out", out, *arguments)
    assert code == FAILED
    assert reason in " ".join(said.split())
    assert not out.exists()
