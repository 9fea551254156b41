"""``tokenarium migrate``: what the ids of a new tokenizer are in an old one, as a table for a model's embeddings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import tokenarium_core as tc
from tokenarium.commands.export import proof_text
from tokenarium.commands.terminal import (
    FileOption,
    JsonOption,
    TokenizerArgument,
    sentences,
    tokenizer_of,
    write_json,
    write_table,
)
from tokenarium.models.compare.migration import FATES, clash_sentence, mapping_of, migration_table
from tokenarium.models.text.piece import percent
from tokenarium_core.whole_files import write_files

SHOWN = 20
"""The most clashes that are listed."""


def migrate(
    old: TokenizerArgument,
    new: Annotated[str, typer.Argument(help="The new tokenizer: a name, a file or a folder.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write a row for each new id: its entry, what happens to it, and the old ids that its embedding starts"
            " from. A .json file contains the same as an object."
        ),
    ] = None,
    file: FileOption = None,
    as_json: JsonOption = False,
) -> None:
    """Shows which ids keep their meaning when a model is given another tokenizer, and which special tokens clash.

    The cost in both is measured on the text of --file, and on the sample texts that come with the program.
    """
    with sentences():
        before, after = tokenizer_of(old), tokenizer_of(new)
        found = tc.migrate(before, after)
        text = proof_text(file)
        costs = found.costs(text)
        if out is not None:
            as_table = migration_table(found)
            write_files({out: mapping_of(as_table, before, after, out.suffix.lower() == ".json")})
        if as_json:
            write_json(
                {
                    "old": before.name,
                    "new": after.name,
                    **{fate: found.count(fate) for fate in FATES},
                    "dropped": len(found.dropped),
                    "tokens": {"old": costs[0], "new": costs[1], "characters": len(text)},
                    "clashes": [
                        {
                            "old_name": one.old_name,
                            "old_id": one.old_id,
                            "new_name": one.new_name,
                            "new_id": one.new_id,
                        }
                        for one in found.clashes
                    ],
                    "file": str(out) if out is not None else None,
                }
            )
            return
        count = len(found.fates)
        rows = [
            (f"{found.count(fate):,}", percent(found.count(fate) / max(count, 1)), said)
            for fate, said in FATES.items()
        ]
        rows.append(
            (f"{len(found.dropped):,}", "", f"entries of {before.name} are no longer there")
        )
        columns = [("ids", True), ("share", True), ("", False)]
        write_table(columns, rows, f"{before.name} to {after.name}: {count:,} ids", wrapping=(2,))
        change = percent(abs(costs[1] / max(costs[0], 1) - 1))
        less = "fewer" if costs[1] <= costs[0] else "more"
        typer.echo(
            f"{len(text):,} characters of text: {costs[0]:,} tokens before, {costs[1]:,} after, {change} {less}."
        )
        for one in found.clashes[:SHOWN]:
            typer.echo(clash_sentence(one))
        if len(found.clashes) > SHOWN:
            typer.echo(f"… and {len(found.clashes) - SHOWN:,} more special tokens clash.")
        if out is not None:
            typer.echo(f"{out} has a row for each new id.")
