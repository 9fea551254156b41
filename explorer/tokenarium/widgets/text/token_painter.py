"""Paints the lines of a text on the boxes of its parts.

The boxes are painted first, and Qt then draws each line at once: letters that a script joins stay
joined, wherever a token ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Literal

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from tokenarium.models.text.segmentation import Looks, TextSpans
from tokenarium.models.text.text_map import IntArray, TextMap
from tokenarium.style.fonts import SMALL_SIZE, mono_font
from tokenarium.style.palette import mix
from tokenarium.style.theme import Theme
from tokenarium.widgets.painting import superword_line
from tokenarium.widgets.text.laid_block import LaidLine
from tokenarium.widgets.text.mark_painter import MarkPainter
from tokenarium.widgets.text.text_layout import PlacedLine
from tokenarium.widgets.text.token_boxes import Box, LineBoxes, line_boxes, span_boxes

Annotations = Literal["none", "ids", "bytes"]

ROOM_ABOVE = 1
ROOM_BELOW = 3
"""The pixels between the letters of one line and those of the next, without annotations."""

KEPT_LINES = 500
"""How many lines keep the rectangles that they are painted from."""

TICK_HEIGHT = 6.0
"""The height of the tick at a disputed cut, in pixels."""

SLICE_HEIGHT = 4.0
"""The height of the strip in which parts share a cluster, in pixels."""


@dataclass(frozen=True, slots=True)
class LitSpan:
    """Bytes to highlight; true if there are any."""

    start: int = -1
    end: int = -1

    def __bool__(self) -> bool:
        return 0 <= self.start <= self.end

    def touches(self, placed: PlacedLine) -> bool:
        """Whether any of the span is in a line."""
        return 0 <= self.start <= placed.end and placed.start <= self.end


@dataclass(frozen=True, slots=True)
class Lit:
    """The highlighted bytes: the selection, and those that are pointed at."""

    selected: LitSpan = LitSpan()
    pointed: LitSpan = LitSpan()


@dataclass(frozen=True, slots=True)
class _Line:
    """The data for painting a line: its boxes, and the rectangles of each colour."""

    boxes: LineBoxes
    fills: list[tuple[QBrush, list[QRectF]]]
    special: list[QRectF]
    superwords: list[QRectF]


@dataclass(frozen=True, slots=True)
class _ReusableLine:
    """A line that may be reused: what it was made from, counted from its block, and its first part.

    An edit only moves most lines, and changes the numbers of their parts.
    """

    made_from: tuple[object, ...]
    first: int
    line: _Line


class TokenPainter:
    """Paints a token view one line at a time, with the options that are on.

    ``disputed``: sorted byte offsets; a part that ends or begins at one has a tick there, for a cut that other
    ways to cut the text don't make.
    """

    def __init__(self, theme: Theme) -> None:
        self.show_whitespace = False
        self.annotations: Annotations = "none"
        self.lit = Lit()
        self.disputed: IntArray = np.empty(0, dtype=np.int32)
        self._theme = theme
        self._text = TextMap("")
        self._parts = TextSpans.empty()
        self._width = 0.0
        self._lines: dict[int, tuple[_Line, int]] = {}
        self._kept: dict[LaidLine, _ReusableLine] = {}
        self._slices: dict[tuple[str, ...], tuple[QBrush, ...]] = {}
        self._note_font = mono_font(SMALL_SIZE - 1)
        self._note_metrics = QFontMetricsF(self._note_font)
        self._marks = MarkPainter()

    @property
    def theme(self) -> Theme:
        """The colours that are painted in."""
        return self._theme

    @property
    def text(self) -> TextMap:
        """The text that is painted."""
        return self._text

    def set_theme(self, theme: Theme) -> None:
        """Paints in other colours."""
        self._theme = theme
        self._slices.clear()
        self._lines.clear()
        self._kept.clear()

    def set_content(self, text: TextMap, parts: TextSpans, width: float) -> None:
        """Sets the parts and the width of the lines in pixels; call it when either changes."""
        if parts.rule_names != self._parts.rule_names:
            self._kept.clear()
        self._text, self._parts, self._width = text, parts, width
        self._lines.clear()

    def room(self) -> tuple[int, int, int]:
        """The pixels that a line needs above and below its letters, and above for names."""
        names = ceil(self._marks.height) if self.show_whitespace else 0
        notes = ceil(2 * self._note_metrics.height()) + 2 if self.annotations != "none" else 0
        return ROOM_ABOVE, ROOM_BELOW + notes, names

    def paint_line(self, painter: QPainter, placed: PlacedLine) -> None:
        """Paints one line, whose top left corner is the painter's origin."""
        band = _Band.of(placed)
        found = self._lines.get(placed.start)
        if found is None:
            if len(self._lines) >= KEPT_LINES:
                self._lines.clear()
            found = self._lines[placed.start] = self._line(placed, band)
        line, moved = found
        painter.setPen(Qt.PenStyle.NoPen)
        for brush, rects in line.fills:
            painter.setBrush(brush)
            painter.drawRects(rects)
        if line.special:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.dim, 1.0))
            painter.drawRects(line.special)
        for rect in line.superwords:
            painter.fillRect(rect, self._theme.dim)
        outlines = []
        selected, pointed = self.lit.selected, self.lit.pointed
        if selected.touches(placed):
            outline = _outline(placed, selected, band)
            painter.fillPath(outline, self._theme.selection)
            self._separate(painter, line.boxes, outline, band)
            outlines.append((outline, 1.5))
        if pointed.touches(placed) and pointed != selected:
            outlines.append((_outline(placed, pointed, band), 1.0))
        painter.setPen(self._theme.ink)
        placed.line.line.draw(painter, QPointF(0.0, placed.text_top - placed.top))
        if self.annotations != "none":
            self._paint_notes(painter, line.boxes, moved, band.bottom + 2)
        if len(self.disputed):
            self._paint_ticks(painter, placed, band)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for outline, width in outlines:
            painter.setPen(QPen(self._theme.accent, width))
            painter.drawPath(outline)
        if placed.line.marks:
            self._marks.paint(painter, self._theme, placed, self.show_whitespace)

    def _line(self, placed: PlacedLine, band: _Band) -> tuple[_Line, int]:
        """The data for painting a line, and the change of the numbers of its parts."""
        parts = self._parts
        at_end = placed.end == self._text.byte_count
        touched = parts.between(placed.start, placed.end + at_end)
        looks = parts.looks(touched)
        made_from = (
            band,
            at_end,
            (looks.starts - placed.base).tobytes(),
            (looks.ends - placed.base).tobytes(),
            looks.colours.tobytes(),
            None if looks.special is None else looks.special.tobytes(),
            None if looks.superwords is None else looks.superwords.tobytes(),
        )
        kept = self._kept.get(placed.line)
        if kept is None or kept.made_from != made_from:
            if len(self._kept) >= KEPT_LINES:
                self._kept.clear()
            kept = _ReusableLine(
                made_from, touched.start, self._prepare(placed, band, looks, touched.start)
            )
            self._kept[placed.line] = kept
        return kept.line, touched.start - kept.first

    def _prepare(self, placed: PlacedLine, band: _Band, looks: Looks, first: int) -> _Line:
        """The boxes of a line, colour by colour: full ones, shared clusters, slices.

        Special tokens have a frame as well: no text alone can make them. Superwords have a line at the foot.
        """
        boxes = line_boxes(placed, self._parts, self._text.byte_count)
        names = self._parts.rule_names
        full: dict[int, list[QRectF]] = {}
        sliced: dict[int, list[QRectF]] = {}
        for box in boxes.boxes:
            number = int(looks.colours[box.part - first])
            if box.sliced:
                sliced.setdefault(number, []).append(band.slice(box))
            else:
                full.setdefault(number, []).append(band.box(box.left, box.right))
        fills = _filled(full, self._theme.part_brushes(names))
        if boxes.shared:
            whole = [band.above_slices(left, right) for left, right in boxes.shared]
            fills.append((QBrush(self._theme.shared), whole))
            if names not in self._slices:
                colours = self._theme.part_rules(names)
                self._slices[names] = tuple(QBrush(colour) for colour in colours)
            fills += _filled(sliced, self._slices[names])
        special, several = looks.special, looks.superwords
        framed = [
            band.box(box.left, box.right).adjusted(0.5, 0.5, -0.5, -0.5)
            for box in boxes.boxes
            if special is not None and special[box.part - first]
        ]
        lined = [
            superword_line(band.box(box.left, box.right))
            for box in boxes.boxes
            if several is not None and several[box.part - first]
        ]
        return _Line(boxes, fills, framed, lined)

    def _separate(
        self, painter: QPainter, line: LineBoxes, outline: QPainterPath, band: _Band
    ) -> None:
        """Draws lines between the boxes if the selection covers the gaps and the colours."""
        bounds = outline.boundingRect()
        gaps = [
            band.box(box.right - 1, box.right + 1)
            for box in line.boxes
            if not box.sliced and bounds.left() < box.right < bounds.right() - 1
        ]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(mix(self._theme.selection, self._theme.accent, 0.5))
        painter.drawRects([QRectF(gap.left(), gap.top(), 1, gap.height()) for gap in gaps])

    def _paint_ticks(self, painter: QPainter, placed: PlacedLine, band: _Band) -> None:
        """Draws a tick under each disputed cut at which a part ends or begins."""
        cuts = self.ticks(placed.start, placed.end) - placed.base
        rects = []
        for run in placed.line.runs:
            inside = cuts[(cuts > run.start) & (cuts <= run.end)].astype(np.float64)
            for x in np.round(run.x(inside)).tolist():
                left = min(max(x - 2, 0.0), self._width)
                rects.append(QRectF(left, band.bottom - TICK_HEIGHT + 2, 3, TICK_HEIGHT))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.ask)
        painter.drawRects(rects)

    def ticks(self, start: int, end: int) -> IntArray:
        """Returns the disputed cuts, after ``start`` and up to ``end``, at which a part ends or begins.

        A part begins where none ends after a blank that is left out.
        """
        first, last = np.searchsorted(self.disputed, (start + 1, end + 1))
        cuts = self.disputed[first:last]
        parts = self._parts.between(start, end)
        ends = self._parts.ends[parts.start : parts.stop]
        starts = self._parts.starts[parts.start : parts.stop]
        return cuts[np.isin(cuts, ends) | np.isin(cuts, starts)]

    def _paint_notes(self, painter: QPainter, line: LineBoxes, moved: int, top: float) -> None:
        """Writes the id or the bytes of each part below it, in a second row if the first is full.

        ``moved`` is added to the numbers of the parts. If both rows are full the note is left out.
        """
        metrics = self._note_metrics
        painter.setFont(self._note_font)
        leaders: list[QLineF] = []
        notes: list[tuple[QPointF, str]] = []
        free = [-1e9, -1e9]
        for box in sorted(line.boxes, key=lambda box: box.left):
            if not box.opening:
                continue
            note = self._note(box.part + moved)
            needed = metrics.horizontalAdvance(note)
            left = round(min(box.left, max(self._width - needed, 0.0)))
            row = 0 if free[0] <= left else 1
            if free[row] > left:
                continue
            notes.append((QPointF(left, top + row * metrics.height() + metrics.ascent()), note))
            free[row] = left + needed + 5
            if row:
                x = round(box.left) + 0.5
                leaders.append(QLineF(x, top + 1, x, top + metrics.height()))
                free[0] = max(free[0], x + 4)
        painter.setPen(self._theme.line)
        painter.drawLines(leaders)
        painter.setPen(self._theme.dim)
        for place, note in notes:
            painter.drawText(place, note)

    def _note(self, index: int) -> str:
        parts = self._parts
        if self.annotations == "ids":
            return "" if parts.ids is None else str(int(parts.ids[index]))
        start, end = parts.span(index)
        return self._text.utf8[start:end].hex(" ")


def _filled(
    rects: dict[int, list[QRectF]], brushes: tuple[QBrush, ...]
) -> list[tuple[QBrush, list[QRectF]]]:
    return [(brushes[number % len(brushes)], some) for number, some in rects.items()]


def _outline(placed: PlacedLine, span: LitSpan, band: _Band) -> QPainterPath:
    """The outline of a span of bytes in one line, around its boxes and slices."""
    outline = QPainterPath()
    boxes = sorted(span_boxes(placed, span.start, span.end).boxes, key=lambda box: box.left)
    for place, box in enumerate(boxes):
        following = boxes[place + 1] if place + 1 < len(boxes) else None
        rect = band.slice(box) if box.sliced else band.box(box.left, box.right)
        if following is not None and following.left - box.right < 2.5:
            rect.setRight(round(following.left) + 1)  # One outline round both.
        outline.addRect(rect)
    return outline.simplified()


@dataclass(frozen=True, slots=True)
class _Band:
    """The height that the boxes of one line take, on whole pixels."""

    top: float
    bottom: float

    @classmethod
    def of(cls, placed: PlacedLine) -> _Band:
        """The band of a line, from the top of the line."""
        return cls(placed.text_top - placed.top, placed.text_bottom - placed.top + 1)

    def box(self, left: float, right: float) -> QRectF:
        """The rectangle of a box: a pixel short of its neighbour, and never empty."""
        x = round(left)
        return QRectF(x, self.top, max(round(right) - x - 1, 2), self.bottom - self.top)

    def slice(self, box: Box) -> QRectF:
        """The rectangle of a slice, in the strip at the foot of the band."""
        width = max(box.right - box.left - 0.75, 1.0)
        return QRectF(box.left, self.bottom - SLICE_HEIGHT, width, SLICE_HEIGHT)

    def above_slices(self, left: float, right: float) -> QRectF:
        """The rectangle of a cluster that has slices under it."""
        return self.box(left, right).adjusted(0, 0, 0, -SLICE_HEIGHT - 1)


def paint_empty(painter: QPainter, rect: QRectF, text: str, font: QFont, theme: Theme) -> None:
    """Writes the message of an empty view in the middle of ``rect``."""
    painter.setFont(font)
    painter.setPen(theme.dim)
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap), text)
