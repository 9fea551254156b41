"""A corpus as ids on the disk: shards in the layouts that trainers read, and a manifest that says what is in them.

A corpus is divided into shards before anything is encoded, by its parts alone. So the shards are the same with any
number of workers, and each is written whole or not at all: an interrupted run continues with those that are missing.

The layouts are in `shard_layouts`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np

import tokenarium_core as tc
from tokenarium.models.corpora.encoding_order import EncodingOrder, open_for
from tokenarium.models.corpora.shard_layouts import (
    Ids,
    little,
    shard_writer,
    stored_documents,
)
from tokenarium.models.files import RECORD_BYTES
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.training.corpus_files import CorpusSource, Skipped
from tokenarium.models.training.corpus_parts import (
    PART,
    CorpusPart,
    check_unchanged,
    part_documents,
    parts_of,
)
from tokenarium.models.training.corpus_reports import FileReport
from tokenarium.models.training.corpus_urls import is_url
from tokenarium_core.padded_text import utf8_size
from tokenarium_core.plain_files import open_file, read_file
from tokenarium_core.whole_files import write_files

MANIFEST: Final = "manifest.json"

VERSION: Final = 1
"""Of the manifest and of the records of shards."""

SHARD_BYTES: Final = 256 << 20
"""Bytes of the corpus, as it is on the disk, for a shard: parts are added until there are so many."""

LARGEST_TEXT: Final = 1 << 26
"""Characters that are encoded at once. A longer document is encoded in pieces that end at line ends; so is a text file
of more than `PART` bytes, which nothing is put between."""

_FLUSH: Final = 1 << 16
"""Ids that are gathered before they are written: they are hashed and written while they are in a near cache."""

_AT_ONCE: Final = 1 << 17
"""Characters of a plain text that are read at a time: they stay in the caches of the processor until they are ids."""

_REPORT_BYTES: Final = 1 << 20

_SAMPLE: Final = 200
"""Documents of a shard that are compared with their texts by `check_shard`."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Some parts of a corpus, whose documents go into one shard."""

    number: int
    parts: tuple[CorpusPart, ...]

    @property
    def size(self) -> int:
        """Bytes of its parts on the disk."""
        return sum(part.size for part in self.parts)

    @property
    def stem(self) -> str:
        """What the names of its files begin with."""
        return f"tokens-{self.number:05}"


@dataclass(slots=True)
class ShardRecord:
    """What one shard holds, and of what it was made. ``order`` is `order_digest`; sums count what was written."""

    number: int
    order: str
    files: list[dict[str, Any]] = field(default_factory=list)
    sources: list[dict[str, Any]] = field(default_factory=list)
    documents: int = 0
    tokens: int = 0
    characters: int = 0
    bytes: int = 0  # of the text, as UTF-8
    in_pieces: int = 0  # documents longer than `LARGEST_TEXT`, or that continue from the shard or the part before
    left_out: int = 0  # documents that cannot be encoded
    lines_left_out: int = 0  # lines and rows that cannot be read

    @property
    def notes(self) -> list[str]:
        """Sentences on what was not read as it is, with its file."""
        return [f"{source['path']}: {source['note']}" for source in self.sources if source["note"]]


def corpus_parts(
    sources: Iterable[CorpusSource], size: int = 0
) -> tuple[list[CorpusPart], list[Skipped]]:
    """Returns the parts of a corpus, each file of a source once, and what of it is left out.

    ``size``: bytes of a part where a file can be divided; 0: `PART`. Paths are made absolute, since a worker may have
    another folder.
    """
    parts: list[CorpusPart] = []
    skipped: list[Skipped] = []
    for source in sources:
        source.check()
        if source.kind in ("file", "folder", "glob") and not is_url(source.value):
            source = replace(source, value=os.path.abspath(source.value))
        for part in parts_of(source, size or PART):
            if isinstance(part, Skipped):
                skipped.append(part)
            else:
                parts.append(part)
    return parts, skipped


def shards_of(parts: Iterable[CorpusPart], size: int = SHARD_BYTES) -> list[Shard]:
    """Divides parts into shards of at least ``size`` bytes, except for the last; in the order of the parts."""
    return [Shard(number, group) for number, group in enumerate(grouped(parts, size))]


def grouped(parts: Iterable[CorpusPart], size: int) -> Iterator[tuple[CorpusPart, ...]]:
    """Yields parts in groups of at least ``size`` bytes, in their order; the last group may be smaller."""
    waiting: list[CorpusPart] = []
    total = 0
    for part in parts:
        waiting.append(part)
        total += part.size
        if total >= size:
            yield tuple(waiting)
            waiting, total = [], 0
    if waiting:
        yield tuple(waiting)


def prepare_folder(order: EncodingOrder, shards: Sequence[Shard]) -> None:
    """Makes the folder; TokenariumError if it holds shards of another corpus, tokenizer or layout."""
    out = Path(order.folder)
    out.mkdir(parents=True, exist_ok=True)
    remove_parts(out)
    others = list(out.glob("tokens-*.json"))
    if others and not any(finished(order, shard) for shard in shards):
        raise tc.TokenariumError(
            f"{out} holds the shards of another run, with a different corpus, tokenizer or option. Choose another folder, or empty it."
        )


def remove_parts(folder: Path) -> None:
    """Removes what ended workers have left of shards that are not whole."""
    for path in folder.glob(".tokens-*.part"):
        with suppress(OSError):
            path.unlink()


def remove_shard(order: EncodingOrder, shard: Shard, record: ShardRecord) -> None:
    """Removes the files of a shard, its record first: without the record they are not a shard."""
    for name in (f"{shard.stem}.json", *[file["name"] for file in record.files]):
        with suppress(OSError):
            Path(order.folder, name).unlink()


def order_digest(order: EncodingOrder, shard: Shard) -> str:
    """Returns a digest of all that decides what is in a shard; the folder does not."""
    made = asdict(order)
    del made["folder"], made["tokenizer"], made["name"], made["pattern"]
    made["version"] = VERSION
    made["parts"] = [part.identity for part in shard.parts]
    return hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()


def finished(order: EncodingOrder, shard: Shard) -> ShardRecord | None:
    """Returns the record of a shard that is already in the folder, of the same order and parts; else None."""
    record = read_record(Path(order.folder, f"{shard.stem}.json"))
    if record is None or record.order != order_digest(order, shard):
        return None
    for file in record.files:
        try:
            if Path(order.folder, file["name"]).stat().st_size != file["size"]:
                return None
        except OSError:
            return None
    return record


def read_record(path: Path) -> ShardRecord | None:
    """Returns the record in a file; None if there is none, or the file is not one."""
    try:
        return ShardRecord(**json.loads(read_file(path, RECORD_BYTES)))
    except (OSError, ValueError, TypeError):
        return None


def write_shard(
    order: EncodingOrder,
    shard: Shard,
    progressed: Callable[[tuple[int, int]], object] = bool,
) -> ShardRecord:
    """Encodes the parts of a shard, and writes it with its record.

    ``progressed`` is called with the bytes of them that are read so far, and the tokens. Raises TokenariumError if the
    tokenizer does not open, a file has changed, or nothing can be written; what is wrong with a file of the corpus is
    in the record.
    """
    tokenizer = open_for(order)
    tokenizer.expect(shard.size)
    record = ShardRecord(shard.number, order_digest(order, shard))
    for part in shard.parts:
        check_unchanged(part)
    writer = shard_writer(_path(order, shard), order.layout, order.dtype)
    encoder = _Encoder(tokenizer, order)
    gathered = _GatheredIds(order.dtype)
    lengths: list[int] = []
    reported = 0
    try:
        for documents, read in _at_once(_texts(shard, record)):
            lengths += encoder(documents, gathered, record)
            if gathered.count >= _FLUSH:
                record.tokens += gathered.count
                writer.add(gathered.take_ids(), lengths)
                lengths = []
            if read() - reported >= _REPORT_BYTES:
                reported = read()
                progressed((reported, record.tokens + gathered.count))
        record.tokens += gathered.count
        writer.add(gathered.take_ids(), lengths)
        record.files = writer.finish()
    except BaseException:
        writer.drop()
        raise
    write_files({Path(order.folder, f"{shard.stem}.json"): _json(asdict(record))})
    return record


class _DocumentText:
    """A long document as it is read; ``begins`` and ``ends``: whether it has its beginning and its end.

    Each of its ``pieces`` is encoded alone; usually there is one. Each comes in parts, and can be read once.
    """

    __slots__ = ("begins", "ends", "pieces")

    def __init__(
        self, pieces: Iterable[Iterable[str]], begins: bool = True, ends: bool = True
    ) -> None:
        self.pieces = pieces
        self.begins = begins
        self.ends = ends


class _GatheredIds:
    """The ids of documents, one after the other, in memory that is reused, since allocating memory takes time."""

    def __init__(self, dtype: str) -> None:
        self.count = 0
        self._ids: Ids = np.empty(_FLUSH, little(dtype))

    def add(self, ids: Ids | Sequence[int]) -> None:
        """Appends ids, in the type that is written."""
        stop = self.count + len(ids)
        if stop > len(self._ids):
            larger = np.empty(max(stop, 2 * len(self._ids)), self._ids.dtype)
            larger[: self.count] = self._ids[: self.count]
            self._ids = larger
        self._ids[self.count : stop] = ids
        self.count = stop

    def take_ids(self) -> Ids:
        """Returns all ids, valid up to the next call of `add`, and begins again."""
        count, self.count = self.count, 0
        return self._ids[:count]


class _Encoder:
    """Encodes documents, with the ids around them."""

    def __init__(self, tokenizer: tc.Tokenizer, order: EncodingOrder) -> None:
        self._tokenizer = tokenizer
        self._order = order

    def __call__(
        self, documents: list[str] | _DocumentText, gathered: _GatheredIds, record: ShardRecord
    ) -> list[int]:
        """Adds the ids of documents, and counts them; returns how many ids each has.

        One that cannot be encoded has none, and is only counted as left out.
        """
        if isinstance(documents, _DocumentText):
            texts = [documents]
        else:
            if not self._order.special:
                try:
                    return self._encode_short(documents, gathered, record)
                except (tc.TokenariumError, UnicodeError):
                    pass  # one of them cannot be encoded
            texts = [_DocumentText([(document,)]) for document in documents]
        lengths = []
        for text in texts:
            start = gathered.count
            try:
                self._encode(text, gathered, record)
            except (tc.TokenariumError, UnicodeError):
                gathered.count = start
                record.left_out += 1
                continue
            lengths.append(gathered.count - start)
        return lengths

    def _encode_short(
        self, texts: list[str], gathered: _GatheredIds, record: ShardRecord
    ) -> list[int]:
        order = self._order
        id_counts = self._tokenizer.encode_texts(texts, order.before, order.after)
        gathered.add(array_of(id_counts.ids))
        record.documents += len(texts)
        record.characters += sum(map(len, texts))
        record.bytes += id_counts.bytes
        lengths: list[int] = array_of(id_counts.lengths).tolist()
        return lengths

    def _encode(self, text: _DocumentText, gathered: _GatheredIds, record: ShardRecord) -> None:
        pieces = characters = size = 0
        if text.begins:
            gathered.add(self._order.before)
        for piece in text.pieces:
            pieces += 1
            if self._order.special:
                whole = "".join(piece)
                characters += len(whole)
                size += utf8_size(whole)
                gathered.add(array_of(self._tokenizer.encode(whole, special="all").ids))
                continue
            stream = tc.EncodeStream(self._tokenizer)
            for part in piece:
                characters += len(part)
                if len(ids := stream.add(part)):
                    gathered.add(array_of(ids))
            gathered.add(array_of(stream.finish()))
            size += stream.bytes
        if text.ends:
            gathered.add(self._order.after)
        record.documents += text.begins
        record.in_pieces += pieces > 1 or not text.begins
        record.characters += characters
        record.bytes += size


Reading = Callable[[], int]
"""Reports how many bytes of the shard's parts have been read."""


def _at_once(
    texts: Iterable[tuple[str | _DocumentText, Reading]],
) -> Iterator[tuple[list[str] | _DocumentText, Reading]]:
    """Yields long documents, and lists of others, with about as many characters as are worth a call of the tokenizer."""
    waiting: list[str] = []
    length = 0
    read: Reading = int
    for text, read in texts:
        if isinstance(text, str):
            waiting.append(text)
            length += len(text)
            if length < _AT_ONCE:
                continue
        if waiting:
            yield waiting, read
            waiting, length = [], 0
        if not isinstance(text, str):
            yield text, read
    if waiting:
        yield waiting, read


def _texts(shard: Shard, record: ShardRecord) -> Iterator[tuple[str | _DocumentText, Reading]]:
    """Yields each document of a shard."""
    before = 0
    for part in shard.parts:
        source: dict[str, Any] = {"path": part.name, "size": part.size, "documents": 0, "note": ""}
        record.sources.append(source)
        report = FileReport(part.file) if part.file is not None else None

        def read(report: FileReport | None = report, before: int = before) -> int:
            return before + (report.read if report is not None else 0)

        texts = part_documents(part, report, _AT_ONCE)
        plain = part.file is None or part.file.form == "text"
        for text in _joined(part, texts) if plain else texts:
            yield text, read
        if report is not None:
            source["documents"] = report.documents
            source["note"] = report.note
            record.lines_left_out += report.bad_lines
        before += part.size


def _joined(part: CorpusPart, texts: Iterator[str]) -> Iterator[_DocumentText]:
    """Yields the one document of a plain text, or of a section of it, if there is any text."""
    first = next(texts, "")
    last = part.file is None or part.stop is None or part.stop >= part.file.size
    if first:
        yield _DocumentText(_pieces(first, texts), part.start == 0, last)


def _pieces(first: str, texts: Iterator[str]) -> Iterator[Iterator[str]]:
    """Yields texts in pieces of up to `LARGEST_TEXT`; each has to be read to its end before the next."""
    following = first

    def piece() -> Iterator[str]:
        nonlocal following
        length = 0
        while following and (not length or length + len(following) <= LARGEST_TEXT):
            length += len(following)
            yield following
            following = next(texts, "")

    while following:
        yield piece()


def write_manifest(
    order: EncodingOrder, records: Sequence[ShardRecord], skipped: Sequence[Skipped] = ()
) -> Path:
    """Writes what is in the folder, and returns the path: tokenizer, layout, sums, the record of each shard.

    ``skipped`` are the files that were not read at all.
    """
    path = Path(order.folder, MANIFEST)
    sums = ("documents", "tokens", "characters", "bytes", "in_pieces", "left_out", "lines_left_out")
    manifest = {
        "format": "tokenarium-encoded-corpus",
        "version": VERSION,
        "tokenizer": {
            "name": order.name,
            "sha256": order.fingerprint,
            "vocab_size": order.vocab_size,
        },
        "layout": order.layout,
        "dtype": order.dtype,
        "before_each_document": list(order.before),
        "after_each_document": list(order.after),
        "special_tokens_in_text": order.special,
        "total": {name: sum(getattr(record, name) for record in records) for name in sums},
        "skipped": [{"path": file.place, "reason": file.reason} for file in skipped],
        "shards": [asdict(record) for record in sorted(records, key=lambda one: one.number)],
    }
    write_files({path: _json(manifest)})
    return path


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode(
        "utf-8", "surrogateescape"
    )


def documents_of(order: EncodingOrder, shard: Shard) -> Iterator[Ids]:
    """Yields the ids of each document in a shard, read from its files."""
    return stored_documents(_path(order, shard), order.layout, order.dtype)


def _path(order: EncodingOrder, shard: Shard) -> Path:
    return Path(order.folder, shard.stem)


@dataclass(slots=True)
class ShardCheck:
    """What `check_shard` found: documents compared, those whose ids differ, and those that decode to another text."""

    number: int
    compared: int = 0
    differing: int = 0
    other_text: int = (
        0  # their ids are right, but the tokenizer normalizes, or the text is not valid Unicode
    )
    faults: list[str] = field(default_factory=list)


def check_shard(order: EncodingOrder, shard: Shard, sample: int = _SAMPLE) -> ShardCheck:
    """Compares the hashes of a shard's files with its record, and a sample of its documents with the corpus.

    Of each document in the sample, the ids on the disk must be those of the text, and are decoded. The sample is spread
    evenly; it always has the first document.
    """
    check = ShardCheck(shard.number)
    record = finished(order, shard)
    if record is None:
        check.faults.append(f"{shard.stem}: it is missing, or was made from different files.")
        return check
    for file in record.files:
        with open_file(Path(order.folder, file["name"])) as content:
            if hashlib.file_digest(content, "sha256").hexdigest() != file["sha256"]:
                check.faults.append(f"{file['name']}: its SHA-256 is not the recorded one.")
    tokenizer = open_for(order)
    every = max(record.documents // max(sample, 1), 1)
    encoder = _Encoder(tokenizer, order)
    stored = documents_of(order, shard)
    number = 0
    gathered = _GatheredIds(order.dtype)
    again = ShardRecord(0, "")
    for document, _ in _texts(shard, again):
        text = _DocumentText([(document,)]) if isinstance(document, str) else document
        compared = number % every == 0 or record.left_out > 0
        pieces = [tuple(piece) for piece in text.pieces] if compared else []
        gathered.count = 0
        if compared and not encoder(_DocumentText(pieces, text.begins, text.ends), gathered, again):
            continue
        there = next(stored, None)
        number += 1
        if there is None:
            check.faults.append(f"{shard.stem}: it has fewer documents than the corpus.")
            return check
        if not compared:
            continue
        check.compared += 1
        if not np.array_equal(there, gathered.take_ids()):
            check.differing += 1
            continue
        first = len(order.before) * text.begins
        inner = there[first : len(there) - len(order.after) * text.ends]
        check.other_text += tokenizer.decode(inner.tolist()) != "".join(chain(*pieces))
    if next(stored, None) is not None:
        check.faults.append(f"{shard.stem}: it has more documents than the corpus.")
    if check.differing:
        check.faults.append(
            f"{shard.stem}: the ids of {check.differing:,} documents do not match their texts."
        )
    return check
