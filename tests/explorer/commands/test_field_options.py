"""Options of commands that are made from fields."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.testing import CliRunner

from tokenarium.analyses.field import Flag, Line, Texts
from tokenarium.commands.field_options import with_fields

FIELDS = (
    Line("at_least", "Shorter ones are left out.", kind=int, low=0),
    Line("size", "The size.", default="2.5", kind=float),
    Flag("strict", "Stops."),
    Texts("word", "A word."),
)


def terminal(taken: list[dict[str, Any]]) -> typer.Typer:
    @with_fields("first", FIELDS)
    def command(
        first: Annotated[str, typer.Option(help="One.")] = "",
        last: Annotated[str, typer.Option(help="Two.")] = "",
        **values: Any,
    ) -> None:
        taken.append({"first": first, "last": last, **values})

    app = typer.Typer()
    app.command()(command)
    return app


def test_options_of_fields_have_their_types_and_defaults() -> None:
    taken: list[dict[str, Any]] = []
    app = terminal(taken)
    assert CliRunner().invoke(app, []).exit_code == 0
    words = ["--at-least", "7", "--size", "3", "--strict", "--word", "a", "--word", "b"]
    assert CliRunner().invoke(app, [*words, "--last", "z"]).exit_code == 0
    usual, given = taken
    assert usual == {"first": "", "last": "", "at_least": 0, "size": 2.5, "strict": False, "word": usual["word"]}  # fmt: skip
    assert not usual["word"]
    assert given == {"first": "", "last": "z", "at_least": 7, "size": 3.0, "strict": True, "word": ["a", "b"]}  # fmt: skip
    assert CliRunner().invoke(app, ["--at-least", "-1"]).exit_code == 2


def test_the_help_has_them_in_their_place() -> None:
    shown = CliRunner().invoke(terminal([]), ["--help"], env={"COLUMNS": "120"}).output
    places = [shown.index(name) for name in ("--first", "--at-least", "--size", "--strict", "--word", "--last")]  # fmt: skip
    assert places == sorted(places)
    lines = {line.split()[1]: line for line in shown.splitlines() if " --" in line and "│" in line}
    assert "[default: 2.5]" in lines["--size"]
    assert "default" not in lines["--at-least"]
