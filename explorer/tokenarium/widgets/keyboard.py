"""Keyboard use: the focus ring, shortcuts that work in text fields, and arrow keys in groups of buttons."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QWidget,
)

from tokenarium.style.theme import Theme

RING = 2
"""Pixels of the ring's line."""


def paint_focus_ring(
    painter: QPainter, widget: QWidget, theme: Theme, rect: QRect | None = None
) -> None:
    """Paints the ring at the edge of a rectangle, by default the widget, if the widget has the focus by a key."""
    if not focused_by_keyboard(widget):
        return
    edge = widget.rect() if rect is None else rect
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(QPen(theme.accent, RING))
    painter.drawRect(edge.adjusted(RING // 2, RING // 2, -RING // 2, -RING // 2))
    painter.restore()


def paint_keyboard_ring(widget: QWidget, rect: QRect) -> None:
    """Paints a ring in a rectangle of a widget that got the focus from the keyboard, not the mouse.

    Qt's own ring is hard to see around flat widgets, above all on dark panels.
    """
    if not focused_by_keyboard(widget):
        return
    painter = QPainter(widget)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(widget.palette().highlight().color(), RING))
    inset = RING / 2
    painter.drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), 3, 3)
    painter.end()


def focused_by_keyboard(widget: QWidget) -> bool:
    """Returns whether a widget has the focus, and got it by a key."""
    by_key = widget.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
    return widget.hasFocus() and by_key


class AreaRings(QObject):
    """Shows a ring over each scroll area or page that gets the focus by a key.

    Texts, lists, tables and containers paint none themselves.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow)

    def _follow(self, before: QWidget | None, now: QWidget | None) -> None:
        if now is None or not focused_by_keyboard(now):
            return
        if isinstance(now, QAbstractScrollArea) or now.layout() is not None:
            ring = now.findChild(RingOver) or RingOver(now)
            ring.fit()

    @staticmethod
    def clicked(window: QWidget) -> None:
        """Removes the ring in a window that was clicked."""
        if not window.testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange):
            return
        window.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange, False)
        focus = window.focusWidget()
        if focus is not None:
            focus.update()
            for ring in focus.findChildren(RingOver):
                ring.fit()


class RingOver(QWidget):
    """The ring over one area, whose contents would cover the area's own painting."""

    def __init__(self, area: QWidget) -> None:
        super().__init__(area)
        self._area = area
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        area.installEventFilter(self)

    def fit(self) -> None:
        """Covers the area while that has the focus."""
        self.setGeometry(self._area.rect())
        self.setVisible(focused_by_keyboard(self._area))
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut, QEvent.Type.Resize):
            self.fit()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QPen(self.palette().accent(), RING))
        inset = RING // 2
        painter.drawRect(self.rect().adjusted(inset, inset, -inset, -inset))
        painter.end()


_PLAIN = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
_UNDO_KEYS = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)
_OWN_KEYS = (
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
    """An event filter for one text field, which gives the app's shortcuts priority.

    On some desktops Qt's fields use Ctrl+K, Ctrl+E and the like for editing. Here only the keys for
    undo, clipboard, selection and the caret stay with the field; those for undo only if it ``undoes``.
    """

    def __init__(self, field: QWidget, undoes: bool = True) -> None:
        super().__init__(field)
        self._own = _OWN_KEYS + (_UNDO_KEYS if undoes else ())
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        held = event.modifiers() & ~_PLAIN
        own = any(event.matches(key) for key in self._own)
        if not held or own or event.key() in _CARET_KEYS:
            return False
        event.ignore()
        return True


_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Down: 1,
}


class ArrowGroup(QObject):
    """Buttons as one Tab stop: Tab reaches the button that had the focus last; arrow keys reach the others."""

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
            # Otherwise Qt would treat an arrow key like Tab.
            return self._go(watched, Qt.Key(event.key()))
        return False

    def _let_tab_reach(self, one: QObject) -> None:
        for button in self._buttons:
            policy = Qt.FocusPolicy.TabFocus if button is one else Qt.FocusPolicy.NoFocus
            button.setFocusPolicy(policy)

    def _go(self, watched: QObject, key: Qt.Key) -> bool:
        able = [button for button in self._buttons if button.isEnabled() and button.isVisible()]
        here = next((index for index, button in enumerate(able) if button is watched), -1)
        if here < 0:
            return False
        if key in _STEPS:
            place = max(0, min(here + _STEPS[key], len(able) - 1))
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            place = 0 if key == Qt.Key.Key_Home else len(able) - 1
        else:
            return False
        able[place].setFocus(Qt.FocusReason.OtherFocusReason)
        self.reached.emit(able[place])
        return True


def has_focus(widget: QWidget) -> bool:
    """Returns whether a widget, or one in it, has the focus of its window."""
    focus = widget.window().focusWidget()
    return focus is not None and (focus is widget or widget.isAncestorOf(focus))


def last_reached(widget: QWidget) -> QWidget | None:
    """Returns the last control in a widget that Tab reaches, if controls are created in reading order.

    It cannot use `nextInFocusChain`: PySide makes the returned widget a child of the other, and deletes it with that,
    although Qt still uses it.
    """
    for one in reversed(widget.findChildren(QWidget)):
        if one.focusPolicy() & Qt.FocusPolicy.TabFocus and one.isEnabled():
            inside = isinstance(
                one.parent(), QAbstractSpinBox | QComboBox
            )  # a part of another control
            if not inside and one.isVisibleTo(widget):
                return one
    return None
