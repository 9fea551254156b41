"""What a person types, in whatever field of the program: noted from the first letter on, so that it can be kept.

No page does anything for it. A field is noted when it gets the focus, by its accessible name and by what it is in; its
text counts as long as the field is there, and, in a dialog, as long as that is open: a dialog that is closed was either
carried out or given up. A field in which typing has no worth of its own, such as a search, says `passing`.

What a field does not take, because it is too much, is said here too, for all fields.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)
from shiboken6 import isValid

from tokenarium.models.typed_texts import MOST_FIELD, TypedText
from tokenarium.style.theme import GRID
from tokenarium.widgets.message_bar import MessageBar
from tokenarium.widgets.panel import is_passing
from tokenarium.widgets.text.bounded_field import FULL, REFUSALS, is_full

Field = QLineEdit | QPlainTextEdit | QTextEdit

NAMELESS: Final = "Text"

ABOVE: Final = 9 * GRID
"""Pixels under a message in a dialog: its buttons stay free."""


@dataclass
class _Noted:
    """A field that had the focus; ``when`` a person last typed in it, in seconds since 1970, 0 before."""

    field: Field
    title: str
    when: float = 0.0
    text: str | None = None  # None: it has changed since it was read


class TypedFields(QObject):
    """The fields of a window and its dialogs. ``place`` names what is shown in the window now."""

    typed = Signal()
    """Somebody typed."""

    refused = Signal(str)
    """A field did not take all that was put in: a sentence on it."""

    def __init__(
        self, window: QWidget, place: Callable[[], str], skips: Callable[[QWidget], bool]
    ) -> None:
        """``skips`` returns whether the text of a field is kept by other means now."""
        super().__init__(window)
        self._window = window
        self._place = place
        self._noted: dict[int, _Noted] = {}  # by the id of the object in Python, which it holds
        self._places: dict[int, str] = {}
        self.said: MessageBar | None = None
        self._skips = skips
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus)
        REFUSALS.said.connect(self._hear)
        self._bounded: dict[int, QLineEdit] = {}  # the fields of one line that are listened to
        self._watches = True

    def stop(self) -> None:
        """Notes nothing more: the window closes."""
        app = QApplication.instance()
        if self._watches and isinstance(app, QApplication):
            app.focusChanged.disconnect(self._focus)
            REFUSALS.said.disconnect(self._hear)
        self._watches = False
        self._noted.clear()
        self._bounded.clear()

    @property
    def any(self) -> bool:
        """Whether somebody has typed in this run."""
        return any(one.when for one in self._noted.values())

    def _focus(self, _: QWidget | None, field: QWidget | None) -> None:
        if field is not None and self._is_ours(field):
            self._listen(field)
            self.note(field)

    # What is too much for a field.

    def _listen(self, field: QWidget) -> None:
        """Says from now on what a field of one line cuts off."""
        line = field.lineEdit() if isinstance(field, QComboBox) else field
        if not isinstance(line, QLineEdit) or id(line) in self._bounded:
            return
        for key in [key for key, one in self._bounded.items() if not isValid(one)]:
            del self._bounded[key]
        self._bounded[id(line)] = line
        line.inputRejected.connect(lambda: self._say_cut(line))

    def _say_cut(self, line: QLineEdit) -> None:
        """Says that a field is full: other input is rejected by what checks it, which says so itself."""
        if is_full(line):
            self._refuse(line, FULL.format(most=line.maxLength()))

    def _hear(self, field: QWidget, sentence: str) -> None:
        if isValid(field) and self._is_ours(field):
            self._refuse(field, sentence)

    def _refuse(self, field: QWidget, sentence: str) -> None:
        """Says it in the window, and in the dialog that the field is in."""
        self.refused.emit(sentence)
        self.say("")  # it is said again, too
        self.say(sentence, field.window())

    def _is_ours(self, field: QWidget) -> bool:
        """Whether a field is in this window, or in a dialog above it: a process may have several windows."""
        top: QWidget | None = field.window()
        while top is not None and top is not self._window:
            parent = top.parentWidget()
            top = parent.window() if parent is not None else None
        return top is not None

    def note(self, field: QWidget) -> None:
        """Notes what is typed in a field from now on, if it is one for texts."""
        if isinstance(field, QAbstractSpinBox) or isinstance(
            field.parentWidget(), QAbstractSpinBox
        ):
            return  # a number
        if not isinstance(field, Field) or id(field) in self._noted or is_passing(field):
            return
        if field.isReadOnly():
            return
        if isinstance(field, QLineEdit) and field.echoMode() != QLineEdit.EchoMode.Normal:
            return
        self._forget_gone()
        noted = self._noted[id(field)] = _Noted(field, _title(field))
        field.textChanged.connect(lambda *_: self._change(noted))

    def _change(self, noted: _Noted) -> None:
        """Takes a change; one by the program is none that somebody typed, but the text is another."""
        noted.text = None
        if noted.field.hasFocus():
            noted.when = time.time()
            self._places[id(noted.field)] = self._place_of(noted.field)
            self.typed.emit()
        elif noted.when:
            self.typed.emit()

    def _place_of(self, field: QWidget) -> str:
        """Returns the name of what a field is in: the page that is shown, or a dialog."""
        top = field.window()
        return self._place() if top is self._window else top.windowTitle() or top.accessibleName()

    def _forget_gone(self) -> None:
        for key, noted in list(self._noted.items()):
            if not isValid(noted.field):
                del self._noted[key]
                self._places.pop(key, None)

    def texts(self) -> tuple[TypedText, ...]:
        """Returns what was typed and is still there, the last one first."""
        return tuple(sorted(self._texts(), key=lambda one: -one.when))

    def _texts(self) -> Iterator[TypedText]:
        self._forget_gone()
        for key, noted in self._noted.items():
            field = noted.field
            if not noted.when or self._skips(field):
                continue
            top = field.window()
            if top is not self._window and not top.isVisible():
                noted.when = 0.0  # it was carried out, or given up
                continue
            if noted.text is None:
                noted.text = text_in(field)
            if noted.text.strip() and len(noted.text) <= MOST_FIELD:
                yield TypedText(noted.title, self._places.get(key, ""), noted.text, noted.when)

    # Where the message of the window is not seen.

    def say(self, sentence: str, dialog: QWidget | None = None) -> None:
        """Says something in a dialog, or in that in front, where there is one; an empty sentence takes it back."""
        said = self.said
        if said is not None and (not isValid(said) or not sentence):
            self.said = None
            if isValid(said):
                said.hide()
                said.deleteLater()
        front = dialog or QApplication.activeModalWidget() or QApplication.activeWindow()
        if not sentence or front is None or front is self._window or not self._is_ours(front):
            return
        if self.said is None or self.said.parentWidget() is not front:
            if self.said is not None:
                self.said.deleteLater()
            self.said = MessageBar(front, above=ABOVE)
        if self.said.label.text() != sentence:  # one that was closed stays so
            self.said.say(sentence)


def text_in(field: Field) -> str:
    """Returns the text of a field."""
    return field.text() if isinstance(field, QLineEdit) else field.toPlainText()


def _title(field: QWidget) -> str:
    """Returns what a field is called."""
    name = field.accessibleName()
    if not name and isinstance(field, QLineEdit | QPlainTextEdit | QTextEdit):
        name = field.placeholderText()
    parent = field.parentWidget()
    while not name and parent is not None and not parent.isWindow():
        if isinstance(parent, QAbstractItemView):
            name = parent.accessibleName()
        parent = parent.parentWidget()
    return name or NAMELESS
