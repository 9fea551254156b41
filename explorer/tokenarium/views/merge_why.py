"""The page "Why not one?" of the workspace Merges: why a string is not one token, for each tokenizer that is on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from tokenarium.models.merges.why_finding import (
    LONGEST,
    Place,
    alone,
    asked,
    finding,
    places_to_play,
)
from tokenarium.models.text.piece import quoted, readable
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.style.theme import GRID
from tokenarium.views.workspace import SOON_MS, Page, Workspace, column
from tokenarium.widgets.areas import CardArea
from tokenarium.widgets.keyboard import ShortcutFirst
from tokenarium.widgets.layouts import in_row
from tokenarium.widgets.panel import MARGIN, ElidedLabel, FlatButton, Rule, named, secondary
from tokenarium.widgets.players.why_card import WhyCard
from tokenarium.work.frame_queue import FrameQueue

EXAMPLES = ("Tokenarium", "2024", "don't")
"""Strings that tokenizers treat in different ways: not in the vocabulary, digits, a contraction."""

NOTHING_ASKED = (
    "Why is this not one token?",
    "Type a string above, or select one in the text: each tokenizer that is on says what keeps it from being one. "
    "A space in front counts. Or begin with one of these:",
)

HALF_READ = (
    "One character is half of a surrogate pair, which UTF-8 cannot hold: "
    "tokenizers read U+FFFD (\N{REPLACEMENT CHARACTER}) in its place, and the answers are about that."
)
HALVES_READ = (
    "{:,} characters are halves of surrogate pairs, which UTF-8 cannot hold: "
    "tokenizers read U+FFFD (\N{REPLACEMENT CHARACTER}) in the place of each, and the answers are about that."
)


class WhyPage(Page):
    """A field, and a card for each tokenizer."""

    id = "why"
    title = "Why not one?"
    follows_text = True

    play_requested = Signal(str, int)
    """The key of a tokenizer, and the step of its run that the page Steps is to show."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.cards: dict[str, WhyCard] = {}
        self.question = alone("")
        self._place: tuple[int, int] | None = None  # the selection in question
        self.field = named(QLineEdit(clearButtonEnabled=True), "String to ask about")
        self.field.setPlaceholderText("a word or a phrase, with its space in front if it has one")
        self.field.setMinimumHeight(4 * GRID)
        self._keys = ShortcutFirst(self.field)
        self.by_itself = _mode("By itself", "Asks as if the string were a whole text")
        self.in_text = _mode(
            "In the text",
            "Asks about the selected place: the text around it may join it, or cut it elsewhere",
        )
        self.seen = named(secondary(ElidedLabel()), "What is asked about")
        self.halves = secondary(QLabel(wordWrap=True))
        self.halves.setContentsMargins(MARGIN, 0, MARGIN, GRID)
        self.halves.hide()
        self.examples = [QAction(readable(text.encode()), self) for text in EXAMPLES]
        self._pages = QStackedWidget()
        self._build()
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)
        self._waiting: list[LibraryItem] = []
        self._turn = QTimer(self, interval=0)
        self._playing = FrameQueue(self)  # looks for the steps
        self._connect()
        self._take_selection()
        self.answer()

    def _build(self) -> None:
        label = QLabel("Why is this not one token?")
        label.setBuddy(self.field)
        line = in_row(
            label,
            (self.field, 1),
            self.by_itself,
            self.in_text,
            spacing=GRID,
            margins=(MARGIN, GRID, MARGIN, 0),
        )
        self.seen.setContentsMargins(MARGIN, GRID // 2, MARGIN, GRID)
        self.area = CardArea()
        self._pages.addWidget(self.area)
        self._pages.addWidget(self.empty)
        column(line, self.seen, self.halves, Rule(), self._pages, grows=self._pages, into=self)

    def _connect(self) -> None:
        session = self.session
        self._soon.timeout.connect(self._begin)
        self._turn.timeout.connect(self._answer_next)
        self.field.textEdited.connect(self._take_typed)
        self.by_itself.clicked.connect(lambda: self.ask(self.field.text()))
        self.in_text.clicked.connect(self._take_selection)
        for action in self.examples:
            text = EXAMPLES[self.examples.index(action)]
            action.triggered.connect(lambda _=False, text=text: self.ask(text))
        session.selection_changed.connect(self._take_selection)
        session.text_changed.connect(self._take_selection)
        session.tokenizers_changed.connect(self._soon.start)
        session.special_changed.connect(self._soon.start)
        self.appearance.changed.connect(self._show_theme)

    # What is asked.

    def ask(self, text: str) -> None:
        """Asks about a string by itself."""
        self._playing.clear()
        if self.field.text() != text:
            with QSignalBlocker(self.field):
                self.field.setText(text)
        self._place = None
        self.question = alone(text)
        self._soon.start()

    def _take_typed(self, text: str) -> None:
        self.ask(text)

    def _take_selection(self) -> None:
        """Asks about the selected place of the text; without one, about the string by itself."""
        self._playing.clear()
        span, text_map = self.session.selection, self.session.text_map
        self.in_text.setEnabled(span is not None)
        if span is None:
            if self._place is not None:
                self.ask(self.question.text)
            return
        start, end = text_map.characters(*span)
        self._place = (start, end)
        self.question = asked(text_map, start, end)
        with QSignalBlocker(self.field):
            self.field.setText(self.question.text[: LONGEST + 1])
            self.field.setCursorPosition(0)
        self._soon.start()

    # The answers.

    def answer(self) -> None:
        """Shows all answers at once."""
        self._begin()
        while self._waiting:
            self._answer_next()

    def _begin(self) -> None:
        """Makes room for the answers, which follow one by one, each in its own turn of the event loop."""
        if not self.isVisible() and self.cards:
            return  # asked again when it is shown
        self._soon.stop()
        question = self.question
        size = question.end - question.start
        items = self.session.chosen()
        self.by_itself.setChecked(self._place is None)
        self.in_text.setChecked(self._place is not None)
        self._describe(size)
        self._waiting = []
        if size == 0 or size > LONGEST or not items:
            self._say_why_none(size, bool(items))
            return
        self._pages.setCurrentIndex(0)
        for key in [key for key in self.cards if key not in [item.key for item in items]]:
            self.area.take_out(self.cards.pop(key))
        self._waiting = items
        self._turn.start()

    def _answer_next(self) -> None:
        """Shows the answer of the next tokenizer."""
        if not self._waiting:
            self._turn.stop()
            return
        item = self._waiting.pop(0)
        if item.tokenizer is not None:
            card = self.cards.get(item.key) or self._add(item)
            self.area.put(list(self.cards).index(item.key), card)
            card.show_finding(finding(item.tokenizer, self.question, self.session.special))
        if not self._waiting:
            self._turn.stop()
            self._put_in_order()

    def _put_in_order(self) -> None:
        """Puts the cards, and their order for Tab, into the order of the library."""
        before: QWidget = self.in_text
        for row, item in enumerate(self.session.chosen()):
            card = self.cards.get(item.key)
            if card is None:
                continue
            self.area.put(row, card)
            for control in card.controls:
                QWidget.setTabOrder(before, control)
                before = control

    def _say_why_none(self, size: int, tokenizers: bool) -> None:
        self._pages.setCurrentIndex(1)
        offers = [(action, action.text()) for action in self.examples]
        if not tokenizers:
            self.say_no_tokenizer()
        elif size == 0:
            self.empty.say(*NOTHING_ASKED, offers)
        else:
            self.empty.say(
                f"{size:,} bytes are too many",
                f"What can be one token is far shorter than {LONGEST} bytes, where this page stops. "
                "Ask about a word or a phrase.",
                offers,
            )

    def _describe(self, size: int) -> None:
        halves = self.question.halves if size <= LONGEST else 0
        self.halves.setText(HALF_READ if halves == 1 else HALVES_READ.format(halves))
        self.halves.setVisible(halves > 0)
        if size == 0:
            self.seen.setText("")
            return
        question = self.question
        text = question.text
        where = "by itself" if self._place is None else "at its place in the text"
        shown = quoted(text.encode("utf-8", "replace"), 60)
        characters = "1 character" if len(text) == 1 else f"{len(text):,} characters"
        self.seen.setText(f"{shown}, {characters}, {size:,} byte{'s' * (size != 1)}, {where}")

    def _add(self, item: LibraryItem) -> WhyCard:
        theme = self.appearance.theme
        card = WhyCard(item.name, theme.identity(item.identity), theme)
        card.near_picked.connect(self.ask)
        card.play_wanted.connect(lambda key=item.key: self._play(key))
        card.put_wanted.connect(lambda key=item.key: self._put(key))
        self.cards[item.key] = card
        return card

    # Playing.

    def _play(self, key: str) -> None:
        """Shows the steps at a place of the text that is cut the same way, or offers to make the string the text.

        Each place, and then the steps, have their own turn of the event loop: together they would take longer
        than a frame.
        """
        item, answer = self.session.library.item(key), self.cards[key].finding
        if item is None or item.tokenizer is None or answer is None:
            return
        self._playing.clear()
        text, special = self.session.text_map.read_utf8, self.session.special
        places = places_to_play(item.tokenizer, answer, text, special)
        self._playing.add(partial(self._try_next, key, places))

    def _try_next(self, key: str, places: Iterator[Place | None]) -> None:
        for place in places:
            if place is None:
                self._playing.add(partial(self._try_next, key, places))
            else:
                self._playing.add(partial(self._show_steps, key, *place))
            return
        if key in self.cards:
            self.cards[key].offer_to_put()

    def _put(self, key: str) -> None:
        """Makes the string the whole text, and plays it."""
        answer = self.cards[key].finding
        if answer is None:
            return
        self.session.set_text(answer.question.text)
        self._show_steps(key, 0, self.session.text_map.byte_count, max(answer.step, 0))

    def _show_steps(self, key: str, start: int, end: int, step: int) -> None:
        self.session.set_current(key)
        self.session.select(start, end)
        self.trigger("merge_steps")  # so that the switch over the page follows
        self.play_requested.emit(key, step)

    @property
    def busy(self) -> bool:
        return self._playing.waiting or bool(self._waiting)

    # Looks.

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._soon.start()

    def focus_first(self) -> None:
        self.field.setFocus()
        self.field.selectAll()

    @property
    def last_control(self) -> QWidget | None:
        cards = list(self.cards.values())
        if not cards or self._pages.currentIndex() == 1:
            return self.empty.buttons[-1] if self.empty.buttons else self.field
        return cards[-1].controls[-1]

    def _show_theme(self) -> None:
        theme = self.appearance.theme
        for key, card in self.cards.items():
            item = self.session.library.item(key)
            if item is not None:
                card.set_theme(theme, theme.identity(item.identity))


def _mode(text: str, tip: str) -> QToolButton:
    button = named(FlatButton(), text, tip)
    button.setText(text)
    button.setCheckable(True)
    return button
