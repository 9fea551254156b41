"""``tokenarium decode``: the text of ids."""

from __future__ import annotations

import re
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


def decode(
    tokenizer: TokenizerArgument,
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            help="Ids, parted by blanks or commas; left out, they are read from the standard input.",
            show_default=False,
        ),
    ] = None,
    pattern: PatternOption = "",
    as_json: JsonOption = False,
) -> None:
    """Writes the text that ids stand for, byte for byte."""
    with sentences():
        opened = tokenizer_of(tokenizer, pattern)
        numbers = _numbers(" ".join(ids) if ids else sys.stdin.read())
        try:
            content = opened.decode_bytes(numbers)
        except IndexError as error:
            raise tc.TokenariumError(str(error)) from error
        if as_json:
            write_json(
                {
                    "tokenizer": opened.name,
                    "text": content.decode("utf-8", "replace"),
                    "bytes": content.hex(),
                }
            )
        else:
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()


def _numbers(text: str) -> list[int]:
    """Returns the ids in a text, also one that is a list in JSON; TokenariumError for what is none."""
    words = re.split(r"[\s,]+", text.strip().strip("[]").strip())
    try:
        return [int(word) for word in words if word]
    except ValueError:
        wrong = next(word for word in words if not word.lstrip("-").isdecimal())
        raise tc.TokenariumError(f"{wrong!r} is no id: ids are whole numbers.") from None
