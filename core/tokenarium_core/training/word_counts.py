"""Counts of a corpus as independent objects: created anywhere, merged in any order, stored in a file, trained from.

Training from merged counts equals training on the corpus: the same tokenizer, byte for byte. Counts contain what an
algorithm needs to know about a text, which does not include the order of texts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Final, cast, final

from mypy_extensions import i64

from tokenarium_core.errors import ArgumentError, FormatError, TokenariumError
from tokenarium_core.formats.vocab_txt_format import SPECIAL
from tokenarium_core.normalizers.character_normalizers import UnicodeNormalizer
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.pretokenizers.bert_pretokenizer import BertPreTokenizer
from tokenarium_core.pretokenizers.scanners import cutting
from tokenarium_core.progress import Progress
from tokenarium_core.training import (
    bpe_trainer,
    parity_trainer,
    picky_trainer,
    superbpe_trainer,
    wordpiece_trainer,
)
from tokenarium_core.training.counting import (
    ByteCounting,
    Counting,
    SentencePieceCounting,
    SuperwordCounting,
    TableCounting,
    WordPieceCounting,
)
from tokenarium_core.training.counts_file import (
    REGIONS,
    WORDS,
    CountsFile,
    CountsReader,
    CountsWriter,
    merge_rows,
)
from tokenarium_core.training.row_reader import RowReader
from tokenarium_core.training.sentencepiece import sentencepiece_bpe_trainer
from tokenarium_core.training.sentencepiece.sentencepiece_training import SentencePieceTraining
from tokenarium_core.training.trainer import INPUT_FORMAT, ROWS, TEXT, CountSource, Option, Value
from tokenarium_core.training.unigram import unigram_trainer
from tokenarium_core.training.word_counter import PreTokenCounts, WordCounter

BYTE_LEVEL: Final = "byte-level"
SUPERWORDS: Final = "superwords"
SENTENCEPIECE: Final = "sentencepiece"
WORDPIECE: Final = "wordpiece"

FAMILIES: Final = {
    "bpe": BYTE_LEVEL,
    "picky-bpe": BYTE_LEVEL,
    "superbpe": SUPERWORDS,
    "parity-bpe": BYTE_LEVEL,
    "sentencepiece-bpe": SENTENCEPIECE,
    "wordpiece": WORDPIECE,
    "unigram": SENTENCEPIECE,
    "fsp-unigram": SENTENCEPIECE,
}
"""The family of each algorithm: algorithms of one family count alike.

Counts for superwords include those for byte-level BPE.
"""

_OPTIONS: Final[dict[str, list[Option]]] = {
    "bpe": bpe_trainer.OPTIONS,
    "picky-bpe": picky_trainer.OPTIONS,
    "superbpe": superbpe_trainer.OPTIONS,
    "parity-bpe": parity_trainer.OPTIONS,
    "sentencepiece-bpe": sentencepiece_bpe_trainer.OPTIONS,
    "wordpiece": wordpiece_trainer.OPTIONS,
    "unigram": unigram_trainer.OPTIONS,
    "fsp-unigram": unigram_trainer.FINAL_STYLE_OPTIONS,
}

_NAMES: Final = {
    BYTE_LEVEL: ["pattern", "normalization", "special_tokens"],
    SUPERWORDS: ["pattern", "superword_pattern", "special_tokens"],
    WORDPIECE: ["lowercase", "special_tokens"],
    SENTENCEPIECE: [
        "normalization",
        "add_dummy_prefix",
        "remove_extra_whitespaces",
        "treat_whitespace_as_suffix",
        "split_by_unicode_script",
        "split_by_number",
        "split_by_whitespace",
        "split_digits",
        "allow_whitespace_only_pieces",
        "max_sentence_length",
        "byte_fallback",
        "control_symbols",
        "user_defined_symbols",
        "unk_piece",
        "bos_id",
        "bos_piece",
        "eos_id",
        "eos_piece",
        "pad_id",
        "pad_piece",
        "pretokenization_delimiter",
        "normalization_rule_tsv",
    ],
}
"""The options that counting depends on: for SentencePiece also the symbols, as the text is split there."""

_LATER: Final = ["pretokenization_delimiter", "normalization_rule_tsv"]
"""Options added later: a file without them has words counted with the defaults."""

_IDS: Final = {"bos_id": 1, "eos_id": 2, "pad_id": 3}
"""For these it only matters whether the symbol exists (an id of 0 or more): this id then stands for all."""

_SAMPLED: Final = "it chooses lines by their positions in the text, which counts do not have"
_ROWS_AT_A_TIME: Final = 1 << 13
_MOST_TEXTS: Final = 1 << 62


def counting_options(algorithm: str) -> list[str]:
    """Returns the names of the options that counting for an algorithm depends on.

    ValueError for an unknown algorithm.
    """
    return [*_NAMES[_family(algorithm)], INPUT_FORMAT.name]


def _family(algorithm: str) -> str:
    if algorithm == "boundless-bpe":
        raise ArgumentError(
            "BoundlessBPE joins neighbouring words, and counts do not have the order of the words: train it on the"
            " corpus."
        )
    if algorithm not in FAMILIES:
        raise ArgumentError(
            f"{algorithm!r} is not an algorithm to count for: choose one of {', '.join(FAMILIES)}."
        )
    return FAMILIES[algorithm]


@final
class WordCounts:
    """The distinct words of a corpus, and how often each occurs: all that training needs to know.

    A word is what ``algorithm`` counts: a pre-token in BPE and WordPiece; in SentencePiece's algorithms a word of its
    normalized lines, split where no piece can cross. For SuperBPE the regions of its second stage are counted too, the
    parts into which its second pattern splits the text: in total they are nearly as long as the text itself.

    ``options`` are those that counting depends on (`counting_options`), with their defaults; they are stored, and
    training with other values is refused. All other options can be chosen when training. With ``input_format`` as
    "tsv", each line of what is added is a text, a tab, and how often the text occurs (see `RowReader`); it is not an
    option of the counts.

    ``texts`` is how many texts and files were counted; ``len`` how many distinct words there are, ``total`` how many
    occurrences, ``byte_count`` the bytes of those. A distinct word takes 30 to 59 bytes of memory, and from 16 bytes on
    also its length plus 8, rounded up to eights; see ``memory``. In a file each takes 12 bytes plus the word.
    """

    def __init__(self, algorithm: str, **options: object) -> None:
        self.family = _family(algorithm)
        known = {option.name: option for option in _OPTIONS[algorithm]}
        names = _NAMES[self.family]
        self._rows = INPUT_FORMAT.checked(options.pop(INPUT_FORMAT.name, TEXT)) == ROWS
        for name in options:
            if name not in names:
                why = (
                    _SAMPLED
                    if name in ("input_sentence_size", "shuffle_input_sentence")
                    else "choose it when you train"
                    if name in known
                    else "leave it out"
                )
                raise TokenariumError(
                    f"Counting for {algorithm!r} has no option {name!r}: {why}. Its options are"
                    f" {', '.join(counting_options(algorithm))}."
                )
        self.options: dict[str, Value] = {}
        for name in names:
            value = known[name].checked(options.get(name, known[name].default))
            self.options[name] = _plain(name, value)
        if self.family == SENTENCEPIECE:
            self._refuse_names()
        self.texts: int = 0
        self.too_long: int = 0
        self.reserved: int = 0
        self._words = WordCounter(BertPreTokenizer())  # each `adding` sets what cuts its text
        self._regions = WordCounter(BertPreTokenizer())
        self._file: CountsFile | None = None  # what the tables do not have yet
        self._reader: CountsReader | None = None  # of that file, while it is read into the tables
        self._shared = False  # with a training, so that the tables must not change
        self._unfinished = False

    def _refuse_names(self) -> None:
        """Raises TokenariumError for invalid symbols."""
        SentencePieceTraining(
            **cast("dict[str, Any]", {**self.options, "normalization": "identity"})
        )

    def __len__(self) -> int:
        return int(self._words.distinct if self._file is None else self._file.words)

    def __repr__(self) -> str:
        return f"<WordCounts {self.family}: {self.total:,} words, {len(self):,} different>"

    @property
    def total(self) -> int:
        """How many words the corpus has."""
        return int(self._words.total if self._file is None else self._file.total)

    @property
    def byte_count(self) -> int:
        """How many bytes the words of the corpus have, normalized."""
        return int(self._words.byte_count if self._file is None else self._file.byte_count)

    @property
    def region_count(self) -> int:
        """How many distinct regions there are; 0 except for SuperBPE."""
        return int(self._regions.distinct if self._file is None else self._file.regions)

    @property
    def memory(self) -> int:
        """How many bytes the tables take; those of a file that is only loaded stay on disk."""
        return self._words.memory + self._regions.memory

    @property
    def full(self) -> bool:
        """Whether a table will soon be doubled, and briefly take three times its memory: a good time to `spill`."""
        return self._words.full or self._regions.full

    def add(self, texts: Iterable[str] = (), files: Sequence[str | os.PathLike[str]] = ()) -> None:
        """Counts texts, each a separate document, and UTF-8 files; see `adding` for progress, and for errors."""
        self.adding(texts, files).run()

    def adding(
        self, texts: Iterable[str] = (), files: Sequence[str | os.PathLike[str]] = ()
    ) -> CountJob:
        """Returns the counting of texts and files, to be run in steps.

        Until it is finished, these counts are incomplete, and cannot be saved, merged or trained from.
        Its steps raise FormatError for a file that is not UTF-8 and for an invalid row, if rows are read,
        NotAvailable for a file that cannot be read.
        """
        self._check_whole()
        self._own()
        if not self._rows:
            return CountJob(self, self._counting(texts, files))
        rows = RowReader(texts, files, [self._words, self._regions])
        return CountJob(self, TableCounting(self._counting(rows.texts(), ()), rows))

    def _counting(self, texts: Iterable[str], files: Sequence[str | os.PathLike[str]]) -> Counting:
        values = self.options
        words = self._words
        if self.family == SENTENCEPIECE:
            training = SentencePieceTraining(**cast("dict[str, Any]", values))
            return SentencePieceCounting(words, texts, files, training)
        if self.family == WORDPIECE:
            words.pre_tokenizer = BertPreTokenizer()
            return WordPieceCounting(
                words, texts, files, values["lowercase"] is True, _special_in(values)
            )
        words.pre_tokenizer = cutting(str(values["pattern"]))
        special = _special_in(values)
        if self.family == SUPERWORDS:
            self._regions.pre_tokenizer = cutting(str(values["superword_pattern"]))
            return SuperwordCounting(words, self._regions, texts, files, special)
        normalizer: Normalizer | None = None
        if values["normalization"] != "identity":
            normalizer = UnicodeNormalizer("NFC" if values["normalization"] == "nfc" else "NFKC")
        return ByteCounting(words, texts, files, special, normalizer)

    def merge(self, other: WordCounts) -> None:
        """Adds the counts of another corpus, counted with the same options; ArgumentError otherwise."""
        self._check_whole()
        other._check_whole()
        _check_alike(self.family, self.options, other.family, other.options)
        self._own()
        file = other._file
        if file is None:
            self._words.add_all(other._words)
            self._regions.add_all(other._regions)
        else:
            words = CountsReader(file, WORDS, 0)
            _read_rows(words, self._words, _MOST_TEXTS)
            _read_rows(CountsReader(file, REGIONS, words.at), self._regions, _MOST_TEXTS)
        self.texts += other.texts
        self.too_long += other.too_long
        self.reserved += other.reserved

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the counts to a file, completely or not at all: the usual suffix is ``.counts``.

        The file: ``TOKCOUNT``; a version (1) and the size of the header, 4 bytes each; the header, JSON with the family
        of algorithms, the options of counting and the totals; its CRC-32; then blocks of up to 32,768 words, sorted by
        their bytes: the kind of block, its number of rows, the bytes of their text, and a CRC-32 of the block; the
        counts, 8 bytes each; the lengths, 4 bytes each; the words. All numbers are little-endian. The last block has
        the numbers of words and of regions. `counts_file` has the details.

        Equal counts give equal files, whatever the order in which they were made. WriteError if the
        file cannot be written.
        """
        self._check_whole()
        self._write(path)

    def _write(self, path: str | os.PathLike[str]) -> None:
        writer = CountsWriter(Path(os.fspath(path)), self._header())
        try:
            file = self._file
            if file is None:
                writer.add_all(self._words)
                writer.end_section()
                writer.add_all(self._regions)
            else:
                words = CountsReader(file, WORDS, 0)
                merge_rows([words], writer)
                writer.end_section()
                merge_rows([CountsReader(file, REGIONS, words.at)], writer)
            writer.finish()
        finally:
            writer.drop()

    def _header(self) -> dict[str, Any]:
        return {
            "family": self.family,
            "options": self.options,
            "texts": self.texts,
            "too_long": self.too_long,
            "reserved": self.reserved,
        }

    @staticmethod
    def load(path: str | os.PathLike[str]) -> WordCounts:
        """Returns the counts of a file, which stays on disk until it is trained from or added to.

        All of it is checked. FormatError, with the position, for a file of another kind or version, or one
        that is truncated or modified; NotAvailable for one that cannot be read.
        """
        file = CountsFile(path)
        counts = _counts_of(file)
        file.check()
        if counts.family != SUPERWORDS and file.regions > 0:
            raise file.fault(f"it has regions, which {counts.family} does not have", file.first)
        counts._file = file
        return counts

    def spill(self, path: str | os.PathLike[str]) -> None:
        """Writes what was counted so far to a file, and clears it, so that a corpus of any size takes little memory.

        It may be called between two steps of an `adding`; at the end, `merge_files` merges all the files into one.
        """
        self._own()
        self._write(path)
        self._words.clear()
        self._regions.clear()
        self.texts = 0
        self.too_long = 0
        self.reserved = 0

    def listed(self) -> PreTokenCounts:
        """Returns the words in packed columns, the most frequent first."""
        self._read_all()
        return self._words.listed()

    def listed_regions(self) -> PreTokenCounts:
        """Returns the regions of SuperBPE in packed columns, the most frequent first; empty for other algorithms."""
        self._read_all()
        return self._regions.listed()

    def trained_options(self, algorithm: str, given: dict[str, object]) -> dict[str, object]:
        """Returns the options of a training from these counts: those given, and those used for counting.

        Raises ArgumentError if an algorithm cannot be trained from them, or an option contradicts them.
        """
        self._check_whole()
        family = _family(algorithm)
        if family != self.family and not (family == BYTE_LEVEL and self.family == SUPERWORDS):
            fitting = [name for name, kind in FAMILIES.items() if kind == self.family]
            if self.family == SUPERWORDS:
                fitting += [name for name, kind in FAMILIES.items() if kind == BYTE_LEVEL]
            raise ArgumentError(
                f"The counts are of {self.family} words, and {algorithm!r} needs {family} words: count the corpus"
                f" again with --algorithm {algorithm}, or train {' or '.join(fitting)}."
            )
        if given.get("input_sentence_size"):
            raise ArgumentError(
                f"input_sentence_size = {given['input_sentence_size']!r} cannot be used with counts: {_SAMPLED}."
            )
        known = {option.name: option for option in _OPTIONS[algorithm]}
        chosen = dict(given)
        for name in _NAMES[family]:
            counted = self.options[name] if name in self.options else known[name].default
            if name not in given:
                chosen[name] = counted
                continue
            value = _plain(name, known[name].checked(given[name]))
            if _unordered(value) != _unordered(counted):
                raise ArgumentError(
                    f"The words were counted with {name} = {counted!r}, and the training has {value!r}: leave the"
                    " option out, or count the corpus again with it."
                )
        return chosen

    def source(self) -> CountSource:
        """Returns a source of the counts for a trainer."""
        return _TableSource(self, None)

    def source_of(
        self, texts: Iterable[str], files: Sequence[str | os.PathLike[str]]
    ) -> CountSource:
        """Returns a source that counts texts and files, and then passes the counts to a trainer.

        See `adding` for errors.
        """
        return _TableSource(self, self.adding(texts, files))

    def _check_whole(self) -> None:
        if self._unfinished:
            raise TokenariumError(
                "A part of a corpus is in the counts, since its counting was not finished: finish it, or count again."
            )

    def _own(self) -> None:
        """Loads the tables completely, and makes them this object's own."""
        self._read_all()
        if self._shared:
            self._words = self._words.copied()
            self._regions = self._regions.copied()
            self._shared = False

    def _read_all(self) -> None:
        while self.read_on():
            pass

    def read_on(self) -> bool:
        """Reads some rows of a loaded file into memory; returns whether there are more."""
        file = self._file
        if file is None:
            return False
        reader = self._reader
        if reader is None:
            reader = CountsReader(file, WORDS, 0)
            self._reader = reader
        table = self._words if reader.kind == WORDS else self._regions
        if _read_rows(reader, table, _ROWS_AT_A_TIME):
            return True
        if reader.kind == WORDS:
            self._reader = CountsReader(file, REGIONS, reader.at)
            return True
        self._reader = None
        self._file = None
        return False


@final
class CountJob:
    """A corpus that is being counted: ``step`` until the progress is "finished".

    Meanwhile, `WordCounts.spill` is the only operation allowed on the ``counts``.
    """

    def __init__(self, counts: WordCounts, counting: Counting) -> None:
        self.counts = counts
        self.finished: bool = False
        self._counting = counting
        counts._unfinished = True

    @property
    def progress(self) -> Progress:
        """The progress, in bytes of files and characters of texts."""
        reader = self._counting.reader
        return Progress("counting", reader.done, reader.total, self.finished)

    @property
    def bytes_read(self) -> int:
        """The size in UTF-8 of everything read so far; a text is read completely before the next one."""
        return self._counting.reader.bytes

    def step(self, budget_ms: float) -> Progress:
        """Counts for about ``budget_ms`` milliseconds, and returns the progress; see `WordCounts.adding` for errors."""
        end = perf_counter() + budget_ms / 1000
        while self.advance() and perf_counter() < end:
            pass
        return self.progress

    def run(self) -> None:
        """Counts to the end."""
        while self.advance():
            pass

    def advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        if self.finished:
            return False
        counting = self._counting
        if counting.advance():
            return True
        counts = self.counts
        counts.texts += counting.reader.texts
        counts.too_long += counting.too_long
        counts.reserved += counting.reserved
        counts._unfinished = False
        self.finished = True
        return False


@final
class _TableSource(CountSource):
    """The tables of counts, once they are in memory; a ``job`` first fills them."""

    def __init__(self, counts: WordCounts, job: CountJob | None) -> None:
        super().__init__()
        self._counts = counts
        self._job = job
        self.total = job.progress.total if job is not None else len(counts) + counts.region_count

    def advance(self) -> bool:
        """Counts some words, or reads some rows if they are still in a file."""
        counts = self._counts
        job = self._job
        if job is not None and job.advance():
            progress = job.progress
            self.done, self.total = progress.done, progress.total
            return True
        if self.reads_file and counts._file is not None and counts._reader is None:
            self.file = counts._file
            self.done = self.total
            return False
        if counts.read_on():
            self.done = int(counts._words.distinct + counts._regions.distinct)
            return True
        self.words = counts._words
        self.regions = counts._regions
        self.too_long = counts.too_long
        self.reserved = counts.reserved
        self.done = self.total
        counts._shared = True
        return False


def count(
    algorithm: str,
    corpus: Iterable[str] = (),
    files: Sequence[str | os.PathLike[str]] = (),
    **options: object,
) -> WordCounts:
    """Returns the counts of texts, each a separate document, and UTF-8 files, for an algorithm of `ALGORITHMS`.

    The options are those that counting depends on, see `counting_options`. Raises TokenariumError for others and for
    impossible values, FormatError for a file that is not UTF-8, NotAvailable for one that cannot be read.
    """
    counts = WordCounts(algorithm, **options)
    counts.add(corpus, files)
    return counts


def merge_files(paths: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str]) -> None:
    """Merges the counts of several files into one, with one block of each in memory (about a megabyte).

    Their rows are sorted, so they are merged as they are read. The files must have the same options. Raises
    ArgumentError for files with different ones, FormatError for a broken one; ``out`` is then unchanged.
    """
    if not paths:
        raise ArgumentError("There are no counts to merge: name their files.")
    files = [CountsFile(path) for path in paths]
    merged = _counts_of(files[0])
    for file in files[1:]:
        other = _counts_of(file)
        _check_alike(merged.family, merged.options, other.family, other.options, file.path)
        merged.texts += other.texts
        merged.too_long += other.too_long
        merged.reserved += other.reserved
    writer = CountsWriter(Path(os.fspath(out)), merged._header())
    try:
        words = [CountsReader(file, WORDS, 0) for file in files]
        merge_rows(words, writer)
        writer.end_section()
        regions = [
            CountsReader(file, REGIONS, reader.at)
            for file, reader in zip(files, words, strict=True)
        ]
        merge_rows(regions, writer)
        for first, second in zip(words, regions, strict=True):
            second.check_end(first.rows, second.rows)
        writer.finish()
    finally:
        writer.drop()


def _counts_of(file: CountsFile) -> WordCounts:
    """Returns counts with the options and totals of a file's header, without words; FormatError if it is invalid."""
    header = file.header
    family = header.get("family")
    options = header.get("options")
    names = {kind: name for name, kind in FAMILIES.items()}
    if not isinstance(family, str) or family not in names:
        raise file.fault(f"the family {family!r} is not known", 16)
    if family == WORDPIECE and isinstance(options, dict):
        options = {"special_tokens": SPECIAL, **options}  # older files have none
    if (
        not isinstance(options, dict)
        or set(options) - set(_NAMES[family])
        or set(_NAMES[family]) - {*options, *_LATER}
    ):
        raise file.fault(f"the options are not those of {family}", 16)
    try:
        counts = WordCounts(names[family], **options)
    except FormatError:
        raise
    except TokenariumError as error:
        raise file.fault(f"an option is impossible ({error})", 16) from error
    numbers: list[int] = []
    for name in ("texts", "too_long", "reserved"):
        number = header.get(name)
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < _MOST_TEXTS:
            raise file.fault(f"{name} is {number!r}", 16)
        numbers.append(number)
    counts.texts, counts.too_long, counts.reserved = numbers
    return counts


def _check_alike(
    family: str,
    options: dict[str, Value],
    other_family: str,
    others: dict[str, Value],
    where: str = "the other counts",
) -> None:
    """Raises ArgumentError, with both values, unless two counts were made with the same options."""
    if family != other_family:
        raise ArgumentError(
            f"Counts of {family} words and of {other_family} words cannot be merged ({where}): count both for one"
            " algorithm."
        )
    for name, value in options.items():
        if others[name] != value:
            raise ArgumentError(
                f"Counts with {name} = {value!r} and with {name} = {others[name]!r} cannot be merged ({where}): count"
                " one of them again."
            )


def _special_in(options: dict[str, Value]) -> list[str]:
    return cast("list[str]", options["special_tokens"])


def _plain(name: str, value: Value) -> Value:
    """Returns the canonical value among those that count alike."""
    if name in _IDS and isinstance(value, int):
        return -1 if value < 0 else _IDS[name]
    return value


def _unordered(value: Value) -> Value:
    return sorted(value) if isinstance(value, list) else value


def _read_rows(reader: CountsReader, table: WordCounter, most: i64) -> bool:
    """Counts some rows of a file in a table; returns whether there are more."""
    rows: i64 = 0
    while rows < most:
        if not reader.next_row():
            return False
        table.add_counted(reader.data, reader.start, reader.start + reader.size, reader.count)
        rows += 1
    return True
