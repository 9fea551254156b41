"""The repairs of findings and differences on the command line: a list of them, and the folder that they write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from operator import itemgetter
from pathlib import Path
from typing import Annotated

import typer

import tokenarium_core as tc
from tokenarium.analyses.table import Table, TableColumn, printed_column
from tokenarium.commands.terminal import write_json, write_stage, write_tables
from tokenarium.models.mending.gguf_repair import PRE
from tokenarium.models.mending.mended_folder import write_mended
from tokenarium.models.mending.repair import Repair

EVERY = "all"
"""Instead of an id: the first repair of each finding."""

MOST_EDITS = 12
"""The most edits of a repair that are listed on a terminal."""

RepairsOption = Annotated[
    bool,
    typer.Option(
        "--repairs", help="List the repairs that are possible, with what they change, and exit."
    ),
]
RepairOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ID", help=f"A repair to make, one of --repairs, or “{EVERY}”; may be repeated."
    ),
]
MendedOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FOLDER",
        help="The folder that --repair writes: a new one, or that of the tokenizer, of which only the mended files change.",
    ),
]


def check_options(repairs: Sequence[str] | None, out: Path | None) -> None:
    """Raises ArgumentError if one of two options that belong together is missing."""
    if bool(repairs) != (out is not None):
        raise tc.ArgumentError("--repair and --out belong together: name a repair and a folder.")


def chosen_repairs(found: Sequence[Repair], ids: Iterable[str]) -> list[Repair]:
    """Returns the repairs with some ids; ArgumentError for an id that none has."""
    by_id = {repair.id: repair for repair in found}
    chosen: dict[str, Repair] = {}
    for id in ids:
        if id == EVERY:
            first = {repair.cause: repair for repair in reversed(found)}
            chosen |= {repair.id: repair for repair in reversed(first.values())}
        elif id in by_id:
            chosen[id] = by_id[id]
        else:
            known = ", ".join(by_id) or "none"
            raise tc.ArgumentError(f"There is no repair {id!r}. The repairs are: {known}.")
    return [*chosen.values()]


def list_repairs(name: str, found: Sequence[Repair], as_json: bool) -> None:
    """Writes repairs with their first edits; JSON has all of them."""
    if as_json:
        write_json([_values(one) for one in found])
        return
    if not found:
        typer.echo(f"There is nothing in {name} that a repair could mend.")
        return
    rows: list[tuple[str, ...]] = []
    for repair in found:
        edits = [(edit.place, edit.old, edit.new) for edit in repair.edits[:MOST_EDITS]]
        if repair.pattern:
            edits = [(PRE.decode(), "", repair.pattern)]
        if (left := len(repair.edits) - len(edits)) > 0:
            edits.append((f"… and {left:,} more", "", ""))
        heads = [(repair.id, repair.sentence), *[("", "")] * (len(edits) - 1)]
        rows += [head + edit for head, edit in zip(heads, edits, strict=True)]
    heads_of_columns = ("id", "what it does", "where", "before", "after")
    columns: list[TableColumn[tuple[str, ...]]] = [
        printed_column(head, itemgetter(place), grows=bool(place))
        for place, head in enumerate(heads_of_columns)
    ]
    write_tables(Table(columns, rows, title=f"Repairs of {name}"))


def write_repairs(tokenizer: tc.Tokenizer, repairs: Sequence[Repair], out: Path, as_json: bool) -> None:  # fmt: skip
    """Writes a folder with some repairs, and says what was done."""
    try:
        mended = write_mended(tokenizer, repairs, out, write_stage)
    finally:
        write_stage(None)
    if as_json:
        values = {**asdict(mended), "folder": str(mended.folder)}
        write_json({**values, "repairs": [repair.id for repair in repairs]})
        return
    for repair in repairs:
        typer.echo(f"{repair.id}: {repair.sentence}")
    typer.echo(mended.sentence)


def _values(repair: Repair) -> dict[str, object]:
    """Returns a repair for JSON."""
    edits = [
        {"file": one.file, "path": list(one.path), "action": one.action.value, "before": one.before, "after": one.after}
        for one in repair.edits
    ]  # fmt: skip
    values = {name: getattr(repair, name) for name in ("id", "cause", "title", "sentence", "pattern")}  # fmt: skip
    return {**values, "edits": edits}
