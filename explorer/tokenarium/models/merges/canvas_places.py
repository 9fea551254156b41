"""Where the parts of the canvas of merges are: tiles, ranks, the nodes of the trees and their branches.

Everything is in pixels from the left and the top. The widget and the web page paint at the same places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from tokenarium.models.merges.canvas_layout import (
    PILL_HEIGHT,
    PILL_STEP,
    CanvasColumns,
    CanvasRows,
    pills_in_rows,
    spread,
)
from tokenarium.models.merges.merge_scene import Pair, Tile
from tokenarium.models.merges.playback import Growth, Node

SHIFT = 20.0
"""Pixels by which the widest ranks may be wider than a column before they need a second row."""

MOST_PILL_ROWS = 3
LEAST_NODE_WIDTH = 28.0

_START = itemgetter(0)


class CanvasBox(NamedTuple):
    """A rectangle."""

    left: float
    top: float
    width: float
    height: float


class PlacedPill(NamedTuple):
    """A rank: its left and right, its row (-1: no room), and the ends of the line between its two tiles."""

    pair: Pair
    start: float
    end: float
    row: int
    left: float
    right: float


def pill_rows(widest: float, column: float) -> int:
    """Returns how many rows the ranks need; ``widest`` is the width of the widest, 0 without ranks."""
    if not widest:
        return 0
    # If the ranks are not wider than their tiles, one row is enough, with small shifts.
    return min(MOST_PILL_ROWS, 1 + int(widest / max(1.0, column + SHIFT)))


def empty_places(tiles: Sequence[Tile]) -> dict[int, tuple[int, int]]:
    """Returns for each tile of no bytes its place among those at its byte, and how many they are."""
    places: dict[int, tuple[int, int]] = {}
    empty = [number for number, tile in enumerate(tiles) if tile.start == tile.end]
    for number in empty:
        here = [other for other in empty if tiles[other].start == tiles[number].start]
        places[number] = (here.index(number), len(here))
    return places


def tile_box(
    columns: CanvasColumns, rows: CanvasRows, tile: Tile, place: tuple[int, int] = (0, 0)
) -> CanvasBox:
    """Returns the rectangle of a tile on the top row."""
    left, right = columns.span(tile.start, tile.end, *place)
    inset = min(4.0, 0.05 * columns.column)
    return CanvasBox(left + inset, rows.tile, right - left - 2 * inset, rows.tile_height)


def node_box(columns: CanvasColumns, rows: CanvasRows, node: Node, needed: float) -> CanvasBox:
    """Returns the rectangle of a node of a tree; ``needed`` is the width of its text."""
    left, right = columns.span(node.start, node.end)
    wide = needed if node.height else 0.64 * columns.column
    width = min(max(wide, LEAST_NODE_WIDTH), right - left - 4)
    return CanvasBox((left + right - width) / 2, rows.top(node.height), width, rows.node)


def pill_box(rows: CanvasRows, start: float, end: float, row: int) -> CanvasBox | None:
    """Returns the rectangle of a rank; None if it has no room."""
    top = rows.line - 4 - PILL_STEP * (row + 1) + 3
    return CanvasBox(start, top, end - start, PILL_HEIGHT) if row >= 0 else None


def placed_pills(
    pairs: Sequence[tuple[Pair, float, float]],
    width_of: Callable[[Pair], float],
    rows: int,
    room: float,
) -> list[PlacedPill]:
    """Returns the ranks from left to right, so that none overlaps; ``pairs`` have the middles of their two tiles."""
    pills = []
    for pair, one, other in pairs:
        left, right = sorted((one, other))
        width = width_of(pair)
        # In the middle of the visible part of the line, as the neighbouring pairs share its ends.
        start = (left + right - width) / 2
        pills.append((start, start + width, left, right, pair))
    pills.sort(key=_START)
    winner = next((at for at, one in enumerate(pills) if one[4].winner), -1)
    spans = [(one[0], one[1]) for one in pills]
    if rows == 1:
        spans = spread(spans, 4.0, room - 4.0)
    row_of = pills_in_rows(spans, rows, winner)
    return [
        PlacedPill(pair, start, end, row, left, right)
        for (_, _, left, right, pair), (start, end), row in zip(pills, spans, row_of, strict=True)
    ]


def seen_nodes(
    growth: Growth,
    count: int,
    tile_end: Callable[[int], int | None],
    first: int = 0,
    last: int = 1 << 62,
) -> Iterator[tuple[int, int]]:
    """Yields the nodes below the tiles that begin in some bytes: the number, and that of the one above (-1: a tile).

    ``tile_end`` returns the end of the tile that begins at a byte; anything else if there is none.
    """
    nodes = growth.nodes
    for top in growth.tops(count):
        root = nodes[top]
        if root.end < first or root.start > last:
            continue
        # A letter is also at the foot; a symbol that was split again is not a tile, and keeps its place.
        own = root.height == 0 and root.end > root.start
        apart = tile_end(root.start) != root.end
        if own or (apart and root.height and not root.below):
            yield top, -1
        waiting = [top]
        while waiting:
            above = waiting.pop()
            for child in nodes[above].below:
                node = nodes[child]
                if node.end >= first and node.start <= last:
                    yield child, above
                    waiting.append(child)


def tiles_of(node: Node, tiles: Sequence[Tile], number: int) -> range:
    """Returns the tiles that a node was split into again; none if it is one tile, of that ``number``, or in one."""
    if number < 0 or tiles[number].end >= node.end:
        return range(0)
    last = number
    while last < len(tiles) and tiles[last].end <= node.end:
        last += 1
    return range(number, last)
