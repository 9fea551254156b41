"""Figures of a whole text: its tokens by several tokenizers under each line, and its pre-tokens.

The text is laid out by the browser, once as text, and once for each tokenizer as a layer of the same characters
without ink, whose runs have the colours of tokens. So the lines break at the same places in all of them, whatever fonts
and width the reader has, and a token is as wide as its characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.direction import may_read_right_to_left, reads_right_to_left
from tokenarium.models.text.piece import hexadecimal, piece_text
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.superword_ids import superword_ids
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.text.text_runs import TextLine, TextRun, line_runs, text_lines
from tokenarium.models.text.token_counts import ratio_text
from tokenarium.style.cuts import Cut
from tokenarium.web.html import bdi, escaped, table
from tokenarium.web.page import Figure
from tokenarium.web.shapes import bar_svg, marker_svg, token_outline
from tokenarium.web.shown_scene import ShownScene, ShownTokenizer

MOST_ROWS: Final = 16
"""Tokenizers under a line, at most; the style sheet has places for so many."""

MOST_LISTED: Final = 200
"""Tokens in the table below the text, at most: the layers and the script have all of them."""

TILE: Final = 28
"""Pixels of the height of a token in the text."""

WIDE: Final = 19.0
USUAL: Final = 11.0
"""Pixels that a grapheme is assumed to be wide, where its edges depend on that: one of East Asia or an emoji, and any
other.
"""


class TextRow(NamedTuple):
    """A row of a text: who cuts it, and its parts.

    ``facts`` describe the different parts, each as a text and what else is known of it; ``fact_of`` has the number of the
    fact of each part. ``unit`` is what a part is called.
    """

    name: str
    second: str
    identity: int
    parts: TextParts
    facts: list[tuple[str, str]]
    fact_of: list[int]
    unit: str = "token"


def token_row(shown: ShownTokenizer, text: TextMap, special: bool = False) -> TextRow:
    """Returns the row of a tokenizer; TokenariumError if it refuses the text."""
    encoding = shown.tokenizer.encode(text.text, special="all" if special else "none")
    return encoding_row(shown, encoding)


def encoding_row(shown: ShownTokenizer, encoding: tc.Encoding) -> TextRow:
    """Returns the row of an encoding."""
    tokenizer = shown.tokenizer
    ids = array_of(encoding.ids)
    parts = TextParts.of_tokens(
        ids,
        array_of(encoding.spans),
        sorted(tokenizer.added_tokens.special_ids),
        superword_ids(tokenizer),
    )
    different, fact_of = np.unique(ids, return_inverse=True)
    vocabulary = tokenizer.vocabulary
    facts = [
        (piece_text(vocabulary, token), f"id {token} · {hexadecimal(vocabulary.piece(token))}")
        for token in different.tolist()
    ]
    return TextRow(
        shown.name, shown.second, shown.identity, parts, facts, fact_of.reshape(-1).tolist()
    )


def tokens_figures(shown: ShownScene) -> list[Figure]:
    """Returns the figure of the page Tokens: the text with the tokens of its tokenizers, the one in front first."""
    special = shown.scene.display.get("special") == "all"
    order = [shown.front, *(at for at in range(len(shown.tokenizers)) if at != shown.front)]
    rows = [
        token_row(shown.tokenizers[at], shown.text, special) for at in order if shown.tokenizers
    ]
    return [text_figure(shown.text, rows, shown.scene.selection)]


def text_figure(
    text: TextMap, rows: Sequence[TextRow], selection: tuple[int, int] | None = None
) -> Figure:
    """Returns a text with its parts in several rows under each line; those of the first row are on the text itself.

    ``selection``: bytes of the text that are marked in all rows, and counted. Of more than `MOST_ROWS` rows the first ones
    are shown.
    """
    rows = rows[:MOST_ROWS]
    lines = text_lines(text)
    cards = _cards(rows, selection)
    layers = [_layers(text, row, lines, selection) for row in rows]
    body = []
    right = False
    turns = may_read_right_to_left(text)
    for at, line in enumerate(lines):
        shown = text.string(line.start, line.end)
        if turns and shown.strip():
            right = reads_right_to_left([shown]) if _has_letters(shown) else right
        body.append(
            f'<div class="line{" rtl" if right else ""}"><p{" dir=rtl" if right else ""}>{escaped(shown) or "<br>"}</p>'
            + "".join(layer[at] for layer in layers)
            + "</div>"
        )
    unit = rows[0].unit if rows else "token"
    said = f"The text with the {unit}s of {rows[0].name}" if rows else "The text"
    return Figure(
        f'{cards}<div class="lines n{len(rows)}" role="group" aria-label="{escaped(said)}">{"".join(body)}</div>'
        + (_listed(text, rows[0]) if rows else ""),
        {"rows": [_data(row) for row in rows], "bytes": text.byte_count} if rows else None,
        "text" if rows else "",
    )


def _has_letters(text: str) -> bool:
    return any(character.isalpha() for character in text)


def _cards(rows: Sequence[TextRow], selection: tuple[int, int] | None) -> str:
    most = max((len(row.parts) for row in rows), default=0)
    cards = []
    for row in rows:
        count = len(row.parts)
        picked = ""
        selected = 0
        if selection is not None and selection[0] < selection[1]:
            selected = len(row.parts.between(*selection))
            picked = f' <span class="of"><b>{selected:,}</b> in the selection</span>'
        note = "" if row is rows[0] else ratio_text(count, len(rows[0].parts), rows[0].name)
        cards.append(
            f'<li class="card i{row.identity % 12}"><span class="name">{marker_svg(row.identity)}<b>{escaped(row.name)}</b>'
            f" <small>{escaped(row.second)}</small></span>"
            f'<span class="count"><b>{count:,}</b> {escaped(row.unit)}{"s" * (count != 1)}{picked}</span>'
            f"{bar_svg(count / most if most else 0, selected / most if most else 0)}"
            f'<small class="note">{escaped(note)}</small></li>'
        )
    return f'<ul class="cards">{"".join(cards)}</ul>' if cards else ""


def _layers(
    text: TextMap, row: TextRow, lines: Iterable[TextLine], selection: tuple[int, int] | None
) -> list[str]:
    """Returns the layer of a row for each line."""
    found = []
    low, high = selection or (0, 0)
    mark = marker_svg(row.identity)
    head = f'<div class="row i{row.identity % 12}" aria-hidden="true">{mark}'
    for line in lines:
        count = 0
        runs = []
        for run in line_runs(text, row.parts, line):
            count += sum(part.first for part in run.parts)
            size = len(run.text.encode("utf-8", "surrogatepass")) if high > low else 0
            picked = " b" if run.start < high and run.start + size > low else ""
            runs.append(run_html(run, picked))
        found.append(f"{head}<em>{count:,}</em><span>{''.join(runs)}</span></div>")
    return found


def run_html(run: TextRun, extra: str = "") -> str:
    """Returns a run as an element without ink, whose style gives it the colours of its parts.

    The classes: ``s0`` to ``s15`` is the colour of a token, ``o`` says that it began in an element before, ``l`` and ``r``
    that it goes on at its left or its right, ``n`` that no part has the characters, ``z`` that a part has none, and ``g``
    that several parts share a grapheme.
    """
    if not run.text:
        return '<i class="z"></i>'
    shown = escaped(run.text)
    if not run.parts:
        return f'<i class="n" data-t="{shown}"></i>'
    if len(run.parts) == 1:
        one = run.parts[0]
        more = "" if one.first else " o"
        more += " l" if one.left is Cut.OPEN else ""
        more += " r" if one.right is Cut.OPEN else ""
        return f'<i class="s{one.colour}{more}{extra}" data-t="{shown}"></i>'
    wide = WIDE if ord(max(run.text)) >= 0x1100 else USUAL
    scale = 100 / wide
    paths = []
    for part in run.parts:
        path = token_outline(100 * part.start, 100 * part.end, TILE, (part.left, part.right), scale)
        paths.append(f'<path class="s{part.colour}{"" if part.first else " o"}" d="{path}"/>')
    return (
        f'<i class="g{extra}" data-t="{shown}"><svg viewBox="0 0 100 {TILE}" preserveAspectRatio="none">'
        f"{''.join(paths)}</svg></i>"
    )


def _listed(text: TextMap, row: TextRow) -> str:
    """Returns the first parts of the row in front as a table, folded."""
    rows = []
    for at, fact in enumerate(row.fact_of[:MOST_LISTED]):
        shown, more = row.facts[fact]
        rows.append((f"{at + 1:,}", bdi(shown), escaped(more)))
    count = len(row.fact_of)
    which = f"All {count:,}" if count <= MOST_LISTED else f"The first {MOST_LISTED} of {count:,}"
    title = f"{which} {row.unit}s of {row.name}" if count != 1 else f"The {row.unit} of {row.name}"
    return (
        f"<details><summary>{escaped(title)}</summary>"
        f"{table(('', row.unit.capitalize(), 'What it is'), rows, title)}</details>"
    )


def _data(row: TextRow) -> dict[str, object]:
    """Returns what the script says about the parts of a row: each has a fact, and its bytes as two steps."""
    starts, ends = row.parts.starts[:], row.parts.ends[:]
    steps = np.diff(starts, prepend=np.int32(0))
    spans = np.stack((steps, ends - starts), axis=1).reshape(-1).tolist()
    return {
        "name": row.name,
        "unit": row.unit,
        "facts": row.facts,
        "of": row.fact_of,
        "spans": spans,
    }
