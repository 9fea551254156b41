"""The command that removes entries: what it writes, what it says, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import tiktoken
from command_line import command
from narrowed import assert_contains
from small_files import write_file

import tokenarium_core as tc
from tokenarium.commands.prune import shown_sizes
from tokenarium.commands.terminal import FAILED
from tokenarium_core.training.word_counts import count

TEXT = "the lower the slower\n" * 40


prune = command("prune")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_file(tmp_path / "texts.txt", TEXT)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("tokenarium-8k", "huggingface"),
        ("unigram-8k", "sentencepiece"),
        ("wordpiece-8k", "huggingface"),
    ],
)
def test_a_smaller_tokenizer_is_written_and_proved(
    name: str, format: str, corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / ("small.json" if format == "huggingface" else "small.model")
    size = "62.5%" if name == "unigram-8k" else "5,000"
    arguments = ("--corpus", corpus, "--to-size", size, "--multiple-of", 128, "-t", format)
    code, said = prune(name, "--out", out, *arguments, "--mapping", tmp_path / "ids.csv")
    assert code == 0, said
    assert_contains(said, "remain.", "identical on")
    made = tc.open(out)
    assert len(made.vocabulary) == 4992
    with (tmp_path / "ids.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8000
    assert [int(row["new_id"]) for row in rows if row["new_id"]] == list(range(4992))
    assert {row["reason"] for row in rows} == {"", "size"}


def test_the_ids_are_those_of_the_library(
    tiktoken_cache: Path, corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "small.tiktoken"
    arguments = ("--corpus", corpus, "--never-used", "--script", "cyrl", "--json")
    code, said = prune("cl100k_base", "--out", out, *arguments)
    assert code == 0, said
    found = json.loads(said[said.index("{") :])
    assert found["tokens"]["before"] == found["tokens"]["after"]
    assert set(found["reasons"]) == {"script", "never used"}
    assert found["entries"] == len(tc.open(out).vocabulary)
    ranks = tiktoken.load.load_tiktoken_bpe(str(out))
    assert len(ranks) == found["entries"] - 5
    assert found["library"].startswith("tiktoken")


def test_costs_are_shown_where_no_file_is_named(corpus: Path) -> None:
    code, said = prune("tokenarium-8k", "--corpus", corpus, "--file", corpus)
    assert code == 0
    assert_contains(said, "8,000 entries, 257 of which must stay", "entries are never used")
    assert "are only steps to others" in said or "these are removed first" in said
    code, said = prune("tokenarium-8k", "--corpus", corpus, "--json")
    found = json.loads(said)
    assert len(found["tokens"]) == len(found["removed"]) + 1 == 7744
    assert found["tokens"][found["never_used"]] == found["tokens"][0]


def test_counts_can_be_the_corpus(tmp_path: Path) -> None:
    shipped = tmp_path / "words.counts"
    tokenizer = tc.train("bpe", [TEXT], vocab_size=270)
    tokenizer.save(tmp_path / "old.json")
    count("bpe", [TEXT]).save(shipped)
    out = tmp_path / "small.json"
    code, said = prune(tmp_path / "old.json", "--out", out, "--corpus", shipped, "--to-size", 260)
    assert code == 0, said
    assert "The texts cost" in said


def test_sizes_of_the_table_fall() -> None:
    sizes = shown_sizes(8000, 257, 3000)
    assert sizes[:2] == [8000, 5000]
    assert sizes[-1] == 257
    assert sizes == sorted(set(sizes), reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "There is nothing to remove"),
        (["--to-size", "100"], "257 have to stay"),
        (["--to-size", "101%"], "at most 100%"),
        (["--to-size", "0"], "at least 1"),
        (["--to-size", "many"], "“many” is not a number"),
        (["--script", "Elvish"], "is not a script"),
        (["--never-used"], "Only texts show"),
        (["--corpus", "nowhere.txt", "--never-used"], "nowhere.txt"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, arguments: list[str], reason: str) -> None:
    out = tmp_path / "x.json"
    code, said = prune("tokenarium-8k", "--out", out, *arguments)
    assert code == FAILED
    assert reason in " ".join(said.split())
    assert not out.exists()
    if not arguments:
        code, said = prune("tokenarium-8k")
        assert code == FAILED
        assert "depends on texts" in " ".join(said.split())
