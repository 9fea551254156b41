"""Reads compressed files as streams: gzip, bz2, xz and zstd, with bounded buffers and a limit on what they unpack to."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Generator
from importlib.util import find_spec
from typing import IO, Any, Final, Protocol

from tokenarium.models.installation import how_to_get

COMPRESSED_SUFFIXES: Final = {
    ".gz": "gzip",
    ".bz2": "bz2",
    ".xz": "xz",
    ".lzma": "xz",
    ".zst": "zstd",
    ".zstd": "zstd",
}
"""The format of a compressed file, by its last suffix."""

MOST_UNPACKED = 1 << 26
"""Bytes that any compressed file may unpack to; a longer one may unpack to `MOST_PACKED` times its size."""

MOST_PACKED = 250
"""Texts are some 3 to 20 times as long as their compressed files, logs up to 100 times; gzip's most is 1,032."""

MOST_WINDOW: Final = 1 << 27
"""Bytes of the window that zstd may need, as its own command allows by default."""

MOST_XZ: Final = 1 << 28
"""Bytes that the decoder of an xz file may need; the largest of xz's own settings takes 65 MB."""

_CHUNK: Final = 1 << 16

FAULTS = (EOFError, zlib.error, lzma.LZMAError, ValueError, OSError)
"""What the streams raise for content that is not whole; bz2 raises an OSError without a number, and so does gzip."""


class UnpackedTooMuchError(Exception):
    """A compressed file unpacks to more than a text would."""


class BrokenArchiveError(EOFError):
    """A compressed file that is cut off or broken; the message says how."""


class _Decompressor(Protocol):
    """The decompressors of bz2 and lzma, and of zstd from Python 3.14 on."""

    @property
    def eof(self) -> bool:
        """Whether the end of the stream was reached."""

    @property
    def needs_input(self) -> bool:
        """Whether more has to be given before more comes out."""

    @property
    def unused_data(self) -> bytes:
        """What follows the stream."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Returns at most so many bytes."""


class _Streams(io.RawIOBase):
    """The content of one compressed stream after another, in pieces of a bounded size."""

    def __init__(
        self, packed: IO[bytes], make: Callable[[], _Decompressor], padding: bytes
    ) -> None:
        self._packed = packed
        self._make = make
        self._padding = padding  # bytes that may follow a stream
        self._decompressor = make()
        self._begun = False  # whether the current stream has got any bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        while True:
            fresh = b""
            if self._decompressor.eof:
                fresh = self._decompressor.unused_data
                self._decompressor = self._make()
                self._begun = False
            if not fresh and self._decompressor.needs_input:
                fresh = self._packed.read(_CHUNK)
                if not fresh:
                    if self._begun:
                        raise EOFError("it ends in the middle of a stream")
                    return 0
            if not self._begun:
                fresh = fresh.lstrip(self._padding) if self._padding else fresh
                if not fresh:
                    continue
                self._begun = True
            data = self._decompressor.decompress(fresh, len(view))
            if data:
                view[: len(data)] = data
                return len(data)


class _WholeFrames(io.RawIOBase):
    """The bytes of a zstd file as they are; EOFError at their end where a frame is not complete.

    The library that unpacks them takes a file that is cut off for a shorter one. The frames are those of RFC 8878,
    section 3.1.
    """

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed = packed
        self._states = _zstd_states()
        self._wanted = next(self._states)
        self._field = bytearray()
        self._between = True

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        data = self._packed.read(len(view))
        view[: len(data)] = data
        at = 0
        while at < len(data):
            self._between = False
            if self._wanted < 0:  # to pass over
                step = min(-self._wanted, len(data) - at)
                self._wanted += step
            else:
                step = min(self._wanted, len(data) - at)
                self._field += data[at : at + step]
                self._wanted -= step
            at += step
            if self._wanted == 0:
                field = bytes(self._field)
                self._field.clear()
                self._wanted = self._states.send(field)
                if self._wanted == 0:
                    self._between = True
                    self._wanted = next(self._states)
        if not data and not self._between:
            raise EOFError("it ends in the middle of a frame")
        return len(data)


def _zstd_states() -> Generator[int, bytes, None]:
    """Yields how many bytes of a zstd file to collect next, below zero: to pass over; 0 between two frames."""
    while True:
        magic = yield 4
        if magic[1:] == b"\x2a\x4d\x18" and 0x50 <= magic[0] <= 0x5F:  # a frame to be skipped
            size = int.from_bytes((yield 4), "little")
            if size:
                yield -size
            yield 0
            continue
        if magic != b"\x28\xb5\x2f\xfd":
            raise ValueError("it has no zstd frame where one should begin")
        descriptor = (yield 1)[0]
        single = descriptor >> 5 & 1
        content = (1 if single else 0, 2, 4, 8)[descriptor >> 6]
        header = content + (0, 1, 2, 4)[descriptor & 3] + 1 - single
        if header:
            yield -header
        last = False
        while not last:
            block = int.from_bytes((yield 3), "little")
            last = bool(block & 1)
            size = 1 if block >> 1 & 3 == 1 else block >> 3
            if size:
                yield -size
        if descriptor & 4:
            yield -4
        yield 0


class Unpacked(io.RawIOBase):
    """The content of a compressed file. It raises `UnpackedTooMuchError` where that is far larger than the bytes read
    for it.

    ``packed`` is a buffered binary file, ``form`` one of the values of `COMPRESSED_SUFFIXES`. What is broken raises
    `BrokenArchiveError`, which names about how many bytes were read until then. At most 128 KB wait in either direction,
    besides the window of the format (bz2 4 MB, xz and zstd as their header says, up to a limit).
    """

    def __init__(self, packed: IO[bytes], form: str) -> None:
        self._packed = packed
        self._form = form
        self._count = 0
        self._inner = _stream(packed, form)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            count = self._inner.readinto(buffer)
        except FAULTS as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # the file cannot be read
            at = self._packed.tell()
            raise BrokenArchiveError(f"{_worded(error)}, near byte {at:,}") from error
        self._count += count or 0
        if self._count > max(MOST_UNPACKED, MOST_PACKED * self._packed.tell()):
            raise UnpackedTooMuchError
        return int(count or 0)

    def close(self) -> None:
        self._inner.close()
        super().close()


def _stream(packed: IO[bytes], form: str) -> Any:
    if form == "gzip":
        return gzip.GzipFile(fileobj=packed, mode="rb")
    if form == "bz2":
        return _Streams(packed, bz2.BZ2Decompressor, b"")
    if form == "xz":
        return _Streams(packed, _xz, b"\0")
    import zstandard

    frames = zstandard.ZstdDecompressor(max_window_size=MOST_WINDOW)
    source = io.BufferedReader(_WholeFrames(packed), _CHUNK)
    return _ZstdReader(frames.stream_reader(source, read_across_frames=True), zstandard.ZstdError)


class _ZstdReader:
    """A zstd stream whose faults are those of the other formats."""

    def __init__(self, reader: Any, fault: type[Exception]) -> None:
        self._reader = reader
        self._fault = fault

    def readinto(self, buffer: Any) -> int:
        try:
            return int(self._reader.readinto(buffer))
        except self._fault as error:
            raise ValueError(str(error)) from error

    def close(self) -> None:
        self._reader.close()


def _xz() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(memlimit=MOST_XZ)


def _worded(error: BaseException) -> str:
    words = str(error).strip().rstrip(".")
    return words[:1].lower() + words[1:] if words else type(error).__name__


def missing(package: str, words: str) -> str:
    """Returns a sentence on a package that is not installed and how to get it; empty if it is."""
    if find_spec(package) is not None:
        return ""
    return f"{words}, which is not installed. {how_to_get('tokenarium[corpora]')}"
