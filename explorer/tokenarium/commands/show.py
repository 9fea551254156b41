"""``tokenarium show``: the tokens of several tokenizers under each line of a text, coloured."""

from __future__ import annotations

from typing import Annotated

import typer

from tokenarium.commands.terminal import (
    FileOption,
    PatternOption,
    TextOption,
    TokenizersArgument,
    sentences,
    text_of,
    tokenizer_of,
    write_stage,
)
from tokenarium.models.text.token_lines import MOST_CHARACTERS, token_lines
from tokenarium.models.tokenizers.tokenizer_names import tell_apart
from tokenarium_core.progress import Progress


def show(
    tokenizers: TokenizersArgument,
    text: TextOption = None,
    file: FileOption = None,
    pattern: PatternOption = "",
    ids: Annotated[
        bool, typer.Option("--ids", help="Write the id of each token under it.")
    ] = False,
    most: Annotated[
        int, typer.Option(min=1, help="The characters of the text whose tokens are shown.")
    ] = MOST_CHARACTERS,
) -> None:
    """Writes a text with the tokens of each tokenizer under each line, on a coloured ground, and how many there are.

    A token has the same hue wherever it is; neighbours differ in their shade. Where there are no colours, as in a file, in
    a pipe, or with NO_COLOR, a line stands between two tokens. For the ids alone, see encode.
    """
    from tokenarium.commands.coloured_tokens import ColouredTokens  # with rich
    from tokenarium.commands.tables import terminal_console

    with sentences():
        content = text_of(text, file)
        opened = [tokenizer_of(name, pattern) for name in tokenizers]
        tell_apart(opened)
        lines = token_lines(content, {one.name: one for one in opened}, most, write_stage)
        write_stage(None)
        console = terminal_console()
        for done, part in ColouredTokens(lines, ids).parts():
            console.print(part, crop=False, soft_wrap=False, end="")
            if not console.is_terminal:  # where the lines themselves are seen
                write_stage(Progress("writing the lines", done, len(lines.lines), False))
        write_stage(None)
