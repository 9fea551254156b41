"""Draws signs and names for the invisible characters of a line."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from tokenarium.models.text.piece import SPACE
from tokenarium.style.fonts import mono_font
from tokenarium.style.palette import mix
from tokenarium.style.theme import Theme
from tokenarium.widgets.text.laid_block import InvisibleMark, LaidLine
from tokenarium.widgets.text.text_layout import PlacedLine

MARK_SIZE = 9
"""The size of the names of invisible characters, in pixels."""

_SPACES = {"NBSP", "NNBSP", "IDSP"}


@dataclass(frozen=True, slots=True)
class _LineMarks:
    """The open boxes of all spaces of a line, over a baseline at 0, and its other marks from their left to their right."""

    spaces: QPainterPath
    others: list[tuple[InvisibleMark, float, float]]


class MarkPainter:
    """Draws a low bracket for a space, arrows for tab, carriage return and newline, and names for the rest.

    Control characters, which have room for their names, are always named; the others only on demand.
    """

    def __init__(self) -> None:
        self._font = mono_font(MARK_SIZE)
        self._metrics = QFontMetricsF(self._font)
        self._known: WeakKeyDictionary[LaidLine, _LineMarks] = WeakKeyDictionary()

    @property
    def height(self) -> float:
        """The room above a line that the names of characters without width take, in pixels."""
        return self._metrics.height()

    def paint(self, painter: QPainter, theme: Theme, placed: PlacedLine, all_marks: bool) -> None:
        """Draws the marks of one line, whose top left corner is the painter's origin."""
        text_top, text_bottom = placed.text_top - placed.top, placed.text_bottom - placed.top
        pen = QPen(mix(theme.surface, theme.ink, 0.55), 1.0)
        baseline = text_top + placed.line.ascent
        middle = baseline - 0.3 * placed.line.ascent
        named_until = -1e9
        painter.setFont(self._font)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        known = self._known.get(placed.line)
        if known is None:
            known = self._known[placed.line] = _marks_of(placed.line)
        if all_marks:
            painter.setPen(pen)
            painter.translate(0.0, round(baseline))
            painter.drawPath(known.spaces)
            painter.translate(0.0, -round(baseline))
        for mark, left, right in known.others:
            if not (all_marks or mark.control):
                continue
            painter.setPen(pen)
            if mark.label == "→":
                _tab(painter, left, right, middle)
            elif mark.label == "↵":
                _newline(painter, left, right, middle)
            elif mark.label == "CR":
                _carriage_return(painter, left, right, middle)
            elif mark.label in _SPACES and right - left > 3:
                painter.drawPolyline(_open_box(left, right, round(baseline), shoulders=2))
            elif mark.control and right - left > MARK_SIZE:
                top, bottom = text_top + 2, text_bottom - 2
                box = QRectF(left + 0.5, round(top) + 0.5, right - left - 2, round(bottom - top))
                self._name_inside(painter, theme, mark.label, box)
            else:
                x = (left + right) / 2
                top = text_top
                painter.drawLine(QLineF(x, top - 3, x, top + 2))
                painter.setPen(theme.dim)
                named_until = self._name_above(painter, mark.label, x, top - 3, named_until)

    def _name_inside(self, painter: QPainter, theme: Theme, name: str, box: QRectF) -> None:
        painter.drawRoundedRect(box, 2, 2)
        painter.setPen(theme.ink)
        needed = self._metrics.horizontalAdvance(name)
        painter.save()
        painter.translate(box.center())
        painter.scale(min(1.0, (box.width() - 2) / needed), 1.0)
        painter.drawText(QPointF(-needed / 2, self._metrics.capHeight() / 2), name)
        painter.restore()

    def _name_above(
        self, painter: QPainter, name: str, x: float, bottom: float, named_until: float
    ) -> float:
        """Writes a name over its tick, unless it would run into the one before."""
        needed = self._metrics.horizontalAdvance(name)
        left = max(x - needed / 2, 0.0)
        if left <= named_until:
            return named_until
        painter.drawText(QPointF(left, bottom - self._metrics.descent()), name)
        return left + needed + 3


def _tab(painter: QPainter, left: float, right: float, y: float) -> None:
    painter.drawLine(QLineF(left + 3, y, right - 4, y))
    _head(painter, right - 4, y, -3)


def _newline(painter: QPainter, left: float, right: float, y: float) -> None:
    painter.drawPolyline([QPointF(right - 2, y - 5), QPointF(right - 2, y), QPointF(left + 1, y)])
    _head(painter, left + 1, y, 2.5)


def _carriage_return(painter: QPainter, left: float, right: float, y: float) -> None:
    painter.drawLine(QLineF(left + 1, y, right - 2, y))
    _head(painter, left + 1, y, 2.5)


def _head(painter: QPainter, x: float, y: float, back: float) -> None:
    """Draws the head of an arrow at ``x``; ``back`` points away from where it leads."""
    painter.drawPolyline([QPointF(x + back, y - 2.5), QPointF(x, y), QPointF(x + back, y + 2.5)])


def _open_box(left: float, right: float, baseline: float, shoulders: float = 0) -> list[QPointF]:
    """The open box of a space, as in the signs ␣ and ⍽; with shoulders for spaces other than U+0020."""
    left, right, y = round(left) + 0.5, round(right) - 1.5, baseline + 0.5
    inner, outer = (left + shoulders, right - shoulders) if right - left > 8 else (left, right)
    box = [QPointF(inner, y - 3), QPointF(inner, y), QPointF(outer, y), QPointF(outer, y - 3)]
    if shoulders:
        box = [QPointF(inner - shoulders, y - 3), *box, QPointF(outer + shoulders, y - 3)]
    return box


def _marks_of(line: LaidLine) -> _LineMarks:
    spaces = QPainterPath()
    others = []
    for mark, (left, right) in zip(line.marks, line.mark_places, strict=True):
        if mark.label == SPACE:
            spaces.addPolygon(QPolygonF(_open_box(left, right, 0.0)))
        else:
            others.append((mark, left, right))
    return _LineMarks(spaces, others)
