"""``tokenarium ways``: how many sequences of ids decode to a text."""

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
from tokenarium.models.text.piece import readable
from tokenarium.models.text.ways_words import all_digits, big_number, ways_sentence
from tokenarium_core.explaining.ways import WayOfText
from tokenarium_core.explaining.ways import ways as counted_ways


def ways(
    tokenizer: TokenizerArgument,
    text: TextArgument = None,
    file: FileOption = None,
    best: Annotated[
        int, typer.Option(min=0, max=1000, help="How many of the best are written.")
    ] = 10,
    special: Annotated[
        bool, typer.Option("--special", help="Special tokens count too, where they decode to text.")
    ] = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Write only the number, with all its digits.")
    ] = False,
    pattern: PatternOption = "",
    as_json: JsonOption = False,
) -> None:
    """Counts the sequences of ids that decode to a text, and writes the best of them."""
    with sentences():
        opened = tokenizer_of(tokenizer, pattern)
        found = counted_ways(opened, text_of(text, file), 0 if exact else best, special)
        pieces = opened.vocabulary.surface

        def written(way: WayOfText) -> str:
            return "·".join(readable(pieces(token).encode()) for token in way.ids)

        if exact:
            typer.echo(all_digits(found.count))
        elif as_json:
            write_json(
                {
                    "tokenizer": opened.name,
                    "bytes": len(found.data),
                    "comes_back": found.comes_back,
                    "ways": all_digits(found.count),
                    "bits_per_byte": found.bits_per_byte,
                    "canonical": found.canonical,
                    "by_length": found.by_length,
                    "order": found.order,
                    "best": [
                        {"ids": way.ids, "score": way.score, "pieces": [pieces(n) for n in way.ids]}
                        for way in found.best
                    ],
                }
            )
        else:
            typer.echo(ways_sentence(found))
            typer.echo(f"log2: {found.bits_per_byte:.3f} bits a byte, {len(found.data):,} bytes")
            if not found.comes_back:
                typer.echo(
                    "The text does not come back as it was: this is of what its ids decode to."
                )
            if found.count and found.best:
                rows = [
                    (
                        str(place),
                        written(way),
                        str(len(way.ids)),
                        " ".join(map(str, way.ids)),
                        "encoding" if way.ids == found.canonical else "",
                    )
                    for place, way in enumerate(found.best, 1)
                ]
                columns = [("", True), ("tokens", False), ("n", True), ("ids", False), ("", False)]
                title = f"The best {len(rows)} of {big_number(found.count)}, by {found.order}"
                write_table(columns, rows, title, wrapping=(1, 3))
