"""Reads the documents of one file of a corpus: plain text or JSON lines, perhaps compressed, in any encoding."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, TextIO, cast

from tokenarium.models.text import text_file
from tokenarium.models.text.text_file import TextEncoding
from tokenarium.models.training.corpus_files import JSON_LINES, CorpusFile

LARGEST_DOCUMENT = 1 << 20
"""Characters. A longer text is cut into documents of about this size, at line ends."""

LONGEST_LINE = 1 << 26
"""Most characters of a line of JSON. A longer one ends the reading: the file is hardly JSON lines."""

MOST_UNPACKED = 1 << 26
"""Bytes that any gzip file may unpack to; a longer one may unpack to `MOST_PACKED` times its size."""

MOST_PACKED = 250
"""Texts are some 3 to 20 times as long as their gzip files, logs up to 100 times; the most is 1,032."""

_CHUNK = 1 << 20  # characters that are read at a time


@dataclass(slots=True)
class FileReport:
    """What became of one file; complete once its documents are read."""

    file: CorpusFile
    encoding: TextEncoding | None = None
    documents: int = 0  # in the file
    kept: int = 0  # of which some text is in the corpus
    characters: int = 0  # of the text in the corpus
    read: int = 0  # bytes of the file on the disk
    note: str = ""  # what went wrong, as a sentence, if anything
    bad_lines: int = 0  # of JSON lines, left out

    @property
    def skipped(self) -> bool:
        """Whether nothing of it was read."""
        return self.documents == 0


class _TooMuchError(Exception):
    """A gzip file unpacks to more than a text would."""


class _Unpacked(gzip.GzipFile):
    """The content of a gzip file; raises `_TooMuchError` where it is far larger than the bytes read for it."""

    def __init__(self, packed: IO[bytes]) -> None:
        super().__init__(fileobj=packed, mode="rb")
        self._packed = packed
        self._count = 0

    def read1(self, size: int = -1) -> bytes:
        data = super().read1(size)
        self._count += len(data)
        if self._count > max(MOST_UNPACKED, MOST_PACKED * self._packed.tell()):
            raise _TooMuchError
        return data


def documents(report: FileReport) -> Iterator[str]:
    """Yields the documents of a report's file, and fills in the report; never raises for a file's content."""
    file = report.file
    try:
        with file.path.open("rb") as raw:
            data = cast("IO[bytes]", _Unpacked(raw)) if file.compressed else raw
            report.encoding = _encoding(file, data)
            if report.encoding is None:
                report.note = "It holds no text."
                return
            plain = file.suffix not in JSON_LINES
            read = _plain if plain else _json_lines
            with io.TextIOWrapper(data, report.encoding.name, newline="\n") as characters:
                for text in read(report, characters):
                    report.documents = 1 if plain else report.documents + 1
                    yield text
                    report.read = min(raw.tell(), file.size)
            report.read = file.size
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        report.note = _rest(report, f"it is not a complete gzip file ({error})")
    except _TooMuchError:
        report.note = _rest(
            report, f"it unpacks to more than {MOST_PACKED} times its size, which no text does"
        )
    except UnicodeError as error:
        name = report.encoding.name if report.encoding else file.source.encoding
        report.note = _rest(report, _undecodable(error, name))
    except OSError as error:
        report.note = _rest(report, f"it cannot be read: {error.strerror or error}")


def _undecodable(error: UnicodeError, name: str) -> str:
    """Returns the reason why a file cannot be decoded, and what to do."""
    advice = "Choose its encoding by hand"
    if "BOM" in str(error):  # from Python 3.13 on a `UnicodeDecodeError`
        return f"it does not begin with the byte order mark of {name}. {advice}"
    if isinstance(error, UnicodeDecodeError):
        return f"what follows is not {error.encoding} (byte 0x{error.object[error.start]:02X}). {advice}"
    return f"it is not {name} ({error}). {advice}"


def _rest(report: FileReport, reason: str) -> str:
    """Returns a sentence on what was not read."""
    if report.documents == 0:
        return f"{reason[0].upper()}{reason[1:]}."
    if report.file.suffix not in JSON_LINES:
        return f"Only its beginning was read: {reason}."
    return f"Only its first {report.documents:,} documents were read: {reason}."


def _encoding(file: CorpusFile, data: IO[bytes]) -> TextEncoding | None:
    if file.source.encoding:
        return text_file.chosen(file.source.encoding)
    sample = data.read(text_file.SAMPLE)
    data.seek(0)
    return text_file.detect(sample)


def _plain(report: FileReport, characters: TextIO) -> Iterator[str]:
    """Yields a text as one document, or a long one as several that end at line ends."""
    waiting = ""
    while more := characters.read(_CHUNK):
        waiting += more
        while len(waiting) > LARGEST_DOCUMENT:
            end = waiting.rfind("\n", 0, LARGEST_DOCUMENT) + 1 or LARGEST_DOCUMENT
            yield waiting[:end]
            waiting = waiting[end:]
    if waiting:
        yield waiting


def _json_lines(report: FileReport, characters: TextIO) -> Iterator[str]:
    """Yields a field of each line; lines without it are only counted."""
    field = report.file.source.field
    first_fault = ""
    number = 0
    while line := characters.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE:
            report.note = _rest(
                report, f"line {number:,} is longer than {LONGEST_LINE:,} characters"
            )
            return
        if not line.strip():
            continue
        try:
            text = _member(json.loads(line), field)
        except (ValueError, RecursionError):
            fault = "is not JSON"
        else:
            if isinstance(text, str):
                yield text
                continue
            fault = f"has no text in the field “{field}”"
        report.bad_lines += 1
        first_fault = first_fault or f"line {number:,} {fault}"
    if report.bad_lines:
        report.note = f"{report.bad_lines:,} of its lines were left out: {first_fault}."


def _member(value: Any, field: str) -> Any:
    """Returns the text in a field, or None."""
    for name in field.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value
