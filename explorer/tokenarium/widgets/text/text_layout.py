"""Lays out a text of any length block by block, only the visible ones.

Several views of one text share one ``TextLayout``: the text is shaped once and painted by each.
Other blocks have an estimated height, until they become visible.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFont, QFontMetricsF

from tokenarium.models.text.chunked_column import ChunkedColumn
from tokenarium.models.text.text_map import IntArray, TextMap, row_of
from tokenarium.widgets.text.laid_block import TAB_LETTERS, LaidBlock, LaidLine
from tokenarium.widgets.text.text_blocks import blocks_of

KEPT_CHARACTERS = 300_000
"""How much laid out text is kept, in code points: a few dozen screens."""


KEPT_PLACES = 2_000
"""How many blocks keep the positions of their lines; others are placed again."""


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A placed line: the byte at which its block starts, and the y of its parts.

    ``top`` … ``bottom`` is its room, ``text_top`` … ``text_bottom`` the part of it for the letters. Offsets of ``line``
    plus ``base`` are bytes of the whole text.
    """

    line: LaidLine
    base: int
    top: float
    text_top: float
    text_bottom: float
    bottom: float

    @property
    def start(self) -> int:
        """The byte of the text at which the line starts."""
        return self.base + self.line.start

    @property
    def end(self) -> int:
        """The byte of the text at which the line ends."""
        return self.base + self.line.end


class TextLayout(QObject):
    """A text laid out in a width. ``y`` counts from the top of the text, in pixels."""

    changed = Signal()
    """The text, the font, the width or the spacing has changed: paint everything again."""

    settled = Signal()
    """Some heights became known: everything below has moved."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text = TextMap("")
        self._font = QFont()
        self._width = 640.0
        self._above = 0
        self._below = 0
        self._names = 0
        self._blank = 0
        self._rooms: WeakKeyDictionary[QObject, tuple[int, int, int, int]] = WeakKeyDictionary()
        self._cache: OrderedDict[str, LaidBlock] = OrderedDict()
        self._cached_characters = 0
        self._placed: dict[int, list[PlacedLine]] = {}
        self._laid_count = 0
        self._edit = (0, 0, 0)
        self._blocks = blocks_of(self._text)
        self._heights: npt.NDArray[np.float64] = np.zeros(1)
        self._settled: npt.NDArray[np.bool_] = np.zeros(1, dtype=np.bool_)
        self._tops: npt.NDArray[np.float64] | None = None
        self._measure()
        self._estimate()

    # What is laid out, and how

    @property
    def text_map(self) -> TextMap:
        """The text that is laid out."""
        return self._text

    @property
    def font(self) -> QFont:
        """The font of the text."""
        return self._font

    @property
    def width(self) -> float:
        """The width of a line in pixels."""
        return self._width

    @property
    def block_count(self) -> int:
        """The number of blocks."""
        return len(self._blocks.edges) - 1

    @property
    def laid_count(self) -> int:
        """How many blocks have been laid out since the layout was made."""
        return self._laid_count

    @property
    def cached_characters(self) -> int:
        """How much laid out text is kept, in code points."""
        return self._cached_characters

    @property
    def line_height(self) -> float:
        """The height of an ordinary line with the room above and below it."""
        return self._text_height + self._above + self._below

    def set_text_map(self, text: TextMap) -> None:
        """Lays out a new text; blocks that both texts have keep their layout and height."""
        if text is self._text:
            return
        older = self._text  # kept until its blocks are carried over
        old_edges, old_heights, old_settled = self._blocks.edges, self._heights, self._settled
        edit = text.edit_since(older)
        if edit is None:
            head, tail = _common(older.data, text.data)
        else:
            head, tail = edit[0], older.byte_count - edit[1]
        self._edit = (head, older.byte_count - tail, text.byte_count - older.byte_count)
        self._text = text
        self._blocks = blocks_of(text)
        self._estimate()
        # Blocks completely in the common head or tail keep their height.
        unchanged = _same_prefix(old_edges, self._blocks.edges, head)
        self._heights[:unchanged], self._settled[:unchanged] = (
            old_heights[:unchanged],
            old_settled[:unchanged],
        )
        unchanged = _same_suffix(old_edges, self._blocks.edges, tail)
        if unchanged:
            self._heights[-unchanged:], self._settled[-unchanged:] = (
                old_heights[-unchanged:],
                old_settled[-unchanged:],
            )
        self.changed.emit()

    def set_font(self, font: QFont) -> None:
        """Lays the text out in another font."""
        if font != self._font:
            self._font = QFont(font)
            self._measure()
            self._start_over()

    def set_width(self, width: float) -> None:
        """Lays the text out in another width, in pixels."""
        width = max(32.0, width)
        if width != self._width:
            self._width = width
            self._start_over()

    def set_room(
        self, owner: QObject, above: int, below: int, names: int = 0, blank: int | None = None
    ) -> None:
        """Leaves at least these pixels above and below the letters of each line for ``owner``.

        ``names`` is extra room above lines with characters that are named above them; ``blank`` is the room below an
        empty line, by default ``below``. Views that share a layout have different needs; each line has room for all.
        """
        self._rooms[owner] = (above, below, names, below if blank is None else blank)
        rooms = tuple(max(needs) for needs in zip(*self._rooms.values(), strict=True))
        if rooms == (self._above, self._below, self._names, self._blank):
            return
        above, below, names, under = rooms
        # The letters keep their positions in the lines: only the lines move.
        lines = np.maximum(np.round(self._heights / self.line_height), 1.0)
        self._heights += lines * (above + below - self._above - self._below)
        self._above, self._below, self._names, self._blank = above, below, names, under
        blanks = self._blanks()
        self._heights[blanks] = self._text_height + above + under
        self._settled[:] = False
        self._tops = None
        self._placed.clear()
        self._edit = (self._text.byte_count, self._text.byte_count, 0)
        self.changed.emit()

    # Places

    @property
    def height(self) -> float:
        """The height of the whole text: partly an estimate until all of it has been seen."""
        return float(self._offsets()[-1])

    def top(self, block: int) -> float:
        """The y at which a block starts."""
        return float(self._offsets()[block])

    def block_height(self, block: int) -> float:
        """The height of a block, laid out now if it has not been."""
        if not self._settled[block]:
            self._settle(block)
        return float(self._heights[block])

    def block_at(self, y: float) -> int:
        """The block at ``y``."""
        index = int(np.searchsorted(self._offsets(), y, side="right")) - 1
        return min(max(index, 0), self.block_count - 1)

    def block_of(self, byte: int) -> int:
        """The block that ``byte`` is in."""
        index = row_of(self._blocks.edges, byte, "right") - 1
        return min(max(index, 0), self.block_count - 1)

    @property
    def last_edit(self) -> tuple[int, int, int]:
        """What the last ``set_text_map`` changed, as ``Segmentation.after_edit`` takes it."""
        return self._edit

    def carried(self, byte: int) -> int:
        """The position in this text of a byte of the text before the last ``set_text_map``."""
        head, old_tail, growth = self._edit
        return byte if byte <= head else max(byte + growth, head) if byte >= old_tail else head

    def block_start(self, block: int) -> int:
        """The byte at which a block starts."""
        return int(self._blocks.edges[block])

    def lines(self, block: int) -> list[PlacedLine]:
        """The lines of one block, with y from the top of the block."""
        known = self._placed.get(block)
        if known is not None:
            return known
        laid = self._settle(block)
        base = int(self._blocks.edges[block])
        placed: list[PlacedLine] = []
        y = 0.0
        for line in laid.lines:
            text_top = y + self._above + (self._names if line.named_above else 0)
            bottom = text_top + line.height + (self._blank if line.blank else self._below)
            placed.append(PlacedLine(line, base, y, text_top, text_top + line.height, bottom))
            y = bottom
        if len(self._placed) >= KEPT_PLACES:
            self._placed.clear()
        self._placed[block] = placed
        return placed

    def lines_from(self, block: int, height: float) -> Iterator[tuple[float, PlacedLine]]:
        """The lines from ``block`` on, ``height`` pixels of them, each with the y of its block.

        The y counts from the top of ``block``; what is above it is not touched.
        """
        y = 0.0
        while block < self.block_count and y < height:
            for placed in self.lines(block):
                yield y, placed
            y += float(self._heights[block])
            block += 1

    # Implementation

    def _measure(self) -> None:
        metrics = QFontMetricsF(self._font)
        self._letter = metrics.averageCharWidth()
        self._tab = TAB_LETTERS * metrics.horizontalAdvance("0")
        self._text_height = ceil(metrics.ascent() + metrics.descent())

    def _start_over(self) -> None:
        self._edit = (self._text.byte_count, self._text.byte_count, 0)
        self._cache.clear()
        self._cached_characters = 0
        self._estimate()
        self.changed.emit()

    def _estimate(self) -> None:
        """Guesses the height of every block from the number of its letters."""
        per_line = max(self._width / self._letter, 1.0)
        # In place: a text may have millions of lines.
        lines = self._blocks.weights / per_line
        np.ceil(lines, out=lines)
        np.maximum(lines, 1.0, out=lines)
        lines *= self.line_height
        self._heights = lines
        self._heights[self._blanks()] = self._text_height + self._above + self._blank
        self._placed.clear()
        self._settled = np.zeros(len(lines), dtype=np.bool_)
        self._tops = None

    def _blanks(self) -> npt.NDArray[np.bool_]:
        """Which blocks are empty: at most one character, a line end or a last letter."""
        blank: npt.NDArray[np.bool_] = np.diff(self._blocks.characters) <= 1
        return blank

    def _offsets(self) -> npt.NDArray[np.float64]:
        if self._tops is None:
            self._tops = np.zeros(len(self._heights) + 1)
            np.cumsum(self._heights, out=self._tops[1:])
        return self._tops

    def _block_text(self, block: int) -> str:
        edges = self._blocks.edges
        return self._text.string(int(edges[block]), int(edges[block + 1]))

    def _height_of(self, laid: LaidBlock) -> float:
        named = sum(line.named_above for line in laid.lines) if self._names else 0
        below = sum(self._blank if line.blank else self._below for line in laid.lines)
        return laid.text_height + len(laid.lines) * self._above + below + named * self._names

    def _settle(self, block: int) -> LaidBlock:
        """Lays a block out, or takes the layout of a block with the same text."""
        text = self._block_text(block)
        laid = self._cache.get(text)
        if laid is None:
            laid = LaidBlock(text, self._font, self._width, self._tab)
            self._laid_count += 1
            self._cache[text] = laid
            self._cached_characters += len(text) + 1
            while self._cached_characters > KEPT_CHARACTERS and len(self._cache) > 1:
                dropped, _ = self._cache.popitem(last=False)
                self._cached_characters -= len(dropped) + 1
        else:
            self._cache.move_to_end(text)
        if not self._settled[block]:
            self._settled[block] = True
            height = self._height_of(laid)
            if height != self._heights[block]:
                self._heights[block] = height
                self._tops = None
                self.settled.emit()
        return laid


def _common(old: ChunkedColumn, new: ChunkedColumn) -> tuple[int, int]:
    """How many bytes two texts have in common at the start, and then at the end."""
    size = min(len(old), len(new))
    differs = old[:size] != new[:size]
    head = int(np.argmax(differs)) if differs.any() else size
    size -= head
    if not size:
        return head, 0
    differs = old[-size:][::-1] != new[-size:][::-1]
    return head, int(np.argmax(differs)) if differs.any() else size


def _same_prefix(old: IntArray, new: IntArray, head: int) -> int:
    """How many blocks are before byte ``head`` and have the same edges."""
    size = min(len(old), len(new))
    same = (old[:size] == new[:size]) & (new[:size] <= head)
    return max((int(np.argmin(same)) if not same.all() else size) - 1, 0)


def _same_suffix(old: IntArray, new: IntArray, tail: int) -> int:
    """How many blocks are in the last ``tail`` bytes and have the same edges, from the end."""
    size = min(len(old), len(new))
    old_left, new_left = old[-1] - old[-size:], new[-1] - new[-size:]
    same = ((old_left == new_left) & (new_left <= tail))[::-1]
    return max((int(np.argmin(same)) if not same.all() else size) - 1, 0)
