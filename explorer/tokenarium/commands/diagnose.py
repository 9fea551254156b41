"""``tokenarium diagnose``: the findings of the window's page Diagnostics."""

from __future__ import annotations

from dataclasses import replace

import typer

from tokenarium.commands.terminal import (
    FOUND,
    JsonOption,
    PatternOption,
    TokenizerArgument,
    sentences,
    tokenizer_of,
)
from tokenarium.models.diagnosis.diagnosing import diagnose as examine
from tokenarium.models.diagnosis.diagnosis import Severity, as_text
from tokenarium.models.diagnosis.diagnosis import as_json as written_json

CASES = 5
"""Cases of each finding that are written; JSON has more."""


def diagnose(
    tokenizer: TokenizerArgument, pattern: PatternOption = "", as_json: JsonOption = False
) -> None:
    """Examines a tokenizer: entries that no text becomes, texts that do not come back, numbers, special tokens …

    The exit code is 0 where nothing surprising was found, 3 where something was, and 1 where the tokenizer
    cannot be opened.
    """
    with sentences():
        opened = tokenizer_of(tokenizer, pattern)
        findings = list(examine(opened))
        if as_json:
            typer.echo(written_json(opened.name, findings), nl=False)
        else:
            shown = [replace(one, evidence=one.evidence[:CASES]) for one in findings]
            typer.echo(as_text(opened.name, shown), nl=False)
        if any(one.severity is Severity.WARNING for one in findings):
            raise typer.Exit(FOUND)
