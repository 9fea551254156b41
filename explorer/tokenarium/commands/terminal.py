"""What the commands share: common arguments and options, error messages, JSON, and tables."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tokenarium.analyses.table import Table
from tokenarium.commands.reading import (
    FAILED,
    INTERRUPTED,
    PARTLY,
    failure,
    source_of,
    text_of,
    tokenizer_of,
)
from tokenarium_core.command_values import content_of

if TYPE_CHECKING:
    from rich.progress import Progress

    from tokenarium.work.corpus_counting import WorkNews
    from tokenarium_core.progress import Progress as WorkProgress

__all__ = [
    "FAILED",
    "FOUND",
    "INTERRUPTED",
    "MOST_NOTES",
    "PARTLY",
    "DecimalOption",
    "FileOption",
    "JsonOption",
    "MarkdownOption",
    "PatternOption",
    "TextArgument",
    "TokenizerArgument",
    "bar_news",
    "byte_progress",
    "byte_values",
    "content_of",
    "path_of",
    "say",
    "sentences",
    "source_of",
    "text_of",
    "tokenizer_of",
    "write_answer",
    "write_json",
    "write_markdown",
    "write_notes",
    "write_stage",
    "write_table",
    "write_tables",
]

MOST_NOTES = 8
"""The most sentences about single files that are printed; the rest are counted."""

FOUND = 3
"""The exit code if an examination found something surprising."""

JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON, for other programs.")]
MarkdownOption = Annotated[
    bool, typer.Option("--markdown", help="Write Markdown, for a pull request.")
]
TokenizerArgument = Annotated[
    str,
    typer.Argument(
        help="A file or folder, the name of an encoding (cl100k_base …), of a trained tokenizer, or name@version."
    ),
]
PatternOption = Annotated[
    str,
    typer.Option(
        help="How a .tiktoken file without a pattern splits a text: a name, or a regular expression."
    ),
]
TextArgument = Annotated[
    str | None, typer.Argument(help="The text; without it, the standard input is read.")
]
DecimalOption = Annotated[
    bool, typer.Option("--decimal", help="Write bytes in decimal instead of hexadecimal.")
]
TokenizersArgument = Annotated[
    list[str],
    typer.Argument(help="Tokenizers: files, folders, names of encodings or trained ones."),
]
TextOption = Annotated[
    str | None,
    typer.Option(
        "--text", "-t", help="The text; without it or a file, the standard input is read."
    ),
]
FileOption = Annotated[
    Path | None,
    typer.Option(
        "--file", "-f", help="Read the text from a UTF-8 file, or - for the standard input."
    ),
]


def end_partly(partly: bool) -> None:
    """If text is missing, ends the command with `PARTLY` after everything else is written."""
    if partly:
        raise typer.Exit(PARTLY)


@contextmanager
def sentences() -> Iterator[None]:
    """Says what went wrong in a sentence, as the window does, and ends with `FAILED`."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader has closed the pipe: typer ends quietly
    except (typer.Exit, typer.Abort, typer.BadParameter):
        raise  # these are how typer ends a command
    except (Exception, KeyboardInterrupt) as error:
        sentence, code = failure(error)
        say(sentence, "red")
        raise typer.Exit(code) from error


def say(sentence: str, colour: str | None = None, err: bool = True) -> None:
    """Writes a sentence, in which the name of a file may have any characters, to the standard error or the output."""
    from tokenarium.models.text.piece import harmless

    typer.secho(harmless(sentence), fg=colour, err=err)


def byte_values(data: bytes) -> str | list[int]:
    """Returns bytes for JSON: hexadecimal digits, or numbers with `DecimalOption`."""
    from tokenarium.models.text.piece import NumberBase
    from tokenarium_core import command_values

    return command_values.byte_values(data, NumberBase.decimal)


def write_json(value: Any) -> None:
    """Writes a value as a line of JSON, with escapes if the output cannot have all of its characters."""
    written = json.dumps(value, ensure_ascii=False)
    try:
        written.encode(sys.stdout.encoding)
    except UnicodeEncodeError:  # half a surrogate pair, or another encoding
        written = json.dumps(value)
    typer.echo(written)


def write_answer(
    as_json: bool,
    table: Table[Any],
    values: Callable[[list[dict[str, object]]], object] = lambda rows: rows,
) -> None:
    """Writes a table to the terminal, or its rows in JSON if ``as_json``; ``values`` makes the JSON of a row."""
    if as_json:
        write_json(values(table.values()))
    else:
        write_tables(table)


def write_markdown(title: str, said: Sequence[str], *tables: Table[Any]) -> None:
    """Writes a heading, paragraphs, and tables without empty ones, as Markdown."""
    from tokenarium.models.markdown_table import escaped, markdown_table

    parts = [f"### {escaped(title)}", *map(escaped, said)]
    for table in tables:
        columns, rows, _ = table.printed()
        if rows:
            heading = [f"**{escaped(table.title)}**"] if table.title else []
            heads = [name.replace("\n", " ") for name, _ in columns]
            parts += [*heading, markdown_table([heads, *rows]).rstrip("\n")]
    typer.echo("\n\n".join(parts))


def write_tables(*tables: Table[Any]) -> None:
    """Writes tables to the terminal; see `write_table`."""
    for table in tables:
        columns, rows, wrapping = table.printed()
        write_table(columns, rows, table.title, wrapping, table.keys)


def write_table(
    columns: Sequence[tuple[str, bool]],
    rows: Sequence[Sequence[str]],
    title: str = "",
    wrapping: Collection[int] = (),
    keys: int = 1,
) -> None:
    """Writes a table no wider than the terminal, or with lines of any length if there is none.

    ``columns`` gives the title of each column, and whether it contains numbers, which are aligned right. The columns
    whose indices are in ``wrapping`` contain text, which may wrap; numbers and names are never broken. If the columns
    do not fit next to each other, there are several tables, each beginning with the first ``keys`` columns.
    """
    from tokenarium.commands.tables import write_rows  # with rich, which the window does not need

    write_rows(columns, rows, title, wrapping, keys)


@contextmanager
def byte_progress(what: str, total: int) -> Iterator[Progress]:
    """Shows bytes, rate and remaining time in a bar on the standard error, if that is a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        bar.add_task(what, total=total)
        yield bar


def bar_news(bar: Progress) -> Callable[[WorkNews], None]:
    """Returns a function that shows divided work in a progress bar, below the address of Dask's dashboard."""
    shown = ""

    def show(news: WorkNews) -> None:
        nonlocal shown
        if news.dashboard and news.dashboard != shown:
            shown = news.dashboard
            bar.console.print(f"Dask's dashboard: {shown}")
        task = bar.tasks[0]
        if task.description != news.phase:
            bar.reset(task.id, description=news.phase)
        bar.update(task.id, completed=news.done, total=news.total)

    return show


def path_of(tokenizer: str) -> str:
    """Returns a function that opens a tokenizer in another process, whose working directory may differ."""
    from tokenarium_core.formats.places import is_there

    source = source_of(tokenizer)
    return os.path.abspath(source) if is_there(source) else source


def write_notes(notes: Sequence[str], colour: str = "yellow") -> None:
    """Writes sentences about single files to the standard error: the first `MOST_NOTES`, and how many follow."""
    for note in notes[:MOST_NOTES]:
        say(note, colour)
    if len(notes) > MOST_NOTES:
        typer.secho(f"And {len(notes) - MOST_NOTES:,} more.", fg=colour, err=True)


def write_stage(progress: WorkProgress | None) -> None:
    """Writes a stage of work to a terminal, over the previous one; does nothing for None."""
    if sys.stderr.isatty():
        going = progress is not None and progress.fraction < 1
        line = f"{progress.phase} … {100 * progress.fraction:.0f}%" if progress and going else ""
        typer.echo(f"\r\x1b[K{line}", nl=False, err=True)
