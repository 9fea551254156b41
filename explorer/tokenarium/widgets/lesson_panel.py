"""The panel of lessons at the right of the window: the list, or one step with its prose and its question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from tokenarium.style.control_painting import lit_ground
from tokenarium.style.fonts import HEADING_SIZE, LESSON_SIZE, TITLE_SIZE, ui_font
from tokenarium.style.icons import paint_icon
from tokenarium.style.theme import CARD_MARGIN, CARD_RADIUS, CONTROL_RADIUS, GRID, Theme
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.keyboard import paint_keyboard_ring
from tokenarium.widgets.layouts import STRETCH, FlowLayout, in_column, in_row
from tokenarium.widgets.panel import CardFrame, named, secondary, strong

WIDTH = 360
"""Pixels of the panel."""

ROW_HEIGHT = 56
NAME_WIDTH = 170
ITEM_HEIGHT = 32
LETTERS = "ABCDEFGH"


@dataclass(frozen=True, slots=True)
class LessonRow:
    """A lesson in the list: how many of its steps were seen, of how many."""

    id: str
    title: str
    line: str
    seen: int
    steps: int


@dataclass(frozen=True, slots=True)
class QuestionShown:
    """A question as it is asked: everything in it is computed.

    ``parts`` are the items to order, or the characters between which ``split`` cuts; ``done`` once it is answered.
    """

    kind: str
    ask: str
    choices: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True)
class StepShown:
    """A step as it is shown: everything in it is computed. ``instead`` says which tokenizer took another's place."""

    lesson: str
    number: int
    count: int
    title: str
    prose: str
    question: QuestionShown | None = None
    instead: str = ""
    can_get: bool = False
    next_title: str = ""


class _Themed:
    """A widget that is painted in the colours of the theme."""

    theme: Theme

    def set_theme(self, theme: Theme) -> None:
        """Sets the colours."""
        self.theme = theme
        cast(QWidget, self).update()


class StepBar(_Themed, QWidget):
    """A segment for each step: those before, the current one, and those to come."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._at, self._count = 0, 1
        self.setFixedHeight(5)

    def show_place(self, at: int, count: int) -> None:
        """Shows the place of a step, from 0 on."""
        self._at, self._count = at, count
        self.setAccessibleName(f"Step {at + 1} of {count}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        width = (self.width() - 4 * (self._count - 1)) / self._count
        for place in range(self._count):
            colour = QColor(self.theme.accent if place <= self._at else self.theme.line)
            if place == self._at:
                colour.setAlpha(150)
            painter.setBrush(colour)
            painter.drawRoundedRect(QRectF(place * (width + 4), 0, width, 5), 2.5, 2.5)
        painter.end()


class ChoiceButton(_Themed, QPushButton):
    """A choice of a question: its text and the letter that chooses it; once answered, right or wrong."""

    def __init__(self, text: str, letter: str, theme: Theme) -> None:
        super().__init__(text)
        self._letter = letter
        self.theme = theme
        self.state = ""
        self.setFont(ui_font(LESSON_SIZE, QFont.Weight.DemiBold))
        self.setAccessibleName(f"{letter}: {text}")
        self.setMinimumHeight(42)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        return QSize(max(68, self.fontMetrics().horizontalAdvance(self.text()) + 58), 42)

    def set_state(self, state: str) -> None:
        """Shows that it is right (``"good"``), wrong (``"bad"``) or neither."""
        self.state = state
        said = {"good": ", right", "bad": ", wrong"}.get(state, "")
        self.setAccessibleName(f"{self._letter}: {self.text()}{said}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self.theme
        ink, ground, line = {
            "good": (theme.good, theme.good_ground, theme.good),
            "bad": (theme.bad, theme.bad_ground, theme.bad),
        }.get(self.state, (theme.ink, theme.surface, theme.strong))
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(line, 1))
        painter.setBrush(lit_ground(self, ground))
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(rect, CONTROL_RADIUS, CONTROL_RADIUS)
        painter.setPen(ink)
        inner = self.rect().adjusted(12, 0, -34, 0)
        painter.drawText(
            inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text()
        )
        badge = QRectF(self.width() - 30, self.height() / 2 - 9, 18, 18)
        if self.state:
            paint_icon(painter, badge, "check" if self.state == "good" else "x", ink)
        else:
            painter.setPen(theme.dim)
            painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, self._letter)
        painter.end()
        paint_keyboard_ring(self, self.rect())


class SplitRow(QWidget):
    """The characters of a word with a button between each two, which cuts there or joins again."""

    def __init__(self, characters: Sequence[str]) -> None:
        super().__init__()
        self._characters = list(characters)
        self.cuts: list[QPushButton] = []
        box = FlowLayout(self, 2)
        for place, character in enumerate(characters):
            label = QLabel(character)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setFont(ui_font(TITLE_SIZE, QFont.Weight.Medium))
            box.addWidget(label)
            if place + 1 < len(characters):
                cut = named(QPushButton("·"), f"Cut after {character}", "Cut here")
                cut.setCheckable(True)
                cut.setFixedSize(24, 32)
                cut.toggled.connect(lambda on, cut=cut: cut.setText("|" if on else "·"))
                self.cuts.append(cut)
                box.addWidget(cut)

    @property
    def parts(self) -> list[str]:
        """The parts between the cuts."""
        parts = [self._characters[0]] if self._characters else []
        for cut, character in zip(self.cuts, self._characters[1:], strict=True):
            if cut.isChecked():
                parts.append(character)
            else:
                parts[-1] += character
        return parts


class OrderList(QListWidget):
    """Rows that are dragged, or moved by Alt with Up and Down."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        step = steps.get(Qt.Key(event.key()), 0)
        row = self.currentRow()
        if step and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            if row >= 0 and 0 <= row + step < self.count():
                item = self.takeItem(row)
                self.insertItem(row + step, item)
                self.setCurrentRow(row + step)
            return
        super().keyPressEvent(event)


class QuestionCard(_Themed, QWidget):
    """Asks a question, and says whether an answer is right; `answered` has what was chosen, written or made."""

    answered = Signal(object)
    revealed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._question: QuestionShown | None = None
        self._ask = QLabel(wordWrap=True)
        self._ask.setTextFormat(Qt.TextFormat.MarkdownText)
        self._ask.setFont(ui_font(LESSON_SIZE))
        self._title = strong(QLabel("Predict first"))
        self._room = QWidget()
        self._room_box = in_column(into=self._room, spacing=GRID)
        self.verdict = QLabel(wordWrap=True)
        self.verdict.setTextFormat(Qt.TextFormat.MarkdownText)
        self.verdict.setFont(ui_font(LESSON_SIZE))
        self.hint = GlyphButton("Hint", "lightbulb", "quiet")
        self.reveal = GlyphButton("Show the answer", "eye", "quiet")
        self.hint.clicked.connect(self._show_hint)
        self.reveal.clicked.connect(self.revealed)
        self.choices: list[ChoiceButton] = []
        self.field: QLineEdit | None = None
        self.items: QListWidget | None = None
        self.split: SplitRow | None = None
        in_column(
            self._title,
            self._ask,
            self._room,
            self.verdict,
            in_row(self.hint, self.reveal, STRETCH),
            into=self,
            spacing=GRID,
            margins=CARD_MARGIN,
        )

    def ask(self, question: QuestionShown) -> None:
        """Asks another question."""
        self._question = question
        self._ask.setText(question.ask)
        self.verdict.hide()
        self.hint.setVisible(bool(question.hint))
        self.reveal.show()
        self.choices, self.field, self.items, self.split = [], None, None, None
        _empty(self._room_box)
        make = {
            "choose": self._make_choices,
            "number": self._make_field,
            "write": self._make_field,
            "order": self._make_items,
            "split": self._make_split,
        }.get(question.kind)
        if make is not None:
            self._room_box.addWidget(make(question))
        self._room.setVisible(make is not None)

    def _make_choices(self, question: QuestionShown) -> QWidget:
        whole = QWidget()
        box = FlowLayout(whole, GRID)
        for text, letter in zip(question.choices, LETTERS, strict=False):
            button = ChoiceButton(text, letter, self.theme)
            button.clicked.connect(lambda _, text=text: self.answered.emit(text))
            button.setShortcut(letter)
            self.choices.append(button)
            box.addWidget(button)
        return whole

    def _make_field(self, question: QuestionShown) -> QWidget:
        number = question.kind == "number"
        self.field = named(QLineEdit(), "Your answer")
        self.field.setPlaceholderText("A number" if number else "Your text")
        self.field.returnPressed.connect(self._send)
        return self._with_button(self.field)

    def _make_items(self, question: QuestionShown) -> QWidget:
        self.items = named(
            OrderList(), "Put in order", "Drag a row, or move it with Alt and the arrow keys"
        )
        self.items.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        for part in question.parts:
            item = QListWidgetItem(part)
            item.setSizeHint(QSize(0, ITEM_HEIGHT))
            self.items.addItem(item)
        self.items.setFont(ui_font(LESSON_SIZE, QFont.Weight.Medium))
        self.items.setFixedHeight(ITEM_HEIGHT * len(question.parts) + 4)
        return self._with_button(self.items)

    def _make_split(self, question: QuestionShown) -> QWidget:
        self.split = SplitRow(question.parts)
        return self._with_button(self.split)

    def _with_button(self, widget: QWidget) -> QWidget:
        whole = QWidget()
        check = GlyphButton("Check", "check")
        check.clicked.connect(self._send)
        in_column(widget, in_row(STRETCH, check), into=whole, spacing=GRID)
        return whole

    def _send(self) -> None:
        if self.field is not None:
            self.answered.emit(self.field.text())
        elif self.items is not None:
            self.answered.emit([self.items.item(row).text() for row in range(self.items.count())])
        elif self.split is not None:
            self.answered.emit(self.split.parts)

    def _show_hint(self) -> None:
        if self._question is not None:
            self.say("", self._question.hint)

    def say(self, state: str, text: str, chosen: str = "", right: str = "") -> None:
        """Says something in Markdown; ``state``: "good" for a right answer, "bad" for a wrong one."""
        title = {"good": "**Yes.** ", "bad": "**Not quite.** "}.get(state, "")
        self.verdict.setText(title + text)
        self.verdict.show()
        for button in self.choices:
            if button.text() == right:
                button.set_state("good")
            elif button.text() == chosen:
                button.set_state("bad")
        if state == "good":
            self.hint.hide()
            self.reveal.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.ask_ground)
        painter.drawRoundedRect(QRectF(self.rect()), CARD_RADIUS, CARD_RADIUS)
        painter.end()


class LessonButton(_Themed, QPushButton):
    """A lesson in the list: how far one is, its title, and a line about it."""

    def __init__(self, row: LessonRow, theme: Theme) -> None:
        super().__init__()
        self.row, self.theme = row, theme
        self.setFixedHeight(ROW_HEIGHT)
        self.setAccessibleName(f"{row.title}. {row.line}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, row = self.theme, self.row
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.isDown():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.wash)
            painter.drawRoundedRect(QRectF(self.rect()), CONTROL_RADIUS, CONTROL_RADIUS)
        ring = QRectF(12, ROW_HEIGHT / 2 - 10, 20, 20)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        done = row.seen >= row.steps
        painter.setPen(QPen(theme.good if done else theme.line, 2.5))
        painter.drawEllipse(ring)
        if done:
            paint_icon(painter, ring.adjusted(3, 3, -3, -3), "check", theme.good)
        elif row.seen:
            painter.setPen(QPen(theme.accent, 2.5))
            painter.drawArc(ring, 90 * 16, -round(5760 * row.seen / row.steps))
        left = 46
        painter.setFont(ui_font(13, QFont.Weight.DemiBold))
        painter.setPen(theme.ink)
        metrics = painter.fontMetrics()
        title = metrics.elidedText(row.title, Qt.TextElideMode.ElideRight, self.width() - left - 8)
        painter.drawText(left, 24, title)
        painter.setFont(ui_font(12))
        painter.setPen(theme.dim)
        painter.drawText(left, 42, row.line)
        painter.end()
        paint_keyboard_ring(self, self.rect())


class LessonPanel(QWidget):
    """The list of lessons, or one step of a lesson."""

    lesson_chosen = Signal(str)
    step_asked = Signal(int)  # 1 for the next one, -1 for the one before
    list_asked = Signal()
    again_asked = Signal()
    get_asked = Signal()
    closed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setFixedWidth(WIDTH)
        self.setAccessibleName("Lessons")
        self.rows: list[LessonButton] = []
        self._pages = QStackedWidget()
        self._pages.addWidget(self._make_list())
        self._pages.addWidget(self._make_step())
        card = CardFrame()
        in_column(self._pages, into=card, margins=1)
        in_column(
            card, into=self, margins=(0, CARD_MARGIN // 2, CARD_MARGIN // 2, CARD_MARGIN // 2)
        )

    def _make_list(self) -> QWidget:
        whole = QWidget()
        self._done = secondary(QLabel())
        close = GlyphButton("", "x", "quiet")
        named(close, "Close the lessons", "Close the lessons (Esc)").clicked.connect(self.closed)
        self._list = QWidget()
        self._list_box = in_column(into=self._list, spacing=2, margins=(8, 0, 8, 8))
        area = _scrolled(self._list)
        title = QLabel("Lessons")
        title.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
        head = in_row(
            title, STRETCH, self._done, close, spacing=GRID, margins=(CARD_MARGIN, 12, 8, 8)
        )
        in_column(head, (area, 1), into=whole)
        return whole

    def _make_step(self) -> QWidget:
        whole = QWidget()
        self.back_to_list = GlyphButton("Lessons", "graduation-cap", "quiet")
        self.back_to_list.clicked.connect(self.list_asked)
        self._place = secondary(QLabel())
        close = GlyphButton("", "x", "quiet")
        named(close, "Close the lesson", "Close the lesson (Esc)").clicked.connect(self.closed)
        self.bar = StepBar(self._theme)
        self.title = QLabel(wordWrap=True)
        self.title.setFont(ui_font(TITLE_SIZE, QFont.Weight.DemiBold))
        self.prose = QLabel(wordWrap=True)
        self.prose.setTextFormat(Qt.TextFormat.MarkdownText)
        self.prose.setFont(ui_font(LESSON_SIZE))
        self.prose.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.prose.setOpenExternalLinks(True)
        self._instead = secondary(QLabel(wordWrap=True))
        self.get = GlyphButton("Get it", "download-simple", "quiet")
        self.get.clicked.connect(self.get_asked)
        self.question = QuestionCard(self._theme)
        again = GlyphButton("Show this step again", "eye", "quiet")
        again.clicked.connect(self.again_asked)
        self.back = GlyphButton("Back", "arrow-left")
        self.next = GlyphButton("Next", "arrow-right", "primary")
        self.back.clicked.connect(lambda: self.step_asked.emit(-1))
        self.next.clicked.connect(lambda: self.step_asked.emit(1))
        inner = QWidget()
        in_column(
            self.title,
            self._instead,
            in_row(self.get, STRETCH),
            self.prose,
            self.question,
            STRETCH,
            into=inner,
            spacing=12,
            margins=(CARD_MARGIN + 4, 8, CARD_MARGIN + 4, 8),
        )
        self._area = area = _scrolled(inner)
        side = CARD_MARGIN + 4
        in_column(
            in_row(
                self.back_to_list, STRETCH, self._place, close, spacing=GRID, margins=(8, 8, 8, 4)
            ),
            in_column(self.bar, margins=(side, 0, side, 6)),
            (area, 1),
            in_row(again, STRETCH, margins=(8, 0, 8, 0)),
            in_row(self.back, STRETCH, self.next, margins=(side, 4, side, side)),
            into=whole,
        )
        return whole

    @property
    def shows_step(self) -> bool:
        """Whether a step is shown, and not the list."""
        return self._pages.currentIndex() == 1

    def show_list(self, rows: Sequence[LessonRow]) -> None:
        """Shows the list of lessons."""
        done = sum(row.seen >= row.steps for row in rows)
        self._done.setText(f"{done} of {len(rows)} done")
        _empty(self._list_box)
        self.rows = [LessonButton(row, self._theme) for row in rows]
        for button in self.rows:
            button.clicked.connect(lambda _, id=button.row.id: self.lesson_chosen.emit(id))
            self._list_box.addWidget(button)
        self._list_box.addStretch(1)
        self._pages.setCurrentIndex(0)

    def show_step(self, step: StepShown) -> None:
        """Shows a step."""
        metrics = self.back_to_list.fontMetrics()
        short = metrics.elidedText(step.lesson, Qt.TextElideMode.ElideRight, NAME_WIDTH)
        self.back_to_list.setText(short)
        named(self.back_to_list, "All lessons", f"{step.lesson}: back to the list of lessons")
        self._place.setText(f"Step {step.number + 1} of {step.count}")
        self.bar.show_place(step.number, step.count)
        self.title.setText(step.title)
        self.prose.setText(step.prose)
        self._instead.setText(step.instead)
        self._instead.setVisible(bool(step.instead))
        self.get.setVisible(step.can_get)
        self.question.setVisible(step.question is not None)
        if step.question is not None:
            self.question.ask(step.question)
        self.back.setEnabled(step.number > 0)
        self.next.setText("Next" if step.number + 1 < step.count else "Done")
        self.next.setToolTip(step.next_title)
        self._area.verticalScrollBar().setValue(0)
        self._pages.setCurrentIndex(1)

    def set_theme(self, theme: Theme) -> None:
        """Sets the colours."""
        self._theme = theme
        parts: tuple[_Themed, ...] = (self.bar, self.question)
        for part in (*parts, *self.question.choices, *self.rows):
            part.set_theme(theme)


def _scrolled(widget: QWidget) -> QScrollArea:
    """Returns an area that scrolls a widget up and down, on the ground of what is around it."""
    area = QScrollArea(widgetResizable=True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(widget)
    for ground in (area.viewport(), widget):
        ground.setBackgroundRole(QPalette.ColorRole.Base)
    return area


def _empty(box: QBoxLayout) -> None:
    """Removes the widgets of a layout."""
    while (item := box.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
