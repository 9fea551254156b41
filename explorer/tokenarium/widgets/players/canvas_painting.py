"""Shared painting of the canvas of merges: texts that fit, ranks, and branches."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from tokenarium.models.merges.canvas_layout import PILL_HEIGHT
from tokenarium.style.fonts import RAIL_SIZE, STAGE_SIZE, TEXT_SIZE, mono_font, number_font, ui_font
from tokenarium.style.theme import GRID, Theme


@lru_cache(maxsize=1 << 13)
def fitted(text: str, room: int, size: int) -> tuple[QFont, str]:
    """Returns the font for a text on a tile, up to ``size`` pixels, and the text, shortened if nothing fits."""
    while True:
        font = ui_font(size, QFont.Weight.Medium)
        if size <= RAIL_SIZE or QFontMetricsF(font).horizontalAdvance(text) <= room:
            break
        size = max(RAIL_SIZE, min(size - 1, int(size * 0.92)))
    metrics = QFontMetricsF(font)
    if metrics.horizontalAdvance(text) > room + 6:
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room + 6)
    return font, text


@lru_cache(maxsize=1 << 12)
def note_font(text: str, room: int) -> QFont | None:
    """Returns the font of a note under a tile; None if it has no room."""
    for size in (TEXT_SIZE, RAIL_SIZE):
        font = mono_font(size)
        if QFontMetricsF(font).horizontalAdvance(text) <= room:
            return font
    return None


def paint_tile_text(painter: QPainter, ink: QColor, text: str, rect: QRectF) -> None:
    """Paints the text of a tile, as large as fits."""
    size = max(TEXT_SIZE, min(STAGE_SIZE, round(0.48 * rect.height())))
    font, shown = fitted(text, int(rect.width() - 6), size)
    painter.setFont(font)
    painter.setPen(ink)
    painter.drawText(rect.adjusted(-6, 0, 6, -2), Qt.AlignmentFlag.AlignCenter, shown)


def paint_pill(painter: QPainter, theme: Theme, rect: QRectF, text: str, best: bool) -> None:
    """Paints a rank; ``best``: that of the pair that merges next."""
    painter.setPen(QPen(theme.accent if best else theme.strong, 1.4))
    painter.setBrush(theme.accent if best else theme.surface)
    painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
    painter.setPen(theme.on_accent if best else theme.ink)
    painter.setFont(number_font(TEXT_SIZE, QFont.Weight.DemiBold))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


def paint_branch(painter: QPainter, start: QPointF, child: QRectF, share: float = 1.0) -> None:
    """Paints the line from the foot of a tile or a node down to one of its parts; ``share``: this share of it."""
    end = QPointF(child.center().x(), child.top())
    bend = (end.y() - start.y()) * 0.55
    path = QPainterPath(start)
    path.cubicTo(QPointF(start.x(), start.y() + bend), QPointF(end.x(), end.y() - bend), end)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if share < 1.0:
        pen = QPen(painter.pen())
        unit = pen.widthF()
        pen.setDashPattern([max(0.1, path.length() * share / unit), path.length() / unit])
        painter.strokePath(path, pen)
    else:
        painter.drawPath(path)


@lru_cache(maxsize=1 << 12)
def pill_width(text: str) -> float:
    """Returns the width of a rank in pixels."""
    font = number_font(TEXT_SIZE, QFont.Weight.DemiBold)
    return max(PILL_HEIGHT, QFontMetricsF(font).horizontalAdvance(text) + 2 * GRID)


@lru_cache(maxsize=1 << 13)
def node_width(text: str) -> float:
    """Returns the width of a node in pixels."""
    return QFontMetricsF(ui_font(17, QFont.Weight.Medium)).horizontalAdvance(text) + 3 * GRID


def half_gap(left: QRectF, right: QRectF) -> float:
    """Returns half the gap between two rectangles side by side."""
    return (right.left() - left.right()) / 2


def between(first: QRectF, last: QRectF, share: float) -> QRectF:
    """Returns the rectangle at a share of the way from one to another."""
    return QRectF(
        first.left() + (last.left() - first.left()) * share,
        first.top() + (last.top() - first.top()) * share,
        first.width() + (last.width() - first.width()) * share,
        first.height() + (last.height() - first.height()) * share,
    )
