"""``tokenarium diagnose``: the findings of the window's page Diagnostics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tokenarium.analyses.table import Table, TableColumn, printed_column
from tokenarium.commands.mending import (
    MendedOption,
    RepairOption,
    RepairsOption,
    check_options,
    chosen_repairs,
    list_repairs,
    write_repairs,
)
from tokenarium.commands.shared_options import fail_option, place_of
from tokenarium.commands.terminal import (
    FOUND,
    JsonOption,
    MarkdownOption,
    PatternOption,
    TokenizerArgument,
    sentences,
    tokenizer_of,
    write_markdown,
)
from tokenarium.models.diagnosis.diagnosing import EXAMINATIONS, examined, under_trained
from tokenarium.models.diagnosis.diagnosis import FAULTS, Diagnosis, Level, as_line, as_text, worst
from tokenarium.models.diagnosis.diagnosis import as_json as written_json
from tokenarium.models.diagnosis.diagnosis_embeddings import examine_embeddings
from tokenarium.models.diagnosis.diagnosis_stored import text_starts
from tokenarium.models.mending.finding_repairs import repairs_of
from tokenarium.models.mending.repair import Repair
from tokenarium.models.text.piece import counted
from tokenarium.work.templating import TemplateProcess
from tokenarium_core import TokenariumError

CASES = 5
"""Cases of each finding that are written; JSON has more."""

LEVELS = [level.value for level in FAULTS]
"""The levels of --fail-on, the worst first."""

NAMES = {examine.__name__: examine for examine in EXAMINATIONS}
"""The examinations by their names."""


def diagnose(
    tokenizer: TokenizerArgument,
    pattern: PatternOption = "",
    only: Annotated[
        list[str] | None,
        typer.Option(help=f"One examination; may be repeated: {', '.join(NAMES)}."),
    ] = None,
    embeddings: Annotated[
        Path | None,
        typer.Option(
            help="The weights of the model (a safetensors file, or a folder), for entries that it hardly trained. Weights"
            " next to the tokenizer are read without this option."
        ),
    ] = None,
    unused: Annotated[
        list[int] | None,
        typer.Option(
            metavar="ID",
            help="An id that the model never saw, with which --embeddings compares the others; may be repeated.",
        ),
    ] = None,
    cases: Annotated[
        int, typer.Option(min=0, help="How many cases of each finding are written.")
    ] = CASES,
    fail_on: Annotated[str, fail_option("LEVEL", "lowest level", LEVELS)] = Level.LOST_TEXT.value,
    repairs: RepairsOption = False,
    repair: RepairOption = None,
    out: MendedOption = None,
    as_json: JsonOption = False,
    markdown: MarkdownOption = False,
) -> None:
    """Examines a tokenizer: entries that no text becomes, texts that do not come back, numbers, special tokens …

    Each finding has a level: wrong-ids (other programs give different ids than the model was trained with, or ids that
    it has no row for), lost-text (decoding does not give back what the normalizer leaves as it is), may-surprise, fine.

    Some findings can be mended: --repairs lists how, and --repair writes a folder in which only that is changed, and which is
    checked with the library that owns the format.

    The exit code is 0 if no finding is as bad as --fail-on, 3 if one is, and 1 if the tokenizer cannot be opened.
    """
    with sentences():
        bound = FAULTS[place_of(fail_on, LEVELS, "level")]
        opened = tokenizer_of(tokenizer, pattern)
        for name in only or []:
            if name not in NAMES:
                raise TokenariumError(
                    f"There is no examination {name!r}: choose from {', '.join(NAMES)}."
                )
        chosen = [NAMES[name] for name in only] if only else EXAMINATIONS
        check_options(repair, out)
        findings = []
        found: list[Repair] = []
        for examine in chosen:
            if examine is under_trained:
                path = str(embeddings) if embeddings is not None else ""
                findings.append(examine_embeddings(opened, path, unused=unused or ())[0])
            elif examine is text_starts:
                process = TemplateProcess()
                try:
                    findings.append(text_starts(opened, process.write))
                    if repairs or repair:
                        found += repairs_of(opened, findings[-1], process.write)
                finally:
                    process.stop()
            else:
                findings.append(examined(examine, opened))
                if repairs or repair:
                    found += repairs_of(opened, findings[-1])
        if repairs:
            list_repairs(opened.name, found, as_json)
            return
        if repair and out is not None:
            write_repairs(opened, chosen_repairs(found, repair), out, as_json)
            return
        if as_json:
            typer.echo(written_json(opened.name, findings), nl=False)
        elif markdown:
            _write_markdown(opened.name, findings, cases)
        else:
            shown = [replace(one, evidence=one.evidence[:cases]) for one in findings]
            typer.echo(as_text(opened.name, shown), nl=False)
        if worst(one.level for one in findings).reaches(bound):
            raise typer.Exit(FOUND)


def _write_markdown(name: str, findings: Sequence[Diagnosis], cases: int) -> None:
    """Writes the findings that are faults, the worst first, with their first cases."""
    faults = sorted(
        (one for one in findings if one.level in FAULTS), key=lambda one: FAULTS.index(one.level)
    )
    columns: list[TableColumn[Diagnosis]] = [
        printed_column("level", lambda one: one.level.words),
        printed_column("finding", lambda one: one.title),
        printed_column("what was found", lambda one: one.sentence),
        printed_column("first cases", lambda one: "\n".join(map(as_line, one.evidence[:cases]))),
    ]
    count = counted(len(faults), "finding")
    said = f"{count} in {counted(len(findings), 'examination')}." if faults else "No findings."
    write_markdown(f"Diagnostics of {name}", [said], Table(columns, faults))
