"""Bars for an audience: rows with a name, a bar and a value, as large as fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QSizePolicy

from tokenarium.style.fonts import HEADING_SIZE, SMALL_SIZE, number_font, ui_font
from tokenarium.style.shapes import paint_marker
from tokenarium.style.theme import GRID, Identity
from tokenarium.widgets.painting import PaintedPart

LARGEST_ROW = 52.0
SMALLEST_ROW = 19.0
CHECK = "✓"
HIDDEN = "?"


@dataclass(frozen=True, slots=True)
class StageBar:
    """A row: its name, its value in words, its length as a share of the longest, and whether it is the best."""

    name: str
    said: str
    share: float
    identity: Identity | None = None
    best: bool = False


class StageBars(PaintedPart):
    """The rows, with the longest bar as wide as fits; the values can be hidden for a question."""

    name_share = 0.5
    """The largest share of the width for names."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Bars")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._size = QSize(24 * GRID, 12 * GRID)
        self.bars: Sequence[StageBar] = ()
        self.hidden = False
        self.left_out = 0

    def show_bars(self, bars: Sequence[StageBar], hidden: bool = False) -> None:
        """Shows new rows; ``hidden``: without the values and the lengths of the bars."""
        self.bars, self.hidden = bars, hidden
        said = "; ".join(f"{bar.name}: {HIDDEN if hidden else bar.said}" for bar in bars)
        self.setAccessibleDescription(said)
        self.update()

    @property
    def rows(self) -> list[QRectF]:
        """The rectangles of the rows that fit."""
        count = min(len(self.bars), max(1, int(self.height() / SMALLEST_ROW)))
        high = min(LARGEST_ROW, self.height() / max(1, count))
        top = (self.height() - high * count) / 2
        return [QRectF(0, top + number * high, self.width(), high) for number in range(count)]

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        rows = self.rows
        if not rows:
            return
        shown = self.bars[: len(rows)]
        self.left_out = len(self.bars) - len(shown)
        high = rows[0].height()
        size = max(SMALL_SIZE, min(HEADING_SIZE, round(high * 0.42)))
        names, values = ui_font(size, QFont.Weight.Medium), number_font(size, QFont.Weight.DemiBold)
        metrics = QFontMetricsF(names)
        marked = any(bar.identity is not None for bar in shown)
        mark = size + 1.0 if marked else 0.0
        wide = max(metrics.horizontalAdvance(bar.name) for bar in shown) + mark + 2 * GRID
        wide = min(wide, self.name_share * self.width())
        written = max(
            QFontMetricsF(values).horizontalAdvance(f"{bar.said} {CHECK}") for bar in shown
        )
        room = max(4.0 * GRID, self.width() - wide - written - 2 * GRID)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        for row, bar in zip(rows, shown, strict=True):
            if bar.identity is not None:
                square = QRectF(0, row.center().y() - size / 2, size, size)
                paint_marker(painter, square, bar.identity)
            painter.setFont(names)
            painter.setPen(self.theme.ink)
            gap = mark + GRID if marked else 0.0
            name = metrics.elidedText(bar.name, Qt.TextElideMode.ElideMiddle, wide - gap - GRID)
            painter.drawText(QRectF(gap, row.top(), wide - gap, high), middle, name)
            track = QRectF(wide, row.top() + 0.2 * high, room, 0.6 * high)
            length = room if self.hidden else max(2.0, room * max(0.0, bar.share))
            colour = QColor(self.theme.sunken)
            if not self.hidden:
                colour = bar.identity.full if bar.identity is not None else self.theme.accent
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawRoundedRect(QRectF(track.left(), track.top(), length, track.height()), 4, 4)
            painter.setFont(values)
            best = bar.best and not self.hidden
            painter.setPen(self.theme.good if best else self.theme.ink)
            text = HIDDEN if self.hidden else f"{bar.said} {CHECK}" if best else bar.said
            after = track.left() + length + GRID
            painter.drawText(QRectF(after, row.top(), self.width() - after, high), middle, text)
