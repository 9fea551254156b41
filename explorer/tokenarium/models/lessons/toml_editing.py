"""Changes single values in the TOML of lessons: all that is not changed keeps its bytes, comments and unknown keys too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple
from unicodedata import category

from tokenarium.models.lessons.limits import MOST_BLOCK
from tokenarium.models.lessons.toml import QUOTED_OR_COMMENT, TomlError, read_toml

_PARTS: Final = re.compile(QUOTED_OR_COMMENT.pattern + r"|[\[\]{},=\n]", re.DOTALL)


class _Statement(NamedTuple):
    """A statement: its first character and the one after its last, without the end of its line.

    ``path`` is its key, after that of its ``table``; that of a header is the table's, and its value has no characters.
    """

    start: int
    end: int
    table: tuple[str, ...]
    path: tuple[str, ...]
    key: tuple[int, int]
    value: tuple[int, int]

    @property
    def is_header(self) -> bool:
        return self.value[0] == self.value[1]


def with_value(
    text: str, path: Sequence[str], value: object, order: Sequence[str] = (), most: int = MOST_BLOCK
) -> str:
    """Returns TOML with another value at a path of keys; None removes it.

    A new key comes after those that are before it in ``order``. TomlError if the text has a fault, or the value is
    where it cannot be changed alone.
    """
    path = tuple(path)
    before = _at(read_toml(text, most, "this block"), path)
    if before == value and type(before) is type(value):
        return text
    pairs = list(_statements_of(text))
    found = next((pair for pair in pairs if pair.path == path and not pair.is_header), None)
    if found is not None and value is None:
        return _without(text, found)
    if found is not None:
        start, end = found.value
        written = _changed(text[start:end], before, value)
        return text[:start] + written + text[end:]
    if isinstance(value or before, Mapping):
        old, new = (dict(one) if isinstance(one, Mapping) else {} for one in (before, value))
        return _with_table(text, path, old, new, order, most)
    if before is not None:
        raise TomlError("this value is written in a way that only its text can change.")
    if value is None:
        return text
    return _inserted(text, pairs, path, value, order)


def _at(values: Any, path: Sequence[str]) -> Any:
    for key in path:
        values = values.get(key) if isinstance(values, dict) else None
    return values


def _with_table(
    text: str,
    path: tuple[str, ...],
    before: Mapping[str, object],
    after: Mapping[str, object],
    order: Sequence[str],
    most: int,
) -> str:
    """Returns TOML with another table, pair by pair: a key that takes the place of another keeps its place."""
    gone = [key for key in before if key not in after]
    new = [key for key in after if key not in before]
    if not before and after and not any(pair.path == path for pair in _statements_of(text)):
        inside = "".join(f"{_key(key)} = {toml_of(item)}\n" for key, item in after.items())
        head = text if not text or text.endswith("\n") else f"{text}\n"
        gap = "\n" if head.strip() else ""
        return f"{head}{gap}[{'.'.join(map(_key, path))}]\n{inside}"
    for old, key in zip(gone, new, strict=False):
        pair = next((one for one in _statements_of(text) if one.path == (*path, old)), None)
        if pair is None:
            raise TomlError("this value is written in a way that only its text can change.")
        text = text[: pair.key[0]] + _key(key) + text[pair.key[1] :]
    for key in gone[len(new) :]:
        text = with_value(text, (*path, key), None, order, most)
    for key, item in after.items():
        text = with_value(text, (*path, key), item, order, most)
    return text


def _without(text: str, pair: _Statement) -> str:
    """Returns TOML without a pair; a comment beside it stays."""
    comment = text[pair.value[1] : pair.end].strip()
    end = pair.end + text.startswith("\n", pair.end) if not comment else pair.end
    return text[: pair.start] + comment + text[end:]


def _inserted(
    text: str,
    pairs: Sequence[_Statement],
    path: tuple[str, ...],
    value: object,
    order: Sequence[str],
) -> str:
    """Returns TOML with a new pair, after the last one of its table that comes before it."""
    table = path[:-1]
    header = next((pair for pair in pairs if pair.is_header and pair.path == table), None)
    if table and header is None:
        raise TomlError("this value is written in a way that only its text can change.")
    inside = [pair for pair in pairs if not pair.is_header and pair.table == table]
    earlier = order[: order.index(path[-1])] if path[-1] in order else ()
    if earlier and not table:
        inside = [pair for pair in inside if pair.path[0] in earlier or pair.path[0] not in order]
    at = inside[-1].end if inside else header.end if header is not None else 0
    line = f"{_key(path[-1])} = {lines_of(value) if isinstance(value, str) else toml_of(value)}"
    if not at:
        return f"{line}\n{text}"
    return f"{text[:at]}\n{line}{text[at:]}"


def _changed(written: str, before: object, value: object) -> str:
    """Returns a value as it is written, changed into another: the equal items of a list keep their bytes."""
    if isinstance(before, list) and isinstance(value, list | tuple) and before and value:
        spans = _items(written)
        if len(spans) == len(before):
            return _changed_list(written, before, list(value), spans)
    if isinstance(value, str):
        quote = written[:3] if written[:3] in ('"""', "'''") else written[:1]
        return lines_of(value, quote)
    return toml_of(value)


def _changed_list(
    written: str, before: list[Any], value: list[Any], spans: Sequence[tuple[int, int]]
) -> str:
    first = 0
    while first < min(len(before), len(value)) and _same(before[first], value[first]):
        first += 1
    last = 0
    while last < min(len(before), len(value)) - first and _same(
        before[-1 - last], value[-1 - last]
    ):
        last += 1
    old, new = spans[first : len(spans) - last], value[first : len(value) - last]
    # As many as there were are replaced one by one, so what is between them stays.
    for (start, end), item, former in reversed(
        list(zip(old, new, before[first : first + len(old)], strict=False))
    ):
        written = written[:start] + _changed(written[start:end], former, item) + written[end:]
    if len(new) > len(old):
        spans = _items(written)
        at = first + len(old)
        rest = [toml_of(item) for item in new[len(old) :]]
        gap = _gap(written, spans)
        if at:
            place = spans[at - 1][1]
            return written[:place] + "".join(f",{gap}{item}" for item in rest) + written[place:]
        place = spans[0][0]
        return written[:place] + "".join(f"{item},{gap}" for item in rest) + written[place:]
    if len(old) > len(new):
        spans = _items(written)
        start, end = first + len(new), first + len(old)
        if end < len(spans):
            return written[: spans[start][0]] + written[spans[end][0] :]
        return written[: spans[start - 1][1]] + written[spans[end - 1][1] :]
    return written


def _same(one: object, other: object) -> bool:
    return one == other and type(one) is type(other)


def _gap(written: str, spans: Sequence[tuple[int, int]]) -> str:
    """Returns the white space between the items of a list."""
    before = written[1 : spans[0][0]]
    return "\n" + before.rpartition("\n")[2] if "\n" in before and before.isspace() else " "


def _items(written: str) -> list[tuple[int, int]]:
    """Returns the first character of each item of a list, and the one after its last."""
    spans: list[tuple[int, int]] = []
    depth, start, end = 0, -1, -1
    at = 0
    for part in _PARTS.finditer(written):
        mark = part[0]
        between = written[at : part.start()]
        if depth == 1 and between.strip():
            if start < 0:
                start = at + len(between) - len(between.lstrip())
            end = at + len(between.rstrip())
        at = part.end()
        if mark in ("[", "{"):
            if depth == 1 and start < 0:
                start = part.start()
            depth += 1
        elif mark in ("]", "}"):
            depth -= 1
            if depth == 1:
                end = part.end()
        if (mark == "," and depth == 1) or depth == 0:
            if start >= 0:
                spans.append((start, end))
            start = -1
            if depth == 0:
                break
        elif depth == 1 and mark[0] in "\"'":
            start = part.start() if start < 0 else start
            end = part.end()
    return spans


def _statements_of(text: str) -> Iterator[_Statement]:
    """Yields the headers of tables and the pairs of a valid text of TOML."""
    table: tuple[str, ...] = ()
    for start, end in _statements(text):
        statement = text[start:end]
        stripped = statement.strip()
        if not stripped or stripped[0] == "#":
            continue
        lead = start + len(statement) - len(statement.lstrip())
        if stripped[0] == "[":
            table = _path(stripped.partition("]")[0].strip("[ \t"))
            yield _Statement(start, end, table, table, (lead, lead), (end, end))
            continue
        equals = next(part.start() for part in _PARTS.finditer(text, start) if part[0] == "=")
        value = equals + 1
        while text[value] in " \t":
            value += 1
        last = end
        for part in _PARTS.finditer(text, value, end):
            if part[0][0] == "#":
                last = part.start()
            elif not part[0].isspace():
                last = end
        key = text[lead:equals].rstrip()
        yield _Statement(
            start,
            end,
            table,
            table + _path(key),
            (lead, lead + len(key)),
            (value, value + len(text[value:last].rstrip())),
        )


def _path(written: str) -> tuple[str, ...]:
    """Returns a key with its dots as the keys of the tables that it leads through."""
    values: Any = read_toml(f"{written} = 0", MOST_BLOCK, "this key")
    path: list[str] = []
    while isinstance(values, dict):
        key, values = next(iter(values.items()))
        path.append(key)
    return tuple(path)


def _statements(text: str) -> Iterator[tuple[int, int]]:
    """Yields the lines of a text, several together where a list or a text goes on."""
    start = depth = 0
    for part in _PARTS.finditer(text):
        mark = part[0]
        if mark == "\n" and depth == 0:
            yield start, part.start()
            start = part.end()
        elif mark in ("[", "{"):
            depth += 1
        elif mark in ("]", "}"):
            depth -= 1
    if start < len(text):
        yield start, len(text)


# Values as TOML.


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else toml_of(key)


def lines_of(text: str, quote: str = "") -> str:
    """Returns a text as TOML: line by line, to be read and edited, where nothing in it has a meaning there.

    ``quote`` is the quotation mark that it had before, which stays where it can.
    """
    odd = any(part in text for part in ("\\", '"""', "```", "~~~", "+++"))
    lines = text.split("\n")
    plain = all(map(_is_plain, lines))
    if len(lines) > 1 and plain and not odd and not text.endswith('"'):
        return f'"""\n{text}"""'
    if (
        len(lines) == 1
        and plain
        and quote in ("'", "'''")
        and quote not in text
        and text[-1:] != "'"
    ):
        return f"{quote}{text}{quote}"
    if len(lines) == 1 and plain and '"' in text and "'" not in text:
        return f"'{text}'"
    return toml_of(text)


def _is_plain(line: str) -> bool:
    """Whether a line has no signs for the control of a terminal, and no ends of lines of another kind."""
    return line.isprintable() or all(
        category(character) not in ("Cc", "Zl", "Zp", "Cs") for character in line
    )


def toml_of(value: Any) -> str:
    """Returns a value as TOML, in a line.

    >>> toml_of({"a": ["x\\n", 1], "b-c": True})
    '{ "a" = ["x\\\\n", 1], "b-c" = true }'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        inside = ", ".join(
            f"{toml_of(str(key))} = {toml_of(item)}"
            for key, item in value.items()
            if item is not None
        )
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml_of(item) for item in value if item is not None)}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
