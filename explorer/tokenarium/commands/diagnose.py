"""``tokenarium diagnose``: the findings of the window's page Diagnostics."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from tokenarium.commands.terminal import (
    FOUND,
    JsonOption,
    PatternOption,
    TokenizerArgument,
    sentences,
    tokenizer_of,
)
from tokenarium.models.diagnosis.diagnosing import EXAMINATIONS
from tokenarium.models.diagnosis.diagnosis import Severity, as_text
from tokenarium.models.diagnosis.diagnosis import as_json as written_json
from tokenarium_core import TokenariumError

CASES = 5
"""Cases of each finding that are written; JSON has more."""

NAMES = {examine.__name__.strip("_"): examine for examine in EXAMINATIONS}
"""The examinations by their names."""


def diagnose(
    tokenizer: TokenizerArgument,
    pattern: PatternOption = "",
    only: Annotated[
        list[str] | None,
        typer.Option(
            help=f"One examination; several times for several: {', '.join(NAMES)}.",
            show_default=False,
        ),
    ] = None,
    cases: Annotated[
        int, typer.Option(min=0, help="Cases of each finding that are written.")
    ] = CASES,
    as_json: JsonOption = False,
) -> None:
    """Examines a tokenizer: entries that no text becomes, texts that do not come back, numbers, special tokens …

    The exit code is 0 where nothing surprising was found, 3 where something was, and 1 where the tokenizer
    cannot be opened.
    """
    with sentences():
        opened = tokenizer_of(tokenizer, pattern)
        for name in only or []:
            if name not in NAMES:
                raise TokenariumError(
                    f"There is no examination {name!r}. There is {', '.join(NAMES)}."
                )
        chosen = [NAMES[name] for name in only] if only else EXAMINATIONS
        findings = [examine(opened) for examine in chosen]
        if as_json:
            typer.echo(written_json(opened.name, findings), nl=False)
        else:
            shown = [replace(one, evidence=one.evidence[:cases]) for one in findings]
            typer.echo(as_text(opened.name, shown), nl=False)
        if any(one.severity is Severity.WARNING for one in findings):
            raise typer.Exit(FOUND)
