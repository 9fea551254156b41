"""A corpus to train on: the documents of several sources, mixed by weight, each time in the same way."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Final

from tokenarium.models.training.corpus_documents import FileReport, documents
from tokenarium.models.training.corpus_files import CorpusFile, Skipped, Source, files_of

REASONS: Final = 3
"""Files of which it is told why nothing of them was read; the others are counted."""

_MASK: Final = (1 << 64) - 1


class Corpus:
    """The documents of some sources, as texts. It is read once, from front to back, and keeps none of them.

    Which documents a weight takes hangs on the seed, the place of the source, and the number of the document in it:
    neither on what other sources there are nor on the machine. ``reports`` and ``skipped`` tell, while it is read
    and afterwards, what became of each file. Raises TokenariumError for a source that cannot be (see `Source.check`).
    """

    def __init__(self, sources: Sequence[Source], seed: int = 0) -> None:
        for source in sources:
            source.check()
        self.sources = tuple(sources)
        self.seed = seed
        self._files: list[list[CorpusFile]] = [[] for _ in sources]
        self.skipped: list[Skipped] = []
        self.reports: list[FileReport] = []
        self.documents = 0
        self.characters = 0
        self._texts_done = 0
        self._digest = hashlib.sha256()
        self._list()

    def _list(self) -> None:
        for source, files in zip(self.sources, self._files, strict=True):
            seen = set()
            for item in files_of(source):
                if isinstance(item, Skipped):
                    self.skipped.append(item)
                elif item.path not in seen:  # a pattern may find a file twice
                    seen.add(item.path)
                    files.append(item)

    @property
    def files(self) -> list[CorpusFile]:
        """The files to read, in their order."""
        return [file for files in self._files for file in files]

    @property
    def total(self) -> int:
        """Bytes of all files on the disk, and of the texts."""
        texts = sum(len(source.value) for source in self.sources if source.kind == "text")
        return sum(file.size for file in self.files) + texts

    @property
    def done(self) -> int:
        """Bytes of them that are read."""
        return sum(report.read for report in self.reports) + self._texts_done

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the documents that were read, in their order and with their lengths, in hexadecimal.

        Equal documents in equal order have equal ones, wherever they were read from.
        """
        return self._digest.hexdigest()

    @property
    def why_nothing(self) -> str:
        """Why nothing of it was read, in sentences, once it was tried; empty where something was."""
        if self.documents:
            return ""
        notes = [(item.path, item.reason) for item in self.skipped]
        notes += [(report.file.path, report.note) for report in self.reports if report.note]
        told = [f"{path}: {note}" for path, note in notes[:REASONS]]
        if len(notes) > REASONS:
            told.append(f"So it is with {len(notes) - REASONS:,} more.")
        if not told:
            told = ["A weight takes none of its documents." if self.files else "No file was found."]
        return " ".join(["Nothing was read of the corpus.", *told])

    def __iter__(self) -> Iterator[str]:
        for place, source in enumerate(self.sources):
            if source.kind == "text" and source.value:
                self._texts_done += len(source.value)
                yield from self._counted(source.value, place, 0)
            number = 0
            for file in self._files[place]:
                report = FileReport(file)
                self.reports.append(report)
                for text in documents(report):
                    before = self.documents, self.characters
                    yield from self._counted(text, place, number)
                    report.kept += self.documents - before[0]
                    report.characters += self.characters - before[1]
                    number += 1

    def _counted(self, text: str, place: int, number: int) -> Iterator[str]:
        """Yields a document as often as the weight of its source says, and notes that."""
        weight = self.sources[place].weight
        times = int(weight)
        times += _share(self.seed, place, number) < weight - times
        if not times:
            return
        content = text.encode("utf-8", "surrogatepass")
        for _ in range(times):
            self.documents += 1
            self.characters += len(text)
            self._digest.update(len(content).to_bytes(8, "little"))
            self._digest.update(content)
            yield text


def _share(seed: int, place: int, number: int) -> float:
    """Returns a number from 0 up to 1 that looks random: splitmix64 (Steele, Lea, Flood 2014) of the three."""
    state = (seed * 0x9E3779B97F4A7C15 + place * 0xD1B54A32D192ED03 + number + 1) & _MASK
    state = (state * 0x9E3779B97F4A7C15) & _MASK
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
    return ((state ^ (state >> 31)) >> 11) / (1 << 53)
