"""Compares tokenizers on files or parallel texts, as a process of its own runs it, with partial results on the way."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.compare.intervals import MEASURED, SampledFigures, sampled_figures
from tokenarium.models.compare.kept_counts import KEPT_UNITS, FileTally, KeptFiles
from tokenarium.models.compare.metrics import Figures, figures_of
from tokenarium.models.compare.part_tallies import PIECE
from tokenarium.models.compare.tally import Measured, Tally, empty, line_tally, measured, tally
from tokenarium.models.compare.unit_rows import UnitRows, counts_row
from tokenarium.models.progress_reporter import StoppedWork
from tokenarium.models.text.lost_text import TOO_MUCH
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.keeping import reading_notes

if TYPE_CHECKING:  # it loads Qt, which the command line does not need
    from tokenarium.models.progress_reporter import ProgressReporter

REPORT_MS = 250
"""How often partial results are reported: they are copied between processes."""

MOST_FILES = 2000
"""Most files that get figures of their own; more would take long to show."""


@dataclass(frozen=True, slots=True)
class ComparedTokenizer:
    """A tokenizer to compare: its key in the library, its name, and how it is opened."""

    key: str
    name: str
    source: str
    pattern: str = ""

    def open(self) -> tc.Tokenizer:
        """Returns the tokenizer; TokenariumError if it cannot be opened."""
        return tc.open(self.source, pattern=self.pattern or None)


@dataclass(frozen=True, slots=True)
class PartialTallies:
    """The counts so far: a tally for each candidate by its key, and the share of the bytes that is done.

    ``files`` has the figures of each file or text that is done, by its name, for each candidate by its key, and
    ``sampled``, once several documents are counted, the figures in `MEASURED` with their samples.
    """

    tallies: dict[str, Tally]
    fraction: float
    notes: tuple[str, ...] = ()  # sentences on what was not read
    files: dict[str, tuple[tuple[str, Figures], ...]] = field(default_factory=dict)
    sampled: dict[str, SampledFigures] = field(default_factory=dict)


def count_files(
    report: ProgressReporter,
    candidates: Sequence[ComparedTokenizer],
    sources: Sequence[CorpusSource],
) -> PartialTallies:
    """Returns the counts of all candidates over the documents of some sources, and the figures of each file.

    It reports `PartialTallies` on the way, and returns what it has when asked to stop.
    """
    tokenizers = {candidate.key: candidate.open() for candidate in candidates}
    tallies = {key: empty(tokenizer) for key, tokenizer in tokenizers.items()}
    corpus = Corpus(sources)
    parts, total = named_parts(corpus), max(corpus.total, 1)
    files: dict[str, list[tuple[str, Figures]]] = {key: [] for key in tokenizers}
    units = {key: UnitRows(1) for key in tokenizers}
    notes = list(reading_notes(corpus))  # on files that are not even tried
    done = 0
    reported = time.monotonic()

    def partial_tallies(here: dict[str, Tally], share: float) -> PartialTallies:
        counted = {
            key: tally + here[key] if key in here else tally for key, tally in tallies.items()
        }
        return PartialTallies(
            counted, share, tuple(notes), {key: tuple(f) for key, f in files.items()}
        )

    kept = KeptFiles(tokenizers)
    for name, source in parts:
        text_key = kept.text_of(source)
        found = kept.load(text_key, max(one.units for one in units.values()) if units else 0)
        here = {key: one.tally for key, one in found.items()}
        left = {key: one for key, one in tokenizers.items() if key not in found}
        counted = {key: UnitRows(1, KEPT_UNITS) for key in left}
        part = Corpus([source], longest=PIECE)
        for text in part if left else ():
            document = measured(text)
            for key, tokenizer in left.items():
                figures = tally(tokenizer, document)
                row = [counts_row(figures)]
                counted[key].add(row)
                units[key].add(row)
                here[key] = here[key] + figures if key in here else figures
            if report.asked_to_stop:
                return partial_tallies(here, (done + part.done) / total)
            if time.monotonic() - reported > REPORT_MS / 1000:
                reported = time.monotonic()
                report(partial_tallies(here, (done + part.done) / total))
        notes += (damage := [*reading_notes(part)])
        made = {key: FileTally(rows, here[key]) for key, rows in counted.items() if key in here}
        if made and not damage:
            kept.store(source, text_key, made)
        done += part.done if left else part.total
        for key, figures in here.items():
            tallies[key] = tallies[key] + figures
            if len(files[key]) < MOST_FILES:
                files[key].append((name, figures_of(figures)))
        for key, one in found.items():
            units[key].join(one.rows)
        if not left and report.asked_to_stop:
            return partial_tallies({}, done / total)
    if len(parts) > MOST_FILES:
        notes.append(f"Only the first {MOST_FILES:,} files have rows of their own.")
    return replace(
        partial_tallies({}, done / total),
        sampled=dict(zip(tokenizers, document_samples([*units.values()], report), strict=False)),
    )


def document_samples(units: Sequence[UnitRows], report: ProgressReporter) -> list[SampledFigures]:
    """Returns the figures of each tokenizer with their samples; none for a single unit, or when asked to stop."""

    def progressed(_: float) -> None:
        if report.asked_to_stop:
            raise StoppedWork

    if units and units[0].units > 1:
        counts = UnitRows.together(units).counts
        with suppress(StoppedWork):
            return sampled_figures(counts, MEASURED, progressed=progressed)
    return []


def named_parts(corpus: Corpus) -> list[tuple[str, CorpusSource]]:
    """Returns each text and each file of a corpus as a source, with a distinct name where possible."""
    texts = [(source.name, source) for source in corpus.sources if source.kind == "text"]
    files = corpus.files
    folders = {str(file.path.absolute().parent) for file in files}
    far = any(file.url for file in files)
    top: Path | None = None
    if len(folders) > 1 and not far:
        with suppress(ValueError):  # on Windows they may be on several drives
            top = Path(os.path.commonpath(folders))
    return texts + [
        (
            str(file.path.absolute().relative_to(top))
            if top is not None
            else file.place
            if far
            else file.path.name,
            replace(file.source, kind="file", value=file.place),
        )
        for file in files
    ]


@dataclass(frozen=True, slots=True)
class ParallelCounts:
    """The counts of texts in several languages, for each candidate by its key.

    Texts that are not aligned count as one line each.
    """

    languages: tuple[str, ...]
    counts: dict[str, LanguageCounts]


@dataclass(frozen=True, slots=True, eq=False)
class LanguageCounts:
    """The counts of one tokenizer over texts in several languages.

    ``tokens[line, language]``; ``lost[language]``, the share that is lost; and the ``figures``
    of each language's text.
    """

    tokens: npt.NDArray[np.int64]
    lost: npt.NDArray[np.float64]
    figures: tuple[Figures, ...] = ()

    @property
    def doubtful(self) -> npt.NDArray[np.bool_]:
        """For each language, whether too much of it is lost for a cost."""
        return self.lost >= TOO_MUCH

    def of(self, places: Sequence[int]) -> LanguageCounts:
        """Returns the counts of some of the languages, in this order."""
        figures = tuple(self.figures[index] for index in places) if self.figures else ()
        return LanguageCounts(self.tokens[:, places], self.lost[places], figures)


def line_counts(tokenizer: tc.Tokenizer, texts: Sequence[Measured]) -> LanguageCounts:
    """Returns the counts of texts with equal numbers of lines."""
    return counts_of_lines([line_tally(tokenizer, text) for text in texts])


def counts_of_lines(line_tallies: Sequence[tuple[Tally, list[int]]]) -> LanguageCounts:
    """Returns the counts of texts, given what `line_tally` returns for each."""
    return LanguageCounts(
        np.array([tokens for _, tokens in line_tallies], np.int64).T,
        np.array([line_tally.lost_share for line_tally, _ in line_tallies], np.float64),
        tuple(figures_of(line_tally) for line_tally, _ in line_tallies),
    )


def tally_sources(
    tokenizers: Mapping[str, tc.Tokenizer], sources: Sequence[CorpusSource]
) -> dict[str, Tally]:
    """Returns the counts of each tokenizer, by its name, over the documents of some sources."""
    tallies = {name: empty(tokenizer) for name, tokenizer in tokenizers.items()}
    for text in Corpus(sources, longest=PIECE):
        document = measured(text)
        for name, tokenizer in tokenizers.items():
            tallies[name] = tallies[name] + tally(tokenizer, document)
    return tallies


def source_units(
    tokenizers: Mapping[str, tc.Tokenizer], sources: Sequence[CorpusSource]
) -> UnitRows:
    """Returns the counts of each document of some sources, for each tokenizer."""
    units = UnitRows(len(tokenizers))
    for text in Corpus(sources, longest=PIECE):
        document = measured(text)
        units.add([counts_row(tally(one, document)) for one in tokenizers.values()])
    return units
