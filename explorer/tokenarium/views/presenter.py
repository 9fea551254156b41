"""The window that only the presenter sees: notes, the answer, and what comes next, while others see the stage."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Protocol

from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QFont,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QResizeEvent,
    QScreen,
    QShowEvent,
)
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QSizePolicy, QWidget

from tokenarium.style.fonts import (
    HEADING_SIZE,
    READING_SIZE,
    TITLE_SIZE,
    number_font,
    ui_font,
)
from tokenarium.style.theme import CARD_GAP, GRID, PAGE_MARGIN
from tokenarium.views.decks import Deck
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import ElidedLabel, named, secondary, small_heading

SIZE = QSize(112 * GRID, 72 * GRID)
TICK_MS = 500
PICTURE_MS = 250
"""Milliseconds after which a picture of the stage follows it."""

WIDE = 16 / 9
"""The aspect ratio of the room for it."""

NO_NOTES = "There are no notes for this step. The notes of a lesson are in its file."
LAST = "This is the last step."


def elapsed(seconds: float) -> str:
    """Returns a time as a clock shows it.

    >>> elapsed(65), elapsed(3725)
    ('1:05', '1:02:05')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Presents(Protocol):
    """The presentation, as far as the presenter's window needs it."""

    began: float
    """The start of the presentation, by `time.monotonic`."""

    @property
    def deck(self) -> Deck:
        """The deck that is presented."""

    @property
    def asks(self) -> bool:
        """Whether questions are asked before the steps."""

    @property
    def is_black(self) -> bool:
        """Whether the screen is black."""

    @property
    def has_other_screen(self) -> bool:
        """Whether there is a second screen."""

    def picture(self, room: QSize, ratio: float) -> QPixmap:
        """Returns a picture of the stage, as large as fits ``room``; ``ratio``: device pixels per pixel."""

    def go_on(self) -> None:
        """Continues."""

    def go_back(self) -> None:
        """Goes back a step."""

    def reveal(self) -> None:
        """Shows the answer to the question."""

    def switch_black(self) -> None:
        """Makes the screen black, or shows the picture again."""

    def switch_questions(self) -> None:
        """Turns the questions before the steps on or off."""

    def swap_screens(self) -> None:
        """Swaps the two windows."""

    def take_key(self, key: Qt.Key) -> bool:
        """Handles a key; returns whether it has a meaning."""

    def close(self) -> bool:
        """Ends the presentation."""


class PresenterWindow(QWidget):
    """Follows a presentation and controls it with the same keys, and buttons. `follow` shows its step."""

    closed = Signal()

    def __init__(self, shown: Presents) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)
        self.setWindowTitle("Tokenarium: for the presenter")
        self.setAccessibleName("For the presenter")
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self._shown = shown
        self.picture = StagePicture(shown.picture)
        self.title = named(ElidedLabel(), "Title")
        self.title.setFont(ui_font(TITLE_SIZE, QFont.Weight.DemiBold))
        self.place = secondary(QLabel())
        self.time = named(QLabel(), "Elapsed time", "Time since the presentation began")
        self.time.setFont(number_font(TITLE_SIZE, QFont.Weight.DemiBold))
        self.covered = QLabel("The screen is black: B shows it again.")
        self.covered.setForegroundRole(QPalette.ColorRole.BrightText)
        self.now = self._words(READING_SIZE, "What happens now")
        self.asked = self._words(HEADING_SIZE, "The question")
        self.answer = self._words(HEADING_SIZE, "Its answer")
        self.coming = self._words(HEADING_SIZE, "What comes next")
        self.notes = named(QPlainTextEdit(readOnly=True), "Notes")
        self.notes.setFont(ui_font(HEADING_SIZE))
        self.notes.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.notes.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.notes.setPlaceholderText(NO_NOTES)
        self.buttons = {
            text: self._button(text, tip, run)
            for text, tip, run in (
                ("Back", "←, Page Up", shown.go_back),
                ("Next", "Space, →, Page Down", shown.go_on),
                ("Reveal", "R", shown.reveal),
                ("Black", "B", shown.switch_black),
                ("Questions", "Q: asks before the steps", shown.switch_questions),
                ("Swap screens", "S", shown.swap_screens),
                ("End", "Esc", shown.close),
            )
        }
        self.buttons["Next"].setProperty("kind", "primary")
        self.buttons["Questions"].setCheckable(True)
        self._build()
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self._show_time)
        self._tick.start()
        self.resize(SIZE)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._show_time()
        self.follow()

    def _words(self, size: int, name: str) -> QLabel:
        label = named(QLabel(wordWrap=True), name)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setFont(ui_font(size))
        return label

    def _button(self, text: str, tip: str, run: Callable[[], object]) -> QPushButton:
        button = named(QPushButton(text), text, tip)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keys are those of the presentation
        button.clicked.connect(lambda _=False: run())
        return button

    def _build(self) -> None:
        head = in_row((self.title, 1), self.place, 2 * GRID, self.time, spacing=GRID)
        self._question = QWidget()
        in_column(
            small_heading("Question"), self.asked, self.answer, into=self._question, spacing=4
        )
        left = in_column(
            small_heading("Now"),
            self.now,
            GRID,
            self._question,
            GRID,
            small_heading("Next"),
            self.coming,
            STRETCH,
            spacing=4,
        )
        right = in_column(
            small_heading("The audience sees"),
            self.picture,
            GRID,
            small_heading("Notes"),
            (self.notes, 1),
            spacing=4,
        )
        body = in_row((left, 3), (right, 2), spacing=3 * GRID)
        buttons = in_row(*self.buttons.values(), spacing=GRID)
        buttons.insertStretch(2, 1)
        in_column(
            head,
            self.covered,
            (body, 1),
            buttons,
            into=self,
            spacing=CARD_GAP,
            margins=PAGE_MARGIN,
        )

    def put_on(self, screen: QScreen) -> None:
        """Shows the window in the middle of a screen."""
        room = screen.availableGeometry()
        size = self.size().boundedTo(room.size())
        place = QRect(room.topLeft(), size)
        place.moveCenter(room.center())
        self.setScreen(screen)
        self.setGeometry(place)

    def follow(self) -> None:
        """Shows the step of the presentation."""
        shown, deck = self._shown, self._shown.deck
        self.title.setText(deck.title)
        self.place.setText(deck.step_label)
        self.covered.setVisible(shown.is_black)
        question = deck.question
        self._question.setVisible(question is not None or bool(deck.answer))
        if question is not None:
            self.asked.setText(question.title)
            key = f" (key {question.right + 1})" if question.right >= 0 else ""
            self.answer.setText(f"Answer{key}: {deck.answer}" if deck.answer else "")
        else:
            self.asked.setText("")
            self.answer.setText(deck.answer)
        self.now.setText(deck.now)
        self.coming.setText(deck.following() or (LAST if deck.position >= deck.length else ""))
        self.notes.setPlainText(deck.notes)
        self.picture.follow()
        self.buttons["Reveal"].setEnabled(deck.hides_something)
        self.buttons["Questions"].setChecked(shown.asks)
        self.buttons["Swap screens"].setVisible(shown.has_other_screen)
        for text in ("Back", "Next"):
            self.buttons[text].setEnabled(deck.length > 0)

    def _show_time(self) -> None:
        self.time.setText(elapsed(monotonic() - self._shown.began))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._shown.take_key(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self._tick.stop()
        self.picture.stop()
        self.closed.emit()


class StagePicture(QWidget):
    """A small picture of the stage, updated some time after `follow`, however often that is called.

    ``take`` returns it for a size in pixels, and a number of device pixels per pixel.
    """

    def __init__(self, take: Callable[[QSize, float], QPixmap]) -> None:
        super().__init__()
        self.shown = QPixmap()
        self._take = take
        self._soon = QTimer(self, singleShot=True, interval=PICTURE_MS)
        self._soon.timeout.connect(self._refresh)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMinimumWidth(20 * GRID)
        named(self, "What the audience sees")

    def sizeHint(self) -> QSize:
        return QSize(40 * GRID, self.heightForWidth(40 * GRID))

    def heightForWidth(self, width: int) -> int:
        return round(width / WIDE)

    def follow(self) -> None:
        """Updates the picture soon, while the window is open."""
        if not self._soon.isActive() and self.isVisible() and not self.window().isMinimized():
            self._soon.start()

    def stop(self) -> None:
        """Takes no more pictures."""
        self._soon.stop()

    def _refresh(self) -> None:
        self.shown = self._take(self.size(), self.devicePixelRatioF())
        self.update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.follow()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.follow()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        size = self.shown.deviceIndependentSize().toSize()
        painter.drawPixmap(0, 0, self.shown)
        painter.setPen(QPen(self.palette().mid(), 1))
        painter.drawRect(QRect(QPoint(0, 0), size).adjusted(0, 0, -1, -1))
        painter.end()
