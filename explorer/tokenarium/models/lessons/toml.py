"""Reads the TOML of lessons within bounds of size and depth, which are checked before it is parsed.

A parser needs memory for each part of a name with dots, and for all parts before it: without a bound, some kilobytes
of dots take gigabytes.
"""

from __future__ import annotations

import re
from typing import Any, Final

from tokenarium.models.lessons.limits import MOST_DEPTH, MOST_NUMBER


class TomlError(Exception):
    """A text is not TOML that a lesson may have; ``line`` is where, from 1 on."""

    def __init__(self, said: str, line: int = 1) -> None:
        super().__init__(said)
        self.line = line


def read_toml(text: str, most: int, what: str, depth: int = MOST_DEPTH) -> dict[str, Any]:
    """Returns the values of a text of at most ``most`` characters; TomlError if it has none. ``what`` is its name.

    Numbers are finite and not larger than `MOST_NUMBER`, and there are no dates: all values are those of JSON.
    """
    import tomllib  # which the start does without

    if len(text) > most:
        raise TomlError(f"{what} has {len(text):,} characters, more than {most:,}: shorten it.")
    _refuse_depth(text, what, depth)
    try:
        values = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise TomlError(f"this is not valid TOML: {error}.", _line_in(str(error), text)) from error
    except ValueError as error:  # Python's limit for the digits of a number
        raise TomlError(_NUMBER) from error
    _refuse_values(values)
    return values


_NUMBER: Final = f"a number is larger than {MOST_NUMBER:,}: write a smaller one."

QUOTED_OR_COMMENT: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5}|\Z)|' + r"'''(?:[^']|'(?!''))*+(?:'{3,5}|\Z)|"
    r'"(?:[^"\\\n]|\\.)*+"?|' + r"'[^'\n]*+'?|#[^\n]*+",
    re.DOTALL,
)
"""Strings and comments. One without an end goes on to where the parser gives up, so each place is looked at once."""

_MARKS: Final = re.compile(r"[\[\]{}=,.\n]")


def _refuse_depth(text: str, what: str, most: int) -> None:
    """Raises TomlError for too many lists and tables inside each other, or parts of a name."""
    inside = dots = 0
    for token in _MARKS.finditer(QUOTED_OR_COMMENT.sub("s", text)):
        mark = token[0]
        if mark == ".":
            dots += 1
        else:
            dots = 0
        if mark in "[{":
            inside += 1
        elif mark in "]}":
            inside -= 1
        if inside > most or dots > most:
            raise TomlError(f"{what} is nested more than {most} deep: make it flatter.")


def _refuse_values(value: object) -> None:
    """Raises TomlError for what JSON does not have: dates, numbers that are not finite; and for very large ones."""
    if isinstance(value, dict):
        for item in value.values():
            _refuse_values(item)
    elif isinstance(value, list):
        for item in value:
            _refuse_values(item)
    elif isinstance(value, int | float):
        if not abs(value) <= MOST_NUMBER:  # nor is that so of what is no number
            raise TomlError(_NUMBER)
    elif not isinstance(value, str):
        raise TomlError("there is a date or a time, which is not allowed here: write it as a text.")


def _line_in(message: str, text: str) -> int:
    """Returns the line that an error of tomllib names, which is the last one for a text that does not end."""
    if "end of document" in message:
        return text.rstrip("\n").count("\n") + 1
    match = re.search(r"line ([0-9]{1,9})\b", message)
    return int(match[1]) if match else 1
