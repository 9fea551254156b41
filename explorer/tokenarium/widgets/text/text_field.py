"""The input fields for the text and for a pattern."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QMimeData, QPointF, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QDragEnterEvent,
    QDropEvent,
    QInputMethodEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QTextCursor,
)
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from tokenarium.models.text.editor_text import EditorText
from tokenarium.models.text.text_map import TextMap
from tokenarium.style.fonts import mono_font
from tokenarium.widgets.drops import accept_copy, local_files
from tokenarium.widgets.keyboard import ShortcutFirst
from tokenarium.widgets.panel import MARGIN

FIRST_PART = 20_000
"""Characters of a long text that are shown at once: several screens."""

NEXT_PART = 50_000
"""Characters that are added in each turn of the event loop: they need a few milliseconds."""

REST_MS = 8
"""Milliseconds between two parts of a very long text, in which its tokens go first."""

MOST_AT_ONCE = 8_000_000
"""Characters of which the rest is added at once when a user types before all are there, in up to half a second."""


class TextField(QPlainTextEdit):
    """A plain text field that leaves shortcuts to the app, and reports pastes and dropped files."""

    pasted = Signal(object)  # the text
    files_dropped = Signal(list)  # of Path
    filled = Signal()  # a long text is complete

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Text to split into tokens")
        self.setPlaceholderText("Type, paste or drop a text here, or choose a sample above")
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(MARGIN)
        self._keys = ShortcutFirst(self, undoes=False)
        self.is_busy: Callable[[], bool] = bool
        """Whether there is work that goes before the rest of a very long text."""
        self._text = EditorText(TextMap(""))
        self._place = 0
        self._cursor = 0
        self._unlocks = False  # whether it can be edited once it is full
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._add_part)

    def start_at_right(self, right: bool) -> None:
        """Aligns all paragraphs at the right or the left: a plain field of Qt has one alignment."""
        option = self.document().defaultTextOption()
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        if option.alignment() != side:
            option.setAlignment(side)
            self.document().setDefaultTextOption(option)

    # Showing a text at once, or in parts.

    @property
    def waits(self) -> bool:
        """Whether a text is still being added that is too long to add the rest at once: it cannot be edited yet."""
        return self.filling and self._text.size > MOST_AT_ONCE

    @property
    def filling(self) -> bool:
        """Whether parts of a long text are still missing."""
        return self._turn.isActive()

    def fill(self, text: EditorText, cursor: int) -> None:
        """Shows a new text, without its own undo: its beginning now, the rest in the next turns.

        The cursor, a UTF-16 offset, is set when all is there. Typing or clicking adds the rest at once, unless that
        would take too long: then the field cannot be edited until all is there. It emits no signals of an edit.
        """
        first = text.line_end(FIRST_PART)
        self._turn.stop()
        self._unlocks = False
        self._text, self._place, self._cursor = text, first, cursor
        with QSignalBlocker(self):
            self.setPlainText(text.part(0, first))
        self.document().setUndoRedoEnabled(False)
        if first < text.size:
            self._turn.start(REST_MS if text.size > MOST_AT_ONCE else 0)
            if self.waits and not self.isReadOnly():
                self._unlocks = True
                self.setReadOnly(True)
        else:
            self._end_filling()

    def finish(self) -> None:
        """Adds the missing rest, unless it is too long to wait for."""
        if self.filling and not self.waits:
            self._add(self._text.size)

    def _add_part(self) -> None:
        if self.waits and self.is_busy():
            return
        self._add(self._text.line_end(self._place + NEXT_PART))

    def _add(self, end: int) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        with QSignalBlocker(self):
            cursor.insertText(self._text.part(self._place, end))
        self._place = end
        if end == self._text.size:
            self._end_filling()

    def _end_filling(self) -> None:
        self._turn.stop()
        self._text = EditorText(TextMap(""))
        if self._unlocks:
            self._unlocks = False
            self.setReadOnly(False)
        self.document().setUndoRedoEnabled(True)
        bar = self.verticalScrollBar()
        seen = bar.value()
        cursor = self.textCursor()
        cursor.setPosition(self._cursor)
        with QSignalBlocker(self):
            self.setTextCursor(cursor)
        bar.setValue(seen)
        self.filled.emit()

    def deselect(self) -> None:
        """Clears the selection; the cursor stays."""
        cursor = self.textCursor()
        if cursor.hasSelection():
            cursor.clearSelection()
            self.setTextCursor(cursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.finish()
        held = event.modifiers()
        if event.key() == Qt.Key.Key_Tab and held == Qt.KeyboardModifier.ControlModifier:
            self.textCursor().insertText("\t")
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self.finish()
        super().inputMethodEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.finish()
        super().mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.finish()
        super().contextMenuEvent(event)

    # Pastes and files.

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasUrls() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        self.finish()
        paths = local_files(source)
        if paths:
            self.files_dropped.emit(paths)
        elif source.hasText():
            self.pasted.emit(source.text())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event.mimeData()):
            accept_copy(event)
        else:
            super().dragEnterEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        self.finish()
        paths = local_files(event.mimeData())
        if paths:
            accept_copy(event)
            self.files_dropped.emit(paths)
        else:
            super().dropEvent(event)


class PatternEdit(QLineEdit):
    """A line edit in the monospaced font with one position that can be marked."""

    written = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFont(mono_font())
        self.setAccessibleName("Own pattern")
        self.setPlaceholderText(
            r"A regular expression such as  \p{L}+|\p{N}{1,3}|\s+|[^\s\p{L}\p{N}]+"
        )
        self.setClearButtonEnabled(True)
        self.marked = -1
        self._colour = QColor()
        self.textEdited.connect(self.written)
        self._keys = ShortcutFirst(self)

    def mark(self, position: int, colour: QColor) -> None:
        """Underlines the character at ``position``; -1 marks nothing."""
        self.marked, self._colour = position, colour
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.marked < 0:
            return
        # QLineEdit returns the x of its cursor; the marked position is as far from it as the text between them.
        metrics = self.fontMetrics()
        text = self.text()
        cursor = self.cursorRect()
        origin = cursor.center().x() - metrics.horizontalAdvance(text[: self.cursorPosition()])
        left = origin + metrics.horizontalAdvance(text[: self.marked])
        width = metrics.horizontalAdvance(text[self.marked : self.marked + 1] or "x")
        painter = QPainter(self)
        painter.setPen(QPen(self._colour, 2))
        y = cursor.bottom() - 0.5
        painter.drawLine(QPointF(left, y), QPointF(left + width, y))
        painter.end()
