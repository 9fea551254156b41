"""Notes what the user types in any field of the program, from the first letter on, so that it can be kept.

Pages need to do nothing. A field is noted when it gets the focus, by its accessible name and its page or dialog. Its
text counts as long as the field exists and its dialog is open: a closed dialog was either accepted or cancelled. A
field whose text is not worth keeping, such as a search, is marked `passing`.

For all fields, this also says when a text is too long for its field.
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
    """A field that had the focus; ``when`` is the time of the last keystroke in it, in seconds since 1970, or 0."""

    field: Field
    title: str
    when: float = 0.0
    text: str | None = None  # None: it has changed since it was read


class TypedFields(QObject):
    """The fields of a window and its dialogs. ``place`` names the visible page of the window."""

    typed = Signal()
    """The user typed."""

    refused = Signal(str)
    """A field did not accept all of the input: a sentence about that."""

    def __init__(
        self, window: QWidget, place: Callable[[], str], skips: Callable[[QWidget], bool]
    ) -> None:
        """``skips`` returns whether the text of a field is kept by other means now."""
        super().__init__(window)
        self._window = window
        self._place = place
        self._noted: dict[int, _Noted] = {}  # by the Python id of the object, which it keeps alive
        self._places: dict[int, str] = {}
        self.said: MessageBar | None = None
        self._skips = skips
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus)
        REFUSALS.said.connect(self._hear)
        self._bounded: dict[int, QLineEdit] = {}  # the single-line fields that are connected
        self._watches = True

    def stop(self) -> None:
        """Stops noting: the window closes."""
        app = QApplication.instance()
        if self._watches and isinstance(app, QApplication):
            app.focusChanged.disconnect(self._focus)
            REFUSALS.said.disconnect(self._hear)
        self._watches = False
        self._noted.clear()
        self._bounded.clear()

    @property
    def any(self) -> bool:
        """Whether the user has typed in this run."""
        return any(one.when for one in self._noted.values())

    def _focus(self, _: QWidget | None, field: QWidget | None) -> None:
        if field is not None and self._is_ours(field):
            self._listen(field)
            self.note(field)

    # Texts that are too long for a field.

    def _listen(self, field: QWidget) -> None:
        """Says from now on when a single-line field truncates its input."""
        line = field.lineEdit() if isinstance(field, QComboBox) else field
        if not isinstance(line, QLineEdit) or id(line) in self._bounded:
            return
        for key in [key for key, one in self._bounded.items() if not isValid(one)]:
            del self._bounded[key]
        self._bounded[id(line)] = line
        line.inputRejected.connect(lambda: self._say_cut(line))

    def _say_cut(self, line: QLineEdit) -> None:
        """Says that a field is full; input that is rejected for other reasons is reported by its validator."""
        if is_full(line):
            self._refuse(line, FULL.format(most=line.maxLength()))

    def _hear(self, field: QWidget, sentence: str) -> None:
        if isValid(field) and self._is_ours(field):
            self._refuse(field, sentence)

    def _refuse(self, field: QWidget, sentence: str) -> None:
        """Shows the sentence in the window, and in the dialog of the field."""
        self.refused.emit(sentence)
        self.say("")  # it is said again each time
        self.say(sentence, field.window())

    def _is_ours(self, field: QWidget) -> bool:
        """Whether a field is in this window, or in a dialog above it: a process may have several windows."""
        top: QWidget | None = field.window()
        while top is not None and top is not self._window:
            parent = top.parentWidget()
            top = parent.window() if parent is not None else None
        return top is not None

    def note(self, field: QWidget) -> None:
        """Notes what is typed in a field from now on, if it is a field for texts."""
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
        """Notes a change; if the program made it, the text differs but nothing was typed."""
        noted.text = None
        if noted.field.hasFocus():
            noted.when = time.time()
            self._places[id(noted.field)] = self._place_of(noted.field)
            self.typed.emit()
        elif noted.when:
            self.typed.emit()

    def _place_of(self, field: QWidget) -> str:
        """Returns the name of the page or the dialog that contains a field."""
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
                noted.when = 0.0  # it was accepted or cancelled
                continue
            if noted.text is None:
                noted.text = text_in(field)
            if noted.text.strip() and len(noted.text) <= MOST_FIELD:
                yield TypedText(noted.title, self._places.get(key, ""), noted.text, noted.when)

    # Messages in dialogs, which cover those of the window.

    def say(self, sentence: str, dialog: QWidget | None = None) -> None:
        """Shows a sentence in a dialog, by default the one in front, if any; an empty one removes it."""
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
        if self.said.label.text() != sentence:  # a closed message stays closed
            self.said.say(sentence)


def text_in(field: Field) -> str:
    """Returns the text of a field."""
    return field.text() if isinstance(field, QLineEdit) else field.toPlainText()


def _title(field: QWidget) -> str:
    """Returns the name of a field."""
    name = field.accessibleName()
    if not name and isinstance(field, QLineEdit | QPlainTextEdit | QTextEdit):
        name = field.placeholderText()
    parent = field.parentWidget()
    while not name and parent is not None and not parent.isWindow():
        if isinstance(parent, QAbstractItemView):
            name = parent.accessibleName()
        parent = parent.parentWidget()
    return name or NAMELESS
