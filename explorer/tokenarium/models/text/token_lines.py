"""The beginning of a text, line by line, with the tokens of several tokenizers: what notebooks and terminals draw.

It is plain data, made once; each drawing decides only how a token looks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import tokenarium_core as tc
from tokenarium.models.text.byte_cells import Cell, CellMark
from tokenarium.models.text.grapheme_edges import GraphemeEdges
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.text.text_runs import text_lines
from tokenarium.models.text.token_row import TokenRow
from tokenarium_core.progress import Progress

MOST_CHARACTERS = 4096
"""The characters of a text whose tokens are drawn; the tokens of the rest are counted."""

LOOK_MS = 100
"""Milliseconds of encoding between two reports of its progress."""

LOOK_LINES = 100
"""Lines between two reports: a hundred of a usual text take about as long."""

NEAR = 64
"""Characters after them that may belong to the last grapheme."""


@dataclass(frozen=True, slots=True)
class TokenLine:
    """A line of a text without its line feed, and the tokens that begin in it, for each tokenizer."""

    text: str
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class TokenLines:
    """The lines of the beginning of a text.

    ``counts`` are the tokens of the whole text, by tokenizer, and ``left_out`` those that no line shows.
    """

    names: tuple[str, ...]
    counts: tuple[int, ...]
    left_out: tuple[int, ...]
    byte_count: int
    lines: tuple[TokenLine, ...]


def token_lines(
    text: str,
    tokenizers: Mapping[str, tc.Tokenizer],
    most: int = MOST_CHARACTERS,
    look: Callable[[Progress], None] = lambda _: None,
) -> TokenLines:
    """Returns the lines of the first ``most`` characters of a text, with the tokens of tokenizers by name.

    ``look`` gets the progress of encoding a long text and of dividing it into lines some times a second.
    """
    whole, shown, near = TextMap(text), TextMap(text[:most]), TextMap(text[: most + NEAR])
    edges = GraphemeEdges(whole.byte_count)
    edges.mark(near.grapheme_edges(0, near.byte_count))
    rows = [
        TokenRow("", name, 0, tokenizer, _encoding(tokenizer, text, look), whole, edges)
        for name, tokenizer in tokenizers.items()
    ]
    lines: list[TokenLine] = []
    for number, line in enumerate(text_lines(shown)):
        if number % LOOK_LINES == LOOK_LINES - 1:
            look(Progress("finding the tokens of each line", line.start, shown.byte_count, False))
        stop = line.next if line.next < shown.byte_count or len(text) > most else None
        if lines and line.start == line.next == shown.byte_count:
            break  # nothing follows the last line end
        cells = tuple(tuple(_beginning(row, line.start, stop, shown.byte_count)) for row in rows)
        lines.append(TokenLine(shown.string(line.start, line.end), cells))
    counts = tuple(len(row.ids) for row in rows)
    drawn = [sum(len(line.rows[place]) for line in lines) for place in range(len(rows))]
    return TokenLines(
        tuple(tokenizers),
        counts,
        tuple(count - number for count, number in zip(counts, drawn, strict=True)),
        whole.byte_count,
        tuple(lines),
    )


def _encoding(tokenizer: tc.Tokenizer, text: str, look: Callable[[Progress], None]) -> tc.Encoding:
    job = tokenizer.encode_job(text)
    while not job.finished:
        look(job.step(LOOK_MS))
    return job.encoding


def _beginning(row: TokenRow, start: int, stop: int | None, size: int) -> list[Cell]:
    """Returns the tokens that begin from byte ``start`` on: up to ``stop``, or else all.

    Those that go on after the ``size`` bytes of what is shown are left out.
    """
    cells = row.cells(start, size if stop is None else stop)
    return [
        cell
        for cell in cells
        if (cell.left >= start or not start)
        and (stop is None or (cell.left < stop and cell.right <= size))
    ]


def cut_kind(mark: int) -> str:
    """Returns what a token is marked for, in a few words; nothing for most.

    >>> cut_kind(CellMark.TORN_END | CellMark.SPLIT_START)
    'part of a character'
    """
    if mark & CellMark.TORN:
        return "part of a character"
    if mark & CellMark.SPLIT:
        return "part of what readers see as one character"
    if mark & CellMark.LOST:
        return "its text is lost"
    return "special" if mark & CellMark.SPECIAL else ""
