"""Tables on the terminal: rich draws the frame and finds the widths, and most rows are plain strings in between.

rich lays out each cell as a text of its own, which takes a minute for 100,000 tokens. So it is shown the widest cells
alone, and lays out only what does not fit into one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

BLOCK = 1000
"""Rows that are written at once."""


NARROWEST = 2
"""Places of the terminal that a column has at least: a wide character takes as many."""


class _Column:
    """The distinct cells of a column, each measured once: ``fitting`` are those of one line, as wide as the column."""

    def __init__(self, name: str, is_number: bool, cells: set[str]) -> None:
        self.name = name
        self.side: JustifyMethod = "right" if is_number else "left"
        self.fitting: dict[str, str] = {}
        self._sizes = {cell: max(map(cell_len, cell.split("\n"))) for cell in cells}
        self._width = 0

    @property
    def widest(self) -> str:
        return max(self._sizes, key=self._sizes.__getitem__, default="")

    def fit(self, width: int) -> None:
        """Makes the column so wide."""
        self._width = width
        for cell, size in self._sizes.items():
            if size <= width and cell.isprintable():
                blanks = " " * (width - size)
                self.fitting[cell] = blanks + cell if self.side == "right" else cell + blanks

    def lines(self, console: Console, cell: str) -> list[str]:
        """Returns the lines of a cell, each as wide as the column."""
        if cell in self.fitting:
            return [self.fitting[cell]]
        lines = Text(cell).wrap(console, self._width, justify=self.side, overflow="fold")
        return [line.plain for line in lines]

    def blank(self) -> str:
        """Returns a line of a cell that has no more."""
        return " " * self._width


def write_rows(
    columns: Sequence[tuple[str, bool]], rows: Sequence[Sequence[str]], title: str
) -> None:
    """Writes a table as wide as the terminal; the arguments are those of `terminal.write_table`."""
    console = Console()
    made = [
        _Column(name, is_number, {row[place] for row in rows})
        for place, (name, is_number) in enumerate(columns)
    ]
    head, empty_row, foot = _frame(console, made, title)
    for column, blanks in zip(made, re.findall(" +", empty_row), strict=True):
        column.fit(len(blanks) - 2)
    fill = re.sub(" +", " {} ", empty_row).format
    _write(console, head)
    for start in range(0, len(rows), BLOCK):
        lines: list[str] = []
        for row in rows[start : start + BLOCK]:
            try:
                cells = [column.fitting[cell] for column, cell in zip(made, row, strict=True)]
                lines.append(fill(*cells))
            except KeyError:
                lines += [fill(*cells) for cells in _folded(console, made, row)]
        _write(console, [[Segment("\n".join(lines))]])
    _write(console, [foot])


def _frame(
    console: Console, columns: Sequence[_Column], title: str
) -> tuple[list[list[Segment]], str, list[Segment]]:
    """Returns what stands above the rows of a table, a row of empty cells, and what stands below."""
    table = Table(
        title=Text(title, "table.title") if title else None,
        title_justify="left",
        show_header=any(column.name for column in columns),
    )
    for column in columns:
        table.add_column(column.name, justify=column.side, overflow="fold", min_width=NARROWEST)
    for cells in ([], [column.widest for column in columns], []):
        table.add_row(*map(Text, cells))
    least = (NARROWEST + 3) * len(columns) + 1  # with the blanks and strokes around each column
    options = console.options.update_width(max(console.width, least))
    lines = list(Segment.split_lines(console.render(table, options)))
    empty_row, foot = lines[-2:]
    head = lines[: lines.index(empty_row)]
    return head, "".join(segment.text for segment in empty_row), foot


def _folded(
    console: Console, columns: Sequence[_Column], row: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """Yields the lines of a row of several lines, each as what its cells have there."""
    cells = [column.lines(console, cell) for column, cell in zip(columns, row, strict=True)]
    height = max(map(len, cells))
    for column, lines in zip(columns, cells, strict=True):
        lines += [column.blank()] * (height - len(lines))
    yield from zip(*cells, strict=True)


def _write(console: Console, lines: Iterable[Iterable[Segment]]) -> None:
    segments = [segment for line in lines for segment in (*line, Segment.line())]
    console.print(Segments(segments), end="", crop=False)
