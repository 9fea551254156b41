"""What a stop of the tour is, and what takes its pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QSize

from tokenarium.app.window import MainWindow

SMALL, USUAL, LARGE = QSize(800, 600), QSize(1440, 900), QSize(1920, 1080)

Stop = tuple[str, str, Callable[[MainWindow], object]]
"""The name of its pictures, the workspace, and what prepares the window."""


class Guide(Protocol):
    """What takes the pictures."""

    def settle(self) -> None:
        """Waits until nothing goes on any more."""

    def small_model(self, name: str) -> Path:
        """Returns the path of a small model: "unigram" or "wordpiece"."""
