"""A value at every size of vocabularies: a curve for each with its name at its end, and a line to drag."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPaintEngine,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from tokenarium.models.merges.size_scale import SizeCurve, SizeScale, round_step
from tokenarium.style.fonts import SMALL_SIZE, number_font, ui_font
from tokenarium.style.shapes import paint_marker
from tokenarium.style.theme import GRID, Identity
from tokenarium.style.themed import Themed
from tokenarium.widgets.keyboard import paint_focus_ring
from tokenarium.widgets.layouts import FlowLayout
from tokenarium.widgets.panel import MarkerChip, literal, secondary

ROOM_ABOVE = 1.06
"""The upper edge of an axis that begins at 0, as a multiple of the highest value."""

LOW = 22 * GRID
"""Pixels: a lower chart has no room for the names next to the curves, so they are in a legend below."""

SIZE_TITLE = "Vocabulary entries"

NAMES = 0.3
"""The largest share of the width for names."""

NAME_HEIGHT = 18
TICK_ROOM = 26
PILL = 18
MARKER = 13
DOT = 4.5
DIAMOND = 5.5
"""Pixels: the least distance of two names, the numbers below the axis, the number on the line, markers, dots, marks."""

PAGES = 20
"""The page keys move by the scale divided by this number, the arrow keys by a tenth of that."""

CENTRE = int(Qt.AlignmentFlag.AlignCenter)
APART = 8.0
"""Pixels between a curve and the name of a reference."""

LEFT = int(Qt.AlignmentFlag.AlignVCenter)
RIGHT = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)


@dataclass(frozen=True, slots=True)
class ReferenceLine:
    """A value that does not depend on the size, drawn dashed from side to side with its name."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class PlacedName:
    """The name of a curve: its text, where the curve ends, and its rectangle next to the plot."""

    text: str
    end: QPointF
    rect: QRectF


class SizeDrawing(Themed, QWidget):
    """Paints the chart; ``moved`` emits the size that the line is dragged to, or moved to by the arrow keys."""

    moved = Signal(int)

    def __init__(self, from_zero: bool = True) -> None:
        super().__init__()
        self.setAccessibleName("Tokens by the size of the vocabulary")
        self._from_zero = from_zero
        self.scale = SizeScale()
        self.curves: Sequence[SizeCurve] = ()
        self.references: Sequence[ReferenceLine] = ()
        self.size_shown: int | None = None
        self._values: Sequence[float | None] = ()
        self._limits = (0.0, 1.0)
        self._step = 0.2
        self.named = True  # names are at the ends of the curves
        self._picture: QPixmap | None = None
        self._picture_of: tuple[object, ...] = ()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.SplitHCursor)

    def show_curves(
        self,
        curves: Sequence[SizeCurve],
        scale: SizeScale,
        references: Sequence[ReferenceLine] = (),
    ) -> None:
        """Draws new curves."""
        self.curves, self.scale, self.references = curves, scale, references
        values = [value for curve in curves for value in curve.values.tolist()]
        values += [reference.value for reference in references]
        low, high = min(values, default=0.0), max(values, default=1.0)
        if self._from_zero:
            low, high = 0.0, max(high, 1e-9) * ROOM_ABOVE
            self._step = round_step(high, 5)
        else:
            spread = max(high - low, 0.02 * abs(high), 1e-6)
            self._step = round_step(spread * 1.1, 6)
            low, high = low - 0.06 * spread, high + 0.08 * spread
        self._limits = (low, high)
        self._picture = None
        self.update()

    def show_size(self, size: int | None, values: Sequence[float | None]) -> None:
        """Moves the line to a size, and the dot of each curve to its value there; None: no line."""
        self.size_shown, self._values = size, values
        self.update()

    # Positions.

    def plot_area(self) -> QRectF:
        """Returns the rectangle of the curves, without names and numbers."""
        left = max((_small().horizontalAdvance(text) for _, text in self.ticks()), default=0) + 14
        right = 2 * GRID + (self._name_width() + 22 if self.named and self.curves else 0)
        below = TICK_ROOM + (PILL if self.height() >= LOW else 4)
        return QRectF(
            left, 10, max(self.width() - left - right, 10), max(self.height() - 10 - below, 10)
        )

    def ticks(self) -> list[tuple[float, str]]:
        """Returns the round values of the vertical axis, with their texts."""
        low, high = self._limits
        first = math.ceil(low / self._step - 1e-9)
        last = math.floor(high / self._step + 1e-9)
        return [
            (index * self._step, f"{index * self._step:,.10g}") for index in range(first, last + 1)
        ]

    def _name_width(self) -> float:
        widest = max(
            (_bold().horizontalAdvance(_label(curve)) for curve in self.curves), default=0.0
        )
        return min(widest + 4, NAMES * self.width())

    def _point(self, size: float, value: float, area: QRectF) -> QPointF:
        low, high = self._limits
        x = area.left() + area.width() * self.scale.share(size)
        return QPointF(x, area.bottom() - area.height() * (value - low) / (high - low))

    def placed_names(self) -> list[PlacedName]:
        """Returns the positions of the names: next to the ends of the curves, spread so that none covers another."""
        area = self.plot_area()
        ended = [curve for curve in self.curves if len(curve.sizes)]
        ends = [self._point(curve.sizes[-1], curve.values[-1], area) for curve in ended]
        order = sorted(range(len(ended)), key=lambda place: ends[place].y())
        middles = spread(
            [ends[place].y() for place in order],
            NAME_HEIGHT,
            area.top() + 2,
            self.height() - NAME_HEIGHT / 2 - 2,
        )
        width = self._name_width()
        names = []
        for place, middle in zip(order, middles, strict=True):
            text = _bold().elidedText(_label(ended[place]), Qt.TextElideMode.ElideMiddle, width + 1)
            rect = QRectF(area.right() + 18, middle - NAME_HEIGHT / 2, width + 4, NAME_HEIGHT)
            names.append(PlacedName(text, ends[place], rect))
        return names

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        engine = painter.paintEngine()
        if engine is not None and engine.type() == QPaintEngine.Type.Raster:
            painter.drawPixmap(0, 0, self._still(painter.deviceTransform().m11()))
        else:  # such as for a file of vectors
            self._paint_still(painter)
        if self.size_shown is not None:
            self._paint_line(painter, self.size_shown, self.plot_area())
        paint_focus_ring(painter, self, self.theme)
        painter.end()

    def _still(self, scale: float) -> QPixmap:
        """Returns everything but the line, painted once, as the rest stays the same while the line is dragged.

        ``scale``: how much larger it is drawn, for the screen or for an audience.
        """
        had = self._picture.devicePixelRatioF() if self._picture is not None else 0.0
        ratio = max(
            scale, had, self.devicePixelRatioF()
        )  # a smaller picture is scaled from the larger one
        made_of = (self.size(), ratio, self.named, self.theme.name)
        if self._picture is None or made_of != self._picture_of:
            picture = QPixmap(self.size() * ratio)
            picture.setDevicePixelRatio(ratio)
            picture.fill(self.theme.surface)
            painter = QPainter(picture)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_still(painter)
            painter.end()
            self._picture, self._picture_of = picture, made_of
        return self._picture

    def _paint_still(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), self.theme.surface)
        area = self.plot_area()
        self._paint_axes(painter, area)
        self._paint_references(painter, area)
        for curve in self.curves:
            self._paint_curve(painter, curve, area)
        if self.named:
            self._paint_names(painter)
        self._paint_marks(painter, area)
        for one in self.curves:
            if len(one.sizes):
                at = self._point(one.sizes[-1], one.values[-1], area)
                paint_marker(painter, _square(at, MARKER), one.identity, self.theme.surface)

    def _paint_axes(self, painter: QPainter, area: QRectF) -> None:
        theme = self.theme
        painter.setFont(number_font(SMALL_SIZE))
        for value, text in self.ticks():
            y = round(self._point(self.scale.least, value, area).y()) + 0.5
            painter.setPen(QPen(theme.line, 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(theme.dim)
            painter.drawText(QRectF(0, y - 10, area.left() - 10, 20), RIGHT, text)
        edge = -math.inf
        marks = self.scale.marks(max(2, int(area.width() / 64)))
        for mark in [*(mark for mark in marks if mark < 0.75 * self.scale.most), self.scale.most]:
            x = area.left() + area.width() * self.scale.share(mark)
            text = f"{mark:,}"
            half = _small().horizontalAdvance(text) / 2
            painter.setPen(QPen(theme.strong, 1))
            painter.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() + 4))
            if x - half > edge:
                painter.setPen(theme.dim)
                painter.drawText(QRectF(x - 50, area.bottom() + 9, 100, 16), CENTRE, text)
                edge = x + half + 8
        if self.height() >= LOW:
            below = QRectF(area.left(), area.bottom() + TICK_ROOM, area.width(), PILL)
            painter.setPen(theme.dim)
            painter.drawText(below, RIGHT, SIZE_TITLE)

    def _paint_references(self, painter: QPainter, area: QRectF) -> None:
        theme = self.theme
        for reference in self.references:
            y = self._point(self.scale.least, reference.value, area).y()
            painter.setPen(QPen(theme.strong, 1.2, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        painter.setFont(number_font(SMALL_SIZE))
        painter.setPen(theme.dim)
        for name, box in self.placed_references(area):
            painter.drawText(box, LEFT, name)

    def placed_references(self, area: QRectF) -> list[tuple[str, QRectF]]:
        """The names of the references and their positions: above or below their lines, where no curve is."""
        placed: list[tuple[str, QRectF]] = []
        for reference in self.references:
            y = self._point(self.scale.least, reference.value, area).y()
            name = _small().elidedText(
                reference.name, Qt.TextElideMode.ElideMiddle, area.width() - 12
            )
            width = _small().horizontalAdvance(name) + 4
            tops = [top for top in (y - 18, y + 3) if 0 <= top <= area.bottom() - 16]
            last = max(area.right() - width - 4, area.left() + 8)
            boxes = [
                QRectF(left, top, width, 16)
                for left in np.linspace(area.left() + 8, last, 12).tolist()
                for top in tops or [y - 18]
            ]
            taken = [box for _, box in placed]
            free = [box for box in boxes if not any(map(box.intersects, taken))] or boxes
            placed.append((name, max(free, key=lambda box: self._distance(box, area))))
        return placed

    def _distance(self, box: QRectF, area: QRectF) -> float:
        """Pixels between a box and the nearest curve above or below it, at most as many as are enough."""
        nearest = APART
        for curve in self.curves:
            xs = area.left() + area.width() * np.array([self.scale.share(s) for s in curve.sizes])
            ys = np.array([self._point(0, value, area).y() for value in curve.values])
            inside = np.linspace(box.left() - APART, box.right() + APART, 60)
            inside = inside[(inside >= xs[0]) & (inside <= xs[-1])] if len(xs) else inside[:0]
            if len(inside):
                there = np.interp(inside, xs, ys)
                apart = np.maximum(box.top() - there, there - box.bottom())
                nearest = min(nearest, float(apart.min()))
        return nearest

    def _paint_curve(self, painter: QPainter, curve: SizeCurve, area: QRectF) -> None:
        points = [
            self._point(size, value, area)
            for size, value in zip(curve.sizes.tolist(), curve.values.tolist(), strict=True)
        ]
        painter.setPen(QPen(curve.identity.full, 2, j=Qt.PenJoinStyle.RoundJoin))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF(points))
        if curve.dotted:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(curve.identity.full)
            for point in points:
                painter.drawEllipse(point, 3, 3)

    def _paint_marks(self, painter: QPainter, area: QRectF) -> None:
        """Marks the sizes at which something begins: a line down from each curve, with its name if there is room."""
        for one, at in self._marked(area):
            painter.setPen(QPen(one.identity.full, 1.5, Qt.PenStyle.DotLine))
            painter.drawLine(at, QPointF(at.x(), area.bottom()))
            painter.setPen(QPen(self.theme.surface, 1.5))
            painter.setBrush(one.identity.full)
            painter.drawPolygon(_diamond(at))
            painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setFont(number_font(SMALL_SIZE))
        for name, box in self.placed_marks(area):
            painter.fillRect(box, self.theme.surface)
            painter.setPen(self.theme.ink)
            painter.drawText(box, LEFT, name)

    def _marked(self, area: QRectF) -> list[tuple[SizeCurve, QPointF]]:
        """The curves with a visible mark, and its position on each."""
        return [
            (curve, self._point(size, float(np.interp(size, curve.sizes, curve.values)), area))
            for curve in self.curves
            if (size := curve.mark[0])
            and len(curve.sizes)
            and self.scale.least <= size <= curve.sizes[-1]
        ]

    def placed_marks(self, area: QRectF) -> list[tuple[str, QRectF]]:
        """The names of marks and their positions: left or right of their lines, not covering other lines or names."""
        marked = self._marked(area)
        placed: list[tuple[str, QRectF]] = []
        for one, at in marked:
            name = one.mark[1]
            width = _small().horizontalAdvance(name) + 4
            # Halfway down, if there is room between the curve and the number on the line.
            middle = at.y() + (area.bottom() - at.y()) * 0.6
            top = min(middle, area.bottom() - PILL) - 8
            for left in (at.x() - width - 4, at.x() + 6):
                box = QRectF(left, top, width, 16)
                if box.left() <= area.left() or box.right() > area.right():
                    continue
                crossed = any(
                    box.left() < other.x() < box.right() and other.y() < box.bottom()
                    for _, other in marked
                )
                if not crossed and not any(box.intersects(taken) for _, taken in placed):
                    placed.append((name, box))
                    break
        return placed

    def _paint_names(self, painter: QPainter) -> None:
        painter.setFont(number_font(SMALL_SIZE, QFont.Weight.DemiBold))
        for name in self.placed_names():
            start = QPointF(name.end.x() + MARKER / 2 + 2, name.end.y())
            stop = QPointF(name.rect.left() - 3, name.rect.center().y())
            if stop.x() - start.x() > 14 or abs(stop.y() - start.y()) > 5:
                painter.setPen(QPen(self.theme.strong, 1, Qt.PenStyle.DotLine))
                painter.drawLine(start, stop)
            painter.setPen(self.theme.ink)
            painter.drawText(name.rect, LEFT, name.text)

    def _paint_line(self, painter: QPainter, size: int, area: QRectF) -> None:
        theme = self.theme
        x = area.left() + area.width() * self.scale.share(size)
        painter.setPen(QPen(theme.accent, 2))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        for curve, value in zip(self.curves, self._values, strict=False):
            if value is not None:
                painter.setPen(QPen(theme.surface, 1.5))
                painter.setBrush(curve.identity.full)
                painter.drawEllipse(self._point(size, value, area), DOT, DOT)
        text = f"{size:,}"
        painter.setFont(number_font(SMALL_SIZE, QFont.Weight.DemiBold))
        width = _bold().horizontalAdvance(text) + 20
        left = max(area.left() - 8, min(x - width / 2, area.right() + 8 - width))
        pill = QRectF(left, area.bottom() - PILL / 2, width, PILL)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.accent)
        painter.drawRoundedRect(pill, PILL / 2, PILL / 2)
        painter.setPen(theme.on_accent)
        painter.drawText(pill, CENTRE, text)

    # The line.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._move(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._move(event.position().x())

    def _move(self, x: float) -> None:
        area = self.plot_area()
        self.moved.emit(self.scale.size((x - area.left()) / max(area.width(), 1.0)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, scale = Qt.Key(event.key()), self.scale
        parts = _KEYS.get(key)
        shown = self.size_shown if self.size_shown is not None else scale.least
        if key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.moved.emit(scale.least if key == Qt.Key.Key_Home else scale.most)
        elif parts is not None:
            size = scale.size(scale.share(shown) + parts / PAGES)
            if size == shown:
                size += 1 if parts > 0 else -1
            self.moved.emit(max(scale.least, min(size, scale.most)))
        else:
            super().keyPressEvent(event)


def _diamond(at: QPointF) -> QPolygonF:
    return QPolygonF(
        [at + QPointF(x, y) for x, y in ((0, -DIAMOND), (DIAMOND, 0), (0, DIAMOND), (-DIAMOND, 0))]
    )


_KEYS = {
    Qt.Key.Key_Left: -0.1,
    Qt.Key.Key_Right: 0.1,
    Qt.Key.Key_PageDown: -1.0,
    Qt.Key.Key_PageUp: 1.0,
}


class SizeChart(QWidget):
    """Curves over the vocabulary size; ``moved`` emits the size that the line is dragged to."""

    moved = Signal(int)

    def __init__(self, parent: QWidget | None = None, *, from_zero: bool = True) -> None:
        super().__init__(parent)
        self.setAccessibleName("Tokens at each vocabulary size")
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._unit = ""
        self.drawing = SizeDrawing(from_zero)
        self.drawing.moved.connect(self.moved)
        self.axis = secondary(QLabel())
        self.axis.setFont(ui_font(SMALL_SIZE))
        self.legend = NameLegend(SIZE_TITLE)
        self.legend.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID // 2, GRID, 0)
        layout.setSpacing(0)
        layout.addWidget(self.axis)
        layout.addWidget(self.drawing, 1)
        layout.addWidget(self.legend)

    def sizeHint(self) -> QSize:
        return QSize(60 * GRID, 28 * GRID)

    def minimumSizeHint(self) -> QSize:
        return QSize(30 * GRID, 13 * GRID)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def viewport(self) -> QWidget:
        """The painted chart."""
        return self.drawing

    def show_curves(
        self,
        curves: Sequence[SizeCurve],
        scale: SizeScale,
        unit: str,
        references: Sequence[ReferenceLine] = (),
    ) -> None:
        """Draws new curves over the sizes of ``scale``; ``unit`` is that of the vertical axis."""
        self._unit = unit
        self.axis.setText(unit)
        self.axis.setVisible(bool(unit))
        self.drawing.show_curves(curves, scale, references)
        self.legend.show_names([(curve.name, curve.identity) for curve in curves])
        self._fit()

    def show_size(self, size: int | None, values: Sequence[float | None]) -> None:
        """Moves the line to a size, and the dot of each curve to its value there; None if it has no such size."""
        self.drawing.show_size(size, values)
        curves = self.drawing.curves
        shown = [
            f"{curve.name} {value:,.2f}".removesuffix(".00")
            + (f" ({curve.mark[1]} from {curve.mark[0]:,})" if curve.mark[0] else "")
            for curve, value in zip(curves, values, strict=True)
            if value is not None
        ]
        at = f"At {size:,} entries, {self._unit.lower()}: " if size is not None else ""
        self.setAccessibleDescription(at + ", ".join(shown))
        self.drawing.setAccessibleDescription(self.accessibleDescription())

    def _fit(self) -> None:
        """Puts the names next to the curves, or into the legend if the chart is low."""
        low = self.height() < LOW
        self.drawing.named = not low
        self.legend.setVisible(low and bool(self.drawing.curves))
        self.drawing.update()


class NameLegend(QWidget):
    """The legend of a low chart: names after their markers, and the axis title."""

    def __init__(self, axis: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Legend")
        self._shown: Sequence[tuple[str, Identity]] = ()
        names = QWidget()
        self._flow = FlowLayout(names, GRID // 2)
        title = secondary(QLabel(axis))
        title.setFont(ui_font(SMALL_SIZE))
        row = QHBoxLayout(self)
        row.setContentsMargins(GRID, 0, 0, GRID // 2)
        row.setSpacing(GRID)
        row.addWidget(names, 1)
        row.addWidget(title, 0, Qt.AlignmentFlag.AlignTop)

    def show_names(self, names: Sequence[tuple[str, Identity]]) -> None:
        """Shows new names with their markers."""
        if names == self._shown:
            return
        self._shown = names
        while self._flow.count():
            old = self._flow.takeAt(0).widget()
            if old is not None:
                old.deleteLater()
        for name, identity in names:
            self._flow.addWidget(_ChippedName(name, identity))


class _ChippedName(QWidget):
    """One name after its marker."""

    def __init__(self, name: str, identity: Identity) -> None:
        super().__init__()
        chip, label = MarkerChip(identity), literal(QLabel(name))
        label.setFont(ui_font(SMALL_SIZE))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, GRID, 0)
        row.setSpacing(GRID // 2)
        row.addWidget(chip)
        row.addWidget(label, 1)


def spread(places: Sequence[float], distance: float, low: float, high: float) -> list[float]:
    """Returns rising positions moved apart to a distance, as little as possible, between two bounds if possible.

    >>> spread([10, 11, 50], 10, 0, 100)
    [5.5, 15.5, 50.0]
    """
    groups: list[
        list[float]
    ] = []  # [the sum of the desired positions of the first member, the number of members]
    for place in places:
        groups.append([float(place), 1])
        while len(groups) > 1 and _start(groups[-1], distance, low, high) < (
            _start(groups[-2], distance, low, high) + groups[-2][1] * distance
        ):
            last = groups.pop()
            before = groups[-1]
            before[0] += last[0] - last[1] * before[1] * distance
            before[1] += last[1]
    moved = []
    for group in groups:
        start = _start(group, distance, low, high)
        moved += [start + number * distance for number in range(int(group[1]))]
    return moved


def _start(group: Sequence[float], distance: float, low: float, high: float) -> float:
    total, count = group
    # The desired start is the mean of the positions in the group, each minus its offset.
    start = total / count
    return max(low, min(start, high - (count - 1) * distance))


def values_at(curve: SizeCurve, size: int) -> float | None:
    """Returns the height of a curve at a size; on the line between two of its points; None outside the curve."""
    sizes: npt.NDArray[np.int64] = curve.sizes
    if not len(sizes) or not sizes[0] <= size <= sizes[-1]:
        return None
    return float(np.interp(size, sizes, curve.values))


def _label(curve: SizeCurve) -> str:
    if curve.label:
        return curve.label
    return f"{curve.name} {int(curve.sizes[-1]):,}" if len(curve.sizes) else curve.name


def _square(centre: QPointF, side: float) -> QRectF:
    return QRectF(centre.x() - side / 2, centre.y() - side / 2, side, side)


def _small() -> QFontMetricsF:
    return QFontMetricsF(number_font(SMALL_SIZE))


def _bold() -> QFontMetricsF:
    return QFontMetricsF(number_font(SMALL_SIZE, QFont.Weight.DemiBold))
