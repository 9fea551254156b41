"""Layouts of widgets: in a row, in a column, or in rows that wrap like the words of a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QLayoutItem, QVBoxLayout, QWidget

from tokenarium.style.theme import GRID

Box = TypeVar("Box", bound=QBoxLayout)
Placed = QWidget | QLayout
Item = Placed | int | tuple[Placed | None, int] | tuple[QWidget, int, Qt.AlignmentFlag]
"""An item of a layout: a widget or a layout, alone or with its stretch and its alignment; or pixels of space."""

STRETCH: Final = (None, 1)
"""Empty room that stretches."""

Margins = int | tuple[int, int, int, int]
"""Pixels on all sides, or at the left, the top, the right and the bottom."""


def in_row(
    *items: Item, into: QWidget | None = None, spacing: int = 0, margins: Margins = 0
) -> QHBoxLayout:
    """Returns a layout of items side by side, set on ``into`` if given; ``spacing`` -1 is Qt's default."""
    box = QHBoxLayout() if into is None else QHBoxLayout(into)
    return _filled(box, items, spacing, margins)


def in_column(
    *items: Item, into: QWidget | None = None, spacing: int = 0, margins: Margins = 0
) -> QVBoxLayout:
    """Returns a layout of items below each other; see `in_row`."""
    box = QVBoxLayout() if into is None else QVBoxLayout(into)
    return _filled(box, items, spacing, margins)


def _filled(box: Box, items: tuple[Item, ...], spacing: int, margins: Margins) -> Box:
    box.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    box.setSpacing(spacing)
    for item in items:
        placed, stretch, *alignment = item if isinstance(item, tuple) else (item, 0)
        if isinstance(placed, int):
            box.addSpacing(placed)
        elif placed is None:
            box.addStretch(stretch)
        elif isinstance(placed, QLayout):
            box.addLayout(placed, stretch)
        elif alignment:
            box.addWidget(placed, stretch, alignment[0])
        else:
            box.addWidget(placed, stretch)
    return box


class FlowLayout(QLayout):
    """Rows of widgets in their preferred size, ``spacing`` pixels apart in both directions."""

    def __init__(self, parent: QWidget | None = None, spacing: int = GRID) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setSpacing(spacing)
        self.setContentsMargins(QMargins())

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)
        self.invalidate()  # otherwise it is not laid out while the size stays the same

    def count(self) -> int:
        return len(self._items)

    # Qt asks with indices up to one beyond the end, where it expects None.
    def itemAt(self, index: int) -> QLayoutItem:
        return self._items[index] if 0 <= index < len(self._items) else None  # type: ignore[return-value]

    def takeAt(self, index: int) -> QLayoutItem:
        return self._items.pop(index) if 0 <= index < len(self._items) else None  # type: ignore[return-value]

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        """Returns the height of the items in the width of ``rect``, with the margins; ``move`` places them."""
        margins = self.contentsMargins()
        inner = rect.marginsRemoved(margins)
        x, y, row_height = inner.x(), inner.y(), 0
        row: list[tuple[QLayoutItem, QRect]] = []
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if size.width() > inner.width() and item.hasHeightForWidth():
                size = QSize(inner.width(), item.heightForWidth(inner.width()))
            if x > inner.x() and x + size.width() > inner.x() + inner.width():
                if move:
                    _place_row(row, row_height)
                x, y, row_height = inner.x(), y + row_height + self.spacing(), 0
                row.clear()
            row.append((item, QRect(QPoint(x, y), size)))
            x += size.width() + self.spacing()
            row_height = max(row_height, size.height())
        if move:
            _place_row(row, row_height)
        return y + row_height + margins.bottom() - rect.y()


def _place_row(row: Sequence[tuple[QLayoutItem, QRect]], height: int) -> None:
    """Places the items of a row, each in the middle of its height."""
    for item, rect in row:
        item.setGeometry(rect.translated(0, (height - rect.height()) // 2))


def fair_share(widths: Sequence[float], room: float) -> float:
    """Returns the largest common limit of widths with which all fit into ``room``.

    >>> fair_share([10, 50, 90], 100)
    45.0
    """
    left, count = room, len(widths)
    for width in sorted(widths):
        if width * count >= left:
            return left / count
        left -= width
        count -= 1
    return max(widths, default=0.0)
