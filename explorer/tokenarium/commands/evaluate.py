"""``tokenarium evaluate``: the evaluation report of a tokenizer, with thresholds that it must keep."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

import tokenarium_core as tc
from tokenarium.commands.terminal import (
    FAILED,
    FOUND,
    JsonOption,
    PatternOption,
    sentences,
    tokenizer_of,
    write_json,
    write_stage,
    write_table,
)
from tokenarium.models.files import write_whole
from tokenarium.models.release.evaluation import evaluate as evaluated
from tokenarium.models.release.evaluation_page import evaluation_page
from tokenarium.models.release.evaluation_report import (
    RANK,
    EvaluationReport,
    ReportComparison,
    TextFigures,
    compare_reports,
    read_report,
)
from tokenarium.models.release.release_limits import (
    CHECKS,
    ReleaseLimits,
    ReleaseVerdict,
    declared_limits,
    limits_of_file,
    limits_of_options,
)
from tokenarium.models.text.piece import percent
from tokenarium.models.text.text_file import TextFileError
from tokenarium.models.training.corpus_lists import named_sources
from tokenarium.work.templating import TemplateProcess

CASES = 3
"""Cases of a check that are written; JSON has more."""


def evaluate(
    tokenizer: Annotated[
        str,
        typer.Argument(
            help="A file or folder, the name of an encoding (cl100k_base …), of a trained tokenizer, or name@version.",
            show_default=False,
        ),
    ] = "",
    file: Annotated[
        list[str] | None,
        typer.Option(
            "--file",
            "-f",
            help="A file of texts in any form that train reads, a folder or an address, to measure on; several times for several. Else Tokenarium's samples.",
            show_default=False,
        ),
    ] = None,
    parallel: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="A folder with a text for each language, all saying the same; else Tokenarium's sentences.",
            show_default=False,
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            help="The model's config.json or its folder, if that is not the tokenizer's.",
            show_default=False,
        ),
    ] = None,
    limits: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Thresholds, in TOML or JSON: see --checks.", show_default=False
        ),
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CHECK=VALUE",
            help="One threshold: fertility=4, fertility.look=2, premium=off; several times for several.",
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="OLD.json", help="An older report: say what became worse.", show_default=False
        ),
    ] = None,
    save: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Write the report to a .json or .html file, too; several times for several.",
            show_default=False,
        ),
    ] = None,
    checks: Annotated[
        bool, typer.Option("--checks", help="List the checks with their thresholds, and end.")
    ] = False,
    pattern: PatternOption = "",
    as_json: JsonOption = False,
) -> None:
    """Measures a tokenizer before it is released, and checks the figures against thresholds.

    The exit code is 1 where a check fails, and 3 where none does but a figure is worse than in --against. The texts are
    measured for compression, fertility and round trips; the vocabulary for its scripts; special tokens, numbers and
    white space are tried; the chat template and config.json are read from the folder of the tokenizer.
    """
    with sentences():
        bounds = limits_of_file(limits) if limits is not None else declared_limits()
        bounds = limits_of_options(bounds, limit or [])
        if checks:
            _list_checks(bounds, as_json)
            return
        if not tokenizer:
            raise typer.BadParameter("Name a tokenizer.", param_hint="TOKENIZER")
        for path in save or []:
            if path.suffix.lower() not in (".json", ".html"):
                raise tc.TokenariumError(f"{path} ends neither in .json nor in .html: name it so.")
        old = read_report(against) if against is not None else None
        opened = tokenizer_of(tokenizer, pattern)
        sources = tuple(replace(one, weight=None) for one in named_sources(file or []))
        process = TemplateProcess()
        try:
            report = evaluated(
                opened, sources, parallel or "", config or "", bounds, write_stage, process.write
            )
        except TextFileError as error:
            raise tc.TokenariumError(str(error)) from None
        finally:
            process.stop()
            write_stage(None)
        compared = compare_reports(old, report.as_dict()) if old is not None else None
        for path in save or []:
            is_page = path.suffix.lower() == ".html"
            write_whole(path, evaluation_page(report, compared) if is_page else report.as_json())
        if as_json:
            _write_json(report, compared)
        else:
            _write(report)
            if compared is not None:
                _write_comparison(compared)
        if report.verdict is ReleaseVerdict.FAIL:
            raise typer.Exit(FAILED)
        if compared is not None and compared.worse:
            raise typer.Exit(FOUND)


def _list_checks(limits: ReleaseLimits, as_json: bool) -> None:
    if as_json:
        bounds = {
            one.id: {"look": limits[one.id].look, "fail": limits[one.id].fail} for one in CHECKS
        }
        write_json({"limits": bounds})
        return
    rows = [(one.id, one.about, one.unit, one.rule(limits[one.id])) for one in CHECKS]
    columns = [("check", False), ("what is measured", False), ("unit", False), ("threshold", False)]
    write_table(columns, rows, "Checks of a release", wrapping=(1, 3))


def _write_json(report: EvaluationReport, compared: ReportComparison | None) -> None:
    made = report.as_dict()
    if compared is not None:
        made["against"] = {
            "name": compared.name,
            "worse": [one.sentence for one in compared.worse],
            "better": [one.sentence for one in compared.better],
            "notes": list(compared.notes),
        }
    write_json(made)


def _write(report: EvaluationReport) -> None:
    found = sorted(report.checks, key=lambda one: RANK.index(one.verdict))
    bad = (ReleaseVerdict.FAIL, ReleaseVerdict.LOOK)
    rows = [(one.verdict.value, one.check.title, one.shown, one.rule) for one in found]
    columns = [("", False), ("check", False), ("figure", True), ("threshold", False)]
    write_table(columns, rows, f"{report.name}: {report.summary}", wrapping=(3,), keys=2)
    for one in found:
        if one.verdict in bad:
            typer.echo(f"{one.verdict.value}: {one.check.title}. {one.check.do}")
            for case in one.cases[:CASES]:
                typer.echo(f"  {case}")
    for title, part in (("text", report.files), ("language", report.languages)):
        _write_texts(title, part)
    script_rows = [
        (
            one.script,
            f"{one.entries:,}",
            percent(one.share),
            _number(one.mean_bytes),
            f"{one.tokens:,}",
            _number(one.bytes_per_token),
        )
        for one in report.scripts
    ]
    heads = ("script", "entries", "share", "mean\nbytes", "tokens of\nthe texts", "bytes\n/token")
    write_table([(head, head != "script") for head in heads], script_rows, "Entries by script")
    cut = [
        (one.text, str(len(one.tokens)), " | ".join(one.tokens))
        for one in (*report.numbers, *report.spaces)
    ]
    columns = [("numbers and white space", False), ("tokens", True), ("", False)]
    write_table(columns, cut, "", wrapping=(2,))
    for note in report.notes:
        typer.secho(note, fg="yellow", err=True)


def _write_texts(title: str, rows: tuple[TextFigures, ...]) -> None:
    dear = title == "language"
    columns = [
        (title, False),
        ("bytes", True),
        ("tokens", True),
        ("bytes\n/token", True),
        ("fertility\nin context", True),
        ("fertility\nalone", True),
        *([("times\nEnglish", True)] * dear),
        ("unknown", True),
        ("comes\nback", False),
    ]
    shown = [
        (
            one.name,
            f"{one.bytes:,}",
            f"{one.tokens:,}",
            *(
                _number(value)
                for value in (one.bytes_per_token, one.fertility, one.fertility_alone)
            ),
            *([_number(one.premium)] * dear),
            percent((one.unknown or 0.0) / 100),
            "yes" if one.round_trip else "no",
        )
        for one in rows
    ]
    write_table(columns, shown, f"By {title}")


def _write_comparison(compared: ReportComparison) -> None:
    for note in compared.notes:
        typer.echo(note)
    typer.echo(
        f"Against {compared.name}: {len(compared.worse)} figures are worse, {len(compared.better)} better."
    )
    for one in compared.worse:
        typer.echo(f"  worse: {one.sentence}")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.2f}"
