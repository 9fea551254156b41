"""A few words in the middle, in lines of about one length, as a careful typesetter breaks them."""

from __future__ import annotations

from bisect import bisect_left

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from tokenarium.style.theme import GRID

LONGEST = 72 * GRID
"""Pixels: longer lines are hard to read on from one to the next."""

_FLAGS = int(Qt.AlignmentFlag.AlignHCenter) | int(Qt.TextFlag.TextWordWrap)
_HIGH = 1 << 20


class BalancedLabel(QLabel):
    """Plain text in the middle. It takes as few lines as it can, and none of them is much shorter than the others."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.setWordWrap(True)

    def heightForWidth(self, width: int) -> int:
        return super().heightForWidth(min(width, LONGEST))

    def paintEvent(self, event: QPaintEvent) -> None:
        room = self.contentsRect()
        width = balanced_width(self.text(), self.fontMetrics(), min(room.width(), LONGEST))
        place = QRect(room.left() + (room.width() - width) // 2, room.top(), width, room.height())
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(place, _FLAGS, self.text())
        painter.end()


def balanced_width(text: str, metrics: QFontMetrics, room: int) -> int:
    """Returns the least width in pixels, up to ``room``, in which a text has no more lines than in ``room``."""

    def box(width: int) -> QRect:
        return metrics.boundingRect(QRect(0, 0, width, _HIGH), _FLAGS, text)

    height = box(room).height()

    def fits(width: int) -> bool:
        found = box(width)
        return found.width() <= width and found.height() <= height

    return bisect_left(range(room), True, key=fits)
