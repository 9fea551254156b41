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
from tokenarium.models.text.id_decoding import ids_in

SHOWN = 40
"""Characters that are shown of a word that is not an id."""


def decode(
    tokenizer: TokenizerArgument,
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            help="Ids, separated by blanks or commas; without them, the standard input is read.",
            show_default=False,
        ),
    ] = None,
    pattern: PatternOption = "",
    as_json: JsonOption = False,
) -> None:
    """Writes the text of ids, byte for byte; where that is not UTF-8 the standard error says so."""
    with sentences():
        opened = tokenizer_of(tokenizer, pattern)
        found = ids_in(" ".join(ids) if ids else _standard_input())
        if found.others:
            word = found.others[0]
            shown = repr(word if len(word) <= SHOWN else f"{word[:SHOWN]}…")
            raise tc.TokenariumError(
                f"{shown} is not an id: ids are whole numbers, and not negative."
            )
        numbers = list(found.ids)
        try:
            content = opened.decode_bytes(numbers)
        except IndexError as error:
            raise tc.TokenariumError(str(error)) from error
        fault = _fault(content)
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


def _fault(content: bytes) -> str:
    """Returns where bytes are not UTF-8, as a sentence; empty where they are."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        return (
            f"These bytes are not UTF-8: byte {error.start:,} (0x{content[error.start]:02X}) does not fit there,"
            " as when ids end inside a character."
        )
    return ""


def _standard_input() -> str:
    """Returns the text of the standard input; what is not UTF-8 cannot be an id."""
    return sys.stdin.buffer.read().decode("utf-8", "replace")
