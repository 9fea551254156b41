"""The command that says what other programs make of a file: its table, its files and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import command

from tokenarium.commands.terminal import FAILED, FOUND
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium_core.comparing.readers.readers import OTHER, READERS, REFUSES, SAME

readers = command("readers")
UNIGRAM = shipped_path("unigram-8k")
BPE = shipped_path("sentencepiece-bpe-8k")


def test_a_row_for_each_program_that_reads_the_file() -> None:
    code, said = readers(UNIGRAM)
    assert code == FOUND
    assert "sentencepiece 0.2.1" in said
    assert "different ids" in said
    assert "transformers" not in said
    assert "Of " in said


def test_the_same_as_json_and_csv(tmp_path: Path) -> None:
    code, said = readers(UNIGRAM, "--json", "--csv", tmp_path / "table.csv")
    assert code == FOUND
    found = json.loads(said)
    assert (found["worst"], len(found["programs"])) == (OTHER, len(READERS))
    lines = (tmp_path / "table.csv").read_text("utf-8-sig").splitlines()
    assert lines[0].startswith("Program,Result,Text,Why,")
    assert len(lines) == 1 + len(READERS)


@pytest.mark.parametrize(
    ("file", "fail_on", "code"),
    [(BPE, OTHER, 0), (BPE, SAME, FOUND), (UNIGRAM, OTHER, FOUND), (UNIGRAM, REFUSES, FOUND)],
)
def test_the_exit_code(file: Path, fail_on: str, code: int) -> None:
    assert readers(file, "--fail-on", fail_on)[0] == code


def test_a_line_of_a_text_is_tried(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("x " * 40 + "!" * 50)
    _, said = readers(UNIGRAM, "--text", path, "--json")
    _, without = readers(UNIGRAM, "--json")
    tried = [
        next(one["texts_tried"] for one in json.loads(answer)["programs"] if one["version"] == "0.2.1")
        for answer in (said, without)
    ]  # fmt: skip
    assert tried[0] == tried[1] + 1


def test_wrong_values_are_refused(tmp_path: Path) -> None:
    code, said = readers(UNIGRAM, "--fail-on", "smells")
    assert code == FAILED
    assert "There is no result 'smells'" in said
    assert readers(tmp_path / "no.json")[0] == FAILED


def test_installed_programs_are_run() -> None:
    pytest.importorskip("sentencepiece")
    _, said = readers(UNIGRAM, "--run", "--json")
    run = [one for one in json.loads(said)["programs"] if one["compared"] == "run"]
    assert "sentencepiece" in [one["program"] for one in run]
    assert all("The program itself was run" in one["cause"] for one in run)
