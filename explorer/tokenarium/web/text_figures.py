"""Figures of a whole text: its tokens by several tokenizers under each line, and its pre-tokens.

The text is laid out by the browser: once as a whole, for readers, who see no ink there; once with ink; and once for each
tokenizer as a layer of the same characters without ink, whose runs have the colours of tokens. The layers consist of the
same pieces, which browsers round alike, so their lines break at the same places, whatever fonts and width the reader has,
and a token is as wide as its characters.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Final, Literal, NamedTuple

import numpy as np

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.cut_job import cut_parts
from tokenarium.models.text.direction import may_read_right_to_left, reads_right_to_left
from tokenarium.models.text.lost_text import SIGN, is_doubtful, loses, lost_spans
from tokenarium.models.text.piece import hexadecimal, piece_text, readable
from tokenarium.models.text.segmentation import SHADES, TOKEN_COLOURS, TextParts
from tokenarium.models.text.superword_ids import superword_ids, superword_note
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.text.text_runs import (
    RunLine,
    line_cuts,
    line_runs,
    text_lines,
)
from tokenarium.models.text.token_counts import ratio_text
from tokenarium.style.rule_hues import rule_hue
from tokenarium.web.html import bdi, escaped, paragraphs, table
from tokenarium.web.page import Figure
from tokenarium.web.run_writer import RunWriter
from tokenarium.web.shapes import NEUTRAL, bar_svg, colour_class, marker_svg
from tokenarium.web.shown_beginning import MOST_BYTES, beginning, fitting_end, part_sentence
from tokenarium.web.shown_scene import ShownScene, ShownTokenizer
from tokenarium_core import TokenariumError
from tokenarium_core.padded_text import PADDING
from tokenarium_core.pretokenizers import REMOVED_RULE
from tokenarium_core.pretokenizers.pattern import pattern
from tokenarium_core.pretokenizers.scanners import PRE_TOKENIZERS, pre_tokenizer

MOST_ROWS: Final = 16
"""Tokenizers under a line, at most; the style sheet has places for so many."""

REMOVED_COLOUR: Final = TOKEN_COLOURS
"""The number of the colour of what a pattern takes out: it is hatched."""

OWN: Final = "own"
"""The key of the user's own pattern."""

MOST_LISTED: Final = 200
"""Tokens in the table below the text, at most: the layers and the script have all of them."""


class TextRow(NamedTuple):
    """A row of a text: who cuts it, and its parts.

    ``facts`` describe the different parts, each as a text and what else is known of it; ``fact_of`` has the number of the
    fact of each part. ``unit`` is what a part is called. ``legend`` has the names of colours, their numbers, and how many parts
    have them. ``about`` is the head of what else is known. ``lost`` are the bytes of the text that are lost, in their order.
    """

    name: str
    second: str
    identity: int
    parts: TextParts
    facts: list[tuple[str, str]]
    fact_of: list[int]
    unit: str = "token"
    legend: tuple[tuple[str, int, int], ...] = ()
    about: str = "Id and bytes"
    lost: tuple[tuple[int, int], ...] = ()


RowMaker = Callable[[TextMap], TextRow]
"""Makes the row of a text; TokenariumError if that is not possible."""


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
        (piece_text(vocabulary, token), " · ".join(filter(None, _about(vocabulary, token))))
        for token in different.tolist()
    ]
    lost = lost_spans(tokenizer, bytes(encoding.original[:-PADDING]), encoding)
    return TextRow(
        shown.name,
        shown.second,
        shown.identity,
        parts,
        facts,
        fact_of.reshape(-1).tolist(),
        lost=tuple((start, end) for start, end in lost.tolist()),
    )


def _about(vocabulary: tc.Vocabulary, token: int) -> tuple[str, str, str]:
    """Returns the id and the bytes of an entry, and a sentence if it is a superword."""
    note = superword_note(vocabulary, token)
    return f"id {token}", hexadecimal(vocabulary.piece(token)), note


def tokens_figures(shown: ShownScene) -> list[Figure]:
    """Returns the figure of the page Tokens: the text with the tokens of its tokenizers, the one in front first.

    A tokenizer that refuses the text has no row, and a sentence says so.
    """
    special = shown.scene.display.get("special") == "all"
    rows = [(one.name, partial(token_row, one, special=special)) for one in shown.ordered]
    return [_figure_of(shown, rows)]


def pretokens_figures(shown: ShownScene) -> list[Figure]:
    """Returns the figure of the page Pre-tokens: the text as its tokenizers and patterns split it before any merge.

    If the scene names none, all its tokenizers split it.
    """
    display = shown.scene.display
    special: Literal["none", "all"] = "all" if display.get("special") == "all" else "none"
    given = display.get("patterns")
    chosen = [str(one) for one in given] if isinstance(given, list) and given else ["tokenizers"]
    rows: dict[str, tuple[str, RowMaker]] = {}
    for one in shown.tokenizers:
        key = f"of {one.key}"
        if key in chosen or ("tokenizers" in chosen and f"not {key}" not in chosen):
            looks = one.name, one.second, one.identity
            split = partial(_cut_before_model, one.tokenizer, special)
            rows[key] = one.name, partial(cut_row, *looks, split)
    own = str(display.get("own_pattern", ""))
    for place, name in enumerate((*PRE_TOKENIZERS, OWN)):
        if name in chosen and (name != OWN or own):
            title = "Own pattern" if name == OWN else f"Pattern {name}"
            split = partial(_cut_by, own if name == OWN else "", name)
            second = own if name == OWN else ""
            rows[name] = title, partial(cut_row, title, second, NEUTRAL + place, split)
    front = shown.kept("front", "pretokens")
    if front is None and shown.tokenizers:
        front = f"of {shown.tokenizers[shown.front].key}"
    return [_figure_of(shown, [rows[key] for key in sorted(rows, key=lambda key: key != front)])]


def _cut_before_model(
    tokenizer: tc.Tokenizer, special: Literal["none", "all"], text: str
) -> TextParts:
    """Returns how a tokenizer splits a text before its model."""
    return cut_parts(tokenizer, text, special)


def _cut_by(own: str, name: str, text: str) -> TextParts:
    """Returns how a pattern splits a text: the user's own, or one with a name."""
    return cut_parts(pattern(own) if own else pre_tokenizer(name), text)


def _figure_of(shown: ShownScene, makers: Sequence[tuple[str, RowMaker]]) -> Figure:
    """Returns the text of a scene with the rows that can be made, and what is left out: rows, and most of a long text."""
    text, said = shown.text, list[str]()
    if len(makers) > MOST_ROWS:
        said.append(
            f"These are the first {MOST_ROWS} of {len(makers)}: a page has no room for more."
        )
    if text.byte_count > MOST_BYTES:
        text = TextMap(beginning(text.text))
    rows, failed = _rows(text, makers[:MOST_ROWS])
    end = fitting_end(text, len(rows), lambda line: _all_cuts(rows, line))
    if end < text.byte_count:
        text = TextMap(text.string(0, end))
        rows, failed = _rows(text, makers[:MOST_ROWS])
    said = [*filter(None, [part_sentence(text, shown.text)]), *said, *failed]
    figure = text_figure(text, rows, shown._replace(text=text).selection)
    return figure._replace(html=paragraphs(said) + figure.html)


def _rows(text: TextMap, makers: Iterable[tuple[str, RowMaker]]) -> tuple[list[TextRow], list[str]]:
    """Returns the rows of a text that can be made, and why others cannot."""
    rows, failed = [], []
    for name, make in makers:
        try:
            rows.append(make(text))
        except TokenariumError as error:
            failed.append(f"{name}: {error}")
    return rows, failed


def cut_row(
    name: str, second: str, identity: int, split: Callable[[str], TextParts], text: TextMap
) -> TextRow:
    """Returns the row of what splits a text: its pre-tokens in the colours of their rules."""
    parts = split(text.text)
    assert parts.rules is not None
    rules = parts.rules[:]
    hues = np.array(
        [REMOVED_COLOUR if one == REMOVED_RULE else rule_hue(one) for one in parts.rule_names],
        np.uint8,
    )
    shades = np.arange(len(rules)) % SHADES * np.uint8(TOKEN_COLOURS // SHADES)
    colours = hues[rules] + np.where(hues[rules] < REMOVED_COLOUR, shades, 0).astype(np.uint8)
    counts = np.bincount(rules, minlength=len(parts.rule_names)).tolist()
    legend = [
        (one, int(hues[at]), counts[at]) for at, one in enumerate(parts.rule_names) if counts[at]
    ]
    numbers: dict[tuple[str, str], int] = {}
    fact_of = []
    for at, rule in enumerate(rules.tolist()):
        shown = readable(text.utf8_of(*parts.span(at)))
        fact_of.append(numbers.setdefault((shown, parts.rule_names[rule]), len(numbers)))
    return TextRow(
        name,
        second,
        identity,
        TextParts(parts.starts, parts.ends, colours),
        list(numbers),
        fact_of,
        "pre-token",
        tuple(sorted(legend, key=lambda one: -one[2])),
        "Rule",
    )


def text_figure(
    text: TextMap, rows: Sequence[TextRow], selection: tuple[int, int] | None = None
) -> Figure:
    """Returns a text with its parts in several rows under each line; those of the first row are on the text itself.

    ``selection``: bytes of the text that are marked in all rows, and counted. Of more than `MOST_ROWS` rows the first ones
    are shown.
    """
    rows = rows[:MOST_ROWS]
    lines = text_lines(text)
    right = _directions(text, lines)
    writer = RunWriter()
    cuts = [_inside(line, selection or ()) | _all_cuts(rows, line) for line in lines]
    layers = [_layers(text, row, lines, cuts, right, selection, writer) for row in rows]
    body = []
    for at, line in enumerate(lines):
        shown = escaped(text.string(line.start, line.end)) or "<br>"
        turned, direction = (" rtl", ' dir="rtl"') if right[at] else ("", "")
        empty = " empty" if line.start == line.end else ""
        rest = "".join(layer[at] for layer in layers)
        data = text.utf8_of(line.start, line.end)
        places = [int(cut) - line.start for cut in sorted({line.start, *cuts[at], line.end})]
        ink = "".join(
            writer.plain(data[start:end].decode("utf-8", "surrogatepass"))
            for start, end in pairwise(places)
        )
        body.append(
            f'<div class="line{turned}{empty}"><p{direction}>{shown}</p>{rest}<div class="ink" aria-hidden="true">{ink}</div></div>'
        )
    unit = rows[0].unit if rows else "token"
    said = f"The text with the {unit}s of {rows[0].name}" if rows else "The text"
    return Figure(
        f'{_cards(text, rows, selection)}{_legends(rows)}<div class="lines n{max(len(rows), 1)}" role="group" aria-label="{escaped(said)}">'
        f"{''.join(body)}</div>{_listed(rows[0]) if rows else ''}",
        {"rows": [_data(row) for row in rows]} if rows else None,
        "text" if rows else "",
        styles=writer.styles,
    )


def _inside(line: RunLine, places: Iterable[int]) -> set[float]:
    """Returns those of some bytes that are in a line, between two graphemes."""
    inside = {float(place) for place in places if line.start < place < line.end}
    return inside if line.edges is None else inside & set(line.edges)


def _all_cuts(rows: Iterable[TextRow], line: RunLine) -> set[float]:
    """Returns where the pieces of all rows begin and end in a line."""
    return set[float]().union(*(_cuts(row, line) for row in rows))


def _cuts(row: TextRow, line: RunLine) -> set[float]:
    """Returns where the pieces of a row begin and end in a line: its parts, and what is lost."""
    first = bisect_right(row.lost, (line.start, line.start))
    lost: set[float] = set()
    for start, end in row.lost[max(first - 1, 0) :]:
        if start >= line.end:
            break
        lost |= _inside(line, (start, end))
    return line_cuts(row.parts, line) | lost


def _directions(text: TextMap, lines: Sequence[RunLine]) -> list[bool]:
    """Returns whether each line reads right to left; one without a letter follows the line before it."""
    if not may_read_right_to_left(text):
        return [False] * len(lines)
    found, right = [], False
    for line in lines:
        shown = text.string(line.start, line.end)
        if any(map(str.isalpha, shown)):
            right = reads_right_to_left([shown])
        found.append(right)
    return found


def _cards(text: TextMap, rows: Sequence[TextRow], selection: tuple[int, int] | None) -> str:
    most = max((len(row.parts) for row in rows), default=0)
    cards = []
    for row in rows:
        count = len(row.parts)
        picked = ""
        selected = 0
        if selection is not None and selection[0] < selection[1]:
            selected = len(row.parts.between(*selection))
            picked = f' <span class="of"><b>{selected:,}</b> selected</span>'
        share = sum(end - start for start, end in row.lost) / max(text.byte_count, 1)
        sign = f"{SIGN} " if is_doubtful(share) else ""
        compared = "" if row is rows[0] else ratio_text(count, len(rows[0].parts), rows[0].name)
        note = " · ".join(filter(None, (f"{SIGN} {loses(share)}" if share else "", compared)))
        cards.append(
            f'<li class="card {colour_class(row.identity)}"><span class="name">{marker_svg(row.identity)}<b>{escaped(row.name)}</b>'
            f" <small>{escaped(row.second)}</small></span>"
            f'<span class="count"><b>{sign}{count:,}</b> <span>{escaped(row.unit)}{"s" * (count != 1)}</span>{picked}</span>'
            f"{bar_svg(count / most if most else 0, selected / most if most else 0)}"
            f'<small class="note">{escaped(note)}</small></li>'
        )
    return f'<ul class="cards">{"".join(cards)}</ul>' if cards else ""


def _legends(rows: Sequence[TextRow]) -> str:
    """Returns what the colours mean, for each row; only that of the row in front is seen."""
    return "".join(
        f'<ul class="legend"{" hidden" if at else ""}>'
        + "".join(
            f'<li><span class="swatch s{colour}"></span>{escaped(name)} <small>{count:,}</small></li>'
            for name, colour, count in row.legend
        )
        + "</ul>"
        for at, row in enumerate(rows)
        if row.legend
    )


def _layers(
    text: TextMap,
    row: TextRow,
    lines: Iterable[RunLine],
    cuts: Iterable[Iterable[float]],
    right_to_left: Sequence[bool],
    selection: tuple[int, int] | None,
    writer: RunWriter,
) -> list[str]:
    """Returns the layer of a row for each line."""
    found = []
    low, high = selection or (0, 0)
    head = f'<div class="row {colour_class(row.identity)}" aria-hidden="true">{marker_svg(row.identity)}'
    for line, places, right in zip(lines, cuts, right_to_left, strict=True):
        count = 0
        runs = []
        selects = low < line.end and high > line.start
        lost = bisect_right(row.lost, (line.start, line.start))
        lost = max(lost - 1, 0)
        for run in line_runs(text, row.parts, line, places):
            count += sum(part.first for part in run.parts)
            size = len(run.text.encode("utf-8", "surrogatepass")) if selects else 0
            picked = " b" if run.start < high and run.start + size > low else ""
            while lost < len(row.lost) and row.lost[lost][1] <= run.start:
                lost += 1
            if lost < len(row.lost) and row.lost[lost][0] <= run.start and run.text:
                picked += " x"
            runs.append(writer.html(run, right, picked))
        found.append(f"{head}<em>{count or ''}</em><span>{''.join(runs)}</span></div>")
    return found


def _listed(row: TextRow) -> str:
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
        f"{table(('Number', row.unit.capitalize(), row.about), rows, title)}</details>"
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
