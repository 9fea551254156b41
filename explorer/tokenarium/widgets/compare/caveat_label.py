"""A line over figures that says which of them are better than they should be, and why."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

from tokenarium.style.theme import GRID
from tokenarium.widgets.panel import MARGIN


class CaveatLabel(QLabel):
    """Wraps where it is long, and takes no room where there is nothing to say."""

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setContentsMargins(MARGIN, GRID, MARGIN, 0)
        self.setAccessibleName("What is doubtful")
        self.hide()

    def say(self, sentence: str) -> None:
        """Shows a sentence; nothing for an empty one."""
        self.setText(sentence)
        self.setVisible(bool(sentence))
