"""Counts a corpus by workers, so that a training from the counts is the training on the corpus; with its progress."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import tokenarium_core as tc
from tokenarium.models.corpora.counted_corpus import (
    MEMORY,
    CountedGroup,
    CountFolder,
    CountingGroup,
    CountingOrder,
    DocumentSurvey,
    PartRead,
    count_group,
    groups_of_parts,
    held_cuts,
    parts_to_count,
    repeated_documents,
    survey_part,
    with_cuts,
)
from tokenarium.models.files import lost_folder
from tokenarium.models.process_lock import ProcessLock
from tokenarium.models.progress_reporter import ProgressReporter, StoppedWork
from tokenarium.models.text.text_file import TextEncoding
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_filters import ALL, Filters
from tokenarium.models.training.corpus_parts import CorpusPart
from tokenarium.models.training.corpus_reports import FileReport
from tokenarium.models.training.keeping import HeldOut
from tokenarium.models.training.training_request import why_not_counted
from tokenarium.work.cluster import Cluster
from tokenarium_core.plain_files import file_sha256
from tokenarium_core.training import FORMER_NAMES, counting_options

KEPT_DAYS: Final = 14
"""After so many days, the counts of groups of a count that never ended are removed."""

SETTLED_S: Final = 0.5
"""How long work must last before its rate is reported."""

OFTEN_S: Final = 0.1
"""Seconds between two reports."""

HOLDING = "choosing what is held out"
COMPARING = "looking for identical documents"
COUNTING = "counting"
MERGING = "merging the counts"


@dataclass(frozen=True, slots=True)
class WorkNews:
    """How far divided work is: bytes of the corpus on the disk; ``rate`` in bytes a second, 0 where not known yet."""

    phase: str
    done: int
    total: int
    rate: float = 0.0
    seconds_left: float = 0.0
    workers: int = 1
    dashboard: str = ""
    tokens: int = 0  # that were made so far, where some are
    token_rate: float = 0.0


News = Callable[[WorkNews], object]


def reported_news(report: ProgressReporter, made: Callable[[WorkNews], object]) -> News:
    """Returns what reports news, some times a second and as what is ``made`` of it, and ends the work when asked to stop."""
    reported = 0.0

    def take(news: WorkNews) -> None:
        nonlocal reported
        if report.asked_to_stop:
            raise StoppedWork
        now = time.monotonic()
        if now - reported >= OFTEN_S:
            reported = now
            report(made(news))

    return take


class WorkMeter:
    """Adds up how much of some items is done, and reports it; ``kept`` bytes were done before."""

    def __init__(
        self, phase: str, sizes: Sequence[int], cluster: Cluster, news: News, kept: int = 0
    ) -> None:
        self._phase = phase
        self._sizes = sizes
        self._done = [0] * len(sizes)
        self._tokens = [0] * len(sizes)
        self._kept = kept
        self._cluster = cluster
        self._news = news
        self._started = time.monotonic()
        self._reported = 0.0
        cluster.look = self.report

    def __call__(self, place: int, count: int | Sequence[int]) -> None:
        """Takes the bytes that are done of an item, or these and the tokens that it gave."""
        if not isinstance(count, int):
            count, tokens = count
            self._tokens[place] = max(self._tokens[place], tokens)
        self._done[place] = max(self._done[place], min(count, self._sizes[place]))
        self.report()

    def report(self) -> None:
        """Reports how far it is, some times a second."""
        if time.monotonic() - self._reported < OFTEN_S:
            return
        self._reported = time.monotonic()
        now = sum(self._done)
        total = sum(self._sizes)
        spent = time.monotonic() - self._started
        rate = now / spent if spent > SETTLED_S else 0.0
        self._news(
            WorkNews(
                self._phase,
                self._kept + now,
                self._kept + total,
                rate,
                (total - now) / rate if rate else 0.0,
                self._cluster.workers,
                self._cluster.dashboard,
                sum(self._tokens),
                sum(self._tokens) / spent if rate else 0.0,
            )
        )


def count_groups(
    order: CountingOrder,
    groups: Sequence[CountingGroup],
    folder: CountFolder,
    cluster: Cluster,
    news: News,
) -> tuple[list[CountedGroup | None], list[str]]:
    """Counts what is not counted yet; returns what was found of each group, and sentences on those that have no counts.

    With ``order.strict``, raises TokenariumError at the first thing that cannot be read.
    """
    counted = [folder.kept(group) for group in groups]
    waiting = [index for index, group in enumerate(counted) if group is None]
    finished = sum(
        group.size for group, result in zip(groups, counted, strict=True) if result is not None
    )
    meter = WorkMeter(COUNTING, [groups[place].size for place in waiting], cluster, news, finished)
    meter.report()
    faults = []
    items = [groups[at] for at in waiting]
    with closing(cluster.do(partial(count_group, order), items, meter, CountedGroup)) as working:
        for done in working:
            index = waiting[done.place]
            if done.result is None:
                faults.append(f"{done.item.name}: {done.fault}")
                continue
            notes = done.result.notes(done.item)
            if order.strict and notes:
                raise tc.TokenariumError(
                    f"{notes[0]} That ends the counting because --strict was given."
                )
            folder.keep(done.item, done.result)
            counted[index] = replace(done.result, data=b"")
            meter(done.place, done.item.size)
    return counted, faults


def find_repeated(
    filters: Filters, parts: Sequence[CorpusPart], cluster: Cluster, news: News
) -> list[bytes]:
    """Returns which documents of each part equal an earlier one: workers return hashes, which are compared here.

    TokenariumError if a part cannot be read at all: what it has could be anywhere else too.
    """
    if not filters.unique:
        return [b""] * len(parts)
    meter = WorkMeter(COMPARING, [part.size for part in parts], cluster, news)
    surveys: list[DocumentSurvey | None] = [None] * len(parts)
    with closing(
        cluster.do(partial(survey_part, filters), parts, meter, DocumentSurvey)
    ) as working:
        for done in working:
            if done.result is None:
                raise tc.TokenariumError(
                    f"Identical documents cannot be found without {done.item.name}: {done.fault}"
                )
            surveys[done.place] = done.result
            meter(done.place, done.item.size)
    return repeated_documents([survey for survey in surveys if survey is not None])


class CorpusCounting:
    """Counts the corpus of a training elsewhere, with what the training would leave out and hold out of it.

    The counts are those of all that the training would read, so the tokenizer is the same bit for bit. TokenariumError
    where that cannot be, with the reason: another library's algorithm, sampled lines, shares of sources.

    ``options`` are those of the algorithm, all of them. ``corpus`` is not read before, and has what became of its
    files afterwards; ``held`` has what is held out, None if nothing should be.
    """

    def __init__(
        self,
        corpus: Corpus,
        algorithm: str,
        options: Mapping[str, Any],
        hold_out: bool,
        cluster: Cluster,
        news: News,
        memory: int = MEMORY,
        folder: Path | None = None,
    ) -> None:
        self._corpus = corpus
        self._cluster = cluster
        self._news = news
        self._folder = folder or counts_folder()
        self._out: Path | None = None
        self.held = HeldOut.of(corpus, hold_out, options)
        self._order = _order(corpus, algorithm, options, memory)

    @contextmanager
    def counts(self) -> Iterator[tc.WordCounts]:
        """Counts the corpus; the counts can be used until the end of the context.

        What is finished is kept when it is interrupted, and the next count of the same corpus continues from there.
        """
        parts, places = self._parts()
        groups = groups_of_parts(parts)
        self._cluster.limit(len(groups))
        with ExitStack() as ends:
            with self._cluster as cluster:
                repeated = find_repeated(self._order.filters, parts, cluster, self._news)
                groups = with_cuts(groups, repeated, self._held(parts))
                name = hashlib.sha256(
                    " ".join(group.identity(self._order) for group in groups).encode()
                ).hexdigest()[:32]
                out = ends.enter_context(_place_of(self._folder, name))
                folder = CountFolder(self._order, out)
                counted, faults = count_groups(self._order, groups, folder, cluster, self._news)
            yield self._merged(parts, places, groups, folder, counted, faults, out)

    def _merged(
        self,
        parts: Sequence[CorpusPart],
        places: Sequence[int],
        groups: Sequence[CountingGroup],
        folder: CountFolder,
        found: Sequence[CountedGroup | None],
        faults: Sequence[str],
        out: Path,
    ) -> tc.WordCounts:
        """Returns the counts of all groups, merged; TokenariumError if some are missing, or there is no text."""
        if faults:
            raise tc.TokenariumError(
                f"{len(faults):,} of {len(groups):,} groups of the corpus are not counted. The counts are kept; start again"
                f" to try only these. {faults[0]}"
            )
        reads = [part for group in found if group is not None for part in group.parts]
        left_out = [group.left_out for group in found if group is not None]
        if not any(part_read.documents for part_read in reads):
            folder.remove()
            self._take(parts, places, reads, left_out, "")
            raise tc.TokenariumError(
                f"{self._corpus.why_nothing} Choose another source."
                if self._corpus.why_nothing
                else "Nothing was read from the corpus. Choose another source."
            )
        size = sum(group.size for group in groups)
        self._news(WorkNews(MERGING, 0, size))
        folder.finish(groups)
        self._take(parts, places, reads, left_out, file_sha256(out) or "")
        return tc.WordCounts.load(out)

    def _parts(self) -> tuple[list[CorpusPart], list[int]]:
        """Returns the parts of the corpus, and the place of the source of each."""
        parts: list[CorpusPart] = []
        places: list[int] = []
        for index, source in enumerate(self._corpus.sources):
            source_parts, _ = parts_to_count([source])  # what is skipped, the corpus knows
            parts += source_parts
            places += [index] * len(source_parts)
        return parts, places

    def _held(self, parts: Sequence[CorpusPart]) -> list[Any]:
        """Returns what is held out of each part: this process reads as much of the corpus as that takes."""
        if self.held is None:
            return [()] * len(parts)
        total = sum(part.size for part in parts)
        last = 0.0

        def looked(done: int) -> None:
            nonlocal last
            if time.monotonic() - last > SETTLED_S / 4:
                last = time.monotonic()
                self._news(WorkNews(HOLDING, done, total))

        return list(held_cuts(self._corpus, parts, self.held, looked))

    def _take(
        self,
        parts: Sequence[CorpusPart],
        places: Sequence[int],
        reads: Sequence[PartRead],
        left_out: Sequence[tuple[int, int, int]],
        fingerprint: str,
    ) -> None:
        """Tells the corpus what became of its files."""
        reports: dict[tuple[int, str], tuple[int, FileReport | None, int, int, int]] = {}
        for part, index, read in zip(parts, places, reads, strict=True):
            key = index, "" if part.file is None else part.file.place
            report = None if part.file is None else FileReport(part.file)
            before = reports.get(key, (index, report, 0, 0, 0))
            report = before[1]
            if report is not None:
                report.note = report.note or read.note
                report.bad_lines += read.bad_lines
                if read.encoding is not None and report.encoding is None:
                    report.encoding = TextEncoding(*read.encoding)
            reports[key] = (
                index,
                report,
                before[2] + read.documents,
                before[3] + read.characters,
                before[4] + read.bytes,
            )
        repeated, short, long = (sum(counts[at] for counts in left_out) for at in range(3))
        self._corpus.take_counted(reports.values(), (repeated, short, long), fingerprint)


def counts_folder() -> Path:
    """Returns the folder for the counts of corpora that are being counted."""
    return lost_folder() / "counts"


@contextmanager
def _place_of(folder: Path, name: str) -> Iterator[Path]:
    """Yields the path for the counts of a corpus; a second process that counts it meanwhile has one of its own."""
    import shutil

    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    lock = ProcessLock(folder / f"{name}.lock")
    alone = lock.take() is True
    out = folder / (f"{name}.counts" if alone else f"{name}-{os.getpid()}.counts")
    try:
        yield out
    finally:
        out.unlink(missing_ok=True)
        if alone:
            lock.release()
        else:  # no later count would find it
            shutil.rmtree(out.with_name(f"{out.name}.parts"), ignore_errors=True)


def _order(
    corpus: Corpus, algorithm: str, options: Mapping[str, Any], memory: int
) -> CountingOrder:
    why = why_not_counted(algorithm, options, corpus.mixes)
    if why:
        raise tc.TokenariumError(why)
    given = {FORMER_NAMES.get(name, name): value for name, value in options.items()}
    chosen = tuple((name, given[name]) for name in counting_options(algorithm) if name in given)
    tc.WordCounts(algorithm, **dict(chosen))  # refuses what cannot be counted
    return CountingOrder(algorithm, chosen, memory, corpus.filters or ALL, corpus.strict)


def _sweep(folder: Path) -> None:
    """Removes counts that were begun long ago, and never ended."""
    import shutil

    long_ago = time.time() - KEPT_DAYS * 24 * 60 * 60
    for path in folder.iterdir():
        try:
            if path.stat().st_mtime < long_ago:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        except OSError:
            continue  # another process removes it too
