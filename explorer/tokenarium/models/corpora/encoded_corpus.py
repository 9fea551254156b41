"""A corpus as ids on the disk: shards in the layouts that trainers read, and a manifest that says what is in them.

A corpus is divided into shards before anything is encoded, by its parts alone. So the shards are the same with any
number of workers, and each is written whole or not at all: an interrupted run goes on with those that are missing.

Layouts:

- ``bin``: the ids of all documents one after the other, as little-endian ``uint16`` or ``uint32``, which nanoGPT reads
  with ``numpy.memmap``; beside it ``.offsets.npy``, the ``int64`` places in ids where the documents begin, and the end.
- ``megatron``: the ``.bin`` and ``.idx`` of Megatron-LM's ``IndexedDataset`` (``megatron/core/datasets/
  indexed_dataset.py``, version 1): ``uint16`` below 65,500 ids, else ``int32``.
- ``parquet``: a row for each document, its ids in the column ``input_ids``; needs pyarrow.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.installation import how_to_get
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.training.corpus_documents import SECTION
from tokenarium.models.training.corpus_files import CorpusSource, Skipped
from tokenarium.models.training.corpus_parts import (
    CorpusPart,
    check_unchanged,
    part_documents,
    parts_of,
)
from tokenarium.models.training.corpus_reports import FileReport
from tokenarium.models.training.corpus_urls import is_url
from tokenarium_core.whole_files import WholeFile, write_files

LAYOUTS: Final = ("bin", "megatron", "parquet")

MANIFEST: Final = "manifest.json"

VERSION: Final = 1
"""Of the manifest and of the records of shards."""

SHARD_BYTES: Final = 256 << 20
"""Bytes of the corpus, as it is on the disk, for a shard: parts of `SECTION` or more are added until there are so many."""

LARGEST_TEXT: Final = 1 << 26
"""Characters that are encoded at once. A longer document is encoded in pieces that end at line ends; so is a text file
of more than `SECTION` bytes, which nothing is put between."""

_MOST_NAMED: Final = 8
"""Special tokens that a sentence names."""

_FLUSH: Final = 1 << 20
"""Ids that are gathered before they are written."""

_WRITTEN: Final = 1 << 18
"""Bytes that are hashed and written at a time: they stay in the caches of the processor."""

_LONG: Final = 1 << 14
"""Ids of a document that are written without being joined to others first."""

_REPORT_BYTES: Final = 1 << 20

_SAMPLE: Final = 200
"""Documents of a shard that are compared with their texts by `check_shard`."""

_MEGATRON_HEADER: Final = b"MMIDIDX\x00\x00"
_MEGATRON_CODES: Final = {"int32": 4, "uint16": 8}
_MEGATRON_SMALL: Final = 65_500
"""Fewer ids than this are ``uint16`` there: ``DType.optimal_dtype``."""

Ids = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class EncodingOrder:
    """How a corpus is written as ids.

    ``tokenizer`` is what `tokenarium_core.open` opens; ``fingerprint`` that of the tokenizer that is meant. ``before``
    and ``after`` are the ids around each document. With ``special``, special tokens in the text become their ids.
    """

    tokenizer: str
    name: str
    fingerprint: str
    vocab_size: int
    folder: str
    layout: str = "bin"
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    special: bool = False
    pattern: str = ""  # of a tokenizer whose file does not say how a text is cut

    @property
    def dtype(self) -> str:
        """The type of the ids, as numpy names it."""
        if self.layout == "megatron":
            return "uint16" if self.vocab_size < _MEGATRON_SMALL else "int32"
        return "uint16" if self.vocab_size <= 1 << 16 else "uint32"


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
    in_pieces: int = (
        0  # documents longer than `LARGEST_TEXT`, or that go on from the shard or the part before
    )
    left_out: int = 0  # documents that cannot be encoded

    @property
    def notes(self) -> list[str]:
        """Sentences on what was not read as it is, with its file."""
        return [f"{one['path']}: {one['note']}" for one in self.sources if one["note"]]


def corpus_parts(sources: Iterable[CorpusSource]) -> tuple[list[CorpusPart], list[Skipped]]:
    """Returns the parts of a corpus, each file of a source once, and what of it is left out.

    Paths are made absolute, since a worker may have another folder.
    """
    parts: list[CorpusPart] = []
    skipped: list[Skipped] = []
    for source in sources:
        source.check()
        if source.kind in ("file", "folder", "glob") and not is_url(source.value):
            source = replace(source, value=os.path.abspath(source.value))
        for one in parts_of(source, SECTION):
            if isinstance(one, Skipped):
                skipped.append(one)
            else:
                parts.append(one)
    return parts, skipped


def shards_of(parts: Iterable[CorpusPart], size: int = SHARD_BYTES) -> list[Shard]:
    """Divides parts into shards of at least ``size`` bytes, the last one aside; in the order of the parts."""
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


def tokenizer_fingerprint(tokenizer: tc.Tokenizer) -> str:
    """Returns a digest of all pieces of a tokenizer with their ids, and of what it does with a text that has all kinds.

    Two tokenizers with the same fingerprint have the same vocabulary; rules that only a rare text shows may differ.
    """
    digest = hashlib.sha256()
    vocabulary = tokenizer.vocabulary
    for token in range(len(vocabulary)):
        piece = vocabulary.piece(token)
        digest.update(len(piece).to_bytes(4, "little"))
        digest.update(piece)
    digest.update(json.dumps(sorted(tokenizer.special_tokens.items())).encode())
    digest.update(array_of(tokenizer.encode_buffer(_KINDS)).tobytes())
    return digest.hexdigest()


_KINDS: Final = "It's 12,345 — naïve CAFÉ…\n\n\tdef f(x): return x\r\n ｶﾅ 東京 नमस्ते مرحبا Ωµ 👩🏽‍🚀 e\u0301  \u00a0."
"""Cases, contractions, numbers, blanks, line ends, widths, marks, scripts, emoji: what pre-tokenizers and normalizers change."""


def open_for(order: EncodingOrder) -> tc.Tokenizer:
    """Returns the tokenizer of an order, opened once in a process; TokenariumError where another one is found."""
    return opened_tokenizer(order.tokenizer, order.fingerprint, order.pattern)


def opened_tokenizer(source: str, fingerprint: str, pattern: str = "") -> tc.Tokenizer:
    """Returns the tokenizer that a source opens, opened once in a process; TokenariumError where it is another one."""
    key = (source, fingerprint)
    if key not in _opened:
        tokenizer = tc.open(source, pattern=pattern or None)
        if tokenizer_fingerprint(tokenizer) != fingerprint:
            raise tc.TokenariumError(
                f"{source} is not the tokenizer that was meant where it is opened now: its vocabulary differs."
                " Put the same file there on every machine."
            )
        while len(_opened) >= MOST_OPENED:
            del _opened[next(iter(_opened))]
        _opened[key] = tokenizer
    return _opened[key]


MOST_OPENED: Final = 16
"""Tokenizers that a process keeps open."""

_opened: dict[tuple[str, str], tc.Tokenizer] = {}


def encoding_order(
    opened: tc.Tokenizer,
    source: str,
    folder: Path,
    layout: str = "bin",
    end: str | None = None,
    bos: bool = False,
    special: bool = False,
    pattern: str = "",
) -> EncodingOrder:
    """Returns how a corpus is written with a tokenizer, which ``source`` opens in any process.

    ``end`` is the special token after each document, its id, "none", or None: the tokenizer's own end of text.
    TokenariumError for a layout or a token that there is not.
    """
    if layout not in LAYOUTS:
        raise tc.TokenariumError(f"“{layout}” is no layout: there is {', '.join(LAYOUTS)}.")
    ends = opened.ends
    if bos and not ends.bos:
        raise tc.TokenariumError(
            f"{opened.name} has no token for the beginning of a text: leave --bos out."
        )
    return EncodingOrder(
        source,
        opened.name,
        tokenizer_fingerprint(opened),
        _id_count(opened),
        os.path.abspath(folder),
        layout,
        tuple(ends.bos if bos else ()),
        _end(opened, end),
        special,
        pattern,
    )


def _id_count(opened: tc.Tokenizer) -> int:
    """Returns the number of ids, with those of special tokens after the vocabulary."""
    return max(len(opened.vocabulary), *(one + 1 for one in opened.special_tokens.values()), 1)


def _end(opened: tc.Tokenizer, end: str | None) -> tuple[int, ...]:
    """Returns the ids after each document."""
    if end == "none":
        return ()
    if end is None:
        if not opened.ends.eos:
            raise tc.TokenariumError(
                f"{opened.name} has no token for the end of a text: name one by --end, or write --end none."
            )
        return tuple(opened.ends.eos)
    if end in opened.special_tokens:
        return (opened.special_tokens[end],)
    if end.isdecimal() and int(end) < _id_count(opened):
        return (int(end),)
    known = ", ".join(list(opened.special_tokens)[:_MOST_NAMED]) or "no special tokens"
    raise tc.TokenariumError(
        f"“{end}” is no special token of {opened.name}, and no id: it has {known}."
    )


def prepare_folder(order: EncodingOrder, shards: Sequence[Shard]) -> None:
    """Makes the folder; TokenariumError where it holds shards of another corpus, tokenizer or layout."""
    out = Path(order.folder)
    out.mkdir(parents=True, exist_ok=True)
    remove_parts(out)
    others = list(out.glob("tokens-*.json"))
    if others and not any(finished(order, shard) for shard in shards):
        raise tc.TokenariumError(
            f"{out} holds the shards of another run: another corpus, tokenizer or option. Choose another folder, or empty it."
        )


def remove_parts(folder: Path) -> None:
    """Removes what ended workers have left of shards that are not whole."""
    for path in folder.glob(".tokens-*.part"):
        with suppress(OSError):
            path.unlink()


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
    """Returns the record in a file; None where there is none, or the file is not one."""
    try:
        return ShardRecord(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write_shard(
    order: EncodingOrder,
    shard: Shard,
    progressed: Callable[[tuple[int, int]], object] = bool,
) -> ShardRecord:
    """Encodes the parts of a shard, and writes it with its record.

    ``progressed`` is called with the bytes of them that are read so far, and the tokens. Raises TokenariumError where the tokenizer does
    not open, a file has changed, or nothing can be written; what is wrong with a file of the corpus is in the record.
    """
    tokenizer = open_for(order)
    record = ShardRecord(shard.number, order_digest(order, shard))
    for part in shard.parts:
        check_unchanged(part)
    writer = _writer(order, shard)
    encoder = _Encoder(tokenizer, order)
    try:
        gathered: list[Ids] = []
        lengths: list[int] = []
        count = 0
        reported = 0
        for text, read in _texts(shard, record):
            try:
                whole = encoder(text)
            except (tc.TokenariumError, UnicodeError):
                record.left_out += 1
                continue
            length = 0
            for ids in whole:
                length += len(ids)
            gathered += whole
            lengths.append(length)
            count += length
            record.documents += text.begins
            record.in_pieces += len(text.pieces) > 1 or not text.begins
            for piece in text.pieces:
                record.characters += len(piece)
            if count >= _FLUSH:
                record.tokens += count
                writer.add(gathered, lengths)
                gathered, lengths, count = [], [], 0
            if read - reported >= _REPORT_BYTES:
                reported = read
                progressed((read, record.tokens + count))
        record.tokens += count
        writer.add(gathered, lengths)
        record.files = writer.finish()
    except BaseException:
        writer.drop()
        raise
    write_files({Path(order.folder, f"{shard.stem}.json"): _json(asdict(record))})
    progressed((shard.size, record.tokens))
    return record


@dataclass(slots=True)  # not frozen: that takes longer to make, and there are millions
class _DocumentText:
    """A document, mostly in one piece; ``begins`` and ``ends``: whether it has its beginning and its end."""

    pieces: list[str]
    begins: bool = True
    ends: bool = True


class _Encoder:
    """Makes the ids of documents, with those around them, in the type that is written."""

    def __init__(self, tokenizer: tc.Tokenizer, order: EncodingOrder) -> None:
        self._tokenizer = tokenizer
        self._special = order.special
        self._dtype = order.dtype
        self._before = np.array(order.before, _little(order.dtype))
        self._after = np.array(order.after, _little(order.dtype))

    def __call__(self, text: _DocumentText) -> list[Ids]:
        """Returns arrays to be joined."""
        found = [self._before] if text.begins and len(self._before) else []
        for piece in text.pieces:
            ids = (
                self._tokenizer.encode(piece, special="all").ids
                if self._special
                else self._tokenizer.encode_buffer(piece)
            )
            found.append(_narrowed(array_of(ids), self._dtype))
        if text.ends and len(self._after):
            found.append(self._after)
        return found


def _narrowed(ids: Ids, dtype: str) -> Ids:
    """Returns ids in the type they are written in, in the same memory where that is as wide."""
    if dtype == "uint32" and sys.byteorder == "little":
        return ids.view(np.uint32)
    return ids.astype(_little(dtype), copy=False)


def _texts(shard: Shard, record: ShardRecord) -> Iterator[tuple[_DocumentText, int]]:
    """Yields each document, with the bytes of the shard's parts that are read so far."""
    before = 0
    for part in shard.parts:
        source: dict[str, Any] = {"path": part.name, "size": part.size, "documents": 0, "note": ""}
        record.sources.append(source)
        report = FileReport(part.file) if part.file is not None else None
        texts = part_documents(part, report)
        plain = part.file is None or part.file.form == "text"
        for text in _joined(part, texts) if plain else (_DocumentText([text]) for text in texts):
            for piece in text.pieces:
                record.bytes += _utf8_size(piece)
            yield text, before + (report.read if report is not None else 0)
        if report is not None:
            source["documents"] = report.documents
            source["note"] = report.note
        before += part.size


def _utf8_size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _joined(part: CorpusPart, texts: Iterator[str]) -> Iterator[_DocumentText]:
    """Yields the one document of a plain text, or the section of it: what is read is joined, up to `LARGEST_TEXT`."""
    pieces: list[str] = []
    waiting: list[str] = []
    length = 0
    for text in texts:
        if length and length + len(text) > LARGEST_TEXT:
            pieces.append("".join(waiting))
            waiting, length = [], 0
        waiting.append(text)
        length += len(text)
    if waiting:
        pieces.append("".join(waiting))
    last = part.file is None or part.stop is None or part.stop >= part.file.size
    if pieces:
        yield _DocumentText(pieces, part.start == 0, last)


class _ShardWriter(Protocol):
    """Writes the documents of a shard in one layout."""

    def add(self, ids: Sequence[Ids], lengths: Sequence[int]) -> None: ...
    def finish(self) -> list[dict[str, Any]]: ...
    def drop(self) -> None: ...


def _writer(order: EncodingOrder, shard: Shard) -> _ShardWriter:
    path = Path(order.folder, shard.stem)
    return _ParquetWriter(path, order) if order.layout == "parquet" else _BinWriter(path, order)


class _BinWriter:
    """The layouts ``bin`` and ``megatron``: ids in one file, where the documents are in another."""

    def __init__(self, path: Path, order: EncodingOrder) -> None:
        self._order = order
        self._index_path = path.with_name(
            path.name + (".idx" if order.layout == "megatron" else ".offsets.npy")
        )
        self._lengths: list[npt.NDArray[np.int64]] = []
        self._file = _HashedFile(path.with_name(path.name + ".bin"))

    def add(self, ids: Sequence[Ids], lengths: Sequence[int]) -> None:
        if lengths:
            self._lengths.append(np.array(lengths, np.int64))
            # Long ones as they are, and the short ones between them joined.
            short: list[Ids] = []
            for one in ids:
                if len(one) < _LONG:
                    short.append(one)
                    continue
                if short:
                    self._file.write(np.concatenate(short))
                    short = []
                self._file.write(one)
            if short:
                self._file.write(np.concatenate(short))

    def finish(self) -> list[dict[str, Any]]:
        lengths = np.concatenate([np.zeros(0, np.int64), *self._lengths])
        index = _megatron_index if self._order.layout == "megatron" else _offsets
        data = index(lengths, self._order.dtype)
        with _HashedFile(self._index_path) as file:
            file.write(data)
            entry = file.finish()
        return [self._file.finish(), entry]

    def drop(self) -> None:
        self._file.drop()


class _ParquetWriter:
    """The layout ``parquet``: each call of `add` makes a row group."""

    def __init__(self, path: Path, order: EncodingOrder) -> None:
        try:
            import pyarrow as pa
            from pyarrow import parquet
        except ImportError as error:
            raise tc.NotAvailable(
                f"Parquet needs pyarrow. {how_to_get('tokenarium[corpora]')}"
            ) from error
        self._order = order
        self._arrow = pa
        self._schema = pa.schema(
            [pa.field("input_ids", pa.list_(pa.type_for_alias(order.dtype)), nullable=False)]
        )
        self._file = _HashedFile(path.with_name(path.name + ".parquet"))
        self._writer = parquet.ParquetWriter(self._file, self._schema, compression="zstd")

    def add(self, ids: Sequence[Ids], lengths: Sequence[int]) -> None:
        if not lengths:
            return
        pa = self._arrow
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        rows = pa.ListArray.from_arrays(pa.array(offsets), pa.array(np.concatenate(ids)))
        self._writer.write_table(pa.Table.from_arrays([rows], schema=self._schema))

    def finish(self) -> list[dict[str, Any]]:
        self._writer.close()
        return [self._file.finish()]

    def drop(self) -> None:
        self._file.drop()


class _HashedFile:
    """A file that is put in place whole, with its size and its SHA-256; pyarrow writes to it as to any open file."""

    closed = False

    def __init__(self, path: Path) -> None:
        self._file = WholeFile(path)
        self._path = path
        self._digest = hashlib.sha256()
        self._size = 0

    def __enter__(self) -> _HashedFile:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is not None:
            self.drop()

    def write(self, data: Any) -> int:
        """Appends bytes, or the memory of an array; returns how many bytes."""
        if not len(data):
            return 0
        content = memoryview(data).cast("B")
        for at in range(0, len(content), _WRITTEN):
            piece = content[at : at + _WRITTEN]
            self._digest.update(piece)
            self._file.write(bytes(piece))
        self._size += len(content)
        return len(content)

    def tell(self) -> int:
        """Returns the bytes that are written."""
        return self._size

    def flush(self) -> None:
        """Does nothing: `finish` writes all."""

    def close(self) -> None:
        """Does nothing: `finish` or `drop` does."""

    def finish(self) -> dict[str, Any]:
        """Puts the file in place, and returns its name, size and hash for the record."""
        self._file.finish()
        return {"name": self._path.name, "size": self._size, "sha256": self._digest.hexdigest()}

    def drop(self) -> None:
        """Removes what was written."""
        self._file.drop()


def _little(dtype: str) -> str:
    return np.dtype(dtype).newbyteorder("<").str


def _offsets(lengths: npt.NDArray[np.int64], dtype: str) -> bytes:
    """Returns the places of documents in ids as a file of numpy, ``(documents + 1,)``."""
    from io import BytesIO

    places = np.concatenate([[0], np.cumsum(lengths)]).astype("<i8")
    out = BytesIO()
    np.save(out, places, allow_pickle=False)
    return out.getvalue()


def _megatron_index(lengths: npt.NDArray[np.int64], dtype: str) -> bytes:
    """Returns an ``.idx``: header, version, type, counts; lengths as int32, places in bytes as int64, documents as int64."""
    places = np.concatenate([[0], np.cumsum(lengths)[:-1]]) if len(lengths) else lengths
    return b"".join(
        [
            _MEGATRON_HEADER,
            struct.pack("<QBQQ", 1, _MEGATRON_CODES[dtype], len(lengths), len(lengths) + 1),
            lengths.astype("<i4").tobytes(),
            (places * np.dtype(dtype).itemsize).astype("<i8").tobytes(),
            np.arange(len(lengths) + 1, dtype="<i8").tobytes(),
        ]
    )


def write_manifest(order: EncodingOrder, records: Sequence[ShardRecord]) -> Path:
    """Writes what is in the folder, and returns the path: tokenizer, layout, sums, and the record of each shard."""
    path = Path(order.folder, MANIFEST)
    sums = ("documents", "tokens", "characters", "bytes", "in_pieces", "left_out")
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
    path = Path(order.folder, shard.stem)
    if order.layout == "parquet":
        from pyarrow import parquet

        with parquet.ParquetFile(f"{path}.parquet") as file:
            for group in range(file.num_row_groups):
                for batch in file.iter_batches(row_groups=[group]):
                    rows = batch.column(0)
                    values = rows.values.to_numpy()
                    for start, stop in zip(rows.offsets[:-1], rows.offsets[1:], strict=True):
                        yield values[start.as_py() : stop.as_py()]
        return
    ids = _mapped(Path(f"{path}.bin"), order.dtype)
    places = _places(order, path)
    if int(places[-1]) != len(ids):
        raise tc.TokenariumError(
            f"{path}.bin has {len(ids):,} ids, and its index says {int(places[-1]):,}. Remove its files, and encode again."
        )
    for start, stop in zip(places[:-1].tolist(), places[1:].tolist(), strict=True):
        yield ids[start:stop]


def _mapped(path: Path, dtype: str) -> Ids:
    if not path.stat().st_size:
        return np.zeros(0, dtype)
    return np.memmap(path, _little(dtype), "r")


def _places(order: EncodingOrder, path: Path) -> npt.NDArray[np.int64]:
    if order.layout == "bin":
        places: npt.NDArray[np.int64] = np.load(f"{path}.offsets.npy", allow_pickle=False)
        return places
    data = Path(f"{path}.idx").read_bytes()
    head = len(_MEGATRON_HEADER) + struct.calcsize("<QBQQ")
    count = struct.unpack_from("<QBQQ", data, len(_MEGATRON_HEADER))[2]
    lengths = np.frombuffer(data, "<i4", count, head)
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


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
    found = ShardCheck(shard.number)
    record = finished(order, shard)
    if record is None:
        found.faults.append(f"{shard.stem}: it is not there, or was made of other files.")
        return found
    for file in record.files:
        with Path(order.folder, file["name"]).open("rb") as content:
            if hashlib.file_digest(content, "sha256").hexdigest() != file["sha256"]:
                found.faults.append(f"{file['name']}: its SHA-256 is not the one that was noted.")
    tokenizer = open_for(order)
    every = max(record.documents // max(sample, 1), 1)
    encoder = _Encoder(tokenizer, order)
    stored = documents_of(order, shard)
    number = 0
    for text, _ in _texts(shard, ShardRecord(0, "")):
        compared = number % every == 0 or record.left_out > 0
        try:
            wanted = encoder(text) if compared else []
        except (tc.TokenariumError, UnicodeError):
            continue
        there = next(stored, None)
        number += 1
        if there is None:
            found.faults.append(f"{shard.stem}: it has fewer documents than the corpus.")
            return found
        if not compared:
            continue
        found.compared += 1
        if not np.array_equal(there, np.concatenate([there[:0], *wanted])):
            found.differing += 1
            continue
        first = len(order.before) * text.begins
        inner = there[first : len(there) - len(order.after) * text.ends]
        found.other_text += tokenizer.decode(inner.tolist()) != "".join(text.pieces)
    if next(stored, None) is not None:
        found.faults.append(f"{shard.stem}: it has more documents than the corpus.")
    if found.differing:
        found.faults.append(
            f"{shard.stem}: {found.differing:,} documents have other ids than their texts."
        )
    return found
