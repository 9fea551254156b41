"""``tokenarium sample``: cuts of a text drawn at random, by BPE-dropout or by the scores of Unigram."""

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
from tokenarium.models.text.piece import percent, readable
from tokenarium_core.explaining.sampling import ALPHA, DROPOUT
from tokenarium_core.explaining.sampling import sample as drawn


def sample(
    tokenizer: TokenizerArgument,
    text: TextArgument = None,
    file: FileOption = None,
    count: Annotated[
        int, typer.Option(min=1, max=10_000_000, help="How many cuts are drawn.")
    ] = 1000,
    dropout: Annotated[
        float, typer.Option(min=0, max=1, help="BPE: the probability of leaving a merge out.")
    ] = DROPOUT,
    alpha: Annotated[
        float,
        typer.Option(
            min=0, help="Unigram: the exponent of the probabilities; 0 makes all cuts alike."
        ),
    ] = ALPHA,
    seed: Annotated[int, typer.Option(help="The same seed draws the same cuts again.")] = 0,
    shown: Annotated[
        int, typer.Option(min=0, help="How many of the most frequent cuts are written.")
    ] = 10,
    special: Annotated[bool, typer.Option("--special", help="Special tokens stay whole.")] = False,
    pattern: PatternOption = "",
    as_json: JsonOption = False,
) -> None:
    """Draws cuts of a text at random, as models are trained with them, and writes the most frequent ones."""
    with sentences():
        opened = tokenizer_of(tokenizer, pattern)
        found = drawn(opened, text_of(text, file), count, dropout, alpha, seed, special)
        pieces = opened.vocabulary.surface
        if as_json:
            write_json(
                {
                    "tokenizer": opened.name,
                    "rule": found.rule,
                    "seed": seed,
                    "draws": found.count,
                    "different": len(found.cuts),
                    "tokens": found.tokens,
                    "canonical": found.canonical,
                    "canonical_share": found.canonical_share,
                    "cuts": [
                        {
                            "times": cut.times,
                            "ids": cut.ids,
                            "pieces": [pieces(id) for id in cut.ids],
                            "probability": cut.probability if cut.probability >= 0 else None,
                        }
                        for cut in found.cuts[:shown]
                    ],
                }
            )
            return
        typer.echo(
            f"{found.count:,} draws with {found.rule}: {len(found.cuts):,} different cuts, {found.tokens:.1f} tokens on average;"
            f" {percent(found.canonical_share)} are that of encoding ({len(found.canonical):,} tokens)."
        )
        rows = [
            (
                f"{cut.times:,}",
                percent(cut.times / found.count),
                percent(cut.probability) if cut.probability >= 0 else "",
                "·".join(readable(pieces(id).encode()) for id in cut.ids),
                "encoding" if cut.ids == found.canonical else "",
            )
            for cut in found.cuts[:shown]
        ]
        if rows:
            columns = [
                ("times", True),
                ("share", True),
                ("exact", True),
                ("tokens", False),
                ("", False),
            ]
            write_table(columns, rows, f"The most frequent {len(rows)}", wrapping=(3,))
