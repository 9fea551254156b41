"""Divides a corpus into parts that are read alone, in any process: the same documents as when it is read as a whole."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

from tokenarium.models.text import text_file
from tokenarium.models.training import corpus_documents
from tokenarium.models.training.corpus_documents import breaks_lines, documents
from tokenarium.models.training.corpus_files import CorpusFile, CorpusSource, Skipped, files_of
from tokenarium.models.training.corpus_reports import FileReport, opened
from tokenarium_core import TokenariumError

PART: Final = 1 << 26
"""Bytes on the disk that a part has at least, where its form allows a division."""


_READING: Final = 2
"""The version of how documents are read: what an earlier one finished is not taken for the same."""


@dataclass(frozen=True, slots=True)
class CorpusPart:
    """A part of a source: some bytes of a text or of JSON lines, some row groups or record batches, or a whole file.

    It is plain data, which another process reads by `part_documents`. ``start`` and ``stop`` count bytes of texts and
    JSON lines, row groups of Parquet, record batches of Arrow; a compressed file, a text in the source, and a file that
    cannot be divided have one part, from 0 to None. The part has the lines or sections that begin in its range.
    ``size`` are its bytes on the disk; 0 if that is not known.
    """

    source: CorpusSource
    file: CorpusFile | None = None  # None: the text of the source
    start: int = 0
    stop: int | None = None
    size: int = 0

    @property
    def name(self) -> str:
        """Where it is, for a report."""
        if self.file is None:
            return self.source.name
        if self.stop is None and not self.start:
            return self.file.place
        unit = {"parquet": "row groups", "arrow": "record batches"}.get(self.file.form, "bytes")
        return f"{self.file.place}, {unit} {self.start:,} to {(self.stop or 0) - 1:,}"

    @property
    def identity(self) -> str:
        """A hash that is the same as long as the part has the same documents, by which finished work is found again.

        It is of the place, the range, the size and the version of the file, the encoding and the field; of a text, of
        its content.
        """
        source = self.source
        about: list[object] = [_READING, source.encoding, source.field]
        if self.file is None:
            about += ["text", source.value]
        else:
            file = self.file
            about += [file.place, file.size, file.version, self.start, self.stop]
            about += [corpus_documents.SECTION, corpus_documents.LARGEST_DOCUMENT]
        return hashlib.sha256(repr(about).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def parts_of(source: CorpusSource, size: int = PART) -> Iterator[CorpusPart | Skipped]:
    """Yields the parts of a source in the order of its documents, each of ``size`` bytes or more where possible.

    A text of more than `SECTION` bytes and JSON lines are divided by bytes, with no more than the beginning of the file
    read; Parquet by its footer; an Arrow file by the headers of its record batches.
    """
    if source.kind == "text":
        if source.value:
            bytes_there = len(source.value.encode("utf-8", "surrogatepass"))
            yield CorpusPart(source, size=bytes_there)
        return
    seen = set()
    for item in files_of(source):
        if isinstance(item, Skipped):
            yield item
        elif item.place not in seen:  # patterns may find a file twice
            seen.add(item.place)
            yield from file_parts(item, size)


def file_parts(file: CorpusFile, size: int = PART) -> Iterator[CorpusPart]:
    """Yields the parts of a file. One that cannot be opened is one part, which says so when it is read."""
    source = file.source
    bounds: Sequence[tuple[int, int, int]] = ()
    try:
        if file.form in ("parquet", "arrow"):
            bounds = _table_bounds(file, size)
        elif file.seekable and not file.compressed:
            bounds = _byte_bounds(file, size)
    except (
        Exception
    ):  # of the file system, of the table: the reading meets it again, and reports it
        bounds = ()
    if len(bounds) < 2:
        yield CorpusPart(source, file, size=file.size)
        return
    for start, stop, there in bounds:
        yield CorpusPart(source, file, start, stop, there)


def part_documents(
    part: CorpusPart, report: FileReport | None = None, longest: int = 0
) -> Iterator[str]:
    """Yields the documents of a part. ``report`` gets what became of it; of a text it is not needed.

    ``longest`` as for `documents`.
    """
    if part.file is None:
        if part.source.value:
            yield part.source.value
        return
    report = report or FileReport(part.file)
    yield from documents(report, part.start, part.stop, longest)
    if report.note and (part.start or part.stop is not None):
        report.note = f"{part.name.removeprefix(part.file.place + ', ')}: {report.note}"


def check_unchanged(part: CorpusPart) -> None:
    """Raises TokenariumError if the file of a part is not the one that was divided."""
    if part.file is None:
        return
    for now in files_of(CorpusSource("file", part.file.place)):
        if isinstance(now, Skipped):
            raise TokenariumError(f"{part.file.place}: {now.reason}")
        if (now.size, now.version) != (part.file.size, part.file.version):
            raise TokenariumError(
                f"{part.file.place} has changed since it was divided: start again."
            )


def _byte_bounds(file: CorpusFile, size: int) -> list[tuple[int, int, int]]:
    """Returns the ranges of a text or of JSON lines; none if its encoding does not allow them."""
    step = size
    if file.form == "text":
        section = corpus_documents.SECTION
        step = max(-(-size // section), 1) * section
    if file.size <= step:
        return []
    name = file.source.encoding
    with opened(file) as data:
        found = text_file.chosen(name) if name else text_file.marked(data.read(text_file.SAMPLE))
    if found is None or not breaks_lines(found.name):
        return []
    starts = range(0, file.size, step)
    return [(at, min(at + step, file.size), min(step, file.size - at)) for at in starts]


def _table_bounds(file: CorpusFile, size: int) -> list[tuple[int, int, int]]:
    """Returns the ranges of row groups or record batches."""
    from tokenarium.models.training.corpus_tables import open_table  # it needs pyarrow

    with ExitStack() as closing:
        table = open_table(file, closing)
        sizes = [table.size(number) for number in range(table.count)]
    found = []
    first = waiting = 0
    for number, there in enumerate(sizes, 1):
        waiting += there
        if waiting >= size or number == len(sizes):
            found.append((first, number, waiting))
            first, waiting = number, 0
    return found
