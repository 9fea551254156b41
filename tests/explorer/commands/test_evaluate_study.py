"""``tokenarium evaluate study.toml`` and ``compare --intervals``: what they write, and how they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import refused, run
from small_files import new_folder, write_file
from typer.testing import CliRunner

TOKENIZERS = ("tokenarium-8k", "unigram-8k")


@pytest.fixture
def text(tmp_path: Path) -> Path:
    lines = [f"Line {number}: the quick brown fox, number {number**3}." for number in range(30)]
    return write_file(tmp_path / "text.txt", "\n".join(lines))


@pytest.mark.slow
def test_a_comparison_is_written_as_a_study_that_finds_the_same(
    terminal: CliRunner, text: Path, tmp_path: Path
) -> None:
    arguments = ["compare", *TOKENIZERS, "-f", str(text), "--intervals", "line", "--seed", "3"]
    arguments += ["--resamples", "300", "--alpha", "0.1"]
    study, out = tmp_path / "study.toml", tmp_path / "deep" / "out"
    compared = json.loads(run(terminal, *arguments, "--json"))
    assert (compared["unit"], compared["seed"], compared["resamples"]) == ("line", 3, 300)
    assert compared["alpha"] == 0.1
    assert compared["figures"][0]["units"] == 30
    said = run(terminal, *arguments, "--write-study", str(study))
    assert f"Run it with: tokenarium evaluate {study}" in said
    assert json.loads(run(terminal, "evaluate", str(study), "--json")) == compared
    shown = run(terminal, "evaluate", str(study), "--out", str(out))
    assert "90% intervals over lines" in shown
    assert "p (Holm)" in shown
    first = {path.name: path.read_bytes() for path in out.iterdir()}
    assert {"study.toml", "figures.tex", "figures.md", "differences.csv", "counts.csv"} <= set(
        first
    )
    run(terminal, "evaluate", str(out / "study.toml"), "--out", str(out))
    assert {path.name: path.read_bytes() for path in out.iterdir()} == first


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pdf", "svg", "png"])
def test_figures_of_each_measure_are_the_same_each_time(
    terminal: CliRunner, text: Path, tmp_path: Path, kind: str
) -> None:
    study, other = (
        tmp_path / "study.toml",
        write_file(tmp_path / "other.txt", text.read_text()[:600]),
    )
    files = ["-f", str(text), "-f", str(other), "--resamples", "50"]
    run(
        terminal, "compare", *TOKENIZERS, *files, "--intervals", "line", "--write-study", str(study)
    )
    assert "need a folder" not in run(terminal, "evaluate", str(study))
    assert "--figures needs a folder" in refused(
        terminal, "evaluate", str(study), "--figures", kind
    )
    found = []
    for name in ("one", "two"):
        out = tmp_path / name
        said = run(terminal, "evaluate", str(study), "--out", str(out), "--figures", kind)
        assert f"figure-bytes-per-token.{kind}" in said
        found.append({path.name: path.read_bytes() for path in out.glob(f"*.{kind}")})
    assert len(found[0]) == 4
    assert found[0] == found[1]
    beginning = {"pdf": b"%PDF-", "svg": b"<?xml", "png": b"\x89PNG"}[kind]
    assert all(content.startswith(beginning) for content in found[0].values())
    if kind == "svg":
        drawn = found[0]["figure-bytes-per-token.svg"].decode()
        for word in (
            "text.txt",
            "other.txt",
            "all texts",
            "Tokenarium 8k",
            "Unigram 8k",
            "95% bootstrap intervals",
        ):
            assert word in drawn


def test_a_changed_text_is_refused(terminal: CliRunner, text: Path, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    run(terminal, "compare", *TOKENIZERS, "-f", str(text), "--write-study", str(study))
    write_file(text, "changed")
    assert "The text text.txt (text.txt) is not what the study measured" in refused(
        terminal, "evaluate", str(study)
    ).replace(str(text), "text.txt")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["compare", "tokenarium-8k", "-t", "a", "--intervals", "line"], "need files"),
        (["compare", "tokenarium-8k", "--languages", "--write-study", "a.toml"], "need files"),
        (["compare", "tokenarium-8k", "--intervals", "line"], "A study needs texts in files"),
        (["compare", "tokenarium-8k", "-f", "TEXT", "--intervals", "word"], "The unit 'word' is not possible"),
        (["compare", "tokenarium-8k", "-f", "TEXT", "--intervals", "line", "--alpha", "2"], "α = 2 is not possible"),
        (["compare", "none-such", "-f", "TEXT", "--intervals", "line"], "none-such"),
        (["compare", "tokenarium-8k", "-f", "FOLDER", "--intervals", "line"], "FOLDER"),
        (["evaluate", "tokenarium-8k", "--out", "x"], "--out is for the results of a study file"),
        (["evaluate", "tokenarium-8k", "--figures", "pdf"], "and --figures too"),
        (["evaluate", "none.toml"], "none.toml cannot be read"),
        (["evaluate", "none.toml", "--limit", "fertility=4"], "give only --out and --json"),
    ],
)  # fmt: skip
def test_errors_are_sentences(
    terminal: CliRunner, text: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    folder = str(new_folder(tmp_path / "folder"))
    names = {"TEXT": str(text), "FOLDER": folder}
    assert said.replace("FOLDER", folder) in refused(
        terminal, *(names.get(one, one) for one in arguments)
    )


def test_a_folder_that_cannot_be_made_is_refused(
    terminal: CliRunner, text: Path, tmp_path: Path
) -> None:
    study = tmp_path / "study.toml"
    arguments = ["compare", *TOKENIZERS, "-f", str(text), "--resamples", "50"]
    run(terminal, *arguments, "--write-study", str(study))
    assert "cannot be made" in refused(terminal, "evaluate", str(study), "--out", str(text))
