"""What waits until its workspace is visible."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget


class WhenSeen(QObject):
    """Shows something while a workspace is visible; signals are no longer connected to it when that is deleted."""

    def __init__(self, space: QWidget, show: Callable[[], object]) -> None:
        super().__init__(space)
        self._space, self._show, self._due = space, show, False

    def take(self) -> None:
        """Shows it now, or when the workspace is next shown."""
        self._due = not self._space.isVisible()
        if not self._due:
            self._show()

    def show_due(self) -> None:
        """Shows what had to wait."""
        due, self._due = self._due, False
        if due:
            self._show()
