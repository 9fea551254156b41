"""The tokenizer cache: what opening a large file works out is stored on disk, and loads in a fraction of the time.

A stored form is named by the SHA-256 of its source's content, so the same file elsewhere shares it, and a changed file
never meets an old form. It contains the vocabulary and its tables, and no path and no text. It is used only by the
version of this program that wrote it, and every part has a checksum; if anything differs, it is ignored. Nothing is
lost with it.

The stored form has a line that names the program, the head and the columns. The head has all small values, and the size
and the checksum of each column; columns are read one after the other, straight into memory.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, final
from zlib import crc32

from librt.strings import BytesWriter, read_i64_le, write_i64_le
from librt.vecs import extend, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import FormatError, WriteError
from tokenarium_core.plain_files import open_file
from tokenarium_core.version import __version__
from tokenarium_core.whole_files import WholeFile

_LAYOUT: Final = "6"
"""Increase it whenever the stored form changes."""

_LEAST: Final = 200_000
"""Bytes: smaller files are not cached, since they open nearly as quickly without."""

_MOST_HEAD: Final = 1 << 28
_MOST_COLUMN: Final = 1 << 30
"""Bytes: no stored form has more, so no more memory is allocated for a damaged one."""

_COLUMN: Final = 4096
"""The size in bytes from which some bytes are a column."""

_PART: Final = 1 << 16
"""The bytes of a column that are read at once: they stay in a near cache while they are checked and copied."""

MOST_BYTES: Final = 500_000_000
"""Bytes that all stored forms of a folder may have together: about 30 large vocabularies."""

SUFFIX: Final = ".frozen"
"""The end of the name of a stored form."""

_STORED: Final = re.compile(r"[0-9a-f]{32}(?:[0-9a-f]{32})?\.frozen")
"""Matches the names of stored forms, also those of earlier versions."""

OFF: Final = "0"
VARIABLE: Final = "TOKENARIUM_CACHE"
"""The environment variable that names the folder of the cache, or turns it `OFF`."""


@final
class CacheWriter:
    """Packs numbers, texts and columns in sequence; `CacheReader` reads them in the same order."""

    def __init__(self) -> None:
        self._head = BytesWriter()
        self._columns: list[Any] = []
        self.complete = False  # set by the reader of a format once everything was written

    def number(self, value: i64) -> None:
        """Writes one integer."""
        write_i64_le(self._head, value)

    def data(self, content: bytes) -> None:
        """Writes some bytes."""
        if len(content) >= _COLUMN:
            self._column(content, len(content))
        else:
            write_i64_le(self._head, len(content))
            self._head.write(content)

    def text(self, content: str) -> None:
        """Writes a text."""
        self.data(content.encode("utf-8", "surrogatepass"))

    def i64s(self, column: vec[i64]) -> None:
        """Writes a column of 64-bit integers."""
        self._column(memoryview(column), len(column) * 8)

    def i32s(self, column: vec[i32]) -> None:
        """Writes a column of 32-bit integers."""
        self._column(memoryview(column), len(column) * 4)

    def u8s(self, column: vec[u8]) -> None:
        """Writes a column of bytes."""
        self._column(memoryview(column), len(column))

    def floats(self, column: vec[float]) -> None:
        """Writes a column of 64-bit floats."""
        self._column(memoryview(column), len(column) * 8)

    def _column(self, column: Any, size: i64) -> None:
        write_i64_le(self._head, size)
        write_i64_le(self._head, crc32(column))
        if size > 0:
            self._columns.append(column)

    def parts(self) -> list[Any]:
        """Returns all that was written, as buffers that follow one another."""
        head = self._head.getvalue()
        sizes = BytesWriter()
        write_i64_le(sizes, len(head))
        write_i64_le(sizes, crc32(head))
        return [sizes.getvalue(), head, *self._columns]

    def getvalue(self) -> bytes:
        """Returns all that was written."""
        return b"".join(self.parts())


@final
class CacheReader:
    """Reads what a `CacheWriter` wrote, from a file; FormatError if it is cut off or damaged.

    Every value is checked before it is returned.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        sizes = self._read(16)
        size = read_i64_le(sizes, 0)
        if size < 0 or size > _MOST_HEAD:
            raise _damaged()
        self._head = self._read(size)
        if crc32(self._head) != read_i64_le(sizes, 8):
            raise _damaged()
        self._at: i64 = 0
        self._left: i64 = 0  # bytes of a column that are still to be read
        self._checksum: i64 = 0
        self._found: i64 = 0

    def number(self) -> i64:
        """Returns the next integer."""
        at = self._at
        if at + 8 > len(self._head):
            raise _damaged()
        self._at = at + 8
        return read_i64_le(self._head, at)

    def data(self) -> bytes:
        """Returns the next bytes."""
        size = self.number()
        if size >= _COLUMN:
            self._at -= 8
            content = self._read(self._begin())
            self._found = crc32(content)
            self._end()
            return content
        at = self._at
        if size < 0 or at + size > len(self._head):
            raise _damaged()
        self._at = at + size
        return self._head[at : at + size]

    def text(self) -> str:
        """Returns the next text."""
        return self.data().decode("utf-8", "surrogatepass")

    # A column grows by buffers, which are copied as a whole, up to its capacity: no memory is touched twice.

    def i64s(self) -> vec[i64]:
        """Returns the next column of 64-bit integers."""
        column = vec[i64](capacity=self._begin() // 8)
        while self._left > 0:
            column = extend(column, self._rows("q"))
        self._end()
        return column

    def i32s(self) -> vec[i32]:
        """Returns the next column of 32-bit integers."""
        column = vec[i32](capacity=self._begin() // 4)
        while self._left > 0:
            column = extend(column, self._rows("i"))
        self._end()
        return column

    def u8s(self) -> vec[u8]:
        """Returns the next column of bytes."""
        column = vec[u8](capacity=self._begin())
        while self._left > 0:
            column = extend(column, self._rows("B"))
        self._end()
        return column

    def floats(self) -> vec[float]:
        """Returns the next column of 64-bit floats."""
        column = vec[float](capacity=self._begin() // 8)
        while self._left > 0:
            column = extend(column, self._rows("d"))
        self._end()
        return column

    def _begin(self) -> i64:
        """Begins a column; returns its size in bytes."""
        size = self.number()
        if size < 0 or size > _MOST_COLUMN:
            raise _damaged()
        self._checksum = self.number()
        self._found = 0
        self._left = size
        return size

    def _rows(self, code: str) -> Any:
        """Returns the next part of a column, as rows with this code of the module struct."""
        content = self._read(self._left if self._left < _PART else _PART)
        self._left -= len(content)
        self._found = crc32(content, self._found)
        return memoryview(content).cast(code)  # type: ignore[call-overload]

    def _end(self) -> None:
        if self._found != self._checksum:
            raise _damaged()

    def _read(self, size: i64) -> bytes:
        content = self._file.read(size)
        if len(content) != size:
            raise _damaged()
        return content

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def give_way(self) -> None:
        """Releases the GIL for a moment, so that a window stays responsive while a thread reads this."""
        time.sleep(0)


def _damaged() -> FormatError:
    return FormatError("What was cached of a tokenizer file is cut off or damaged.")


def cache_folder() -> Path | None:
    """Returns the folder of the cache: the one that `VARIABLE` names, else that of the user; None if it is `OFF`.

    None also for a user without a folder.
    """
    named = os.environ.get(VARIABLE)
    if named:
        return None if named == OFF else Path(named)
    try:
        return user_cache_folder() / "opened"
    except RuntimeError:  # a user without a home
        return None


def user_cache_folder() -> Path:
    """Returns the folder for what this program may lose, where each system has it; RuntimeError without a home.

    As platformdirs has it (``user_cache_path("tokenarium", appauthor=False)``), which the core does without.
    """
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA", "").strip()
        return (
            (Path(local) if local else Path.home() / "AppData" / "Local") / "tokenarium" / "Cache"
        )
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "tokenarium"
    named = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(named) if named else Path.home() / ".cache") / "tokenarium"


def is_worth_caching(path: Path) -> bool:
    """Returns whether a file is so large that opening it again takes noticeable time."""
    try:
        return path.stat().st_size >= _LEAST
    except OSError:
        return False


def is_cached(source: str, folder: Path) -> bool:
    """Returns whether a folder has the stored form of a source by this program; reads only its first line.

    ``source`` is the SHA-256 of its content in hexadecimal.
    """
    begin = _head(source, "")
    try:
        with open_file(stored_path(source, folder)) as file:
            return file.read(len(begin)) == begin
    except OSError:
        return False


def store(source: str, format: str, folder: Path, writer: CacheWriter) -> None:
    """Writes a stored form to a folder, completely or not at all; does nothing if that is not possible.

    ``source`` is the SHA-256 of the source's content in hexadecimal. The least recently used stored forms are removed
    until the folder has at most `MOST_BYTES`.
    """
    with suppress(OSError, WriteError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = WholeFile(stored_path(source, folder), durable=False)
        file.write(_head(source, format) + b"\n")
        for part in writer.parts():
            file.write(part)
        file.finish()
        prune(folder, MOST_BYTES)


def load(source: str, format: str, folder: Path) -> CacheReader | None:
    """Returns a reader of a stored form, as `store` has it; None if there is none by this program.

    Close it after use.
    """
    path = stored_path(source, folder)
    begin = _head(source, format) + b"\n"
    try:
        file = open_file(path)
    except OSError:
        return None
    try:
        if file.read(len(begin)) == begin:
            reader = CacheReader(file)
            with suppress(OSError):  # a folder that cannot be written to can still be read
                os.utime(path)
            return reader
    except (OSError, FormatError):
        pass
    file.close()
    return None


def prune(folder: Path, most: int) -> None:
    """Removes the least recently used stored forms until all of them take no more than ``most`` bytes.

    Other files in the folder stay.
    """
    files: list[tuple[os.stat_result, str]] = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _STORED.fullmatch(entry.name) is None:
                continue
            with suppress(OSError):  # another process may have removed it
                files.append((entry.stat(follow_symlinks=False), entry.path))
    files.sort(key=lambda file: -file[0].st_mtime_ns)
    size = 0
    for about, path in files:
        size += about.st_size
        if size > most:
            with suppress(OSError):
                os.remove(path)


def stored_path(source: str, folder: Path) -> Path:
    """Returns the path of a stored form, which need not exist."""
    return folder / f"{source}{SUFFIX}"


def digest_of(parts: Iterable[tuple[str, bytes]]) -> str:
    """Returns the SHA-256, in hexadecimal, of the names and the contents of several files."""
    digest = hashlib.sha256()
    for name, content in parts:
        digest.update(f"{name} {len(content)}\n".encode("utf-8", "surrogateescape"))
        digest.update(content)
    return digest.hexdigest()


def _head(source: str, format: str) -> bytes:
    """Returns the first line of a stored form without its end: the program, the byte order, the source, the format."""
    fields = ("tokenarium", _LAYOUT, __version__, sys.byteorder, source, format)
    return " ".join(fields).encode()
