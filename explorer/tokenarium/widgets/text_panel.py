"""The text that is cut: a field to write in, with files and samples at hand."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QSignalBlocker, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QDragEnterEvent,
    QDropEvent,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QLabel,
    QPlainTextEdit,
    QTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from tokenarium.models.editor_text import (
    EditorText,
    character_offset,
    from_editor,
    to_editor,
    utf16_offset,
)
from tokenarium.theme import GRID
from tokenarium.widgets.panel import MARGIN, Panel, secondary, tool_button
from tokenarium.widgets.shortcut_first import ShortcutFirst

UNDOABLE = 200_000
"""Characters: a larger text replaces the old one for good, as Qt's undo would keep both."""


class TextPanel(Panel):
    """The text field under a head line with buttons and counts."""

    edited = Signal(object)  # the text: as a str, Qt would take a byte order mark from it
    selected = Signal(int, int)  # characters
    files_dropped = Signal(list)  # of Path

    def __init__(self, parent: QWidget | None = None) -> None:
        self.field = TextField()
        self.note = QLabel()
        self.note.setContentsMargins(MARGIN, GRID // 2, GRID, GRID // 2)
        self.note.setWordWrap(True)
        self.note.hide()
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.note)
        layout.addWidget(self.field, 1)
        super().__init__("Text", body, parent)
        self.counts = secondary(QLabel())
        self.counts.setAccessibleName("Size of the text")
        self._text = ""
        self._show_counts()
        self.field.textChanged.connect(self._take_edit)
        self.field.selectionChanged.connect(self._take_selection)
        self.field.pasted.connect(self._take_paste)
        self.field.files_dropped.connect(self.files_dropped)

    def set_actions(self, samples: QToolButton, actions: list[tuple[QAction, str]]) -> None:
        """Puts the sample menu and the buttons into the head line, with their short texts."""
        self.add_left(samples)
        for action, text in actions:
            self.add_left(tool_button(action, text))
        self.add_right(self.counts)

    def set_text(self, text: str) -> None:
        """Shows a text; does nothing when it is the one that is shown."""
        if text != self._text:
            self._show(text, to_editor(text))

    def _show(self, text: str, fit: EditorText) -> None:
        self._text = text
        self.note.setText(f"{fit.why_not} The workspaces show all of it." if fit.why_not else "")
        self.note.setVisible(not fit.editable)
        self.field.setReadOnly(not fit.editable)
        with QSignalBlocker(self.field):
            if fit.editable and len(text) <= UNDOABLE:
                cursor = QTextCursor(self.field.document())
                cursor.select(QTextCursor.SelectionType.Document)
                cursor.insertText(fit.shown)
                self.field.moveCursor(QTextCursor.MoveOperation.Start)
            else:
                self.field.setPlainText(fit.shown)
        self._show_counts()

    def mark(self, start: int, end: int, colour: QColor) -> None:
        """Lights characters of the text; an empty range lights none."""
        marks = []
        if end > start and not self.field.isReadOnly():
            mark = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.field.document())
            cursor.setPosition(utf16_offset(self._text, start))
            cursor.setPosition(utf16_offset(self._text, end), QTextCursor.MoveMode.KeepAnchor)
            style = QTextCharFormat()
            style.setBackground(colour)
            mark.cursor = cursor
            mark.format = style
            marks.append(mark)
        self.field.setExtraSelections(marks)

    def _take_edit(self) -> None:
        if self.field.isReadOnly():
            return
        text = from_editor(self.field.document().toRawText())
        if text != self._text:
            self._text = text
            self._show_counts()
            self.edited.emit(text)

    def _take_paste(self, pasted: str) -> None:
        """Pastes what the field itself may not be able to hold."""
        if self.field.isReadOnly():
            return
        cursor = self.field.textCursor()
        start = character_offset(self._text, cursor.selectionStart())
        end = character_offset(self._text, cursor.selectionEnd())
        whole = self._text[:start] + pasted + self._text[end:]
        fit = to_editor(whole)
        if fit.editable and len(pasted) <= UNDOABLE:
            cursor.insertText(to_editor(pasted).shown)
            self.field.setTextCursor(cursor)
            self.field.ensureCursorVisible()
        else:
            self._show(whole, fit)
            self._move_cursor(start + len(pasted))
            self.edited.emit(whole)

    def _move_cursor(self, character: int) -> None:
        if not self.field.isReadOnly():
            cursor = self.field.textCursor()
            cursor.setPosition(utf16_offset(self._text, character))
            self.field.setTextCursor(cursor)

    def _take_selection(self) -> None:
        if self.field.isReadOnly():
            return
        cursor = self.field.textCursor()
        start = character_offset(self._text, cursor.selectionStart())
        end = character_offset(self._text, cursor.selectionEnd())
        self.selected.emit(start, end)

    def _show_counts(self) -> None:
        text = self._text
        size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        lines = text.count("\n") + 1 if text else 0
        self.counts.setText(
            f"{_counted(len(text), 'character')} · {_counted(size, 'byte')} · "
            f"{_counted(lines, 'line')}"
        )
        self.counts.setToolTip("Unicode code points · bytes in UTF-8 · lines (line feeds + 1)")


class TextField(QPlainTextEdit):
    """A plain text field that lets the app's own keys pass, and reports pastes and dropped files."""

    pasted = Signal(object)  # the text
    files_dropped = Signal(list)  # of Path

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Text to be cut into tokens")
        self.setPlaceholderText("Type, paste or drop a text here, or choose a sample above")
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setTabChangesFocus(False)
        self.document().setDocumentMargin(MARGIN)
        self._keys = ShortcutFirst(self)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasUrls() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        paths = local_files(source)
        if paths:
            self.files_dropped.emit(paths)
        elif source.hasText():
            self.pasted.emit(source.text())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        paths = local_files(event.mimeData())
        if paths:
            event.acceptProposedAction()
            self.files_dropped.emit(paths)
        else:
            super().dropEvent(event)


def local_files(data: QMimeData) -> list[Path]:
    """Returns the files on this computer that were dragged or copied."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


def _counted(number: int, unit: str) -> str:
    return f"{number:,} {unit}{'' if number == 1 else 's'}"
