"""Counting, merging, training and inspecting on the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import refused, run
from narrowed import assert_contains
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.commands.cli import app
from tokenarium.commands.terminal import PARTLY
from tokenarium.models.corpora import counted_corpus
from tokenarium.models.training import keeping
from tokenarium.models.training.store import Store
from tokenarium.work import corpus_counting
from tokenarium_core.explaining.merge_path import merges

TEXTS = {"a.txt": "low lower lowest नमस्ते\n" * 30, "b.txt": "slow slower 12 нет\n" * 20}


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    """A terminal in a folder with two texts, and a store of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "tokenarium.commands.training_output.store_folder", lambda: tmp_path / "store"
    )
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return CliRunner()


def test_parts_are_counted_merged_and_trained(terminal: CliRunner, tmp_path: Path) -> None:
    for name in "ab":
        made = json.loads(
            run(terminal, "count", f"{name}.txt", "--out", f"{name}.counts", "--json")
        )
        assert made["texts"] == 1
        assert made["merged"] == 1
    run(terminal, "count", "b.counts", "a.counts", "--out", "both.counts")
    run(terminal, "count", "a.txt", "b.txt", "--out", "whole.counts")
    assert Path("both.counts").read_bytes() == Path("whole.counts").read_bytes()
    shown = run(
        terminal, "train", "both.counts", "-n", "270", "--out", "counted.json", "--name", "x"
    )
    assert "270" in shown
    texts = list(TEXTS.values())
    expected = tc.train("bpe", texts, vocab_size=270)
    assert merges(tc.open(tmp_path / "counted.json")) == merges(expected)
    kept = Store(tmp_path / "store").all()
    assert [one.name for one in kept] == ["x"]
    assert kept[0].corpus["sources"] == ["both.counts"]
    several = json.loads(
        run(terminal, "train", "a.counts", "b.counts", "-n", "270", "--no-keep", "--json")
    )
    assert several["texts"] == 2


def test_little_memory_gives_the_same_counts(terminal: CliRunner, tmp_path: Path) -> None:
    run(terminal, "count", "a.txt", "b.txt", "--out", "whole.counts")
    run(terminal, "count", "a.txt", "b.txt", "--out", "runs.counts", "--memory", "1kB")
    assert Path("runs.counts").read_bytes() == Path("whole.counts").read_bytes()
    assert not list(tmp_path.glob(".*"))


def test_a_small_corpus_is_counted_without_further_processes(
    terminal: CliRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(terminal, "count", "a.txt", "--out", "whole.counts")
    monkeypatch.setitem(sys.modules, "distributed", None)  # to import it is an error now
    run(terminal, "count", "a.txt", "--out", "two.counts", "--workers", "2")
    assert Path("two.counts").read_bytes() == Path("whole.counts").read_bytes()
    monkeypatch.setattr(counted_corpus, "SMALLEST_GROUP", 1)
    said = refused(terminal, "count", "a.txt", "b.txt", "--out", "parts.counts", "--workers", "2")
    assert "Dask" in said


def test_an_interrupted_count_goes_on(
    terminal: CliRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counted_corpus, "SMALLEST_GROUP", 1)
    run(terminal, "count", "a.txt", "b.txt", "--out", "whole.counts")
    counted = []

    def interrupted(order: Any, group: Any, progressed: Any) -> Any:
        if len(counted) == 1:
            counted.append(None)
            raise KeyboardInterrupt
        counted.append(group)
        return counted_corpus.count_group(order, group, progressed)

    monkeypatch.setattr(corpus_counting, "count_group", interrupted)
    arguments = ("count", "a.txt", "b.txt", "--out", "x.counts")
    assert terminal.invoke(app, list(arguments)).exit_code == 130
    assert not Path("x.counts").exists()
    assert len(list(Path("x.counts.parts").glob("*.counts"))) == 1
    result = terminal.invoke(app, list(arguments))
    assert "1 of 2 groups were already counted." in result.stderr
    assert len(counted) == 3
    assert Path("x.counts").read_bytes() == Path("whole.counts").read_bytes()
    assert not Path("x.counts.parts").exists()


def test_an_interruption_before_anything_is_counted_leaves_nothing(
    terminal: CliRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(tmp_path.iterdir())

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(corpus_counting, "count_group", interrupted)
    result = terminal.invoke(app, ["count", "a.txt", "b.txt", "--out", "x.counts"])
    assert result.exit_code == 130
    assert sorted(tmp_path.iterdir()) == before


def test_what_cannot_be_read_is_named_and_only_strict_refuses_it(terminal: CliRunner) -> None:
    Path("c.jsonl").write_text('{"text": "fine"}\n{oops\n')
    result = terminal.invoke(app, ["count", "a.txt", "c.jsonl", "--out", "x.counts"])
    assert result.exit_code == PARTLY
    assert "c.jsonl: 1 of its lines" in " ".join(result.stderr.split())
    Path("x.counts").unlink()
    said = refused(terminal, "count", "a.txt", "c.jsonl", "--out", "x.counts", "--strict")
    assert_contains(said, "c.jsonl: 1 of its lines", "--strict was given")
    assert not Path("x.counts").exists()
    said = refused(terminal, "count", "a.txt", "absent", "--out", "x.counts", "--strict")
    assert "as --strict was given" in said


def test_filters_leave_documents_out(terminal: CliRunner) -> None:
    rows = ["the same", "the same", "short", "a longer document", "a longer document"]
    Path("c.jsonl").write_text("".join(json.dumps({"text": row}) + "\n" for row in rows))
    Path("d.jsonl").write_text(json.dumps({"text": "a longer document"}) + "\n")
    result = terminal.invoke(
        app,
        ["count", "c.jsonl", "d.jsonl", "--out", "x.counts", "--unique", "--min-characters", "6"],
    )
    assert result.exit_code == 0, result.output
    said = " ".join(result.stderr.split())
    assert_contains(
        said,
        "3 documents left out as duplicates of earlier ones",
        "1 document of fewer than 6 characters left out",
    )
    wanted = tc.WordCounts("bpe")
    wanted.add(["the same", "a longer document"])
    counts = tc.WordCounts.load("x.counts")
    assert [counts.listed().piece(at) for at in range(len(counts))] == [
        wanted.listed().piece(at) for at in range(len(wanted))
    ]
    assert (counts.total, counts.texts) == (wanted.total, wanted.texts)


def test_inspect_says_what_counts_are_about(terminal: CliRunner) -> None:
    run(terminal, "count", "a.txt", "b.txt", "--out", "x.counts")
    shown = run(terminal, "inspect", "x.counts", "--rows", "0")
    for part in ("byte-level", "cl100k", "␣lower", "Devanagari", "Cyrillic", "Growth"):
        assert part in shown
    found = json.loads(run(terminal, "inspect", "x.counts", "--json", "--rows", "0"))
    total = found["words"]
    assert len(found["most_frequent"]) == found["different"]
    assert sum(one["count"] for one in found["most_frequent"]) == total
    assert sum(one["occurrences"] for one in found["lengths"]) == total
    assert sum(one["occurrences"] for one in found["scripts"]) == total
    assert found["growth"][-1] == {"words": total, "different": found["different"]}


def test_what_cannot_be_counted_is_said(terminal: CliRunner, tmp_path: Path) -> None:
    run(terminal, "count", "a.txt", "--out", "x.counts")
    said = {
        ("count", "absent.txt", "--out", "y.counts"): "Nothing was read from the corpus",
        ("count", "a.txt", "--out", "absent/y.counts"): "does not exist",
        ("count", "a.txt", "--out", "b.txt"): "exists but contains no counts",
        ("count", "a.txt", "x.counts", "--out", "y.counts"): "cannot be mixed",
        ("count", "x.counts", "-o", "pattern=gpt2", "--out", "y.counts"): "leave --option out",
        (
            "count",
            "a.txt",
            "-o",
            "min_frequency=3",
            "--out",
            "y.counts",
        ): "choose it when you train",
        ("train", "x.counts", "a.txt"): "a.txt is a text",
        ("train", "x.counts", "--times", "1000"): "counts have none",
        ("train", "x.counts", "-o", "pattern=gpt2", "--no-keep"): "counted with pattern = 'cl100k'",
        ("train", "x.counts", "-a", "unigram", "--no-keep"): "needs sentencepiece words",
        ("inspect", "x.counts", "low"): "have no entries",
    }
    for arguments, sentence in said.items():
        assert sentence in refused(terminal, *arguments), arguments
    assert not Path("y.counts").exists()
    content = bytearray(Path("x.counts").read_bytes())
    content[-5] ^= 1
    Path("x.counts").write_bytes(content)
    assert "checksum of a block" in refused(terminal, "inspect", "x.counts")


@pytest.mark.slow
def test_rows_of_words_and_counts(
    terminal: CliRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "SMALL", 0)  # of so few rows something would be held out
    monkeypatch.setattr(keeping, "HELD_OUT_EVERY", 2)
    rows = ["low\t120", "lower\t35", " slow er\t60", "нет\t20"]
    Path("words.tsv").write_text("\n".join(rows), encoding="utf-8")
    texts = [text for row in rows for text, count in [row.split("\t")] for _ in range(int(count))]
    wanted = tc.train("bpe", texts, vocab_size=262)
    tsv = ("-o", "input_format=tsv")
    for options in [("--hold-out",), ("--workers", "2")]:
        run(terminal, "train", "words.tsv", *tsv, "-n", "262", "--no-keep", "--out", "a.json", *options)  # fmt: skip
        assert merges(tc.open("a.json")) == merges(wanted)
    made = json.loads(run(terminal, "count", "words.tsv", *tsv, "--out", "a.counts", "--json"))
    assert (made["words"], made["different"]) == (120 + 35 + 120 + 20, 5)
    assert "input_format" not in made["options"]
    run(terminal, "train", "a.counts", "-n", "262", "--no-keep", "--out", "b.json")
    assert merges(tc.open("b.json")) == merges(wanted)
    table = json.loads(
        run(terminal, "train", "words.tsv", *tsv, "-n", "260", "--table", "pairs", "--json")
    )
    assert table["rows"]
    Path("words.tsv").write_text("low\t3\nlower 5\n", encoding="utf-8")
    for command in (("train", "-n", "260", "--no-keep"), ("count", "--out", "c.counts")):
        said = refused(terminal, *command, "words.tsv", *tsv)
        assert "Line 2 of the texts has no tab" in said or "'lower 5'" in said
