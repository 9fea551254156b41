"""The message of an area that has nothing to show: what is missing, and what to do."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAction, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from tokenarium.style.theme import GRID
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import secondary, strong, tool_button


class EmptyState(QWidget):
    """A title, a sentence and some buttons in the middle."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = strong(BalancedLabel())
        self.sentence = secondary(BalancedLabel())
        self.buttons: list[QToolButton] = []
        self._button_row = QHBoxLayout()
        self._button_row.setSpacing(GRID)
        self._button_row.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        in_column(
            (None, 2),
            self.title,
            self.sentence,
            GRID,
            self._button_row,
            (None, 3),
            into=self,
            spacing=GRID,
            margins=2 * GRID,
        )

    def say(self, title: str, sentence: str, actions: Sequence[tuple[QAction, str]] = ()) -> None:
        """Says what is missing and what to do, with a button with a short text for each action that helps."""
        self.title.setText(title)
        self.sentence.setText(sentence)
        if [button.defaultAction() for button in self.buttons] == [action for action, _ in actions]:
            return
        for button in self.buttons:
            self._button_row.removeWidget(button)
            button.setParent(None)
            button.deleteLater()
        self.buttons = [_button(action, text) for action, text in actions]
        for button in self.buttons:
            self._button_row.addWidget(button)


def _button(action: QAction, text: str) -> QToolButton:
    button = tool_button(action, text)
    button.setAutoRaise(False)
    button.setMinimumHeight(4 * GRID)
    return button


LONGEST = 72 * GRID
"""Pixels: after a longer line, it is hard to find the next one."""

_FLAGS = int(Qt.AlignmentFlag.AlignHCenter) | int(Qt.TextFlag.TextWordWrap)
_HIGH = 1 << 20


class BalancedLabel(QLabel):
    """Centred plain text in as few lines as possible, which are about equally long."""

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
    """Returns the least width in pixels in which a text has no more lines than in ``room``."""

    def box(width: int) -> QRect:
        return metrics.boundingRect(QRect(0, 0, width, _HIGH), _FLAGS, text)

    height = box(room).height()

    def fits(width: int) -> bool:
        bounds = box(width)
        return bounds.width() <= width and bounds.height() <= height

    return bisect_left(range(room), True, key=fits)
