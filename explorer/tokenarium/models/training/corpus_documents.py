"""Reads the documents of one file of a corpus, or of a part of it: text, JSON lines, tables, in any encoding."""

from __future__ import annotations

import codecs
import io
import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, Any, Final, cast

import msgspec

from tokenarium.models.text import text_file
from tokenarium.models.text.piece import counted
from tokenarium.models.training.corpus_reports import FileReport, opened, rest
from tokenarium.models.training.corpus_tables import MOST_COLUMNS
from tokenarium.models.training.corpus_unpacking import (
    MOST_PACKED,
    BrokenArchiveError,
    Unpacked,
    UnpackedTooMuchError,
)
from tokenarium.models.training.corpus_urls import reason_of
from tokenarium_core import TokenariumError

LARGEST_DOCUMENT = 1 << 20
"""Characters. A longer text is cut into documents of about this size, at line ends."""

LONGEST_LINE = 1 << 26
"""Most bytes of a line of JSON. A longer one is left out, without being held."""

SECTION = 1 << 24
"""Bytes. A plain text begins a new document at the first line after each multiple of this, so that it can be read in
parts, each alone, which give the same documents."""

_CHUNK: Final = 1 << 20  # bytes that are read at a time
_LINES_A_REPORT: Final = 64
_DECODER: Final = msgspec.json.Decoder()  # twice as fast as Python's
_UTF8: Final = ("utf-8", "utf-8-sig")
_FAULTS: Final = (msgspec.MsgspecError, ValueError, RecursionError, LookupError, TypeError)
_STATEFUL: Final = ("utf-7", "hz", "iso2022", "punycode", "idna", "unicode", "raw")


def documents(
    report: FileReport, start: int = 0, stop: int | None = None, longest: int = 0
) -> Iterator[str]:
    """Yields the documents of a report's file, and fills in the report; never raises for a file's content.

    ``start`` and ``stop`` bound a part of it, see `CorpusPart`: bytes of a text or of JSON lines, row groups or record
    batches of a table. The documents of parts that follow each other are those of the file. ``longest``: characters of
    a document of plain text; 0: `LARGEST_DOCUMENT`.
    """
    file = report.file
    before = stop  # of bytes, for the progress
    try:
        if file.form in ("parquet", "arrow"):
            from tokenarium.models.training.corpus_tables import rows  # it needs pyarrow

            yield from rows(report, start, stop)
        else:
            with ExitStack() as closing:
                yield from _text_documents(
                    report, closing, start, stop, longest or LARGEST_DOCUMENT
                )
            if report.encoding is not None:
                report.read = (file.size if before is None else min(before, file.size)) - start
    except BrokenArchiveError as error:
        report.note = rest(report, f"it is not a complete {file.compression} file ({error})")
    except UnpackedTooMuchError:
        report.note = rest(
            report, f"it unpacks to more than {MOST_PACKED} times its size, which no text does"
        )
    except UnicodeError as error:
        name = report.encoding.name if report.encoding else file.source.encoding
        report.note = rest(report, _undecodable(error, name, None))
    except TokenariumError as error:
        report.note = rest(report, str(error).rstrip("."))
    except OSError as error:
        report.note = rest(report, f"it cannot be read: {error.strerror or error}")
    except Exception as error:  # each remote file system raises errors of its own
        if not file.url:
            raise
        report.note = rest(report, reason_of(error, file.url).rstrip("."))


def _text_documents(
    report: FileReport, closing: ExitStack, start: int, stop: int | None, longest: int
) -> Iterator[str]:
    """Yields the documents of a text or of JSON lines."""
    file = report.file
    raw = closing.enter_context(opened(file))
    data = raw
    if file.compressed:
        packed = Unpacked(raw, file.compression)
        data = cast("IO[bytes]", closing.enter_context(io.BufferedReader(packed, _CHUNK)))
    head, fault = _head(data)
    if file.source.encoding:
        encoding = text_file.chosen(file.source.encoding)
        assert encoding is not None  # `CorpusSource.check` has looked
    else:
        encoding = text_file.marked(head)
        if encoding.how == "assumed":
            why = text_file.why_not_utf8(head, len(head) < text_file.SAMPLE)
            if why and fault is not None:
                raise fault
            if why:
                raise TokenariumError(f"{why}.")
    report.encoding = encoding
    lines = file.form == "lines"
    whole_lines = breaks_lines(encoding.name)
    if start:
        raw.seek(start - 1)
        stream = _Stream(b"", raw, None, start - 1)
        stream.begin_line(stop)
    else:
        stream = _Stream(head, data, fault, 0)
    if lines:
        read = _json_lines(report, stream, encoding.name, stop)
    elif file.compressed or not whole_lines:
        read = _plain(report, stream, encoding.name, None, longest)
    else:
        read = _sections(report, stream, encoding.name, stop, longest)
    for text in read:
        report.documents = report.documents + 1 if lines else 1
        yield text
        if not lines or report.documents % _LINES_A_REPORT == 0:
            report.read = max(min(raw.tell(), file.size) - start, 0)
    report.read = max(min(raw.tell(), file.size) - start, 0)


def breaks_lines(name: str) -> bool:
    """Returns whether the byte 0x0A is always a line end in an encoding, and the next byte begins a character.

    >>> [breaks_lines(name) for name in ("utf-8", "shift_jis", "utf-16", "cp037", "iso2022_jp")]
    [True, True, False, False, False]
    """
    return not name.startswith(_STATEFUL) and "\n".encode(name) == b"\n"


class _Stream:
    """Bytes that were read already, and a file that continues after them: read once, with the position in the file.

    ``fault`` is raised where it ends.
    """

    def __init__(self, head: bytes, data: IO[bytes], fault: Exception | None, at: int) -> None:
        self._head = io.BytesIO(head)
        self._data = data
        self._fault = fault
        self.at = at

    def read(self, size: int) -> bytes:
        """Returns some bytes, at most ``size``; none at the end."""
        found = self._head.read(size)
        if not found and self._fault is not None:
            raise self._fault
        found = found or self._data.read(size)
        self.at += len(found)
        return found

    def line(self, size: int) -> bytes:
        """Returns the bytes up to the end of the line, at most ``size``."""
        found = self._head.readline(size)
        if len(found) < size and not found.endswith(b"\n"):
            if self._fault is not None:
                raise self._fault
            found += self._data.readline(size - len(found))
        self.at += len(found)
        return found

    def lines(self, stop: int | None) -> Iterator[bytes]:
        """Yields the lines that begin before ``stop``, or the first `LONGEST_LINE` bytes of them."""
        while (stop is None or self.at < stop) and self._in_head:
            yield self.line(LONGEST_LINE)
        readline = self._data.readline
        while (stop is None or self.at < stop) and (line := readline(LONGEST_LINE)):
            self.at += len(line)
            yield line

    @property
    def _in_head(self) -> bool:
        """Whether there are bytes that were read already, or a fault after them."""
        return self._fault is not None or self._head.tell() < len(self._head.getbuffer())

    def begin_line(self, stop: int | None = None) -> None:
        """Reads on to the next beginning of a line, but not further than ``stop``."""
        while stop is None or self.at < stop:
            found = self.line(_CHUNK)
            if not found or found.endswith(b"\n"):
                return


def _head(data: IO[bytes]) -> tuple[bytes, Exception | None]:
    """Returns the beginning of a file, from which its encoding is found, and what is wrong after it."""
    found: list[bytes] = []
    size = 0
    read = getattr(data, "read1", data.read)
    try:
        while size < text_file.SAMPLE and (more := read(text_file.SAMPLE - size)):
            found.append(more)
            size += len(more)
    except (BrokenArchiveError, UnpackedTooMuchError) as error:
        return b"".join(found), error
    return b"".join(found), None


def _undecodable(error: UnicodeError, name: str, at: int | None) -> str:
    """Returns the reason why a file cannot be decoded, and what to do; ``at`` is where the error's object begins."""
    advice = "Choose its encoding by hand"
    if "BOM" in str(error):  # from Python 3.13 on a `UnicodeDecodeError`
        return f"it does not begin with the byte order mark of {name}. {advice}"
    if isinstance(error, UnicodeDecodeError):
        place = "" if at is None else f" at byte {at + error.start:,}"
        return f"what follows is not {error.encoding} (0x{error.object[error.start]:02X}{place}). {advice}"
    return f"it is not {name} ({error}). {advice}"


def _sections(
    report: FileReport, stream: _Stream, encoding: str, stop: int | None, longest: int
) -> Iterator[str]:
    """Yields a text in sections that begin at lines, see `SECTION`."""
    while stop is None or stream.at < stop:
        at = stream.at
        end = (at // SECTION + 1) * SECTION
        yield from _plain(
            report, stream, encoding if at == 0 else _unmarked(encoding), end, longest
        )
        if stream.at == at:
            break


def _unmarked(encoding: str) -> str:
    """Returns an encoding for what is not the beginning of a file."""
    return "utf-8" if encoding == "utf-8-sig" else encoding


def _plain(
    report: FileReport, stream: _Stream, encoding: str, end: int | None, longest: int
) -> Iterator[str]:
    """Yields a text as one document, or a long one as several that end at line ends.

    It goes to the first line that begins at the byte ``end`` or after it, else to the end of the file. Lines that cannot
    be decoded are left out, see `_LineDecoder`.
    """
    decoder = _LineDecoder(report, encoding)
    size = min(_CHUNK, longest)
    waiting = ""
    ended = False
    while not ended:
        if end is None:
            more = stream.read(size)
        elif stream.at < end - 1:
            more = stream.read(min(size, end - 1 - stream.at))
        else:
            more = stream.line(size)
            ended = more.endswith(b"\n")
        ended = ended or not more
        waiting = decoder.added(waiting, more, stream.at, ended)
        while len(waiting) > longest:
            cut = waiting.rfind("\n", 0, longest) + 1 or longest
            report.long = True
            yield waiting[:cut]
            waiting = waiting[cut:]
    if waiting:
        yield waiting


class _LineDecoder:
    """Decodes a text as it is read, without the lines that cannot be decoded; the report has how many, and the first.

    In an encoding in which the byte 0x0A may be no line end, raises UnicodeDecodeError instead.
    """

    def __init__(self, report: FileReport, encoding: str) -> None:
        self._report = report
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._leaving_out = False  # whether the rest of a line is left out

    def added(self, text: str, data: bytes, at: int, ended: bool) -> str:
        """Returns ``text`` and what ``data`` adds to it; ``at`` is where the data ends in the file."""
        while True:
            if self._leaving_out:
                line_end = data.find(b"\n") + 1
                if not line_end:
                    return text
                data = data[line_end:]
                self._leaving_out = False
            try:
                return text + self._decoder.decode(data, ended)
            except UnicodeDecodeError as error:
                if not breaks_lines(self._encoding):
                    raise
                data = error.object  # with what was waiting for the rest of a character
                begins = at - len(data)
                line = data.rfind(b"\n", 0, error.start) + 1
                self._note(error, begins + error.start)
                if line:
                    encoding = self._encoding if begins == 0 else _unmarked(self._encoding)
                    text += data[:line].decode(encoding)
                else:  # what came of the line before is left out too, as far as it is not read yet
                    text = text[: text.rfind("\n") + 1]
                self._decoder = codecs.getincrementaldecoder(_unmarked(self._encoding))()
                data = data[line:]
                self._leaving_out = True

    def _note(self, error: UnicodeDecodeError, at: int) -> None:
        report = self._report
        report.bad_lines += 1
        if report.bad_lines == 1:
            report.first_bad = (
                f"0x{error.object[error.start]:02X} at byte {at:,} is not {error.encoding}"
            )
        report.note = f"{counted(report.bad_lines, 'line was', 'lines were')} left out because of bytes that cannot be decoded: {report.first_bad}."


def _json_lines(
    report: FileReport, stream: _Stream, encoding: str, stop: int | None
) -> Iterator[str]:
    """Yields a field of each line that begins before ``stop``; lines without it are only counted."""
    field = report.file.source.field
    first_fault = ""
    number, first = 0, stream.at
    lines = _lines(stream, stop) if breaks_lines(encoding) else _decoded(stream, encoding)
    decode = _DECODER.decode if encoding in _UTF8 and "." not in field else None
    for line in lines:
        number += 1
        if decode is not None and len(line) < LONGEST_LINE:  # nearly all lines
            try:
                text = decode(line)[field]
            except _FAULTS:
                text = None  # what is wrong with it is said below
            if type(text) is str:
                yield text
                continue
        if len(line) >= LONGEST_LINE:
            fault = f"is longer than {LONGEST_LINE:,} bytes"
        elif not line.strip():
            continue
        else:
            try:
                value = _value(line, encoding, first + number == 1)
                text = _member(value, field)
            except UnicodeDecodeError as error:
                fault = f"is not {error.encoding} (0x{error.object[error.start]:02X})"
            except (ValueError, RecursionError):
                fault = "is not JSON"
            else:
                if isinstance(text, str):
                    yield text
                    continue
                fault = f"has no text in the field “{field}”" + (
                    "" if first_fault else _texts_said(value)
                )
        report.bad_lines += 1
        where = f"line {number:,}" + (f" after byte {first:,}" if first else "")
        first_fault = first_fault or f"{where} {fault}"
    if report.bad_lines:
        report.note = f"{report.bad_lines:,} of its lines were left out: {first_fault}."


def _value(line: bytes | str, encoding: str, begins: bool) -> Any:
    """Returns the value of a line of JSON; ``begins``: whether it is the first of a file."""
    if encoding in _UTF8:
        try:
            return _DECODER.decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            pass  # a fault, or one of the few things that only Python's own decoder takes
    if isinstance(line, bytes):
        line = line.decode(encoding if begins else _unmarked(encoding))
    return json.loads(line)


def _lines(stream: _Stream, stop: int | None) -> Iterator[bytes]:
    """Yields the lines that begin before ``stop``; of one that is too long only its beginning."""
    for line in stream.lines(stop):
        yield line
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            stream.begin_line()


def _decoded(stream: _Stream, encoding: str) -> Iterator[str]:
    """Yields the lines of a stream whose bytes are not to be cut at 0x0A."""
    decoder = codecs.getincrementaldecoder(encoding)()
    waiting = ""
    ended = False
    while not ended:
        more = stream.read(_CHUNK)
        ended = not more
        lines = (waiting + decoder.decode(more, ended)).split("\n")
        waiting = lines.pop()[: LONGEST_LINE + 1]
        yield from lines
    if waiting:
        yield waiting


def _member(value: Any, field: str) -> Any:
    """Returns the text in a field, or None."""
    for name in field.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def _texts_said(value: Any) -> str:
    """Returns the fields of a line that hold text, as the end of a sentence; empty if it is no object."""
    if not isinstance(value, dict):
        return ""
    names = [name for name, one in value.items() if isinstance(one, str)]
    names += [
        f"{outer}.{name}"
        for outer, inner in value.items()
        if isinstance(inner, dict)
        for name, one in inner.items()
        if isinstance(one, str)
    ]
    if not names:
        return ", nor in any other"
    shown = ", ".join(map(_shown_name, names[:MOST_COLUMNS]))
    more = f" and {len(names) - MOST_COLUMNS:,} more" if len(names) > MOST_COLUMNS else ""
    return f"; it has text in {shown}{more}"


def _shown_name(name: str) -> str:
    """Returns the name of a field for a sentence: cut where it is long, and escaped where no file could hold it."""
    short = name if len(name) <= 40 else f"{name[:40]}…"
    return short if short.isprintable() else repr(short)
