"""Tables whose columns are declared once: a window, a file and a terminal show what each has room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from tokenarium.models.text.marked import MarkedPart

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class TableCell:
    """One value. ``text`` is how a window shows it, and a terminal too without ``printed``.

    ``exact`` is what files hold (``text`` by default), ``order`` what rows are sorted by (``exact`` by default),
    ``value`` what JSON holds. ``colour`` is the identity of a tokenizer, whose marker is shown; -1 for none. ``marked``
    returns the parts of a text that has changed.
    """

    text: str
    exact: str | None = None
    printed: str | None = None
    order: float | str | None = None
    tip: str = ""
    colour: int = -1
    marked: Callable[[], Sequence[MarkedPart]] | None = None
    value: object = None

    @property
    def written(self) -> str:
        """What files hold."""
        return self.text if self.exact is None else self.exact

    @property
    def sorted_by(self) -> float | str:
        """What rows are sorted by."""
        return self.written if self.order is None else self.order


@dataclass(frozen=True, slots=True)
class TableColumn(Generic[R]):
    """A column: its cell in a row, and its heads in a window, in files and on a terminal; None if it is left out.

    ``json`` is its name in JSON. ``term``: a name of the glossary. ``spare``: a narrow window leaves it out, the first ones first. ``grows``:
    it takes the room that is left.
    """

    cell: Callable[[R], TableCell]
    title: str | None = None
    file: str | None = None
    terminal: str | None = None
    number: bool = True
    term: str = ""
    tip: str = ""
    colour: int = -1
    spare: bool = False
    grows: bool = False
    json: str = ""


def printed_column(
    head: str | None,
    value: Callable[[R], Any],
    form: Callable[[Any], str] | None = None,
    json: str = "",
    grows: bool = False,
) -> TableColumn[R]:
    """Returns a column of a terminal and of JSON.

    A ``form`` writes its numbers on the terminal; without one it has text, and nothing for None.

    >>> size = printed_column("size", len, "{:,}".format, json="bytes")
    >>> table = Table([printed_column("word", str), size], ["ab"])
    >>> table.printed()
    ([('word', False), ('size', True)], [['ab', '2']], [])
    >>> table.values()
    [{'bytes': 2}]
    """

    def cell(row: R) -> TableCell:
        number = value(row)
        return TableCell("" if number is None else (form or str)(number), value=number)

    return TableColumn(cell, terminal=head, number=form is not None, grows=grows, json=json)


COUNT = "{:,}".format
"""Writes a number with commas between its thousands."""


@dataclass(frozen=True, slots=True)
class Table(Generic[R]):
    """Rows under columns. ``key`` returns what tells a row from the others; ``title`` is written above it on a terminal;
    files have the rows that are ``ready``. A terminal that is too narrow repeats the first ``keys`` columns.

    In a window, at most ``seen`` rows are seen at a time; ``sortable``: a click on a head sorts. ``scrolls``: the
    columns are too many for any window, which scrolls them.
    """

    columns: Sequence[TableColumn[R]]
    rows: Sequence[R]
    key: Callable[[R], str] = str
    title: str = ""
    ready: Callable[[R], bool] = lambda _: True
    seen: int = 9
    sortable: bool = False
    scrolls: bool = False
    keys: int = 1

    @property
    def shown(self) -> list[TableColumn[R]]:
        """The columns of a window."""
        return [column for column in self.columns if column.title is not None]

    def lines(self) -> list[list[str]]:
        """Returns the table as files hold it, with its head; [] without rows."""
        columns = [column for column in self.columns if column.file is not None]
        heads = [column.file or "" for column in columns]
        cells = [
            [column.cell(row).written for column in columns] for row in self.rows if self.ready(row)
        ]
        return [heads, *cells] if cells else []

    def values(self) -> list[dict[str, object]]:
        """Returns the rows as JSON holds them."""
        columns = [column for column in self.columns if column.json]
        return [{column.json: column.cell(row).value for column in columns} for row in self.rows]

    def printed(self) -> tuple[list[tuple[str, bool]], list[list[str]], list[int]]:
        """Returns heads with whether they are above numbers, rows, and the places of columns of text, for a terminal."""
        columns = [column for column in self.columns if column.terminal is not None]
        heads = [(column.terminal or "", column.number) for column in columns]
        cells = [[column.cell(row) for column in columns] for row in self.rows]
        rows = [
            [cell.text if cell.printed is None else cell.printed for cell in row] for row in cells
        ]
        return heads, rows, [at for at, column in enumerate(columns) if column.grows]


def facts_table(facts: Sequence[tuple[str, str]], title: str) -> Table[tuple[str, str]]:
    """Returns a table of facts for a terminal: the name of each, and what is so."""
    columns: list[TableColumn[tuple[str, str]]] = [
        printed_column("", lambda fact: fact[0]),
        printed_column("", lambda fact: fact[1], grows=True),
    ]
    return Table(columns, facts, title=title)
