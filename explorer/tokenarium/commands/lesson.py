"""``tokenarium lesson``: lists the lessons, checks the file of one, and makes handouts and pages."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokenarium.analyses.table import Table, TableColumn, printed_column
from tokenarium.commands.terminal import say, sentences, write_tables
from tokenarium_core import TokenariumError

if TYPE_CHECKING:
    from tokenarium.models.lessons.lesson import LessonHead

lesson = typer.Typer(
    add_completion=False,
    help="Lists the lessons, checks the file of one, and makes handouts and pages.",
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
)


@lesson.command("list")
def list_lessons() -> None:
    """Lists the lessons, those of the program and those in your folder, and the ready classes."""
    from tokenarium.app.lesson_list import LessonReading, lesson_paths

    with sentences():
        reading = LessonReading(lesson_paths())
        while not reading.finished:
            reading.step(100)
        columns: list[TableColumn[tuple[str, LessonHead]]] = [
            printed_column("file", lambda row: row[0]),
            printed_column("lesson", lambda row: row[1].title, grows=True),
            printed_column("steps", lambda row: row[1].count, str),
            printed_column("minutes", lambda row: row[1].minutes, str),
            printed_column("level", lambda row: row[1].level),
        ]
        for fault in reading.faults:
            typer.echo(f"This lesson is left out. {fault}", err=True)
        from tokenarium.models.lessons.classes import MINUTES, ReadyClass, ready_classes

        classes: list[TableColumn[ReadyClass]] = [
            printed_column("file", lambda one: one.id),
            printed_column("class", lambda one: one.title, grows=True),
            printed_column("parts", lambda one: len(one.parts), str),
            printed_column("minutes", lambda one: MINUTES, str),
        ]
        write_tables(
            Table(columns, [*reading.heads.items()]), Table(classes, [*ready_classes().values()])
        )


@lesson.command()
def check(
    file: Annotated[Path, typer.Argument(help="The lesson, a Markdown file.")],
) -> None:
    """Checks the format of a lesson, and every answer with each shipped tokenizer that can replace another."""
    with sentences():
        from tokenarium.models.lessons.checking import faults_of
        from tokenarium.models.lessons.lesson import read_lesson

        content = read_lesson(file)
        faults = faults_of(content)
        for fault in faults:
            typer.echo(f"{file.name}, {fault}")
        if faults:
            raise TokenariumError(f"{file.name} has {len(faults)} fault{'s' * (len(faults) > 1)}.")
        typer.echo(
            f"{file.name} is a lesson of {len(content.steps)} steps. All its answers have values."
        )


@lesson.command()
def handout(
    name: Annotated[
        str,
        typer.Argument(
            metavar="LESSON",
            help="A lesson's file, or the name of a lesson or a class as `lesson list` has it.",
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="A name with .pdf or .html.")
    ],
    answers: Annotated[
        bool,
        typer.Option(
            "--answers",
            help="For the teacher: then come the answers, their reasons, and notes; a class begins with its plan.",
        ),
    ] = False,
    progress: Annotated[bool, typer.Option("--progress", hidden=True)] = False,
) -> None:
    """Writes a lesson to print or to hand out: the pictures of its steps, and its questions with room to write.

    Of a class it writes the worksheet, which is one page.

    The pictures and answers are made with the tokenizers of the lesson that are on this computer.
    """
    with sentences():
        from tokenarium.app.lesson_list import lesson_paths
        from tokenarium.models.lessons.classes import ready_classes
        from tokenarium.models.lessons.lesson import read_lesson

        if out.suffix.lower() not in (".pdf", ".html", ".htm"):
            raise TokenariumError(f"{out.name} must end with .pdf or .html.")
        ours = {path.stem: path for path in lesson_paths()}
        ready = None if name in ours else ready_classes().get(name)
        if ready is None:
            content = read_lesson(ours.get(name, Path(name)))
        report = _drawing(progress)
        from tokenarium.tour.handouts import make_class, make_handout

        if ready is None:
            said = make_handout(content, out, answers, report)
        else:
            lessons = {id: read_lesson(ours[id]) for id in ready.lessons}
            said = make_class(ready, lessons, out, answers, report)
        _tell_written(said, out)


@lesson.command()
def page(
    name: Annotated[
        str,
        typer.Argument(
            metavar="LESSON", help="A lesson's file, or its name as `lesson list` has it."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="A name with .html.")],
    progress: Annotated[bool, typer.Option("--progress", hidden=True)] = False,
) -> None:
    """Writes a lesson as a page for a browser: one file, with questions that are answered there.

    The figures and answers are made with the tokenizers of the lesson that are on this computer.
    """
    with sentences():
        from tokenarium.app.lesson_list import lesson_paths
        from tokenarium.models.lessons.classes import ready_classes
        from tokenarium.models.lessons.lesson import read_lesson

        if out.suffix.lower() not in (".html", ".htm"):
            raise TokenariumError(f"{out.name} must end with .html.")
        ours = {path.stem: path for path in lesson_paths()}
        if name not in ours and name in ready_classes():
            raise TokenariumError(f"{name} is a class. Only lessons can be pages.")
        content = read_lesson(ours.get(name, Path(name)))
        report = _drawing(progress)
        from tokenarium.tour.lesson_pages import make_page

        _tell_written(make_page(content, out, report), out)


def _drawing(progress: bool) -> Callable[[int, int], None]:
    """Has Qt draw without a display; returns what reports the ``progress`` to the window, which reads it."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from tokenarium.tour.render import quieten_platform

    def report(done: int, total: int) -> None:
        if progress:
            typer.echo(f"{done}/{total}")

    if progress:
        from tokenarium.work.child_process import end_with_parent

        end_with_parent()
    quieten_platform()
    return report


def _tell_written(said: Sequence[str], out: Path) -> None:
    """Writes sentences about what differs from the lesson, and that the file is written."""
    for sentence in said:
        say(sentence)
    say(f"wrote {out}", err=False)
