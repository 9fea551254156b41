"""Tables whose columns are declared once: a window, a file and a terminal show what each has room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from tokenarium.models.text.marked import MarkedPart

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class TableCell:
    """One value. ``text`` is how a window shows it, and a terminal too without ``printed``.

    ``exact`` is what files hold (``text`` by default), ``order`` what rows are sorted by (``exact`` by default). ``colour`` is
    the identity of a tokenizer, whose marker is shown; -1 for none. ``marked`` returns the parts of a text that has changed.
    """

    text: str
    exact: str | None = None
    printed: str | None = None
    order: float | str | None = None
    tip: str = ""
    colour: int = -1
    marked: Callable[[], Sequence[MarkedPart]] | None = None

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
    """A column: its cell in a row, and its heads in a window, in files and on a terminal; None where it is left out.

    ``term``: a name of the glossary. ``spare``: a narrow window leaves it out. ``grows``: it takes the room that is left.
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


@dataclass(frozen=True, slots=True)
class Table(Generic[R]):
    """Rows under columns. ``key`` returns what tells a row from the others; ``title`` is written above it on a terminal;
    files have the rows that are ``ready``.

    In a window, ``seen`` rows are seen at once at most; ``sortable``: a click on a head sorts. ``scrolls``: the columns are
    too many for any window, which scrolls them.
    """

    columns: Sequence[TableColumn[R]]
    rows: Sequence[R]
    key: Callable[[R], str]
    title: str = ""
    ready: Callable[[R], bool] = lambda _: True
    seen: int = 9
    sortable: bool = False
    scrolls: bool = False

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

    def printed(self) -> tuple[list[tuple[str, bool]], list[list[str]], list[int]]:
        """Returns heads with whether they are above numbers, rows, and the places of columns of text, for a terminal."""
        columns = [column for column in self.columns if column.terminal is not None]
        heads = [(column.terminal or "", column.number) for column in columns]
        cells = [[column.cell(row) for column in columns] for row in self.rows]
        rows = [[one.text if one.printed is None else one.printed for one in row] for row in cells]
        return heads, rows, [at for at, column in enumerate(columns) if column.grows]
