"""Programs in Python that reproduce the figures of a page, with the functions that the page itself calls.

A program has the text and the settings of the page, opens its tokenizers, and ends with ``rows``, a list with a dict for
each row, which it prints as CSV; ``pandas.DataFrame(rows)`` makes a table of it.

    >>> print(program("A word", "", "rows = [{'characters': len(TEXT)}]", text="low"))
    ... # doctest: +ELLIPSIS
    \"\"\"Makes the figures of “A word” again: `rows` has them.
    ...
    TEXT = 'low'
    <BLANKLINE>
    rows = [{'characters': len(TEXT)}]
    <BLANKLINE>
    print_rows(rows)
    <BLANKLINE>
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any, Literal

from tokenarium.models.csv_text import csv_text
from tokenarium_core import __version__
from tokenarium_core.progress import Progress

MOST_TEXT = 20_000
"""Characters of a text that a program holds; a longer one is read from a file."""

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class CodeTokenizer:
    """A tokenizer in a program: its name there, what opens it, and the pattern that it is opened with, if any.

    ``shipped`` is the id of one that comes with Tokenarium, which is opened by that.
    """

    name: str
    source: str
    pattern: str = ""
    shipped: str = ""

    @property
    def opening(self) -> str:
        """The expression that opens it."""
        source = f"shipped_path({self.shipped!r})" if self.shipped else repr(self.source)
        return f"tc.open({source}{f', pattern={self.pattern!r}' if self.pattern else ''})"


@dataclass(frozen=True, slots=True)
class CodeValue:
    """A value of a program that is written as an expression; ``imports`` are the lines that it needs."""

    expression: str
    imports: str = ""


def program(
    title: str,
    imports: str,
    body: str,
    *,
    text: str | None = None,
    file: str = "",
    tokenizers: Sequence[CodeTokenizer] | None = None,
    front: CodeTokenizer | None = None,
    values: Mapping[str, object] | None = None,
) -> str:
    """Returns a program: ``imports`` are the lines that ``body`` needs, which makes ``rows``.

    The names that it has are ``TEXT`` (read from ``file`` if it is long), ``TOKENIZERS``, a dict by name, or
    ``TOKENIZER`` for the one in ``front``, and the ``values`` by theirs.
    """
    needed = [*imports.split("\n"), "from tokenarium.models.programs import print_rows"]
    data = []
    if text is not None:
        data.append(_text(text, file, needed))
    if tokenizers is not None:
        opened = [f"    {tokenizer.name!r}: {tokenizer.opening}," for tokenizer in tokenizers]
        data.append("\n".join(["TOKENIZERS = {", *opened, "}"]))
    if front is not None:
        data.append(f"TOKENIZER = {front.opening}")
    both = [*(tokenizers or ()), *([front] if front is not None else [])]
    if both:
        needed.append("import tokenarium_core as tc")
    if any(tokenizer.shipped for tokenizer in both):
        needed.append("from tokenarium.resources.shipped_tokenizers import shipped_path")
    for name, value in (values or {}).items():
        if isinstance(value, CodeValue):
            needed += value.imports.split("\n")
        data.append(f"{name} = {written(value)}")
    head = (
        f'"""Reproduces the figures of “{_in_docstring(title)}” in `rows`.\n\n'
        f'Made with Tokenarium {__version__}.\n"""'
    )
    parts = [head, _sorted_imports(needed), "\n".join(data), body.strip("\n"), "print_rows(rows)"]
    return "\n\n".join(part for part in parts if part) + "\n"


def _in_docstring(text: str) -> str:
    return text.replace("\\", "").replace('"', "”")


def _text(text: str, file: str, needed: list[str]) -> str:
    if len(text) <= MOST_TEXT:
        return f"TEXT = {written(text)}"
    needed += ["from pathlib import Path", "from tokenarium.models.text.text_file import read_text"]
    if file:
        return f"TEXT = read_text(Path({file!r}))"
    return 'TEXT = read_text(Path("text.txt"))  # save the text of the window there first'


def written(value: object) -> str:
    """Returns a value as Python's source has it: a text of several lines with a line for each, dataclasses in short.

    >>> written("a"), written("a\\nb")
    ("'a'", "(\\n    'a\\\\n'\\n    'b'\\n)")
    """
    if isinstance(value, CodeValue):
        return value.expression
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {written(item)}' for key, item in value.items())}}}"
    if is_dataclass(value):
        parts = [
            repr(getattr(value, field.name))
            if field.default is MISSING
            else f"{field.name}={getattr(value, field.name)!r}"
            for field in fields(value)
            if field.default is MISSING or getattr(value, field.name) != field.default
        ]
        return f"{type(value).__name__}({', '.join(parts)})"
    lines = value.splitlines(keepends=True) if isinstance(value, str) else []
    if len(lines) > 1:
        return "\n".join(["(", *(f"    {line!r}" for line in lines), ")"])
    return repr(value)


def _sorted_imports(lines: Iterable[str]) -> str:
    """Returns the lines of imports in the usual groups: Python's own, others, and this project's."""
    names: dict[str, set[str]] = {}  # by module; none for "import module"
    for line in filter(None, lines):
        module, _, listed = line.partition(" import ")
        names.setdefault(module, set()).update(filter(None, listed.split(", ")))
    groups: tuple[list[str], ...] = ([], [], [])
    for module, imported in sorted(names.items(), key=lambda one: (bool(one[1]), one[0])):
        line = f"{module} import {', '.join(sorted(imported))}" if imported else module
        root = re.split(r"[ .]", module)[1]
        ours = root in ("tokenarium", "tokenarium_core")
        groups[0 if root in sys.stdlib_module_names else 1 + ours].append(line)
    return "\n\n".join("\n".join(group) for group in groups if group)


# What programs call.


def print_rows(rows: Sequence[Row]) -> None:
    """Prints rows as CSV, with the names of all their columns as the head."""
    heads = list(dict.fromkeys(name for row in rows for name in row))
    text = csv_text([heads, *([row.get(name, "") for name in heads] for row in rows)])
    sys.stdout.write(text.encode("utf-8", "replace").decode())


def rows_of(table: str | Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """Returns the rows of a table, as its cells with the head or as CSV; columns of numbers are numbers.

    >>> rows_of("name,tokens\\nlow,12\\n007,3\\n")
    [{'name': 'low', 'tokens': 12}, {'name': '007', 'tokens': 3}]
    """
    lines = list(csv.reader(io.StringIO(table))) if isinstance(table, str) else list(table)
    if not lines:
        return []
    heads, *cells = lines
    columns = [_column([line[index] for line in cells]) for index in range(len(heads))]
    return [dict(zip(heads, row, strict=True)) for row in zip(*columns, strict=True)]


_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d+)?(?:e[+-]\d+)?")


def _column(cells: Sequence[str]) -> Sequence[str | int | float | None]:
    numbers = [cell for cell in cells if cell]
    if not numbers or not all(_NUMBER.fullmatch(cell) for cell in numbers):
        return cells
    whole = all(cell.lstrip("-").isdecimal() for cell in numbers)
    return [(int(cell) if whole else float(cell)) if cell else None for cell in cells]


def run(job: Any) -> Any:
    """Runs a job, such as `tokenarium_core.NestedCuts`, to its end, and returns it."""
    progress: Progress = job.step(1000)
    while not progress.finished:
        progress = job.step(1000)
    return job


class NoReport:
    """Takes the reports of work that a window runs in a process of its own; here they are not needed."""

    asked_to_stop: Literal[False] = False
    wish: None = None

    def __call__(self, progress: object) -> None:
        """Takes a report."""
