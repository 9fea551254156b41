"""Lets the app's shortcuts pass through fields that would otherwise take them for themselves."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

_PLAIN = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
_OWN_KEYS = (
    QKeySequence.StandardKey.Undo,
    QKeySequence.StandardKey.Redo,
    QKeySequence.StandardKey.Copy,
    QKeySequence.StandardKey.Cut,
    QKeySequence.StandardKey.Paste,
    QKeySequence.StandardKey.SelectAll,
)
_CARET_KEYS = frozenset(
    (
        Qt.Key.Key_Left,
        Qt.Key.Key_Right,
        Qt.Key.Key_Home,
        Qt.Key.Key_End,
        Qt.Key.Key_Backspace,
        Qt.Key.Key_Delete,
    )
)


class ShortcutFirst(QObject):
    """An event filter for one text field.

    On some desktops Qt's fields take Ctrl+K, Ctrl+E and the like for editing. Here only the keys for
    undo, clipboard, selection and the caret stay with the field; all others go to the app first.
    """

    def __init__(self, field: QWidget) -> None:
        super().__init__(field)
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        held = event.modifiers() & ~_PLAIN
        own = any(event.matches(key) for key in _OWN_KEYS)
        if not held or own or event.key() in _CARET_KEYS:
            return False
        event.ignore()
        return True
