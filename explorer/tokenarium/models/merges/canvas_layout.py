"""The layout of the canvas of merges: columns for letters, tiles over them, the rows of the trees.

Columns never move while a word is played: a merge only joins neighbours.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import inf

from tokenarium.models.merges.playback import Growth

LEAST_COLUMN = 36.0
"""Pixels of the column of a letter in a long word, which scrolls sideways: twelve letters fit beside a lesson and the queue
in a window of 1280 × 720."""

MOST_COLUMN = 96.0

MARGIN = 20.0
"""Pixels at the left and the right of all columns."""

WORD_GAP = 28.0

PILL_HEIGHT = 22.0
PILL_STEP = PILL_HEIGHT + 3.0
"""Pixels from one row of ranks to the next."""

NOTE_HEIGHT = 18.0
"""Pixels of the ids under the tiles."""

LEAST_ROW, MOST_ROW = 17.0, 130.0
"""Pixels from one height of the trees to the next."""

LEAST_TILE, MOST_TILE = 30.0, 90.0
LEAST_NODE, MOST_NODE = 14.0, 38.0
EDGE = 4.0
"""Pixels above and below everything."""

MOST_SCALE = 2.0
"""How much larger everything is in a room that has more than all of it needs at its largest."""

_BRACKET = 18.0  # the line of a bracket, its ends, and the frame of the tiles


@dataclass(frozen=True, slots=True)
class CanvasWord:
    """A word with its columns: the bytes at which they begin, the end of the word, and the letters of each.

    ``empty``: how many symbols of no bytes come before a byte, each with its own column. ``height``: of the
    whole tree.
    """

    growth: Growth
    edges: Sequence[int]
    letters: Sequence[float]
    empty: dict[int, int]
    height: int


class CanvasColumns:
    """The columns of words in a width, from left to right, or mirrored if they read from right to left."""

    def __init__(self, words: Sequence[CanvasWord], width: float, mirrored: bool = False) -> None:
        count = sum(sum(word.letters) + sum(word.empty.values()) for word in words)
        gaps = WORD_GAP * max(len(words) - 1, 0)
        free = width - 2 * MARGIN - gaps
        self.column = max(LEAST_COLUMN, min(MOST_COLUMN, free / max(count, 1)))
        self.width = max(width, least_width(words))
        used = count * self.column + gaps
        self._starts: list[int] = []  # of the columns in bytes, in reading order
        self._lefts: list[float] = []
        self._left_of: dict[int, float] = {}  # of the columns that begin at a byte
        self._right_of: dict[int, float] = {}  # of the columns that end at a byte
        self._mirrored = mirrored
        x = max(MARGIN, (self.width - used) / 2)
        for word in words:
            for (start, end), letters in zip(pairwise(word.edges), word.letters, strict=True):
                x += word.empty.get(start, 0) * self.column
                self._starts.append(start)
                self._lefts.append(x)
                self._left_of[start] = x
                x += letters * self.column
                self._right_of[end] = x
            last = word.edges[-1]
            if last in word.empty:
                self._left_of.setdefault(last, x + word.empty[last] * self.column)
                x += word.empty[last] * self.column
            x += WORD_GAP

    def span(self, start: int, end: int, place: int = 0, of: int = 0) -> tuple[float, float]:
        """Returns the left and the right of some bytes; symbols of no bytes have a ``place`` at their byte."""
        left = self._left_of.get(start, 0.0)
        right = self._right_of.get(end, left)
        if start == end:
            left += (place - of) * self.column
            right = left + self.column
        return (self.width - right, self.width - left) if self._mirrored else (left, right)

    def bytes_between(self, left: float, right: float) -> tuple[int, int]:
        """Returns the first bytes of the first and the last column that a part of the width touches."""
        if self._mirrored:
            left, right = self.width - right, self.width - left
        if not self._starts:
            return 0, 0
        first = max(0, bisect_right(self._lefts, left) - 1)
        last = max(0, bisect_left(self._lefts, right) - 1)
        return self._starts[first], self._starts[max(first, last)]


def least_width(words: Sequence[CanvasWord]) -> float:
    """Returns the width in pixels that words need with their narrowest columns."""
    count = sum(sum(word.letters) + sum(word.empty.values()) for word in words)
    return 2 * MARGIN + WORD_GAP * max(len(words) - 1, 0) + LEAST_COLUMN * count


def scale_in(words: Sequence[CanvasWord], width: float, height: float, levels: int) -> float:
    """Returns how much everything is enlarged to fill a width and a height in pixels: not at all where it fits as it is."""
    count = sum(sum(word.letters) + sum(word.empty.values()) for word in words)
    wide = least_width(words) + (MOST_COLUMN - LEAST_COLUMN) * count
    row = MOST_ROW if levels > 1 else 1.6 * MOST_ROW
    high = (
        least_height(2, levels)  # with rows of ranks, even if none waits: it never changes in a word
        + MOST_TILE - LEAST_TILE
        + MOST_NODE - LEAST_NODE
        + levels * (row - LEAST_ROW)
    )  # fmt: skip
    return max(1.0, min(MOST_SCALE, width / wide, height / high))


@dataclass(frozen=True, slots=True)
class CanvasRows:
    """The tops of all rows, in pixels: ranks, the line of the brackets, tiles, ids, and the trees down to the foot.

    ``row``: from one height of the trees to the next; ``node``: the height of their nodes.
    """

    pills: float
    line: float
    tile: float
    tile_height: float
    note: float
    tree: float
    foot: float
    row: float
    node: float

    def top(self, height: int) -> float:
        """The top of the nodes of a height: 0 for the letters at the foot."""
        return self.foot - height * self.row


def least_height(pill_rows: int, levels: int) -> float:
    """Returns the height in pixels that the canvas needs for rows of ranks and for levels of trees."""
    return (
        2 * EDGE
        + (pill_rows * PILL_STEP + _BRACKET if pill_rows else 0.0)
        + LEAST_TILE
        + NOTE_HEIGHT
        + 4
        + levels * LEAST_ROW
        + LEAST_NODE
    )


def rows_in(height: float, pill_rows: int, levels: int) -> CanvasRows:
    """Returns the rows in a height in pixels, which should be at least `least_height`."""
    spare = max(0.0, height - least_height(pill_rows, levels))
    tile = min(MOST_TILE, LEAST_TILE + 0.34 * spare)
    spare -= tile - LEAST_TILE
    share = LEAST_NODE / LEAST_ROW
    room = spare + levels * LEAST_ROW + LEAST_NODE
    most = MOST_ROW if levels > 1 else 1.6 * MOST_ROW
    row = max(LEAST_ROW, min(most, room / (levels + share)))
    node = min(MOST_NODE, share * row)
    spare = max(0.0, room - levels * row - node)
    top = EDGE + min(spare / 2, max(30.0, spare / 3))  # in much room, nearer the middle
    line = top + pill_rows * PILL_STEP + 4 if pill_rows else top
    tile_top = line + _BRACKET - 4 if pill_rows else top
    note = tile_top + tile + 4
    tree = note + NOTE_HEIGHT
    return CanvasRows(top, line, tile_top, tile, note, tree, tree + 4 + levels * row, row, node)


PILL_GAP = 4.0
"""Pixels between two ranks side by side."""


def spread(
    spans: Sequence[tuple[float, float]], low: float, high: float
) -> list[tuple[float, float]]:
    """Returns spans, from left to right, shifted so that none overlaps, between two limits if they fit.

    >>> spread([(0, 10), (8, 20), (50, 60)], 0, 60)
    [(0, 10), (14.0, 26.0), (50, 60)]
    """
    shifted: list[tuple[float, float]] = []
    for left, right in spans:
        shift = max(0.0, shifted[-1][1] + PILL_GAP - left) if shifted else max(0.0, low - left)
        shifted.append((left + shift, right + shift) if shift else (left, right))
    limit = high
    for place in range(len(shifted) - 1, -1, -1):
        left, right = shifted[place]
        shift = max(0.0, right - limit)
        if shift:
            shifted[place] = (left - shift, right - shift)
        limit = shifted[place][0] - PILL_GAP
    return shifted


def pills_in_rows(spans: Sequence[tuple[float, float]], rows: int, first: int = -1) -> list[int]:
    """Returns a row for each rank so that none overlaps, -1 for those without room; ``first`` is placed first.

    ``spans`` are their lefts and rights from left to right.
    """
    row_of = [-1] * len(spans)
    low = high = -inf  # of the rank that is placed first
    if first >= 0 and rows:
        low, high = spans[first]
        row_of[first] = 0
    ends = [-inf] * rows  # of the last rank in each row
    for number, (left, right) in enumerate(spans):
        if number == first:
            continue
        for row, end in enumerate(ends):
            if end + 3 <= left and (row or right + 3 <= low or high + 3 <= left):
                ends[row] = right
                row_of[number] = row
                break
    return row_of


def word_columns(
    growth: Growth,
    start: int,
    end: int,
    parts: Sequence[tuple[int, int]],
    letters_of: Sequence[float],
) -> CanvasWord:
    """Returns a word from byte ``start`` to ``end``; ``parts`` are all the spans that its symbols ever have.

    ``letters_of[b]``: how many letters the bytes before ``start + b`` have.
    """
    edges = sorted({start, end, *(edge for part in parts for edge in part)})
    empty: dict[int, int] = {}
    for first, last in parts:
        if first == last:
            empty[first] = empty.get(first, 0) + 1
    sums = [letters_of[edge - start] for edge in edges]
    # Several letters that are never separate, as in a special token, need less room.
    counts = [max(1.0, after - before) for before, after in pairwise(sums)]
    letters = [count if count <= 2 else 2 + 0.4 * (count - 2) for count in counts]
    heights = accumulate((node.height for node in growth.nodes), max)
    return CanvasWord(growth, edges, letters, empty, max(heights, default=0))
