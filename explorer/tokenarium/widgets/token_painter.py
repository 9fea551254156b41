"""Paints the lines of a text over the boxes of its parts.

The boxes lie under the text, and the text is drawn over them in one go by Qt: whatever a script
joins stays joined, wherever a token ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from tokenarium.models.segmentation import Segmentation
from tokenarium.models.text_map import TextMap
from tokenarium.theme import SMALL_SIZE, Theme, mono_font
from tokenarium.widgets.mark_painter import MarkPainter
from tokenarium.widgets.text_layout import PlacedLine
from tokenarium.widgets.token_boxes import Box, LineBoxes, line_boxes, span_boxes

Annotations = Literal["none", "ids", "bytes"]

ROOM_ABOVE = 3.0
ROOM_BELOW = 6.0
"""The pixels between the letters of one line and those of the next, without annotations."""

SLICE_HEIGHT = 4.0
"""The height of the strip in which parts share a cluster, in pixels."""


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes to be lit; true where there are any."""

    start: int = -1
    end: int = -1

    def __bool__(self) -> bool:
        return 0 <= self.start <= self.end


@dataclass(frozen=True, slots=True)
class Lit:
    """What is lit: the selection, and what someone points at."""

    selected: Span = Span()
    pointed: Span = Span()


@dataclass(frozen=True, slots=True)
class Content:
    """What is painted: a text, its parts with their colours, and what of it is lit."""

    text: TextMap
    parts: Segmentation
    lit: Lit
    backgrounds: tuple[QColor, ...]
    slices: tuple[QColor, ...]


class TokenPainter:
    """The look of a token view: paints one line at a time with whatever is switched on."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self.show_whitespace = False
        self.annotations: Annotations = "none"
        self._note_font = mono_font(SMALL_SIZE - 1)
        self._note_metrics = QFontMetricsF(self._note_font)
        self._marks = MarkPainter()

    def room(self) -> tuple[float, float]:
        """The pixels that a line needs free above and below its letters."""
        above = ROOM_ABOVE + (self._marks.height if self.show_whitespace else 0.0)
        notes = 2 * self._note_metrics.height() + 2 if self.annotations != "none" else 0.0
        return above, ROOM_BELOW + notes

    def content(self, text: TextMap, parts: Segmentation, lit: Lit) -> Content:
        """What to paint, in the colours of the theme."""
        names = parts.rule_names
        theme = self.theme
        return Content(text, parts, lit, theme.part_colours(names), theme.slice_colours(names))

    def paint_line(
        self,
        painter: QPainter,
        placed: PlacedLine,
        y: float,
        content: Content,
    ) -> None:
        """Paints one line; ``y`` is the top of its block, x starts at the painter's 0."""
        text, parts, lit = content.text, content.parts, content.lit
        band = _Band(round(y + placed.text_top) - 1, round(y + placed.text_bottom) + 2)
        line = line_boxes(placed, parts, text.byte_count)
        self._fill(painter, line, content, band)
        outlines = []
        if lit.selected:
            outline = _outline(placed, lit.selected, band)
            painter.fillPath(outline, self.theme.selection)
            self._separate(painter, line, outline, band)
            outlines.append((outline, 1.5))
        if lit.pointed and lit.pointed != lit.selected:
            outlines.append((_outline(placed, lit.pointed, band), 1.0))
        painter.setPen(self.theme.text)
        placed.line.line.draw(painter, QPointF(0.0, y + placed.text_top))
        if self.annotations != "none":
            self._paint_notes(painter, line, parts, text.utf8, band.bottom + 2)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for outline, width in outlines:
            painter.setPen(QPen(self.theme.accent, width))
            painter.drawPath(outline)
        if placed.line.marks:
            self._marks.paint(painter, self.theme, placed, y, self.show_whitespace)

    def _fill(self, painter: QPainter, line: LineBoxes, content: Content, band: _Band) -> None:
        """Paints the boxes, colour by colour, and the slices under what parts share."""
        full: dict[int, list[QRectF]] = {}
        sliced: dict[int, list[QRectF]] = {}
        numbers = content.parts.colours
        for box in line.boxes:
            number = int(numbers[box.part])
            if box.sliced:
                sliced.setdefault(number, []).append(band.slice(box))
            else:
                full.setdefault(number, []).append(band.box(box.left, box.right))
        painter.setPen(Qt.PenStyle.NoPen)
        if line.shared:
            painter.setBrush(self.theme.shared)
            painter.drawRects([band.above_slices(left, right) for left, right in line.shared])
        for backgrounds, rects_of in (
            (content.backgrounds, full),
            (content.slices, sliced),
        ):
            for number, rects in rects_of.items():
                painter.setBrush(backgrounds[number % len(backgrounds)])
                painter.drawRects(rects)

    def _separate(
        self, painter: QPainter, line: LineBoxes, outline: QPainterPath, band: _Band
    ) -> None:
        """Draws the gaps between boxes again where the selection covers them."""
        bounds = outline.boundingRect()
        gaps = [
            band.box(box.right - 1, box.right + 1)
            for box in line.boxes
            if not box.sliced and bounds.left() < box.right < bounds.right() - 1
        ]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.panel)
        painter.drawRects([QRectF(gap.left(), gap.top(), 1, gap.height()) for gap in gaps])

    def _paint_notes(
        self, painter: QPainter, line: LineBoxes, parts: Segmentation, utf8: bytes, top: float
    ) -> None:
        """Writes the id or the bytes of each part under it, in the second row where one is full.

        Where both are full the note is left out: parts of a few pixels have no room for it.
        """
        metrics = self._note_metrics
        painter.setFont(self._note_font)
        leaders: list[QLineF] = []
        notes: list[tuple[QPointF, str]] = []
        free = [-1e9, -1e9]
        for box in sorted(line.boxes, key=lambda box: box.left):
            if not box.opening:
                continue
            left = round(box.left)
            row = 0 if free[0] <= left else 1
            if free[row] > left:
                continue
            note = self._note(parts, box.part, utf8)
            notes.append((QPointF(left, top + row * metrics.height() + metrics.ascent()), note))
            free[row] = left + metrics.horizontalAdvance(note) + 5
            if row:
                x = left + 0.5
                leaders.append(QLineF(x, top + 1, x, top + metrics.height()))
                free[0] = max(free[0], left + 4)
        painter.setPen(self.theme.line)
        painter.drawLines(leaders)
        painter.setPen(self.theme.faint)
        for place, note in notes:
            painter.drawText(place, note)

    def _note(self, parts: Segmentation, index: int, utf8: bytes) -> str:
        if self.annotations == "ids":
            return "" if parts.ids is None else str(int(parts.ids[index]))
        start, end = parts.span(index)
        return utf8[start:end].hex(" ")


def _outline(placed: PlacedLine, span: Span, band: _Band) -> QPainterPath:
    """The outline of a span of bytes in one line, round its boxes and slices."""
    outline = QPainterPath()
    for box in span_boxes(placed, span.start, span.end).boxes:
        rect = band.slice(box) if box.sliced else band.box(box.left, box.right)
        outline.addRect(rect.adjusted(-1, 0, 0, 0) if box.sliced else rect)
    return outline.simplified()


@dataclass(frozen=True, slots=True)
class _Band:
    """The height that the boxes of one line take, on whole pixels."""

    top: float
    bottom: float

    def box(self, left: float, right: float) -> QRectF:
        """The rectangle of a box: a pixel short of its neighbour, and never nothing."""
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
    """Writes what an empty view has to say, in the middle of ``rect``."""
    painter.setFont(font)
    painter.setPen(theme.faint)
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap), text)
