"""How many tokens a text has at every size of some vocabularies: a curve for each, and a line to drag."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyqtgraph
from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from tokenarium.models.merges.size_scale import SizeCurve, SizeScale, round_step
from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.theme import GRID, Identity, Theme
from tokenarium.widgets.charts.chart_canvas import plain_view
from tokenarium.widgets.layouts import FlowLayout
from tokenarium.widgets.panel import MarkerChip, literal, secondary

ROOM_ABOVE = 1.12
"""The upper edge as a multiple of the highest value, with room for a name."""


LOW = 24 * GRID
"""Pixels: in a lower chart names would cross the curves, so they are in a legend, next to the axis title."""

SIZE_TITLE = "Vocabulary size in entries"

VEIL = 190
"""The opacity of the background of names, of 255, so that curves do not run through the letters."""


@dataclass(slots=True)
class _Drawn:
    """The items of one curve."""

    line: Any
    end: Any
    name: Any
    dot: Any = field(default=None)


class SizeChart(QWidget):
    """Curves over the vocabulary size; ``moved`` emits the size that the line is dragged to."""

    moved = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Tokens at each vocabulary size")
        self._theme = theme
        self._scale = SizeScale()
        self._curves: Sequence[SizeCurve] = ()
        self._unit = ""
        self._drawn: list[_Drawn] = []
        self._is_low = False
        self._plot = plain_view()
        self._plot.setAntialiasing(True)
        self._plot.getViewBox().setDefaultPadding(0.0)
        self._plot.scene().sigMouseClicked.connect(self._click)
        self._mark: Any = pyqtgraph.InfiniteLine(angle=90, movable=True)
        self._mark.sigDragged.connect(lambda: self.moved.emit(self._size_at(self._mark.value())))
        self._plot.addItem(self._mark, ignoreBounds=True)
        self.legend = NameLegend(SIZE_TITLE)
        self.legend.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID // 2, 2 * GRID, 0)
        layout.setSpacing(0)
        layout.addWidget(self._plot, 1)
        layout.addWidget(self.legend)
        self.set_theme(theme)

    def sizeHint(self) -> QSize:
        return QSize(60 * GRID, 24 * GRID)

    def minimumSizeHint(self) -> QSize:
        return QSize(30 * GRID, 13 * GRID)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._is_low != (self.height() < LOW):
            self._is_low = not self._is_low
            self._show_axis()
        self._place_names()

    # What is drawn.

    def viewport(self) -> QWidget:
        """The widget that paints the chart."""
        viewport: QWidget = self._plot.viewport()
        return viewport

    def show_curves(self, curves: Sequence[SizeCurve], scale: SizeScale, unit: str) -> None:
        """Draws other curves over the sizes of ``scale``; ``unit`` is that of the vertical axis."""
        self._curves, self._scale, self._unit = curves, scale, unit
        for drawn in self._drawn:
            for item in (drawn.line, drawn.end, drawn.name, drawn.dot):
                self._plot.removeItem(item)
        self._drawn = [self._draw(curve) for curve in curves]
        left, right = self._x(scale.least), self._x(max(scale.most, scale.least + 1))
        room = (right - left) * 0.02
        highest = max(
            (float(curve.values.max()) for curve in curves if len(curve.values)), default=1
        )
        self._plot.setXRange(left - room / 2, right + room, padding=0)
        top = max(highest, 1e-9) * ROOM_ABOVE
        self._plot.setYRange(0, top, padding=0)
        step = round_step(top, 5)
        self._plot.getAxis("left").setTicks([[(k * step, f"{k * step:,.10g}") for k in range(6)]])
        self._mark.setBounds((left, right))
        bottom = self._plot.getAxis("bottom")
        bottom.setTicks([[(self._x(mark), f"{mark:,}") for mark in scale.marks()]])
        self._plot.setLabel("left", unit)
        self.legend.show_names([(curve.name, curve.identity) for curve in curves])
        self._show_axis()
        self._place_names()

    def show_size(self, size: int, values: Sequence[float | None]) -> None:
        """Moves the line to a size, and the dot of each curve to its value there; None if it has no such size."""
        x = self._x(size)
        self._mark.blockSignals(True)
        self._mark.setValue(x)
        self._mark.blockSignals(False)
        shown = []
        for curve, drawn, value in zip(self._curves, self._drawn, values, strict=True):
            drawn.dot.setData([] if value is None else [x], [] if value is None else [value])
            if value is None:
                continue
            shown.append(f"{curve.name} {value:,.2f}".removesuffix(".00"))
        self.setAccessibleDescription(
            f"At {size:,} entries, {self._unit.lower()}: " + ", ".join(shown)
        )

    def set_theme(self, theme: Theme) -> None:
        """Draws in other colours; call `show_curves` after it."""
        self._theme = theme
        self._plot.setBackground(theme.surface)
        self.setAutoFillBackground(True)
        palette = self.palette()
        palette.setColor(self.backgroundRole(), theme.surface)
        self.setPalette(palette)
        self._mark.setPen(_pen(theme.accent, 2))
        self._mark.setHoverPen(_pen(theme.accent, 4))
        font = ui_font(SMALL_SIZE)
        for side in ("bottom", "left"):
            axis = self._plot.getAxis(side)
            axis.setPen(_pen(theme.line, 1))
            axis.setTextPen(_pen(theme.dim, 1))
            axis.setTickFont(font)
            axis.label.setFont(font)
        self._plot.showGrid(x=True, y=True, alpha=0.5 if theme.dark else 0.35)

    def _draw(self, curve: SizeCurve) -> _Drawn:
        x = self._xs(curve)
        line = pyqtgraph.PlotCurveItem(
            x, curve.values, pen=_pen(curve.identity.full, 2), antialias=True
        )
        end = pyqtgraph.ScatterPlotItem(
            x[-1:], curve.values[-1:], symbol="d", size=11, pen=None, brush=curve.identity.full
        )
        dot = pyqtgraph.ScatterPlotItem(
            symbol="o", size=9, pen=_pen(self._theme.surface, 1.5), brush=curve.identity.full
        )
        veil = QColor(self._theme.surface)
        veil.setAlpha(VEIL)
        name = pyqtgraph.TextItem(
            f"{curve.name} {int(curve.sizes[-1]):,}", color=self._theme.ink, fill=veil
        )
        name.setFont(ui_font(SMALL_SIZE))
        for item in (line, end, name, dot):
            self._plot.addItem(item, ignoreBounds=True)
        name.setPos(x[-1], curve.values[-1])
        return _Drawn(line, end, name, dot)

    def _show_axis(self) -> None:
        """Shows the axis title: under the axis, or beside the names if these have no room in the chart."""
        bottom = self._plot.getAxis("bottom")
        bottom.setLabel(SIZE_TITLE)
        bottom.showLabel(not self._is_low)
        self.legend.setVisible(self._is_low)

    def _place_names(self) -> None:
        """Writes each name next to the end of its curve, without overlaps, as far as there is room."""
        pairs = [pair for pair in zip(self._curves, self._drawn, strict=True) if len(pair[0].sizes)]
        rising = all(curve.values[-1] >= curve.values[0] for curve, _ in pairs)
        top = self._plot.viewRange()[1][1]
        row = top * 2 * GRID / max(self.height() - 8 * GRID, 8 * GRID)
        wide = (self._x(self._scale.most) - self._x(self._scale.least)) * 0.25
        taken: list[tuple[float, float]] = []

        def free(x: float, y: float, up: bool) -> float:
            """Returns the middle of the first free row from ``y`` on."""
            y += 0.7 * row if up else -0.7 * row
            while any(abs(x - a) < wide and abs(y - b) < row for a, b in taken):
                y += row / 4 if up else -row / 4
            return y

        for curve, drawn in sorted(pairs, key=lambda pair: pair[0].values[-1], reverse=not rising):
            x, value = self._x(int(curve.sizes[-1])), float(curve.values[-1])
            y = free(x, value, rising)
            if y < row / 2:  # it would be cut off by the axis
                y = free(x, value, True)
            taken.append((x, y))
            near_left = x - self._x(self._scale.least) < wide
            drawn.name.setAnchor((0 if near_left else 1, 0.5))
            drawn.name.setPos(x, y)
            drawn.name.setVisible(not self._is_low and y + row / 2 <= top)

    def _xs(self, curve: SizeCurve) -> npt.NDArray[np.float64]:
        sizes = curve.sizes.astype(np.float64)
        return np.log10(sizes) if self._scale.log else sizes

    def _x(self, size: float) -> float:
        return math.log10(max(size, 1)) if self._scale.log else float(size)

    def _size_at(self, x: float) -> int:
        size = round(10**x) if self._scale.log else round(x)
        return max(self._scale.least, min(size, self._scale.most))

    def _click(self, event: Any) -> None:
        box = self._plot.getViewBox()
        if event.button() == Qt.MouseButton.LeftButton and box.sceneBoundingRect().contains(
            event.scenePos()
        ):
            self.moved.emit(self._size_at(box.mapSceneToView(QPointF(event.scenePos())).x()))


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
        """Shows other names with their markers."""
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


def _pen(colour: QColor, width: float) -> QPen:
    pen = QPen(colour, width)
    pen.setCosmetic(True)
    return pen
