"""Runs a study: counts its tokenizers on its texts, and finds intervals and differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import tokenarium_core as tc
from tokenarium.models.compare.intervals import MeasureIntervals, interval_notes, intervals_of
from tokenarium.models.compare.metric import Metric
from tokenarium.models.compare.metrics import is_flattered
from tokenarium.models.compare.unit_rows import Rows, UnitRows, tally_of_row
from tokenarium.models.corpora.encoding_order import tokenizer_sha256
from tokenarium.models.progress_reporter import ReportProgress, stage
from tokenarium.models.studies.study_counts import count_texts
from tokenarium.models.studies.study_file import Study, check_sha256
from tokenarium_core.plain_files import file_sha256

_COUNTING: Final = 0.8
"""The share of the work that counting is."""


@dataclass(frozen=True, slots=True)
class StudyPart:
    """What was found on one text, or on all together: counts by unit, tokenizer and column, and the figures."""

    name: str
    units: int
    counts: Rows
    measures: tuple[MeasureIntervals, ...]

    def is_doubtful(self, metric: Metric, tokenizer: int) -> bool:
        """Returns whether a tokenizer loses so much of the text that its figure looks too good."""
        return is_flattered(metric, tally_of_row(self.counts[:, tokenizer].sum(axis=0)))


@dataclass(frozen=True, slots=True)
class StudyResult:
    """``study`` is the study with all hashes; ``parts`` has each text, and then all texts if there are several.

    ``notes`` says what limits the figures.
    """

    study: Study
    parts: tuple[StudyPart, ...]
    notes: tuple[str, ...]


def run_study(
    study: Study,
    opened: Callable[[str, str], tc.Tokenizer],
    reported: ReportProgress = lambda _: None,
) -> StudyResult:
    """Returns the results of a study; ``opened`` opens a tokenizer by its path or name, and its pattern.

    TokenariumError if a hash differs, or something cannot be opened or read in full.
    """
    notes: list[str] = []
    tokenizers, hashes = [], []
    for one in study.tokenizers:
        tokenizer = opened(study.place(one.path), one.pattern)
        tokenizer.name = one.name
        found = tokenizer_sha256(tokenizer)
        check_sha256(f"The tokenizer {one.name}", one.sha256, found)
        hashes.append(replace(one, sha256=found))
        tokenizers.append(tokenizer)
    texts = []
    for text in study.texts:
        place = study.place(text.file)
        found = text_sha256(place)
        check_sha256(f"The text {text.name} ({text.file})", text.sha256, found)
        texts.append(replace(text, sha256=found))
    if study.version != tc.__version__:
        notes.append(
            f"The study file was written by Tokenarium {study.version}, and these are results of {tc.__version__}."
        )
    resolved = replace(study, tokenizers=tuple(hashes), texts=tuple(texts), version=tc.__version__)

    def counted(share: float) -> None:
        reported(stage("Counting", _COUNTING * share))

    parts = count_texts(resolved, tokenizers, counted)
    found_parts = []
    for number, (name, rows) in enumerate(parts):

        def progressed(share: float, number: int = number) -> None:
            reported(
                stage("Resampling", _COUNTING + (1 - _COUNTING) * (number + share) / len(parts))
            )

        found_parts.append(part_of(name, rows, study, progressed))
        said = interval_notes(rows.units, study.unit, len(tokenizers), study.resamples, study.alpha)
        notes += [f"{name}: {note}" for note in said]
        if rows.block > 1:
            notes.append(f"{name}: {rows.block} neighbouring {study.unit}s were drawn together.")
    reported(stage("Done", 1.0))
    return StudyResult(resolved, tuple(found_parts), tuple(notes))


def part_of(
    name: str, rows: UnitRows, study: Study, progressed: Callable[[float], object] = lambda _: None
) -> StudyPart:
    """Returns the figures of the counts of one text."""
    counts = rows.counts
    measures = intervals_of(
        counts, study.measures, study.resamples, study.seed, study.alpha, progressed
    )
    return StudyPart(name, rows.units, counts, tuple(measures))


def text_sha256(place: str) -> str:
    """Returns the SHA-256 of a file of texts; TokenariumError if it is not a file that can be read."""
    found = file_sha256(place)
    if found is None:
        what = "is a folder: name each file" if Path(place).is_dir() else "cannot be read"
        raise tc.NotAvailable(f"{place} {what}.")
    return found
