"""Decks for presentations: each has a stage with steps, a sentence for each, and perhaps a question before it.

This module has their base, and the deck of bars.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QWidget

from tokenarium.analyses.parts import Board
from tokenarium.models.merges.next_pair import MOST_CHOICES
from tokenarium.models.text.piece import counted
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.style.fonts import LESSON_SIZE, ui_font
from tokenarium.style.theme import GRID, Theme
from tokenarium.views.kept import Kept, kept_value
from tokenarium.widgets.charts.stage_bars import StageBar, StageBars
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.players.question_band import Choice, StageQuestion
from tokenarium.widgets.veil import cover

if TYPE_CHECKING:  # most presentations do not need it
    from tokenarium.widgets.players.step_player import StepPlayer

ANSWER_MS = 1100
"""Milliseconds for which an answer is shown before the step plays."""


MOST_ROWS = 12
"""The most bars at once."""


def asked(
    title: str, note: str, right: Choice, others: Iterable[Choice], seed: int
) -> StageQuestion | None:
    """Returns a question with up to four different choices in a fixed order; None without wrong choices.

    The first wrong choices are used.
    """
    wrong: list[Choice] = []
    for one in others:
        if one.texts != right.texts and all(one.texts != other.texts for other in wrong):
            wrong.append(one)
    if not wrong:
        return None
    chosen = [right, *wrong[: MOST_CHOICES - 1]]
    Random(seed).shuffle(chosen)
    return StageQuestion(title, note, chosen, chosen.index(right))


def in_words(text: str) -> Choice:
    """Returns a choice without a tile."""
    return Choice((text,), (-1,))


def asked_number(
    title: str, note: str, right: int, likely: Iterable[int], seed: int
) -> StageQuestion | None:
    """Returns a question for a number; the wrong choices are the likely numbers that are nearest to it."""
    near = sorted(likely, key=lambda one: abs(one - right))
    others = [in_words(f"{guess:,}") for guess in near if guess > 0]
    return asked(title, note, in_words(f"{right:,}"), others, seed)


class Deck(QWidget):
    """Base of what is presented. `changed`: the sentence, the question or the step has changed.

    A deck has a position from 0 to `length`; one without steps has the length 0. Before a step it may ask a question
    (`make_question`), and then hides the answer (`hide_answer`).
    """

    changed = Signal()

    title = ""
    item: LibraryItem | None = None
    """The tokenizer whose marker is next to the title, if the deck is about one."""

    reveals_first = False
    """Whether continuing shows a hidden answer before the next step; otherwise the step itself shows it."""

    noun = ""
    """The noun for a step, for `about`."""

    plays: StepPlayer | None = None
    """The player of the same steps in the window, which then stops where the presentation ended."""

    def __init__(self) -> None:
        super().__init__()
        self._place = self._length = 0
        self._seen: set[Hashable] = set()  # the questions asked before; see `remembered`
        self._asks = True
        self._question: StageQuestion | None = None
        self._answer = QTimer(self, singleShot=True, interval=ANSWER_MS)
        self._answer.timeout.connect(self._go_on_after_answer)

    # What a deck defines.

    @property
    def busy(self) -> bool:
        """Whether it will look different without being touched: something is being computed for it."""
        return False

    @property
    def about(self) -> str:
        """A few words at the right of the title."""
        return f"{self.position:,} of {counted(self.length, self.noun)}" if self.noun else ""

    def step_sentence(self, place: int) -> str:
        """Returns the sentence of a step."""
        return ""

    def coming(self, place: int) -> str:
        """Returns a description of a step, for the presenter."""
        return self.step_sentence(place)

    @property
    def sentence(self) -> str:
        """The sentence of the current step, which is the subtitle if nothing is asked."""
        return self.step_sentence(self.position)

    @property
    def length(self) -> int:
        """The number of steps; 0 if there are none."""
        return self._length

    @property
    def position(self) -> int:
        """The current step."""
        return self._place

    @property
    def step_label(self) -> str:
        """The step in words, for the presenter."""
        return f"Step {self.position:,} of {self.length:,}" if self.length else ""

    @property
    def now(self) -> str:
        """What the audience sees, in words, for the presenter."""
        return self.sentence

    @property
    def notes(self) -> str:
        """What only the presenter reads."""
        return ""

    def following(self) -> str:
        """Returns the next step in words, for the presenter; "" after the last one."""
        return self.coming(self.position + 1) if self.position < self.length else ""

    def begin(self, length: int, place: int = 0) -> None:
        """Shows the first step, once all parts are made."""
        self._length, self._place = length, place
        self.show_position(place, place)
        self.ask_again()

    def keeps(self) -> tuple[Kept, ...]:
        """Returns what scenes keep: the step."""
        return (kept_value("step", int, lambda: self.position, self.go_to),)

    def show_position(self, position: int, before: int) -> None:
        """Shows a step; ``before`` is the previous one."""

    @property
    def remembered(self) -> Hashable:
        """The key by which a seen answer is remembered, so that it is not asked again; None: it is asked again."""
        return self.position if self.reveals_first else None

    def make_question(self) -> StageQuestion | None:
        """Returns the question before the next step, if any."""
        return None

    def hide_answer(self, hidden: bool) -> None:
        """Hides or shows the answer to the question."""

    def hide_prediction(self, hidden: bool) -> None:
        """Hides or shows what answers the question of a lesson, which knows the deck only from outside; by default all of it."""
        cover(self, hidden)

    def leave(self) -> None:
        """Shows the same state in the window, when the presentation ends."""
        if self.plays is not None:
            self.plays.go_to(self.position, by_hand=True)

    # Questions.

    @property
    def question(self) -> StageQuestion | None:
        """The question of the band, instead of the sentence."""
        return self._question

    @property
    def answer(self) -> str:
        """The right answer to the question, in words; "" where nothing is asked."""
        question = self._question
        return question.choices[question.right].description if question is not None else ""

    @property
    def hides_something(self) -> bool:
        """Whether there is an answer to reveal."""
        return self._question is not None and not self._question.states

    def ask_questions(self, asks: bool) -> None:
        """Asks before the steps, or says what they do."""
        self._asks = asks
        self.ask_again()

    @property
    def _has_next(self) -> bool:
        """Whether there is something to ask about: a hidden answer, or another step."""
        return self.reveals_first or self.position < self.length

    def ask_again(self) -> None:
        """Asks the question of the current step, if there is one."""
        self._answer.stop()
        asks = self._asks and self.remembered not in self._seen
        self._question = self.make_question() if asks and self._has_next else None
        self._hide(self._question is not None)
        self.changed.emit()

    def _hide(self, hidden: bool) -> None:
        if not hidden and self.remembered is not None:
            self._seen.add(self.remembered)
        self.hide_answer(hidden)

    def reveal(self) -> None:
        """Shows the answer."""
        if self.hides_something:
            self._answered(-1)

    def choose(self, place: int) -> None:
        """Answers the question; then comes the next step, or the sentence that explains the answer."""
        question = self._question
        if question is not None and not question.states and place < len(question.choices):
            self._answered(place)
            self._answer.start()

    def _answered(self, place: int) -> None:
        assert self._question is not None
        self._question = replace(self._question, states=self._question.answered(place))
        self._hide(False)
        if place < 0 and self.reveals_first:
            self._question = None  # the sentence gives the reason
        self.changed.emit()

    def _go_on_after_answer(self) -> None:
        if self.reveals_first:
            self._question = None
            self.changed.emit()
        else:
            self.advance()

    # Steps.

    def go_to(self, position: int) -> None:
        """Shows a step, and asks before the next one."""
        self._answer.stop()
        before, self._place = self._place, max(0, min(position, self.length))
        self.show_position(self._place, before)
        self.ask_again()

    def advance(self) -> None:
        """Continues: shows a hidden answer, or the next step."""
        if self.reveals_first and self.hides_something:
            self.reveal()
        elif self.position < self.length:
            self.go_to(self.position + 1)

    @property
    def takes_hands(self) -> bool:
        """Whether a class can answer the question by a show of hands, whose counts are entered with keys."""
        return False

    def take_key(self, key: Qt.Key) -> bool:
        """Handles a key that only this deck knows; returns whether it has a meaning."""
        return False

    def go_inside(self, count: int) -> None:
        """Goes through the steps on the stage, if the deck has different ones."""

    def switch_prose(self) -> None:
        """Hides or shows the prose next to the stage, if there is any."""

    def close_deck(self) -> None:
        """Ends its running work."""
        self._answer.stop()
        self.leave()


class BarsDeck(Deck):
    """Boards of bars, one after another; the values of each are first a question."""

    reveals_first = True

    def __init__(self, title: str, boards: Sequence[Board], theme: Theme, first: int = 0) -> None:
        """Begins with the board ``first``."""
        super().__init__()
        self.title = title
        self._boards = boards
        self._theme = theme
        self.heading = QLabel()
        self.heading.setTextFormat(Qt.TextFormat.PlainText)
        self.heading.setFont(ui_font(LESSON_SIZE, QFont.Weight.DemiBold))
        self.bars = StageBars()
        in_column(self.heading, (self.bars, 1), into=self, spacing=GRID // 2)
        self.begin(len(boards) - 1, first)

    @property
    def _board(self) -> Board:
        return self._boards[self._place]

    @property
    def about(self) -> str:
        return f"{self._place + 1} of {len(self._boards)}"

    def step_sentence(self, place: int) -> str:
        return self._boards[place].sentence

    def coming(self, place: int) -> str:
        return f"{self._boards[place].title}: {self.step_sentence(place)}"

    def show_position(self, position: int, before: int) -> None:
        self.heading.setText(self._board.title)
        self.hide_answer(False)

    def hide_answer(self, hidden: bool) -> None:
        bars = self._board.bars[:MOST_ROWS]
        if hidden:  # their order would say which is the answer
            bars = sorted(bars, key=lambda bar: bar.name)
        self.bars.show_bars(
            [
                StageBar(bar.name, bar.said, bar.share, self._theme.identity(bar.colour), bar.best)
                for bar in bars
            ],
            hidden,
        )

    hide_prediction = hide_answer

    def make_question(self) -> StageQuestion | None:
        board = self._board
        if board.right < 0 or not board.question:
            return None
        bars = sorted(
            board.bars[:MOST_ROWS], key=lambda bar: abs(bar.share - board.bars[board.right].share)
        )
        return asked(
            board.question,
            board.note,
            in_words(board.bars[board.right].name),
            [in_words(bar.name) for bar in bars],
            self._place,
        )
