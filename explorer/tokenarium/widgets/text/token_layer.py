"""One way to split a text, and the shapes of the lines that were painted last.

An edit changes the tokens of few lines: what is known of the others is kept, at their new places.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainterPath

from tokenarium.models.text.lost_text import TextLoss, size_of
from tokenarium.models.text.segmentation import SHADES, TOKEN_COLOURS, Looks, TextParts
from tokenarium.models.text.text_map import IntArray, TextMap, row_of
from tokenarium.style.cuts import NARROW, Cut
from tokenarium.style.shapes import GAP, LEAST_WIDTH, token_path
from tokenarium.style.theme import Identity
from tokenarium.widgets.text.laid_block import LaidLine
from tokenarium.widgets.text.text_layout import PlacedLine
from tokenarium.widgets.text.token_boxes import Box, line_boxes

KEPT_LINES = 500
"""How many lines of a layer keep the shapes that they are painted from, by their content."""

KNOWN_LINES = 64
"""How many lines of a layer are known by their place: those of a screen, and some more."""

NEAR_BYTES = 20_000
"""How far from an edit, in bytes, what is known of a line is kept: as far as a screen reaches."""


@dataclass(frozen=True, slots=True)
class Band:
    """The vertical range of boxes, in pixels from the top of their line."""

    top: float
    height: float

    def rect(self, box: Box) -> QRectF:
        """The rectangle of a box: a little narrower than from cut to cut."""
        left = box.left if box.at_left is Cut.OPEN else box.left + GAP
        right = box.right if box.at_right is Cut.OPEN else box.right - GAP
        if right - left < LEAST_WIDTH:
            left = max((box.left + box.right - LEAST_WIDTH) / 2, 0.0)
            right = left + LEAST_WIDTH
        return QRectF(left, self.top, right - left, self.height)


_WHOLE = (Cut.STRAIGHT, Cut.OPEN)


def is_torn(box: Box, rect: QRectF) -> bool:
    """Whether an end of a box is painted with teeth or a notch."""
    return rect.width() >= NARROW and not (box.at_left in _WHOLE and box.at_right in _WHOLE)


@dataclass(frozen=True, slots=True, eq=False)
class _Shapes:
    """The input for painting a line of a layer: its boxes, and the shapes of each colour."""

    boxes: list[Box]
    rects: dict[int, list[QRectF]]
    torn: dict[int, list[QPainterPath]]
    rules: dict[int, list[QRectF]]
    special: list[QRectF]


class LineShapes(NamedTuple):
    """The shapes of a line: ``moved`` is added to the numbers of their parts, ``flip`` changes the colour numbers.

    Shapes are kept as if the first part of the line had an even number; ``change`` is the flip of an odd one.
    """

    shapes: _Shapes
    moved: int
    flip: int
    change: int

    def after(self, parts: int) -> LineShapes:
        """Returns the same with a number of parts more before the line."""
        flip = self.flip ^ self.change if parts % SHADES else self.flip
        return self._replace(moved=self.moved + parts, flip=flip)


@dataclass(slots=True, eq=False)
class _KnownLine:
    """What is known of a line of a layer; see the methods of `TokenLayer` that fill it.

    It holds for another place of the same laid line, which ``at_end`` of the text must be too, or not.
    """

    line: LaidLine
    end: int
    at_end: bool
    shapes: dict[tuple[float, bool], LineShapes] = field(default_factory=dict)
    lost: tuple[tuple[int, int], ...] | None = None
    count: int | None = None

    def moved(self, growth: int, parts: int) -> _KnownLine:
        """Returns what is known where a number of bytes and parts more are before the line."""
        shapes = {key: shapes.after(parts) for key, shapes in self.shapes.items()}
        return _KnownLine(self.line, self.end + growth, self.at_end, shapes, self.lost, self.count)


RowState = tuple[object, ...]
"""What a row of a line is painted from: a row with an equal state looks the same."""

WAITS: RowState = ()
"""The state of a row that is painted when its parts are known: until then it stays as it was."""

_KnownLines = dict[int, _KnownLine]
"""By the byte at which the line starts."""


NOWHERE = 1 << 62
"""A byte after all texts."""


@dataclass(frozen=True, slots=True)
class _Former:
    """What was known before an edit, which replaced ``head`` to ``tail`` and made the text longer by ``growth``."""

    parts: TextParts
    lines: _KnownLines
    head: int
    tail: int
    growth: int

    def untouched(self) -> _KnownLines:
        """Returns the lines with parts that the edit did not touch, for as long as there are no new ones."""
        starts, ends = self.parts.starts, self.parts.ends
        before, after = ends.row_of(self.head, "right"), starts.row_of(self.tail)
        begin = starts[before - 1] if before else -1
        return self._kept(self.lines, begin, ends[after] + 1 if after < len(ends) else NOWHERE, 0)

    def followed_by(self, parts: TextParts) -> _KnownLines:
        """Returns the lines near the edit that have the same parts among new ones, and the same neighbours of these."""
        low, high = self.head - NEAR_BYTES, self.tail + NEAR_BYTES
        near = {
            start: known for start, known in self.lines.items() if start < high and known.end > low
        }
        old, values, new_values = self.parts, self.parts.values, parts.values
        if not near or values is None or new_values is None or len(values) != len(new_values):
            return {}
        first = max(old.between(min(near), min(near) + 1).start - 1, 0)
        if first and old.starts[first] > self.head:
            return {}  # the rows before have perhaps moved
        stop = max(known.end for known in near.values())
        last = min(old.starts.row_of(stop) + 1, len(old))
        new_last = min(parts.starts.row_of(stop + self.growth) + 1, len(parts))
        was = [column[first:last] for column in (old.starts, old.ends, *values)]
        now = [column[first:new_last] for column in (parts.starts, parts.ends, *new_values)]
        starts, ends = was[:2]
        # How many are the same at the beginning, and end a byte before the edit; and at the end, a byte after it.
        same = min(_equal(was, now), int(np.searchsorted(ends, self.head - 1, "right")))
        begin = int(starts[same - 1]) if same else -1
        now[:2] = [places - np.int32(self.growth) for places in now[:2]]
        same = _equal([column[::-1] for column in was], [column[::-1] for column in now])
        same = min(same, len(starts) - int(np.searchsorted(starts, self.tail + 1)))
        end = int(ends[-same]) + bool(starts[-same] == ends[-same]) if same else NOWHERE
        return self._kept(near, begin, end, new_last - last)

    def _kept(self, lines: _KnownLines, begin: int, end: int, parts: int) -> _KnownLines:
        """The lines up to a byte, and those from another one on, before which there are some parts more."""
        kept = {}
        for start, known in lines.items():
            if known.end <= begin and not known.at_end:
                kept[start] = known.moved(0, 0)
            elif start >= end:
                kept[start + self.growth] = known.moved(self.growth, parts)
        return kept


def _equal(some: list[npt.NDArray[Any]], others: list[npt.NDArray[Any]]) -> int:
    """Returns how many rows at the beginning are equal in all columns."""
    size = min(len(some[0]), len(others[0]))
    differs = np.zeros(size, np.bool_)
    for one, other in zip(some, others, strict=True):
        differs |= one[:size] != other[:size]
    return int(np.argmax(differs)) if differs.any() else size


class TokenLayer:
    """One way to split the text, and the shapes of its recently painted lines."""

    def __init__(self, key: str = "", name: str = "", identity: Identity | None = None) -> None:
        self.key = key
        self.name = name
        self.identity = identity
        self._parts = TextParts.empty()
        self._edits: list[tuple[int, int, int]] = []  # that the parts do not follow yet
        self.disputed: IntArray = np.empty(0, dtype=np.int32)
        self._losing: TextLoss | None = None
        self._complete = True
        self._share: float | None = None
        self._lines: _KnownLines = {}
        self._former: _Former | None = None  # if there was one edit since the parts were set
        self._waits = False
        self._follows = (
            False  # whether the lines that the last edit did not touch are still to be taken over
        )
        # By all their inputs, counted from the start of the line, as an edit only moves most lines. With the number of
        # their first part; the last used are at the end.
        self._kept: dict[tuple[object, ...], tuple[_Shapes, int]] = {}

    def blank(self) -> TokenLayer:
        """Returns the same without parts."""
        return TokenLayer(self.key, self.name, self.identity)

    @property
    def parts(self) -> TextParts:
        """The parts; after an edit, those that it did not touch, until new ones are set."""
        for edit in self._edits:
            self._parts = self._parts.after_edit(*edit)
        self._edits.clear()
        return self._parts

    @property
    def waits(self) -> bool:
        """Whether the text was edited since the parts were set; see `number_parts`."""
        return self._waits

    def set_parts(
        self, parts: TextParts, losing: TextLoss | None = None, complete: bool = True
    ) -> None:
        """Sets the parts, and how text is lost between and in them; ``complete``: they cover the whole text."""
        former, self._former = self._former, None
        self._follows = False
        self._lines.clear()
        if not parts.marks_as(self._parts):
            self._kept.clear()
        elif former is not None and losing is self._losing and complete:
            self._lines = former.followed_by(parts)
        self._parts = parts
        self._losing, self._complete, self._share = losing, complete, None
        self._waits = False
        self._edits.clear()

    def follow_edit(self, head: int, tail: int, growth: int) -> None:
        """Keeps only the parts that an edit did not touch; see `TextParts.after_edit`."""
        lines, self._lines, self._former = self._lines, {}, None
        if self._complete:
            self._former = _Former(self._parts, lines, head, tail, growth)
        self._follows = self._former is not None
        self._edits.append((head, tail, growth))
        self._waits = True
        self._complete, self._share = False, None

    def lay_out(self) -> None:
        """Reads the positions of lines again, as when their layout has changed."""
        self._lines.clear()
        self._former, self._follows = None, False

    def number_parts(self) -> None:
        """Makes the numbers of the parts in `LineShapes` those of `parts`, also while the layer waits."""
        if self._waits and self._former is not None:
            self.lay_out()

    def lost(self, text: TextMap, start: int, end: int) -> IntArray:
        """Returns the lost ranges (n × 2 byte offsets) in a part of the text; none while parts are missing."""
        parts, losing = self.parts, self._losing
        if losing is None or parts.ids is None or not self._complete or self._edits:
            return np.empty((0, 2), dtype=np.int32)
        touched = parts.between(start, end)
        # With a neighbour on each side, as there may be a gap before it.
        first, last = max(touched.start - 1, 0), min(touched.stop + 1, len(parts))
        some = slice(first, last)
        spans = np.stack((parts.starts[some], parts.ends[some]), axis=1)
        low = int(spans[0, 0]) if first else 0
        high = int(spans[-1, 1]) if last < len(parts) else text.byte_count
        ranges = losing.spans_in(text, parts.ids[some], spans, low, high)
        return ranges[(ranges[:, 0] < end) & (ranges[:, 1] > start)]

    def next_lost(self, text: TextMap, after: int) -> tuple[int, int] | None:
        """Returns the next lost range that begins after a byte; after the last one, the first.

        None if there is none.
        """
        ranges = self.lost(text, 0, text.byte_count)
        if not len(ranges):
            return None
        start, end = ranges[int(np.searchsorted(ranges[:, 0], after, side="right")) % len(ranges)]
        return int(start), int(end)

    def lost_share(self, text: TextMap) -> float:
        """Returns the share of the whole text that is lost; computed once."""
        if self._share is None:
            self._share = size_of(self.lost(text, 0, text.byte_count)) / max(text.byte_count, 1)
        return self._share

    def lost_in_line(self, text: TextMap, placed: PlacedLine) -> tuple[tuple[int, int], ...]:
        """Returns the lost ranges in a line, counted from its start."""
        known = self._known(placed, text.byte_count)
        if known.lost is None:
            ranges = self.lost(text, placed.start, placed.end) - placed.start
            known.lost = tuple(map(tuple, ranges.tolist()))
        return known.lost

    def count(self, placed: PlacedLine, text_end: int) -> int:
        """Returns how many parts begin in a line."""
        known = self._known(placed, text_end)
        if known.count is None:
            starts = self.parts.starts
            last = starts.row_of(placed.end + known.at_end)
            known.count = max(last - starts.row_of(placed.start), 0)
        return known.count

    def shapes(
        self, placed: PlacedLine, band: Band, text_end: int, foot: float, shades: bool = False
    ) -> LineShapes:
        """The shapes of a line.

        ``foot``: the height of the rules. ``shades``: by their shade, 0 or 1, instead of their colour number.
        """
        known = self._known(placed, text_end)
        line_shapes = known.shapes.get((band.top, shades))
        if line_shapes is None:
            line_shapes = self._reused(placed, band, text_end, foot, shades)
            known.shapes[band.top, shades] = line_shapes
        return line_shapes

    def state_of(
        self, placed: PlacedLine, band: Band, text: TextMap, foot: float, shades: bool = False
    ) -> RowState:
        """What a line is painted from; see `shapes`. `WAITS` if the edit touched its parts and there are no new ones."""
        end = text.byte_count
        known = self._known(placed, end)
        if self._waits and known.count is None:
            return WAITS
        fills = known.shapes.get((band.top, shades)) or self.shapes(placed, band, end, foot, shades)
        if known.lost is None:
            self.lost_in_line(text, placed)
        if known.count is None:
            self.count(placed, end)
        return fills.shapes, fills.flip, known.lost, known.count

    def _known(self, placed: PlacedLine, text_end: int) -> _KnownLine:
        if self._follows and self._former is not None:
            self._follows, self._lines = False, self._former.untouched()
        line, start, end = placed.line, placed.start, placed.end
        known = self._lines.get(start)
        if known is not None and known.at_end == (end == text_end):
            if known.line is line:
                return known
            if known.end == end and known.line.content == line.content:
                known.line = line
                return known
        if len(self._lines) >= KNOWN_LINES:
            self._lines.clear()
        known = self._lines[start] = _KnownLine(line, end, end == text_end)
        return known

    def _reused(
        self, placed: PlacedLine, band: Band, text_end: int, foot: float, shades: bool
    ) -> LineShapes:
        at_end = placed.end == text_end
        touched = self.parts.between(placed.start, placed.end + at_end)
        change = 1 if shades or self.parts.rule_names else TOKEN_COLOURS // SHADES
        flip = change if touched.start % SHADES else 0
        content = placed.line.content
        made_from = content, band, at_end, foot, shades, *self.parts.made_of(touched, placed.start)
        cached = self._kept.pop(made_from, None)
        if cached is None:
            if len(self._kept) >= KEPT_LINES:
                del self._kept[next(iter(self._kept))]
            looks = self.parts.looks(touched)
            colours = np.arange(len(touched)) % SHADES if shades else looks.colours ^ flip
            boxes = line_boxes(placed, self.parts, text_end)
            shapes = _made(boxes, band, touched.start, looks, colours.tolist(), foot)
            cached = shapes, touched.start
        self._kept[made_from] = cached
        shapes, first = cached
        return LineShapes(shapes, touched.start - first, flip, change)

    def ticks(self, start: int, end: int) -> IntArray:
        """Returns the disputed cuts, after ``start`` and up to ``end``, at which a part ends or begins.

        A part begins where no other ends after a space that is left out.
        """
        first, last = (row_of(self.disputed, offset, "right") for offset in (start, end))
        cuts = self.disputed[first:last]
        parts = self.parts.between(start, end)
        ends = self.parts.ends[parts.start : parts.stop]
        starts = self.parts.starts[parts.start : parts.stop]
        return cuts[np.isin(cuts, ends) | np.isin(cuts, starts)]


def _made(
    boxes: list[Box], band: Band, first: int, looks: Looks, colours: list[int], foot: float
) -> _Shapes:
    """The shapes of boxes; ``looks`` and ``colours`` begin with the part ``first``."""
    shapes = _Shapes(boxes, {}, {}, {}, [])
    special, several = looks.special, looks.superwords
    for box in boxes:
        number = colours[box.part - first]
        rect = band.rect(box)
        if is_torn(box, rect):
            path = token_path(rect, box.at_left, box.at_right)
            shapes.torn.setdefault(number, []).append(path)
        else:
            shapes.rects.setdefault(number, []).append(rect)
        if not foot:
            continue
        rules = shapes.rules.setdefault(number, [])
        left, width, bottom = rect.left(), rect.width(), rect.bottom()
        rules.append(QRectF(left, bottom - foot, width, foot))
        if several is not None and several[box.part - first]:
            rules.append(QRectF(left, bottom - 2.4 * foot, width, 0.6 * foot))
        if special is not None and special[box.part - first]:
            shapes.special.append(rect.adjusted(0.5, 0.5, -0.5, -0.5))
    return shapes
