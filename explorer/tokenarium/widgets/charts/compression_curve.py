"""A curve of the bytes per token after each merge, with a marker that can be moved."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from tokenarium.resources.glossary import explanation
from tokenarium.style.fonts import SMALL_SIZE, mono_font
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID, Theme
from tokenarium.widgets.painting import small_width

TOP, BOTTOM, RIGHT = 3.0 * GRID, 4.5 * GRID, 2.0 * GRID
FORMULA = "Here: the bytes of the corpus ÷ its tokens after that many merges."


class CompressionCurve(QWidget):
    """A curve over the number of merges; a click on it asks for that number."""

    picked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Compression")
        self.setToolTip(f"{explanation('bytes per token')}\n{FORMULA}")
        self._theme = theme
        self._ratios: npt.NDArray[np.float64] = np.ones(1)
        self._position = 0

    def set_theme(self, theme: Theme) -> None:
        """Paints in other colours."""
        self._theme = theme
        self.update()

    def set_ratios(self, ratios: npt.NDArray[np.float64]) -> None:
        """Shows the curve of another training: bytes per token after 0, 1, 2 … merges."""
        self._ratios = ratios
        self._position = 0
        self.update()

    def show_position(self, position: int) -> None:
        """Puts the marker on a number of merges."""
        self._position = position
        self.setAccessibleDescription(
            f"{self._ratios[position]:.2f} bytes per token after {position:,} merges"
        )
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(40 * GRID, 20 * GRID)

    def minimumSizeHint(self) -> QSize:
        return QSize(20 * GRID, 12 * GRID)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), self._theme.surface)
        self.paint(painter)
        painter.end()

    def paint(self, painter: QPainter) -> None:
        """Paints the curve, also for an export."""
        theme, ratios, area = self._theme, self._ratios, self._area()
        painter.setFont(mono_font(SMALL_SIZE))
        painter.setPen(theme.dim)
        right, centre = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignVCenter
        title = QRectF(GRID, 0, self.width() - 2 * GRID, TOP)
        painter.drawText(title, centre, "Bytes per token")
        below = QRectF(area.left(), area.bottom() + 2.2 * GRID, area.width(), 2 * GRID)
        painter.drawText(below, right | centre, "Merges")
        for value in self._marks():
            y = self._y(value, area)
            painter.setPen(QPen(mix(theme.surface, theme.line, 0.7), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(theme.dim)
            painter.drawText(
                QRectF(0, y - GRID, area.left() - GRID / 2, 2 * GRID),
                right | centre,
                f"{value:g}",
            )
        for count in (0, len(ratios) - 1):
            text = f"{count:,}"
            x = self._x(count, area) - (small_width(text) if count else 0)
            painter.drawText(QRectF(x, area.bottom(), 10 * GRID, 2 * GRID), centre, text)
        steps = np.unique(
            np.linspace(0, len(ratios) - 1, min(len(ratios), max(2, self.width()))).astype(int)
        )
        points = [QPointF(self._x(int(s), area), self._y(float(ratios[s]), area)) for s in steps]
        painter.setPen(QPen(theme.line, 2))
        painter.drawPolyline(QPolygonF(points))
        done = [point for step, point in zip(steps, points, strict=True) if step <= self._position]
        here = QPointF(self._x(self._position, area), self._y(float(ratios[self._position]), area))
        painter.setPen(QPen(theme.accent, 2))
        painter.drawPolyline(QPolygonF([*done, here]))
        painter.setPen(QPen(theme.accent, 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(here.x(), area.top()), QPointF(here.x(), area.bottom()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.accent)
        painter.drawEllipse(here, 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        text = f"{ratios[self._position]:.2f}"
        x = min(here.x() + GRID, area.right() - small_width(text))
        painter.setPen(theme.ink)
        label = QRectF(x, max(0.0, here.y() - 2.5 * GRID), 10 * GRID, 2 * GRID)
        painter.drawText(label, centre, text)

    def _area(self) -> QRectF:
        left = max(small_width(f"{value:g}") for value in self._marks()) + 1.5 * GRID
        return QRectF(left, TOP, self.width() - left - RIGHT, self.height() - TOP - BOTTOM)

    def _marks(self) -> list[float]:
        """The round values at which lines are drawn, as many as fit."""
        top, most = float(self._ratios[-1]), max(1.0, (self.height() - TOP - BOTTOM) / (3 * GRID))
        sizes = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 1e9)
        step = next(size for size in sizes if (top - 1) / size < min(most, 5))
        return [round(1 + step * number, 2) for number in range(int((top - 1) / step) + 1)]

    def _x(self, position: int, area: QRectF) -> float:
        return area.left() + area.width() * position / max(1, len(self._ratios) - 1)

    def _y(self, ratio: float, area: QRectF) -> float:
        most = max(float(self._ratios[-1]), 1.1)
        return area.bottom() - area.height() * (ratio - 1) / (most - 1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pick(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pick(event.position().x())

    def _pick(self, x: float) -> None:
        area = self._area()
        share = (x - area.left()) / max(area.width(), 1.0)
        self.picked.emit(round(max(0.0, min(share, 1.0)) * (len(self._ratios) - 1)))
