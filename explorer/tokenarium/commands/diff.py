"""``tokenarium diff``: what two tokenizers do differently, stage by stage, with the shortest text for each difference."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tokenarium.commands.terminal import (
    FOUND,
    JsonOption,
    TokenizerArgument,
    sentences,
    text_of,
    tokenizer_of,
    write_json,
    write_stage,
    write_table,
)
from tokenarium_core import TokenariumError
from tokenarium_core.comparing.diff import DiffJob, TokenizerDiff
from tokenarium_core.comparing.stage_differences import CHANGES_IDS, EFFECTS, StageDifference

SHOWN = 60
"""Characters of a value, or of a text, that the table shows; JSON has all of them."""

STEP_MS = 100
"""How long texts are tried before the progress is written."""


def diff(
    a: TokenizerArgument,
    b: Annotated[
        str,
        typer.Argument(help="The other tokenizer: a name, a file or a folder.", show_default=False),
    ],
    text: Annotated[
        list[Path] | None,
        typer.Option(
            "--text",
            "-t",
            metavar="FILE",
            help="Try the lines of a UTF-8 file too, or of the standard input with -; may be repeated.",
            show_default=False,
        ),
    ] = None,
    fail_on: Annotated[
        str,
        typer.Option(
            metavar="EFFECT",
            help=f"The least effect that gives the exit code 3: {', '.join(EFFECTS)}.",
        ),
    ] = CHANGES_IDS,
    as_json: JsonOption = False,
) -> None:
    """Shows what two tokenizers do differently, and the shortest text found whose ids differ.

    The stages are compared as they work, not as they are written: normalizer, pattern, pre-tokenizer, added tokens, model,
    vocabulary, merges, scores, template, decoder, chat template, truncation and padding.

    Each difference has an effect: changes-ids (a text shows it), may-change-ids (no text was found, but there may be one),
    changes-text (the same ids decode to different texts), keeps-ids (it concerns chats, pairs of texts or batches, or
    nothing that was found).

    The exit code is 0 if no difference has the effect of --fail-on or a worse one, 3 if one has, and 1 if a tokenizer
    cannot be opened.
    """
    with sentences():
        if fail_on not in EFFECTS:
            raise TokenariumError(
                f"There is no effect {fail_on!r}: choose from {', '.join(EFFECTS)}."
            )
        job = DiffJob(
            tokenizer_of(a), tokenizer_of(b), [text_of(None, file) for file in text or []]
        )
        progress = job.step(STEP_MS)
        while not progress.finished:
            write_stage(progress)
            progress = job.step(STEP_MS)
        write_stage(None)
        found = job.result
        if as_json:
            write_json(values_of(found))
        else:
            write_difference_table(found)
            typer.echo(found.sentence)
        if found.worst and EFFECTS.index(found.worst) <= EFFECTS.index(fail_on):
            raise typer.Exit(FOUND)


def write_difference_table(found: TokenizerDiff) -> None:
    """Writes a row for each difference; nothing if there is none."""
    if not found.differences:
        return
    columns = [("stage", False), ("difference", False), (f"A: {found.name_a}", False)]
    columns += [(f"B: {found.name_b}", False), ("effect", False), ("text", False)]
    rows = [
        (
            one.stage,
            _short(one.what),
            _short(one.a),
            _short(one.b),
            one.effect,
            "" if one.text is None else _short(repr(one.text)),
        )
        for one in found.differences
    ]
    write_table(columns, rows, wrapping=(1, 2, 3, 5))


def values_of(found: TokenizerDiff) -> dict[str, object]:
    """Returns the result for JSON."""
    first = found.first
    return {
        "a": found.name_a,
        "b": found.name_b,
        "worst": found.worst or None,
        "sentence": found.sentence,
        "first": None
        if first is None
        else {
            "text": first.text,
            "special": first.special,
            "template": first.template,
            "stage": first.stage,
            "because": first.because,
            "ids_a": first.ids_a,
            "ids_b": first.ids_b,
        },
        "differences": [_values(one) for one in found.differences],
        "tried": found.tried,
        "not_tried": found.not_tried,
    }


def _values(one: StageDifference) -> dict[str, object]:
    return {
        "stage": one.stage,
        "what": one.what,
        "a": one.a,
        "b": one.b,
        "effect": one.effect,
        "text": one.text,
        "ids_a": one.ids_a,
        "ids_b": one.ids_b,
    }


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
