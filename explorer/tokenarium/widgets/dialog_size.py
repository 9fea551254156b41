"""How large a dialog opens over its window."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from tokenarium.style.theme import GRID


def size_within(window: QWidget, width: int, height: int) -> QSize:
    """Returns a size in pixels, or what there is of it in a window with a margin around."""
    return QSize(width, height).boundedTo(window.size() - QSize(4 * GRID, 8 * GRID))
