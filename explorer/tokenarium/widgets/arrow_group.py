"""Several buttons that are one stop for Tab; the arrow keys, Home and End go from one to another."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Down: 1,
}


class ArrowGroup(QObject):
    """Tab reaches the button that had the focus last, at first the first one."""

    reached = Signal(QWidget)  # a button that an arrow key went to

    def __init__(self, buttons: Sequence[QAbstractButton], parent: QObject) -> None:
        super().__init__(parent)
        self._buttons = list(buttons)
        for button in self._buttons:
            button.installEventFilter(self)
        if self._buttons:
            self._let_tab_reach(self._buttons[0])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusIn:
            self._let_tab_reach(watched)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            # Else Qt would take an arrow key for Tab.
            return self._go(watched, Qt.Key(event.key()))
        return False

    def _let_tab_reach(self, one: QObject) -> None:
        for button in self._buttons:
            policy = Qt.FocusPolicy.TabFocus if button is one else Qt.FocusPolicy.NoFocus
            button.setFocusPolicy(policy)

    def _go(self, watched: QObject, key: Qt.Key) -> bool:
        able = [button for button in self._buttons if button.isEnabled() and button.isVisible()]
        here = next((place for place, one in enumerate(able) if one is watched), -1)
        if here < 0:
            return False
        if key in STEPS:
            place = max(0, min(here + STEPS[key], len(able) - 1))
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            place = 0 if key == Qt.Key.Key_Home else len(able) - 1
        else:
            return False
        able[place].setFocus(Qt.FocusReason.OtherFocusReason)
        self.reached.emit(able[place])
        return True
