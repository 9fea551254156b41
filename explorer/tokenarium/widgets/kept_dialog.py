"""The texts that are kept for later: those of other windows, and of fields that no longer exist."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QTextOption
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from tokenarium.models.text.editor_text import shown_part
from tokenarium.models.text.qt_text import into_qt
from tokenarium.style.controls import primary
from tokenarium.style.theme import CARD_MARGIN, GRID
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import literal, named, secondary, size_within

SIZE = QSize(104 * GRID, 68 * GRID)
LIST_WIDTH = 40 * GRID
"""Pixels of the list of texts."""

COPIED_MS = 2_000
"""Milliseconds for which a button shows that the text was copied."""

ABOUT = (
    "What was typed in windows that were closed or ended, and in fields that are gone, and sessions that were set aside."
    " It stays here until you forget it; the oldest of more than 50 windows are removed."
)


NOT_HERE = (
    "Its text is too large to show here, or its session is damaged. “Open it” shows what is left."
)


@dataclass(frozen=True)
class KeptText:
    """A text: its origin and time, its beginning, and a function that returns all of it, or "" if impossible.

    ``open`` continues the window that it is from, None for a text alone; ``forget`` removes it.
    """

    title: str
    head: str
    text: Callable[[], str]
    open: Callable[[], object] | None
    forget: Callable[[], object]


class KeptDialog(QDialog):
    """A list of texts, the whole chosen text, and its actions. ``use`` makes a text the window's."""

    def __init__(self, use: Callable[[str], object], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Kept texts")
        self._use = use
        self._texts: list[KeptText] = []
        self._whole = (
            ""  # the chosen text, which the field may truncate or show with different line ends
        )
        self.about = secondary(QLabel(ABOUT, wordWrap=True))
        self.list = named(QListWidget(), "Kept texts")
        self.list.setWordWrap(True)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setFixedWidth(LIST_WIDTH)
        self.text = named(QPlainTextEdit(readOnly=True), "The text")
        self.text.setPlaceholderText(NOT_HERE)
        self.text.document().setDocumentMargin(GRID)
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.text.setTabChangesFocus(True)
        self.nothing = literal(QLabel("Nothing is kept.", alignment=Qt.AlignmentFlag.AlignCenter))
        self.open_button = self._button(
            "Open it", "Continues this window; what is shown now is kept here", self._open
        )
        self.use_button = self._button(
            "Use as the text",
            "Makes it the text of the window; undo brings the old text back",
            self._take,
        )
        self.copy_button = self._button("Copy", "Copies the whole text", self._copy)
        self.forget_button = self._button("Forget …", "Removes it from this computer", self._ask)
        self.close_button = primary(self._button("Close", "", self.reject))
        self._copied = QTimer(self, singleShot=True, interval=COPIED_MS)
        self._copied.timeout.connect(lambda: self.copy_button.setText("Copy"))
        self.box: QMessageBox | None = None
        self._middle = QWidget()
        in_row(self.list, (self.text, 1), into=self._middle, spacing=GRID)
        in_column(
            self.about,
            2 * GRID,
            (self._middle, 1),
            (self.nothing, 1),
            2 * GRID,
            in_row(
                self.open_button,
                self.use_button,
                self.copy_button,
                self.forget_button,
                STRETCH,
                self.close_button,
                spacing=GRID,
            ),
            into=self,
            margins=(CARD_MARGIN, CARD_MARGIN, CARD_MARGIN, CARD_MARGIN),
        )
        self.list.currentRowChanged.connect(self._show)
        self.resize(size_within(parent, SIZE.width(), SIZE.height()))

    def _button(self, text: str, tip: str, press: Callable[[], object]) -> QPushButton:
        button = named(QPushButton(text), text, tip)
        button.setAutoDefault(False)
        button.clicked.connect(press)
        return button

    def set_texts(self, texts: Sequence[KeptText]) -> None:
        """Shows texts; the first is chosen."""
        self._texts = list(texts)
        self.list.clear()
        for text in texts:
            self.list.addItem(QListWidgetItem(f"{text.title}\n{text.head}"))
        self._middle.setVisible(bool(texts))
        self.nothing.setVisible(not texts)
        self.list.setCurrentRow(0 if texts else -1)
        self._show(self.list.currentRow())

    @property
    def chosen(self) -> KeptText | None:
        """The current text."""
        row = self.list.currentRow()
        return self._texts[row] if 0 <= row < len(self._texts) else None

    def _show(self, _: int) -> None:
        chosen = self.chosen
        text = self._whole = chosen.text() if chosen is not None else ""
        self.text.setPlainText(into_qt(shown_part(text)))
        self.open_button.setVisible(chosen is not None and chosen.open is not None)
        self.forget_button.setEnabled(chosen is not None)
        for button in (self.use_button, self.copy_button):
            button.setEnabled(bool(text))

    def _open(self) -> None:
        chosen = self.chosen
        if chosen is not None and chosen.open is not None:
            self.accept()
            chosen.open()

    def _take(self) -> None:
        self.accept()
        self._use(self._whole)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(into_qt(self._whole))
        self.copy_button.setText("Copied")
        self._copied.start()

    def _ask(self) -> None:
        """Asks before a text is removed, as there is no other copy."""
        chosen = self.chosen
        if chosen is None:
            return
        box = self.box = QMessageBox(self)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Kept texts")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText("Remove this text from this computer?")
        box.setInformativeText(f"{chosen.title}: “{chosen.head}”")
        forget = box.addButton("Forget it", QMessageBox.ButtonRole.DestructiveRole)
        stay = box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(stay)
        box.setEscapeButton(stay)
        forget.clicked.connect(lambda: self._forget(chosen))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def _forget(self, chosen: KeptText) -> None:
        chosen.forget()
        self.set_texts([text for text in self._texts if text is not chosen])
