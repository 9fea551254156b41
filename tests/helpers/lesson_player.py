"""Plays a lesson in the window as a person does, and says what is not as the lesson says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from narrowed import of_kind, there
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.models.lessons.answers import AnswerError
from tokenarium.models.lessons.asking import reason_of
from tokenarium.models.lessons.lesson import LessonQuestion
from tokenarium.models.lessons.marks import mark_of
from tokenarium.models.text.piece import readable
from tokenarium.models.text.token_row import TokenRow
from tokenarium.views.bytes import BytesView
from tokenarium.views.merge_training import MergeTrainingPage
from tokenarium.views.merges import StepsPage
from tokenarium.views.pretokens import PretokensView
from tokenarium.views.tokens import TokensPage, TokensView
from tokenarium.views.workspace import PagedWorkspace
from tokenarium.widgets.lesson_panel import LessonPanel
from tokenarium.widgets.lesson_question import QuestionCard
from tokenarium.widgets.players.merge_body import MergeBody
from tokenarium.widgets.text.interlinear_view import InterlinearView
from tokenarium.widgets.text.token_cards import TokenCards
from tokenarium.widgets.veil import Veil

YES, NO = "**Yes.** ", "**Not quite.** "
"""How the verdict on an answer begins."""

QUOTED = re.compile("“([^”]+)”")


class LessonPlayer:
    """A reader of a lesson, who follows its marks and its hints, tries what is wrong, and then gives the right answer."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window = window
        self.qtbot = qtbot
        self.lessons = window.lessons

    def faults(self, id: str) -> list[str]:
        """Returns a sentence for each fault of a lesson, with the line of its step."""
        self.lessons.open(id, 0)
        lesson = there(self.lessons.lesson)
        found = []
        for number, step in enumerate(lesson.steps):
            self.lessons.open(id, number)
            self.settle(number)
            found += [f"line {step.line}: {fault}" for fault in self.faults_of_step()]
        return found

    def settle(self, number: int) -> None:
        """Waits until a step is shown, with its tokens."""
        lessons, window = self.lessons, self.window

        def is_shown() -> bool:
            shown = lessons.step_shown
            here = shown is not None and shown.number == number and shown.lesson == lesson.title
            rests = not (window.stage.busy or window.workspace.busy or window.session.opening)
            encoded = [window.session.encoded(item.key) for item in window.session.chosen()]
            return here and rests and not lessons.waits and None not in encoded

        lesson = there(lessons.lesson)
        self.qtbot.waitUntil(is_shown)
        self.qtbot.wait(1)  # a layout shows the parts of a new question in the next turn

    @property
    def panel(self) -> LessonPanel:
        """The panel of the lessons."""
        return there(self.lessons.panel)

    @property
    def card(self) -> QuestionCard:
        """The question of the step."""
        return self.panel.question

    def faults_of_step(self) -> Iterator[str]:
        """Yields the faults of the step that is shown."""
        step = there(self.lessons.current)
        if "has no value" in self.panel.prose.text():
            yield f"the prose has no value: {self.panel.prose.text()}"
        yield from self.faults_of_marks()
        question = self.lessons.asking.question
        if step.question is not None and question is None:
            yield "its question is not asked"
        if question is None:
            return
        if self.lessons.asking.hides:
            self.card.hint.click()
            yield from (f"{one} before the answer" for one in answers_in_sight(self.window))
        yield from self.faults_of_hint(question)
        yield from self.faults_of_choices(question)
        yield from self.faults_of_answer(question)
        if not answers_in_sight(self.window) and not self.card.another.isVisible():
            yield "nothing is shown after the answer"

    def faults_of_marks(self) -> Iterator[str]:
        """Yields the marks that are not in sight."""
        scene = there(self.lessons.current).scene
        if scene is None or not scene.mark:
            return
        rings = there(self.lessons.marks.rings)
        for _ in range(200):  # the page may be about to show it
            if rings.rings:
                break
            self.qtbot.wait(10)
        window = self.window.rect()
        corner = self.window.mapToGlobal(QPoint())
        for written in self.lessons.shown_marks:
            rects = self.lessons.marks.rects_of(mark_of(written), self.lessons.items)
            inside = [rect.translated(-corner) for rect in rects]
            if not inside or not all(_in_sight(rect, window) for rect in inside):
                yield f"the mark “{written}” is not in sight"

    def faults_of_hint(self, question: LessonQuestion) -> Iterator[str]:
        """Yields the examples of the hint that are refused, if a text is to be written."""
        if question.kind != "write":
            return
        self.card.hint.click()
        examples = QUOTED.findall(self.card.verdict.text().replace("\u00a0", " "))
        if not examples:
            yield "its hint has no example"
        for example in examples:
            if not self.writes(example).startswith(YES):
                yield f"the example “{example}” of its hint is refused"

    def faults_of_choices(self, question: LessonQuestion) -> Iterator[str]:
        """Yields the wrong choices without a reason."""
        if question.kind != "choose":
            return
        answers = self.lessons.answers
        right = self.lessons.asking.right_answer
        for place, choice in enumerate(button.text() for button in self.card.choices):
            if choice == right:
                continue
            reason = reason_of(question, choice, answers)
            self.click(self.card.choices[place])
            said = self.card.verdict.text()
            if not reason or not said.startswith(NO):
                yield f"the wrong choice “{choice}” has no reason: {said}"
            elif "has no value" in said:
                yield f"the reason of “{choice}” has no value: {said}"

    def faults_of_answer(self, question: LessonQuestion) -> Iterator[str]:
        """Gives the right answer as a person does; yields what is said if it is refused."""
        try:
            right = self.lessons.asking.right_answer
        except AnswerError as error:
            yield str(error)
            return
        give: dict[str, Callable[[str], str]] = {
            "choose": self.chooses,
            "merge": self.chooses,
            "number": self.writes,
            "order": self.orders,
            "split": self.splits,
            "click": self.clicks_cut if question.part == "cut" else self.clicks_token,
        }
        said = give[question.kind](right) if question.kind in give else YES
        if not said.startswith(YES) or "has no value" in said:
            yield f"the answer “{right}” is refused: {said}"

    # How a person answers.

    def click(self, button: QPushButton) -> None:
        """Clicks a button with the mouse."""
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    def check(self) -> str:
        """Presses Check; returns the verdict."""
        buttons = self.card.findChildren(QPushButton)
        self.click(next(one for one in buttons if one.text() == "Check" and one.isVisible()))
        return self.card.verdict.text()

    def chooses(self, choice: str) -> str:
        """Clicks a choice; returns the verdict."""
        for button in self.card.choices:
            if button.text() == choice:
                self.click(button)
                return self.card.verdict.text()
        return "there is no such choice"

    def writes(self, text: str) -> str:
        """Writes a text or a number, and presses Return; returns the verdict."""
        field = there(self.card.field)
        field.clear()
        if text.isascii():
            self.qtbot.keyClicks(field, text)
        else:  # Qt's tests have keys for ASCII alone; what others are typed with commits them
            typed = QInputMethodEvent()
            typed.setCommitString(text)
            QApplication.sendEvent(field, typed)
        self.qtbot.keyClick(field, Qt.Key.Key_Return)
        return self.card.verdict.text()

    def orders(self, _: str) -> str:
        """Moves the rows with Alt and the arrow keys; returns the verdict."""
        items, question = there(self.card.items), there(self.lessons.asking.question)
        wanted = self.lessons.answers.value(question.answer)
        assert isinstance(wanted, list)
        for place, text in enumerate(wanted):
            row = next(n for n in range(place, items.count()) if items.item(n).text() == text)
            items.setCurrentRow(row)
            for _step in range(row - place):
                self.qtbot.keyClick(items, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
        return self.check()

    def splits(self, _: str) -> str:
        """Cuts the characters of the word; returns the verdict."""
        split, question = there(self.card.split), there(self.lessons.asking.question)
        tokens = self.lessons.answers.value(question.answer)
        assert isinstance(tokens, list)
        parts = [str(token).removeprefix("##").removeprefix("␣") for token in tokens]
        ends = {len("".join(parts[: place + 1])) for place in range(len(parts))}
        for place, cut in enumerate(split.cuts, 1):
            if cut.isChecked() != (place in ends):
                self.click(cut)
        return self.check()

    @property
    def view(self) -> InterlinearView:
        """The text with its parts, in which tokens and cuts are clicked."""
        workspace = self.window.workspace
        assert isinstance(workspace, TokensView | PretokensView)
        return workspace.view

    def clicks_token(self, token: str) -> str:
        """Walks to a token by keys, clicks another one, and then clicks it; returns the last verdict."""
        view, text = self.view, self.window.session.text_map
        tokens = [readable(text.utf8_of(*view.parts.span(n))) for n in range(len(view.parts))]
        places = [n for n, one in enumerate(tokens) if one == token]
        if not places:
            return f"the text has no token {token}: {tokens}"
        view.setFocus()
        self.qtbot.keyClick(view, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
        for _ in range(places[-1]):
            self.qtbot.keyClick(view, Qt.Key.Key_Right)
        if not self.card.verdict.text().startswith(YES):
            return f"by keys: {self.card.verdict.text()}"
        for place in (next(n for n in range(len(tokens)) if n not in places), places[-1]):
            rect = view.part_rects(place)[0]
            self._click_view(rect.center().toPoint())
        return self.card.verdict.text()

    def clicks_cut(self, _: str) -> str:
        """Clicks a cut in the panel, and then in the window; returns the last verdict."""
        question = there(self.lessons.asking.question)
        byte = self.lessons.answers.value(question.answer)
        buttons = there(self.card.cuts).cuts
        if str(byte) not in buttons:
            return "the panel has no such cut"
        self.click(buttons[str(byte)])
        if not self.card.verdict.text().startswith(YES):
            return f"in the panel: {self.card.verdict.text()}"
        view = self.view
        spans = [view.parts.span(n) for n in range(len(view.parts))]
        for cut in (next(int(one) for one in buttons if one != str(byte)), byte):
            rect = view.part_rects(next(n for n, span in enumerate(spans) if span[0] == cut))[0]
            self._click_view(QPoint(round(rect.left()) + 2, round(rect.center().y())))
        return self.card.verdict.text()

    def _click_view(self, point: QPoint) -> None:
        view = of_kind(self.view, InterlinearView)
        self.qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point)


def answers_in_sight(window: MainWindow) -> list[str]:
    """Returns what the window shows of tokens, merges and counts."""
    space = window.workspace
    page = space.page if isinstance(space, PagedWorkspace) else None
    if isinstance(page, TokensPage):
        assert isinstance(space, TokensView)
        return _of_text(space.view, space.cards)
    if isinstance(space, PretokensView):
        return _of_text(space.view, space.cards)
    if isinstance(page, BytesView):
        return (
            ["tokens are shown"] if any(isinstance(row, TokenRow) for row in page.grid.rows) else []
        )
    if isinstance(page, StepsPage):
        lane = there(page.lane)
        ranks = isinstance(lane.body, MergeBody) and not lane.body.stage.ranks_hidden
        seen = {
            "ranks": ranks,
            "a sentence": lane.sentence.isVisible(),
            "a queue": lane.panel.isVisible(),
        }
        return [f"{what} is shown" for what, is_shown in seen.items() if is_shown]
    if isinstance(page, MergeTrainingPage):
        stage = page.stage
        parts = (stage.sentence, stage.measure, stage.bars, stage.curve, stage.table)
        seen_parts = [part for part in parts if part.isVisible() and not covered(part)]
        colours = ["colours are shown"] if len(stage.view.parts) else []
        return [f"{part.accessibleName()} is shown" for part in seen_parts] + colours
    return [] if covered(page or space) else ["the page is shown"]


def _of_text(view: InterlinearView, cards: TokenCards) -> list[str]:
    seen = ["colours are shown"] if len(view.parts) else []
    return seen + [
        f"the count of {one.name} is shown"
        for one in cards.cards.values()
        if one.tokens is not None
    ]


def covered(part: QWidget) -> bool:
    """Returns whether a veil lies over a widget or what it is in."""
    around: QWidget | None = part
    while around is not None:
        for child in around.children():
            if isinstance(child, Veil) and child.isVisible():
                return True
        around = around.parentWidget()
    return False


def _in_sight(rect: QRect, window: QRect) -> bool:
    return window.contains(rect) and min(rect.width(), rect.height()) > 4
