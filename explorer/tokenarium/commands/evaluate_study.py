"""``tokenarium evaluate study.toml``: the figures of a study file, with intervals, as tables and files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer

import tokenarium_core as tc
from tokenarium.analyses.study_tables import (
    differences_table,
    exact_figures,
    figures_table,
    study_files,
    study_values,
)
from tokenarium.commands.terminal import (
    tokenizer_of,
    write_json,
    write_notes,
    write_stage,
    write_tables,
)
from tokenarium.models.studies.study import StudyResult, run_study
from tokenarium.models.studies.study_file import Study, read_study
from tokenarium.models.text.lost_text import LOST_TEXT
from tokenarium_core.whole_files import write_files


def is_study(name: str) -> bool:
    """Returns whether a name is that of a study file; a folder is a model, whatever its name is."""
    return Path(name).suffix.lower() == ".toml" and not Path(name).is_dir()


def evaluate_study(path: Path, out: Path | None, as_json: bool) -> None:
    """Runs a study; writes its results to the terminal, and to files in a folder."""
    result = results_of(read_study(path))
    if out is not None:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise tc.TokenariumError(
                f"{out} cannot be made: {error.strerror or error}. Choose another folder."
            ) from None
        files = study_files(replace(result, study=result.study.moved(out.absolute())))
        write_files({out / name: content for name, content in files.items()})
    write_results(result, as_json)
    if out is not None and not as_json:
        typer.echo(f"The results are in {out}: {', '.join(files)}.")


def results_of(study: Study) -> StudyResult:
    """Runs a study, with its progress on a terminal."""
    try:
        return run_study(study, tokenizer_of, write_stage)
    finally:
        write_stage(None)


def write_results(result: StudyResult, as_json: bool) -> None:
    """Writes what a study found to the terminal."""
    if as_json:
        write_json(study_values(result))
        return
    write_tables(figures_table(result))
    differences = differences_table(result, result.parts[-1:])
    if differences.rows:
        write_tables(differences)
    if any(row["doubtful"] for row in exact_figures(result)):
        typer.echo(LOST_TEXT)
    write_notes(result.notes)
