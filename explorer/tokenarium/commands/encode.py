"""``tokenarium encode``: the ids of a text."""

from __future__ import annotations

from typing import Annotated

import typer

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
    write_table,
)
from tokenarium.models.text.piece import byte_numbers, readable


def encode(
    tokenizer: TokenizerArgument,
    text: TextArgument = None,
    file: FileOption = None,
    pattern: PatternOption = "",
    special: Annotated[
        bool, typer.Option("--special", help="Make special tokens in the text their one id.")
    ] = False,
    template: Annotated[
        bool,
        typer.Option("--template", help="With the ids around a text, such as <bos>."),
    ] = False,
    show: Annotated[
        bool,
        typer.Option("--show", "-s", help="A row for each token: its text, its bytes, its span."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Writes the ids of a text."""
    with sentences():
        opened = tokenizer_of(tokenizer, pattern)
        content = text_of(text, file)
        if not (special or template or show or as_json):
            typer.echo(" ".join(map(str, opened.encode_ids(content))))
            return
        encoding = opened.encode(content, special="all" if special else "none", template=template)
        ids: list[int] = memoryview(encoding.ids).tolist()
        vocabulary = opened.vocabulary
        spans = [encoding.span(place) for place in range(len(ids))]
        if as_json:
            tokens = [
                {
                    "id": token,
                    "piece": vocabulary.surface(token),
                    "bytes": vocabulary.piece(token).hex(),
                    "span": list(span),
                }
                for token, span in zip(ids, spans, strict=True)
            ]
            write_json({"tokenizer": opened.name, "ids": ids, "tokens": tokens})
        elif show:
            rows = [
                (
                    str(token),
                    readable(vocabulary.piece(token)),
                    byte_numbers(vocabulary.piece(token), 12),
                    f"{start} to {stop}",
                )
                for token, (start, stop) in zip(ids, spans, strict=True)
            ]
            columns = [("id", True), ("token", False), ("bytes", False), ("span", True)]
            write_table(columns, rows, f"{opened.name}: {len(ids):,} tokens", wrapping=(1, 2))
        else:
            typer.echo(" ".join(map(str, ids)))
