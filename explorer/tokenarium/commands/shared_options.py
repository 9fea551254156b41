"""Options shared by the commands that read corpora or write tokenizers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from tokenarium.commands.terminal import FOUND
from tokenarium_core import TokenariumError
from tokenarium_core.command_values import LISTS
from tokenarium_core.formats.registry import EXPORT_FORMATS

TriedOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--text",
        "-t",
        metavar="FILE",
        help="Try the lines of a UTF-8 file too, or of the standard input with -; may be repeated.",
    ),
]

FieldOption = Annotated[
    str,
    typer.Option(
        "--field",
        "--column",
        help="The field of JSON lines, or the column of a table, that holds the text.",
    ),
]
EncodingOption = Annotated[
    str,
    typer.Option(
        help="The encoding of the files; without it, UTF-8, or what a byte order mark says."
    ),
]
AllowOption = Annotated[
    bool,
    typer.Option(
        "--allow-differences",
        help="Write a copy that encodes some texts differently, and list them.",
    ),
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        "-t",
        help=f"One of {', '.join(EXPORT_FORMATS)}; by default, the name of the file decides: tokenizer.json is Hugging Face's.",
    ),
]

TrainingOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help=f"An option of the algorithm; may be repeated; train --options lists them. {LISTS}",
    ),
]
ToArgument = Annotated[Path | None, typer.Argument(hidden=True)]
"""The file to write as an argument, as before there was --out; see `one_destination`."""


def fail_option(metavar: str, what: str, choices: Sequence[str], code: int = FOUND) -> Any:
    """Returns the option --fail-on of a command: ``what`` gives the exit code, one of ``choices``, the worst first."""
    help = f"The {what} that gives the exit code {code}: {', '.join(choices)}."
    return typer.Option("--fail-on", metavar=metavar, help=help)


def place_of(given: str, choices: Sequence[str], noun: str) -> int:
    """Returns the place of a value of --fail-on among the choices; TokenariumError if it is none of them."""
    if given not in choices:
        raise TokenariumError(f"There is no {noun} {given!r}: choose from {', '.join(choices)}.")
    return choices.index(given)


def out_option(about: str) -> Any:
    """Returns the option --out of a command; ``about`` says what the file is, and what happens without it."""
    return typer.Option("--out", metavar="FILE", help=about)
