"""What an area says when it has nothing to show: what is missing, and how to go on."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from tokenarium.style.theme import GRID
from tokenarium.widgets.balanced_label import BalancedLabel
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
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addStretch(2)
        for label in (self.title, self.sentence):
            layout.addWidget(label)
        layout.addSpacing(GRID)
        layout.addLayout(self._button_row)
        layout.addStretch(3)

    def say(self, title: str, sentence: str, actions: Sequence[tuple[QAction, str]] = ()) -> None:
        """Says what is missing, and how to go on; a button with a short text for each action that helps."""
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
