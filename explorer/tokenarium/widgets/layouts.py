"""How widgets are set out: in a row, in a column, or side by side and on in the next row, like words in a text."""

from __future__ import annotations

from typing import Final, TypeVar

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QLayoutItem, QVBoxLayout, QWidget

from tokenarium.style.theme import GRID

Box = TypeVar("Box", bound=QBoxLayout)
Placed = QWidget | QLayout
Item = Placed | int | tuple[Placed | None, int] | tuple[QWidget, int, Qt.AlignmentFlag]
"""What is set out: a widget or a layout, alone or with its stretch and its alignment; or so many pixels of space."""

STRETCH: Final = (None, 1)
"""Room that gives way to nothing else."""

Margins = int | tuple[int, int, int, int]
"""Pixels on all sides; or at the left, the top, the right and the bottom."""


def in_row(
    *items: Item, into: QWidget | None = None, spacing: int = 0, margins: Margins = 0
) -> QHBoxLayout:
    """Returns a layout of these side by side, that of a widget where one is named; ``spacing`` -1 is Qt's own."""
    box = QHBoxLayout() if into is None else QHBoxLayout(into)
    return _filled(box, items, spacing, margins)


def in_column(
    *items: Item, into: QWidget | None = None, spacing: int = 0, margins: Margins = 0
) -> QVBoxLayout:
    """Returns a layout of these under each other, as `in_row` does side by side."""
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
    """Rows of widgets in their preferred size, ``spacing`` pixels apart both ways."""

    def __init__(self, parent: QWidget | None = None, spacing: int = GRID) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setSpacing(spacing)
        self.setContentsMargins(QMargins())

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)
        self.invalidate()  # or it is not set out where it has the room of before

    def count(self) -> int:
        return len(self._items)

    # Qt asks with an index beyond the end to learn where that is, and takes None for an answer.
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
        """Sets the items out in ``rect``; the height that they take, with the margins."""
        margins = self.contentsMargins()
        inner = rect.marginsRemoved(margins)
        x, y, row_height = inner.x(), inner.y(), 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if x > inner.x() and x + size.width() > inner.x() + inner.width():
                x, y, row_height = inner.x(), y + row_height + self.spacing(), 0
            if move:
                item.setGeometry(QRect(QPoint(x, y), size))
            x += size.width() + self.spacing()
            row_height = max(row_height, size.height())
        return y + row_height + margins.bottom() - rect.y()
