"""Tells in which encoding a text file is written, and how that is known."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

SAMPLE = 256 * 1024
"""Bytes of a file that are looked at."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins as the mark of UTF-16 does, so it comes first
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class TextEncoding:
    """An encoding by the name that Python knows it by, and how it was found."""

    name: str
    how: str  # "mark", "valid", "guessed" or "chosen"

    def __str__(self) -> str:
        reason = {
            "mark": "by its byte order mark",
            "valid": "",
            "guessed": "guessed",
            "chosen": "chosen",
        }[self.how]
        return f"{self.name} ({reason})" if reason else self.name


def chosen(name: str) -> TextEncoding | None:
    """Returns the encoding of a name that a person gave; None where Python knows none of text."""
    try:
        info = codecs.lookup(name)
        "".encode(info.name)  # refuses "rot13" and others that are not encodings of text
    except (
        LookupError,
        ValueError,
    ):  # the latter for "undefined", which is made to fail, and for a NUL
        return None
    return TextEncoding(info.name, "chosen")


def detect(sample: bytes) -> TextEncoding | None:
    """Returns the encoding of a file that begins with some bytes; None where they are no text.

    A byte order mark tells; what is valid UTF-8 is UTF-8; anything else is guessed by
    charset_normalizer from the first `SAMPLE` bytes.
    """
    sample = sample[:SAMPLE]
    for mark, name in _MARKS:
        if sample.startswith(mark):
            return TextEncoding(name, "mark")
    if b"\0" not in sample:
        try:
            codecs.getincrementaldecoder("utf-8")().decode(sample)  # its end may cut a character
        except UnicodeDecodeError:
            pass
        else:
            return TextEncoding("utf-8", "valid")
    from charset_normalizer import from_bytes

    best = from_bytes(sample).best()
    if best is None or (b"\0" in sample and not best.encoding.startswith(("utf_16", "utf_32"))):
        return None
    return TextEncoding(codecs.lookup(best.encoding).name, "guessed")
