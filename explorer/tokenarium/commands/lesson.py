"""``tokenarium lesson``: lists the lessons, and checks the file of one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tokenarium.commands.terminal import sentences, write_table
from tokenarium_core import TokenariumError

lesson = typer.Typer(
    help="Lists the lessons, and checks the file of one.",
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
)


@lesson.command("list")
def list_lessons() -> None:
    """Lists the lessons: those of the program, and those in your folder."""
    from tokenarium.app.lessons import lesson_paths
    from tokenarium.models.lessons.lesson import read_head

    with sentences():
        rows = []
        for path in lesson_paths():
            found = read_head(path)
            rows.append((path.stem, found.title, str(found.count), str(found.minutes), found.level))
        columns = [
            ("file", False),
            ("lesson", False),
            ("steps", True),
            ("minutes", True),
            ("level", False),
        ]
        write_table(columns, rows, wrapping=(1,))


@lesson.command()
def check(
    file: Annotated[Path, typer.Argument(help="The lesson, a Markdown file.")],
) -> None:
    """Checks a lesson: its form, and every answer with each shipped tokenizer that takes another's place."""
    with sentences():
        from tokenarium.models.lessons.checking import faults_of
        from tokenarium.models.lessons.lesson import read_lesson

        found = read_lesson(file)
        faults = faults_of(found)
        for fault in faults:
            typer.echo(f"{file.name}, {fault}")
        if faults:
            raise TokenariumError(f"{file.name} has {len(faults)} fault{'s' * (len(faults) > 1)}.")
        typer.echo(
            f"{file.name} is a lesson of {len(found.steps)} steps. All its answers have values."
        )
