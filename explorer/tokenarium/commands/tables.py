"""Tables on the terminal: rich draws the frame and the headings; most rows are plain strings.

rich lays out each cell separately, which takes a minute for 100,000 tokens; here only cells that do not fit on one line
are laid out. rich would also break numbers and names if there is little room. Here the widths are chosen so that they
stay whole: first text is wrapped, then columns go into further tables below the first, and finally each row is written
as lines of a heading and a value.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from tokenarium.models.text.piece import harmless

BLOCK = 1000
"""Rows that are written at once."""

WORD = 20
"""Columns of the terminal. A longer word, such as a regular expression, may be broken; no number is that long."""

UNLIMITED = 1 << 24
"""The width if the output is not a terminal: lines may have any length."""

FRAME = 3
"""What a column needs in addition to its cells: a space on each side and a line. One more line ends the row."""


class _Column:
    """The distinct cells of a column, each measured once. ``wraps``: whether its cells are text, which may wrap."""

    def __init__(self, name: str, is_number: bool, wraps: bool, cells: set[str]) -> None:
        self.name = name
        self.wraps = wraps
        self.side: JustifyMethod = "right" if is_number else "left"
        self.width = 0
        self._fitting: dict[str, str] = {}
        self._sizes = {cell: _widest(cell.split("\n")) for cell in cells}
        head = _widest(name.split("\n"))
        self.natural = max(head, *self._sizes.values()) if cells else head
        if wraps:
            words = (min(_widest(cell.split()), WORD) for cell in cells)
            self.least = min(self.natural, max(_widest(name.split()), *words, 2))
        else:
            self.least = self.natural

    def fit(self, width: int) -> None:
        """"""
        self.width = width
        self._fitting.clear()
        for cell, size in self._sizes.items():
            if size <= width and cell.isprintable():
                blanks = " " * (width - size)
                self._fitting[cell] = blanks + cell if self.side == "right" else cell + blanks

    def lines(self, console: Console, cell: str) -> list[str]:
        """Returns the lines of a cell, each as wide as the column."""
        if not self.width:
            return [""]  # nothing in the column can be seen
        if cell in self._fitting:
            return [self._fitting[cell]]
        lines = Text(cell).wrap(console, self.width, justify=self.side, overflow="fold")
        return [line.plain for line in lines]


def write_rows(
    columns: Sequence[tuple[str, bool]],
    rows: Sequence[Sequence[str]],
    title: str,
    wrapping: Collection[int],
    keys: int,
    console: Console | None = None,
) -> None:
    """Writes a table that fits a console, by default that of the standard output.

    The other arguments are those of `terminal.write_table`.
    """
    console = console or terminal_console()
    width = console.width
    rows = [[*map(harmless, row)] for row in rows]
    measured = [
        _Column(harmless(name), is_number, index in wrapping, {row[index] for row in rows})
        for index, (name, is_number) in enumerate(columns)
    ]
    if title:  # it may be wider than the table, and contains names and numbers too
        console.print(Text(harmless(title), "table.title"), soft_wrap=True)
    groups = _groups(measured, keys, width)
    if not groups:
        _write_records(console, measured, rows)
    for group in groups:
        _share_room([measured[place] for place in group], width)
        chosen = (
            rows if len(group) == len(measured) else [[row[at] for at in group] for row in rows]
        )
        _write_table(console, [measured[place] for place in group], chosen)


def terminal_console() -> Console:
    """Returns the console of the standard output, whose lines may have any length if it is no terminal."""
    return Console(width=_terminal_width())


def _terminal_width() -> int:
    """Returns the width of a line: from COLUMNS, or of the terminal; unlimited without one."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    return Console().width if sys.stdout.isatty() else UNLIMITED


def _groups(columns: Sequence[_Column], keys: int, width: int) -> list[list[int]]:
    """Returns which columns are in each table: all, or some after the ``keys`` that each table begins with.

    It is empty if not even the keys and one more column fit next to each other.
    """
    if len(columns) == 1:
        return [[0]]
    first = list(range(min(keys, len(columns))))
    start = sum(columns[place].least + FRAME for place in first) + 1
    groups = [first.copy()]
    used = start
    for place in range(len(first), len(columns)):
        needed = columns[place].least + FRAME
        if used + needed > width and len(groups[-1]) > len(first):
            groups.append(first.copy())
            used = start
        groups[-1].append(place)
        used += needed
        if used > width:
            return []
    return groups if start <= width else []


def _share_room(columns: Sequence[_Column], width: int) -> None:
    """Gives each column its width; if there is too little room, the widest text columns become narrower."""
    room = width - FRAME * len(columns) - 1
    widths = [min(column.natural, room) if column.wraps else column.natural for column in columns]
    while sum(widths) > room:
        given = [size if size > c.least else 0 for c, size in zip(columns, widths, strict=True)]
        widest = max(range(len(columns)), key=given.__getitem__)
        if not given[widest]:
            break
        widths[widest] -= 1
    for column, size in zip(columns, widths, strict=True):
        column.fit(size)


def _write_table(
    console: Console, columns: Sequence[_Column], rows: Sequence[Sequence[str]]
) -> None:
    table = Table(show_header=any(column.name for column in columns))
    for column in columns:
        table.add_column(column.name, justify=column.side, overflow="fold", width=column.width)
    table.add_row(*([""] * len(columns)))
    options = console.options.update_width(sum(c.width + FRAME for c in columns) + 1)
    *head, empty_row, foot = Segment.split_lines(console.render(table, options))
    stroke = "".join(segment.text for segment in empty_row)[:1]
    _write(console, head)
    for start in range(0, len(rows), BLOCK):
        lines: list[str] = []
        for row in rows[start : start + BLOCK]:
            row_lines = _lines(console, columns, row)
            lines += [
                f"{stroke} " + f" {stroke} ".join(cells) + f" {stroke}" for cells in row_lines
            ]
        _write(console, [[Segment("\n".join(lines))]])
    _write(console, [foot])


def _lines(
    console: Console, columns: Sequence[_Column], row: Sequence[str]
) -> Iterator[Sequence[str]]:
    """Yields the lines of a row, usually one, as the parts of its cells."""
    cells = [column.lines(console, cell) for column, cell in zip(columns, row, strict=True)]
    height = max(map(len, cells))
    if height > 1:
        for column, lines in zip(columns, cells, strict=True):
            lines += [" " * column.width] * (height - len(lines))
    yield from zip(*cells, strict=True)


def _write_records(
    console: Console, columns: Sequence[_Column], rows: Sequence[Sequence[str]]
) -> None:
    """Writes each row as lines with a heading and a value, followed by an empty line. Names and numbers stay whole."""
    heads = [column.name.replace("\n/", "/").replace("\n", " ") for column in columns]
    indent = _widest(heads) + 2
    for row in rows:
        for head, column, cell in zip(heads, columns, row, strict=True):
            begin = head + " " * (indent - cell_len(head))
            lines = cell.split("\n")
            if column.wraps:
                room = max(console.width - indent, WORD)
                lines = [line.plain.rstrip() for line in Text(cell).wrap(console, room)]
            text = ("\n" + " " * indent).join(lines)
            _write(console, [[Segment(begin + text)]])
        _write(console, [[]])


def _widest(parts: Iterable[str]) -> int:
    return max(map(cell_len, parts), default=0)


def _write(console: Console, lines: Iterable[Iterable[Segment]]) -> None:
    segments = [segment for line in lines for segment in (*line, Segment.line())]
    console.print(Segments(segments), end="", crop=False, soft_wrap=True)
