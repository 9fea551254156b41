"""Paints the lines of a text over the boxes of its parts.

The boxes lie under the text, and the text is drawn over them in one go by Qt: whatever a script
joins stays joined, wherever a token ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from tokenarium.models.segmentation import Segmentation
from tokenarium.palette import mix, with_alpha
from tokenarium.theme import SMALL_SIZE, Theme, mono_font
from tokenarium.widgets.laid_block import Mark
from tokenarium.widgets.text_layout import PlacedLine
from tokenarium.widgets.token_boxes import Boxes, line_boxes, span_boxes

Annotations = Literal["none", "ids", "bytes"]

ROOM_ABOVE = 3.0
ROOM_BELOW = 6.0
MARK_SIZE = 9
"""The size of the names of invisible characters, in pixels."""


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes to be lit: the selection, or what is pointed at."""

    start: int = -1
    end: int = -1

    def __bool__(self) -> bool:
        return 0 <= self.start <= self.end


class TokenPainter:
    """The look of a token view: paints one line at a time with whatever is switched on."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self.show_whitespace = False
        self.annotations: Annotations = "none"
        self._note_font = mono_font(SMALL_SIZE - 1)
        self._mark_font = mono_font(MARK_SIZE)
        self._note_metrics = QFontMetricsF(self._note_font)
        self._mark_metrics = QFontMetricsF(self._mark_font)

    def room(self) -> tuple[float, float]:
        """The pixels that a line needs free above and below its letters."""
        above = ROOM_ABOVE + (self._mark_metrics.height() if self.show_whitespace else 0.0)
        notes = 2 * self._note_metrics.height() + 2 if self.annotations != "none" else 0.0
        return above, ROOM_BELOW + notes

    def paint_line(
        self,
        painter: QPainter,
        placed: PlacedLine,
        y: float,
        parts: Segmentation,
        utf8: bytes,
        selected: Span,
        pointed: Span,
    ) -> None:
        """Paints one line; ``y`` is the top of its block, x starts at the painter's 0."""
        top, bottom = y + placed.text_top - 1, y + placed.text_bottom + 1
        boxes = line_boxes(placed, parts, len(utf8))
        self._fill(painter, boxes, parts, top, bottom)
        for span, strength in ((selected, 0.32), (pointed, 0.16)):
            if span:
                colour = with_alpha(self.theme.accent, strength)
                for left, right in span_boxes(placed, span.start, span.end):
                    painter.fillRect(_box(left, right, top, bottom), colour)
        painter.setPen(self.theme.text)
        placed.line.line.draw(painter, QPointF(0.0, y + placed.text_top))
        self._paint_cuts(painter, boxes, top, bottom)
        self._paint_marks(painter, placed, y, top, bottom)
        if self.annotations != "none":
            self._paint_notes(painter, boxes, parts, utf8, bottom + 1)
        for span, width in ((pointed, 1.0), (selected, 1.5)):
            if span:
                painter.setPen(QPen(self.theme.accent, width))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                for left, right in span_boxes(placed, span.start, span.end):
                    painter.drawRect(_box(left, right, top, bottom).adjusted(-0.5, -0.5, 0.5, 0.5))

    def _fill(
        self, painter: QPainter, boxes: Boxes, parts: Segmentation, top: float, bottom: float
    ) -> None:
        colours = self.theme.part_colours(parts.rule_names)
        by_colour: dict[int, list[QRectF]] = {}
        numbers = parts.colours[boxes.parts].tolist()
        for number, left, right in zip(
            numbers, boxes.left.tolist(), boxes.right.tolist(), strict=True
        ):
            by_colour.setdefault(number, []).append(_box(left, right, top, bottom))
        painter.setPen(Qt.PenStyle.NoPen)
        for number, rects in by_colour.items():
            painter.setBrush(colours[number % len(colours)])
            painter.drawRects(rects)

    def _paint_cuts(self, painter: QPainter, boxes: Boxes, top: float, bottom: float) -> None:
        """Marks where parts meet inside a cluster: a dashed line and a notch below."""
        xs = np.concatenate([boxes.starts_inside, boxes.ends_inside])
        xs = np.unique(np.round(xs[~np.isnan(xs)]))
        if not len(xs):
            return
        colour = mix(self.theme.panel, self.theme.text, 0.7)
        painter.setPen(QPen(colour, 1.0, Qt.PenStyle.CustomDashLine))
        pen = painter.pen()
        pen.setDashPattern([2.0, 2.0])
        painter.setPen(pen)
        painter.drawLines([QLineF(x - 0.5, top, x - 0.5, bottom) for x in xs.tolist()])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        for x in xs.tolist():
            notch = [
                QPointF(x - 3, bottom + 3),
                QPointF(x + 2, bottom + 3),
                QPointF(x - 0.5, bottom),
            ]
            painter.drawPolygon(notch)

    def _paint_notes(
        self, painter: QPainter, boxes: Boxes, parts: Segmentation, utf8: bytes, top: float
    ) -> None:
        """Writes the id or the bytes of each part under it: the wide ones in a second row."""
        height = self._note_metrics.height()
        painter.setFont(self._note_font)
        painter.setPen(self.theme.faint)
        free = [-1e9, -1e9]
        order = np.argsort(boxes.left, kind="stable").tolist()
        for at in order:
            if not boxes.opening[at]:
                continue
            left = float(boxes.left[at])
            width = float(boxes.right[at]) - left
            note = self._note(parts, int(boxes.parts[at]), utf8)
            needed = self._note_metrics.horizontalAdvance(note)
            row = 0 if needed <= width and free[0] <= left else 1
            if free[row] > left:
                continue
            painter.drawText(QPointF(left, top + row * height + self._note_metrics.ascent()), note)
            free[row] = left + needed + 4

    def _note(self, parts: Segmentation, index: int, utf8: bytes) -> str:
        if self.annotations == "ids":
            return "" if parts.ids is None else str(int(parts.ids[index]))
        start, end = parts.span(index)
        return utf8[start:end].hex(" ")

    def _paint_marks(
        self, painter: QPainter, placed: PlacedLine, y: float, top: float, bottom: float
    ) -> None:
        """Draws signs and names over the characters that have no picture of their own."""
        if not placed.line.marks:
            return
        painter.setFont(self._mark_font)
        colour = mix(self.theme.panel, self.theme.text, 0.5)
        baseline = y + placed.text_top + placed.line.ascent
        named_until = -1e9
        dots: list[QPointF] = []
        for mark in placed.line.marks:
            boxes = span_boxes(placed, mark.start + placed.base, mark.end + placed.base)
            if not boxes:
                continue
            left, right = boxes[0]
            if right - left > 2 * MARK_SIZE - 4 and mark.label not in _SIGNS:
                self._name_inside(painter, mark.label, left, right, top, bottom, colour)
            elif not self.show_whitespace:
                continue
            elif mark.label == "·":
                dots.append(QPointF((left + right) / 2, baseline - 0.3 * placed.line.ascent))
            elif mark.label in _SIGNS:
                _sign(painter, mark, left, right, baseline, 0.3 * placed.line.ascent, colour)
            elif right - left > 2 and len(mark.label) == 4 and mark.label.endswith("SP"):
                _bracket(painter, left, right, baseline, colour)
            else:
                named_until = self._name_above(
                    painter, mark.label, (left + right) / 2, top, named_until, colour
                )
        if dots:
            painter.setPen(QPen(colour, 2.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawPoints(dots)

    def _name_inside(
        self,
        painter: QPainter,
        name: str,
        left: float,
        right: float,
        top: float,
        bottom: float,
        colour: QColor,
    ) -> None:
        rect = QRectF(left + 0.5, top + 2.5, right - left - 2, bottom - top - 5)
        painter.setPen(QPen(colour, 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect, 2, 2)
        painter.save()
        painter.setPen(self.theme.text)
        needed = self._mark_metrics.horizontalAdvance(name)
        painter.translate(rect.center())
        scale = min(1.0, (rect.width() - 1) / needed)
        painter.scale(scale, 1.0)
        painter.drawText(QPointF(-needed / 2, self._mark_metrics.capHeight() / 2), name)
        painter.restore()

    def _name_above(
        self,
        painter: QPainter,
        name: str,
        x: float,
        top: float,
        named_until: float,
        colour: QColor,
    ) -> float:
        """Names a character of no width over its place; only a tick where names would collide."""
        painter.setPen(QPen(colour, 1.0))
        painter.drawLine(QLineF(x, top - 2, x, top + 3))
        needed = self._mark_metrics.horizontalAdvance(name)
        left = x - needed / 2
        if left <= named_until:
            return named_until
        painter.setPen(self.theme.faint)
        painter.drawText(QPointF(left, top - 2 - self._mark_metrics.descent()), name)
        return left + needed + 3


_SIGNS = {"·", "→", "↵"}


def _sign(
    painter: QPainter,
    mark: Mark,
    left: float,
    right: float,
    baseline: float,
    rise: float,
    colour: QColor,
) -> None:
    """Draws the arrow of a tab or a newline in the room that the character has."""
    painter.setPen(QPen(colour, 1.2))
    y = baseline - rise
    path = QPainterPath()
    if mark.label == "→":
        tip = right - 3
        path.moveTo(left + 2, y)
        path.lineTo(tip, y)
        path.moveTo(tip - 3, y - 3)
        path.lineTo(tip, y)
        path.lineTo(tip - 3, y + 3)
    else:
        path.moveTo(right - 2, y - 5)
        path.lineTo(right - 2, y)
        path.lineTo(left + 1, y)
        path.moveTo(left + 3.5, y - 2.5)
        path.lineTo(left + 1, y)
        path.lineTo(left + 3.5, y + 2.5)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)


def _bracket(painter: QPainter, left: float, right: float, baseline: float, colour: QColor) -> None:
    """Draws the open box of a space that isn't the ordinary one."""
    painter.setPen(QPen(colour, 1.0))
    painter.drawPolyline(
        [
            QPointF(left + 0.5, baseline - 3),
            QPointF(left + 0.5, baseline),
            QPointF(right - 1, baseline),
            QPointF(right - 1, baseline - 3),
        ]
    )


def _box(left: float, right: float, top: float, bottom: float) -> QRectF:
    """The rectangle of a part on whole pixels, a pixel short of its neighbour; never nothing."""
    x0, x1 = round(left), round(right)
    width = max(x1 - x0 - 1, 2)
    y0 = round(top)
    return QRectF(x0, y0, width, round(bottom) - y0)


def paint_empty(painter: QPainter, rect: QRectF, text: str, font: QFont, theme: Theme) -> None:
    """Writes what an empty view has to say, in the middle of ``rect``."""
    painter.setFont(font)
    painter.setPen(theme.faint)
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap), text)


__all__: Sequence[str] = ("Annotations", "Span", "TokenPainter", "paint_empty")
