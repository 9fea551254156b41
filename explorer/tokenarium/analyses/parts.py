"""What the parts of a page show, without a window: each kind has a widget in `tokenarium.widgets.analysis`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import tokenarium_core as tc
from tokenarium.models.charts.chart import Chart
from tokenarium.models.text.piece import counted

TILES = 60
"""Most tokens that `part_row` shows."""


class Part(NamedTuple):
    """A part of a page: its ``kind`` names the widget, ``name`` is for those who do not see it."""

    id: str
    kind: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class TileRow:
    """A sequence of ids as tiles, with a heading above, words on the left and on the right; no tiles without ids.

    ``lit``: it is the one that encoding gives. ``tip`` is said of the words on the left.
    """

    ids: Sequence[int] = ()
    heading: str = ""
    lead: str = ""
    said: str = ""
    lit: bool = False
    tip: str = ""


def part_row(
    heading: str,
    ids: Sequence[int],
    start: int = 0,
    most: int = TILES,
    what: tuple[str, str] = ("token", "tokens"),
    lit: bool = False,
) -> TileRow:
    """Returns a row with the ids from ``start`` on, at most ``most``; the heading says how many there are, and which
    of them are shown.

    >>> part_row("All", range(100)).heading
    'All: 100 tokens, the first 60 here'
    """
    part = ids[start : start + most]
    stop = start + len(part)
    where = f"{start + 1:,} to {stop:,}"
    if 0 in (start, len(ids) - stop):
        where = f"the {'last' if start else 'first'} {len(part):,}"
    where = f", {where} here" if len(part) < len(ids) else ""
    return TileRow(part, f"{heading}: {counted(len(ids), *what)}{where}", lit=lit)


@dataclass(frozen=True, slots=True)
class TilesCard:
    """A sentence (``strong``: as a title; ``plain``: in the usual weight), and sequences of ids of a tokenizer."""

    sentence: str
    tokenizer: tc.Tokenizer
    rows: Sequence[TileRow] = ()
    strong: bool = False
    plain: bool = False


@dataclass(frozen=True, slots=True)
class ShownChart:
    """A chart with what it was made from; ``height`` is in units of the grid, ``empty`` is shown if nothing is drawn."""

    chart: Chart
    caption: str
    height: int
    title: str = ""
    empty: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a board: its name, what is said of it, its length from 0 to 1, and the identity of a tokenizer.

    ``best``: it is marked as the best one.
    """

    name: str
    said: str
    share: float
    colour: int
    best: bool = False


@dataclass(frozen=True, slots=True)
class Board:
    """A step of a presentation: bars, a sentence, and perhaps a question before it with its right bar (-1 for none)."""

    title: str
    bars: Sequence[Bar]
    sentence: str
    question: str = ""
    note: str = ""
    right: int = -1


@dataclass(frozen=True, slots=True)
class PairCell:
    """A cell of a matrix: two lines, the share that colours it (-1: a vocabulary with itself), and a tip."""

    text: str
    share: float
    tip: str


@dataclass(frozen=True, slots=True)
class PairMatrix:
    """What each pair of tokenizers has in common, with the keys, names and identities of the tokenizers."""

    keys: Sequence[str]
    names: Sequence[str]
    colours: Sequence[int]
    cells: Sequence[Sequence[PairCell]]


@dataclass(frozen=True, slots=True)
class PieceList:
    """Some pieces of a vocabulary, with their ``ids``."""

    title: str
    pieces: Sequence[bytes]
    ids: Mapping[bytes, int]
    key: str


class DiffSide(NamedTuple):
    """One of two tokenizers that are compared: its name, identity and what it is."""

    name: str
    colour: int
    tokenizer: tc.Tokenizer


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A difference: what it is, its effect, its values in both tokenizers, and a text with its ids in both.

    Without values, or with None for a text, that part is left out. ``around``: the ids include those of the template.
    ``note`` is a sentence about the text.
    """

    what: str = ""
    effect: str = ""
    values: tuple[str, str] | None = None
    text: str | None = None
    ids: tuple[Sequence[int], Sequence[int]] = ((), ())
    around: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class DiffCard:
    """Differences that belong together, with the worst effect, a sentence, and how they were found.

    ``mendable``: the files of the first side may be edited so that it does what the second does.
    """

    id: str
    title: str
    effect: str
    sentence: str
    method: str
    rows: Sequence[DiffRow]
    term: str = ""
    mendable: bool = False


@dataclass(frozen=True, slots=True)
class DiffCards:
    """What two tokenizers do differently, as cards in their order."""

    sides: Sequence[DiffSide]
    cards: Sequence[DiffCard]
