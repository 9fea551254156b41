"""A field of several lines that accepts no more than it can show at once, and says so.

Qt's layout of a line needs time proportional to the square of its length: 400,000 characters without a line end take
six seconds. All fields for typed text are of this class, except that of the text itself, which has its own limits.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QDragLeaveEvent, QDropEvent, QKeyEvent, QKeySequence, QTextCursor
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from tokenarium.models.text.editor_text import (
    PREVIEW,
    equal_beginning,
    utf16_count,
    why_not_in_field,
)

USE_THE_TEXT: Final = (
    "Nothing was changed. Tokens accepts larger texts: Text › Paste as the whole text."
)

HELD: Final = "All of it is kept, but only its beginning is shown. Delete empties the field."


CUT: Final = (
    "A text of {count:,} characters is too long for its field: the first {most:,} are shown."
)

FULL: Final = "This field holds {most:,} characters: the rest was not inserted."


def is_full(field: QLineEdit) -> bool:
    """Whether a field of one line accepts no more characters."""
    return utf16_count(field.text()) >= field.maxLength()


class Refusals(QObject):
    """Reports what fields did not accept: the field, and a sentence."""

    said = Signal(object, str)


REFUSALS: Final = Refusals()
"""The receiver of all fields' reports; a window listens to those of its own fields."""


def refuse(field: QWidget, sentence: str) -> None:
    """Says why a field did not accept something."""
    REFUSALS.said.emit(field, sentence)


def set_line(field: QLineEdit, text: str) -> None:
    """Sets the text of a field of one line, and says so if it is truncated."""
    field.setText(text)
    most = field.maxLength()
    if len(text) > most // 2 and utf16_count(text) > most:
        refuse(field, CUT.format(count=len(text), most=most))


class BoundedField(QPlainTextEdit):
    """A field that rejects pasted or dropped text beyond its limits.

    A larger text that the program sets is kept, and returned by `toPlainText`, but only its beginning is shown; it
    cannot be edited, only deleted (and restored with undo).
    """

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        self._held: str | None = None
        self._deleted: str | None = None
        super().__init__(parent)
        if text:
            self.setPlainText(text)

    @property
    def holds(self) -> bool:
        """Whether the text is too large to be shown completely."""
        return self._held is not None

    def setPlainText(self, text: str) -> None:
        """Shows a text, or the beginning of one that is too large."""
        why_not = why_not_in_field(text)
        if self.holds:
            self.setReadOnly(False)
        self._held = self._deleted = None
        if why_not:
            self._held = text
            self.setReadOnly(True)
            super().setPlainText(text[:PREVIEW])
            refuse(self, f"{why_not} {HELD}")
        else:
            super().setPlainText(text)

    def toPlainText(self) -> str:
        """Returns the whole text, including the part that is not shown."""
        return super().toPlainText() if self._held is None else self._held

    def raw_text(self) -> str:
        """Returns the whole text with no character replaced; lines of the document end with U+2029."""
        return self.document().toRawText() if self._held is None else self._held

    def plain_text(self) -> str:
        """Returns the whole text with its lines as the program sees them, no-break spaces included."""
        return self.raw_text().replace("\u2029", "\n")

    def replace_changed(self, text: str) -> None:
        """Replaces only what differs, which can be undone and keeps the place of the cursor."""
        before = self.plain_text()
        if self.holds or why_not_in_field(text):
            self.setPlainText(text)
            return
        start = equal_beginning(before, text)
        most = min(len(before), len(text)) - start
        end = min(equal_beginning(before[::-1], text[::-1]), most)
        cursor = QTextCursor(self.document())
        cursor.setPosition(utf16_count(before[:start]))
        last = utf16_count(before[: len(before) - end])
        cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(text[start : len(text) - end])

    def replace(self, text: str) -> None:
        """Replaces the whole text, which can be undone."""
        if self.holds or why_not_in_field(text):
            self.setPlainText(text)
            return
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)

    # Input.

    def insertFromMimeData(self, source: QMimeData) -> None:
        if self.holds:
            refuse(self, HELD)
            return
        if self._refuses(source, self.textCursor()):
            return
        super().insertFromMimeData(source)

    def dropEvent(self, event: QDropEvent) -> None:
        # Rejecting after Qt has accepted the drop would delete a moved text at its origin.
        moved = event.source() in (self, self.viewport())
        if not moved and not self.isReadOnly():
            place = self.cursorForPosition(event.position().toPoint())
            if self._refuses(event.mimeData(), place):
                self.dragLeaveEvent(QDragLeaveEvent())
                event.ignore()
                return
        super().dropEvent(event)

    def _refuses(self, source: QMimeData, cursor: QTextCursor) -> bool:
        """Returns whether the input is too long; if so, says so."""
        if not source.hasText():
            return False
        first, last = cursor.selectionStart(), cursor.selectionEnd()
        document = self.document()
        head, tail = document.findBlock(first), document.findBlock(last)
        why_not = why_not_in_field(
            source.text(),
            head.text()[: first - head.position()],
            tail.text()[last - tail.position() :],
            document.characterCount() - 1 - (last - first),
        )
        if why_not:
            refuse(self, f"{why_not} {USE_THE_TEXT}")
        return bool(why_not)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.holds and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            deleted = self._held
            self.setPlainText("")
            self._deleted = deleted
        elif self.holds and event.matches(QKeySequence.StandardKey.Paste):
            refuse(self, HELD)  # Qt would pass the key to the window
        elif self._deleted is not None and self._brings_back(event):
            self.setPlainText(self._deleted)
        else:
            super().keyPressEvent(event)

    def _brings_back(self, event: QKeyEvent) -> bool:
        """Whether a key undoes the deletion of a large text: nothing was typed since."""
        return event.matches(QKeySequence.StandardKey.Undo) and self.document().isEmpty()
