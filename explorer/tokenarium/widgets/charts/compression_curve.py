"""A curve of the compression after each step of a training, with a movable marker."""

from __future__ import annotations

from math import ceil, floor

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QMouseEvent,
    QPaintEngine,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
)
from PySide6.QtWidgets import QWidget

from tokenarium.models.merges.size_scale import TRANSITION, round_step
from tokenarium.models.merges.training_story import StepCurve
from tokenarium.resources.glossary import explanation
from tokenarium.style.fonts import SMALL_SIZE, mono_font
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID
from tokenarium.style.themed import Themed
from tokenarium.widgets.painting import small_width

DOTTED = 60
"""The most values that get a dot each."""

TOP, BOTTOM, RIGHT = 3.0 * GRID, 4.5 * GRID, 2.0 * GRID


class CompressionCurve(Themed, QWidget):
    """A curve over the steps of a training, such as bytes per token over merges; a click requests a step."""

    picked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Compression")
        self._title, self._unit = "Bytes per token", "Merges"
        self._ratios: npt.NDArray[np.float64] = np.ones(1)
        self._known: npt.NDArray[np.int64] = np.zeros(1, np.int64)
        self._low, self._high = 1.0, 1.1
        self._position = 0
        self._transition: int | None = None
        self._picture: QPixmap | None = None
        self._picture_of: tuple[object, ...] = ()

    def set_curve(self, curve: StepCurve, unit: str, transition: int | None = None) -> None:
        """Shows another curve, with the number of steps as its ``unit``, and marks the ``transition`` of SuperBPE."""
        self._ratios, self._title, self._unit = curve.values, curve.title, unit
        self._known = np.flatnonzero(~np.isnan(curve.values))
        known = curve.values[self._known]
        least = float(known.min()) if len(known) else 0.0
        high = float(known.max()) if len(known) else 1.0
        self._low = least if curve.base is None else min(curve.base, least)
        self._high = max(high, self._low + 0.1)
        self._position = 0
        self._transition = transition
        self._picture = None
        self.setAccessibleName("Compression" if curve.title == "Bytes per token" else curve.title)
        about = explanation("bytes per token") if curve.title == "Bytes per token" else ""
        marked = f"\n{TRANSITION}: {explanation('transition')}" if transition is not None else ""
        self.setToolTip(f"{about}\n{curve.about}{marked}".strip())
        self.update()

    def value(self, position: int) -> float:
        """Returns the value at a step, or at the last step before it that has one."""
        place = int(np.searchsorted(self._known, position, "right")) - 1
        if place < 0:
            return float(self._ratios[self._known[0]]) if len(self._known) else self._low
        return float(self._ratios[self._known[place]])

    def _text(self, position: int) -> str:
        value = self.value(position)
        return f"{value:,.0f}" if self._title.startswith("Pieces") else f"{value:.2f}"

    def show_position(self, position: int) -> None:
        """Puts the marker on a number of merges."""
        self._position = position
        self.setAccessibleDescription(
            f"{self._title}: {self._text(position)} after {position:,} {self._unit.lower()}"
        )
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(40 * GRID, 20 * GRID)

    def minimumSizeHint(self) -> QSize:
        return QSize(20 * GRID, 12 * GRID)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        engine = painter.paintEngine()
        if engine is not None and engine.type() == QPaintEngine.Type.Raster:
            painter.drawPixmap(0, 0, self._still_picture())
        else:  # such as for a file of vectors
            self._paint_still(painter)
        self._paint_here(painter)
        painter.end()

    def _still_picture(self) -> QPixmap:
        """Returns everything but the marker, painted once, as the rest stays the same while it moves."""
        made_of = (self.size(), self.devicePixelRatioF(), self.theme.name)
        if self._picture is None or made_of != self._picture_of:
            picture = QPixmap(self.size() * self.devicePixelRatioF())
            picture.setDevicePixelRatio(self.devicePixelRatioF())
            painter = QPainter(picture)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_still(painter)
            painter.end()
            self._picture, self._picture_of = picture, made_of
        return self._picture

    def _paint_still(self, painter: QPainter) -> None:
        theme, area = self.theme, self._area()
        painter.fillRect(self.rect(), theme.surface)
        painter.setFont(mono_font(SMALL_SIZE))
        painter.setPen(theme.dim)
        right, centre = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignVCenter
        title = QRectF(GRID, 0, self.width() - 2 * GRID, TOP)
        painter.drawText(title, centre, self._title)
        below = QRectF(area.left(), area.bottom() + 2.2 * GRID, area.width(), 2 * GRID)
        painter.drawText(below, right | centre, self._unit)
        for value in self._marks():
            y = self._y(value, area)
            painter.setPen(QPen(mix(theme.surface, theme.line, 0.7), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(theme.dim)
            painter.drawText(
                QRectF(0, y - GRID, area.left() - GRID / 2, 2 * GRID),
                right | centre,
                f"{value:,g}",
            )
        for count in (0, len(self._ratios) - 1):
            text = f"{count:,}"
            x = self._x(count, area) - (small_width(text) if count else 0)
            painter.drawText(QRectF(x, area.bottom(), 10 * GRID, 2 * GRID), centre, text)
        self._paint_transition(painter, area)
        points = self._points(len(self._ratios) - 1, area)
        painter.setPen(QPen(theme.strong, 2))
        painter.drawPolyline(QPolygonF(points))
        if len(points) <= DOTTED:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.strong)
            for point in points:
                painter.drawEllipse(point, 3, 3)
            painter.setBrush(Qt.BrushStyle.NoBrush)

    def _points(self, last: int, area: QRectF) -> list[QPointF]:
        """Returns the points of the curve up to a step, about one for two pixels."""
        known = self._known[: int(np.searchsorted(self._known, last, "right"))]
        if not len(known):
            return []
        width = max(2, int((self._x(last, area) - area.left()) / 2))
        places = np.linspace(0, len(known) - 1, min(len(known), width)).astype(int)
        steps = known[places].tolist()
        return [
            QPointF(self._x(step, area), self._y(float(self._ratios[step]), area)) for step in steps
        ]

    def _paint_here(self, painter: QPainter) -> None:
        """Paints the curve up to the position, with the marker."""
        theme, area = self.theme, self._area()
        known = self._known[: int(np.searchsorted(self._known, self._position, "right"))]
        at = int(known[-1]) if len(known) else self._position  # of the last step with a value
        here = QPointF(self._x(at, area), self._y(self.value(self._position), area))
        painter.setPen(QPen(theme.accent, 2))
        painter.drawPolyline(QPolygonF([*self._points(self._position, area), here]))
        painter.setPen(QPen(theme.accent, 1, Qt.PenStyle.DashLine))
        now = self._x(self._position, area)
        painter.drawLine(QPointF(now, area.top()), QPointF(now, area.bottom()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.accent)
        painter.drawEllipse(here, 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setFont(mono_font(SMALL_SIZE))
        text = self._text(self._position)
        x = min(here.x() + GRID, area.right() - small_width(text))
        painter.setPen(theme.ink)
        label = QRectF(x, max(0.0, here.y() - 2.5 * GRID), 10 * GRID, 2 * GRID)
        painter.drawText(label, Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_transition(self, painter: QPainter, area: QRectF) -> None:
        """Marks the step at which SuperBPE begins to merge across words."""
        if self._transition is None:
            return
        theme = self.theme
        x = self._x(self._transition, area)
        painter.setPen(QPen(theme.ask, 1.5, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        width = small_width(TRANSITION) + 2
        left = x - width - GRID / 2 if x - width - GRID / 2 > area.left() else x + GRID / 2
        painter.setPen(theme.ask)
        at = QRectF(left, area.bottom() - 2.2 * GRID, width, 2 * GRID)
        painter.drawText(at, Qt.AlignmentFlag.AlignVCenter, TRANSITION)

    def _area(self) -> QRectF:
        left = max((small_width(f"{value:,g}") for value in self._marks()), default=0) + 1.5 * GRID
        return QRectF(left, TOP, self.width() - left - RIGHT, self.height() - TOP - BOTTOM)

    def _marks(self) -> list[float]:
        """The round values at which lines are drawn, as many as fit."""
        most = max(1.0, (self.height() - TOP - BOTTOM) / (3 * GRID))
        step = round_step(self._high - self._low, max(1, int(min(most, 5))))
        first, last = ceil(self._low / step - 1e-9), floor(self._high / step + 1e-9)
        return [round(step * number, 6) for number in range(first, last + 1)]

    def _x(self, position: int, area: QRectF) -> float:
        return area.left() + area.width() * position / max(1, len(self._ratios) - 1)

    def _y(self, ratio: float, area: QRectF) -> float:
        return area.bottom() - area.height() * (ratio - self._low) / (self._high - self._low)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pick(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pick(event.position().x())

    def _pick(self, x: float) -> None:
        area = self._area()
        share = (x - area.left()) / max(area.width(), 1.0)
        self.picked.emit(round(max(0.0, min(share, 1.0)) * (len(self._ratios) - 1)))
