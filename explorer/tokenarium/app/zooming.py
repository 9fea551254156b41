"""Zooms with the wheel: everything with Ctrl, and only what is under the pointer with Ctrl and Shift."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QWheelEvent, QWindow
from PySide6.QtWidgets import QApplication

NOTCH = 120
"""One step of a wheel, in the unit of Qt; touchpads send parts of it."""


@runtime_checkable
class Zoomable(Protocol):
    """A widget whose contents can be shown larger or smaller without the rest of the window."""

    def zoom_by(self, steps: int) -> None:
        """Shows the contents some steps larger, or smaller where ``steps`` is negative."""


class ZoomWheel(QObject):
    """Takes the turns of the wheel with Ctrl before any widget does. ``zoom_all`` gets the steps, +1 or -1.

    It watches the native window, which gets little else than the mouse and the keys: a filter in Python for all
    events of all widgets would slow each of them.
    """

    clicked = Signal()  # a press of the mouse, before any widget has it

    def __init__(self, zoom_all: Callable[[int], None], parent: QObject) -> None:
        super().__init__(parent)
        self._zoom_all = zoom_all
        self._turned = 0

    def watch(self, window: QWindow) -> None:
        """Takes the wheel of a window, once."""
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
        turned = delta.y() or delta.x()  # some systems turn it sideways where Shift is held
        if turned * self._turned < 0:
            self._turned = 0
        self._turned += turned
        steps = int(self._turned / NOTCH)
        self._turned -= steps * NOTCH
        if steps:
            only = held & Qt.KeyboardModifier.ShiftModifier
            target = zoomable_at(event) if only else None
            (target.zoom_by if target is not None else self._zoom_all)(1 if steps > 0 else -1)
        return True


def zoomable_at(event: QWheelEvent) -> Zoomable | None:
    """Returns the innermost widget under the pointer that zooms alone."""
    widget = QApplication.widgetAt(event.globalPosition().toPoint())
    while widget is not None and not isinstance(widget, Zoomable):
        widget = widget.parentWidget()
    return widget
