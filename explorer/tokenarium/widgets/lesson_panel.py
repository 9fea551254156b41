"""The panel of lessons at the right of the window: the list, or one step with its prose and its question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFont,
    QKeyEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QWidget,
)

from tokenarium.models.lessons.hands import Hands
from tokenarium.style.fonts import (
    HEADING_SIZE,
    LESSON_SIZE,
    TITLE_SIZE,
    ui_font,
)
from tokenarium.style.theme import CARD_MARGIN, GRID
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import STRETCH, FlowLayout, in_column, in_row
from tokenarium.widgets.lesson_prose import ProseLabel
from tokenarium.widgets.lesson_question import (
    DIGITS,
    QuestionCard,
    QuestionShown,
    empty_box,
    key_of_digit,
)
from tokenarium.widgets.lesson_rows import LessonButton, LessonRow, row_heading, scrolled
from tokenarium.widgets.lesson_step_bar import StepBar
from tokenarium.widgets.panel import CardFrame, Rule, named, passing, secondary

WIDEST, NARROWEST, SHARE = 380, 280, 0.34
"""The greatest and least pixels of the panel, and its share of the window in between."""

NARROW = 340
"""Pixels: a narrower panel has shorter texts on its buttons."""

LOW = 560
"""Pixels: in a lower window the buttons of a step are in one row."""

AGAIN = "Show this step again"
AGAIN_SHORT = "Show again"
BACK = "Back to the step"
BACK_SHORT = "Back to it"
OWN_SAID = "Your text is open instead of this step's. What follows is about the step's own text."

NOTHING = "No lesson has these words. Try fewer or different words."

BESIDE_CARD = 3 * GRID
"""Pixels of the panel around its card, and around what stretches between two buttons."""

BESIDE_HEAD = 40
"""Pixels of the panel around the row with the lesson's name, and around the name in its button."""


@dataclass(frozen=True, slots=True)
class StepShown:
    """A step with all values computed. ``instead`` names tokenizers that were replaced, and ``can_get`` is how many of
    them can be downloaded.

    ``file`` is the lesson's, whose folder contains its pictures. ``lesson`` is the title of the lesson, or of the class of
    whose parts it is one; ``short`` is shown where that has no room, and ``noun`` is what is counted.
    """

    lesson: str
    number: int
    count: int
    title: str
    prose: str
    question: QuestionShown | None = None
    instead: str = ""
    can_get: int = 0
    next_title: str = ""
    own_text: bool = False
    file: str = ""
    short: str = "Lessons"
    noun: str = "Step"


class LessonPanel(QWidget):
    """The list of lessons, or one step of a lesson."""

    lesson_chosen = Signal(str, int)  # its id; a step from 0, or -1 to continue
    searched = Signal(str)
    step_asked = Signal(int)  # 1 for the next step, -1 for the previous one
    list_asked = Signal()
    again_asked = Signal()
    get_asked = Signal()
    closed = Signal()
    own_wanted = Signal()
    edit_wanted = Signal()
    new_wanted = Signal()
    handout_wanted = Signal()

    def __init__(self, hands: Hands) -> None:
        super().__init__()
        self._name = self._short = self._next_title = ""
        self._noun = "Step"
        self._low = False
        self._own_text = False
        self._at = (0, 0)  # the step, from 1, and the number of steps
        self._early = ""  # the digits that were typed while a step is about to be shown
        self._early_keys = [key_of_digit(digit, self, self._type_early) for digit in DIGITS]
        self._end_wait()
        self.setFixedWidth(NARROWEST)  # until it is known how much room there is
        self.setAccessibleName("Lessons")
        self.rows: list[LessonButton] = []
        self._pages = QStackedWidget()
        self._pages.addWidget(self._make_list())
        self._pages.addWidget(self._make_step(hands))
        card = CardFrame()
        in_column(self._pages, into=card, margins=1)
        in_column(
            card, into=self, margins=(0, CARD_MARGIN // 2, CARD_MARGIN // 2, CARD_MARGIN // 2)
        )

    def _make_list(self) -> QWidget:
        whole = QWidget()
        self._done = secondary(QLabel())
        close = GlyphButton("", "x", "quiet")
        close.set_compact(True)
        named(close, "Close the lessons", "Close the lessons (Esc)").clicked.connect(self.closed)
        self._list = QWidget()
        self._list_box = in_column(into=self._list, spacing=2, margins=(8, 0, 8, 8))
        self._area_of_list = area = scrolled(self._list)
        title = QLabel("Lessons")
        title.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
        head = in_row(
            title,
            STRETCH,
            self._done,
            self._handout_button(),
            close,
            spacing=GRID,
            margins=(CARD_MARGIN, 12, 8, 8),
        )
        new = GlyphButton("New lesson …", "plus", "quiet")
        named(new, "New lesson", "Write a lesson of your own")
        new.clicked.connect(self.new_wanted)
        self.classes = GlyphButton("Ready classes", "chalkboard-teacher", "quiet")
        named(self.classes, "Ready classes", "Shows the classes, which are below the lessons")
        self.classes.clicked.connect(self._show_classes)
        self.search = passing(named(QLineEdit(clearButtonEnabled=True), "Search the lessons"))
        self.search.setPlaceholderText("Search: a question, or a word")
        self.search.textChanged.connect(self.searched)
        self.search.returnPressed.connect(self._open_first)
        self.nothing = secondary(QLabel(NOTHING, wordWrap=True))
        self.nothing.hide()
        self.class_head = QWidget()
        self.about_class = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.all_lessons = GlyphButton("All lessons", "arrow-left", "link")
        self.all_lessons.clicked.connect(self.list_asked)
        self.sheet = GlyphButton("Worksheet and plan …", "printer")
        named(
            self.sheet,
            "Save the worksheet and the plan",
            "Writes the worksheet, or the plan with the answers",
        )
        self.sheet.clicked.connect(self.handout_wanted)
        row = QWidget()
        flow = FlowLayout(row, GRID)
        for button in (self.all_lessons, self.sheet):
            flow.addWidget(button)
        in_column(self.about_class, row, into=self.class_head, spacing=GRID)
        self.class_head.hide()
        side = CARD_MARGIN
        in_column(
            head,
            in_column(
                self.search,
                self.nothing,
                self.class_head,
                spacing=GRID,
                margins=(side, 0, side, GRID),
            ),
            (area, 1),
            in_row(new, STRETCH, self.classes, margins=(8, 0, 8, 8)),
            into=whole,
        )
        return whole

    def _handout_button(self) -> GlyphButton:
        button = GlyphButton("", "printer", "quiet")
        button.set_compact(True)
        named(
            button,
            "Save a handout",
            "Writes a lesson or a class as PDF or HTML, to print or to hand out, or a lesson as a web page",
        )
        button.clicked.connect(self.handout_wanted)
        return button

    def _open_first(self) -> None:
        if self.search.text().strip() and self.rows:
            self.rows[0].click()

    def _show_classes(self) -> None:
        """Scrolls to the classes, and puts the focus on the first."""
        if self.class_head.isVisible():
            self.list_asked.emit()
        self.search.clear()
        bar = self._area_of_list.verticalScrollBar()
        for button in self.rows:
            if button.row.ready:
                self._list.adjustSize()  # the rows of a new list have no place yet
                bar.setValue(bar.maximum())
                button.setFocus(Qt.FocusReason.TabFocusReason)
                return

    def _make_step(self, hands: Hands) -> QWidget:
        whole = QWidget()
        self.back_to_list = GlyphButton("Lessons", "graduation-cap", "link")
        self.back_to_list.clicked.connect(self.list_asked)
        self._place = secondary(QLabel())
        close = GlyphButton("", "x", "quiet")
        close.set_compact(True)
        named(close, "Close the lesson", "Close the lesson (Esc)").clicked.connect(self.closed)
        edit = GlyphButton("", "pencil-simple", "quiet")
        edit.set_compact(True)
        named(edit, "Edit this lesson", "Edit this lesson: its Markdown, with a check")
        edit.clicked.connect(self.edit_wanted)
        self.bar = StepBar()
        self.title = QLabel(wordWrap=True)
        self.title.setFont(ui_font(TITLE_SIZE, QFont.Weight.DemiBold))
        self.prose = ProseLabel()
        self.prose.setFont(ui_font(LESSON_SIZE))
        self.prose.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.prose.setOpenExternalLinks(True)
        self._instead = secondary(QLabel(wordWrap=True))
        self.get = GlyphButton("Get it", "download-simple", "quiet")
        self.get.clicked.connect(self.get_asked)
        self.question = QuestionCard(hands)
        self.again = GlyphButton(AGAIN, "eye", "quiet")
        self.again.clicked.connect(self.again_asked)
        self.own = GlyphButton("Your own text", "clipboard-text", "quiet")
        named(self.own, "Try it on your own text", "Write or paste a text instead of this one")
        self.own.clicked.connect(self.own_wanted)
        self.own_said = secondary(QLabel(OWN_SAID, wordWrap=True))
        self.back = GlyphButton("Back", "arrow-left")
        self.next = GlyphButton("Next", "arrow-right", "primary")
        self.back.clicked.connect(lambda: self.step_asked.emit(-1))
        self.next.clicked.connect(lambda: self.step_asked.emit(1))
        self._away = in_row((self._instead, 1), self.get, spacing=GRID)
        inner = QWidget()
        in_column(
            self.title,
            self._away,
            self.own_said,
            self.prose,
            self.question,
            STRETCH,
            into=inner,
            spacing=12,
            margins=(CARD_MARGIN + 4, 8, CARD_MARGIN + 4, 8),
        )
        self._area = area = scrolled(inner)
        self._see_soon = QTimer(self, singleShot=True, interval=0)
        self._see_soon.timeout.connect(lambda: area.ensureWidgetVisible(self.question.verdict))
        self.question.said.connect(self._see_soon.start)
        side = CARD_MARGIN + 4
        self._head = in_row(
            self.back_to_list,
            STRETCH,
            self._place,
            edit,
            self._handout_button(),
            close,
            spacing=GRID // 2,
            margins=(8, 8, 8, 4),
        )
        self._tools = in_row(self.again, STRETCH, self.own, margins=(8, 0, 8, 0))
        self._ways = in_row(self.back, (self.next, 1), spacing=GRID, margins=(side, 4, side, side))
        in_column(
            self._head,
            in_column(self.bar, margins=(side, 0, side, 6)),
            (area, 1),
            in_column(Rule(), margins=(side, 0, side, 0)),
            self._tools,
            self._ways,
            into=whole,
        )
        return whole

    def fit(self, window: QSize) -> None:
        """Adapts to the size of a window."""
        self.setFixedWidth(max(NARROWEST, min(WIDEST, round(SHARE * window.width()))))
        self._name_buttons()
        low = window.height() < LOW
        side = CARD_MARGIN + 4
        self._ways.setContentsMargins(*((8, 4, 8, 8) if low else (side, 4, side, side)))
        if low == self._low:
            return
        self._low = low
        self.title.setFont(ui_font(HEADING_SIZE if low else TITLE_SIZE, QFont.Weight.DemiBold))
        for index, button in enumerate((self.again, self.own)):
            button.set_compact(low)
            if low:
                self._ways.insertWidget(index + 1, button)
            else:
                self._tools.insertWidget(2 * index, button)

    def _name_buttons(self) -> None:
        """Writes the position and the texts of buttons, shorter if there is little room."""
        narrow = self.width() < NARROW
        down, across = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._away.setDirection(down if narrow else across)
        self._away.setAlignment(self.get, Qt.AlignmentFlag.AlignLeft)
        again, short = (BACK, BACK_SHORT) if self._own_text else (AGAIN, AGAIN_SHORT)
        self.again.setText(short if narrow else again)
        named(self.again, again)
        at, count = self._at
        self._place.setText(f"{at} of {count}" if narrow else f"{self._noun} {at} of {count}")
        self._place.setAccessibleName(f"{self._noun} {at} of {count}")

    @property
    def shows_step(self) -> bool:
        """Whether a step is shown instead of the list."""
        return self._pages.currentIndex() == 1

    def show_list(self, rows: Sequence[LessonRow]) -> None:
        """Shows the list of lessons."""
        self._end_wait()
        lessons = [row for row in rows if not row.ready]
        done = sum(row.seen >= row.steps for row in lessons)
        self._done.setText(f"{done} of {len(lessons)} done")
        self.search.clear()
        self.show_rows(rows)
        self._pages.setCurrentIndex(0)

    def show_class(self, title: str, about: str, rows: Sequence[LessonRow]) -> None:
        """Lists the parts of a class, with what it is about."""
        self.show_rows(rows)
        self.about_class.setText(f"{title}. {about}")
        self.class_head.show()
        self._area_of_list.verticalScrollBar().setValue(0)

    def show_rows(self, rows: Sequence[LessonRow]) -> None:
        """Replaces the rows of the list; classes come below a heading."""
        self.nothing.setVisible(not rows)
        self.class_head.hide()
        empty_box(self._list_box)
        self.rows = [LessonButton(row) for row in rows]
        for button in self.rows:
            row = button.row
            button.setEnabled(bool(row.id))
            button.clicked.connect(lambda _, row=row: self.lesson_chosen.emit(row.id, row.step))
            if row.ready and row is next((one for one in rows if one.ready), None):
                self._list_box.addWidget(row_heading("Ready classes"))
            self._list_box.addWidget(button)
        self._list_box.addStretch(1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_name()
        self._fit_next()

    def _fit_name(self) -> None:
        """Shows the lesson's name, or where the button leads, as far as there is room."""
        button = self.back_to_list
        button.setText("")
        self._head.invalidate()  # Qt updates only the height of the whole panel
        room = self.width() - BESIDE_HEAD - self._head.sizeHint().width()
        width = button.fontMetrics().horizontalAdvance
        fitting = (text for text in (self._name, self._short, "Lessons") if width(text) <= room)
        button.setText(next(fitting, ""))

    def _fit_next(self) -> None:
        """Shows where the button Next leads, as far as there is room."""
        at, count = self._at
        word = "Next" if at < count else "Done"
        beside = self._ways.contentsMargins().left() + self._ways.contentsMargins().right()
        shown = [self.again, self.own] if self._low else []
        beside += sum(one.sizeHint().width() + self._ways.spacing() for one in (self.back, *shown))
        for text in (f"{word}: {self._next_title}", word):
            self.next.setText(text)
            if (
                self._next_title
                and self.next.sizeHint().width() <= self.width() - beside - BESIDE_CARD
            ):
                break
        named(self.next, word, self._next_title)

    def begin_step(self) -> None:
        """Notes that another step is about to be shown: digits that are typed until then answer its question."""
        focus = self.window().focusWidget()
        if focus is not None and self.question.isAncestorOf(focus):
            self.setFocus()  # the question is disabled, and would leave the focus nowhere
        self.question.forget()
        for key in self._early_keys:
            key.setEnabled(True)

    def _end_wait(self) -> str:
        """Ends the wait for a step; returns the digits that were typed meanwhile."""
        for key in self._early_keys:
            key.setEnabled(False)
        typed, self._early = self._early, ""
        return typed

    def _type_early(self, digit: str) -> None:
        self._early += digit

    def show_step(self, step: StepShown) -> None:
        """Shows a step."""
        typed = self._end_wait()
        parts = step.noun == "Part"
        tip = "back to the parts of the class" if parts else "back to the list of lessons"
        named(self.back_to_list, "All parts" if parts else "All lessons", f"{step.lesson}: {tip}")
        self._short, self._noun = step.short, step.noun
        self._at, self._own_text = (step.number + 1, step.count), step.own_text
        self._name_buttons()
        self._name = step.lesson
        self._fit_name()
        self.bar.show_place(step.number, step.count)
        self.title.setText(step.title)
        self.prose.file = step.file
        self.question.set_file(step.file)
        self.prose.setText(step.prose)
        self._instead.setText(step.instead)
        self._instead.setVisible(bool(step.instead))
        self.get.setText("Get it" if step.can_get == 1 else "Get them")
        self.get.setAccessibleName(self.get.text())
        self.get.setVisible(step.can_get > 0)
        self.own_said.setVisible(step.own_text)
        self.question.setVisible(step.question is not None)
        if step.question is not None:
            self.question.ask(step.question)
        self.back.setEnabled(step.number > 0)
        self._next_title = step.next_title
        self._fit_next()
        self._area.verticalScrollBar().setValue(0)
        self._pages.setCurrentIndex(1)
        if typed and step.question is not None:
            self.question.type_digits(typed)

    @property
    def has_focus(self) -> bool:
        """Whether the panel has the keyboard focus."""
        focus = self.window().focusWidget()
        return focus is not None and self.isAncestorOf(focus)

    def focus_first(self) -> None:
        """Puts the focus where the reader continues by key: the question's field, the button Next, or the search."""
        field = self.question.field or self.question.items
        if not self.shows_step:
            self.search.setFocus()
        elif field is not None and self.question.isVisible():
            field.setFocus()
        else:
            self.next.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, focus = event.key(), self.window().focusWidget()
        if key == Qt.Key.Key_Escape:
            self.closed.emit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(focus, QPushButton):
            focus.click()  # Qt does so by itself only in dialogs
        elif key == Qt.Key.Key_Down and focus is self.search and self.rows:
            self.rows[0].setFocus(Qt.FocusReason.TabFocusReason)
        else:
            super().keyPressEvent(event)
