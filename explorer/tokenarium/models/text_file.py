"""Reads a text file, and says where it is not text."""

from __future__ import annotations

import codecs
from pathlib import Path

BEGINNING = 8192
"""Bytes among which a file that is no text has a zero."""

LARGEST = 64 * 1024 * 1024
"""Bytes. A text lies in memory several times over (as text, bytes and tokens of each tokenizer)."""


class TextFileError(Exception):
    """A file that cannot be read as text; the message is a sentence to show."""


def read_text(path: Path) -> str:
    """Returns the text of a UTF-8 file as it is, its line ends and byte order mark included.

    A file that begins with the mark of UTF-16 or UTF-32 is read as that, without the mark.
    """
    if path.is_dir():
        raise TextFileError(
            f"{path} is a folder that holds no tokenizer. Open a file; texts of a folder are counted in Compare."
        )
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
    wide = data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or data[:4] == codecs.BOM_UTF32_BE
    try:
        return data.decode("utf-8") if not wide else _wide(data)
    except UnicodeDecodeError as error:
        where = f"byte 0x{data[error.start]:02X} at offset {error.start:,}"
        if wide or b"\0" in data[:BEGINNING]:
            raise TextFileError(
                f"{path.name} is not text: {where} begins no character. Open a file that holds text."
            ) from None
        line = data.count(b"\n", 0, error.start) + 1
        raise TextFileError(
            f"{path.name} is not UTF-8: {where} (line {line:,}) begins no character. "
            "Save the file as UTF-8 and open it again."
        ) from None


def _wide(data: bytes) -> str:
    # The mark of UTF-32 begins as that of UTF-16 does.
    marks = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
    return data.decode("utf-32" if data.startswith(marks) else "utf-16")
