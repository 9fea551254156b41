"""A corpus to train on: the documents of several sources, mixed by weight in a reproducible way."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tokenarium.models.text.piece import counted
from tokenarium.models.training.corpus_documents import LARGEST_DOCUMENT, documents
from tokenarium.models.training.corpus_files import (
    CorpusFile,
    CorpusSource,
    Skipped,
    files_of,
)
from tokenarium.models.training.corpus_filters import ALL, Filters, Sieve
from tokenarium.models.training.corpus_reports import FileReport
from tokenarium_core import TokenariumError
from tokenarium_core.training.mixture import Mixture, mixed

MOST_LINES: Final = 20
"""Sources whose shares are listed one by one."""

REASONS: Final = 3
"""Unread files that are listed with the reason; the others are counted."""


@dataclass(frozen=True, slots=True)
class SourceShare:
    """A source in a corpus: its bytes of UTF-8 and their share of all, available and taken."""

    name: str
    there: int
    before: float
    taken: int
    after: float


class Corpus:
    """The documents of some sources, as texts. It is read once, from front to back, and keeps none of them.

    With weights, a ``size`` in bytes or a ``temperature``, it is counted first and then mixed by shares of bytes, see
    `Mixture`; which parts are taken (`mixed`) depends on the seed, not on the machine. ``reports`` and ``skipped`` say
    what became of each file, during the reading and afterwards. Raises TokenariumError for an invalid source (see
    `CorpusSource.check`). ``counting`` is called often while the text is counted; an exception ends that.

    ``filters`` leave documents out, before any shares are counted. What cannot be read is left out and reported;
    with ``strict``, it raises TokenariumError instead, when it is met. ``longest`` as for `documents`.
    """

    def __init__(
        self,
        sources: Sequence[CorpusSource],
        seed: int = 0,
        size: int = 0,
        temperature: float = 1.0,
        repeat: bool = False,
        filters: Filters = ALL,
        strict: bool = False,
        longest: int = 0,
    ) -> None:
        for source in sources:
            source.check()
        filters.check()
        self.sources = tuple(sources)
        self.counting: Callable[[], object] = int
        self.repeats_source = False  # whether the current source is read more than once
        self._counted_files: list[FileReport] = []
        self._counted_texts = 0
        self.seed = seed
        self.size = size
        self.temperature = temperature
        self.repeat = repeat
        self.filters = filters
        self.strict = strict
        self._longest = longest
        self._sieve = Sieve(filters, LARGEST_DOCUMENT)
        self.mixture: Mixture | None = None
        self.bytes_taken = [0] * len(self.sources)
        self._files: list[list[CorpusFile]] = [[] for _ in sources]
        self.skipped: list[Skipped] = []
        self.reports: list[FileReport] = []
        self.documents = 0
        self.characters = 0
        self._texts_done = 0
        self._digest = hashlib.sha256()
        self._counted_as = ""
        self._list()

    def _list(self) -> None:
        for source, files in zip(self.sources, self._files, strict=True):
            seen = set()
            for item in files_of(source):
                if isinstance(item, Skipped):
                    self.skipped.append(item)
                elif item.place not in seen:  # patterns may find a file twice
                    seen.add(item.place)
                    files.append(item)
        if self.strict and self.skipped:
            first = self.skipped[0]
            raise TokenariumError(f"{first.place}: {first.reason}")

    @property
    def files_by_source(self) -> Sequence[Sequence[CorpusFile]]:
        """The files to read of each source."""
        return self._files

    @property
    def files(self) -> list[CorpusFile]:
        """The files to read, in their order."""
        return [file for files in self._files for file in files]

    @property
    def known_documents(self) -> int | None:
        """How many documents there are at most, where that is known before the reading: not of JSON lines and tables."""
        files = self.files
        if any(file.form != "text" for file in files):
            return None
        return len(files) + sum(source.kind == "text" for source in self.sources)

    @property
    def total(self) -> int:
        """Bytes of all files on disk, and of the texts; twice as many if they are counted first."""
        return self._there * (2 if self.mixes else 1)

    @property
    def _there(self) -> int:
        texts = sum(len(source.value) for source in self.sources if source.kind == "text")
        return sum(file.size for file in self.files) + texts

    @property
    def done(self) -> int:
        """Bytes that are read or counted so far."""
        files = sum(report.read for report in (*self._counted_files, *self.reports))
        return files + self._counted_texts + self._texts_done

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the documents that were read, in their order and with their lengths, in hexadecimal.

        Equal documents in equal order give the same hash, wherever they were read from. Of a corpus that was counted
        elsewhere it is that of its counts.
        """
        return self._counted_as or self._digest.hexdigest()

    @property
    def why_nothing(self) -> str:
        """Sentences on why nothing was read, after an attempt; empty where something was."""
        if self.documents:
            return ""
        notes = [(item.place, item.reason) for item in self.skipped]
        notes += [(report.file.place, report.note) for report in self.reports if report.note]
        lines = [f"{place}: {note}" for place, note in notes[:REASONS]]
        if len(notes) > REASONS:
            lines.append(f"And {len(notes) - REASONS:,} more were not read.")
        lines += self._sieve.notes
        if not lines:
            lines = ["No file was found."]
        return " ".join(["Nothing was read from the corpus.", *lines])

    @property
    def mixes(self) -> bool:
        """Whether shares of the bytes are set, so that the text must be counted before it is read."""
        weighted = any(source.weight is not None for source in self.sources)
        return weighted or self.size > 0 or self.temperature != 1.0

    @property
    def shares(self) -> list[SourceShare]:
        """How much of each source is available, and was taken so far."""
        there = self.mixture.there if self.mixture is not None else self.bytes_taken
        before, after = max(sum(there), 1), max(sum(self.bytes_taken), 1)
        return [
            SourceShare(source.name, count, count / before, taken, taken / after)
            for source, count, taken in zip(self.sources, there, self.bytes_taken, strict=True)
        ]

    @property
    def mixing_notes(self) -> list[str]:
        """Sentences on what was not mixed as requested, what the filters left out, and sources that gave nothing."""
        notes = list(self.mixture.notes) if self.mixture is not None else []
        notes += self._sieve.notes
        if self.documents:
            empty = [share.name for share in self.shares if not share.taken]
            if empty:
                it = "it" if len(empty) == 1 else "them"
                more = f" and {len(empty) - REASONS:,} more" if len(empty) > REASONS else ""
                notes.append(
                    f"{', '.join(empty[:REASONS])}{more}: nothing of {it} is in the corpus."
                )
        return notes

    @property
    def damage(self) -> str:
        """A sentence that counts the files of which something could not be read; empty if there are none."""
        faults = sum(skipped.fault for skipped in self.skipped)
        broken = sum(1 for report in self.reports if report.note) + faults
        if not broken:
            return ""
        rows = sum(report.bad_lines for report in self.reports)
        more = f", and {counted(rows, 'line or row', 'lines or rows')} in them" if rows else ""
        whole = len(self.reports) + len(self.skipped)
        return f"Of {counted(whole, 'file')}, {broken:,} could not be read completely{more}."

    @property
    def planned(self) -> float:
        """Bytes of text that it will have, as far as known before it is read."""
        return self.mixture.total if self.mixture is not None else float(self._there)

    def __iter__(self) -> Iterator[str]:
        return self._read(range(len(self.sources)), begins=True)

    def by_language(self) -> dict[str, Iterator[str]]:
        """Returns the texts of each language, by the languages of the sources; all are to be read, in this order."""
        places: dict[str, list[int]] = {}
        for place, source in enumerate(self.sources):
            places.setdefault(source.language, []).append(place)
        first = next(iter(places), "")
        return {
            language: self._read(of_it, begins=language == first)
            for language, of_it in places.items()
        }

    def _read(self, places: Iterable[int], *, begins: bool) -> Iterator[str]:
        """Yields the texts of some sources; before the first ones of a corpus it is mixed, where it has shares."""
        if begins:
            if self.mixes and self.mixture is None:
                self.mix()
            self._sieve = Sieve(self.filters, LARGEST_DOCUMENT)
        for place in places:
            texts = self._documents(place, self.reports)
            mixture = self.mixture
            if mixture is not None:
                self.repeats_source = mixture.wanted[place] > mixture.there[place]
                texts = mixed(
                    texts, mixture.there[place], mixture.wanted[place], self.seed + 7919 * place
                )
            yield from self._counted(texts, place)
            if self.sources[place].kind == "text":
                self._texts_done += len(self.sources[place].value)

    def take_counted(
        self,
        reports: Iterable[tuple[int, FileReport | None, int, int, int]],
        left_out: tuple[int, int, int],
        fingerprint: str,
    ) -> None:
        """Notes what became of the corpus where it was read in parts elsewhere, instead of being read here.

        ``reports`` has for each file, in any order: the place of its source, its report (None: a text), its documents,
        characters and bytes. ``left_out`` is how many documents were equal to others, too short, and too long.
        """
        for place, report, number, characters, size in reports:
            self.documents += number
            self.characters += characters
            self.bytes_taken[place] += size
            if report is None:
                self._texts_done += len(self.sources[place].value)
            else:
                report.documents = report.kept = number
                report.characters = characters
                report.read = report.file.size
                self.reports.append(report)
        sieve = self._sieve
        sieve.repeated, sieve.short, sieve.long = left_out
        self._counted_as = fingerprint

    def mix(self) -> None:
        """Counts the text of each source, and finds how much of each to take; TokenariumError if one has none.

        The reading does so itself; afterwards ``mixture`` has the shares.
        """
        weights = [source.weight for source in self.sources if source.weight is not None]
        if weights and len(weights) < len(self.sources):
            bare = next(source.name for source in self.sources if source.weight is None)
            raise TokenariumError(
                f"{bare} has no weight, but others have one: give each source its share of the bytes, or none."
            )
        there = [0] * len(self.sources)
        self._counted_files, self._counted_texts = [], 0
        self._sieve = Sieve(self.filters, LARGEST_DOCUMENT)
        for place, source in enumerate(self.sources):
            for text in self._documents(place, self._counted_files):
                there[place] += len(text.encode("utf-8", "surrogatepass"))
                self._counted_texts += len(text) if source.kind == "text" else 0
                self.counting()
        names = [source.name for source in self.sources]
        mixing = self.size, self.temperature, self.repeat
        full = [place for place, count in enumerate(there) if count or self.temperature == 1.0]
        if len(full) == len(there) or not full:
            self.mixture = Mixture(names, there, weights, *mixing)
            return
        # A group of which nothing can be read takes no part in a temperature's shares; `mixing_notes` names it.
        some = Mixture(
            [names[place] for place in full], [there[place] for place in full], (), *mixing
        )
        shares, wanted = [0.0] * len(there), [0] * len(there)
        for place, share, count in zip(full, some.shares, some.wanted, strict=True):
            shares[place], wanted[place] = share, count
        some.names, some.there, some.shares, some.wanted = names, there, shares, wanted
        self.mixture = some

    def _documents(self, place: int, reports: list[FileReport]) -> Iterator[str]:
        """Yields all documents of a source, and adds to ``reports`` what became of its files."""
        source, keeps = self.sources[place], self._sieve.keeps
        filtered = self.filters != ALL
        if source.kind == "text" and source.value and (not filtered or keeps(source.value)):
            yield source.value
        for file in self._files[place]:
            report = FileReport(file)
            reports.append(report)
            for text in documents(report, longest=self._longest):
                if not filtered or keeps(text, report.long):
                    yield text
            if self.strict and report.note:
                raise TokenariumError(f"{file.place}: {report.note}")

    def _counted(self, texts: Iterator[str], place: int) -> Iterator[str]:
        """Yields the texts of a source, and counts what is taken."""
        named = self.sources[place].kind != "text"
        before = (-1, -1)
        for text in texts:
            content = text.encode("utf-8", "surrogatepass")
            # A long document comes in parts, in a mixture only in the parts that are taken.
            document = (len(self.reports), self.reports[-1].documents) if named else (0, 0)
            new = document != before
            before = document
            self.documents += new
            self.characters += len(text)
            self.bytes_taken[place] += len(content)
            self._digest.update(len(content).to_bytes(8, "little"))
            self._digest.update(content)
            if named:
                self.reports[-1].kept += new
                self.reports[-1].characters += len(text)
            yield text


def share_lines(shares: Sequence[SourceShare]) -> list[str]:
    """Returns a line for each source: its share of all bytes, and of those that were taken.

    Of more than `MOST_LINES` sources, those that gave most have a line, and the last line counts the others.
    """
    if len(shares) > MOST_LINES:
        ordered = sorted(shares, key=lambda one: -one.taken)
        rest = ordered[MOST_LINES - 1 :]
        taken, after = sum(one.taken for one in rest), sum(one.after for one in rest)
        last = f"{len(rest):,} more: {after:.1%} of the bytes ({taken:,})"
        return [*share_lines(ordered[: MOST_LINES - 1]), last]
    return [
        f"{one.name}: {one.after:.1%} of the bytes ({one.taken:,} of {one.there:,}; it has {one.before:.1%} of all)"
        for one in shares
    ]


def parsed_bytes(text: str) -> int:
    """Returns the bytes that are typed as 50MB, 1.5 GB, 200 kB or 4,096; TokenariumError for anything else."""
    plain = text.replace(",", "").replace(" ", "").strip().lower().removesuffix("b")
    factor = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}.get(plain[-1:], 1)
    try:
        number = float(plain if factor == 1 else plain[:-1]) * factor
    except ValueError:
        number = 0.0
    if not 1 <= number <= 1e15:
        raise TokenariumError(f"“{text}” is not a size: give one such as 50MB or 1.5GB.")
    return int(number)


def whole_lines(text: str, most: int) -> str:
    """Returns the lines that end in the first ``most`` characters of a text; all of these where none ends there.

    >>> whole_lines("a word\nand more", 9), whole_lines("a word and", 9), whole_lines("word", 9)
    ('a word\n', 'a word an', 'word')
    """
    if len(text) <= most:
        return text
    most = max(most, 0)
    return text[: text.rfind("\n", 0, most) + 1] or text[:most]
