"""A lesson for an audience: the scene of a step on the stage, its prose next to it, its question in the band."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QLabel, QStackedWidget, QWidget

from tokenarium.app.lesson_asking import filled
from tokenarium.app.lessons import Lessons
from tokenarium.app.scenes import SceneStage
from tokenarium.models.lessons.answers import AnswerError
from tokenarium.style.appearance import StageAppearance
from tokenarium.style.fonts import HEADING_SIZE, READING_SIZE, SMALL_SIZE, ui_font
from tokenarium.style.theme import GRID
from tokenarium.views.decks import Deck, in_words
from tokenarium.views.presentation import deck_of
from tokenarium.views.text_decks import PretokensDeck, TokensDeck
from tokenarium.views.tokens import TokensPage, TokensView
from tokenarium.views.workspace import Workspace
from tokenarium.widgets.areas import page_area
from tokenarium.widgets.hands_up import HandsUp
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.lesson_prose import ProseLabel
from tokenarium.widgets.panel import named
from tokenarium.widgets.players.question_band import ChoiceState, StageQuestion

SOON_MS = 160
"""Milliseconds after which the stage follows the window, whose pages also follow the text a moment later."""

PROSE_SHARE = (2, 3)
"""The widths of the prose and of the stage."""

LARGEST, SMALLEST = READING_SIZE, SMALL_SIZE
"""Pixels of the prose before it is enlarged to fill its room."""

MOST_CHOICES = 6


def deck_of_step(space: Workspace, looks: StageAppearance) -> Deck:
    """Returns the deck of what a step of a lesson shows, which asks nothing itself: of a text, with all of its tokens."""
    is_text = isinstance(space, TokensView) and space.page.id == TokensPage.id
    deck: Deck = (
        TokensDeck(space.session, looks.theme, revealed=True)
        if is_text and space.session.text
        else deck_of(space, looks)
    )
    deck.ask_questions(False)
    if isinstance(deck, PretokensDeck):
        deck.show_all()
    return deck


class LessonDeck(Deck):
    """Follows the lesson of the window, and drives it.

    Up and Down go through the steps of what is on the stage, which then has the whole width; P shows the prose again.
    """

    reveals_first = True

    def __init__(
        self,
        lessons: Lessons,
        stage: SceneStage,
        workspace: Callable[[], Workspace],
        looks: StageAppearance,
    ) -> None:
        super().__init__()
        self._lessons = lessons
        self._workspace = workspace
        self._looks = looks
        self.inner: Deck | None = None
        self._said = ""  # about the answer, in Markdown
        self._revealed = False
        self._alone = False  # the stage, without the prose
        self.heading = named(QLabel(wordWrap=True), "The step")
        self.heading.setTextFormat(Qt.TextFormat.PlainText)
        self.heading.setFont(ui_font(HEADING_SIZE, QFont.Weight.Bold))
        self.prose = named(ProseLabel(), "What it says")
        self.prose.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        said = QWidget()
        in_column(self.heading, self.prose, STRETCH, into=said, spacing=GRID)
        self.area = page_area(said)
        self.area.viewport().setAutoFillBackground(False)
        said.setAutoFillBackground(False)
        self.hands = HandsUp(lessons.asking.hands, buttons=False)
        self.stage = QStackedWidget()
        prose, room = PROSE_SHARE
        self._words = QWidget()
        in_column((self.area, 1), self.hands, into=self._words, spacing=GRID)
        in_row((self._words, prose), (self.stage, room), into=self, spacing=2 * GRID)
        lessons.asking.hands.changed.connect(self._show_hands)
        self._fit_soon = QTimer(self, singleShot=True, interval=0)
        self._fit_soon.timeout.connect(self._fit)
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)
        self._soon.timeout.connect(self._follow_window)
        stage.shown.connect(self._soon.start)
        lessons.stepped.connect(self._show_step)
        self._follow_window()
        self._show_step()
        self._show_hands()

    @property
    def remembered(self) -> None:
        """Makes each step ask its question again."""

    @property
    def title(self) -> str:  # type: ignore[override]
        lesson = self._lessons.lesson
        return lesson.title if lesson is not None else "Lessons"

    @property
    def about(self) -> str:
        shown = self._lessons.step_shown
        noun = shown.noun if shown is not None else "Step"
        return f"{noun} {self.position + 1} of {self.length + 1}"

    @property
    def sentence(self) -> str:
        return self.inner.sentence if self._alone and self.inner is not None else ""

    @property
    def question(self) -> StageQuestion | None:
        question, hands = self._question, self._lessons.asking.hands
        if self._alone or question is None:
            return None
        return replace(question, keys=not hands.shown or hands.right >= 0)

    @property
    def step_label(self) -> str:
        return self.about

    @property
    def now(self) -> str:
        return self.sentence or self.heading.text()

    @property
    def notes(self) -> str:
        step, ready = self._lessons.current, self._lessons.ready
        if step is None:
            return ""
        if ready is None:
            return step.notes
        shown = [part for part in ready.parts if part.lesson]
        return f"{shown[self.position].notes}\n\n{step.notes}".rstrip()

    def following(self) -> str:
        step = self._lessons.step_shown
        return step.next_title if step is not None else ""

    @property
    def length(self) -> int:
        return max(0, len(self._lessons.route) - 1)

    @property
    def position(self) -> int:
        return self._lessons.place

    def go_to(self, position: int) -> None:
        wanted = max(0, min(position, self.length))
        if wanted != self.position:
            self._lessons.step(wanted - self.position)

    # What it shows.

    def _show_step(self) -> None:
        self._said, self._revealed = "", False
        self.show_alone(False)
        self.ask_again()
        self._show_words()
        self._soon.start()

    def _show_words(self) -> None:
        step = self._lessons.step_shown
        if step is None:
            return
        self.heading.setText(step.title)
        instead = f"*{step.instead}*" if step.instead and not step.number else ""
        parts = [self._said] if self._said else [step.prose, instead]
        self.prose.file = step.file
        self.prose.setText("\n\n".join(part for part in parts if part))
        self._fit()

    def _fit(self) -> None:
        """Makes the prose as large as it has room for."""
        room = self.area.viewport().size()
        shown = not self.heading.isHidden()
        above = self.heading.heightForWidth(room.width()) if shown else 0
        for size in range(LARGEST, SMALLEST - 1, -1):
            self.prose.setFont(ui_font(size))
            high = self.prose.heightForWidth(room.width())
            if high + GRID + above <= room.height():
                break
        self.area.verticalScrollBar().setValue(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _follow_window(self) -> None:
        """Shows the content of the window on the stage."""
        if self._lessons.lesson is None:
            return
        workspace = self._workspace()
        former = self.inner
        self.inner = deck_of_step(workspace, self._looks)
        if self._lessons.asking.hides:
            self.inner.hide_prediction(not self._revealed)
        self.stage.addWidget(self.inner)
        self.inner.setPalette(self._looks.theme.palette())
        self.stage.setCurrentWidget(self.inner)
        if former is not None:
            former.close_deck()
            self.stage.removeWidget(former)
            former.deleteLater()
        self.changed.emit()

    def go_inside(self, count: int) -> None:
        if self.inner is not None and self.inner.length:
            self.inner.go_to(self.inner.position + count)
            self.show_alone(True)

    def show_alone(self, alone: bool) -> None:
        """Gives the stage the whole width, with its sentence below it, or shows the prose next to it."""
        self._alone = alone
        self._words.setVisible(not alone)
        self.changed.emit()

    def switch_prose(self) -> None:
        self.show_alone(not self._alone)

    def advance(self) -> None:
        if self._alone:
            self.show_alone(False)
        else:
            super().advance()

    def leave(self) -> None:
        if self.inner is not None:
            self.inner.close_deck()

    # Hands.

    @property
    def takes_hands(self) -> bool:
        question, counted = self.question, self._lessons.asking.hands.total > 0
        return question is not None and bool(question.choices) and (counted or not self._revealed)

    def take_key(self, key: Qt.Key) -> bool:
        hands = self._lessons.asking.hands
        if key == Qt.Key.Key_H and self.takes_hands:
            hands.show(not hands.shown)
            return True
        return (
            hands.shown and self.takes_hands and hands.right < 0 and self.hands.bars.take_key(key)
        )

    def _show_hands(self) -> None:
        """Shows the bars instead of the prose, and below what is said once the answer is shown."""
        hands = self._lessons.asking.hands
        self.prose.setVisible(not hands.shown or hands.right >= 0)
        self.heading.setVisible(not hands.shown or hands.right < 0)
        self._fit_soon.start()
        self.changed.emit()

    # Questions.

    def make_question(self) -> StageQuestion | None:
        """Returns the question of the step; without choices, its answer can be revealed."""
        step = self._lessons.step_shown
        asked = step.question if step is not None else None
        if asked is None:
            return None
        choices = list(asked.choices[:MOST_CHOICES]) if asked.kind in ("choose", "merge") else []
        right = self.answer
        if choices and right not in choices:
            choices[-1] = right
        place = choices.index(right) if choices else -1
        ask = asked.ask.replace("**", "").replace("`", "")
        return StageQuestion(ask, "", [in_words(one) for one in choices], place)

    @property
    def answer(self) -> str:
        """The right answer, computed by the tokenizers of the lesson."""
        try:
            return self._lessons.asking.right_answer
        except AnswerError as error:
            return str(error)

    @property
    def hides_something(self) -> bool:
        return self._question is not None and not self._revealed

    def ask_questions(self, asks: bool) -> None:
        super().ask_questions(asks)
        self._show_words()

    def choose(self, place: int) -> None:
        if self._question is not None and place < len(self._question.choices):
            self._answered(place)

    def _answered(self, place: int) -> None:
        asking, question = self._lessons.asking, self._question
        if self._revealed or asking.question is None or question is None:
            return
        self._question = replace(question, states=question.answered(place))
        try:
            if place < 0:
                self._revealed = True
                after = filled(self._lessons.answers, asking.question.after)
                hands = asking.hands.show_right(self.answer)
                answer = f"**{self.answer}**" if self.answer and not question.choices else ""
                parts = [answer, after, hands]  # of choices, the right one is marked
                self._said = "\n\n".join(part for part in parts if part)
            else:
                self._revealed, self._said = asking.judged(question.choices[place].description)
                if self._revealed:
                    hands = asking.hands.show_right(self.answer)
                    self._said = "\n\n".join(part for part in (self._said, hands) if part)
                if (
                    not self._revealed
                ):  # it does not say which one is right, so the others can continue
                    states: tuple[ChoiceState, ...] = tuple(
                        "bad" if one == place else "open" for one in range(len(question.choices))
                    )
                    self._question = replace(question, states=states)
        except AnswerError as error:
            self._said = str(error)
        if self._revealed:
            if self.inner is not None:
                self.inner.hide_prediction(False)
            if asking.hides and asking.question.kind != "merge":
                asking.show_hidden()
                self._soon.start()  # what the window hid is not on the stage yet
        self._show_words()
        self.changed.emit()
