"""Zooms with Ctrl and the wheel: the stage, text or chart under the pointer, if any, otherwise everything."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QWheelEvent, QWindow
from PySide6.QtWidgets import QApplication

from tokenarium.widgets.zoom_area import Zoomable

NOTCH = 120
"""One step of a wheel, in the unit of Qt; touchpads send parts of it."""


class ZoomWheel(QObject):
    """Handles Ctrl and the wheel before any widget does. ``zoom_all`` gets the steps, +1 or -1.

    With Shift as well, everything zooms wherever the pointer is.

    It watches the native window, which gets little more than mouse and key events: a Python filter for all events of
    all widgets would slow down each of them.
    """

    clicked = Signal()  # a press of the mouse, before any widget has it

    def __init__(self, zoom_all: Callable[[int], None], parent: QObject) -> None:
        super().__init__(parent)
        self._zoom_all = zoom_all
        self._turned = 0

    def watch(self, window: QWindow) -> None:
        """Watches the wheel of a window; does nothing the second time."""
        window.removeEventFilter(self)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonPress:
            self.clicked.emit()
        if event.type() != QEvent.Type.Wheel or not isinstance(event, QWheelEvent):
            return False
        held = event.modifiers()
        if not held & Qt.KeyboardModifier.ControlModifier:
            return False
        delta = event.angleDelta()
        turned = delta.y() or delta.x()  # some systems scroll sideways while Shift is held
        if turned * self._turned < 0:
            self._turned = 0
        self._turned += turned
        steps = int(self._turned / NOTCH)
        self._turned -= steps * NOTCH
        if steps:
            everything = held & Qt.KeyboardModifier.ShiftModifier
            target = None if everything else zoomable_at(event)
            step = 1 if steps > 0 else -1
            if target is None:
                self._zoom_all(step)
            else:
                target.zoom_by(step, event.globalPosition().toPoint())
        return True


def zoomable_at(event: QWheelEvent) -> Zoomable | None:
    """Returns the innermost widget under the pointer that zooms alone."""
    widget = QApplication.widgetAt(event.globalPosition().toPoint())
    while widget is not None and not isinstance(widget, Zoomable):
        widget = widget.parentWidget()
    return widget
