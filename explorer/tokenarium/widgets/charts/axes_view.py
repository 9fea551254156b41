"""The view of a chart: a view box of pyqtgraph, with an axis at its left and one below it. It loads pyqtgraph."""

from __future__ import annotations

from typing import Any

import pyqtgraph
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsItem


class AxesView(pyqtgraph.GraphicsView):  # type: ignore[misc]
    """A view without menu, buttons, frame and dragging.

    pyqtgraph's own, `PlotWidget`, makes a menu of fifty widgets for each chart, also if none is wanted.
    """

    def __init__(self) -> None:
        super().__init__()
        self.enableMouse(False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(self.Shape.NoFrame)
        whole = pyqtgraph.GraphicsWidget()
        self.grid = QGraphicsGridLayout(whole)
        self.grid.setSpacing(0)
        self._box = pyqtgraph.ViewBox(parent=whole, enableMenu=False, enableMouse=False)
        self.grid.addItem(self._box, 0, 1)
        self.grid.setRowStretchFactor(0, 100)
        self.grid.setColumnStretchFactor(1, 100)
        self._axes: dict[str, Any] = {}
        for name, row, column in (("left", 0, 0), ("bottom", 1, 1)):
            axis = self._axes[name] = pyqtgraph.AxisItem(name, parent=whole)
            axis.linkToView(self._box)
            axis.setFlag(QGraphicsItem.GraphicsItemFlag.ItemNegativeZStacksBehindParent)
            self.grid.addItem(axis, row, column)
        self._logarithmic = (False, False)
        self._items: list[Any] = []
        self.setCentralItem(whole)

    def getViewBox(self) -> Any:
        """Returns the part in which the items are."""
        return self._box

    def getAxis(self, name: str) -> Any:
        """Returns the axis at the left or the bottom."""
        return self._axes[name]

    def addItem(self, item: Any, ignoreBounds: bool = False) -> None:
        """Adds an item; with ``ignoreBounds``, the visible part does not have to contain it."""
        self._items.append(item)
        self._box.addItem(item, ignoreBounds=ignoreBounds)
        self._show_scale(item)

    def removeItem(self, item: Any) -> None:
        """Removes an item that was added."""
        self._items.remove(item)
        self._box.removeItem(item)

    def setLogMode(self, x: bool, y: bool) -> None:
        """Sets which axes are logarithmic; if that has changed, all items are visible again."""
        if self._logarithmic == (x, y):
            return
        self._logarithmic = x, y
        for item in self._items:
            self._show_scale(item)
        for axis in self._axes.values():
            axis.setLogMode(x, y)
        self._box.enableAutoRange()

    def _show_scale(self, item: Any) -> None:
        if hasattr(item, "setLogMode"):
            item.setLogMode(*self._logarithmic)
