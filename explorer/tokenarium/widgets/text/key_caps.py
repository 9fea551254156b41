"""The keys 1 to 9 that put a tokenizer in front, as small caps that can be pressed."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from tokenarium.style.fonts import RAIL_SIZE, SMALL_SIZE, number_font, ui_font
from tokenarium.style.themed import Themed

MOST_KEYS = 9
CAP = 20
STEP = CAP + 5
TITLE_WIDTH = 60
"""Pixels."""


class KeyCaps(Themed, QWidget):
    """As many keys as there are tokenizers; hidden if there is only one."""

    chosen = Signal(int)
    """The index of the key that was pressed, from 0."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._count = 0
        self._has_room = True
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setToolTip("The keys 1 to 9 put a tokenizer in front: its tokens are on the text")
        self.setAccessibleName("Keys 1 to 9 put a tokenizer in front")

    def set_count(self, count: int) -> None:
        """Shows the keys for this number of tokenizers."""
        if count != self._count:
            self._count = count
            self.setVisible(count > 1 and self._has_room)
            self.updateGeometry()
            self.update()

    def set_room(self, width: int) -> None:
        """Shows the keys only if they fit into this many pixels: the keyboard has them anyway."""
        self._has_room = width >= self.sizeHint().width()
        self.setVisible(self._count > 1 and self._has_room)

    def sizeHint(self) -> QSize:
        return QSize(TITLE_WIDTH + STEP * min(self._count, MOST_KEYS), CAP + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, CAP + 2)

    def _left(self) -> int:
        """The x of the first cap; without room for all, nothing is painted."""
        return self.width() - STEP * min(self._count, MOST_KEYS) + STEP - CAP

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = int(event.position().x() - self._left()) // STEP
        if 0 <= place < min(self._count, MOST_KEYS):
            self.chosen.emit(place)

    def paintEvent(self, event: QPaintEvent) -> None:
        left = self._left()
        if left < 0:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if left >= TITLE_WIDTH - 5:
            painter.setFont(ui_font(SMALL_SIZE))
            painter.setPen(self.theme.dim)
            at = QRectF(left - TITLE_WIDTH, 0, TITLE_WIDTH - 8, self.height())
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(at, int(right), "In front")
        painter.setFont(number_font(RAIL_SIZE))
        for place in range(min(self._count, MOST_KEYS)):
            cap = QRectF(left + place * STEP + 0.5, 1.5, CAP - 1, CAP - 1)
            painter.setPen(QPen(self.theme.line, 1))
            painter.setBrush(self.theme.sunken)
            painter.drawRoundedRect(cap, 4, 4)
            painter.setPen(self.theme.dim)
            painter.drawText(cap, int(Qt.AlignmentFlag.AlignCenter), str(place + 1))
        painter.end()
