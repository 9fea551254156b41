"""Tables of the app as figures of a notebook."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from tokenarium.analyses.table import Table
from tokenarium.commands.tables import write_rows
from tokenarium.models.text.piece import counted, harmless
from tokenarium.notebook.figure import NotebookFigure
from tokenarium_core.html_view import escaped, figure, table

MOST_ROWS = 200
"""The rows of a table that are shown; ``rows`` of the figure has all."""


class PrintedTable:
    """The first rows of a table, drawn as the command line writes it."""

    def __init__(self, shown: Table[Any]) -> None:
        self._shown = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        heads, rows, wrapping = self._shown.printed()
        out = io.StringIO()
        plain = Console(file=out, width=options.max_width, color_system=None, force_jupyter=False)
        write_rows(heads, rows[:MOST_ROWS], "", wrapping, self._shown.keys, plain)
        yield Text(out.getvalue().rstrip("\n"), no_wrap=True, overflow="ignore")


def table_figure(
    shown: Table[Any],
    said: Sequence[str] = (),
    rows: Sequence[Mapping[str, object]] | None = None,
    more: str = "",
) -> NotebookFigure:
    """Returns a table with its title, and sentences below; ``more`` is HTML after them.

    ``rows`` are its numbers for programs, by default those that JSON has.
    """
    heads, cells, _ = shown.printed()
    names = [name.replace("\n/", "/").replace("\n", " ") for name, _ in heads]
    left = len(cells) - MOST_ROWS
    sentences = [*said, *([f"And {counted(left, 'more row')}."] if left > 0 else [])]
    numbers = [number for _, number in heads]
    html = table(names if any(names) else [], cells[:MOST_ROWS], numbers) if cells else ""
    html += "".join(f"<div>{escaped(sentence)}</div>" for sentence in sentences) + more
    drawn: list[RenderableType] = [Text(harmless(shown.title), "bold")] if shown.title else []
    drawn += [PrintedTable(shown)] if cells else []
    drawn += [Text(harmless(sentence)) for sentence in sentences]
    values = shown.values() if rows is None else rows
    return NotebookFigure(figure(shown.title, html), Group(*drawn), values)
