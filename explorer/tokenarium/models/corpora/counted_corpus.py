"""A corpus that is counted in groups of parts, in this process or by workers elsewhere, and put together in a file.

The groups depend on the corpus alone. The counts of each are kept next to the result until it is whole, so that an
interrupted count goes on with those that are missing; they are merged as a tree, with few files open at a time.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import tokenarium_core as tc
from tokenarium.models.corpora.encoded_corpus import grouped
from tokenarium.models.training.corpus_parts import CorpusPart, check_unchanged, part_documents
from tokenarium.models.training.corpus_reports import FileReport
from tokenarium_core.whole_files import write_files

GROUPS: Final = 64
"""Groups of a corpus that is neither small nor huge: enough for many workers, and few enough to merge quickly."""

SMALLEST_GROUP: Final = 64 << 20
LARGEST_GROUP: Final = 4 << 30
"""Bytes of a group on the disk."""

FILES_MERGED: Final = 32
"""Files of counts that are open at a time."""

STEP_MS: Final = 100

_PEAK: Final = 3
"""Tables that take more than this part of the memory allowed are spilled before they double: for a moment, old and new
are there, three times as much. When they are written, an order of the words is there beside them, about as much again.
"""


@dataclass(frozen=True, slots=True)
class CountingOrder:
    """How a corpus is counted: the algorithm, the options that counting depends on, and bytes of memory for a worker."""

    algorithm: str
    options: tuple[tuple[str, Any], ...] = ()
    memory: int = 1_000_000_000


@dataclass(frozen=True, slots=True)
class CountingGroup:
    """Some parts of a corpus, which one worker counts at once."""

    parts: tuple[CorpusPart, ...]

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
        about = [order.algorithm, order.options, [part.identity for part in self.parts]]
        return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:32]


@dataclass(slots=True)
class CountedGroup:
    """What a worker found: a file of counts as bytes, documents, bytes read, and sentences on what was not read."""

    data: bytes
    documents: int = 0
    read: int = 0
    notes: list[str] = field(default_factory=list)


def groups_of_parts(parts: Sequence[CorpusPart]) -> list[CountingGroup]:
    """Divides a corpus into about `GROUPS` groups, none below `SMALLEST_GROUP` but the last, in the order of its parts."""
    size = sum(part.size for part in parts) // GROUPS
    size = min(max(size, SMALLEST_GROUP), LARGEST_GROUP)
    return [CountingGroup(group) for group in grouped(parts, size)]


def count_group(
    order: CountingOrder, group: CountingGroup, progressed: Callable[[int], object] = int
) -> CountedGroup:
    """Counts a group; ``progressed`` is called with the bytes read so far.

    Counts that outgrow the memory are written to temporary files, and merged. Raises TokenariumError where a file has
    changed since the corpus was divided; what is wrong in a file is a note.
    """
    for part in group.parts:
        check_unchanged(part)
    found = CountedGroup(b"")
    counts = tc.WordCounts(order.algorithm, **dict(order.options))
    job = counts.adding(_texts(group, found))
    with tempfile.TemporaryDirectory(prefix="tokenarium-count-") as folder:
        runs: list[Path] = []
        whole = Path(folder, "whole.counts")
        while not job.step(STEP_MS).finished:
            progressed(found.read)
            if counts.memory * _PEAK > order.memory * (1 if counts.full else 2):
                runs.append(Path(folder, f"{len(runs)}.counts"))
                counts.spill(runs[-1])
        if runs:
            runs.append(Path(folder, f"{len(runs)}.counts"))
            counts.spill(runs[-1])
            merge_tree(runs, whole)
        else:
            counts.save(whole)
        found.data = whole.read_bytes()
    progressed(group.size)
    return found


def _texts(group: CountingGroup, found: CountedGroup) -> Iterator[str]:
    """Yields the documents of a group, and notes what became of its parts."""
    before = 0
    for part in group.parts:
        report = FileReport(part.file) if part.file is not None else None
        for text in part_documents(part, report):
            found.documents += 1
            yield text
            found.read = before + (report.read if report is not None else 0)
        before += part.size
        found.read = before
        if report is not None and report.note:
            found.notes.append(f"{report.file.place}: {report.note}")


def merge_tree(paths: Sequence[Path], out: Path) -> None:
    """Merges files of counts into one, `FILES_MERGED` at a time; files between are beside ``out``, and removed."""
    made: list[Path] = []
    try:
        waiting = list(paths)
        while len(waiting) > FILES_MERGED:
            merged = out.with_name(f".{out.name}.{len(made)}.merged")
            made.append(merged)
            tc.merge_files(waiting[:FILES_MERGED], merged)
            waiting = [*waiting[FILES_MERGED:], merged]
        tc.merge_files(waiting, out)
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
        """Returns the record of a group that is finished, without its data; None where it is not."""
        path = self._file(group)
        try:
            size = path.stat().st_size
            record = json.loads(path.with_suffix(".json").read_text("utf-8"))
            if record.pop("size") != size:
                return None
            return CountedGroup(b"", **record)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None

    def keep(self, group: CountingGroup, counted: CountedGroup) -> None:
        """Keeps a group; WriteError where that is not possible."""
        self.path.mkdir(exist_ok=True)
        path = self._file(group)
        record = {
            "size": len(counted.data),
            "documents": counted.documents,
            "read": counted.read,
            "notes": counted.notes,
        }
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
