"""What runs without the library that reads arguments: the same as with it, and nothing that takes long to import."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tokenarium.commands.cli import NAMES, WINDOW, app
from tokenarium.commands.quick import quick

_OF_A_COMMAND = """
import sys
from tokenarium.__main__ import main
try:
    main()
except SystemExit as end:
    assert not end.code
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.parametrize("arguments", [["--version"], ["encode", "tokenarium-8k", "Hello"]])
def test_nothing_that_takes_long_is_imported(arguments: list[str], tmp_path: Path) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", _OF_A_COMMAND, *arguments],
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    imported = set(answer.stdout.splitlines()[-1].split())
    assert "tokenarium_core" in imported
    for heavy in ("numpy", "PySide6", "rich", "typer", "click", "pydantic", "sqlite3", "msgspec"):
        assert heavy not in imported


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["encode", "tokenarium-8k", "naïve 😀\r\n"],
        ["encode", "tokenarium-8k"],
        ["encode", "no-such-tokenizer", "text"],
        ["encode", "cl100k_base", "text"],
        ["encode", "pyproject.toml", "text"],
    ],
)
def test_it_answers_as_the_whole_command_line(
    arguments: list[str],
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("tokenarium.commands.reading.store_folder", lambda: tmp_path / "trained")
    (tmp_path / "input").write_bytes("from a pipe\r\n\u00e9".encode())
    whole = CliRunner().invoke(app, arguments, input=(tmp_path / "input").read_bytes())
    with (tmp_path / "input").open() as text:
        monkeypatch.setattr("sys.stdin", text)
        code = quick(arguments)
    found = capfd.readouterr()
    assert (code, found.out, found.err) == (whole.exit_code, whole.stdout, whole.stderr)


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["encode"], ["encode", "a", "b", "c"], ["encode", "a", "-s"], ["text.txt"]],
)
def test_all_else_is_left_to_the_whole_command_line(arguments: list[str]) -> None:
    assert quick(arguments) is None


def test_the_help_names_every_command() -> None:
    found = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).stdout
    for name in (WINDOW, *NAMES):
        assert f"│ {name} " in found


@pytest.mark.slow
def test_a_shell_completes_commands(tmp_path: Path) -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "tokenarium"],
        env={
            **os.environ,
            "_TOKENARIUM_COMPLETE": "complete_bash",
            "COMP_WORDS": "tokenarium en",
            "COMP_CWORD": "1",
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    assert answer.stdout.split() == ["encode", "encode-corpus"]
