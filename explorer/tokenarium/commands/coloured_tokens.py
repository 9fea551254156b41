"""Tokens in the terminal, drawn by rich: the ground of each shows where it ends, in 24 bits or in 16 colours.

Without colours, a line stands between two tokens. Widths are those of the terminal: a character of East Asian scripts
is two columns wide, and a combining mark none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.style import Style

from tokenarium.models.text.byte_cells import Cell
from tokenarium.models.text.piece import counted, harmless
from tokenarium.models.text.token_lines import TokenLines
from tokenarium_core.html_view import FILLS, INK

BAR = "│"
"""Stands between two tokens where there are no colours."""

GUTTER = 2
"""Columns between the name of a tokenizer and its tokens."""

LONGEST_NAME = 24
"""Columns of the name of a tokenizer, at most."""

LEAST_ROOM, LEAST_WIDTH = 24, 8
"""Columns for tokens beside their tokenizer's name, and of a line, at least: an id has up to seven digits."""

_SIXTEEN = [
    "bright_red",
    "yellow",
    "bright_yellow",
    "bright_green",
    "bright_cyan",
    "cyan",
    "bright_white",
    "bright_magenta",
]
"""One of the 16 colours for each hue, near it where that is read on black and under it, which no blue is."""

_DIM = Style(dim=True)


AT_ONCE = 100
"""Lines that are drawn before the terminal gets them: of a long text it has the first ones at once."""


class ColouredTokens:
    """The lines of a text with the tokens of each tokenizer below; ``ids``: with the id of each under it.

    ``counts``: and below the last line, how many tokens there are.
    """

    def __init__(self, lines: TokenLines, ids: bool = False, counts: bool = True) -> None:
        self.lines = lines
        self.ids = ids
        self.counts = counts

    def parts(self) -> Iterator[tuple[int, ColouredTokens]]:
        """Yields the same in parts of some lines, each with the number of the line after it; the last has the counts."""
        count = len(self.lines.lines)
        for first in range(0, max(count, 1), AT_ONCE):
            end = min(first + AT_ONCE, count)
            some = replace(self.lines, lines=self.lines.lines[first:end])
            yield end, ColouredTokens(some, self.ids, self.counts and end == count)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = self.lines
        names = [_shortened(harmless(name)) for name in lines.names]
        margin = max(map(cell_len, names), default=0) + GUTTER
        room = options.max_width - margin
        if room < LEAST_ROOM:  # the name is on a line of its own
            margin, room = 0, max(options.max_width, LEAST_WIDTH)
        styles = _styles(console)
        for line in lines.lines:
            if len(lines.names) > 1 and line.text:
                yield from _ended([Segment(harmless(line.text), Style(bold=True))])
            for name, cells in zip(names, line.rows, strict=True):
                if not margin:
                    yield from _ended([Segment(_fitted(name, room).rstrip(), _DIM)])
                for number, part in enumerate(self._parts(cells, styles, room)):
                    head = set_cell_size("" if number else name, margin)
                    yield from _ended([Segment(head, _DIM), *part])
        if not self.counts:
            return
        for name, count, left in zip(names, lines.counts, lines.left_out, strict=True):
            ratio = f", {lines.byte_count / count:.2f} bytes per token" if count else ""
            more = f", {left:,} of them not shown" if left else ""
            said = f"{counted(count, 'token')}{ratio}{more}"
            if not margin:
                yield from _ended([Segment(_fitted(name, room).rstrip(), _DIM)])
            yield from _ended([Segment(set_cell_size(name, margin), _DIM), Segment(said)])

    def _parts(
        self, cells: Sequence[Cell], styles: Sequence[Style], room: int
    ) -> Iterator[list[Segment]]:
        """Yields the rows of some tokens: as many as fit next to each other, and their ids below."""
        over: list[Segment] = []
        under: list[Segment] = []
        used = 0
        gap = [] if styles and not self.ids else [Segment(" " if styles else BAR)]
        for cell in cells:
            label = cell.label or "∅"
            width = min(max(cell_len(label), cell_len(cell.note) if self.ids else 0), room)
            if used and used + len(gap) + width > room:
                yield from map(_trimmed, (over, under) if self.ids else (over,))
                over, under, used = [], [], 0
            if used:
                over += gap
                under += gap
                used += len(gap)
            style = styles[cell.colour % len(styles)] if styles else Style.null()
            over.append(Segment(_fitted(label, width), style))
            under.append(Segment(_fitted(cell.note, width), _DIM))
            used += width
        yield from map(_trimmed, (over, under) if self.ids else (over,))


def _fitted(text: str, width: int) -> str:
    """Returns a text in so many columns; its end is left out, with a sign, if there are too few."""
    return set_cell_size(
        text if cell_len(text) <= width else f"{set_cell_size(text, width - 1)}…", width
    )


def _trimmed(row: list[Segment]) -> list[Segment]:
    """Returns a row without the blanks at its end, unless they are on a ground."""
    if row and (row[-1].style is None or row[-1].style.bgcolor is None):
        row[-1] = Segment(row[-1].text.rstrip(" "), row[-1].style)
    return row


def _styles(console: Console) -> Sequence[Style]:
    """Returns the look of each colour number; none where there are no colours.

    They are made anew: rich keeps how a style was written for the first terminal that it was on.
    """
    if console.no_color or console.color_system is None:
        return ()
    if console.color_system not in ("standard", "windows"):
        return [Style(color=INK, bgcolor=fill) for fill in FILLS]
    grounds = [Style(color="black", bgcolor=name) for name in _SIXTEEN]
    return grounds + [Style(color=name, bgcolor="black") for name in _SIXTEEN]


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def _ended(segments: Iterable[Segment]) -> Iterator[Segment]:
    yield from segments
    yield Segment.line()
