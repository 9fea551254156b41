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
from tokenarium.models.files import store_folder
from tokenarium.models.training.store import Store
from tokenarium.models.training.tokenizer_registry import (
    ChangedError,
    RegisteredState,
    RegisteredTokenizer,
    TokenizerRegistry,
)

DIGITS = 12
"""Digits of a SHA-256 in a table; ``show`` writes all of them."""

ReferenceArgument = Annotated[
    str, typer.Argument(metavar="NAME@VERSION", help="Such as support@1.", show_default=False)
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
    author: Annotated[str, typer.Option(help="Who made it.", show_default=False)] = "",
    note: Annotated[str, typer.Option(help="Other notes.", show_default=False)] = "",
    pattern: PatternOption = "",
    as_json: JsonOption = False,
) -> None:
    """Registers a tokenizer: keeps the SHA-256 and a copy of each of its files.

    A version cannot be registered again with different files.
    """
    with sentences():
        opened = tokenizer_of(tokenizer, pattern)
        found = _registry().register(reference, opened, source_of(tokenizer), pattern, author, note)
        if as_json:
            write_json(_values(found))
        else:
            typer.echo(f"{found.reference} is {found.source}, SHA-256 {found.sha256}.")


@registry.command("list")
def list_all(as_json: JsonOption = False) -> None:
    """Lists the registered tokenizers, and whether their files are unchanged."""
    with sentences():
        kept = _registry()
        every = [(one, kept.state(one)) for one in kept.all()]
        columns: list[TableColumn[tuple[RegisteredTokenizer, RegisteredState]]] = [
            printed_column("tokenizer", lambda one: one[0].reference),
            printed_column("files", lambda one: one[1].value),
            printed_column("entries", lambda one: one[0].entries, COUNT),
            printed_column("SHA-256", lambda one: one[0].sha256[:DIGITS]),
            printed_column("author", lambda one: one[0].author, grows=True),
            printed_column("registered", lambda one: one[0].made[:10]),
            printed_column("made from", lambda one: one[0].made_from, grows=True),
            printed_column("note", lambda one: one[0].note, grows=True),
        ]
        if not every and not as_json:
            typer.echo("Nothing is registered: tokenarium registry add FILE NAME@VERSION.")
            return
        write_answer(
            as_json,
            Table(columns, every, title="Registered tokenizers"),
            lambda _: [_values(*one) for one in every],
        )


@registry.command("show")
def show(reference: ReferenceArgument, as_json: JsonOption = False) -> None:
    """Writes all that is recorded about a registered tokenizer."""
    with sentences():
        kept = _registry()
        found = kept.need(reference)
        if as_json:
            write_json(_values(found, kept.state(found)))
            return
        rows = [
            ("Name", found.name),
            ("Version", found.version),
            ("Files", kept.state(found).value),
            ("SHA-256", found.sha256),
            ("Source", found.source),
            *([("Pattern", found.pattern)] if found.pattern else []),
            ("Format", found.format),
            ("Entries", f"{found.entries:,}"),
            ("Author", found.author or "not said"),
            ("Note", found.note),
            ("Made from", found.made_from),
            ("Registered", f"{found.made}, with Tokenarium {found.tokenarium}"),
        ]
        for file in found.files:
            rows += [
                ("File", file.path),
                ("  SHA-256", file.sha256),
                ("  copy", str(kept.copy_of(file))),
            ]
        settings = found.origin.get("settings")
        if isinstance(settings, dict):
            rows.append(
                ("Training", ", ".join(f"{name} = {value}" for name, value in settings.items()))
            )
        write_tables(facts_table(rows, found.reference))


@registry.command("verify")
def verify(
    references: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME@VERSION]…", help="By default, all of them.", show_default=False
        ),
    ] = None,
) -> None:
    """Compares the files of registered tokenizers with what was registered; the exit code is 1 if one differs."""
    with sentences():
        kept = _registry()
        every = [kept.need(one) for one in references] if references else kept.all()
        wrong = 0
        for one in every:
            try:
                kept.check(one)
            except ChangedError as error:
                wrong += 1
                typer.secho(str(error), fg="red", err=True)
            else:
                typer.echo(f"{one.reference}: {RegisteredState.WHOLE.value}")
        if wrong:
            raise typer.Exit(FAILED)


@registry.command("restore")
def restore(reference: ReferenceArgument, as_json: JsonOption = False) -> None:
    """Restores registered files that were changed or are missing from the copies that were kept.

    A changed file is kept next to it, with .changed-1 after its name.
    """
    with sentences():
        kept = _registry()
        found = kept.restore(kept.need(reference))
        if as_json:
            write_json(
                [
                    {"path": str(one.path), "aside": str(one.aside) if one.aside else None}
                    for one in found
                ]
            )
            return
        for one in found:
            beside = (
                f" The file that it replaces is now {one.aside}." if one.aside is not None else ""
            )
            typer.echo(f"{one.path} is restored.{beside}")
        if not found:
            typer.echo(f"{reference}: {RegisteredState.WHOLE.value}; there was nothing to restore.")


@registry.command("remove")
def remove(reference: ReferenceArgument) -> None:
    """Removes a tokenizer from the registry; its own files stay."""
    with sentences():
        found = _registry().remove(reference)
        typer.echo(f"{found.reference} is no longer registered. Its files remain: {found.source}.")


def _values(found: RegisteredTokenizer, state: RegisteredState | None = None) -> dict[str, Any]:
    more = {"state": state.value} if state is not None else {}
    return {"reference": found.reference, "sha256": found.sha256, **more, **asdict(found)}
