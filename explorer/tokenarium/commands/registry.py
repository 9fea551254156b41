"""``tokenarium registry``: tokenizers that are opened by ``name@version``, and only while they are unchanged."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from tokenarium.analyses.table import COUNT, Table, TableColumn, facts_table, printed_column
from tokenarium.commands.terminal import (
    FAILED,
    JsonOption,
    PatternOption,
    TokenizerArgument,
    sentences,
    source_of,
    tokenizer_of,
    write_answer,
    write_json,
    write_tables,
)
from tokenarium.models.training.store import Store
from tokenarium.models.training.tokenizer_registry import (
    RegisteredState,
    RegisteredTokenizer,
    TokenizerRegistry,
)
from tokenarium_core.formats.registered import ChangedError, store_folder

DIGITS = 12
"""Digits of a SHA-256 in a table; ``show`` writes all of them."""

ReferenceArgument = Annotated[
    str, typer.Argument(metavar="NAME@VERSION", help="Such as support@1.")
]

registry = typer.Typer(
    add_completion=False,
    help="Registers tokenizers by name@version, and opens them only while they are unchanged.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _registry() -> TokenizerRegistry:
    return TokenizerRegistry(Store(store_folder()))


@registry.command("add")
def add(
    tokenizer: TokenizerArgument,
    reference: ReferenceArgument,
    author: Annotated[str, typer.Option(help="Who made it.")] = "",
    note: Annotated[str, typer.Option(help="Other notes.")] = "",
    pattern: PatternOption = "",
    as_json: JsonOption = False,
) -> None:
    """Registers a tokenizer: keeps the SHA-256 and a copy of each of its files.

    A version cannot be registered again with different files.
    """
    with sentences():
        opened = tokenizer_of(tokenizer, pattern)
        record = _registry().register(
            reference, opened, source_of(tokenizer), pattern, author, note
        )
        if as_json:
            write_json(_values(record))
        else:
            typer.echo(f"{record.reference} is {record.source}, SHA-256 {record.sha256}.")


@registry.command("list")
def list_all(as_json: JsonOption = False) -> None:
    """Lists the registered tokenizers, and whether their files are unchanged."""
    with sentences():
        store = _registry()
        every = [(one, store.state(one)) for one in store.all()]
        columns: list[TableColumn[tuple[RegisteredTokenizer, RegisteredState]]] = [
            printed_column("tokenizer", lambda row: row[0].reference),
            printed_column("files", lambda row: row[1].value),
            printed_column("entries", lambda row: row[0].entries, COUNT),
            printed_column("SHA-256", lambda row: row[0].sha256[:DIGITS]),
            printed_column("author", lambda row: row[0].author, grows=True),
            printed_column("registered", lambda row: row[0].made[:10]),
            printed_column("made from", lambda row: row[0].made_from, grows=True),
            printed_column("note", lambda row: row[0].note, grows=True),
        ]
        if not every and not as_json:
            typer.echo("Nothing is registered: tokenarium registry add FILE NAME@VERSION.")
            return
        write_answer(
            as_json,
            Table(columns, every, title="Registered tokenizers"),
            lambda _: [_values(*record) for record in every],
        )


@registry.command("show")
def show(reference: ReferenceArgument, as_json: JsonOption = False) -> None:
    """Writes all that is recorded about a registered tokenizer."""
    with sentences():
        store = _registry()
        record = store.need(reference)
        if as_json:
            write_json(_values(record, store.state(record)))
            return
        rows = [
            ("Name", record.name),
            ("Version", record.version),
            ("Files", store.state(record).value),
            ("SHA-256", record.sha256),
            ("Source", record.source),
            *([("Pattern", record.pattern)] if record.pattern else []),
            ("Format", record.format),
            ("Entries", f"{record.entries:,}"),
            ("Author", record.author or "not said"),
            ("Note", record.note),
            ("Made from", record.made_from),
            ("Registered", f"{record.made}, with Tokenarium {record.tokenarium}"),
        ]
        for file in record.files:
            rows += [
                ("File", file.path),
                ("  SHA-256", file.sha256),
                ("  copy", str(store.copy_of(file))),
            ]
        settings = record.origin.get("settings")
        if isinstance(settings, dict):
            rows.append(
                ("Training", ", ".join(f"{name} = {value}" for name, value in settings.items()))
            )
        write_tables(facts_table(rows, record.reference))


@registry.command("verify")
def verify(
    references: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME@VERSION]…", help="By default, all of them.")
    ] = None,
) -> None:
    """Compares the files of registered tokenizers with what was registered; the exit code is 1 if one differs."""
    with sentences():
        store = _registry()
        every = [store.need(reference) for reference in references] if references else store.all()
        wrong = 0
        for record in every:
            try:
                store.check(record)
            except ChangedError as error:
                wrong += 1
                typer.secho(str(error), fg="red", err=True)
            else:
                typer.echo(f"{record.reference}: {RegisteredState.WHOLE.value}")
        if wrong:
            raise typer.Exit(FAILED)


@registry.command("restore")
def restore(reference: ReferenceArgument, as_json: JsonOption = False) -> None:
    """Restores registered files that were changed or are missing from the copies that were kept.

    A changed file is kept next to it, with .changed-1 after its name.
    """
    with sentences():
        store = _registry()
        restored = store.restore(store.need(reference))
        if as_json:
            write_json(
                [
                    {"path": str(one.path), "aside": str(one.aside) if one.aside else None}
                    for one in restored
                ]
            )
            return
        for one in restored:
            beside = (
                f" The file that it replaces is now {one.aside}." if one.aside is not None else ""
            )
            typer.echo(f"{one.path} is restored.{beside}")
        if not restored:
            typer.echo(f"{reference}: {RegisteredState.WHOLE.value}; there was nothing to restore.")


@registry.command("remove")
def remove(reference: ReferenceArgument) -> None:
    """Removes a tokenizer from the registry; its own files stay."""
    with sentences():
        record = _registry().remove(reference)
        typer.echo(
            f"{record.reference} is no longer registered. Its files remain: {record.source}."
        )


def _values(found: RegisteredTokenizer, state: RegisteredState | None = None) -> dict[str, Any]:
    more = {"state": state.value} if state is not None else {}
    return {"reference": found.reference, "sha256": found.sha256, **more, **asdict(found)}
