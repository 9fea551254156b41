"""The editor of a lesson: a form and its Markdown side by side, above its faults with their lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QFont,
    QKeySequence,
    QPalette,
    QResizeEvent,
    QShortcut,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import (
    QDialog,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMessageBox,
    QTextEdit,
    QWidget,
)

from tokenarium.style.fonts import HEADING_SIZE, TEXT_SIZE, mono_font, ui_font
from tokenarium.style.theme import CARD_MARGIN, GRID
from tokenarium.style.themed import theme_of
from tokenarium.widgets.announcing import announce
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.lesson_form import LessonForm
from tokenarium.widgets.panel import ElidedLabel, named, secondary, size_within
from tokenarium.widgets.rail import Rail
from tokenarium.widgets.segmented import Segmented
from tokenarium.widgets.text.bounded_field import BoundedField

SIZE = QSize(150 * GRID, 92 * GRID)
WIDE = 116 * GRID
FAULTS_HEIGHT = 9 * GRID
"""Pixels: the first size of the dialog, the width from which both sides fit, and the height of the list of faults."""

FORM, BOTH, MARKDOWN = range(3)
"""What is shown."""

STRIP_WIDTH = 66 * GRID
"""Pixels of the dialog while it records."""

RECORDS = "What you change in the window is written into this step."

NOT_KEPT = "This file has line ends or characters that an editor cannot keep. They are replaced when you save it."

CHECK_MS = 350
"""Milliseconds after the last change until a lesson is checked."""

LOOK_MS = 10
"""Milliseconds between updates of the faults during a check."""

MOST_SHOWN = 200
"""The most faults that are listed."""

Finding = tuple[int, str]
"""A line number from 1, and a sentence."""


class RecordingStrip(QWidget):
    """What the editor is while it records or shows a step: the step, what was written last, and a button that ends it."""

    def __init__(self) -> None:
        super().__init__()
        self.step = ElidedLabel()
        self.step.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        self.written = named(secondary(QLabel(wordWrap=True)), "Recorded")
        self.stop = GlyphButton("Stop recording", "stop", "primary")
        words = in_column(self.step, self.written, spacing=GRID // 2)
        in_row((words, 1), self.stop, into=self, spacing=2 * GRID)

    def sizeHint(self) -> QSize:
        return QSize(STRIP_WIDTH, super().sizeHint().height())

    def begin(self, step: str, records: bool) -> None:
        """Shows the step that is recorded, or only shown."""
        self.step.setText(f"{'Recording' if records else 'Showing'} “{step}”")
        self.written.setText(
            RECORDS if records else "The window shows this step as readers see it."
        )
        self.stop.setText("Stop recording" if records else "Back to the editor")

    def tell(self, keys: Sequence[str]) -> None:
        """Shows which values of the scene were written."""
        self.written.setText(f"Written: {', '.join(keys)}.")
        announce(self, self.written.text())


class LessonEditor(QDialog):
    """Edits a lesson as a form and as Markdown; ``check`` yields its faults, a step at a time.

    ``save`` writes a source and returns whether it was written. Closing asks what to do with changes.
    """

    show_wanted = Signal(int)  # the line of the cursor
    view_wanted = Signal()
    left = Signal()

    def __init__(
        self,
        check: Callable[[str], Iterator[Sequence[Finding]]],
        save: Callable[[str], bool],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._check, self._save = check, save
        self._checking: Iterator[Sequence[Finding]] | None = None
        self._found: list[Finding] = []
        self._asks = True
        self._by_form = False
        self.setWindowTitle("Edit a lesson")
        self.name = ElidedLabel()
        self.name.setFont(ui_font(HEADING_SIZE))
        self.note = secondary(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText))
        self.warning = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.warning.setForegroundRole(QPalette.ColorRole.BrightText)
        self.warning.hide()
        self.place = secondary(QLabel(textFormat=Qt.TextFormat.PlainText))
        self.source = named(BoundedField(), "The lesson, as Markdown")
        self.source.setFont(mono_font(TEXT_SIZE))
        self.source.setTabChangesFocus(False)
        self.verdict = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.verdict.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.list = named(QListWidget(), "What is wrong")
        self.list.setWordWrap(True)
        self.list.setFrameShape(QListWidget.Shape.NoFrame)
        self.save_button = GlyphButton("Save", "floppy-disk", "primary")
        self.show_button = GlyphButton("Show this step", "eye")
        self.view_button = GlyphButton("Add this view as a step", "plus")
        close = GlyphButton("Close", "x", "quiet")
        self.list.setMaximumHeight(FAULTS_HEIGHT)
        self.form = LessonForm()
        self.views = named(Segmented(("Form", "Both", "Markdown")), "What is shown")
        self._view = BOTH
        self.views.chosen.connect(self.show_view)
        self._whole = QWidget()
        self.strip = RecordingStrip()
        self._unfolded: QRect | None = None  # where the dialog is while it does not record
        in_column(
            in_row((self.name, 1), self.views, (self.place, 1, Qt.AlignmentFlag.AlignRight)),
            self.note,
            self.warning,
            (in_row((self.form, 1), (self.source, 1), spacing=GRID), 1),
            self.verdict,
            self.list,
            in_row(
                self.view_button, self.show_button, STRETCH, close, self.save_button, spacing=GRID
            ),
            into=self._whole,
            spacing=CARD_MARGIN // 2,
        )
        in_column((self._whole, 1), self.strip, into=self, margins=CARD_MARGIN)
        self.strip.hide()
        self.resize(SIZE if parent is None else size_within(parent, SIZE.width(), SIZE.height()))
        self._fit()
        self._soon = QTimer(self, singleShot=True, interval=CHECK_MS)
        self._soon.timeout.connect(self._begin_check)
        self._next = QTimer(self, interval=LOOK_MS)
        self._next.timeout.connect(self._check_on)
        self.source.textChanged.connect(self._soon.start)
        self.source.textChanged.connect(self._follow)
        self.source.cursorPositionChanged.connect(self._show_place)
        self.form.written.connect(self._write)
        self.form.record.toggled.connect(self._follow_recording)
        self.strip.stop.clicked.connect(self._unfold)
        self.form.step_chosen.connect(lambda _: self.go_to_line(self.form.line))
        self.source.document().modificationChanged.connect(self._show_changed)
        self.list.itemActivated.connect(self._go_to)
        self.list.itemClicked.connect(self._go_to)
        self.save_button.clicked.connect(self.save)
        self.show_button.clicked.connect(lambda: self.show_wanted.emit(self.line))
        self.view_button.clicked.connect(self.view_wanted)
        close.clicked.connect(self.close)
        QShortcut(QKeySequence.StandardKey.Save, self, self.save)
        QShortcut(QKeySequence.StandardKey.Undo, self, self.source.undo)
        QShortcut(QKeySequence.StandardKey.Redo, self, self.source.redo)
        QShortcut(QKeySequence("Ctrl+Return"), self, lambda: self.show_wanted.emit(self.line))

    def edit(self, name: str, source: str, note: str = "", changed: bool = False) -> None:
        """Edits a lesson; ``note`` says what saving does, ``changed``: whether it has unsaved changes."""
        self.name.setText(name)
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self.source.setPlainText(source)
        self.warning.setText("" if self.text == source else NOT_KEPT)
        self.warning.setVisible(self.text != source)
        self.form.show_source(self.text, 0)
        self.source.document().setModified(changed)
        self._show_changed()
        self._soon.stop()
        self._begin_check()

    def warn(self, sentence: str) -> None:
        """Shows a sentence about a problem above the text until the lesson is saved."""
        self.warning.setText(sentence)
        self.warning.setVisible(bool(sentence))
        announce(self, sentence, urgent=True)

    @property
    def text(self) -> str:
        """The current source."""
        return self.source.plain_text()

    @property
    def line(self) -> int:
        """The line number of the cursor, from 1."""
        return self.source.textCursor().blockNumber() + 1

    def replace(self, source: str) -> None:
        """Replaces the source, as one step that can be undone."""
        self.source.replace_changed(source)
        self.go_to_line(self.source.blockCount())

    def go_to_line(self, line: int) -> None:
        """Moves the cursor to a line."""
        block = self.source.document().findBlockByNumber(max(0, line - 1))
        if block.isValid():
            self.source.setTextCursor(QTextCursor(block))
            self.source.centerCursor()

    @property
    def changed(self) -> bool:
        """Whether there is something to save."""
        return self.source.document().isModified()

    def save(self) -> bool:
        """Saves the lesson; returns whether it was saved."""
        if not self._save(self.text):
            return False
        self.source.document().setModified(False)
        self.warning.hide()
        return True

    # The form and the Markdown.

    def show_view(self, view: int) -> None:
        """Shows the form, the Markdown, or both if there is room for them."""
        self._view = view
        self._fit()

    def _fit(self) -> None:
        wide = self.width() >= WIDE
        view = FORM if self._view == BOTH and not wide else self._view
        if wide:
            self.views.setTabVisible(BOTH, True)
        self.views.choose(view)
        if not wide:  # afterwards: Qt would choose another one instead of a hidden one
            self.views.setTabVisible(BOTH, False)
        self.form.setVisible(view != MARKDOWN)
        self.source.setVisible(view != FORM)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _write(self, source: str) -> None:
        """Writes what the form changed into the Markdown, as a step that can be undone."""
        self._by_form = True
        self.source.replace_changed(source)
        self._by_form = False

    def _follow(self) -> None:
        if not self._by_form:
            self.form.follow(self.text, self.line)

    def show_window(self) -> None:
        """Makes room for the step that the window shows, if the editor covers most of it."""
        window = self.parentWidget()
        if window is None or self._unfolded is not None:
            return
        covered = window.frameGeometry().intersected(self.frameGeometry()).size()
        if 2 * covered.width() * covered.height() > window.width() * window.height():
            self._fold(True)

    def _unfold(self) -> None:
        self.form.record.setChecked(False)
        self._fold(False)

    def _follow_recording(self) -> None:
        self._fold(self.form.record.isChecked())  # now: a step with a fault ends it at once

    def _fold(self, folded: bool) -> None:
        """Makes room for the window while its view is recorded or looked at, and comes back afterwards."""
        if folded == (self._unfolded is not None):
            return
        self._whole.setVisible(not folded)
        self.strip.setVisible(folded)
        if folded:
            self._unfolded = self.geometry()
            frame = self.frameGeometry().height() - self.height()
            self.strip.begin(self.form.title, self.form.record.isChecked())
            window = self.parentWidget()
            self.resize(self.strip.sizeHint() + QSize(2 * CARD_MARGIN, 2 * CARD_MARGIN))
            if window is not None:  # at its foot, beside the rail, where the least is covered
                rail = window.findChild(Rail)
                left = GRID if rail is None else rail.width() + GRID
                foot = window.mapToGlobal(window.rect().bottomLeft())
                self.move(foot + QPoint(left, -self.height() - frame - GRID))
        elif self._unfolded is not None:
            self.setGeometry(self._unfolded)
            self._unfolded = None

    # Faults.

    def _begin_check(self) -> None:
        self._found = []
        self._checking = self._check(self.text)
        self._next.start()

    def _check_on(self) -> None:
        fault = next(self._checking, None) if self._checking is not None else None
        if fault is not None:
            self._found += fault
            return
        self._next.stop()
        self._checking = None
        self._show_found()

    @property
    def checking(self) -> bool:
        """Whether a check is not finished."""
        return self._checking is not None or self._soon.isActive()

    @property
    def faults(self) -> list[Finding]:
        """The faults found so far."""
        return self._found

    def _show_found(self) -> None:
        self.list.clear()
        selections = []
        for line, listed in self._found[:MOST_SHOWN]:
            item = QListWidgetItem(f"Line {line}: {listed}")
            item.setData(Qt.ItemDataRole.UserRole, line)
            self.list.addItem(item)
            block = self.source.document().findBlockByNumber(line - 1)
            if block.isValid():
                selection = QTextEdit.ExtraSelection()
                selection.cursor = QTextCursor(block)
                selection.format.setBackground(theme_of(self).bad_ground)
                selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
                selections.append(selection)
        self.source.setExtraSelections(selections)
        count = len(self._found)
        self.form.show_faults([line for line, _ in self._found])
        self.list.setVisible(count > 0)
        self.verdict.setText(
            f"{count} fault{'s' * (count > 1)}. Click one to go to its line."
            if count
            else "No faults: the format is valid, and all answers have values."
        )

    def _go_to(self, item: QListWidgetItem) -> None:
        self.go_to_line(int(item.data(Qt.ItemDataRole.UserRole)))
        if self.source.isVisible():
            self.source.setFocus()
        self._follow()

    def _show_place(self) -> None:
        self.place.setText(f"Line {self.line}")
        if self.source.hasFocus():
            self._follow()

    def _show_changed(self) -> None:
        self.save_button.setEnabled(self.changed)
        self.setWindowTitle(f"{'*' if self.changed else ''}{self.name.text()} · Edit a lesson")

    # Leaving.

    def may_close(self) -> bool:
        """Asks what to do with changes; returns False if the user stays."""
        if not self.changed:
            return True
        buttons = QMessageBox.StandardButton
        answer = QMessageBox.question(
            self,
            "Edit a lesson",
            f"Save the changes of “{self.name.text()}”?",
            buttons.Save | buttons.Discard | buttons.Cancel,
            buttons.Save,
        )
        if answer == buttons.Save:
            return self.save()
        return answer == buttons.Discard

    def reject(self) -> None:
        """Escape closes the dialog as the button does."""
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._asks and not self.may_close():
            event.ignore()
            return
        self._next.stop()
        self._soon.stop()
        self.form.stop()
        event.accept()  # the dialog's own would call `reject`
        self.left.emit()

    def close_now(self) -> None:
        """Closes the dialog without the question, which was already answered."""
        self._asks = False
        self.close()
