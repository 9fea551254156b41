"""Reads untrusted JSON: its time and memory are bounded before it is parsed.

`json` creates objects for everything: a megabyte of brackets becomes 60 MB. One pass over the bytes counts first,
without creating anything.

    >>> read_json(b'{"a": [1, 2.5]}', "It", JsonBounds(1000, 4, 10))
    {'a': [1, 2.5]}
    >>> read_json(b"[[[[[]]]]]", "It", JsonBounds(1000, 4, 10))
    Traceback (most recent call last):
        ...
    tokenarium_core.errors.FormatError: It is nested too deeply: more than 4 lists and objects are inside each other.

`formats.json_scanner` reads the files of tokenizers, which have members of many megabytes.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final, NoReturn, final

from mypy_extensions import i64

from tokenarium_core.errors import FormatError

_QUOTE: Final = 34
_COMMA: Final = 44
_OPEN_LIST: Final = 91
_BACKSLASH: Final = 92
_CLOSE_LIST: Final = 93
_OPEN_OBJECT: Final = 123
_CLOSE_OBJECT: Final = 125

_QUOTED: Final = 40  # characters of a number in a message


@final
class JsonBounds:
    """Limits for JSON: bytes, nesting depth of lists and objects, total number of values.

    ``most_bytes`` counts everything except the longest string, which may have ``most_text`` more bytes: a document with
    one text. A value is a number, a string, a list, an object, true, false or null; member names do not count.
    """

    def __init__(
        self, most_bytes: int, most_depth: int, most_values: int, most_text: int = 0
    ) -> None:
        self.most_bytes = most_bytes
        self.most_depth = most_depth
        self.most_values = most_values
        self.most_text = most_text


def read_json(content: bytes, source: str, bounds: JsonBounds) -> Any:
    """Returns the value of JSON in UTF-8, whose strings may have lone surrogates, escaped or not.

    Raises FormatError, with a message that begins with ``source``, if it exceeds ``bounds``, if
    it is not JSON (RFC 8259), or if a number is NaN or beyond the range of a float. Nothing is parsed until all
    bounds are checked.
    """
    check_json(content, source, bounds)
    try:
        return json.loads(
            content.decode("utf-8", "surrogatepass"),
            parse_constant=_no_number,
            parse_float=_finite,
        )
    except json.JSONDecodeError as error:
        raise FormatError(f"{source} is not valid JSON (line {error.lineno:,}).") from error
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"{source} is not valid JSON (line {line:,}): it is not UTF-8."
        ) from error
    except _NotFinite as error:
        raise FormatError(f"{source} is not valid JSON: {error}") from error
    except (ValueError, RecursionError) as error:  # an integer with thousands of digits
        raise FormatError(f"{source} is not valid JSON: a number in it is too long.") from error


def check_json(content: bytes, source: str, bounds: JsonBounds) -> None:
    """Raises FormatError if `read_json` would do so because of its bounds; does not check that it is JSON."""
    size: i64 = len(content)
    if size > bounds.most_bytes + bounds.most_text:
        raise _too_large(source, bounds)
    most_depth: i64 = bounds.most_depth
    most_marks: i64 = bounds.most_values
    marks: i64 = 0  # one less than the values, or as many where lists are empty
    depth: i64 = 0
    longest: i64 = 0
    at: i64 = 0
    while at < size:
        byte: i64 = content[at]
        at += 1
        if byte == _QUOTE:
            start = at
            while at < size:
                byte = content[at]
                at += 1
                if byte == _QUOTE:
                    break
                if byte == _BACKSLASH:
                    at += 1
            if at - start > longest:
                longest = at - start
        elif byte == _COMMA:
            marks += 1
        elif byte == _OPEN_LIST or byte == _OPEN_OBJECT:
            marks += 1
            depth += 1
            if depth > most_depth:
                raise FormatError(
                    f"{source} is nested too deeply: more than {bounds.most_depth:,} lists and objects are inside one"
                    " another."
                )
        elif byte == _CLOSE_LIST or byte == _CLOSE_OBJECT:
            depth -= 1
        if marks > most_marks:
            raise FormatError(
                f"{source} contains too much: more than {bounds.most_values:,} values."
            )
    if size - longest > bounds.most_bytes:
        raise _too_large(source, bounds)


def _too_large(source: str, bounds: JsonBounds) -> FormatError:
    most = bounds.most_bytes
    unit = f"{most >> 20:,} MB" if most >= 1 << 20 else f"{most:,} bytes"
    return FormatError(
        f"{source} is too large: at most {unit} are allowed{_APART if bounds.most_text else ''}."
    )


_APART: Final = " apart from a text"


class _NotFinite(ValueError):
    """A number that a float cannot represent, or that is not a number."""


def _no_number(name: str) -> NoReturn:
    raise _NotFinite(f"{name} is not a number.")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        shown = digits if len(digits) <= _QUOTED else f"{digits[:_QUOTED]}…"
        raise _NotFinite(f"the number {shown} is too large.")
    return number
