"""``tokenarium decode``: the text of ids."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import tokenarium_core as tc
from tokenarium.commands.terminal import (
    JsonOption,
    PatternOption,
    TokenizerArgument,
    sentences,
    tokenizer_of,
    write_json,
)
from tokenarium_core.command_values import ids_in, utf8_fault


def decode(
    tokenizer: TokenizerArgument,
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            help="Ids, separated by spaces or commas; without them, the standard input is read."
        ),
    ] = None,
    skip: Annotated[
        bool | None,
        typer.Option(
            "--skip-special-tokens/--keep-special-tokens",
            help="Leave special tokens out, or write them; by default, as the library of the format does.",
        ),
    ] = None,
    pattern: PatternOption = "",
    as_json: JsonOption = False,
) -> None:
    """Writes the text of ids, byte for byte; if it is not UTF-8, the standard error says so."""
    with sentences():
        opened = tokenizer_of(tokenizer, pattern)
        numbers = ids_in(" ".join(ids) if ids else _standard_input()).checked()
        try:
            content = opened.decode_bytes(numbers, skip)
        except IndexError as error:
            raise tc.TokenariumError(str(error)) from error
        fault = utf8_fault(content)
        if as_json:
            write_json(
                {
                    "tokenizer": opened.name,
                    "text": content.decode("utf-8", "replace"),
                    "bytes": content.hex(),
                    "valid_utf8": not fault,
                }
            )
        else:
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
        if fault:
            what = "The text has U+FFFD there" if as_json else "They are written as they are"
            typer.secho(f"{fault} {what}.", fg="yellow", err=True)


def _standard_input() -> str:
    """Returns the text of the standard input; ids are always UTF-8."""
    return sys.stdin.buffer.read().decode("utf-8", "replace")
