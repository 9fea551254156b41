"""A text with the tokens of several tokenizers, a run step by step, and the events of its trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.text import Text

from tokenarium.analyses.table import COUNT, Table, TableColumn, printed_column
from tokenarium.commands.coloured_tokens import ColouredTokens
from tokenarium.models.merges import narration
from tokenarium.models.merges.lattice_paths import LatticePaths
from tokenarium.models.merges.playback import Step, Symbol
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.text.byte_cells import Cell
from tokenarium.models.text.direction import reads_right_to_left
from tokenarium.models.text.piece import counted, harmless, in_tile, piece_text, readable
from tokenarium.models.text.segmentation import token_colour
from tokenarium.models.text.text_map import TextMap, joined_halves
from tokenarium.models.text.token_lines import (
    TokenLines,
    cut_kind,
    token_lines,
)
from tokenarium.notebook.figure import NotebookFigure
from tokenarium.notebook.given import GivenTokenizer, named, tokens_page
from tokenarium.notebook.live_progress import LiveProgress
from tokenarium.notebook.tables import table_figure
from tokenarium.web.page import page
from tokenarium.web.step_scenes import run_figure
from tokenarium_core.html_view import CELL, TABLE, TokenBox, boxes, escaped, figure, table
from tokenarium_core.models import Unigram
from tokenarium_core.trace import EDGE, KINDS, NO_PIECE, SPECIAL

HEAD_HEIGHT, LINE_HEIGHT, ROW_HEIGHT, MOST_HEIGHT = 400, 44, 14, 900
"""Pixels of a live figure: around its lines, of a line, of a tokenizer below it, and at most."""

PLAYER_HEIGHT = 820
"""Pixels of a run that is played."""

MOST_SHOWN = 1000
"""The characters of a text whose tokens are shown, by default: the output of a cell stays in the file of the notebook."""

MOST_STEPS = 100
"""The steps of a run that are listed."""

MOST_PLAYED = 400
"""The characters of a text that is played."""


def show(text: str, *tokenizers: GivenTokenizer, most: int = MOST_SHOWN) -> NotebookFigure:
    """Returns each line of a text with the tokens of each tokenizer and their ids.

    ``most``: the characters whose tokens are shown; those of the rest are counted. The rows are the tokens shown: their
    tokenizer, id, text, and bytes.
    """
    text, opened = joined_halves(text), named(tokenizers)
    with LiveProgress("Encoding") as progress:
        lines = token_lines(text, opened, most, progress.take)
    rows = [
        {"tokenizer": name, "id": int(cell.note), "token": cell.label, "start": cell.start, "end": cell.end}
        for line in lines.lines
        for name, cells in zip(lines.names, line.rows, strict=True)
        for cell in cells
    ]  # fmt: skip
    return NotebookFigure(
        _lines_html(lines),
        ColouredTokens(lines, ids=True),
        rows,
        tokens_page(text, most, opened),
        min(HEAD_HEIGHT + len(lines.lines) * (LINE_HEIGHT + ROW_HEIGHT * len(opened)), MOST_HEIGHT),
    )


def _lines_html(lines: TokenLines) -> str:
    several = len(lines.names) > 1
    heads = ["tokenizer", "tokens", "bytes per token"]
    facts = [
        [name, f"{count:,}", f"{lines.byte_count / count:.2f}" if count else "–"]
        for name, count in zip(lines.names, lines.counts, strict=True)
    ]
    parts = [table(heads, facts, [False, True, True])]
    for line in lines.lines:
        turned = ' dir="rtl"' if reads_right_to_left([line.text]) else ""
        rows = [boxes([_box(cell) for cell in cells]) for cells in line.rows]
        if several:
            named_rows = zip(lines.names, rows, strict=True)
            parts.append(
                f'<div{turned}><strong>{escaped(line.text)}</strong></div><table style="{TABLE}"><tbody>'
                + "".join(
                    f'<tr><td style="{CELL}left"><small>{escaped(name)}</small></td>'
                    f'<td style="{CELL}{"right" if turned else "left"}"{turned}>{row}</td></tr>'
                    for name, row in named_rows
                )
                + "</tbody></table>"
            )
        else:
            parts.append(f"<div{turned}>{''.join(rows)}</div>")
    left = [
        f"{count:,} of {name}"
        for name, count in zip(lines.names, lines.left_out, strict=True)
        if count
    ]
    if left:
        parts.append(f"<div>Tokens that are not shown: {escaped(', '.join(left))}.</div>")
    return figure("", "".join(parts))


def _box(cell: Cell) -> TokenBox:
    kind = cut_kind(cell.mark)
    tip = f"id {cell.note}, bytes {cell.start} to {cell.end}" + (f", {kind}" if kind else "")
    return TokenBox(cell.label or "∅", cell.note, cell.colour, tip)


def play(text: str, tokenizer: GivenTokenizer = "tokenarium-8k") -> NotebookFigure:
    """Returns what a tokenizer does with a text, step by step, from the trace of the run.

    Of a longer text, the first 400 characters are played. The rows are the steps: their number, what was done, and the
    symbols of the word before it.
    """
    ((name, opened),) = named([tokenizer]).items()
    utf8 = TextMap(joined_halves(text[:MOST_PLAYED])).utf8
    run = TraceRun(opened, utf8, 0, len(utf8))
    steps = list(_steps(run))
    shown = steps[: MOST_STEPS + 1]
    cells = "".join(
        f"<li>{escaped(one.sentence)}<div>{boxes(one.tiles)}</div></li>" for one in shown
    )
    more = len(steps) - len(shown)
    left = f"<div>And {counted(more, 'more step')}.</div>" if more else ""
    title = f"{name}: {counted(len(run), 'step')}"
    rows = [
        {"step": number, "what": one.sentence, "symbols": [tile.text for tile in one.tiles]}
        for number, one in enumerate(steps)
    ]
    drawn = Text(f"{harmless(title)}\n", "bold")
    for number, one in enumerate(shown):
        drawn.append(f"{number:>3}  {one.sentence}\n     {' '.join(tile.text for tile in one.tiles)}\n", "none")  # fmt: skip
    still = figure(title, f'<ol start="0">{cells}</ol>{left}')
    run.go_to(0)
    live = page("Steps", [run_figure(run, name, counted(len(run), "step"))]) if len(run) else ""
    return NotebookFigure(still, drawn, rows, live, PLAYER_HEIGHT)


@dataclass(frozen=True, slots=True)
class ListedStep:
    """A step of a run: a sentence on what happens, and the symbols before it."""

    sentence: str
    tiles: list[TokenBox]


def _steps(run: TraceRun) -> Iterator[ListedStep]:
    """Yields each step of a run, and the result."""
    paths = LatticePaths(run) if isinstance(run.tokenizer.model, Unigram) else None
    for place in range(len(run) + 1):
        run.go_to(place)
        step = run.next_step
        if paths is None:
            sentence = narration.next_step(run)
        else:
            reached = step is not None and step.kind in (EDGE, SPECIAL)
            at = step.start if step is not None and reached else paths.end
            sentence = narration.next_edges(run, paths, paths.sums(at))
            if step is not None:
                yield ListedStep(
                    sentence, [tile_of(run, *one) for one in enumerate(_best(paths, at))]
                )
                continue
        words = run.symbols() if step is None else [run.symbols()[step.word]]
        symbols = [symbol for word in words for symbol in word]
        yield ListedStep(sentence, [tile_of(run, *one) for one in enumerate(symbols)])


def _best(paths: LatticePaths, at: int) -> list[Symbol]:
    """Returns the pieces of the best way to a byte that the search has reached."""
    sums, found = paths.sums(at), list[Symbol]()
    while at in sums and sums[at][1] >= 0:
        edge = paths.edges[sums[at][1]]
        found.append(Symbol(edge.start, edge.end, edge.id))
        at = edge.start
    return found[::-1]


def tile_of(run: TraceRun, place: int, symbol: Symbol) -> TokenBox:
    """Returns a symbol of a run as a box; ``place`` is its place among others, which gives its shade."""
    text = in_tile(narration.symbol_text(run, symbol))
    if symbol.id in (-1, NO_PIECE):
        return TokenBox(text, "", -1)
    colour = token_colour(symbol.id) + 8 * (place % 2)
    return TokenBox(text or piece_text(run.tokenizer.vocabulary, symbol.id), str(symbol.id), colour)


def trace(text: str, tokenizer: GivenTokenizer = "tokenarium-8k") -> NotebookFigure:
    """Returns the events of a run as a table: what each is, its bytes in the normalized text, and what came out.

    A longer text is traced up to its 400th character.
    """
    ((name, opened),) = named([tokenizer]).items()
    utf8 = TextMap(joined_halves(text[:MOST_PLAYED])).utf8
    run = TraceRun(opened, utf8, 0, len(utf8))
    vocabulary = opened.vocabulary

    def piece(step: Step) -> str | None:
        return piece_text(vocabulary, step.result) if step.result >= 0 else None

    columns: list[TableColumn[Step]] = [
        printed_column("word", lambda step: step.word, COUNT, "word"),
        printed_column("event", lambda step: KINDS[step.kind], json="event"),
        printed_column("text", lambda step: readable(run.data[step.start : step.end]), json="text"),
        printed_column("first byte", lambda step: step.start, COUNT, "start"),
        printed_column("byte after", lambda step: step.end, COUNT, "end"),
        printed_column("rank", lambda step: step.rank if step.rank >= 0 else None, _rank, "rank"),
        printed_column("id", lambda step: step.result if step.result >= 0 else None, _rank, "id"),
        printed_column("entry", piece, json="entry"),
    ]
    steps = run.playback.steps
    return table_figure(Table(columns, steps, title=f"{name}: {counted(len(steps), 'event')}"))


_rank = "{:,}".format
