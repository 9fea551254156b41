"""A corpus that is counted in groups of parts, in this process or by workers elsewhere, and put together in a file.

The groups depend on the corpus alone. The counts of each are kept next to the result until it is complete, so that an
interrupted count continues with those that are missing; they are merged as a tree, with few files open at a time.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.corpora.encoded_corpus import corpus_parts
from tokenarium.models.files import RECORD_BYTES
from tokenarium.models.training import corpus_documents
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_documents import LARGEST_DOCUMENT
from tokenarium.models.training.corpus_files import CorpusSource, Skipped
from tokenarium.models.training.corpus_filters import (
    ALL,
    MOST_HASHES,
    Filters,
    Sieve,
    document_hash,
)
from tokenarium.models.training.corpus_parts import CorpusPart, check_unchanged, part_documents
from tokenarium.models.training.corpus_reports import FileReport
from tokenarium.models.training.keeping import HeldCut, HeldOut, held_apart
from tokenarium_core.padded_text import utf8_size
from tokenarium_core.plain_files import read_file
from tokenarium_core.training.word_counts import merge_files
from tokenarium_core.whole_files import write_files

GROUPS: Final = 64
"""Groups of a corpus that is neither small nor huge: enough for many workers, and few enough to merge quickly."""

SMALLEST_GROUP: Final = 128 << 20
LARGEST_GROUP: Final = 4 << 30
"""Bytes of a group on the disk."""

FILES_MERGED: Final = 32
"""Files of counts that are open at a time."""

MEMORY: Final = 1_000_000_000
"""Bytes that the words may take in a worker."""

STEP_MS: Final = 100

_PEAK: Final = 3
"""Tables that take more than this part of the memory allowed are spilled before they double: for a moment, old and new
are there, three times as much. When they are written, an order of the words is there beside them, about as much again.
"""


@dataclass(frozen=True, slots=True)
class CountingOrder:
    """How a corpus is counted: the algorithm, the options that counting depends on, and bytes of memory for a worker.

    ``filters`` leave documents out. With ``strict``, a group ends at the first thing that cannot be read.
    """

    algorithm: str
    options: tuple[tuple[str, Any], ...] = ()
    memory: int = MEMORY
    filters: Filters = ALL
    strict: bool = False


@dataclass(frozen=True, slots=True)
class PartCut:
    """What of a part is not counted, by the numbers of its texts: equal documents, and what is held out.

    ``repeated`` has a bit for each text, packed as `numpy.packbits` does; ``held`` pairs of a number and its cut.
    """

    repeated: bytes = b""
    held: tuple[tuple[int, HeldCut], ...] = ()


@dataclass(frozen=True, slots=True)
class CountingGroup:
    """Some parts of a corpus, which one worker counts at once; ``cuts`` has one for each part, or none at all."""

    parts: tuple[CorpusPart, ...]
    cuts: tuple[PartCut, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of its parts on the disk."""
        return sum(part.size for part in self.parts)

    @property
    def name(self) -> str:
        """Where it begins, and how many more parts it has."""
        more = f" and {len(self.parts) - 1:,} more parts" if len(self.parts) > 1 else ""
        return f"{self.parts[0].name}{more}"

    def identity(self, order: CountingOrder) -> str:
        """A hash of the order and of the parts, by which finished counts are found again."""
        about: list[object] = [order.algorithm, order.options]
        about.append([part.identity for part in self.parts])
        if order.filters != ALL or any(cut != PartCut() for cut in self.cuts):
            about += [asdict(order.filters), [(cut.repeated.hex(), cut.held) for cut in self.cuts]]
        return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:32]


@dataclass(slots=True)
class PartRead:
    """What became of a part: its documents, the size of its texts with what is held out, and what was not read.

    A plain text is a document, which its first part has. ``encoding`` is its name and how that was found.
    """

    documents: int = 0
    characters: int = 0
    bytes: int = 0  # as UTF-8
    bad_lines: int = 0
    note: str = ""
    encoding: tuple[str, str] | None = None


@dataclass(slots=True)
class CountedGroup:
    """What a worker found: a file of counts as bytes, the bytes read on the disk, and what became of the parts.

    ``left_out`` is how many texts were equal to others, too short, and too long.
    """

    data: bytes
    read: int = 0
    parts: list[PartRead] = field(default_factory=list)
    left_out: tuple[int, int, int] = (0, 0, 0)

    def __sizeof__(self) -> int:
        """The bytes that Dask counts for it, where it holds or sends one."""
        return len(self.data) + 200 * (len(self.parts) + 1)

    @property
    def documents(self) -> int:
        """How many documents it has."""
        return sum(part.documents for part in self.parts)

    def notes(self, group: CountingGroup) -> list[str]:
        """Sentences on what was not read, with the file."""
        both = zip(group.parts, self.parts, strict=False)
        return [
            f"{part.file.place}: {part_read.note}"
            for part, part_read in both
            if part_read.note and part.file
        ]


def parts_to_count(sources: Iterable[CorpusSource]) -> tuple[list[CorpusPart], list[Skipped]]:
    """Returns `corpus_parts` as small as can be, so that groups have nearly as many bytes, and workers end together."""
    return corpus_parts(sources, corpus_documents.SECTION)


def groups_of_parts(parts: Sequence[CorpusPart]) -> list[CountingGroup]:
    """Divides a corpus into about `GROUPS` groups in the order of its parts, each of nearly as many bytes.

    There are fewer groups in a small corpus, and more in a large one: see `SMALLEST_GROUP` and `LARGEST_GROUP`.
    """
    total = sum(part.size for part in parts)
    size = min(max(-(-total // GROUPS), SMALLEST_GROUP), LARGEST_GROUP)
    groups: list[list[CorpusPart]] = [[] for _ in range(max(-(-total // size), 1))]
    before = 0
    for part in parts:
        middle = (before + part.size / 2) / max(total, 1)
        groups[min(int(middle * len(groups)), len(groups) - 1)].append(part)
        before += part.size
    return [CountingGroup(tuple(group)) for group in groups if group]


def count_group(
    order: CountingOrder, group: CountingGroup, progressed: Callable[[int], object] = int
) -> CountedGroup:
    """Counts a group; ``progressed`` is called with the bytes read so far.

    Counts that outgrow the memory are written to temporary files, and merged. Raises TokenariumError if a file has
    changed since the corpus was divided; what is wrong in a file is a note.
    """
    for part in group.parts:
        check_unchanged(part)
    counted = CountedGroup(b"")
    counts = tc.WordCounts(order.algorithm, **dict(order.options))
    job = counts.adding(_texts(order, group, counted, lambda: job.bytes_read))
    with tempfile.TemporaryDirectory(prefix="tokenarium-count-") as folder:
        runs: list[Path] = []
        whole = Path(folder, "whole.counts")
        while not job.step(STEP_MS).finished:
            progressed(counted.read)
            if counts.memory * _PEAK > order.memory * (1 if counts.full else 2):
                runs.append(Path(folder, f"{len(runs)}.counts"))
                counts.spill(runs[-1])
        if runs:
            runs.append(Path(folder, f"{len(runs)}.counts"))
            counts.spill(runs[-1])
            merge_tree(runs, whole)
        else:
            counts.save(whole)
        counted.data = whole.read_bytes()
    progressed(group.size)
    return counted


def _texts(
    order: CountingOrder, group: CountingGroup, found: CountedGroup, counted: Callable[[], int]
) -> Iterator[str]:
    """Yields what is to be counted of a group, and notes what became of its parts.

    ``counted`` returns the bytes of all that was yielded: those who count a text find them anyway.
    """
    before = 0
    sieve = Sieve(replace(order.filters, unique=False), LARGEST_DOCUMENT)
    for index, part in enumerate(group.parts):
        report = FileReport(part.file) if part.file is not None else None
        cut = group.cuts[index] if group.cuts else PartCut()
        held = dict(cut.held)
        one = PartRead()
        found.parts.append(one)
        plain = part.file is None or part.file.form == "text"
        for number, text in _kept(part, sieve, report):
            if _has(cut.repeated, number):
                sieve.repeated += 1
                continue
            one.documents += not plain or (number == 0 and part.start == 0)
            one.characters += len(text)
            if number in held:
                text, apart = held_apart(text, held[number])
                one.bytes += utf8_size(apart)
            if text:
                already = counted()
                yield text
                one.bytes += counted() - already
            found.read = before + (report.read if report is not None else 0)
        before += part.size
        found.read = before
        found.left_out = (sieve.repeated, sieve.short, sieve.long)
        if report is not None:
            one.note, one.bad_lines = report.note, report.bad_lines
            if report.encoding is not None:
                one.encoding = report.encoding.name, report.encoding.how
            if order.strict and one.note:
                return


def _kept(part: CorpusPart, sieve: Sieve, report: FileReport | None) -> Iterator[tuple[int, str]]:
    """Yields the texts of a part that a sieve keeps, with their numbers among all texts of the part."""
    # The first text of a later section is one of several pieces too.
    later = part.start > 0 and part.file is not None and part.file.form == "text"
    for number, text in enumerate(part_documents(part, report)):
        if sieve.keeps(text, later or (report is not None and report.long)):
            yield number, text


def _has(bits: bytes, number: int) -> bool:
    """Returns one of the bits that `numpy.packbits` packed."""
    return bool(bits) and bool(bits[number >> 3] >> (7 - (number & 7)) & 1)


@dataclass(slots=True)
class DocumentSurvey:
    """The hashes of the texts of a part that the lengths keep, 16 bytes each, and their numbers among all of them."""

    count: int  # numbers up to the last one
    numbers: npt.NDArray[np.int64]
    hashes: npt.NDArray[np.uint64]  # (texts, 2)


def survey_part(
    filters: Filters, part: CorpusPart, progressed: Callable[[int], object] = int
) -> DocumentSurvey:
    """Returns the hashes of the documents of a part, by which equal ones are found; TokenariumError as `count_group`."""
    check_unchanged(part)
    sieve = Sieve(replace(filters, unique=False), LARGEST_DOCUMENT)
    report = FileReport(part.file) if part.file is not None else None
    numbers: list[int] = []
    hashes = bytearray()
    count = 0
    for count, text in _kept(part, sieve, report):
        numbers.append(count)
        hashes += document_hash(text)
        progressed(report.read if report is not None else 0)
    return DocumentSurvey(
        count + 1,
        np.array(numbers, np.int64),
        np.frombuffer(bytes(hashes), np.uint64).reshape(-1, 2),
    )


def repeated_documents(surveys: Sequence[DocumentSurvey], most: int = MOST_HASHES) -> list[bytes]:
    """Returns for the parts of a corpus, in their order, which texts equal an earlier one: the bits of `PartCut`.

    As in `DocumentHashes`, only the first ``most`` different ones are remembered.
    """
    if not surveys:
        return []
    hashes = np.concatenate([survey.hashes for survey in surveys])
    order = np.lexsort((hashes[:, 1], hashes[:, 0]))  # stable: equal ones stay in their order
    ordered = hashes[order]
    new = np.ones(len(order), bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    firsts = order[new]
    remembered = np.zeros(len(order), bool)
    remembered[np.sort(firsts)[:most]] = True
    group = np.cumsum(new) - 1
    repeated = np.zeros(len(order), bool)
    repeated[order] = ~new & remembered[firsts][group]
    repeated_bits = []
    at = 0
    for survey in surveys:
        flags = repeated[at : at + len(survey.numbers)]
        at += len(survey.numbers)
        bits = np.zeros(survey.count, bool)
        bits[survey.numbers[flags]] = True
        repeated_bits.append(np.packbits(bits).tobytes() if flags.any() else b"")
    return repeated_bits


def held_cuts(
    corpus: Corpus,
    parts: Sequence[CorpusPart],
    held: HeldOut,
    looked: Callable[[int], object] = int,
) -> list[tuple[tuple[int, HeldCut], ...]]:
    """Reads a corpus as far as text is held out of it, and returns what is held out of each part; ``held`` gets the texts.

    ``corpus`` has the same sources as the parts, and is not read itself. ``looked`` is called with the bytes read.
    """
    held_parts: list[tuple[tuple[int, HeldCut], ...]] = [()] * len(parts)
    if not held.takes:
        return held_parts
    sieve = Sieve(corpus.filters, LARGEST_DOCUMENT)
    before = 0
    for index, part in enumerate(parts):
        report = FileReport(part.file) if part.file is not None else None
        cuts = []
        for number, text in _kept(part, sieve, report):
            cut = held.cut(text)
            if cut is not None:
                cuts.append((number, cut))
            if held.full:
                break
            looked(before + (report.read if report is not None else 0))
        held_parts[index] = tuple(cuts)
        if held.full:
            break
        before += part.size
    return held_parts


def with_cuts(
    groups: Sequence[CountingGroup],
    repeated: Sequence[bytes],
    held: Sequence[tuple[tuple[int, HeldCut], ...]],
) -> list[CountingGroup]:
    """Returns groups with what is not to be counted of their parts, in the order of the corpus."""
    cuts = iter([PartCut(*cut) for cut in zip(repeated, held, strict=True)])
    return [CountingGroup(group.parts, tuple(next(cuts) for _ in group.parts)) for group in groups]


def merge_tree(paths: Sequence[Path], out: Path) -> None:
    """Merges files of counts into one, `FILES_MERGED` at a time; files between are beside ``out``, and removed."""
    made: list[Path] = []
    try:
        waiting = list(paths)
        while len(waiting) > FILES_MERGED:
            merged = out.with_name(f".{out.name}.{len(made)}.merged")
            made.append(merged)
            merge_files(waiting[:FILES_MERGED], merged)
            waiting = [*waiting[FILES_MERGED:], merged]
        merge_files(waiting, out)
    finally:
        for path in made:
            path.unlink(missing_ok=True)


class CountFolder:
    """The finished groups of one count, in a folder next to its result: ``<result>.parts``."""

    def __init__(self, order: CountingOrder, out: Path) -> None:
        self._order = order
        self._out = out
        self.path = out.with_name(f"{out.name}.parts")

    def kept(self, group: CountingGroup) -> CountedGroup | None:
        """Returns the record of a group that is finished, without its data; None if it is not."""
        path = self._file(group)
        try:
            size = path.stat().st_size
            record = json.loads(read_file(path.with_suffix(".json"), RECORD_BYTES))
            if record.pop("size") != size:
                return None
            record["left_out"] = tuple(record["left_out"])
            record["parts"] = [
                PartRead(**{**part, "encoding": part["encoding"] and tuple(part["encoding"])})
                for part in record["parts"]
            ]
            counted = CountedGroup(b"", **record)
            # What could not be read then may be readable now.
            return None if counted.notes(group) else counted
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None

    def keep(self, group: CountingGroup, counted: CountedGroup) -> None:
        """Keeps a group; WriteError if that is not possible."""
        self.path.mkdir(exist_ok=True)
        path = self._file(group)
        record = {**asdict(replace(counted, data=b"")), "size": len(counted.data)}
        del record["data"]
        write_files({path: counted.data})
        write_files({path.with_suffix(".json"): json.dumps(record).encode()})

    def finish(self, groups: Iterable[CountingGroup]) -> None:
        """Merges all groups into the result, and removes the folder."""
        files = [self._file(group) for group in groups]
        if len(files) == 1:
            os.replace(files[0], self._out)
        else:
            merge_tree(files, self._out)
        self.remove()

    def remove(self) -> None:
        """Removes the folder."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _file(self, group: CountingGroup) -> Path:
        return self.path / f"{group.identity(self._order)}.counts"
