"""A place in which texts change all the time, and nothing around it is laid out anew."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget


class StillArea(QWidget):
    """Holds a widget as wide as there is room. It asks for other room only when `settle` is called.

    A label with a new text has the layouts of all that it stands in done again, up to the window: for a
    number that counts on with every step, that is more work than the step.
    """

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self._widget = widget
        widget.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def settle(self) -> None:
        """Asks for the room that is needed now."""
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return self._widget.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._widget.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._widget.resize(event.size())
