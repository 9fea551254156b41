"""Where tiles stand: words one after the other, in lines as wide as there is room."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF

from tokenarium.style.theme import GRID
from tokenarium.widgets.painting import reading_width, small_width

TILE_HEIGHT = 5.0 * GRID
RANK_HEIGHT = 2.5 * GRID
"""The room over the tiles of a line, for the ranks of candidate merges."""

NOTE_HEIGHT = 2.0 * GRID
"""The room under the tiles, for ids."""

LINE_HEIGHT = RANK_HEIGHT + TILE_HEIGHT + NOTE_HEIGHT + GRID
PADDING = 1.0 * GRID
GAP = 0.5 * GRID
WORD_GAP = 2.5 * GRID
NARROWEST = 3.0 * GRID
LEFT = 2.0 * GRID


@dataclass(frozen=True, slots=True)
class Tile:
    """One symbol: the bytes where it stands, what is written on it and under it, and its colour's number.

    ``frozen`` ones never merge; ``loose`` ones are no piece of the vocabulary. ``superword``: what is said of one that
    holds several words.
    """

    start: int
    end: int
    text: str
    note: str
    colour: int
    frozen: bool = False
    loose: bool = False
    superword: str = ""


@dataclass(frozen=True, slots=True)
class TiledWord:
    """The tiles of a word with their first bytes, their widths, and their lefts where they stand in one line."""

    tiles: Sequence[Tile]
    starts: list[int]
    widths: list[float]
    lefts: list[float]
    width: float


def measured(tiles: Sequence[Tile], widest: str) -> TiledWord:
    """Returns a word with its measures; ``widest`` is a label that has room over each tile."""
    narrowest = max(NARROWEST, small_width(widest))
    widths = [_tile_width(tile.text, tile.note, narrowest) for tile in tiles]
    lefts, x = [], 0.0
    for width in widths:
        lefts.append(x)
        x += width + GAP
    return TiledWord(
        tiles, [tile.start for tile in tiles], widths, lefts, x - GAP if widths else 0.0
    )


class TileLayout:
    """The tiles of all words in reading order, with the places where they stand; and their ``height`` in all.

    The tops never fall from one tile to the next, so what is seen of many tiles is found at once.
    """

    def __init__(self, words: Sequence[TiledWord], width: int) -> None:
        self.tiles: list[Tile] = []
        self._lefts: list[float] = []
        self._tops: list[float] = []
        self._widths: list[float] = []
        self._ends: set[int] = set()  # behind the last tile of each word
        starts: list[int] = []
        x, y = LEFT, 1.0 * GRID
        right = max(width - 2 * GRID, 12 * GRID)
        for word in words:
            if x > LEFT and x + word.width > right:
                x, y = LEFT, y + LINE_HEIGHT
            if x + word.width <= right:
                self._lefts += [x + left for left in word.lefts]
                self._tops += [y + RANK_HEIGHT] * len(word.tiles)
                x += word.width + (GAP if word.tiles else 0.0)
            else:
                for size in word.widths:
                    if x > LEFT and x + size > right:
                        x, y = LEFT, y + LINE_HEIGHT
                    self._lefts.append(x)
                    self._tops.append(y + RANK_HEIGHT)
                    x += size + GAP
            self.tiles += word.tiles
            self._widths += word.widths
            self._ends.add(len(self.tiles))
            starts += word.starts
            x += WORD_GAP - GAP
        self._numbers = {start: number for number, start in enumerate(starts)}
        self._sorted = sorted(self._numbers)
        self.height = y + LINE_HEIGHT + GRID

    def rect(self, number: int) -> QRectF:
        """Where a tile stands."""
        return QRectF(self._lefts[number], self._tops[number], self._widths[number], TILE_HEIGHT)

    def number(self, start: int) -> int:
        """The tile that begins at a byte; -1 where there is none."""
        return self._numbers.get(start, -1)

    def between(self, top: float, bottom: float) -> range:
        """The tiles that stand, with their notes, in a part of the height."""
        first = bisect_left(self._tops, top - TILE_HEIGHT - NOTE_HEIGHT)
        return range(first, bisect_right(self._tops, bottom))

    def pair(self, start: int) -> tuple[QRectF, QRectF] | None:
        """Where the tile at a byte and the next one of its word stand, if that is one line."""
        left = self.number(start)
        if left < 0 or left + 1 in self._ends or self._tops[left] != self._tops[left + 1]:
            return None
        return self.rect(left), self.rect(left + 1)

    def top(self, start: int) -> float:
        """The top of the tile that begins at a byte; -1.0 where there is none."""
        number = self.number(start)
        return self._tops[number] if number >= 0 else -1.0

    def covering(self, start: int, end: int) -> QRectF | None:
        """Where the tiles stand that lie in some bytes, or the one that they lie in; None if not in one line."""
        parts = self._sorted
        first, last = bisect_left(parts, start), bisect_left(parts, end)
        inside = [self._numbers[at] for at in parts[min(first, max(last - 1, 0)) : last]]
        if not inside or self._tops[inside[0]] != self._tops[inside[-1]]:
            return None
        return self.rect(inside[0]).united(self.rect(inside[-1]))

    def at(self, point: QPointF) -> Tile | None:
        """The tile under a point."""
        for number in self.between(point.y(), point.y()):
            if self.rect(number).contains(point):
                return self.tiles[number]
        return None


@lru_cache(maxsize=1 << 15)
def _tile_width(text: str, note: str, narrowest: float) -> float:
    """Returns how wide a tile is, with its text, its note, and the label that may stand over it."""
    return max(reading_width(text) + 2 * PADDING, small_width(note) + GRID / 2, narrowest)
