"""``tokenarium evaluate``: the evaluation report of a tokenizer, with thresholds that it must meet."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

import tokenarium_core as tc
from tokenarium.analyses.table import COUNT, Table, TableColumn, printed_column
from tokenarium.commands.evaluate_study import evaluate_study, is_study
from tokenarium.commands.shared_options import fail_option, place_of
from tokenarium.commands.terminal import (
    FAILED,
    FOUND,
    JsonOption,
    MarkdownOption,
    PatternOption,
    sentences,
    tokenizer_of,
    write_answer,
    write_json,
    write_markdown,
    write_stage,
    write_tables,
)
from tokenarium.models.files import write_whole
from tokenarium.models.release.evaluation import evaluate as evaluated
from tokenarium.models.release.evaluation_page import evaluation_page
from tokenarium.models.release.evaluation_report import (
    RANK,
    CheckedFigure,
    CutText,
    EvaluationReport,
    ReportComparison,
    ScriptFigures,
    TextFigures,
    compare_reports,
    read_report,
)
from tokenarium.models.release.release_limits import (
    CHECKS,
    ReleaseCheck,
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

FAILING = (ReleaseVerdict.FAIL.value, ReleaseVerdict.LOOK.value)
"""The verdicts of --fail-on, the worst first."""

CASES = 3
"""Cases of a check that are written; JSON has more."""


def evaluate(
    tokenizer: Annotated[
        str,
        typer.Argument(
            help="A file or folder, the name of an encoding (cl100k_base …), of a trained tokenizer, or name@version; or"
            " a study file (.toml)."
        ),
    ] = "",
    file: Annotated[
        list[str] | None,
        typer.Option(
            "--file",
            "-f",
            help="A file of texts in any form that train reads, a folder or an address, to measure on; may be repeated. By default, Tokenarium's samples.",
        ),
    ] = None,
    parallel: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="A folder of parallel texts, one for each language; by default, Tokenarium's sentences.",
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(help="The model's config.json or its folder, if that is not the tokenizer's."),
    ] = None,
    limits: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Thresholds, in TOML or JSON: see --checks.")
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CHECK=VALUE",
            help="One threshold: fertility=4, fertility.look=2, premium=off; may be repeated.",
        ),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(metavar="OLD.json", help="An older report: list what became worse."),
    ] = None,
    save: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Write the report to a .json or .html file, too; may be repeated."
        ),
    ] = None,
    checks: Annotated[
        bool, typer.Option("--checks", help="List the checks with their thresholds, and exit.")
    ] = False,
    fail_on: Annotated[
        str, fail_option("VERDICT", "verdict of a check", FAILING, FAILED)
    ] = ReleaseVerdict.FAIL.value,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write the results of a study file there: tables, all counts, and the study with its hashes.",
        ),
    ] = None,
    figures: Annotated[
        Literal["pdf", "svg", "png"] | None,
        typer.Option(
            help="With --out, write a figure of each measure of a study there, too: bars or dots with intervals."
        ),
    ] = None,
    pattern: PatternOption = "",
    as_json: JsonOption = False,
    markdown: MarkdownOption = False,
) -> None:
    """Measures a tokenizer before it is released, and checks the figures against thresholds.

    The exit code is 1 if a check fails (with --fail-on look, also if one is to be looked at), and 3 if none fails but a figure is worse than in --against. The texts are
    measured for compression, fertility and round trips; the vocabulary for its scripts; special tokens, numbers and
    white space are tried; the chat template and config.json are read from the folder of the tokenizer.

    A study file names several tokenizers and texts by their hashes, with the measures, the seed and the number of
    resamples. It is written by compare --write-study. Its figures have bootstrap intervals, and pairs of tokenizers are
    compared with Holm's correction. The results are the same each time.
    """
    with sentences():
        bound = place_of(fail_on, FAILING, "verdict")
        bounds = limits_of_file(limits) if limits is not None else declared_limits()
        bounds = limits_of_options(bounds, limit or [])
        if checks:
            _list_checks(bounds, as_json)
            return
        if not tokenizer:
            raise typer.BadParameter("Name a tokenizer.", param_hint="TOKENIZER")
        if is_study(tokenizer):
            others = (file, parallel, config, limits, limit, against, save, pattern)
            if any(others):
                raise tc.TokenariumError(
                    "A study file says what is measured: give only --out and --json with it, and --figures."
                )
            evaluate_study(Path(tokenizer), out, as_json, figures or "")
            return
        if out is not None or figures:
            raise tc.TokenariumError(
                "--out is for the results of a study file, and --figures too; --save writes the report of a tokenizer."
            )
        for path in save or []:
            if path.suffix.lower() not in (".json", ".html"):
                raise tc.TokenariumError(
                    f"{path} ends neither in .json nor in .html: use one of these suffixes."
                )
        old = read_report(against) if against is not None else None
        opened = tokenizer_of(tokenizer, pattern)
        sources = tuple(replace(source, weight=None) for source in named_sources(file or []))
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
        elif markdown:
            _write_markdown(report, compared)
        else:
            _write(report)
            if compared is not None:
                _write_comparison(compared)
        if report.verdict.value in FAILING[: bound + 1]:
            raise typer.Exit(FAILED)
        if compared is not None and compared.worse:
            raise typer.Exit(FOUND)


def _list_checks(limits: ReleaseLimits, as_json: bool) -> None:
    columns: list[TableColumn[ReleaseCheck]] = [
        printed_column("check", lambda row: row.id),
        printed_column("what is measured", lambda row: row.about, grows=True),
        printed_column("unit", lambda row: row.unit),
        printed_column("threshold", lambda row: row.rule(limits[row.id]), grows=True),
    ]
    bounds = {
        check.id: {"look": limits[check.id].look, "fail": limits[check.id].fail} for check in CHECKS
    }
    write_answer(
        as_json, Table(columns, CHECKS, title="Checks of a release"), lambda _: {"limits": bounds}
    )


def _write_json(report: EvaluationReport, compared: ReportComparison | None) -> None:
    value = report.as_dict()
    if compared is not None:
        value["against"] = {
            "name": compared.name,
            "worse": [figure.sentence for figure in compared.worse],
            "better": [figure.sentence for figure in compared.better],
            "notes": list(compared.notes),
        }
    write_json(value)


def _checks(report: EvaluationReport) -> Table[CheckedFigure]:
    """Returns the checks with their figures, the worst first."""
    checks = sorted(report.checks, key=lambda check: RANK.index(check.verdict))
    columns: list[TableColumn[CheckedFigure]] = [
        printed_column("", lambda row: row.verdict.value),
        printed_column("check", lambda row: row.check.title),
        printed_column("figure", lambda row: row.shown, str),
        printed_column("threshold", lambda row: row.rule, grows=True),
    ]
    return Table(columns, checks, title=f"{report.name}: {report.summary}", keys=2)


def _write_markdown(report: EvaluationReport, compared: ReportComparison | None) -> None:
    said = [*report.notes]
    worse: list[str] = []
    if compared is not None:
        said += [*compared.notes, _against(compared)]
        worse = [figure.sentence for figure in compared.worse]
    become: list[TableColumn[str]] = [printed_column("worse than before", str)]
    checks = _checks(report)
    title = f"Evaluation of {checks.title}"
    write_markdown(title, said, Table(become, worse), replace(checks, title=""))


def _write(report: EvaluationReport) -> None:
    checks = _checks(report)
    write_tables(checks)
    for one in checks.rows:
        if one.verdict.value in FAILING:
            typer.echo(f"{one.verdict.value}: {one.check.title}. {one.check.do}")
            for case in one.cases[:CASES]:
                typer.echo(f"  {case}")
    for title, part in (("text", report.files), ("language", report.languages)):
        _write_texts(title, part)
    scripts: list[TableColumn[ScriptFigures]] = [
        printed_column("script", lambda row: row.script),
        printed_column("entries", lambda row: row.entries, COUNT),
        printed_column("share", lambda row: row.share, percent),
        printed_column("mean\nbytes", lambda row: _number(row.mean_bytes), str),
        printed_column("tokens of\nthe texts", lambda row: row.tokens, COUNT),
        printed_column("bytes\n/token", lambda row: _number(row.bytes_per_token), str),
    ]
    cuts: list[TableColumn[CutText]] = [
        printed_column("numbers and white space", lambda row: row.text),
        printed_column("tokens", lambda row: len(row.tokens), str),
        printed_column("", lambda row: " | ".join(row.tokens), grows=True),
    ]
    write_tables(
        Table(scripts, report.scripts, title="Entries by script"),
        Table(cuts, (*report.numbers, *report.spaces)),
    )
    for note in report.notes:
        typer.secho(note, fg="yellow", err=True)


def _write_texts(title: str, rows: tuple[TextFigures, ...]) -> None:
    columns: list[TableColumn[TextFigures]] = [
        printed_column(title, lambda row: row.name),
        printed_column("bytes", lambda row: row.bytes, COUNT),
        printed_column("tokens", lambda row: row.tokens, COUNT),
        printed_column("bytes\n/token", lambda row: _number(row.bytes_per_token), str),
        printed_column("fertility\nin context", lambda row: _number(row.fertility), str),
        printed_column("fertility\nalone", lambda row: _number(row.fertility_alone), str),
        printed_column("times\nEnglish" if title == "language" else None, lambda row: _number(row.premium), str),
        printed_column("unknown", lambda row: (row.unknown or 0.0) / 100, percent),
        printed_column("comes\nback", lambda row: "yes" if row.round_trip else "no"),
    ]  # fmt: skip
    write_tables(Table(columns, rows, title=f"By {title}"))


def _write_comparison(compared: ReportComparison) -> None:
    for note in compared.notes:
        typer.echo(note)
    typer.echo(_against(compared))
    for figure in compared.worse:
        typer.echo(f"  worse: {figure.sentence}")


def _against(compared: ReportComparison) -> str:
    worse, better = len(compared.worse), len(compared.better)
    return f"Against {compared.name}: {worse} figures are worse, {better} better."


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.2f}"
