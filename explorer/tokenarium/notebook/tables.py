"""Tables of the app as figures of a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import table as rich_table
from rich.console import Group, RenderableType
from rich.text import Text

from tokenarium.analyses.table import Table
from tokenarium.models.text.piece import counted
from tokenarium.notebook.figure import NotebookFigure
from tokenarium_core.html_view import escaped, figure, table

MOST_ROWS = 200
"""The rows of a table that are shown; ``rows`` of the figure has all."""


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
    numbers = [number for _, number in heads]
    left = len(cells) - MOST_ROWS
    sentences = [*said, *([f"And {counted(left, 'more row')}."] if left > 0 else [])]
    html = table(names if any(names) else [], cells[:MOST_ROWS], numbers) if cells else ""
    html += "".join(f"<div>{escaped(sentence)}</div>" for sentence in sentences) + more
    drawn: list[RenderableType] = [Text(shown.title, "bold")] if shown.title else []
    if cells:
        drawing = rich_table.Table(show_header=any(names))
        for name, number in zip(names, numbers, strict=True):
            drawing.add_column(Text(name), justify="right" if number else "left", overflow="fold")
        for row in cells[:MOST_ROWS]:
            drawing.add_row(*map(Text, row))
        drawn.append(drawing)
    drawn += map(Text, sentences)
    values = shown.values() if rows is None else rows
    return NotebookFigure(figure(shown.title, html), Group(*drawn), values)
