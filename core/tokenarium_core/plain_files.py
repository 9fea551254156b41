"""Reading files: only regular files, and no more than fits.

A pipe, a device or a socket may never end, or never begin: opening a pipe that nothing writes to blocks forever. So a
path is checked before it is opened, and again afterwards, since it may have been replaced in between. A text comes
from a pipe only as standard input, under the name `STANDARD_INPUT`.

Errors are those of `open`: an OSError, whose ``strerror`` says what is there instead of a file.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from io import BufferedReader
from typing import BinaryIO, Final, cast

STANDARD_INPUT: Final = "-"
"""The name of the standard input where a command expects a text file."""

ADVICE: Final = "write its output to a file, and open that"

_PART: Final = 1 << 20

_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe opens at once
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOINHERIT", 0)
    | getattr(os, "O_BINARY", 0)
)


_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)


def kind_of(mode: int) -> str:
    """Returns what a path is, from its mode, if it is neither a file nor a folder: "a pipe"; otherwise empty."""
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return ""
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


def is_device(path: str | os.PathLike[str]) -> bool:
    """Whether a path exists but is neither a file nor a folder: reading a pipe might block forever."""
    try:
        return kind_of(os.stat(path).st_mode) != ""
    except (OSError, ValueError):
        return False


def check_file(path: str | os.PathLike[str]) -> os.stat_result:
    """Returns the system's information about a file, or about the target of a link; OSError if it is not a file."""
    try:
        about = os.stat(path)
    except ValueError:  # a zero, or half a surrogate pair
        raise OSError(errno.EINVAL, "no file can have this name") from None
    _check_mode(about.st_mode, path)
    return about


def open_file(
    path: str | os.PathLike[str], buffering: int = -1, follow: bool = True
) -> BufferedReader:
    """Returns a file opened for reading bytes; OSError for anything else, without blocking.

    ``follow``: whether a link is followed; otherwise it is an error.
    """
    check_file(path)
    opened = os.open(path, _FLAGS if follow else _FLAGS | _NO_LINK)
    try:
        _check_mode(os.fstat(opened).st_mode, path)
    except BaseException:
        os.close(opened)
        raise
    return cast(BufferedReader, open(opened, "rb", buffering=buffering))


def read_file(path: str | os.PathLike[str], most: int) -> bytes:
    """Returns the content of a file; OSError if it has more than ``most`` bytes, which are then discarded."""
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size <= most:
            content = read_beginning(file, most, size)
            if len(content) <= most:
                return content
    raise OSError(errno.EFBIG, f"it has more than {_shown(most)}", os.fspath(path))


def file_sha256(path: str | os.PathLike[str], most: int | None = None) -> str | None:
    """Returns the SHA-256 of a file in hexadecimal; None if it is not a file, cannot be read, or has more than ``most``
    bytes.
    """
    try:
        with open_file(path) as file:
            if most is not None and os.fstat(file.fileno()).st_size > most:
                return None
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        return None


def read_beginning(stream: BinaryIO, most: int, expected: int = 0) -> bytes:
    """Returns the content of a stream, or slightly more than ``most`` bytes of it.

    ``expected`` bytes are read at once, and the rest in parts: a file may grow in the meantime, and kernel
    files have no size. Memory is allocated only for what arrives.
    """
    parts = [stream.read(min(expected, most) + 1)]
    size = len(parts[0])
    while parts[-1] and size <= most:
        parts.append(stream.read(_PART))
        size += len(parts[-1])
    return b"".join(parts)


def read_text(path: str | os.PathLike[str], most: int) -> str:
    """Returns the text of a file in UTF-8, as `read_file` does, with line endings converted to ``\\n``, as in
    `Path.read_text`.

    UnicodeDecodeError, a ValueError, for other bytes.
    """
    text = read_file(path, most).decode("utf-8")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _check_mode(mode: int, path: str | os.PathLike[str]) -> None:
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    raise OSError(errno.ENXIO, f"it is {kind_of(mode)}, not a file: {ADVICE}", os.fspath(path))


def _shown(size: int) -> str:
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:,.0f} {name}"
    return f"{size:,} bytes"
