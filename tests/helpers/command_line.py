"""Commands as users type them: what they write, and how they refuse."""

from __future__ import annotations

from collections.abc import Callable

from typer.testing import CliRunner

from tokenarium.commands.cli import app
from tokenarium.commands.terminal import FAILED


def run(terminal: CliRunner, *arguments: str, input: str | bytes | None = None) -> str:
    """Returns what a command writes; it must succeed."""
    result = terminal.invoke(app, arguments, input=input)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(terminal: CliRunner, *arguments: str, input: str | bytes | None = None) -> str:
    """Returns the sentence of a command that must fail, on one line; it must write nothing else."""
    result = terminal.invoke(app, arguments, input=input)
    assert result.exit_code == FAILED, result.output
    assert result.stdout == ""
    return " ".join(result.stderr.split())


def command(name: str) -> Callable[..., tuple[int, str]]:
    """Returns a function that runs a command in a wide terminal, and returns its exit code and what it writes."""

    def invoke(*arguments: object) -> tuple[int, str]:
        result = CliRunner(env={"COLUMNS": "200"}).invoke(app, [name, *map(str, arguments)])
        return result.exit_code, result.output

    return invoke
