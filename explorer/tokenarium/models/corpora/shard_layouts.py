"""The files of a shard in the layouts that trainers read: written whole or not at all, and read again.

- ``bin``: the ids of all documents one after the other, as little-endian ``uint16`` or ``uint32``, which nanoGPT reads
  with ``numpy.memmap``; beside it ``.offsets.npy``, the ``int64`` places in ids where the documents begin, and the end.
- ``megatron``: the ``.bin`` and ``.idx`` of Megatron-LM's ``IndexedDataset`` (``megatron/core/datasets/
  indexed_dataset.py``, version 1): ``uint16`` below 65,500 ids, else ``int32``.
- ``parquet``: a row for each document, its ids in the column ``input_ids``; needs pyarrow.

A shard's path is that of its files without their endings.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.installation import how_to_get
from tokenarium_core.whole_files import WholeFile

LAYOUTS: Final = ("bin", "megatron", "parquet")

_ROW_GROUP: Final = 1 << 20

_WRITTEN: Final = 1 << 18
"""Bytes that are hashed and written at a time: they stay in the caches of the processor."""

_MEGATRON_HEADER: Final = b"MMIDIDX\x00\x00"
_MEGATRON_COUNTS: Final = "<QBQQ"  # version, type, lengths, documents
_MEGATRON_CODES: Final = {"int32": 4, "uint16": 8}
_MEGATRON_SMALL: Final = 65_500
"""Fewer ids than this are ``uint16`` there: ``DType.optimal_dtype``."""

Ids = npt.NDArray[Any]
Lengths = npt.NDArray[np.int64]


def type_of_ids(layout: str, vocab_size: int) -> str:
    """Returns the type that a layout has for ids below ``vocab_size``, as numpy names it."""
    if layout == "megatron":
        return "uint16" if vocab_size < _MEGATRON_SMALL else "int32"
    return "uint16" if vocab_size <= 1 << 16 else "uint32"


def little(dtype: str) -> str:
    """Returns a type with its lowest byte first, as all layouts have it."""
    return np.dtype(dtype).newbyteorder("<").str


class ShardWriter(Protocol):
    """Writes the documents of a shard in one layout."""

    def add(self, ids: Ids, lengths: list[int]) -> None:
        """Appends documents: their ids, one after the other, and how many each has."""

    def finish(self) -> list[dict[str, Any]]:
        """Puts the files in place, and returns the name, size and SHA-256 of each."""

    def drop(self) -> None:
        """Removes what was written."""


def shard_writer(path: Path, layout: str, dtype: str) -> ShardWriter:
    """Returns the writer of a layout; WriteError if the file cannot be created, NotAvailable for Parquet without
    pyarrow.
    """
    if layout == "parquet":
        return _ParquetWriter(path, dtype)
    return _BinWriter(path, layout, dtype)


class _BinWriter:
    """The layouts ``bin`` and ``megatron``: ids in one file, where the documents are in another."""

    def __init__(self, path: Path, layout: str, dtype: str) -> None:
        self._dtype = dtype
        self._index_path = _index_path(path, layout)
        self._index = _megatron_index if layout == "megatron" else _offsets
        self._lengths: list[Lengths] = []
        self._file = _HashedFile(path.with_name(path.name + ".bin"))

    def add(self, ids: Ids, lengths: list[int]) -> None:
        self._lengths.append(np.array(lengths, np.int64))
        self._file.write(ids)

    def finish(self) -> list[dict[str, Any]]:
        lengths = np.concatenate([np.zeros(0, np.int64), *self._lengths])
        index = _HashedFile(self._index_path)
        try:
            index.write(self._index(lengths, self._dtype))
            entry = index.finish()
        except BaseException:
            index.drop()
            raise
        return [self._file.finish(), entry]

    def drop(self) -> None:
        self._file.drop()


class _ParquetWriter:
    """The layout ``parquet``: documents with at least `_ROW_GROUP` ids make a row group."""

    def __init__(self, path: Path, dtype: str) -> None:
        try:
            import pyarrow as pa
            from pyarrow import parquet
        except ImportError as error:
            raise tc.NotAvailable(
                f"Parquet needs pyarrow. {how_to_get('tokenarium[corpora]')}"
            ) from error
        self._arrow = pa
        self._schema = pa.schema(
            [pa.field("input_ids", pa.list_(pa.type_for_alias(dtype)), nullable=False)]
        )
        self._file = _HashedFile(path.with_name(path.name + ".parquet"))
        self._writer = parquet.ParquetWriter(self._file, self._schema, compression="zstd")
        self._ids: list[Ids] = []
        self._lengths: list[int] = []
        self._count = 0

    def add(self, ids: Ids, lengths: list[int]) -> None:
        self._ids.append(ids.copy())  # which the caller uses again
        self._lengths += lengths
        self._count += len(ids)
        if self._count >= _ROW_GROUP:
            self._write_rows()

    def _write_rows(self) -> None:
        if self._lengths:
            pa = self._arrow
            offsets = np.concatenate([[0], np.cumsum(self._lengths)]).astype(np.int32)
            rows = pa.ListArray.from_arrays(pa.array(offsets), pa.array(np.concatenate(self._ids)))
            self._writer.write_table(pa.Table.from_arrays([rows], schema=self._schema))
        self._ids, self._lengths, self._count = [], [], 0

    def finish(self) -> list[dict[str, Any]]:
        self._write_rows()
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

    def write(self, data: Any) -> int:
        """Appends bytes, or the memory of an array; returns how many bytes."""
        if not len(data):
            return 0
        content = memoryview(data).cast("B")
        for at in range(0, len(content), _WRITTEN):
            piece = content[at : at + _WRITTEN]
            self._digest.update(piece)
            self._file.write(piece)
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


def _index_path(path: Path, layout: str) -> Path:
    return path.with_name(path.name + (".idx" if layout == "megatron" else ".offsets.npy"))


def _offsets(lengths: Lengths, dtype: str) -> bytes:
    """Returns the places of documents in ids as a file of numpy, ``(documents + 1,)``."""
    places = np.concatenate([[0], np.cumsum(lengths)]).astype("<i8")
    out = BytesIO()
    np.save(out, places, allow_pickle=False)
    return out.getvalue()


def _megatron_index(lengths: Lengths, dtype: str) -> bytes:
    """Returns an ``.idx``: header, version, type, counts; lengths as int32, places in bytes as int64, documents as
    int64.
    """
    places = np.concatenate([[0], np.cumsum(lengths)[:-1]]) if len(lengths) else lengths
    counts = (1, _MEGATRON_CODES[dtype], len(lengths), len(lengths) + 1)
    return b"".join(
        [
            _MEGATRON_HEADER,
            struct.pack(_MEGATRON_COUNTS, *counts),
            lengths.astype("<i4").tobytes(),
            (places * np.dtype(dtype).itemsize).astype("<i8").tobytes(),
            np.arange(len(lengths) + 1, dtype="<i8").tobytes(),
        ]
    )


def stored_documents(path: Path, layout: str, dtype: str) -> Iterator[Ids]:
    """Yields the ids of each document in a shard's files; TokenariumError if they contradict each other."""
    if layout == "parquet":
        yield from _rows(path)
        return
    ids = _mapped(Path(f"{path}.bin"), dtype)
    places = _places(_index_path(path, layout), layout)
    if int(places[-1]) != len(ids):
        raise tc.TokenariumError(
            f"{path}.bin has {len(ids):,} ids, but its index says {int(places[-1]):,}. Remove its files, and encode again."
        )
    for start, stop in zip(places[:-1].tolist(), places[1:].tolist(), strict=True):
        yield ids[start:stop]


def _rows(path: Path) -> Iterator[Ids]:
    from pyarrow import parquet

    with parquet.ParquetFile(f"{path}.parquet") as file:
        for group in range(file.num_row_groups):
            for batch in file.iter_batches(row_groups=[group]):
                rows = batch.column(0)
                values = rows.values.to_numpy()
                for start, stop in zip(rows.offsets[:-1], rows.offsets[1:], strict=True):
                    yield values[start.as_py() : stop.as_py()]


def _mapped(path: Path, dtype: str) -> Ids:
    if not path.stat().st_size:
        return np.zeros(0, dtype)
    return np.memmap(path, little(dtype), "r")


def _places(path: Path, layout: str) -> Lengths:
    """Returns where the documents begin, in ids, and where the last one ends, ``(documents + 1,)``."""
    if layout == "bin":
        places: Lengths = np.load(path, allow_pickle=False)
        return places
    data = path.read_bytes()
    head = len(_MEGATRON_HEADER) + struct.calcsize(_MEGATRON_COUNTS)
    count = struct.unpack_from(_MEGATRON_COUNTS, data, len(_MEGATRON_HEADER))[2]
    lengths = np.frombuffer(data, "<i4", count, head)
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
