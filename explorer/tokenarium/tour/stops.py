"""The stops of the tour, and the interface of what takes their pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QSize

from tokenarium.app.window import MainWindow

SMALL, USUAL, LARGE = QSize(800, 600), QSize(1440, 900), QSize(1920, 1080)

Stop = tuple[str, str, Callable[[MainWindow], object]]
"""A stop: the name of its pictures, the workspace, and a function that prepares the window."""


class Guide(Protocol):
    """What takes the pictures."""

    def settle(self) -> None:
        """Waits until all work is done."""

    def small_model(self, name: str) -> Path:
        """Returns the path of a small model: "unigram" or "wordpiece"."""
