"""The question of a step: asked about the content of the window, and answered there or in the panel."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication

from tokenarium.models.lessons.answers import AnswerError, Answers, shown, told_tokens
from tokenarium.models.lessons.asking import (
    choices_of,
    cuts_of,
    hides_answer,
    is_right,
    pair_of,
    reason_of,
)
from tokenarium.models.lessons.hands import Hands
from tokenarium.models.lessons.known_answers import NotYetError
from tokenarium.models.lessons.lesson import LessonQuestion
from tokenarium.models.lessons.limits import MOST_PARTS
from tokenarium.models.merges.next_pair import NextPair, next_pair
from tokenarium.models.scene import Scene
from tokenarium.models.text.piece import readable
from tokenarium.session.session import Session
from tokenarium.views.workspace import Page, PagedWorkspace, Workspace

if TYPE_CHECKING:
    from tokenarium.widgets.lesson_question import QuestionCard, QuestionShown
    from tokenarium.widgets.text.token_tiles import ShownTile

MOST_TILES = 8
"""The most tokens that are shown with what is said about an answer."""

CHOSEN = ("choose", "merge")
"""The kinds of questions that a class can answer by a show of hands."""


class LessonAsking(QObject):
    """Asks the question of a step, and says whether an answer is right."""

    uncovered = Signal()
    """The window hides nothing of the answer any more: an answer was judged, or the right one is shown."""

    def __init__(
        self, session: Session, workspace: Callable[[], Workspace], parent: QObject
    ) -> None:
        """``workspace`` returns what the window shows."""
        super().__init__(parent)
        self._session = session
        self._workspace = workspace
        self.card: QuestionCard | None = None
        self.hands = Hands(self)
        """The show of hands for the question, if it has choices."""
        self.question: LessonQuestion | None = None
        self._answers = Answers([])
        self._scene = Scene()
        self._pair: NextPair | None = None
        self._answered = False
        self._given: object = None  # an answer that is checked once its value is computed
        self._guesses = False  # whether the window hides what answers the question
        self._guessing: Workspace | Page | None = None  # what hides it
        session.selection_changed.connect(self._look_at_selection)

    def ask(
        self, question: LessonQuestion | None, scene: Scene, answers: Answers, own: bool = False
    ) -> QuestionShown | None:
        """Returns a question about a scene as it is asked; None if there is nothing to ask.

        ``own``: it is about a text of the user's, whose tokens are not hidden.
        """
        asked = self._asked(question, scene, answers, own)
        self.hands.offer(asked.choices if asked is not None and asked.kind in CHOSEN else ())
        return asked

    def _asked(
        self, question: LessonQuestion | None, scene: Scene, answers: Answers, own: bool
    ) -> QuestionShown | None:
        self.question, self._scene, self._answers = question, scene, answers
        self._pair, self._answered, self._given = None, False, None
        self._hide_answer(False)
        if question is None:
            return None
        answer = self._value(question, answers)
        choices = list(dict.fromkeys(choices_of(question, answers)))
        parts: list[str] = []
        if question.kind == "merge":
            self._pair = self._pair_now() or pair_of(scene, answers)
            if self._pair is None:
                self.question = None
                return None
            choices = [str(one) for one in self._pair.choices]
        if question.kind == "choose" and answer is not None and shown(answer) not in choices:
            choices = sorted([*choices, shown(answer)], key=_as_number)
        if question.kind == "order" and isinstance(answer, list):
            parts = [shown(one) for one in answer]
            random.Random(question.ask).shuffle(parts)
        try:
            if question.kind == "split":
                parts = list(answers.filled(question.text))
            if question.part == "cut":
                parts, choices = cuts_of(scene, answers)
        except AnswerError:
            self.question = None  # the text of the step says why
            return None
        if len(parts) > MOST_PARTS:
            self.question = None
            return None
        self._hide_answer(hides_answer(question) and not (own and question.kind != "merge"))
        from tokenarium.widgets.lesson_question import QuestionShown

        return QuestionShown(
            question.kind if question.part == "token" else "cut",
            filled(answers, question.ask),
            tuple(choices),
            tuple(parts),
            filled(answers, question.hint),
            self._guesses,
        )

    def _value(self, question: LessonQuestion, answers: Answers) -> Any:
        try:
            return None if question.kind in ("write", "merge") else answers.value(question.answer)
        except AnswerError:
            return None

    @property
    def right_answer(self) -> str:
        """The right answer, as it is shown; empty if there are many."""
        question = self.question
        if question is None or question.kind == "write":
            return ""
        if question.kind == "merge":
            return str(self._pair.choices[self._pair.right]) if self._pair is not None else ""
        answer = self._answers.value(question.answer)
        if question.part == "cut" and isinstance(answer, int):
            return self._around_cut(answer)
        return shown(answer)

    # The next merge.

    def _pair_now(self) -> NextPair | None:
        """The next merge in the visible player."""
        space = self._workspace()
        page = space.page if isinstance(space, PagedWorkspace) else None
        run = page.run if page is not None else None
        return next_pair(run) if run is not None else None

    @property
    def hides(self) -> bool:
        """Whether the window hides what answers the question now."""
        return self._guesses

    def show_hidden(self) -> None:
        """Shows what the window hides, once the question is answered."""
        self._hide_answer(False)
        self.uncovered.emit()

    def _hide_answer(self, hide: bool) -> None:
        """Hides what answers the question in the window, while the question is open."""
        self._guesses = hide
        space = self._workspace()
        part = space.page if isinstance(space, PagedWorkspace) else space
        former = self._guessing
        if former is not None and (not hide or former is not part):
            former.hide_answer(False)
            self._guessing = None
        if hide and former is not part:
            part.hide_answer(True)
            self._guessing = part

    def follow_player(self) -> None:
        """Asks about the step of the player, if it has changed since the question was asked."""
        if self._guesses:
            self._hide_answer(True)  # the page of the scene may have been shown since
        pair = self._pair_now()
        if pair is not None and not self._answered and pair != self._pair:
            self.ask_next()

    def ask_next(self) -> None:
        """Asks about the step that the window shows now, instead of one that was answered."""
        question = self.question
        if question is not None and question.kind == "merge" and self.card is not None:
            self.show(self.ask(question, self._scene, self._answers))

    def show(self, asked: QuestionShown | None) -> None:
        """Shows a different question in the card."""
        if self.card is not None:
            self.card.setVisible(asked is not None)
            if asked is not None:
                self.card.ask(asked)

    # Cuts.

    def _around_cut(self, byte: int) -> str:
        parts, cuts = cuts_of(self._scene, self._answers)
        place = cuts.index(str(byte)) if str(byte) in cuts else -1
        return f"{parts[place]} | {parts[place + 1]}" if place >= 0 else str(byte)

    def take_cut(self, byte: int) -> None:
        """Answers with a cut, the byte after it, if the question asks for one."""
        if self.question is not None and self.question.part == "cut":
            self.answer(str(byte))

    # Answers.

    def judged(self, given: object) -> tuple[bool, str]:
        """Returns whether an answer to the question is right, and what is said about it, in Markdown.

        Raises AnswerError if that cannot be computed.
        """
        question, answers = self.question, self._answers
        assert question is not None, "nothing is asked"
        right = is_right(question, given, answers, self._pair)
        reason = reason_of(question, str(given), answers)
        said = question.after if right else reason or question.hint or "Try once more."
        return right, filled(answers, f"{reason} {said}" if right and reason else said)

    def answer(self, given: object) -> None:
        """Says whether an answer is right, and why."""
        question, card = self.question, self.card
        if question is None or card is None:
            return
        try:
            right, said = self.judged(given)
            answer = self.right_answer
        except NotYetError:
            self._given = given
            return
        except AnswerError as error:
            card.say("bad", str(error))
            return
        self._answered = True
        if right or question.kind != "merge":
            self.show_hidden()
        if question.part == "cut":
            given, answer = str(given), str(given) if right else ""
        card.say(
            "good" if right else "bad",
            f"{said} {self.hands.show_right(answer)}".strip() if right else said,
            str(given),
            answer if right else "",
            self._tiles() if right else (),
        )
        if right and question.kind == "merge":
            self._play_merge()

    @property
    def waits(self) -> bool:
        """Whether an answer waits for its value."""
        return self._given is not None

    def go_on(self) -> None:
        """Checks an answer that had to wait for its value."""
        given, self._given = self._given, None
        if given is not None:
            self.answer(given)

    def _play_merge(self) -> None:
        """Plays the merge in the window that the question was about."""
        space = self._workspace()
        page = space.page if isinstance(space, PagedWorkspace) else None
        player = page.player if page is not None else None
        if player is not None:
            player.pause()
            player.go_to(min(player.position + 1, player.length))

    def reveal(self) -> None:
        """Shows the answer."""
        question, answers, card = self.question, self._answers, self.card
        if question is None or card is None:
            return
        after = filled(answers, question.after)
        self.show_hidden()
        if question.kind == "write":
            card.say("", after)
            return
        try:
            answer = self.right_answer
        except AnswerError as error:
            card.say("bad", str(error))
            return
        value = self._value(question, answers)
        marked = str(value) if question.part == "cut" else answer
        said = f"**{answer}**. {after} {self.hands.show_right(answer)}"
        card.say("", said.strip(), right=marked, tiles=self._tiles())

    def _tiles(self) -> Sequence[ShownTile]:
        """Returns the tokens that the right answer counts or lists, if they are few."""
        told = (
            told_tokens(self.question.answer, self._answers) if self.question is not None else None
        )
        if told is None or len(told[1]) > MOST_TILES:
            return ()
        from tokenarium.widgets.analysis.tiles_view import tile_of  # few starts need it

        tokenizer, ids = told
        return [tile_of(tokenizer, id, place) for place, id in enumerate(ids)]

    def _look_at_selection(self) -> None:
        """Takes a selected token as the answer to a question that asks for one.

        A clicked token is the answer. A token that was reached by keys counts only if it is right, as keys pass others.
        """
        question, session, card = self.question, self._session, self.card
        if question is None or card is None or question.kind != "click" or question.part == "cut":
            return
        if session.selection is None or not card.isVisible():
            return
        start, end = session.selection
        token = readable(session.text_map.utf8_of(start, end))
        if (start, end) == self._scene.selection:
            return  # the scene's own selection
        card.show_selected(token)
        clicked = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        with suppress(AnswerError):
            if clicked or is_right(question, token, self._answers):
                self.answer(token)


def filled(answers: Answers, prose: str) -> str:
    """Returns prose with its values, or with a sentence in place of a value that cannot be computed."""
    try:
        return answers.filled(prose).replace("“ ", "“\u00a0")  # the quotation contains no line ends
    except AnswerError as error:
        return f"{prose}\n\n*{error}*"


def _as_number(text: str) -> tuple[float, str]:
    digits = text.replace(",", "")
    return (float(digits) if digits.replace(".", "", 1).isdecimal() else 0.0, text)
