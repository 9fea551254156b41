"""Scans the bytes of JSON: where each member of an object begins and ends, and where an error is.

A `tokenizer.json` of 33 MB has two huge members and a few small ones. The small ones are extracted and parsed by
the `json` module. The huge ones are read in place by code that knows their content.

`whole_json` reads smaller files as Python values.

Source: RFC 8259. Anything that serde, used by Hugging Face's library, refuses is refused too: nesting beyond
128, lone surrogates, NaN. So is a duplicate member, as it would not be clear which one counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, NoReturn, final

from librt.strings import BytesWriter, read_i64_le
from librt.vecs import vec
from mypy_extensions import i64, u8

from tokenarium_core.errors import FormatError
from tokenarium_core.padded_text import ZEROS

MOST_DEPTH: Final = 128
"""The deepest nesting of objects and lists, the outermost one included: as in serde."""

QUOTE: Final = 34
COMMA: Final = 44
COLON: Final = 58
OPEN_LIST: Final = 91
BACKSLASH: Final = 92
CLOSE_LIST: Final = 93
OPEN_OBJECT: Final = 123
CLOSE_OBJECT: Final = 125
_SPACE: Final = 32
_NEWLINE: Final = 10
_SPACES: Final = 0x2020202020202020
_ZERO: Final = 48
_VALIDATED: Final = 1 << 16  # bytes decoded at once: they stay in the nearest cache


@final
class JsonSpan:
    """Where a value is: ``data[start:stop]``, and its path (``model.vocab``)."""

    def __init__(self, start: i64, stop: i64, path: str) -> None:
        self.start: i64 = start
        self.stop: i64 = stop
        self.path = path


@final
class JsonScanner:
    """The bytes of one JSON file, padded, and its name in errors."""

    def __init__(self, content: bytes, source: str) -> None:
        self.source = source
        self.size: i64 = len(content)
        self.data = content + ZEROS
        self._stack = vec[u8]([0] * MOST_DEPTH)
        self._check_utf8()

    def document(self, entered: str = "") -> dict[str, JsonSpan]:
        """Returns the members of the file's only object by path; also those of its member ``entered``.

        With ``model`` entered: ``version``, ``model``, ``model.vocab`` and so on.
        """
        members: dict[str, JsonSpan] = {}
        start = skip_space(self.data, 0)
        stop = self._object(start, "", entered, members)
        behind = skip_space(self.data, stop)
        if behind < self.size:
            raise self.error(behind, "", "something follows the end of the JSON")
        return members

    def parse(self, span: JsonSpan) -> object:
        """Returns the value at ``span`` as a Python object; FormatError if it is not JSON."""
        try:
            return json.loads(
                self.data[span.start : span.stop],
                object_pairs_hook=_unique,
                parse_constant=_refused,
            )
        except json.JSONDecodeError as error:
            at = span.start + len(error.doc[: error.pos].encode())
            raise self.error(at, span.path, f"this is not JSON: {error.msg}") from error
        except (ValueError, RecursionError) as error:
            raise self.error(span.start, span.path, str(error)) from error

    def enter(self, span: JsonSpan, bracket: i64, what: str) -> i64:
        """Returns the first element within the brackets of a value, which must be of this kind."""
        data = self.data
        byte: i64 = data[span.start]
        if byte != bracket:
            raise self.error(span.start, span.path, f"{what} was expected")
        return skip_space(data, span.start + 1)

    def following(self, at: i64, closing: i64, path: str) -> i64:
        """Returns the next element, or the closing bracket, after an element that ends at ``at``."""
        data = self.data
        at = skip_space(data, at)
        byte: i64 = data[at]
        if byte == closing:
            return at
        if byte != COMMA:
            raise self.error(at, path, f"a comma or {chr(closing)!r} was expected")
        at = skip_space(data, at + 1)
        byte = data[at]
        if byte == closing:
            raise self.error(at, path, "something was expected after the comma")
        return at

    def skip(self, at: i64, path: str) -> i64:
        """Returns the byte after the value at ``at``; FormatError if there is none, or it does not end.

        Strings and the nesting of brackets are checked; the rest is not.
        """
        data = self.data
        stack = self._stack
        outer: i64 = 2  # the object itself, and one around it
        depth = outer
        while True:
            byte: i64 = data[at]
            if byte == QUOTE:
                at = self.skip_string(at, path)
            elif byte == OPEN_OBJECT or byte == OPEN_LIST:
                if depth >= MOST_DEPTH:
                    raise self.error(at, path, f"more than {MOST_DEPTH} brackets are open here")
                stack[depth] = u8(byte + 2)  # the bracket that closes it
                depth += 1
                at += 1
                continue
            elif byte == CLOSE_OBJECT or byte == CLOSE_LIST:
                if depth == outer or i64(stack[depth - 1]) != byte:
                    raise self.error(at, path, f"the bracket {chr(byte)!r} closes none")
                depth -= 1
                at += 1
            elif byte > _SPACE and byte != COMMA and byte != COLON:
                at += 1
                byte = data[at]
                while (
                    (byte > COMMA and byte < COLON)
                    or (byte > COLON and byte < OPEN_LIST)
                    or (byte > 93 and byte < 123)
                ):
                    at += 1
                    byte = data[at]
            elif at >= self.size:
                raise self.error(self.size, path, "the file ends in the middle: it is cut off")
            elif depth == outer:
                raise self.error(at, path, "a value was expected")
            elif byte == _NEWLINE:
                at = skip_space(data, at)
                continue
            else:
                at += 1
                continue
            if depth == outer:
                return at

    def skip_string(self, at: i64, path: str) -> i64:
        """Returns the byte after the string whose opening quote is at ``at``."""
        data = self.data
        start = at
        at += 1
        while True:
            byte: i64 = data[at]
            while byte != QUOTE and byte != BACKSLASH and byte >= _SPACE:
                at += 1
                byte = data[at]
            if byte == QUOTE:
                return at + 1
            if byte != BACKSLASH:
                if at >= self.size:
                    raise self.error(start, path, "this string has no end: the file is cut off")
                raise self.error(at, path, f"the control character 0x{byte:02X} is in a string")
            at = self._skip_escape(at, path)

    def write_string(self, at: i64, writer: BytesWriter) -> i64:
        """Writes what the string at ``at`` stands for; returns the byte after it. `skip` has checked it."""
        data = self.data
        at += 1
        while True:
            start = at
            byte: i64 = data[at]
            while byte != QUOTE and byte != BACKSLASH:
                at += 1
                byte = data[at]
            if at > start:
                writer.write(data[start:at])
            if byte == QUOTE:
                return at + 1
            byte = data[at + 1]
            if byte == 117:  # u
                code = hexadecimal(data, at + 2)
                at += 6
                if code >= 0xD800 and code < 0xE000:
                    code = 0x10000 + ((code - 0xD800) << 10) + hexadecimal(data, at + 2) - 0xDC00
                    at += 6
                write_character(writer, code)
            else:
                writer.append(u8(_escaped(byte)))
                at += 2

    def error(self, at: i64, path: str, what: str) -> FormatError:
        """Returns the error at a byte, with its line, column and path."""
        before = self.data[:at]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        place = f", at {path}" if path else ""
        return FormatError(f"{self.source}, line {line}, column {column}{place}: {what}.")

    def _object(self, at: i64, path: str, entered: str, members: dict[str, JsonSpan]) -> i64:
        """Finds the members of the object at ``at``; returns the byte after it."""
        data = self.data
        byte: i64 = data[at]
        if byte != OPEN_OBJECT:
            raise self.error(at, path, "an object was expected: there is no brace here")
        at = skip_space(data, at + 1)
        byte = data[at]
        if byte == CLOSE_OBJECT:
            return at + 1
        while True:
            byte = data[at]
            if byte != QUOTE:
                raise self.error(at, path, "the name of a member was expected, in quotes")
            start = at
            at = self.skip_string(at, path)
            name = str(json.loads(data[start:at]))
            inner = f"{path}.{name}" if path else name
            if inner in members:
                raise self.error(start, inner, "this member occurs twice")
            at = skip_space(data, at)
            byte = data[at]
            if byte != COLON:
                raise self.error(at, inner, "a colon was expected")
            at = skip_space(data, at + 1)
            start = at
            byte = data[at]
            if name == entered and byte == OPEN_OBJECT:
                at = self._object(at, inner, "", members)
            else:
                at = self.skip(at, inner)
            members[inner] = JsonSpan(start, at, inner)
            at = skip_space(data, at)
            byte = data[at]
            if byte == CLOSE_OBJECT:
                return at + 1
            if byte != COMMA:
                raise self.error(at, path, "a comma or a closing brace was expected")
            at = skip_space(data, at + 1)

    def _skip_escape(self, at: i64, path: str) -> i64:
        data = self.data
        byte: i64 = data[at + 1]
        if byte != 117:
            if _escaped(byte) < 0:
                raise self.error(at, path, "there is no such escape in JSON")
            return at + 2
        code = hexadecimal(data, at + 2)
        if code < 0:
            raise self.error(at, path, "four hexadecimal digits were expected after \\u")
        at += 6
        if code < 0xD800 or code > 0xDFFF:
            return at
        byte = data[at]
        following: i64 = data[at + 1]
        low: i64 = hexadecimal(data, at + 2) if byte == BACKSLASH and following == 117 else -1
        if code > 0xDBFF or low < 0xDC00 or low > 0xDFFF:
            raise self.error(
                at - 6, path, "this is half of a surrogate pair, which is not a character"
            )
        return at + 6

    def _check_utf8(self) -> None:
        data = self.data
        size = self.size
        at: i64 = 0
        while at < size:
            stop = at + _VALIDATED
            if stop < size:
                byte: i64 = data[stop]
                while byte & 0xC0 == 0x80 and stop > at + _VALIDATED - 4:
                    stop -= 1
                    byte = data[stop]
            else:
                stop = size
            try:
                data[at:stop].decode()
            except UnicodeDecodeError as error:
                place = at + error.start
                raise self.error(place, "", f"byte {place} of the file is not UTF-8") from error
            at = stop


def skip_space(data: bytes, at: i64) -> i64:
    """Returns the first byte, starting at ``at``, that is not white space; ``data`` is padded."""
    byte: i64 = data[at]
    while byte == _SPACE or byte == _NEWLINE or byte == 13 or byte == 9:
        at += 1
        while read_i64_le(data, at) == _SPACES:
            at += 8
        byte = data[at]
    return at


def read_number(data: bytes, at: i64) -> i64:
    """Returns the integer at ``at``; -1 if there is none, -2 if it is too large for any id."""
    byte: i64 = data[at]
    if byte < _ZERO or byte > _ZERO + 9:
        return -1
    number: i64 = 0
    while byte >= _ZERO and byte <= _ZERO + 9:
        number = number * 10 + byte - _ZERO
        if number > 0xFFFFFFFF:
            return -2
        at += 1
        byte = data[at]
    return -1 if byte == 46 or byte | 32 == 101 else number


def skip_digits(data: bytes, at: i64) -> i64:
    """Returns the byte after the digits at ``at``."""
    byte: i64 = data[at]
    while byte >= _ZERO and byte <= _ZERO + 9:
        at += 1
        byte = data[at]
    return at


def hexadecimal(data: bytes, at: i64) -> i64:
    """Returns the number of the four hexadecimal digits at ``at``; -1 if they are not digits."""
    number: i64 = 0
    for index in range(at, at + 4):
        byte: i64 = data[index]
        digit: i64 = byte - _ZERO if byte <= 57 else (byte | 32) - 87
        if digit < 0 or digit > 15 or (byte > 57 and digit < 10):
            return -1
        number = number << 4 | digit
    return number


def write_character(writer: BytesWriter, code: i64) -> None:
    """Writes a code point in UTF-8."""
    if code < 0x80:
        writer.append(u8(code))
        return
    if code < 0x800:
        writer.append(u8(0xC0 | code >> 6))
    else:
        if code < 0x10000:
            writer.append(u8(0xE0 | code >> 12))
        else:
            writer.append(u8(0xF0 | code >> 18))
            writer.append(u8(0x80 | code >> 12 & 63))
        writer.append(u8(0x80 | code >> 6 & 63))
    writer.append(u8(0x80 | code & 63))


def _escaped(byte: i64) -> i64:
    """Returns what a backslash and this byte stand for, -1 if they are not an escape."""
    if byte == QUOTE or byte == BACKSLASH or byte == 47:
        return byte
    if byte == 110:
        return 10
    if byte == 116:
        return 9
    if byte == 114:
        return 13
    if byte == 98:
        return 8
    return 12 if byte == 102 else -1


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise ValueError(f"the member {name!r} occurs twice in it")
            seen.add(name)
    return members


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number in JSON")


# A file that is read whole.

_MOST_BYTES: Final = 1 << 26
_MOST_BRACKETS: Final = 1 << 21

Pairs = list[tuple[str, object]]


def whole_json(
    content: bytes, source: str, object_of: Callable[[Pairs], object] | None = None
) -> Any:
    """Returns the value of a file; ``object_of`` makes an object of its fields in order, a dictionary if it is None.

    Raises FormatError if the content is truncated or not JSON in UTF-8, or if a string in it has a
    lone surrogate, which JSON can express but UTF-8 cannot.
    """
    if len(content) > _MOST_BYTES or content.count(b"{") + content.count(b"[") > _MOST_BRACKETS:
        raise FormatError(f"{source} is larger than any such file, and would fill the memory.")
    try:
        text = content.decode("utf-8-sig")
        value = json.loads(text, object_pairs_hook=object_of)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise FormatError(
            f"{source} has half of a surrogate pair, {half}, which is not a character."
        ) from error
    except FormatError:  # of what makes an object
        raise
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{source} is not complete JSON: {error}.") from error
    return value
