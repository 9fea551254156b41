"""The command of any `Analysis`: its arguments and options, JSON, a table for the terminal, and a file of it."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

import typer

import tokenarium_core as tc
from tokenarium.analyses.analysis import Analysis, Answer
from tokenarium.analyses.field import Field, Texts
from tokenarium.commands.field_options import option_of, signed
from tokenarium.commands.terminal import (
    FileOption,
    JsonOption,
    PatternOption,
    TextArgument,
    TokenizerArgument,
    sentences,
    text_of,
    tokenizer_of,
    write_json,
    write_tables,
)

WithOption = Annotated[
    list[str] | None, typer.Option("--with", help="Another tokenizer to compare with it.")
]
CsvOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Also write the table as CSV.")
]


def command_of(analysis: Analysis[Any]) -> Callable[..., None]:
    """Returns the command of an analysis, for typer."""

    def command(
        as_json: bool,
        tokenizer: str = "",
        pattern: str = "",
        text: str | None = None,
        file: Path | None = None,
        against: list[str] | None = None,
        csv: Path | None = None,
        **values: Any,
    ) -> None:
        with sentences():
            names = dict.fromkeys([tokenizer, *(against or [])] if analysis.least else [])
            if len(names) < analysis.least:
                raise tc.ArgumentError("This compares tokenizers: name another one with --with.")
            opened = {name: tokenizer_of(name, pattern) for name in names}
            content = text_of(text, file) if analysis.needs_text else ""
            given = {field.name: _given(field, values[field.name]) for field in analysis.fields}
            called = {name: one.name for name, one in opened.items()}
            write_analysis(analysis.run(opened, content, called, **given), as_json, csv)

    parameters = {
        **({"tokenizer": (TokenizerArgument, Parameter.empty)} if analysis.least else {}),
        **(
            {"text": (TextArgument, None), "file": (FileOption, None)}
            if analysis.needs_text
            else {}
        ),
        **({"against": (WithOption, None)} if analysis.several else {}),
        **{field.name: option_of(field) for field in analysis.fields},
        **({"pattern": (PatternOption, "")} if analysis.least else {}),
        **({"csv": (CsvOption, None)} if analysis.several else {}),
        "as_json": (JsonOption, False),
    }
    command.__doc__ = analysis.__doc__
    return signed(command, parameters)


def _given(field: Field, value: Any) -> Any:
    """Returns the value of a field from that of its option."""
    if value and isinstance(field, Texts):
        return [one.replace("\\n", "\n").replace("\\t", "\t") for one in value]
    return None if value == [] else value


def write_analysis(answer: Answer[Any], as_json: bool, csv: Path | None = None) -> None:
    """Writes an answer: a file of its table, and JSON, or its sentences and the table for a terminal."""
    analysis, inputs, result = answer
    if csv is not None:
        from tokenarium.models.csv_text import csv_text
        from tokenarium.models.files import write_whole

        write_whole(csv, csv_text(analysis.table(inputs, result).lines()))
    plain = inputs.values.get(analysis.plain)
    if as_json and not plain:
        write_json(analysis.as_json(inputs, result))
        return
    for line in analysis.summary_lines(inputs, result):
        typer.echo(line)
    table = None if plain else analysis.printed(inputs, result)
    if table is not None:
        write_tables(table)
    for line in () if plain else analysis.remarks(inputs, result):
        typer.echo(line)
