"""Edits of JSON in its bytes: one value is set, inserted, renamed or removed, and everything else stays as it is written.

    >>> content = b'{"a": [1, 2],\\n "b": {"c": true}}'
    >>> set_value(content, ("b", "c"), False)
    b'{"a": [1, 2],\\n "b": {"c": false}}'
    >>> insert_item(content, ("a",), 1, "x")
    b'{"a": [1, "x", 2],\\n "b": {"c": true}}'
    >>> remove_value(content, ("a",))
    b'{"b": {"c": true}}'

The values in between are not parsed: a vocabulary is passed over by one regular expression.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple

from tokenarium_core import FormatError

JsonPath = tuple[str | int, ...]
"""The names of members and the places in lists that lead to a value."""

_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
_SPACE: Final = re.compile(rb"[ \t\r\n]*")
_SCALAR: Final = re.compile(rb"[^\s,\]}]+")


class _Member(NamedTuple):
    """A member of an object, or an item of a list: its name or place, where it begins, and where its value is."""

    key: str | int
    begin: int
    start: int
    stop: int


def value_at(content: bytes, path: JsonPath) -> Any:
    """Returns a value; FormatError if there is none."""
    start, stop = _span(content, path)
    return json.loads(content[start:stop])


def set_value(content: bytes, path: JsonPath, value: Any) -> bytes:
    """Returns the content with another value; a member that an object does not have is added at its end."""
    *parents, last = path
    start, stop = _span(content, tuple(parents))
    members = list(_members(content, start))
    for member in members:
        if member.key == last:
            return _put(content, member.start, member.stop, value)
    if not isinstance(last, str) or content[start : start + 1] != b"{":
        raise FormatError(f"There is no {_shown(path)}.")
    name = json.dumps(last, ensure_ascii=False).encode()
    if not members:
        return content[: start + 1] + name + b": " + _written(content, start, value) + content[stop - 1 :]  # fmt: skip
    end = members[-1].stop
    before = _separator(content, start, members[0])
    added = b"," + before + name + b": " + _written(content, members[-1].begin, value)
    return content[:end] + added + content[end:]


def set_values(content: bytes, values: Mapping[JsonPath, Any]) -> bytes:
    """Returns the content with other values at several places, in one pass; what is not there is added as by `set_value`.

    >>> set_values(b'{"a": [1, 2], "b": 3}', {("a", 1): 0, ("b",): [], ("c",): 4})
    b'{"a": [1, 0], "b": [], "c": 4}'
    """
    wanted: dict[str | int, Any] = {}
    for path in values:
        inner = wanted
        for key in path:
            inner = inner.setdefault(key, {})
    start = _skip_space(content, 3 if content.startswith(b"\xef\xbb\xbf") else 0)
    found: dict[JsonPath, tuple[int, int]] = {}
    _find(content, start, (), wanted, values.keys(), found)
    parts, at = [], 0
    for path, (begin, stop) in sorted(found.items(), key=lambda one: one[1]):
        parts += [content[at:begin], _written(content, begin, values[path])]
        at = stop
    content = b"".join([*parts, content[at:]])
    for path, value in values.items():
        if path not in found:
            content = set_value(content, path, value)
    return content


def _find(
    content: bytes,
    start: int,
    path: JsonPath,
    wanted: Mapping[str | int, Any],
    paths: Collection[JsonPath],
    found: dict[JsonPath, tuple[int, int]],
) -> None:
    """Finds where the values of some paths begin and end."""
    left = len(wanted)
    for member in _members(content, start):
        if member.key in wanted:
            inner = (*path, member.key)
            if inner in paths:
                found[inner] = (member.start, member.stop)
            else:
                _find(content, member.start, inner, wanted[member.key], paths, found)
            left -= 1
            if not left:
                return


def insert_item(content: bytes, path: JsonPath, place: int, value: Any) -> bytes:
    """Returns the content with a new item at a place of a list."""
    start, stop = _span(content, path)
    members = list(_members(content, start))
    if not members:
        return content[: start + 1] + _written(content, start, value) + content[stop - 1 :]
    space = _separator(content, start, members[0])
    written = _written(content, members[0].begin, value)
    if place >= len(members):
        end = members[-1].stop
        return content[:end] + b"," + space + written + content[end:]
    at = members[place].begin
    # Between two items is what is between the first two, or else what is before the first.
    between = space
    if place == 0 and len(members) > 1:
        between = content[members[0].stop : members[1].begin].lstrip(b" \t\r\n").removeprefix(b",")
    elif place:
        between = content[members[place - 1].stop : at].lstrip(b" \t\r\n").removeprefix(b",")
    return content[:at] + written + b"," + between + content[at:]


def rename_member(content: bytes, path: JsonPath, name: str) -> bytes:
    """Returns the content with another name of a member."""
    start, _ = _span(content, path[:-1])
    for member in _members(content, start):
        if member.key == path[-1]:
            end = _string_end(content, member.begin)
            written = json.dumps(name, ensure_ascii=False).encode()
            return content[: member.begin] + written + content[end:]
    raise FormatError(f"There is no {_shown(path)}.")


def remove_value(content: bytes, path: JsonPath) -> bytes:
    """Returns the content without a member of an object, or an item of a list."""
    start, _ = _span(content, path[:-1])
    members = list(_members(content, start))
    for place, member in enumerate(members):
        if member.key != path[-1]:
            continue
        if place:
            return content[: members[place - 1].stop] + content[member.stop :]
        end = members[1].begin if len(members) > 1 else member.stop
        return content[: member.begin] + content[end:]
    raise FormatError(f"There is no {_shown(path)}.")


# Where values are.


def _span(content: bytes, path: JsonPath) -> tuple[int, int]:
    """Returns where a value begins and ends."""
    start = _skip_space(content, 3 if content.startswith(b"\xef\xbb\xbf") else 0)
    stop = _end(content, start) if not path else 0
    for depth, key in enumerate(path):
        for member in _members(content, start):
            if member.key == key:
                start, stop = member.start, member.stop
                break
        else:
            raise FormatError(f"There is no {_shown(path[: depth + 1])}.")
    return start, stop


def _members(content: bytes, start: int) -> Iterator[_Member]:
    """Yields the members of an object, or the items of a list, that begins at a byte; none of another value."""
    opening = content[start : start + 1]
    if opening not in (b"{", b"["):
        return
    at = _skip_space(content, start + 1)
    place = 0
    while content[at : at + 1] not in (b"}", b"]", b""):
        begin = at
        key: str | int = place
        if opening == b"{":
            at = _string_end(content, at)
            key = json.loads(content[begin:at])
            at = _skip_space(content, at)
            if content[at : at + 1] != b":":
                raise FormatError("A colon is missing.")
            at = _skip_space(content, at + 1)
        stop = _end(content, at)
        yield _Member(key, begin, at, stop)
        place += 1
        at = _skip_space(content, stop)
        if content[at : at + 1] == b",":
            at = _skip_space(content, at + 1)


def _end(content: bytes, start: int) -> int:
    """Returns the byte after the value that begins at a byte."""
    first = content[start : start + 1]
    if first == b'"':
        return _string_end(content, start)
    if first not in (b"{", b"["):
        found = _SCALAR.match(content, start)
        if found is None:
            raise FormatError("A value is missing.")
        return found.end()
    depth = 0
    for found in _TOKEN.finditer(content, start):
        token = found.group()
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
            if not depth:
                return found.end()
    raise FormatError("A bracket is not closed.")


def _string_end(content: bytes, start: int) -> int:
    found = _TOKEN.match(content, start)
    if found is None or content[start : start + 1] != b'"':
        raise FormatError("A string is missing.")
    return found.end()


def _skip_space(content: bytes, at: int) -> int:
    found = _SPACE.match(content, at)
    return found.end() if found is not None else at


def _shown(path: JsonPath) -> str:
    return ".".join(map(str, path)) or "value"


# How values are written.


def _separator(content: bytes, start: int, first: _Member) -> bytes:
    """Returns the space before each member of an object or a list: a line of its own, or a space."""
    space = content[start + 1 : first.begin]
    return space if b"\n" in space else b" "


def _put(content: bytes, start: int, stop: int, value: Any) -> bytes:
    return content[:start] + _written(content, start, value) + content[stop:]


def _written(content: bytes, at: int, value: Any) -> bytes:
    """Returns a value as JSON in the form of the file: on lines with its indentation, or in one line."""
    unit = _indentation(content)
    if not unit or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    line = content[content.rfind(b"\n", 0, at) + 1 : at]
    margin = line[: len(line) - len(line.lstrip(b" \t"))].decode()
    written = json.dumps(value, ensure_ascii=False, indent=unit)
    return written.replace("\n", f"\n{margin}").encode("utf-8", "surrogatepass")


def _indentation(content: bytes) -> str:
    """Returns the indentation of the first member; empty if the file has no lines of its own for members."""
    found = re.match(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*[{\[][ \t]*\r?\n([ \t]+)", content)
    return found[1].decode() if found is not None else ""
