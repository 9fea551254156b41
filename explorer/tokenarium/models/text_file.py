"""Reads a text file, and says where it is not text."""

from __future__ import annotations

from pathlib import Path

LARGEST = 64 * 1024 * 1024
"""Bytes. A text lies in memory several times over (as text, bytes and tokens of each tokenizer)."""


class TextFileError(Exception):
    """A file that cannot be read as text; the message is a sentence to show."""


def read_text(path: Path) -> str:
    """Returns the text of a UTF-8 file as it is, its line ends and byte order mark included."""
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise TextFileError(
                f"{path.name} has {size / 1e6:,.0f} MB; the largest text that is opened has "
                f"{LARGEST / 1e6:,.0f} MB. Cut a part out of it and open that."
            )
        data = path.read_bytes()
    except OSError as error:
        raise TextFileError(f"{path} cannot be read: {error.strerror}.") from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TextFileError(
            f"{path.name} is not UTF-8: byte 0x{data[error.start]:02X} at offset {error.start:,} "
            f"(line {line:,}) begins no character. Save the file as UTF-8 and open it again."
        ) from None
