"""The edges of tokens that stand out, each with a word."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from tokenarium.models.text.byte_cells import CellMark
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID, SMALL_SIZE, Theme, ui_font
from tokenarium.widgets.text.byte_painter import token_path

SAMPLES = (
    (CellMark.TORN_END, "part of a character"),
    (CellMark.SPLIT_END, "part of a grapheme"),
    (CellMark.FALLBACK, "byte fallback"),
)
BOX = 2.5 * GRID


class MarkLegend(QWidget):
    """Small tokens with what their edges say."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._font = ui_font(SMALL_SIZE)
        self.setAccessibleName("Legend: " + ", ".join(words for _, words in SAMPLES))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    def set_theme(self, theme: Theme) -> None:
        """Paints in other colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(self._font)
        words = sum(metrics.horizontalAdvance(words) for _, words in SAMPLES)
        return QSize(round(words + len(SAMPLES) * (BOX + 2.5 * GRID)), 3 * GRID)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 3 * GRID)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font)
        metrics = QFontMetricsF(self._font)
        theme = self._theme
        x, middle = 0.5, self.height() / 2
        for mark, words in SAMPLES:
            path = token_path(QRectF(x, middle - 7, BOX, 14), mark, False, False)
            dashed = mark & CellMark.FALLBACK
            painter.fillPath(path, theme.tokens[0])
            style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
            painter.setPen(QPen(mix(theme.tokens[0], theme.text, 0.65), 1.0, style))
            painter.drawPath(path)
            painter.setPen(theme.faint)
            x += BOX + GRID
            painter.drawText(QPointF(x, middle + metrics.capHeight() / 2), words)
            x += metrics.horizontalAdvance(words) + 1.5 * GRID
        painter.end()
