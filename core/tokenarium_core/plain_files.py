"""Files that are read: only what is a file, and no more of it than fits.

A pipe, a device or a socket may never end, or never begin: to open a pipe that nothing writes to waits for ever. So a
path is looked at before it is opened, and what was opened once more, since it may have been replaced in between. A text
comes from a pipe only as standard input, by the name `STANDARD_INPUT`.

Errors are those of `open`: an OSError, whose ``strerror`` says what is there instead of a file.
"""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from typing import BinaryIO, Final, cast

STANDARD_INPUT: Final = "-"
"""The name of the standard input where a command takes the file of a text."""

ADVICE: Final = "write what it gives to a file, and open that"

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
    """Returns what a path is that is neither file nor folder, by its mode: "a pipe"; empty for these two."""
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return ""
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


def is_device(path: str | os.PathLike[str]) -> bool:
    """Whether a path exists but is neither file nor folder: to read a pipe might wait forever."""
    try:
        return kind_of(os.stat(path).st_mode) != ""
    except (OSError, ValueError):
        return False


def check_file(path: str | os.PathLike[str]) -> os.stat_result:
    """Returns what the system knows of a file, or of what a link leads to; OSError if it is none."""
    try:
        about = os.stat(path)
    except ValueError:  # a zero, or half a surrogate pair
        raise OSError(errno.EINVAL, "no file can have this name") from None
    _check_mode(about.st_mode, path)
    return about


def open_file(
    path: str | os.PathLike[str], buffering: int = -1, follow: bool = True
) -> BufferedReader:
    """Returns a file that is opened for reading bytes; OSError for anything else, without waiting for it.

    ``follow``: a link is followed, else it is an error.
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
    """Returns the content of a file; OSError if it has more than ``most`` bytes, of which none is kept then."""
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size <= most:
            content = read_beginning(file, most, size)
            if len(content) <= most:
                return content
    raise OSError(errno.EFBIG, f"it has more than {_shown(most)}", os.fspath(path))


def read_beginning(stream: BinaryIO, most: int, expected: int = 0) -> bytes:
    """Returns all that comes of a stream, or more than ``most`` bytes of it.

    ``expected`` bytes are read at once, and what comes then, in parts: a file may grow meanwhile, and those of the
    kernel have no size. Memory is taken only for what comes.
    """
    parts = [stream.read(min(expected, most) + 1)]
    size = len(parts[0])
    while parts[-1] and size <= most:
        parts.append(stream.read(_PART))
        size += len(parts[-1])
    return b"".join(parts)


def read_text(path: str | os.PathLike[str], most: int) -> str:
    """Returns the text of a file in UTF-8, as `read_file` does, each line end as ``\\n``, as in `Path.read_text`.

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
