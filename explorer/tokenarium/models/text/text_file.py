"""Reads text files, and finds their encodings."""

from __future__ import annotations

import codecs
import os
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from tokenarium.models.counted import printable
from tokenarium_core import TokenariumError
from tokenarium_core.plain_files import check_file, open_file

SAMPLE = 256 * 1024
"""Bytes of a file that are checked."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins as the mark of UTF-16 does, so it comes first
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class TextEncoding:
    """An encoding by its name in Python, and how it was found."""

    name: str
    how: str  # "mark", "assumed" or "chosen"

    def __str__(self) -> str:
        reason = {
            "mark": "by its byte order mark",
            "assumed": "",
            "chosen": "chosen",
        }[self.how]
        return f"{self.name} ({reason})" if reason else self.name


def chosen(name: str) -> TextEncoding | None:
    """Returns the encoding that the user named; None where Python has no such encoding of text."""
    try:
        info = codecs.lookup(name)
        "".encode(info.name)  # refuses "rot13" and others that are not encodings of text
    except (LookupError, ValueError):  # the latter for "undefined", and for a NUL
        return None
    return TextEncoding(info.name, "chosen")


def marked(sample: bytes) -> TextEncoding:
    """Returns the encoding of a file that begins with some bytes: what its byte order mark says, else UTF-8."""
    for mark, name in _MARKS:
        if sample.startswith(mark):
            return TextEncoding(name, "mark")
    return TextEncoding("utf-8", "assumed")


MOST_BAD_LINES = 0.05
"""Of the lines of a sample. Where more of them are not UTF-8, the file is of another encoding."""

MOST_ZEROS = 1 / 16
"""Of the bytes of a sample. Where more of them are zero, it is not text in UTF-8."""


ENOUGH = 16
"""Bytes beyond ASCII that a sample has at least, from which its encoding is guessed."""

_ASCII = bytes(range(128))


def why_not_utf8(sample: bytes, whole: bool) -> str:
    """Returns why a file that begins with some bytes is not text in UTF-8, with advice; empty if it may be.

    Single lines that are not UTF-8 do not count. ``whole``: the sample ends where the file does.

    >>> why_not_utf8("für, über".encode("latin-1"), True)
    'it is not UTF-8 (0xFC at byte 1). Choose its encoding by hand'
    """
    sample = sample[:SAMPLE]
    if sample.count(0) > MOST_ZEROS * len(sample):
        return "it is not text in UTF-8: too many of its bytes are 0. If it is UTF-16, choose its encoding by hand"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(
            sample, whole
        )  # else its end may cut a character
    except UnicodeDecodeError as error:
        fault = error
    else:
        return ""
    lines = sample.split(b"\n")
    if not whole and len(lines) > 1:
        lines.pop()
    if sum(not _is_utf8(line) for line in lines) <= MOST_BAD_LINES * len(lines):
        return ""
    where = f"it is not UTF-8 (0x{sample[fault.start]:02X} at byte {fault.start:,})"
    if b"\0" in sample[:BEGINNING]:
        return f"{where}, and is not text"
    name = ""
    if len(sample.translate(None, _ASCII)) >= ENOUGH:
        from charset_normalizer import from_bytes

        best = from_bytes(sample).best()
        name = "" if best is None else codecs.lookup(best.encoding).name
    choose = f"If it is text in {name}, for example, choose" if name else "Choose"
    return f"{where}. {choose} its encoding by hand"


def _is_utf8(line: bytes) -> bool:
    try:
        str(line, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


BEGINNING = 8192
"""Bytes at the beginning among which a binary file has a zero."""

LARGEST = 256 * 1024 * 1024
"""Bytes. A text is in memory several times (as bytes, positions, and tokens of each tokenizer)."""

BEGINNING_OPENED = 32 * 1024 * 1024
"""Bytes of a larger file that are opened where a part of it is asked for."""

MOST_LINES = 5_000_000
"""Lines of a text that are shown: for each, the views know its place and its height."""

AT_ONCE = 1 << 20
"""Bytes that are read or decoded at once: a millisecond or two."""


LINE_ENDS = ("\n", "\r", "\x85", "\u2028", "\u2029")
"""The characters that end a line of a text."""


class TextFileError(TokenariumError):
    """A file that cannot be read as text; the message is a sentence to show."""


class TextTooLargeError(TextFileError):
    """A text that is too large to be shown; of a file, the beginning can be opened."""


def read_text(path: Path) -> str:
    """Returns the text of a UTF-8 file as it is, its line ends and byte order mark included.

    A file that begins with the mark of UTF-16 or UTF-32 is read as that, without the mark.
    """
    steps = reading(path)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            text, _, _ = end.value
            return str(text)


def reading(
    path: Path, errors: str = "strict", most: int = 0, keeps_text: bool = True
) -> Generator[float, None, tuple[str, list[bytes] | None, int]]:
    """Reads a file as `read_text` does, in slices; yields after each how much is done, up to 1.

    Returns the text, its UTF-8 in pieces if the file holds that, and how many characters it has. Unless it
    ``keeps_text``, that is "" where there are pieces. ``errors`` is what Python's decoders take: a text that was
    kept may have half surrogate pairs ("surrogatepass"). ``most``: so many bytes are read, and then only whole lines
    returned, if there is one; 0 for the whole file.
    """
    if os.path.isdir(path):
        raise TextFileError(
            f"{path} is a folder that holds no tokenizer. Open a file; texts of a folder are counted in Compare."
        )
    try:
        size = check_file(path).st_size
        refuse_too_large(path.name, min(size, most or size))
        pieces = []
        with open_file(path) as file:
            while piece := file.read(AT_ONCE):
                pieces.append(piece)
                yield 0.4 * min(len(pieces) * AT_ONCE / max(size, 1), 1)
                if most and len(pieces) * AT_ONCE >= most:
                    break
    except (
        OSError,
        ValueError,
    ) as error:  # the latter for a NUL or half of a surrogate pair in a path
        reason = getattr(error, "strerror", None) or "its name is not a valid file name"
        raise TextFileError(f"{printable(str(path))} cannot be read: {reason}.") from None
    encoding = _encoding(pieces[0] if pieces else b"")
    read = sum(map(len, pieces))
    is_cut = bool(most) and read < size
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    text, count, at = "", 0, 0
    keeps = keeps_text or encoding != "utf-8" or is_cut
    for number, piece in enumerate(pieces):
        waiting = len(decoder.getstate()[0])  # bytes of a character that began before
        try:
            last = number + 1 == len(pieces) and not is_cut
            # In place where no other name has the string, and seldom copied: to join all would take frames.
            decoded = decoder.decode(piece, last)
        except UnicodeDecodeError as error:
            raise _no_text(path, b"".join(pieces), at - waiting + error.start, encoding) from None
        count += len(decoded)
        if keeps:
            text += decoded
        del decoded
        at += len(piece)
        yield 0.4 + 0.5 * at / read
    if is_cut:
        text = text[: text.rfind("\n") + 1] or text
        return text, None, len(text)
    return text, pieces if encoding == "utf-8" else None, count


def refuse_too_large(what: str, size: int) -> None:
    """Raises TextFileError, with what to do, if a text of ``size`` bytes is too large to be shown."""
    if size > LARGEST:
        raise TextTooLargeError(
            f"{what} has {size / 1e6:,.0f} MB; the largest text that is opened has {LARGEST / 1e6:,.0f} MB. "
            "Count its tokens in Compare, which takes files of any size, or open a part of it."
        )


def refuse_many_lines(what: str, lines: int) -> None:
    """Raises TextFileError, with what to do, if a text of so many ``lines`` is too long to be shown."""
    if lines > MOST_LINES:
        raise TextTooLargeError(
            f"{what} has more than {MOST_LINES:,} lines, which is the most that is shown. Nothing was changed. "
            "Count its tokens in Compare, which takes files of any size, or open a part of it."
        )


def refuse_text(text: str) -> None:
    """Raises TextFileError if a text is too large to be shown, or has too many lines."""
    if len(text) > MOST_LINES:
        refuse_too_large(
            "The text", len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        )
        ends = sum(map(text.count, LINE_ENDS)) - text.count("\r\n")
        refuse_many_lines("The text", ends + 1)


def _encoding(data: bytes) -> str:
    # The mark of UTF-32 begins as that of UTF-16 does.
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    return "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"


def _no_text(path: Path, data: bytes, place: int, encoding: str) -> TextFileError:
    where = f"byte 0x{data[place]:02X} at offset {place:,}"
    if encoding != "utf-8" or b"\0" in data[:BEGINNING]:
        return TextFileError(
            f"{path.name} is not text: {where} begins no character. Open a file that holds text."
        )
    line = data.count(b"\n", 0, place) + 1
    return TextFileError(
        f"{path.name} is not UTF-8: {where} (line {line:,}) begins no character. "
        "Save the file as UTF-8 and open it again."
    )
