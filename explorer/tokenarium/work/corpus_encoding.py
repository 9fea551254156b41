"""Writes a corpus as ids, by one process or by workers: for the command line, and as a job of the window."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import tokenarium_core as tc
from tokenarium.models.corpora.encoded_corpus import (
    SHARD_BYTES,
    Shard,
    ShardRecord,
    check_shard,
    corpus_parts,
    finished,
    prepare_folder,
    remove_parts,
    remove_shard,
    shards_of,
    write_manifest,
    write_shard,
)
from tokenarium.models.corpora.encoding_order import EncodingOrder, encoding_order
from tokenarium.models.progress_reporter import ProgressReporter, StoppedWork
from tokenarium.models.text.piece import counted
from tokenarium.models.training.corpus import REASONS
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.training_request import HERE, CountingPlace
from tokenarium.work.cluster import Cluster
from tokenarium.work.corpus_counting import News, WorkMeter, WorkNews, reported_news

ENCODING = "encoding"
CHECKING = "checking"


@dataclass(frozen=True, slots=True)
class EncodingRequest:
    """What is written, and where: ``source`` and ``pattern`` open the tokenizer, ``end`` is that of `encoding_order`."""

    source: str
    name: str
    sources: Sequence[CorpusSource]
    folder: Path
    layout: str = "bin"
    end: str | None = None
    check: bool = False
    place: CountingPlace = field(default=HERE, compare=False)
    shard_bytes: int = SHARD_BYTES
    pattern: str = ""


@dataclass(slots=True)
class EncodingResult:
    """What a folder holds now; ``kept`` shards were there before. ``faults`` say what is missing or wrong."""

    folder: Path
    documents: int = 0
    tokens: int = 0
    bytes: int = 0
    shards: int = 0
    kept: int = 0
    left_out: int = 0
    dtype: str = ""
    seconds: float = 0.0
    written: int = 0  # bytes of text that were encoded now
    written_tokens: int = 0
    compared: int = 0
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


@dataclass(slots=True)
class WrittenShards:
    """The records of all shards that are there, how many were there before, and what became of the others."""

    records: list[ShardRecord]
    kept: int
    seconds: float
    faults: list[str]
    new: list[ShardRecord]


def write_shards(
    order: EncodingOrder, shards: Sequence[Shard], cluster: Cluster, news: News
) -> WrittenShards:
    """Writes the shards that are not there yet, in any order; one that cannot be written does not end the others.

    Raises TokenariumError if the whole corpus has no text, with the reasons; then nothing stays in the folder.
    """
    records = {shard.number: record for shard in shards if (record := finished(order, shard))}
    waiting = [shard for shard in shards if shard.number not in records]
    kept = sum(shard.size for shard in shards) - sum(shard.size for shard in waiting)
    faults: list[str] = []
    new: list[ShardRecord] = []
    began = time.monotonic()
    cluster.limit(len(waiting))
    with _tidied(order), cluster:
        began = time.monotonic()
        meter = WorkMeter(ENCODING, [shard.size for shard in waiting], cluster, news, kept)
        with closing(
            cluster.do(partial(write_shard, order), waiting, meter, ShardRecord)
        ) as working:
            for done in working:
                if done.result is None:
                    faults.append(f"{done.item.stem}: {done.fault}")
                    continue
                records[done.item.number] = done.result
                new.append(done.result)
                meter(done.place, (done.item.size, done.result.tokens))
    seconds = time.monotonic() - began
    ordered = [records[number] for number in sorted(records)]
    if not faults:
        _refuse_nothing(order, shards, ordered)
    return WrittenShards(ordered, len(shards) - len(waiting), seconds, faults, new)


def _refuse_nothing(
    order: EncodingOrder, shards: Sequence[Shard], records: Sequence[ShardRecord]
) -> None:
    """Raises TokenariumError if no shard has a document, as with a column that is not there; removes the shards."""
    if any(record.documents or record.left_out for record in records):
        return
    for shard, record in zip(shards, records, strict=True):
        remove_shard(order, shard, record)
    notes = [note for record in records for note in record.notes]
    more = [f"And {len(notes) - REASONS:,} more were not read."] if len(notes) > REASONS else []
    why = [*notes[:REASONS], *more] or ["Its files are empty."]
    raise tc.TokenariumError(" ".join(["Nothing was read from the corpus.", *why]))


@contextmanager
def _tidied(order: EncodingOrder) -> Iterator[None]:
    """Removes parts of shards that are not whole when the work in it ends: workers that were ended cannot."""
    try:
        yield
    finally:
        remove_parts(Path(order.folder))


def encode_anywhere(report: ProgressReporter, request: EncodingRequest) -> EncodingResult:
    """Writes a corpus for a process of its own, and checks it where that is asked for.

    Asked to stop, it raises TokenariumError: the shards that are whole stay, and the next run continues with the others.
    """
    opened = tc.open(request.source, pattern=request.pattern or None)
    opened.name = request.name
    order = encoding_order(
        opened, request.source, request.folder, request.layout, request.end, pattern=request.pattern
    )
    parts, skipped = corpus_parts([replace(source, weight=None) for source in request.sources])
    left_out = [f"{file.place}: {file.reason}" for file in skipped]
    if not parts:
        raise tc.TokenariumError(
            " ".join(["No file of the corpus can be read: choose another source.", *left_out[:3]])
        )
    shards = shards_of(parts, request.shard_bytes)
    prepare_folder(order, shards)
    report_news = reported_news(report, lambda news: news)
    cluster = Cluster(request.place.workers, request.place.address)
    opening = "opening the tokenizer" if request.place.here else "starting the workers"
    try:
        report_news(WorkNews(opening, 0, 0))
        written = write_shards(order, shards, cluster, report_news)
        faults = list(written.faults)
        compared = 0
        if not faults:
            write_manifest(order, written.records, skipped)
        if request.check and not faults:
            for index, shard in enumerate(shards):
                report_news(WorkNews(CHECKING, index, len(shards)))
                check = check_shard(order, shard)
                compared += check.compared
                faults += check.faults
    except StoppedWork:
        raise tc.TokenariumError(
            "Stopped. Complete shards stay in the folder: encode again to continue with the others."
        ) from None
    records = written.records
    return EncodingResult(
        request.folder,
        sum(record.documents for record in records),
        sum(record.tokens for record in records),
        sum(record.bytes for record in records),
        len(records),
        written.kept,
        sum(record.left_out for record in records),
        order.dtype,
        written.seconds,
        sum(record.bytes for record in written.new),
        sum(record.tokens for record in written.new),
        compared,
        [*left_out, *(note for record in records for note in record.notes)],
        faults,
    )


def news_sentence(news: WorkNews) -> str:
    """Returns how far encoding is, in a line: what, rates, time left.

    >>> news_sentence(WorkNews("encoding", 5_000_000, 10_000_000, 2e6, 2.5, 2, "", 1_200_000, 5e5))
    'Encoding · 5.0 of 10.0 MB · 2 workers · 2.0 MB/s · 0.50 million tokens/s · about 2 s left'
    """
    from tokenarium.models.training.training_queue import duration

    phase = f"{news.phase[:1].upper()}{news.phase[1:]}"
    if news.phase == CHECKING:
        return f"{phase} · {news.done:,} of {news.total:,} shards"
    if not news.total:
        return f"{phase} …"
    parts = [phase, f"{news.done / 1e6:,.1f} of {news.total / 1e6:,.1f} MB"]
    if news.workers > 1:
        parts.append(f"{news.workers:,} workers")
    if news.rate:
        parts.append(f"{news.rate / 1e6:,.1f} MB/s")
    if news.token_rate:
        parts.append(f"{news.token_rate / 1e6:,.2f} million tokens/s")
    if news.seconds_left:
        parts.append(f"about {duration(news.seconds_left)} left")
    return " · ".join(parts)


def result_sentence(result: EncodingResult) -> str:
    """Returns what was written, in sentences."""
    shards, documents = counted(result.shards, "shard"), counted(result.documents, "document")
    lines = [
        f"{counted(result.tokens, 'token')} of {documents} are in {shards} of {result.dtype}:"
        f" {result.bytes / max(result.tokens, 1):.2f} bytes per token."
    ]
    if result.kept:
        were = "was" if result.kept == 1 else "were"
        lines[0] += f" {result.kept:,} of the shards {were} there before."
    if result.written and result.seconds:
        rate = result.written / 1e6 / result.seconds
        tokens = result.written_tokens / 1e6 / result.seconds
        lines.append(
            f"Encoded {result.written / 1e6:,.1f} MB of text in {result.seconds:,.1f} s: {rate:,.1f} MB and {tokens:,.2f}"
            " million tokens a second."
        )
    if result.left_out:
        lines.append(
            f"{counted(result.left_out, 'document')} left out because of text that cannot be encoded."
        )
    if result.compared and not result.faults:
        lines.append(
            f"Checked: all hashes, and {counted(result.compared, 'document')} with the text."
        )
    return "\n".join(lines)
