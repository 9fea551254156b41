"""``tokenarium evaluate study.toml``: the figures of a study file, with intervals, as tables and files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from tokenarium.models.compare.comparing import named_parts
from tokenarium.models.files import write_whole
from tokenarium.models.studies.study import StudyResult, run_study, text_sha256
from tokenarium.models.studies.study_file import (
    MOST_TEXTS,
    Study,
    StudyText,
    StudyTokenizer,
    read_study,
    settings_fault,
    study_toml,
    tokenizer_sha256,
)
from tokenarium.models.text.lost_text import LOST_TEXT
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_lists import named_sources
from tokenarium.models.training.corpus_urls import is_url
from tokenarium.models.training.keeping import reading_notes
from tokenarium_core.whole_files import write_files


@dataclass(frozen=True, slots=True)
class IntervalSettings:
    """How intervals are found; see `Study`."""

    unit: str
    seed: int
    resamples: int
    alpha: float


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


def file_study(
    tokenizers: Sequence[tuple[str, str]],
    files: Sequence[str],
    field: str,
    settings: IntervalSettings,
) -> Study:
    """Returns the study of tokenizers, by their names and what opens them, on files. Paths are from the working
    directory on. TokenariumError for what a study cannot have.
    """
    fault = settings_fault(settings.unit, settings.seed, settings.resamples, settings.alpha)
    if fault:
        raise tc.TokenariumError(fault[:1].upper() + fault[1:])
    if not files:
        raise tc.TokenariumError("Intervals need texts in files: name them with --file.")
    corpus = Corpus([replace(source, weight=None) for source in named_sources(files, field)])
    found = [source for _, source in named_parts(corpus)]
    for source in found:
        if source.kind != "file" or is_url(source.value):
            raise tc.TokenariumError(f"{source.title} is not a file: a study has files only.")
    if not found:
        raise tc.TokenariumError(
            " ".join(reading_notes(corpus)) or f"{', '.join(files)} contains no text files."
        )
    names = [name for name, _ in named_parts(corpus)]
    paths = [source.value for source in found]
    if len(set(names)) < len(names):
        names = paths
    texts = tuple(
        StudyText(name, str(Path(place).absolute()), field=field)
        for name, place in zip(names, paths, strict=True)
    )
    if len(texts) > MOST_TEXTS:
        raise tc.TokenariumError(f"There are {len(texts):,} files, more than {MOST_TEXTS:,}.")
    return Study(
        tuple(StudyTokenizer(name, _absolute(path)) for name, path in tokenizers),
        texts,
        unit=settings.unit,
        seed=settings.seed,
        resamples=settings.resamples,
        alpha=settings.alpha,
        folder=Path.cwd(),
    )


def _absolute(path: str) -> str:
    return str(Path(path).absolute()) if Path(path).exists() else path


def save_study(path: Path, study: Study, tokenizers: Sequence[tc.Tokenizer]) -> None:
    """Writes the file of a study, with the hashes of its opened ``tokenizers`` and its texts."""
    hashed = replace(
        study,
        tokenizers=tuple(
            replace(one, sha256=tokenizer_sha256(opened))
            for one, opened in zip(study.tokenizers, tokenizers, strict=True)
        ),
        texts=tuple(replace(one, sha256=text_sha256(study.place(one.file))) for one in study.texts),
    )
    write_whole(path, study_toml(hashed.moved(path.absolute().parent)))
    typer.echo(f"The study is in {path}. Run it with: tokenarium evaluate {path}")
