"""What an area says when it has nothing to show: what is missing, and how to go on."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from tokenarium.theme import GRID
from tokenarium.widgets.panel import secondary, strong


class EmptyState(QWidget):
    """A title and a sentence in the middle."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = strong(QLabel())
        self.sentence = secondary(QLabel())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4 * GRID, 4 * GRID, 4 * GRID, 4 * GRID)
        layout.setSpacing(GRID)
        layout.addStretch(2)
        for label in (self.title, self.sentence):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setWordWrap(True)
            layout.addWidget(label)
        layout.addStretch(3)

    def say(self, title: str, sentence: str) -> None:
        """Says what is missing, and how to go on."""
        self.title.setText(title)
        self.sentence.setText(sentence)
