"""The bytes of a text as tables: characters, code points and bytes, and the tokens over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tokenarium.models.text.byte_cells import Cell, CellMark, CellRow, Look
from tokenarium.models.text.character_rows import (
    ByteRow,
    CodePointRow,
    GraphemeRow,
    NameRow,
    NormalizedRow,
    ScriptRow,
)
from tokenarium.models.text.graphemes import GraphemeJob
from tokenarium.models.text.token_row import TokenRow
from tokenarium.web.html import bdi, escaped
from tokenarium.web.page import Figure
from tokenarium.web.shapes import marker_svg
from tokenarium.web.shown_scene import ShownScene

COLUMNS: Final = 16
"""Bytes in a line."""

MOST_BYTES: Final = 1024
"""Bytes that are shown, at most: each has several cells."""

_EDGES: Final = (
    (CellMark.TORN_START, " torn-left"),
    (CellMark.TORN_END, " torn-right"),
    (CellMark.SPLIT_START, " notch-left"),
    (CellMark.SPLIT_END, " notch-right"),
    (CellMark.FALLBACK, " fallback"),
    (CellMark.FAINT, " faint"),
    (CellMark.CHANGED, " changed"),
)


def bytes_figures(shown: ShownScene) -> list[Figure]:
    """Returns the figure of the page Bytes, from the byte to which it is scrolled."""
    scroll = shown.kept("scroll", "bytes.bytes")
    first = scroll[0] if isinstance(scroll, list) and scroll and isinstance(scroll[0], int) else 0
    return [byte_figure(shown, first)]


def byte_figure(shown: ShownScene, first: int = 0) -> Figure:
    """Returns the lines of bytes from the one with byte ``first`` on."""
    text = shown.text
    graphemes = GraphemeJob(text)
    graphemes.step(float("inf"))
    special = "all" if shown.scene.display.get("special") == "all" else "none"
    tokens = [
        TokenRow(
            one.key,
            one.name,
            one.identity,
            one.tokenizer,
            one.tokenizer.encode(text.text, special),
            text,
            graphemes.edges,
        )
        for one in shown.tokenizers
    ]
    if tokens:
        tokens.insert(0, tokens.pop(shown.front))
    rows: list[CellRow] = [GraphemeRow(text, graphemes.edges), CodePointRow(text)]
    if not text.is_ascii:
        rows += [NameRow(text), ScriptRow(text)]
    rows.append(ByteRow(text))
    if tokens and tokens[0].alignment.aligned:
        row = tokens[0]
        rows.append(NormalizedRow(row.title, row.tokenizer, row.encoding, text))
    rows += tokens
    start = max(min(first, text.byte_count - 1), 0) // COLUMNS * COLUMNS
    stop = min(start + MOST_BYTES, text.byte_count)
    lines = "".join(
        _line(rows, begin, min(begin + COLUMNS, stop), shown.selection)
        for begin in range(start, stop, COLUMNS)
    )
    said = ""
    if stop - start < text.byte_count:
        said = f"<p>Bytes {start:,} to {stop - 1:,} of {text.byte_count:,}.</p>"
    return Figure(f'{said}<div class="bytes">{lines or "<p>The text is empty.</p>"}</div>')


def _line(rows: Sequence[CellRow], start: int, stop: int, selection: tuple[int, int] | None) -> str:
    """Returns the table of some bytes: a column for each."""
    columns = "".join("<col>" for _ in range(COLUMNS))
    caption = f"Bytes {start:,} to {stop - 1:,}"
    body = "".join(_row(row, start, stop, selection) for row in rows)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{caption}"><table><caption>{caption}</caption>'
        f'<colgroup><col class="head">{columns}</colgroup><tbody>{body}</tbody></table></div>'
    )


def _row(row: CellRow, start: int, stop: int, selection: tuple[int, int] | None) -> str:
    mark = marker_svg(row.identity) if isinstance(row, TokenRow) else ""
    look = row.look.value
    at = start
    cells = []
    for cell in row.cells(start, stop):
        left, right = max(round(cell.left), at), min(round(cell.right), stop)
        if right <= left:
            continue
        if left > at:
            cells.append(f'<td colspan="{left - at}"></td>')
        cells.append(_cell(cell, right - left, row.look, selection))
        at = right
    if at < stop:
        cells.append(f'<td colspan="{stop - at}"></td>')
    return f'<tr class="look-{look}"><th scope="row">{mark}{escaped(row.title_at(start))}</th>{"".join(cells)}</tr>'


def _cell(cell: Cell, span: int, look: Look, selection: tuple[int, int] | None) -> str:
    kinds = "".join(name for bit, name in _EDGES if cell.mark & bit)
    if look is Look.TOKEN and cell.colour >= 0:
        kinds = f" tile s{cell.colour}{kinds}"
    if selection is not None and cell.start < selection[1] and cell.end > selection[0]:
        kinds += " picked"
    shown = cell.short if cell.short and span * 3 < len(cell.label) else cell.label
    title = f' title="{escaped(cell.label)}"' if shown != cell.label else ""
    note = f"<small>{escaped(cell.note)}</small>" if cell.note else ""
    width = f' colspan="{span}"' if span > 1 else ""
    return f'<td{width}{title}><span class="cell{kinds}">{bdi(shown)}{note}</span></td>'
