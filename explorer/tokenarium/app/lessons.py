"""Lessons beside the real window: each step shows a scene, and asks; the answers are computed from what is open."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property, partial
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from tokenarium.app.scenes import SceneStage
from tokenarium.menus.actions import Action, Section
from tokenarium.menus.command_palette import Command
from tokenarium.models.files import lessons_folder
from tokenarium.models.lessons.answers import AnswerError, Answers, shown
from tokenarium.models.lessons.lesson import (
    LEVELS,
    Lesson,
    LessonError,
    LessonHead,
    LessonQuestion,
    LessonScene,
    LessonStep,
    read_head,
    read_lesson,
)
from tokenarium.models.scene import Json, ReadScene, Scene, SceneText, SceneTokenizer
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.tokenizers.library import LibraryItem, State
from tokenarium.session import settings
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.style.appearance import Appearance
from tokenarium.views.workspace import Kept
from tokenarium.widgets.lesson_panel import LessonPanel, LessonRow, QuestionShown, StepShown

SOON_MS = 50
AWAY = (State.MISSING, State.FETCHING, State.FAILED)


class Lessons(QObject):
    """The lessons of a window: which one is taken, its step, and what was seen of the others."""

    shown = Signal()
    """The panel appears or goes."""
    stepped = Signal()
    """Another step is shown."""
    begins = Signal()
    """A lesson is about to take the place of what the user has in the window."""

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        store: Settings,
        stage: SceneStage,
        fetch: Callable[[str], object],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._appearance = appearance
        self._settings = store
        self._stage = stage
        self._fetch = fetch
        self.panel: LessonPanel | None = None
        self.room: Callable[[QWidget], object] = lambda panel: None
        """Puts the panel into the window."""
        self.lesson: Lesson | None = None
        self.at = 0
        self.step_shown: StepShown | None = None
        self._before: ReadScene | None = None  # what the window showed before the lesson
        self._items: list[LibraryItem] = []
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)
        self._soon.timeout.connect(self._show_when_open)
        session.tokenizers_changed.connect(self._soon_if_waiting)
        session.selection_changed.connect(self._look_at_selection)
        appearance.changed.connect(self._show_theme)
        self._waits = False

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("lessons", "&Lessons", Section.LESSONS, "Ctrl+9", self.open_list, "Lessons that lead through the window, with questions", icon="graduation-cap"),
            Action("next_lesson_step", "Next &step of the lesson", Section.LESSONS, "Ctrl+PgDown", lambda: self.step(1), "Goes on in the lesson", self._taken, icon="arrow-right"),
            Action("last_lesson_step", "Step &before in the lesson", Section.LESSONS, "Ctrl+PgUp", lambda: self.step(-1), "Goes back in the lesson", self._taken, icon="arrow-left"),
        ]
        # fmt: on

    # Which lessons there are.

    @cached_property
    def all(self) -> dict[str, LessonHead]:
        """The lessons by their ids: ours, and those in the user's folder; a damaged one is named and left out."""
        found = {}
        for path in lesson_paths():
            try:
                found[path.stem] = read_head(path)
            except LessonError as error:
                self._session.problem.emit(f"This lesson is left out. {error}")
        return dict(sorted(found.items(), key=lambda one: (LEVELS.index(one[1].level), one[0])))

    def question_commands(self) -> list[Command]:
        """Returns a command for each lesson, and for each question that one answers."""
        found = []
        for id, lesson in self.all.items():
            begin = partial(self.open, id)
            found.append(Command(lesson.title, "Lesson", "", begin, icon="graduation-cap"))
            found += [Command(one, "Question", "", begin, icon="question") for one in lesson.asked]
        return found

    def open_list(self) -> None:
        """Shows the list of lessons, or hides the panel if it shows that."""
        if self.panel is not None and self.panel.isVisible() and not self.panel.shows_step:
            self.close()
            return
        if self.lesson is not None:
            self._leave()
        self._made().show_list(self._rows())
        self._set_visible(True)

    def _rows(self) -> list[LessonRow]:
        seen = self._seen()
        return [
            LessonRow(
                id,
                lesson.title,
                "Done"
                if seen.get(id, 0) >= lesson.count
                else f"Step {seen[id]} of {lesson.count}"
                if seen.get(id)
                else f"{lesson.count} steps · {lesson.minutes} min",
                seen.get(id, 0),
                lesson.count,
            )
            for id, lesson in self.all.items()
        ]

    def _seen(self) -> dict[str, int]:
        """How many steps of each lesson were seen."""
        found = {}
        for line in self._settings.get(settings.LESSONS_SEEN):
            id, _, count = line.rpartition(" ")
            if count.isdecimal():
                found[id] = int(count)
        return found

    def _note_seen(self) -> None:
        assert self.lesson is not None
        seen = self._seen()
        seen[self.lesson.id] = max(self.at + 1, seen.get(self.lesson.id, 0))
        lines = [f"{id} {count}" for id, count in seen.items()]
        self._settings.set(settings.LESSONS_SEEN, lines)

    def keeps(self) -> tuple[Kept, ...]:
        """Returns the lesson and its step, for scenes: its id, and the step from 0."""
        return (Kept("step", self._place, self._go_to),)

    def _place(self) -> list[Json] | None:
        return None if self.lesson is None else [self.lesson.id, self.at]

    def _go_to(self, place: object) -> None:
        id, step = place if isinstance(place, list) else ("", 0)
        if id not in self.all or not isinstance(step, int):
            raise ValueError
        self.open(id, max(step, 0))

    # The panel.

    def _made(self) -> LessonPanel:
        if self.panel is None:
            panel = LessonPanel(self._appearance.theme)
            panel.lesson_chosen.connect(self.open)
            panel.step_asked.connect(self.step)
            panel.list_asked.connect(self.open_list)
            panel.again_asked.connect(self.show_scene)
            panel.get_asked.connect(self._get)
            panel.closed.connect(self.close)
            panel.question.answered.connect(self.answer)
            panel.question.revealed.connect(self.reveal)
            self.panel = panel
            self.room(panel)
        return self.panel

    def _set_visible(self, visible: bool) -> None:
        if self.panel is not None:
            self.panel.setVisible(visible)
            self.shown.emit()

    def _show_theme(self) -> None:
        if self.panel is not None:
            self.panel.set_theme(self._appearance.theme)

    def close(self) -> None:
        """Closes the panel, and brings back what the window showed before the lesson."""
        if self.lesson is not None:
            self._leave()
        self._set_visible(False)

    def _leave(self) -> None:
        self.lesson = None
        if self._before is not None:
            self._stage.show(self._before)
            self._before = None

    @property
    def is_open(self) -> bool:
        """Whether the panel is shown."""
        return self.panel is not None and self.panel.isVisible()

    # A lesson.

    def _taken(self) -> bool:
        return self.lesson is not None

    @property
    def has_window(self) -> bool:
        """Whether the window shows a lesson, and not what the user had in it."""
        return self._before is not None

    def open(self, id: str, step: int = -1) -> None:
        """Begins a lesson at a step from 0, or goes on where it was left; the window's state is kept until it is closed."""
        path = next((path for path in lesson_paths() if path.stem == id), None)
        if path is None or id not in self.all:
            return
        try:
            lesson = read_lesson(path)
        except LessonError as error:
            self._session.problem.emit(str(error))
            return
        if self._before is None:
            self.begins.emit()
            session = self._session
            scene = self._stage.make()
            text = SceneText(session.text, title=session.title)
            self._before = ReadScene(msgspec.structs.replace(scene, text=text, colours={}))
        self.lesson = lesson
        seen = self._seen().get(id, 0)
        self.at = seen - 1 if 0 < seen < len(lesson.steps) else 0
        if step >= 0:
            self.at = min(step, len(lesson.steps) - 1)
        self._items = [item for group in lesson.tokenizers if (item := self._first_of(group))]
        self._made()
        self._set_visible(True)
        self._show()

    def _first_of(self, group: Iterable[str]) -> LibraryItem | None:
        """Returns the first of some tokenizers that is on this computer."""
        found = (self._session.library.item(key) for key in group)
        return next((item for item in found if item is not None and item.state not in AWAY), None)

    def step(self, count: int) -> None:
        """Goes on (1) or back (-1); after the last step comes the list."""
        if self.lesson is None:
            return
        at = self.at + count
        if at >= len(self.lesson.steps):
            self.open_list()
        elif at >= 0:
            self.at = at
            self._show()

    def _get(self) -> None:
        """Fetches the tokenizer that the lesson was made for."""
        if self.lesson is not None:
            for group in self.lesson.tokenizers:
                item = self._session.library.item(group[0])
                if item is not None and item.state is State.MISSING:
                    self._fetch(item.key)

    def _soon_if_waiting(self) -> None:
        if self.lesson is None:
            return
        items = [item for group in self.lesson.tokenizers if (item := self._first_of(group))]
        if [item.key for item in items] != [item.key for item in self._items]:
            self._items, self._waits = items, True  # one that was missing is here now
        if self._waits:
            self._soon.start()

    def _show(self) -> None:
        self._waits = True
        self._show_when_open()

    def _show_when_open(self) -> None:
        """Shows the step once its tokenizers are open."""
        if self.lesson is None or not self._waits:
            return
        library = self._session.library
        self._items = [item for old in self._items if (item := library.item(old.key)) is not None]
        for item in self._items:
            self._session.library.item(item.key)
            if item.tokenizer is None and not item.on:
                self._session.edits.turn_on(item.key, True)
        if any(item.tokenizer is None and item.state not in AWAY for item in self._items):
            return  # the session says when they are open
        self._waits = False
        self._items = [item for item in self._items if item.tokenizer is not None]
        self.show_scene()
        self._show_step()

    @property
    def current(self) -> LessonStep | None:
        """The step that is shown."""
        return self.lesson.steps[self.at] if self.lesson is not None else None

    @property
    def answers(self) -> Answers:
        """What computes the answers, with the tokenizers that are open for the lesson."""
        named = [
            (self._session.short_name(item), item.tokenizer)
            for item in self._items
            if item.tokenizer is not None
        ]
        return Answers(named)

    def show_scene(self) -> None:
        """Shows what the step is about; what a step does not name is as in the steps before it."""
        if self.lesson is None:
            return
        scenes = [step.scene for step in self.lesson.steps[: self.at + 1] if step.scene is not None]
        self._stage.show(ReadScene(scene_of(scenes, self._items, self.answers)))

    def _show_step(self) -> None:
        assert self.lesson is not None
        lesson, step, answers = self.lesson, self.lesson.steps[self.at], self.answers
        wanted = [self._session.library.item(group[0]) for group in lesson.tokenizers]
        away = [item for item in wanted if item is not None and item.state in AWAY]
        instead = ""
        if away:
            missing = " and ".join(item.model_name or item.name for item in away)
            using = " and ".join(self._session.short_name(item) for item in self._items)
            instead = f"{missing} {'is' if len(away) == 1 else 'are'} not on this computer, so this lesson runs on {using}."
        after = lesson.steps[self.at + 1].title if self.at + 1 < len(lesson.steps) else ""
        self.step_shown = StepShown(
            lesson.title,
            self.at,
            len(lesson.steps),
            step.title,
            self._filled(answers, step.prose),
            None if step.question is None else self._asked(step.question, answers),
            instead,
            any(item.state is State.MISSING for item in away),
            after,
        )
        self._made().show_step(self.step_shown)
        self._note_seen()
        self.stepped.emit()

    def _filled(self, answers: Answers, prose: str) -> str:
        try:
            return answers.filled(prose)
        except AnswerError as error:
            return f"{prose}\n\n*{error}*"

    def _asked(self, question: LessonQuestion, answers: Answers) -> QuestionShown:
        try:
            answer: Any = None if question.kind == "write" else answers.value(question.answer)
        except AnswerError:
            answer = None
        choices = list(dict.fromkeys(choices_of(question, answers)))
        if question.kind == "choose" and answer is not None and shown(answer) not in choices:
            choices = sorted([*choices, shown(answer)], key=_as_number)
        parts: list[str] = []
        if question.kind == "order" and isinstance(answer, list):
            parts = [shown(one) for one in answer]
            random.Random(question.ask).shuffle(parts)
        if question.kind == "split":
            parts = list(answers.filled(question.text))
        return QuestionShown(
            question.kind,
            self._filled(answers, question.ask),
            tuple(choices),
            tuple(parts),
            self._filled(answers, question.hint),
        )

    # Answers.

    def answer(self, given: object) -> None:
        """Says whether an answer is right, and why."""
        step = self.current
        if step is None or step.question is None:
            return
        question, answers, card = step.question, self.answers, self._made().question
        try:
            right = is_right(question, given, answers)
            answer = "" if question.kind == "write" else shown(answers.value(question.answer))
        except AnswerError as error:
            card.say("bad", str(error))
            return
        reason = question.reasons.get(str(given), "")
        said = question.after if right else reason or question.hint or "Try once more."
        if right and reason:
            said = f"{reason} {said}"
        card.say(
            "good" if right else "bad",
            self._filled(answers, said),
            str(given),
            answer if right else "",
        )

    def reveal(self) -> None:
        """Shows the answer."""
        step = self.current
        if step is None or step.question is None:
            return
        question, answers = step.question, self.answers
        if question.kind == "write":
            self._made().question.say("", self._filled(answers, question.after))
            return
        answer = shown(answers.value(question.answer))
        said = f"**{answer}**. {self._filled(answers, question.after)}"
        self._made().question.say("", said, right=answer)

    def _look_at_selection(self) -> None:
        """Takes a selected token for the answer of a question that asks for one."""
        step, session = self.current, self._session
        if step is None or step.question is None or step.question.kind != "click":
            return
        if session.selection is None or self._stage.busy or self._waits:
            return
        start, end = session.selection
        text = session.text_map.utf8[start:end].decode("utf-8", "replace")
        if step.scene is None or text != step.scene.select:
            self.answer(text)


def lesson_paths() -> list[Path]:
    """Returns the files of all lessons: ours, and those of the user's folder, which take the place of ours by name."""
    found: dict[str, Path] = {}
    with resources.as_file(resources.files("tokenarium.resources") / "lessons") as ours:
        for folder in (ours, lessons_folder()):
            if folder.is_dir():
                found |= {path.name: path for path in sorted(folder.glob("*.md"))}
    return list(found.values())


def scene_of(
    scenes: Iterable[LessonScene], items: Iterable[LibraryItem], answers: Answers
) -> Scene:
    """Returns the scene after some steps of a lesson, shown with these tokenizers."""
    values: dict[str, Any] = {"workspace": "tokens", "page": "", "display": {}, "pages": {}}
    selected, at, front = None, None, 1
    for scene in scenes:
        if scene.text is not None:
            values["text"] = SceneText(answers.filled(scene.text), title="Lesson text")
        if scene.workspace is not None:
            values["workspace"], values["page"] = scene.workspace, ""
        values["page"] = values["page"] if scene.page is None else scene.page
        values["display"] = values["display"] | scene.display
        selected, at = scene.select, scene.at
        front = scene.front or front
    keys = [item.key for item in items]
    name = ".".join(part for part in (values["workspace"], values["page"]) if part)
    if at is not None:
        values["pages"] = {name: {"step": at}}
    if selected and "text" in values:
        text_map = TextMap(values["text"].inline)
        first = text_map.text.find(selected)
        if first >= 0:
            span = text_map.char_to_byte([first, first + len(selected)]).tolist()
            values["selection"] = (span[0], span[1])
    return Scene(
        tokenizers=tuple(map(SceneTokenizer, keys)) or None,
        front=keys[front - 1] if 0 < front <= len(keys) else "",
        **values,
    )


def choices_of(question: LessonQuestion, answers: Answers) -> Iterator[str]:
    """Yields the choices that have a value with these tokenizers."""
    for choice in question.choices:
        with suppress(AnswerError):
            yield answers.filled(choice)


def is_right(question: LessonQuestion, given: object, answers: Answers) -> bool:
    """Returns whether an answer is right; AnswerError if that cannot be computed."""
    if question.kind == "write":
        return bool(answers.value(question.answer, text=str(given)))
    answer = answers.value(question.answer)
    if question.kind == "number":
        try:
            number = float(str(given).replace(",", "").strip())
        except ValueError:
            raise AnswerError("Write a number.") from None
        return isinstance(answer, int | float) and abs(number - answer) < 0.051
    if question.kind == "split" and isinstance(answer, list) and isinstance(given, list):
        # Some tokenizers put a space before a word, or a sign before what goes on: a person cuts the word alone.
        return given == [shown(one).removeprefix("##").lstrip("␣") or "␣" for one in answer]
    if isinstance(answer, list):
        parts = given if isinstance(given, list) else [str(given)]
        return [shown(one) for one in parts] == [shown(one) for one in answer]
    return str(given) == shown(answer)


def _as_number(text: str) -> tuple[float, str]:
    digits = text.replace(",", "")
    return (float(digits) if digits.replace(".", "", 1).isdecimal() else 0.0, text)
