"""The editor of the text: a field, and buttons that replace the text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QGridLayout, QLabel, QTextEdit, QWidget

from tokenarium.models.text.direction import reads_right_to_left
from tokenarium.models.text.editor_text import (
    EditorText,
    fit_of,
    from_editor,
    to_editor,
)
from tokenarium.models.text.piece import counted
from tokenarium.models.text.text_map import TextMap
from tokenarium.style.appearance import Appearance
from tokenarium.style.fonts import LESSON_SIZE, mono_font, ui_font
from tokenarium.style.icons import icon
from tokenarium.style.theme import GRID, SMALL_CONTROL_HEIGHT
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import MARGIN, FlatButton, named, secondary
from tokenarium.widgets.text.bounded_field import refuse
from tokenarium.widgets.text.text_field import TextField

DIRECTED = 1_000
"""Characters at the beginning that decide the direction of the text."""

LARGE = 200_000
"""Characters: a larger pasted text is emitted first, and shown when it returns with its tables."""


SELECT_ALL = "This text cannot be edited here. To replace it, select all of it (Ctrl+A) and paste."

STILL_READ = "This text is long and is still being read: it can be edited in a moment. The workspaces show all of it."

AT_ONCE = 2_000_000
"""Characters: in the middle of a larger text, pasted text is shown when it is complete."""


class TextPanel(QWidget):
    """The text field, next to its buttons; ``counts`` is the size of the text, which is shown elsewhere."""

    edited = Signal(object)  # a TextMap: the text after the edit
    pasted = Signal(
        object
    )  # a large text including the pasted part, as a str, of which Qt would take a byte order mark
    selected = Signal(int, int)  # characters
    files_dropped = Signal(list)  # of Path
    folded = Signal()  # the editor is no longer needed
    pin_wanted = Signal(bool)  # whether it stays above the tokens

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Text")
        self.field = TextField()
        self.field.setFont(ui_font(LESSON_SIZE))
        self.note = QLabel(wordWrap=True)
        self.note.setContentsMargins(MARGIN, GRID // 2, GRID, GRID // 2)
        self.note.hide()
        self.controls: list[QWidget] = []
        self._buttons = QGridLayout()
        self._buttons.setContentsMargins(0, GRID // 2, GRID // 2, 0)
        self._buttons.setSpacing(2)
        self.pin = _small_button("push-pin", "Pin the text above the tokens")
        self.pin.setCheckable(True)
        self.pin.clicked.connect(self.pin_wanted)
        self.fold = _small_button("x", "Fold the editor (Esc)")
        self.fold.clicked.connect(self.folded)
        beside = in_column(self._buttons, (None, 1))
        columns = in_row((self.field, 1), beside)
        in_column(self.note, (columns, 1), into=self)
        self.counts = named(secondary(QLabel()), "Size of the text")
        self._text = TextMap("")  # what the field shows, or the beginning of
        self._changes: list[tuple[int, int, int]] = []  # of the field, in UTF-16, not emitted yet
        self._awaited = (
            "",
            0,
        )  # a large text after a paste, and the character after the pasted part
        self._marked = (0, 0, QColor())
        self._behind = False  # the field has changed, but not emitted it yet
        self._show_size()
        self.field.document().contentsChange.connect(self._fall_behind)
        self.field.textChanged.connect(self._take_edit)
        self.field.selectionChanged.connect(self._take_selection)
        self.field.pasted.connect(self._take_paste)
        self.field.files_dropped.connect(self.files_dropped)
        self.field.filled.connect(self._take_filled)

    def set_actions(self, actions: Sequence[QAction]) -> None:
        """Adds buttons with the icons of actions."""
        for action in actions:
            button = _small_button("x", action.text().replace("&", ""))
            button.setDefaultAction(action)
            self.controls.append(button)
        self.controls += [self.pin, self.fold]
        for index, control in enumerate(self.controls):
            self._buttons.addWidget(control, index // 2, index % 2)

    def show_pinned(self, pinned: bool) -> None:
        """Shows whether the editor stays above the tokens."""
        self.pin.setChecked(pinned)
        self.pin.setToolTip(
            "Fold the text to the line above" if pinned else "Pin the text above the tokens"
        )

    def follow_letters(self, appearance: Appearance) -> None:
        """Uses the font for code while the text is shown in it, now and later."""

        def show() -> None:
            fixed = appearance.fixed_width
            self.field.setFont(mono_font(LESSON_SIZE - 1) if fixed else ui_font(LESSON_SIZE))

        appearance.letters_changed.connect(show)
        show()

    def set_text(self, text_map: TextMap) -> None:
        """Shows a text; does nothing if it is already shown."""
        shown, self._text = self._text, text_map
        if text_map is shown:
            return
        if not text_map.has_text_of(shown):
            awaited, cursor = self._awaited
            self._awaited = "", 0
            fit = fit_of(text_map)
            is_awaited = text_map.is_map_of(awaited)
            self._show(fit, cursor if is_awaited else 0)
            if (
                is_awaited and cursor < text_map.char_count <= AT_ONCE
            ):  # otherwise the beginning is read first
                self.field.finish()
                self.field.ensureCursorVisible()
        self._show_size()

    def _show(self, fit: EditorText, cursor: int) -> None:
        """Shows a text as far as it fits, with the cursor at one of its characters."""
        self.note.setText(f"{fit.why_not} The workspaces show all of it." if fit.why_not else "")
        self.note.setVisible(not fit.editable)
        self.field.setReadOnly(not fit.editable)
        self.field.fill(fit, self._utf16(cursor) if fit.editable else 0)
        if self.field.waits:
            self.note.setText(STILL_READ)
            self.note.show()
        self._behind = False

    def _take_filled(self) -> None:
        if self.note.text() == STILL_READ:
            self.note.hide()
        self._behind = False
        self._changes.clear()
        self.mark(*self._marked)

    @property
    def caret(self) -> int:
        """The character after the cursor."""
        return self._character(self.field.textCursor().position())

    @property
    def selection(self) -> tuple[int, int]:
        """The selected characters of the field: the first, and the one after the last."""
        cursor = self.field.textCursor()
        return self._character(cursor.selectionStart()), self._character(cursor.selectionEnd())

    def _character(self, utf16: int) -> int:
        """The character at a place of the field, which counts in UTF-16."""
        place = min(utf16, self._text.utf16_count)
        return int(self._text.utf16_to_char(place))

    def _utf16(self, character: int) -> int:
        return int(self._text.char_to_utf16(min(character, self._text.char_count)))

    def mark(self, start: int, end: int, colour: QColor) -> None:
        """Highlights characters of the text; an empty range highlights none."""
        self._marked = start, end, colour
        marks = []
        if end > start and not self.field.isReadOnly() and not self.field.filling:
            mark = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.field.document())
            cursor.setPosition(self._utf16(start))
            cursor.setPosition(self._utf16(end), QTextCursor.MoveMode.KeepAnchor)
            style = QTextCharFormat()
            style.setBackground(colour)
            mark.cursor = cursor
            mark.format = style
            marks.append(mark)
        self.field.setExtraSelections(marks)

    def _fall_behind(self, position: int, removed: int, added: int) -> None:
        self._behind = True
        self._changes.append((position, removed, added))

    def _take_edit(self) -> None:
        self._behind = False
        changes, self._changes = self._changes, []
        if self.field.isReadOnly():
            return
        text = self._spliced(*changes[0]) if len(changes) == 1 else None
        if text is None:
            whole = from_editor(self.field.document().toRawText())
            text = self._text if whole == self._text.text else self._text.edited(whole)
        if text is not self._text:
            self._text = text
            self._show_size()
            self.edited.emit(text)

    def _spliced(self, position: int, removed: int, added: int) -> TextMap | None:
        """The text after one change of the field, which counts in UTF-16; None if all of it must be read.

        Reading a megabyte needs a quarter of a frame.
        """
        known, document = self._text, self.field.document()
        if self.field.filling:
            return None
        if (
            position + removed > known.utf16_count
            or document.characterCount() - 1 != known.utf16_count - removed + added
        ):
            return None
        cursor = QTextCursor(document)
        cursor.setPosition(position)
        cursor.setPosition(position + added, QTextCursor.MoveMode.KeepAnchor)
        piece = from_editor(cursor.selectedText())
        first, last = known.utf16_to_char([position, position + removed]).tolist()
        return known if known.part(first, last) == piece else known.replaced(first, last, piece)

    def _take_paste(self, pasted: str) -> None:
        """Pastes a text that may be too large for the field."""
        cursor = self.field.textCursor()
        if self.field.isReadOnly():
            shown = self.field.document().characterCount() - 1
            if cursor.selectionEnd() - cursor.selectionStart() == shown:
                self.pasted.emit(pasted)
            else:
                refuse(self.field, STILL_READ if self.field.waits else SELECT_ALL)
            return
        start, end = self.selection
        whole = self._text.text[:start] + pasted + self._text.text[end:]
        if len(pasted) > LARGE or not to_editor(whole).editable:
            self._awaited = whole, start + len(pasted)
            self.pasted.emit(whole)
            return
        cursor.insertText(to_editor(pasted).shown)
        self.field.setTextCursor(cursor)
        self.field.ensureCursorVisible()

    def _take_selection(self) -> None:
        # Qt emits the selection after an edit before the edit itself, which clears it.
        if self.field.isReadOnly() or self._behind:
            return
        self.selected.emit(*self.selection)

    def _show_size(self) -> None:
        """Shows the size of the text, and aligns the text by the direction of its first letters."""
        text = self._text
        self.field.start_at_right(reads_right_to_left([text.part(0, DIRECTED)]))
        lines = counted(text.line_feeds + 1 if text.byte_count else 0, "line")
        characters = counted(text.char_count, "character")
        self.counts.setText(f"{characters} · {counted(text.byte_count, 'byte')}")
        self.counts.setToolTip(
            f"{lines}. Characters are Unicode code points; bytes are those of UTF-8"
        )


def _small_button(glyph: str, name: str) -> FlatButton:
    button = named(FlatButton(), name, name)
    button.setIcon(icon(glyph, filled=True))
    button.setIconSize(QSize(16, 16))
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setFixedSize(SMALL_CONTROL_HEIGHT, SMALL_CONTROL_HEIGHT)
    return button
