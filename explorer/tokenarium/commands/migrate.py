"""``tokenarium migrate``: what the ids of a new tokenizer are in an old one, as a table for a model's embeddings."""

from __future__ import annotations

import csv
import io
import json
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
from tokenarium.models.text.piece import percent
from tokenarium_core.whole_files import write_files

FATES = {
    "same": "keep their id",
    "moved": "have another id",
    "pieces": "are several entries of the old one",
    "nothing": "are new: no old entry has their bytes",
    "unused": "are not used",
}
"""What becomes of the new ids, in words."""

SHOWN = 20
"""The most clashes that are listed."""


def migrate(
    old: TokenizerArgument,
    new: Annotated[str, typer.Argument(help="The new tokenizer: a name, a file or a folder.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write a row for each new id: its entry, what becomes of it, and the old ids that its embedding begins"
            " with. A .json file has the same as an object.",
            show_default=False,
        ),
    ] = None,
    file: FileOption = None,
    as_json: JsonOption = False,
) -> None:
    """Shows which ids keep their meaning when a model is given another tokenizer, and which special tokens clash.

    What a text costs in both is measured on the one of --file, beside the sample texts that come with the program.
    """
    with sentences():
        before, after = tokenizer_of(old), tokenizer_of(new)
        found = tc.migrate(before, after)
        text = proof_text(file)
        costs = found.costs(text)
        if out is not None:
            write_files({out: mapping_of(found, out.suffix.lower() == ".json")})
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
            typer.echo(_clash_said(one))
        if len(found.clashes) > SHOWN:
            typer.echo(f"… and {len(found.clashes) - SHOWN:,} more special tokens clash.")
        if out is not None:
            typer.echo(f"{out} has a row for each new id.")


def _clash_said(one: tc.SpecialClash) -> str:
    if one.old_name == one.new_name:
        return f"{one.old_name} had the id {one.old_id}, and has {one.new_id} now."
    return f"The id {one.old_id} was {one.old_name}, and is {one.new_name} now."


def mapping_of(found: tc.Migration, as_json: bool) -> bytes:
    """Returns the table of all new ids, as CSV or as JSON in UTF-8."""
    surfaces = [found.new.vocabulary.surface(id) for id in range(len(found.fates))]
    if as_json:
        content = {
            "old": found.old.name,
            "new": found.new.name,
            "ids": [
                {"id": id, "entry": surface, "fate": fate, "old_ids": sources}
                for id, (surface, fate, sources) in enumerate(
                    zip(surfaces, found.fates, found.sources, strict=True)
                )
            ],
            "dropped": found.dropped,
        }
        return json.dumps(content, ensure_ascii=False, indent=0).encode() + b"\n"
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\n")
    writer.writerow(["id", "entry", "fate", "old_ids"])
    for id, (surface, fate, sources) in enumerate(
        zip(surfaces, found.fates, found.sources, strict=True)
    ):
        writer.writerow([id, surface, fate, " ".join(map(str, sources))])
    return rows.getvalue().encode()
