"""``tokenarium stream``: what can be shown of a text while its tokens arrive, and what its end could become."""

from __future__ import annotations

from typing import Annotated

import typer

import tokenarium_core as tc
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
from tokenarium.models.text.piece import counted, hexadecimal, readable
from tokenarium.models.text.stream_words import end_sentence, stop_sentence
from tokenarium_core.explaining.prompt_end import healing, unstable_end
from tokenarium_core.explaining.streaming import stream as streamed

ALLOWED = 12
"""Entries that healing allows which are written; JSON has all."""


def stream(
    tokenizer: TokenizerArgument,
    text: TextArgument = None,
    file: FileOption = None,
    stop: Annotated[
        list[str] | None,
        typer.Option(
            "--stop",
            help="A stop string, where the text ends; \\n is a line end.",
            show_default=False,
        ),
    ] = None,
    end: Annotated[
        bool,
        typer.Option(
            "--end", help="Only the end of the text as a prompt: what is unstable, and healing."
        ),
    ] = False,
    drop: Annotated[int, typer.Option(min=1, help="Tokens that healing drops.")] = 1,
    pattern: PatternOption = "",
    as_json: JsonOption = False,
) -> None:
    """Writes what can be shown after each token, what is held back, and where a stop string ends the text.

    With --end: which of the last tokens could change if more text comes, and what token healing would do.
    """
    with sentences():
        opened = tokenizer_of(tokenizer, pattern)
        content = text_of(text, file)
        if end:
            _write_end(opened, content, drop, as_json)
            return
        stops = [one.replace("\\n", "\n").replace("\\t", "\t") for one in stop or []]
        made = streamed(opened, opened.encode_ids(content), stops)
        if as_json:
            steps = [
                {
                    "id": step.token,
                    "alone": step.alone,
                    "shown": made.text[: step.shown],
                    "waiting": step.waiting,
                    "held": step.held.hex(),
                    "stop": step.stop,
                }
                for step in made.steps
            ]
            write_json({"tokenizer": opened.name, "stopped_at": made.stopped_at, "steps": steps})
            return
        rows, before = [], 0
        for step in made.steps:
            added = made.text[before : step.shown] if step.shown > before else ""
            before = max(before, step.shown)
            rows.append(
                (
                    str(step.token),
                    readable(opened.vocabulary.piece(step.token)),
                    readable(added.encode()),
                    readable(step.waiting.encode()),
                    hexadecimal(step.held),
                    readable(step.alone.encode()),
                )
            )
        columns = [
            ("id", True), ("token", False), ("shown now", False), ("may be a stop", False),
            ("bytes held", False), ("decoded alone", False),
        ]  # fmt: skip
        title = f"{opened.name}: {counted(len(rows), 'token')}"
        write_table(columns, rows, title, wrapping=(1, 2, 5))
        said = stop_sentence(made)
        if said:
            typer.echo(said)


def _write_end(opened: tc.Tokenizer, content: str, drop: int, as_json: bool) -> None:
    found = unstable_end(opened, content)
    healed = healing(opened, found.ids, min(drop, len(found.ids)))
    if as_json:
        write_json(
            {
                "tokenizer": opened.name,
                "ids": found.ids,
                "stable": found.stable,
                "changed": found.changed,
                "continuation": found.continuation,
                "continued": found.continued,
                "completions": sorted(found.completions),
                "healing": {
                    "kept": healed.kept,
                    "prefix": healed.prefix.hex(),
                    "allowed": healed.allowed,
                    "parts": healed.parts,
                },
            }
        )
        return
    typer.echo(end_sentence(found, opened))
    shown = ", ".join(readable(opened.vocabulary.piece(one)) for one in healed.allowed[:ALLOWED])
    more = f" and {len(healed.allowed) - ALLOWED:,} more" if len(healed.allowed) > ALLOWED else ""
    typer.echo(
        f"Token healing drops {readable(healed.prefix)}; {counted(len(healed.allowed), 'entry', 'entries')}"
        f" begin with it: {shown}{more}."
    )
