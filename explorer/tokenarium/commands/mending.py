"""The repairs of findings and differences on the command line: a list of them, and the folder that they write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

import tokenarium_core as tc
from tokenarium.analyses.table import Table, TableColumn, printed_column
from tokenarium.commands.terminal import write_answer, write_json, write_stage
from tokenarium.models.mending.mended_folder import write_mended
from tokenarium.models.mending.repair import FileEdit, Repair

EVERY = "all"
"""Instead of an id: the first repair of each finding."""

RepairsOption = Annotated[
    bool,
    typer.Option(
        "--repairs", help="List the repairs that are possible, with what they change, and exit."
    ),
]
RepairOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ID",
        help=f"A repair to make, one of --repairs, or “{EVERY}”; may be repeated.",
        show_default=False,
    ),
]
MendedOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FOLDER",
        help="The folder that --repair writes: a new one, or that of the tokenizer, of which only the mended files change.",
        show_default=False,
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
    """Writes repairs with their edits."""
    columns: list[TableColumn[tuple[Repair, FileEdit | None]]] = [
        printed_column("id", lambda row: row[0].id),
        printed_column("what it does", lambda row: row[0].sentence, grows=True),
        printed_column("where", lambda row: row[1].place if row[1] else "", grows=True),
        printed_column("before", lambda row: row[1].old if row[1] else "", grows=True),
        printed_column("after", lambda row: row[1].new if row[1] else row[0].pattern, grows=True),
    ]
    rows = [(repair, edit) for repair in found for edit in repair.edits or (None,)]
    if not found and not as_json:
        typer.echo(f"There is nothing in {name} that a repair could mend.")
        return
    title = f"Repairs of {name}"
    write_answer(as_json, Table(columns, rows, title=title), lambda _: [_values(one) for one in found])  # fmt: skip


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
