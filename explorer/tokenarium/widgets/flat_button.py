"""A flat button, with a ring where the keyboard is."""

from __future__ import annotations

from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QToolButton

from tokenarium.widgets.focus_ring import paint_keyboard_ring


class FlatButton(QToolButton):
    """A tool button without a frame as long as nothing points at it."""

    def __init__(self) -> None:
        super().__init__()
        self.setAutoRaise(True)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        paint_keyboard_ring(self, self.rect())
