"""The question of a lesson: its choices, its field, its rows or its cuts, and whether an answer is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from tokenarium.models.lessons.asking import keys_of
from tokenarium.models.lessons.hands import Hands
from tokenarium.style.fonts import (
    HEADING_SIZE,
    LESSON_SIZE,
    TEXT_SIZE,
    ui_font,
)
from tokenarium.style.icons import icon, paint_icon
from tokenarium.style.theme import CARD_MARGIN, CARD_RADIUS, GRID
from tokenarium.style.themed import Themed
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.hands_up import HandsUp
from tokenarium.widgets.layouts import STRETCH, FlowLayout, in_column, in_row
from tokenarium.widgets.lesson_choices import ChoiceButton
from tokenarium.widgets.lesson_parts import CutRow, OrderList, SplitRow
from tokenarium.widgets.lesson_prose import ProseLabel
from tokenarium.widgets.panel import named, secondary
from tokenarium.widgets.text.token_tiles import ShownTile, TokenTiles

TILE_HEIGHT = 36
"""Pixels of a token below what is said."""

VERDICT_INSET = 17
"""Pixels between the bar and the text beside it, and its own."""

DIGITS = "0123456789"
"""What a number begins with: typed anywhere, it is written into the field of the answer."""


@dataclass(frozen=True, slots=True)
class QuestionShown:
    """A question with all values computed.

    ``parts`` are the items to order, or the characters between which ``split`` cuts. ``predicts``: the window hides
    what answers it until it is answered.
    """

    kind: str
    ask: str
    choices: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    hint: str = ""
    predicts: bool = False

    @property
    def title(self) -> str:
        """The line above the question."""
        return "Predict first" if self.predicts else "Question"


class AskTitle(Themed, QWidget):
    """The head of a question: a sign and some words, in the colour of questions."""

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        self.setFixedHeight(20)

    def set_text(self, text: str) -> None:
        """Sets the words."""
        self._text = text
        self.setAccessibleName(text)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        colour = self.theme.ask
        paint_icon(painter, QRectF(0, 1, 18, 18), "question", colour, True)
        painter.setPen(colour)
        room = self.rect().adjusted(26, 0, 0, 0)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, self._text)
        painter.end()


class AskCard(Themed, QWidget):
    """The ground of a question."""

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.ask_ground)
        painter.drawRoundedRect(QRectF(self.rect()), CARD_RADIUS, CARD_RADIUS)
        painter.end()


class AnswerBar(Themed, QWidget):
    """What is said about an answer, and the tokens that it is about, beside a bar: good, bad, or neither."""

    def __init__(self, said: ProseLabel, tiles: TokenTiles) -> None:
        super().__init__()
        self.state = ""
        said.setFont(ui_font(LESSON_SIZE))
        in_column(said, tiles, into=self, spacing=GRID, margins=(VERDICT_INSET, 0, 0, 0))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self.theme
        painter = QPainter(self)
        bar = {"good": theme.good, "bad": theme.bad}.get(self.state, theme.ask)
        painter.fillRect(QRectF(0, 0, 3, self.height()), bar)
        painter.end()


class QuestionCard(QWidget):
    """Asks a question, and says below it whether an answer is right; `answered` has the answer."""

    answered = Signal(object)
    revealed = Signal()
    another_wanted = Signal()
    said = Signal()

    def __init__(self, hands: Hands) -> None:
        super().__init__()
        self._question: QuestionShown | None = None
        self._ask = ProseLabel()
        self._ask.setFont(ui_font(LESSON_SIZE))
        self._title = AskTitle()
        self._room = QWidget()
        self._room_box = in_column(into=self._room, spacing=GRID)
        self.verdict = ProseLabel()
        self.tiles = TokenTiles(TILE_HEIGHT, HEADING_SIZE)
        self._said = AnswerBar(self.verdict, self.tiles)
        self.hint = GlyphButton("Hint", "lightbulb", "quiet")
        self.reveal = GlyphButton("Show the answer", "eye", "quiet")
        self.hint.clicked.connect(self._show_hint)
        self.reveal.clicked.connect(self.revealed)
        self.another = GlyphButton("The next merge", "arrow-right", "quiet")
        self.another.clicked.connect(self.another_wanted)
        self.hands = HandsUp(hands)
        self.raise_hands = GlyphButton("Hands up", "hand-palm", "quiet")
        named(self.raise_hands, "Hands up", "Counts the answers of a class")
        self.raise_hands.setHidden(not hands.choices)
        self.raise_hands.clicked.connect(lambda: self._raise_hands(hands))
        hands.changed.connect(lambda: self._follow_hands(hands))
        self.choices: list[ChoiceButton] = []
        self.check: GlyphButton | None = None
        self.field: QLineEdit | None = None
        self.items: QListWidget | None = None
        self.split: SplitRow | None = None
        self.cuts: CutRow | None = None
        self.selected: QLabel | None = None
        self._digits: list[QShortcut] = []
        self._chosen = ""
        self._open = False  # whether the right answer is still to be given
        buttons = QWidget()
        flow = FlowLayout(buttons, GRID // 2)
        for button in (self.hint, self.reveal, self.another, self.raise_hands):
            flow.addWidget(button)
        card = AskCard()
        in_column(
            self._title,
            self._ask,
            self._room,
            self.hands,
            buttons,
            into=card,
            spacing=GRID,
            margins=(CARD_MARGIN, 12, CARD_MARGIN, 12),
        )
        in_column(card, self._said, STRETCH, into=self, spacing=2 * GRID)

    def set_file(self, file: str) -> None:
        """Sets the lesson's file, whose folder contains the pictures of questions and reasons."""
        self._ask.file = self.verdict.file = file

    def forget(self) -> None:
        """Takes no more answers to the question: another one is about to be asked."""
        self._question = None
        self._room.setEnabled(False)

    def ask(self, question: QuestionShown) -> None:
        """Asks a new question; if the same one is asked again, what was typed meanwhile stays."""
        if question == self._question and self._said.isHidden():
            return
        self._question = question
        self._room.setEnabled(True)
        self._title.set_text(question.title)
        self._ask.setText(question.ask)
        self._said.hide()
        self.hint.setVisible(bool(question.hint))
        self.reveal.show()
        self.choices, self.field, self.items, self.split = [], None, None, None
        self.check = None
        self.cuts = self.selected = None
        self._digits = []
        self._chosen, self._open = "", True
        self.another.hide()
        empty_box(self._room_box)
        make = {
            "choose": self._make_choices,
            "merge": self._make_choices,
            "number": self._make_field,
            "write": self._make_field,
            "order": self._make_items,
            "split": self._make_split,
            "cut": self._make_cuts,
            "click": self._make_selected,
        }.get(question.kind)
        if make is not None:
            made = make(question)
            self._room_box.addWidget(made)
            made.show()  # the layout does so later, and the keys of what is not shown are lost
        self._room.setVisible(make is not None)

    def _make_choices(self, question: QuestionShown) -> QWidget:
        whole = QWidget()
        box = FlowLayout(whole, GRID)
        for text, key in zip(question.choices, keys_of(question.choices), strict=True):
            button = ChoiceButton(text, key)
            button.clicked.connect(lambda _, text=text: self.answered.emit(text))
            self.choices.append(button)
            box.addWidget(button)
        return whole

    def _make_field(self, question: QuestionShown) -> QWidget:
        number = question.kind == "number"
        self.field = named(QLineEdit(), "Your answer")
        self.field.setPlaceholderText("A number" if number else "Your text")
        self.field.returnPressed.connect(self._send)
        if number:  # the keys of choices choose one wherever the focus is, too
            self._digits = [key_of_digit(digit, self.field, self.type_digits) for digit in DIGITS]
        return self._with_button(self.field)

    def type_digits(self, digits: str) -> None:
        """Answers with digits that are typed anywhere: they go into the field, or the first one chooses."""
        if self.field is not None and self._digits:
            self.field.setFocus()
            self.field.insert(digits)
        for button in self.choices:
            if button.key == digits[:1]:
                button.click()

    def _make_items(self, question: QuestionShown) -> QWidget:
        items = self.items = named(
            OrderList(), "Put in order", "Drag a row, or move it with Alt and the arrow keys"
        )
        self.items.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        for part in question.parts:
            self.items.addItem(QListWidgetItem(icon("dots-six-vertical"), part))
        self.items.setFont(ui_font(LESSON_SIZE, QFont.Weight.Medium))
        items.fit_rows()
        hint = secondary(QLabel("Drag the rows, or use Alt+↑ and Alt+↓.", wordWrap=True))
        return self._with_button(self.items, hint)

    def _make_cuts(self, question: QuestionShown) -> QWidget:
        self.cuts = CutRow(question.parts, question.choices)
        self.cuts.clicked.connect(self.answered)
        return self.cuts

    def _make_selected(self, question: QuestionShown) -> QWidget:
        self.selected = named(QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True), "Selected")
        whole = self._with_button(self.selected)
        self.show_selected("")
        return whole

    def show_selected(self, token: str) -> None:
        """Shows which token is selected, as it is written in the window: `Check` then uses it as the answer."""
        if self.selected is not None:
            self._chosen = token
            self.selected.setText(
                f"Selected: {token}"
                if token
                else "Click it in the window, or go to it with the keys (F6, arrows)."
            )

    def _make_split(self, question: QuestionShown) -> QWidget:
        self.split = SplitRow(question.parts)
        return self._with_button(self.split)

    def _with_button(self, *widgets: QWidget) -> QWidget:
        whole = QWidget()
        check = self.check = GlyphButton("Check", "check")
        check.clicked.connect(self._send)
        if self.field is not None:
            self.field.textEdited.connect(check.show)  # another text may be right as well
        in_column(*widgets, in_row(STRETCH, check), into=whole, spacing=GRID)
        return whole

    def _send(self) -> None:
        if self.field is not None:
            self.answered.emit(self.field.text())
        elif self.items is not None:
            self.answered.emit([self.items.item(row).text() for row in range(self.items.count())])
        elif self.split is not None:
            self.answered.emit(self.split.parts)
        elif self.selected is not None and self._chosen:
            self.answered.emit(self._chosen)

    def _raise_hands(self, hands: Hands) -> None:
        """Shows the bars of the hands, with the focus for their keys, or hides them."""
        hands.show(not hands.shown)
        if hands.shown:
            self.hands.bars.setFocus()

    def _follow_hands(self, hands: Hands) -> None:
        """Leaves the digits to the hands while they are counted."""
        self.raise_hands.setVisible(bool(hands.choices))
        if self._open:
            for button in self.choices:
                button.take_key(not hands.shown)

    def _show_hint(self) -> None:
        if self._question is not None:
            self._tell("", self._question.hint)
            self.said.emit()

    def _tell(self, bar: str, text: str, tiles: Sequence[ShownTile] = ()) -> None:
        self._said.state = bar
        self.verdict.setText(text)
        self.tiles.show_tiles(tiles)
        self.tiles.setVisible(bool(tiles))
        self._said.show()
        self._said.update()

    def say(
        self,
        state: str,
        text: str,
        chosen: str = "",
        right: str = "",
        tiles: Sequence[ShownTile] = (),
    ) -> None:
        """Shows feedback in Markdown; ``state``: "good" for a right answer, "bad" for a wrong one.

        ``""``: the answer is shown on demand. ``tiles``: the tokens that it is about.
        """
        title = {"good": "**Yes.** ", "bad": "**Not quite.** "}.get(state, "")
        self._tell(state or "good", title + text, tiles)
        for button in self.choices:
            if button.text() == right:
                button.set_state("good")
            elif button.text() == chosen:
                button.set_state("bad")
        self.said.emit()
        if self.cuts is not None:
            self.cuts.show_states(chosen, right)
        answered = state == "good" or (state == "" and bool(right))
        gone = (self.hint, self.reveal, self.check)
        if answered and any(button is not None and button.hasFocus() for button in gone):
            self.setFocus()  # Tab goes on from here; a hidden button gives the focus to any other
        if answered:
            self.hint.hide()
            self.reveal.hide()
        if state == "good":
            self.another.setVisible(self._question is not None and self._question.kind == "merge")
        if state != "bad":
            self._open = False
            for button in self.choices:
                button.take_key(False)  # the keys are the window's again
            for typed in self._digits:
                typed.setEnabled(False)
        if self.check is not None and answered:
            self.check.hide()


def key_of_digit(digit: str, widget: QWidget, run: Callable[[str], object]) -> QShortcut:
    """Returns the key that runs a function with a digit, wherever the focus is in the window of a visible widget."""
    shortcut = QShortcut(QKeySequence(digit), widget)
    shortcut.activated.connect(lambda: run(digit))
    return shortcut


def empty_box(box: QBoxLayout) -> None:
    """Removes the widgets of a layout."""
    while (item := box.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
