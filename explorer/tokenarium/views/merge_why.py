"""The page "Why not one?" of the workspace Merges: why a string is not one token, for each tokenizer that is on."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSignalBlocker, QTimer
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QStackedWidget, QWidget

from tokenarium.models.merges.why_finding import LONGEST, alone, asked
from tokenarium.models.programs import CodeValue
from tokenarium.models.text.piece import quoted, readable
from tokenarium.style.theme import CARD_MARGIN, GRID, PAGE_MARGIN, Theme
from tokenarium.views.decks import Deck
from tokenarium.views.kept import Kept, kept_scroll, text_of
from tokenarium.views.page_program import page_program
from tokenarium.views.why_answers import WhyAnswers
from tokenarium.views.workspace import SOON_MS, Page, Workspace, column
from tokenarium.widgets.areas import CardArea
from tokenarium.widgets.keyboard import ShortcutFirst
from tokenarium.widgets.layouts import in_row
from tokenarium.widgets.panel import CardFrame, ElidedLabel, named, secondary
from tokenarium.widgets.segmented import Segmented

EXAMPLES = ("Tokenarium", "2024", "don't")
"""Strings that tokenizers treat in different ways: not in the vocabulary, digits, a contraction."""

NOTHING_ASKED = (
    "Why is this not one token?",
    "Type a string above, or select one in the text: each tokenizer that is on says why it is not one token. "
    "A space in front counts. Or start with one of these:",
)

HALF_READ = (
    "One character is half of a surrogate pair, which UTF-8 cannot hold: "
    "tokenizers read U+FFFD (\N{REPLACEMENT CHARACTER}) in its place, and the answers are about that."
)
HALVES_READ = (
    "{:,} characters are halves of surrogate pairs, which UTF-8 cannot hold: "
    "tokenizers read U+FFFD (\N{REPLACEMENT CHARACTER}) in the place of each, and the answers are about that."
)


WIDEST = 816
"""Pixels of the card in a wide window."""


IMPORTS = """
from tokenarium.models.merges.why_finding import alone, asked, finding
from tokenarium.models.text.piece import plain
from tokenarium.models.text.text_map import TextMap
"""

PROGRAM = """
rows = []
for name, tokenizer in TOKENIZERS.items():
    found = finding(tokenizer, QUESTION, SPECIAL)
    rows.append({
        "tokenizer": name,
        "one token": found.is_one,
        "why": plain(found.sentence) or found.error,
        "facts": [f"{fact.label} {plain(fact.sentence)}".strip() for fact in found.facts],
        "tokens": [symbol.id for word in found.touched for symbol in word],
        "near": [near.text for near in found.near],
    })
"""


class WhyPage(Page):
    """A field for a string, and the answers of all tokenizers."""

    id = "why"
    title = "Why not one?"
    follows_text = True

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.question = alone("")
        self._place: tuple[int, int] | None = None  # the selection in question
        self.field = named(QLineEdit(clearButtonEnabled=True), "The string to ask about")
        self.field.setPlaceholderText("a word or a phrase, with its space in front if it has one")
        self.field.setMinimumHeight(36)
        self._keys = ShortcutFirst(self.field)
        self.mode = named(Segmented(("By itself", "In the text")), "What is asked about")
        self.mode.setTabToolTip(0, "Asks about the string as if it were the whole text")
        self.mode.setTabToolTip(
            1,
            "Asks about the string where it is selected: the text around it can join it or split it differently",
        )
        self.seen = named(secondary(ElidedLabel()), "What is asked about")
        self.halves = secondary(QLabel(wordWrap=True))
        self.halves.setContentsMargins(PAGE_MARGIN, 0, PAGE_MARGIN, GRID)
        self.halves.hide()
        self.examples = [QAction(readable(text.encode()), self) for text in EXAMPLES]
        self.answers = WhyAnswers(self.session, self.appearance)
        self._pages = QStackedWidget()
        self._build()
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)
        self._connect()
        self._take_selection()
        self.answer()

    def _build(self) -> None:
        label = QLabel("Why is this not one token?")
        label.setBuddy(self.field)
        margins = (PAGE_MARGIN, 2 * GRID, PAGE_MARGIN, 0)
        line = in_row(label, (self.field, 1), self.mode, spacing=GRID, margins=margins)
        self.seen.setContentsMargins(PAGE_MARGIN, GRID // 2, PAGE_MARGIN, GRID)
        self.area = CardArea(framed=True)
        body, card = QWidget(), CardFrame()
        card.setMaximumWidth(WIDEST + 2 * CARD_MARGIN)
        in_row(self.answers, into=card, margins=CARD_MARGIN)
        in_row((card, 1), (None, 0), into=body, margins=(PAGE_MARGIN, GRID, PAGE_MARGIN, 2 * GRID))
        self.area.put(0, body)
        self._pages.addWidget(self.area)
        self._pages.addWidget(self.empty)
        column(line, self.seen, self.halves, self._pages, grows=self._pages, into=self)

    def _connect(self) -> None:
        session = self.session
        self._soon.timeout.connect(self._begin)
        self.answers.asked.connect(self.ask)
        self.field.textEdited.connect(self.ask)
        self.mode.chosen.connect(self._choose_mode)
        for action in self.examples:
            text = EXAMPLES[self.examples.index(action)]
            action.triggered.connect(lambda _=False, text=text: self.ask(text))
        session.selection_changed.connect(self._take_selection)
        session.text_changed.connect(self._take_selection)
        session.tokenizers_changed.connect(self._soon.start)
        session.special_changed.connect(self._soon.start)

    def keeps(self) -> Iterable[Kept]:
        bar = self.area.verticalScrollBar()
        return (
            Kept("asked", self._asked_alone, lambda text: self.ask(text_of(text))),
            *self.answers.keeps(self._soon.isActive),
            kept_scroll("top", bar, lambda: not (self.busy or self._soon.isActive())),
        )

    def _asked_alone(self) -> str | None:
        """Returns the string that is asked about by itself; None if it is the selection, which scenes store."""
        return self.field.text() if self._place is None else None

    # The question.

    def ask(self, text: str) -> None:
        """Asks about a string by itself."""
        self.answers.forget_plays()
        if self.field.text() != text:
            with QSignalBlocker(self.field):
                self.field.setText(text)
        self._place = None
        self.question = alone(text)
        self._soon.start()

    def _choose_mode(self, place: int) -> None:
        if place:
            self._take_selection()
        else:
            self.ask(self.field.text())

    def _take_selection(self) -> None:
        """Asks about the selection; without one, about the string by itself."""
        self.answers.forget_plays()
        span, text_map = self.session.selection, self.session.text_map
        self.mode.setTabEnabled(1, span is not None)
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
        self.answers.finish()

    def _begin(self) -> None:
        """Asks; the answers follow one by one, each in its own turn of the event loop."""
        if not self.isVisible() and self.answers.findings:
            return  # asked again when it is shown
        self._soon.stop()
        question = self.question
        size = question.end - question.start
        items = self.session.chosen()
        self.mode.choose(int(self._place is not None))
        self._describe(size)
        if size == 0 or size > LONGEST or not items:
            self._say_why_none(size, bool(items))
            return
        self._pages.setCurrentIndex(0)
        self.answers.ask(question)

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
        place = "by itself" if self._place is None else "at its place in the text"
        shown = quoted(text.encode("utf-8", "replace"), 60)
        characters = "1 character" if len(text) == 1 else f"{len(text):,} characters"
        self.seen.setText(f"{shown}, {characters}, {size:,} byte{'s' * (size != 1)}, {place}")

    def deck(self, theme: Theme) -> Deck | None:
        from tokenarium.views.step_decks import WhyDeck

        return WhyDeck(self.answers, theme) if self.answers.findings else None

    def python(self) -> str:
        question, items = self.question, self.session.chosen()
        size = question.end - question.start
        if not items or not 0 < size <= LONGEST:
            return ""
        placed = self._place is not None
        expression = "alone(TEXT)"
        if placed:
            expression = f"asked(TextMap(TEXT), {question.start}, {question.end})"
        return page_program(
            self.session,
            self.title,
            IMPORTS,
            PROGRAM,
            text=self.session.text if placed else question.text,
            items=items,
            question=CodeValue(expression),
            special=self.session.special,
        )

    @property
    def busy(self) -> bool:
        return self.answers.busy

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._soon.start()

    def focus_first(self) -> None:
        self.field.setFocus()
        self.field.selectAll()
