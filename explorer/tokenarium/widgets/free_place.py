"""Finds a place for a card over an area that covers none of its controls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QScrollBar,
    QTabBar,
    QWidget,
)

from tokenarium.style.theme import GRID

_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly
_CONTROLS = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit, QTabBar)

MOST_AWAY = 0.5
"""The share of the area's height within which a place is looked for."""


def free_place(area: QWidget, size: QSize, tops: Sequence[int], above: Iterable[QWidget]) -> QRect:
    """Returns a rectangle of a size in an area that covers no visible control; if there is none, the first one.

    ``tops``: the y of the places that are tried, the best one first; at each the middle of the area is tried before its
    left and its right. Controls in the widgets ``above`` do not count.
    """
    taken = _controls(area, list(above))
    right = area.width() - size.width() - GRID
    lefts = [(area.width() - size.width()) // 2, GRID, right]
    places = [QRect(QPoint(left, top), size) for top in tops for left in lefts]
    return next((one for one in places if not any(map(one.intersects, taken))), places[0])


def tops_from(first: int, step: int, area: QWidget, height: int) -> list[int]:
    """Returns the y of places from the first one on, ``step`` pixels apart, up to the middle of an area."""
    count = max(int(MOST_AWAY * area.height()) // abs(step), 1)
    tops = [first + step * place for place in range(count)]
    return [top for top in tops if 0 <= top <= area.height() - height] or [first]


def _controls(area: QWidget, above: list[QWidget]) -> list[QRect]:
    """The visible parts of the controls in an area.

    Only what is shown is walked through: the pages of a window that were shown before have thousands of widgets.
    """
    rects = []
    waiting = [] if area in above else [area]
    while waiting:
        for widget in waiting.pop().findChildren(QWidget, options=_DIRECT):
            if not widget.isVisible() or widget in above:
                continue
            waiting.append(widget)
            if not isinstance(widget, _CONTROLS) or isinstance(widget, QScrollBar):
                continue
            rect = widget.visibleRegion().boundingRect()
            if not rect.isEmpty():
                rects.append(rect.translated(widget.mapTo(area, QPoint())))
    return rects
