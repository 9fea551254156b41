"""The command that compares the ids of two tokenizers: its figures, and the tables that it writes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from command_line import command

import tokenarium_core as tc
from tokenarium.commands.terminal import FAILED
from tokenarium.resources.shipped_tokenizers import shipped_path

migrate = command("migrate")


@pytest.mark.slow
def test_every_new_id_has_a_row_in_both_forms(tmp_path: Path) -> None:
    wanted = tc.migrate(tc.open(shipped_path("tokenarium-8k")), tc.open(shipped_path("unigram-8k")))
    table, whole = tmp_path / "mapping.csv", tmp_path / "mapping.json"
    assert migrate("tokenarium-8k", "unigram-8k", "--out", table)[0] == 0
    assert migrate("tokenarium-8k", "unigram-8k", "--out", whole)[0] == 0
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["fate"] for row in rows] == wanted.fates
    assert [[int(id) for id in row["old_ids"].split()] for row in rows] == wanted.sources
    content = json.loads(whole.read_text("utf-8"))
    assert [row["old_ids"] for row in content["ids"]] == wanted.sources
    assert [row["entry"] for row in content["ids"]] == [row["entry"] for row in rows]
    assert content["dropped"] == wanted.dropped


def test_the_figures_add_up() -> None:
    code, said = migrate("bpe-gpt2-8k", "bpe-cl100k-8k", "--json")
    assert code == 0
    found = json.loads(said)
    fates = ("same", "moved", "pieces", "nothing", "unused")
    assert sum(found[fate] for fate in fates) == 8000
    assert found["tokens"]["new"] != found["tokens"]["old"]


def test_what_it_says(tmp_path: Path) -> None:
    changed = tmp_path / "changed.json"
    tc.change_special_tokens(
        tc.open(shipped_path("tokenarium-8k")), rename={"<|endoftext|>": "<|eot|>"}
    ).save(changed)
    code, said = migrate("tokenarium-8k", changed)
    assert code == 0
    assert "The id 7999 was <|endoftext|>, and is now <|eot|>." in said
    assert "0% fewer" in said or "0.0 % fewer" in said or "0 % fewer" in said
    assert migrate("tokenarium-8k", "nope")[0] == FAILED
