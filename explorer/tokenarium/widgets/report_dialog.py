"""A notice with a text to copy: a fault and its report, or the news of a version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QFont, QGuiApplication, QTextOption
from PySide6.QtWidgets import QDialog, QLabel, QPlainTextEdit, QPushButton, QWidget

from tokenarium.style.controls import primary
from tokenarium.style.fonts import HEADING_SIZE, SMALL_SIZE, mono_font, ui_font
from tokenarium.style.theme import CARD_MARGIN, GRID
from tokenarium.widgets.announcing import announce
from tokenarium.widgets.layouts import STRETCH, Item, in_column, in_row
from tokenarium.widgets.message_bar import MessageSign
from tokenarium.widgets.panel import literal, named, secondary

SIZE = QSize(84 * GRID, 66 * GRID)
LEAST = QSize(52 * GRID, 24 * GRID)
"""Pixels: the first size, and the least one."""

COPIED_MS = 2_000
"""Milliseconds for which a button shows that the text was copied."""


@dataclass(frozen=True)
class NoticeButton:
    """A button: its text and its function. ``closes``: the dialog is closed first.

    ``usual``: Enter and Escape press it.
    """

    text: str
    run: Callable[[], object]
    tip: str = ""
    closes: bool = True
    usual: bool = False


class ReportDialog(QDialog):
    """A heading, a paragraph, a text that can be copied, and buttons, with those for the text at the left.

    Escape does what the usual button does.
    """

    def __init__(
        self,
        title: str,
        heading: str,
        sentence: str,
        caption: str,
        text: str,
        buttons: Sequence[NoticeButton],
        text_buttons: Sequence[NoticeButton] = (),
        copies: str = "Copy report",
        fault: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self._sign = MessageSign()
        self._sign.set_fault(fault)
        self.heading = literal(QLabel(heading, wordWrap=True))
        self.heading.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
        self.sentence = literal(QLabel(sentence, wordWrap=True))
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.caption = secondary(QLabel(caption, wordWrap=True))
        self.caption.setFont(ui_font(SMALL_SIZE))
        self.text = named(QPlainTextEdit(text, readOnly=True), caption)
        self.text.setFont(mono_font(SMALL_SIZE) if copies else ui_font(SMALL_SIZE))
        self.text.document().setDocumentMargin(GRID)
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.text.setTabChangesFocus(True)
        self._copies = copies
        self.copy_button = named(QPushButton(copies), copies)
        self.copy_button.setAutoDefault(False)
        self.copy_button.setMinimumWidth(self.copy_button.sizeHint().width())
        self.copy_button.clicked.connect(self.copy)
        for part in (self.caption, self.text):
            part.setVisible(bool(text))
        self._copied = QTimer(self, singleShot=True, interval=COPIED_MS)
        self._copied.timeout.connect(lambda: self.copy_button.setText(self._copies))
        self.buttons: dict[str, QPushButton] = {}
        self._usual: Callable[[], object] = lambda: None
        self._first: QWidget = self.text  # that has the focus
        row: list[Item] = [self.copy_button] if copies else []
        row += [self._made(spec) for spec in text_buttons]
        row += [STRETCH, *(self._made(spec) for spec in buttons)]
        in_column(
            in_row((self._sign, 0, Qt.AlignmentFlag.AlignTop), (self.heading, 1), spacing=GRID),
            GRID // 2,
            self.sentence,
            2 * GRID,
            self.caption,
            GRID // 2,
            (self.text, 1),
            2 * GRID if text else STRETCH,
            in_row(*row, spacing=GRID),
            into=self,
            margins=(CARD_MARGIN, CARD_MARGIN, CARD_MARGIN, CARD_MARGIN),
        )
        self.setMinimumSize(LEAST)
        room = parent.window().size() if parent is not None else SIZE
        size = SIZE if text else QSize(SIZE.width(), self.sizeHint().height())
        self.resize(size.boundedTo(room).expandedTo(LEAST))
        self._first.setFocus()  # after the layout is complete
        announce(self, f"{heading} {sentence}", urgent=fault)

    def _made(self, spec: NoticeButton) -> QPushButton:
        button = named(QPushButton(spec.text), spec.text, spec.tip)
        button.setAutoDefault(False)

        def press() -> None:
            if spec.closes:
                self.done(QDialog.DialogCode.Accepted)
            spec.run()

        button.clicked.connect(press)
        if spec.usual:
            primary(button)
            button.setDefault(True)
            self._usual = press
            self._first = button
        self.buttons[spec.text] = button
        return button

    def reject(self) -> None:
        """Does what the usual button does."""
        self._usual()
        if self.isVisible():
            super().reject()

    def copy(self) -> None:
        """Copies the text, and says so on the button for a moment."""
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.copy_button.setText("Copied")
        announce(self, "Copied")
        self._copied.start()

    def set_text(self, text: str) -> None:
        """Replaces the text, such as with a report of one more fault, without scrolling."""
        bar = self.text.verticalScrollBar()
        place = bar.value()
        self.text.setPlainText(text)
        bar.setValue(place)
