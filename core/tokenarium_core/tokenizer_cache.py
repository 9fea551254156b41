"""The tokenizer cache: the result of parsing a large file is written to disk, and loads in a fraction of the time.

A cached file records its source, with the hash of the content, and the version of this program. If anything differs,
or it is damaged, it is ignored.

Hashing the whole file would take as long as opening it. So its state is stored too: its identity (device and inode),
its size, and the times when its content and its inode changed. Only the system sets the last one, whenever the file
is changed or renamed, so a file in the same state has the same content, unless it was changed twice within one clock
tick. So a file that has just changed has no state. Neither has any file on Windows, which has no such time.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, final

from librt.strings import (
    BytesWriter,
    read_f64_le,
    read_i32_le,
    read_i64_le,
    write_i64_le,
)
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import FormatError, WriteError
from tokenarium_core.plain_files import open_file, read_file
from tokenarium_core.version import __version__
from tokenarium_core.whole_files import WholeFile

_LAYOUT: Final = "4"
"""Increase it whenever the cached form changes."""

_LEAST: Final = 1 << 20
"""Smaller files are not cached: they open as quickly without."""

_LARGEST: Final = 1 << 30
"""Bytes of a cached form, or of a file that has one."""

_LONG: Final = 1 << 18
"""The size in bytes from which a column takes noticeable time to read."""

_SETTLED: Final = 2_000_000_000
"""Nanoseconds that a file must have been unchanged for: the clocks of file systems are coarse."""

_STATE: Final = 200  # bytes of a state
_SURE: Final = " settled"
_UNSURE: Final = " in motion"

_MULTIPLIER: Final = 0x1E3779B97F4A7C15


@final
class CacheWriter:
    """Packs numbers, texts and columns in sequence; `CacheReader` reads them in the same order."""

    def __init__(self) -> None:
        self._writer = BytesWriter()
        self.complete = False  # set by the reader of a format once everything was written

    def number(self, value: i64) -> None:
        """Writes one integer."""
        write_i64_le(self._writer, value)

    def data(self, content: bytes) -> None:
        """Writes some bytes."""
        write_i64_le(self._writer, len(content))
        self._writer.write(content)

    def text(self, content: str) -> None:
        """Writes a text."""
        self.data(content.encode("utf-8", "surrogatepass"))

    def i64s(self, column: vec[i64]) -> None:
        """Writes a column of 64-bit integers."""
        self.data(bytes(memoryview(column)))

    def i32s(self, column: vec[i32]) -> None:
        """Writes a column of 32-bit integers."""
        self.data(bytes(memoryview(column)))

    def u8s(self, column: vec[u8]) -> None:
        """Writes a column of bytes."""
        self.data(bytes(memoryview(column)))

    def floats(self, column: vec[float]) -> None:
        """Writes a column of 64-bit floats."""
        self.data(bytes(memoryview(column)))

    def getvalue(self) -> bytes:
        """Returns all that was written."""
        return self._writer.getvalue()


@final
class CacheReader:
    """Reads what a `CacheWriter` wrote; FormatError if it ends too early."""

    def __init__(self, content: bytes, start: i64 = 0) -> None:
        self._content = content
        self._size: i64 = len(content)
        self._at: i64 = start

    def number(self) -> i64:
        """Returns the next integer."""
        at = self._take(8)
        return read_i64_le(self._content, at)

    def data(self) -> bytes:
        """Returns the next bytes."""
        size = self.number()
        at = self._take(size)
        return self._content[at : at + size]

    def text(self) -> str:
        """Returns the next text."""
        return self.data().decode("utf-8", "surrogatepass")

    def i64s(self) -> vec[i64]:
        """Returns the next column of 64-bit integers."""
        size = self.number()
        at = self._take(size)
        content = self._content
        column = vec[i64]([0] * (size // 8))
        for index in range(size // 8):
            column[index] = read_i64_le(content, at + index * 8)
        return column

    def i32s(self) -> vec[i32]:
        """Returns the next column of 32-bit integers."""
        size = self.number()
        at = self._take(size)
        content = self._content
        column = vec[i32]([0] * (size // 4))
        for index in range(size // 4):
            column[index] = read_i32_le(content, at + index * 4)
        return column

    def u8s(self) -> vec[u8]:
        """Returns the next column of bytes."""
        size = self.number()
        at = self._take(size)
        content = self._content
        column = vec[u8]([0] * size)
        for index in range(size):
            byte: i64 = content[at + index]
            column[index] = u8(byte)
        return column

    def floats(self) -> vec[float]:
        """Returns the next column of 64-bit floats."""
        size = self.number()
        at = self._take(size)
        content = self._content
        column = vec[float]([0.0] * (size // 8))
        for index in range(size // 8):
            column[index] = read_f64_le(content, at + index * 8)
        return column

    def _take(self, size: i64) -> i64:
        at = self._at
        if size < 0 or at + size > self._size:
            raise FormatError("What was cached of a tokenizer file is cut off.")
        self._at = at + size
        if size > _LONG:
            self.give_way()
        return at

    def give_way(self) -> None:
        """Releases the GIL for a moment, so that a window stays responsive while a thread reads this."""
        time.sleep(0)


def is_worth_caching(path: Path) -> bool:
    """Returns whether a file is so large that opening it again takes noticeable time."""
    try:
        return path.stat().st_size >= _LEAST
    except OSError:
        return False


def is_cached(path: Path, folder: Path) -> bool:
    """Returns whether a folder seems to have a file cached in its present state; reads only the header."""
    try:
        head = _head(path)
        state = state_of(path).split(_SURE)[0].encode()
        with open_file(_place(path, folder)) as file:
            return (
                file.read(len(head)) == head and len(state) > 0 and file.read(len(state)) == state
            )
    except OSError:
        return False


def state_of(path: Path) -> str:
    """Returns the state of a file as one line of at most 200 characters; empty if it cannot be read.

    Call it before the file is read.
    """
    try:
        about = path.stat()
    except OSError:
        return ""
    state = f"{about.st_dev} {about.st_ino} {about.st_size} {about.st_mtime_ns} {about.st_ctime_ns}"
    settled = 0 < about.st_ctime_ns < time.time_ns() - _SETTLED
    return state + (_SURE if settled and sys.platform != "win32" else _UNSURE)


def dump(path: Path, folder: Path, writer: CacheWriter, state: str, source: bytes) -> None:
    """Writes the cached form of a file to a folder, completely or not at all; does nothing if that is not possible.

    ``source`` is the content that was read, ``state`` the earlier result of `state_of`.
    """
    content = writer.getvalue()
    with suppress(OSError, WriteError):
        folder.mkdir(parents=True, exist_ok=True)
        head = _head(path)
        file = WholeFile(_place(path, folder), durable=False)
        file.write(head)
        file.write(state.encode().ljust(_STATE))
        file.write(hashlib.sha256(source).digest())
        file.write(_checksum(content, 0).to_bytes(8, "little", signed=True))
        file.write(content)
        file.finish()


def load(path: Path, folder: Path) -> CacheReader | None:
    """Returns the cached form of a file in its present state; None if there is none, or it is damaged."""
    try:
        head = _head(path)
        content = read_file(_place(path, folder), _LARGEST)
        start = len(head) + _STATE + 32 + 8
        if not content.startswith(head) or len(content) < start:
            return None
        state = content[len(head) : len(head) + _STATE].decode("ascii", "replace").rstrip()
        if not state.endswith(_SURE) or state != state_of(path):
            digest = content[len(head) + _STATE : start - 8]
            if hashlib.sha256(read_file(path, _LARGEST)).digest() != digest:
                return None
    except OSError:
        return None
    expected = int.from_bytes(content[start - 8 : start], "little", signed=True)
    return CacheReader(content, start) if _checksum(content, start) == expected else None


def prune(folder: Path, most: int) -> None:
    """Removes the oldest cached files until all of them take no more than ``most`` bytes."""
    with suppress(OSError):
        files = [(about.stat(), about.path) for about in os.scandir(folder)]
        files.sort(key=lambda file: -file[0].st_mtime_ns)
        size = 0
        for about, path in files:
            size += about.st_size
            if size > most:
                os.remove(path)


def _place(path: Path, folder: Path) -> Path:
    name = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()
    return folder / f"{name[:32]}.frozen"  # the name in earlier versions


def _head(path: Path) -> bytes:
    """Returns the beginning of a cached file: its source, and the program."""
    fields = ("tokenarium", _LAYOUT, __version__, str(path.resolve()))
    return "\n".join(fields).encode("utf-8", "surrogateescape") + b"\n\0"


def _checksum(content: bytes, start: i64) -> int:
    """Returns 62 bits that change with any bit of the content from a byte on."""
    size: i64 = len(content)
    multiplier: i64 = _MULTIPLIER
    mask: i64 = 4611686018427387903
    value = size - start
    at = start
    while at + 8 <= size:
        word = read_i64_le(content, at)
        value = (
            (value ^ word ^ (word >> 32 & 0xFFFFFFFF)) * multiplier
        ) & mask  # its two top bits too
        value ^= value >> 29
        at += 8
    while at < size:
        byte: i64 = content[at]
        value = ((value ^ byte) * multiplier) & mask
        at += 1
    return value
