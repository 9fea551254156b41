"""What a training reports: its progress, and what became of the files of its corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_reports import FileReport
from tokenarium.models.training.run_cuts import RunCuts
from tokenarium.models.training.trained_languages import LanguageTokens


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What became of one file of the corpus; a file with no documents was skipped, and ``note`` says why."""

    path: str
    documents: int = 0
    characters: int = 0
    encoding: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """The progress of a training. What is unknown is 0 or empty."""

    phase: str
    fraction: float
    rate: float  # units of the phase per second
    unit: str  # the unit: "bytes", "merges", …
    seconds: float  # since the start
    seconds_left: float  # of this phase
    piece_count: int
    vocab_size: int  # the requested size
    byte_count: int
    token_counts: tuple[tuple[int, int], ...] = ()  # (pieces, tokens of the corpus), thinned out
    last: tuple[bytes, ...] = ()  # the last pieces learned, the latest first
    scripts: Mapping[str, int] = field(default_factory=dict)  # pieces by the name of their script
    files: tuple[FileOutcome, ...] = ()  # files that were read or skipped since the last report
    held_bytes: int = 0  # of the held-out text
    held_counts: tuple[
        tuple[int, int], ...
    ] = ()  # (pieces, tokens of the held-out text), some sizes so far
    cuts: RunCuts | None = None  # of the text that the window watches
    memory: int = 0  # the most that the process had, in bytes
    transition: int = 0  # the size at which the second stage of SuperBPE began
    languages: tuple[LanguageTokens, ...] = ()  # what each language takes, where they are compared
    inequality: tuple[
        tuple[int, float], ...
    ] = ()  # (pieces, Gini of the languages), some sizes so far
    last_languages: tuple[str, ...] = ()  # that the last pieces were learned for, see ``last``
    workers: int = 0  # that count the corpus, where others do
    dashboard: str = ""  # the address of Dask's page about them


class FileOutcomes:
    """Reports each file of a corpus once."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._skipped = 0
        self._read = 0
        self._texts = 0

    def new(self, reading: bool) -> Iterator[FileOutcome]:
        """Yields the outcomes of files since the last call, without the one that is being read."""
        corpus = self._corpus
        texts = [source for source in corpus.sources if source.kind == "text"]
        for text in texts[self._texts :]:
            yield FileOutcome(text.name[0].upper() + text.name[1:], 1, len(text.value))
        self._texts = len(texts)
        for skipped in corpus.skipped[self._skipped :]:
            yield FileOutcome(skipped.place, note=skipped.reason)
        self._skipped = len(corpus.skipped)
        over = max(len(corpus.reports) - reading, self._read)
        for report in corpus.reports[self._read : over]:
            yield _outcome_of(report)
        self._read = over


def _outcome_of(report: FileReport) -> FileOutcome:
    encoding = str(report.encoding) if report.encoding is not None else ""
    path = report.file.place
    return FileOutcome(path, report.kept, report.characters, encoding, report.note)
