"""``tokenarium evaluate``: its exit codes, its files, and its thresholds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import run
from small_files import write_file
from typer.testing import CliRunner

from tokenarium.commands.cli import app
from tokenarium.commands.terminal import FAILED, FOUND
from tokenarium.models.release.release_limits import CHECKS

SHIPPED = "tokenarium-8k"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    return write_file(tmp_path / "text.txt", "The quick brown fox jumps over the lazy dog.\n")


@pytest.mark.slow
def test_the_report_is_written_and_saved(terminal: CliRunner, text: Path, tmp_path: Path) -> None:
    page, report = tmp_path / "a.html", tmp_path / "a.json"
    arguments = ["evaluate", SHIPPED, "-f", str(text), "--save", str(page), "--save", str(report)]
    found = run(terminal, *arguments)
    assert "Texts that come back" in found
    assert "text.txt" in found
    assert json.loads(report.read_text("utf-8"))["corpus"]["texts"] == 1
    assert "<h1>Tokenarium 8k" in page.read_text("utf-8")
    assert "0 figures are worse, 0 better" in run(
        terminal, *arguments[:4], "--against", str(report)
    )


@pytest.mark.slow
def test_the_exit_code_says_what_was_found(terminal: CliRunner, text: Path, tmp_path: Path) -> None:
    arguments = ["evaluate", SHIPPED, "-f", str(text), "--json"]
    assert terminal.invoke(app, [*arguments, "--limit", "fertility=1.01"]).exit_code == FAILED
    limits = write_file(tmp_path / "limits.toml", "[limits]\nbytes_per_token = 9")
    found = terminal.invoke(app, [*arguments, "--limits", str(limits)])
    assert found.exit_code == FAILED
    assert json.loads(found.stdout)["verdict"] == "fail"
    better = json.loads(found.stdout)
    for one in better["checks"]:
        if one["id"] == "fertility":
            one["figure"] = 1.0
    old = write_file(tmp_path / "old.json", json.dumps(better))
    found = terminal.invoke(app, [*arguments, "--against", str(old)])
    assert found.exit_code == FOUND
    assert "Fertility in context" in json.loads(found.stdout)["against"]["worse"][0]


def test_checks_are_listed_with_their_thresholds(terminal: CliRunner) -> None:
    found = terminal.invoke(app, ["evaluate", "--checks", "--limit", "premium=off"])
    assert all(one.id in found.stdout for one in CHECKS)
    listed = json.loads(terminal.invoke(app, ["evaluate", "--checks", "--json"]).stdout)["limits"]
    assert set(listed) == {one.id for one in CHECKS}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["evaluate"], 2, "Name a tokenizer"),
        (["evaluate", SHIPPED, "--limit", "speed=3"], FAILED, "no check 'speed'"),
        (["evaluate", SHIPPED, "--save", "a.pdf"], FAILED, "neither in .json nor in .html"),
        (["evaluate", SHIPPED, "--against", "none.json"], FAILED, "cannot be read"),
        (["evaluate", SHIPPED, "-f", "none.txt"], FAILED, "none.txt"),
    ],
)
def test_errors_are_sentences(
    terminal: CliRunner, arguments: list[str], code: int, said: str
) -> None:
    found = terminal.invoke(app, arguments)
    assert found.exit_code == code
    assert said in found.output.replace("\n", " ")
