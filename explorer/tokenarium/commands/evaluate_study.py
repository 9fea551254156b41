"""``tokenarium evaluate study.toml``: the figures of a study file, with intervals, as tables and files."""

from __future__ import annotations

import os
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


def evaluate_study(path: Path, out: Path | None, as_json: bool, figures: str = "") -> None:
    """Runs a study; writes its results to the terminal, and to files in a folder.

    ``figures``: "pdf", "svg" or "png" for a figure of each measure there.
    """
    study = read_study(path)
    if figures and out is None:
        raise tc.TokenariumError("--figures needs a folder: name it with --out.")
    result = results_of(study)
    if out is not None:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise tc.TokenariumError(
                f"{out} cannot be made: {error.strerror or error}. Choose another folder."
            ) from None
        files = study_files(replace(result, study=result.study.moved(out.absolute())))
        write_files({out / name: content for name, content in files.items()})
        names = [*files, *(_write_figures(result, out, figures) if figures else ())]
    write_results(result, as_json)
    if out is not None and not as_json:
        typer.echo(f"The results are in {out}: {', '.join(names)}.")


def _write_figures(result: StudyResult, out: Path, kind: str) -> list[str]:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from tokenarium.app.start import application
    from tokenarium.tour.render import quieten_platform
    from tokenarium.widgets.charts.study_figures import save_study_figures

    quieten_platform()
    app = application()  # as long as there are widgets
    names = save_study_figures(result, out, f".{kind}")
    del app
    return names


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
