"""Lessons next to the real window: steps show scenes and ask questions; answers are computed from open tokenizers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QBoxLayout, QMenu, QWidget

from tokenarium.app.lesson_asking import LessonAsking, filled
from tokenarium.app.lesson_classes import RouteStep, class_rows, found_classes, part_rows, route_of
from tokenarium.app.lesson_list import LessonList, lesson_paths
from tokenarium.app.lesson_marks import LessonMarks
from tokenarium.app.lesson_tokenizers import AWAY, first_here, item_here
from tokenarium.app.lesson_values import LessonValues
from tokenarium.app.scenes import SceneStage
from tokenarium.menus.actions import Action, Section
from tokenarium.menus.command_palette import Command
from tokenarium.models.lessons.answers import AnswerError, Answers
from tokenarium.models.lessons.asking import marks_of, names_of, scene_of
from tokenarium.models.lessons.classes import ReadyClass, ready_classes
from tokenarium.models.lessons.finding import words_of
from tokenarium.models.lessons.known_answers import KnownAnswers, expressions_in
from tokenarium.models.lessons.lesson import (
    Lesson,
    LessonError,
    LessonHead,
    LessonQuestion,
    LessonScene,
    LessonStep,
    read_lesson,
    short_name,
)
from tokenarium.models.lessons.own_text import asked_about
from tokenarium.models.links import lesson_link
from tokenarium.models.scene import Json, ReadScene, Scene, SceneText
from tokenarium.models.scene_texts import MOST_INLINE
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.tokenizers.library import LibraryItem, State
from tokenarium.models.tokenizers.offers import away_sentence, joined_names
from tokenarium.session import settings
from tokenarium.session.requests import EditText, ListQuestions, MakePages
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.views.kept import Kept, text_of
from tokenarium.views.workspace import Workspace
from tokenarium.widgets.lesson_rows import LessonRow

if TYPE_CHECKING:
    from tokenarium.widgets.lesson_panel import LessonPanel, StepShown

SOON_MS = 50
FEWEST_LETTERS = 3
"""The least letters for which the palette searches steps."""

MOST_IN_PALETTE = 6
OWN_MS = 250
"""Milliseconds after which a question is updated for the user's text."""

AHEAD = 2
"""The number of following steps whose pages are made while the current one is read."""


class Lessons(QObject):
    """The lessons of a window: the current one, its step, and what was seen of the others."""

    shown = Signal()
    """The panel appears or disappears."""
    edit_wanted = Signal()
    new_wanted = Signal()
    shows_step = Signal(bool)
    """A step is about to be shown (True), or the lesson is left."""
    stepped = Signal()
    """Another step is shown."""
    handout_wanted = Signal()
    begins = Signal()
    """A lesson is about to replace the user's content of the window."""

    def __init__(
        self,
        session: Session,
        store: Settings,
        stage: SceneStage,
        fetch: Callable[[str], object],
        marks: LessonMarks,
        room: QBoxLayout,
        workspace: Callable[[], Workspace],
        parent: QObject,
    ) -> None:
        """``room`` is where the panel is put, ``workspace`` returns what the window shows."""
        super().__init__(parent)
        self._session = session
        self._settings = store
        self._stage = stage
        self._fetch = fetch
        self.panel: LessonPanel | None = None
        self.marks = marks
        self._room = room
        self.list = LessonList(session, self)
        self.list.listed.connect(self._show_listed)
        self.values = LessonValues(session, self)
        self.values.came.connect(self._go_on)
        self.asking = LessonAsking(session, workspace, self)
        self.own_text = False
        """Whether a text of the user's is open instead of the step's."""
        self.step_shown: StepShown | None = None
        self.shown_class = ""
        """The id of the class whose parts are listed, or gone through."""
        self.lesson: Lesson | None = None
        self.at = self._opened_at = 0
        self._keeps_focus = False
        self._before: ReadScene | None = None  # what the window showed before the lesson
        self._text_before: tuple[TextMap, str, str] | None = None  # its text, which is not copied
        self._items: list[LibraryItem] = []
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)
        self._soon.timeout.connect(self._show_when_open)
        session.tokenizers_changed.connect(self._soon_if_waiting)
        self._shows = False  # a scene, now
        self._own_soon = QTimer(self, singleShot=True, interval=OWN_MS)
        self._own_soon.timeout.connect(self._show_own)
        session.text_changed.connect(self._note_text)
        stage.shown.connect(self._ask_about_player)
        self._waits = False
        self._waits_own = False
        self._own_due: str | None = (
            None  # a text of the user's, until the step is shown that it replaces
        )
        self._said_of = ""  # what was reported about the scene

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("lessons", "&Lessons", Section.LESSONS, "Ctrl+9", self.open_list, "Lessons that lead through the window, with questions", icon="graduation-cap"),
            Action("questions", "&Questions", Section.LESSONS, "Ctrl+Shift+G, F", lambda: self._session.requests.ask(ListQuestions()), "Lists the questions that the lessons answer", icon="question"),
            Action("next_lesson_step", "Next &step of the lesson", Section.LESSONS, "Ctrl+PgDown", lambda: self.step(1), "Goes to the next step of the lesson", self._taken, icon="arrow-right"),
            Action("last_lesson_step", "Step &back in the lesson", Section.LESSONS, "Ctrl+PgUp", lambda: self.step(-1), "Goes back a step in the lesson", self._taken, icon="arrow-left"),
            Action("copy_lesson_link", "Copy a l&ink to this step", Section.LESSONS, "Ctrl+Shift+B, K", self.copy_link, "Copies a link that opens this step of the lesson in another Tokenarium", self._taken, icon="link"),
            Action("own_lesson_text", "&Try the step on your own text", Section.LESSONS, "Ctrl+Shift+G, T", self.try_own, "Replaces the step's text with your own", self._taken, icon="clipboard-text"),
        ]
        # fmt: on

    # The list of lessons.

    @property
    def all(self) -> dict[str, LessonHead]:
        """The lessons read so far by their ids: built-in ones, and those in the user's folder."""
        return self.list.all

    def question_commands(self) -> list[Command]:
        """Returns a command for each lesson, and for each question that a lesson answers."""
        found = []
        for id, lesson in self.all.items():
            begin = partial(self.open, id)
            found.append(Command(lesson.title, "Lesson", "", begin, icon="graduation-cap"))
            for one in lesson.asked:
                show = partial(self.open, id, one.step)
                found.append(Command(one.question, "Question", "", show, icon="question"))
        return found

    def find_commands(self, typed: str) -> list[Command]:
        """Returns a command for each step that answers the typed question, the best first."""
        if len(typed.strip()) < FEWEST_LETTERS:
            return []
        return [
            Command(
                one.title,
                "Question" if one.asked else "Lesson",
                "",
                partial(self.open, one.lesson, one.step),
                icon="question" if one.asked else "graduation-cap",
                tip=one.where,
            )
            for one in self.list.find(typed, MOST_IN_PALETTE)
        ]

    def _search(self, typed: str) -> None:
        """Lists the steps that answer the typed question, or all lessons if nothing is typed."""
        self.shown_class = ""
        if not typed.strip():
            self._made().show_rows(self._rows())
            return
        begun = words_of(typed)
        rows = [
            row
            for row in self.lesson_rows()
            if sum(map(len, begun)) >= FEWEST_LETTERS and _begin_words(begun, words_of(row.title))
        ]
        rows += [
            LessonRow(
                one.lesson,
                one.title,
                f"{one.where} · step {one.step + 1}",
                step=one.step,
                asked=one.asked,
            )
            for one in self.list.find(typed)
        ]
        self._made().show_rows([*rows, *found_classes(typed)])

    def _show_listed(self) -> None:
        """Shows the lessons that have been read since, or the place of the step in its class."""
        if self.panel is not None and not self.panel.shows_step:
            self._search(self.panel.search.text())
        elif self.lesson is not None and self.shown_class and not self._waits:
            self._show_step()

    def open_list(self) -> None:
        """Shows the list of lessons, or hides the panel if it shows that."""
        panel = self.panel
        if panel is not None and panel.isVisible() and not (panel.shows_step or self.shown_class):
            self.close()
            return
        if self.lesson is not None:
            self._leave()
        panel = self._made()
        self.shown_class = ""
        panel.show_list(self._rows())
        self._set_visible(True)
        panel.focus_first()

    def _choose(self, id: str, step: int) -> None:
        """Opens a lesson, or lists the parts of a class."""
        if id in ready_classes():
            self._show_class(id)
        else:
            self.open(id, step, self.shown_class)

    def _show_class(self, id: str) -> None:
        """Lists the parts of a class."""
        self.shown_class = id
        ready = ready_classes()[id]
        parts = part_rows(ready, self.list.outlines)
        self._made().show_class(ready.title, ready.about, parts)

    def go_back_to_list(self) -> None:
        """Goes from a part of a class to all of its parts, and otherwise to the list of lessons."""
        shown = self.shown_class if self.lesson is not None else ""
        self.open_list()
        if shown:
            self._show_class(shown)

    def _rows(self) -> list[LessonRow]:
        return [*self.lesson_rows(), *class_rows()]

    def lesson_rows(self) -> list[LessonRow]:
        """Returns a row for each lesson, with its progress."""
        seen = self._seen()
        return [
            LessonRow(
                id,
                lesson.title,
                f"{short_name(id)} · Done"
                if seen.get(id, 0) >= lesson.count
                else f"{short_name(id)} · Step {seen[id]} of {lesson.count}"
                if seen.get(id)
                else f"{short_name(id)} · {lesson.count} steps · {lesson.minutes} min",
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
        """Returns the lesson and its step, for scenes, and the text of the user's that replaces the step's."""
        return (
            Kept("step", self._place, self._go_to),
            Kept("text", self._kept_own, self._show_kept_own),
        )

    def _place(self) -> list[Json] | None:
        """The id of the lesson and the step from 0; if it is shown as a part of a class, also the class's id."""
        if self.lesson is None:
            return None
        return [self.lesson.id, self.at, *([self.shown_class] if self.shown_class else [])]

    def _go_to(self, place: object) -> None:
        id, step, of_class, *_ = [*place, ""] if isinstance(place, list) else ("", 0, "")
        if _path_of(id) is None or not isinstance(step, int):
            raise ValueError
        self.open(id, max(step, 0), of_class if of_class in list(ready_classes()) else "")

    def _kept_own(self) -> str | None:
        text_map = self._session.text_map
        is_kept = self.own_text and text_map.byte_count <= MOST_INLINE
        return text_map.text if is_kept else self._own_due

    def _show_kept_own(self, text: object) -> None:
        """Shows a text of the user's instead of the step's, once that is shown."""
        self._own_due = text_of(text)
        if not self._waits:
            self._show_own_due()

    def _show_own_due(self) -> None:
        due, self._own_due = self._own_due, None
        if due is not None:
            self._session.set_text(due)

    def copy_link(self) -> None:
        """Copies a link to the step that is shown."""
        if self.lesson is not None:
            QGuiApplication.clipboard().setText(lesson_link(self.lesson.id, self.at))

    def open_question(self, question: str) -> None:
        """Opens the step that answers a question, by its words in the lesson's file."""
        for id, lesson in self.all.items():
            for one in lesson.asked:
                if one.question == question:
                    self.open(id, one.step)
                    return

    def open_link(self, id: str, step: int) -> None:
        """Opens the lesson of a link; says so if there is none of that name."""
        self._session.problem.emit("")
        if _path_of(id) is not None:
            self.open(id, step)
        else:
            self._session.problem.emit(
                f"There is no lesson “{id[:60]}” here. Help › Lessons lists all lessons."
            )

    # The panel.

    def _made(self) -> LessonPanel:
        if self.panel is None:
            from tokenarium.widgets.lesson_panel import LessonPanel

            panel = LessonPanel(self.asking.hands)
            panel.lesson_chosen.connect(self._choose)
            panel.step_asked.connect(self.step)
            panel.list_asked.connect(self.go_back_to_list)
            panel.again_asked.connect(self.show_again)
            panel.get_asked.connect(self._get)
            panel.closed.connect(self.close)
            panel.handout_wanted.connect(self.handout_wanted)
            panel.searched.connect(self._search)
            panel.edit_wanted.connect(self.edit_wanted)
            panel.new_wanted.connect(self.new_wanted)
            panel.own_wanted.connect(self.try_own)
            panel.question.answered.connect(self.answer)
            panel.question.revealed.connect(self.reveal)
            panel.question.answered.connect(self._unmark)
            panel.question.another_wanted.connect(self.asking.ask_next)
            self.asking.card = panel.question
            self.panel = panel
            self._room.addWidget(panel)
        return self.panel

    def _set_visible(self, visible: bool) -> None:
        if self.panel is not None:
            self.panel.setVisible(visible)
            self.shown.emit()

    def close(self) -> None:
        """Closes the panel, and restores what the window showed before the lesson."""
        if self.lesson is not None:
            self._leave()
        self._set_visible(False)

    def _ask_about_player(self) -> None:
        """Asks for the next merge again once the player is at the step."""
        if self.lesson is not None and not self._waits:
            self.asking.follow_player()

    def _leave(self) -> None:
        self.lesson = None
        self.shows_step.emit(False)
        self.own_text, self._own_due = False, None
        self.asking.ask(None, Scene(), Answers([]))
        self._mark()
        if self._before is not None and self._text_before is not None:
            text_map, title, file = self._text_before
            before, self._before, self._text_before = self._before, None, None
            self._session.show_text(text_map, title=title, file=file)
            self._stage.show(before)

    @property
    def is_open(self) -> bool:
        """Whether the panel is shown."""
        return self.panel is not None and self.panel.isVisible()

    @property
    def waits(self) -> bool:
        """Whether a step, or the feedback on an answer, waits for tokenizers or for values."""
        return self._waits or self._waits_own or self.asking.waits

    # A lesson.

    def _taken(self) -> bool:
        return self.lesson is not None

    @property
    def has_window(self) -> bool:
        """Whether the window shows a lesson instead of the user's content."""
        return self._before is not None

    def open(self, id: str, step: int = -1, of_class: str = "") -> None:
        """Begins a lesson at a step from 0, or continues it; the window's state is kept until it is closed.

        ``of_class``: it is a part of that class, whose next part follows.
        """
        path = _path_of(id)
        if path is None:
            return
        try:
            lesson = read_lesson(path)
        except LessonError as error:
            self._session.problem.emit(str(error))
            return
        seen = self._seen().get(id, 0)
        at = seen - 1 if 0 < seen < len(lesson.steps) else 0
        self.shown_class = of_class
        if of_class:
            self.list.read()
        self.show_lesson(lesson, step if step >= 0 else at)

    def show_lesson(self, lesson: Lesson, step: int) -> None:
        """Shows a step of a lesson, counted from 0; the window's state is kept until the lesson is closed."""
        if self._before is None:
            self.begins.emit()
            session = self._session
            scene = self._stage.make()
            self._before = ReadScene(msgspec.structs.replace(scene, colours={}))
            self._text_before = session.text_map, session.title, session.file
        self.lesson = lesson
        self.at = self._opened_at = max(0, min(step, len(lesson.steps) - 1))
        self._items = [item for group in lesson.tokenizers if (item := self._first_of(group))]
        self._made()
        self._set_visible(True)
        self._show()

    def refresh(self) -> None:
        """Reads the lessons again, after one was written."""
        self.list.forget()
        if self.panel is not None and not self.panel.shows_step:
            self.panel.show_list(self._rows())

    def _first_of(self, group: Iterable[str]) -> LibraryItem | None:
        return first_here(self._session, group)

    @property
    def ready(self) -> ReadyClass | None:
        """The class whose part is shown; None if the lesson is not gone through as a part of one."""
        ready = ready_classes().get(self.shown_class)
        if ready is None or self.lesson is None:
            return None
        here = (self.lesson.id, self.at)
        return (
            ready if any(one[:2] == here for one in route_of(ready, self.list.outlines)) else None
        )

    @property
    def route(self) -> list[RouteStep]:
        """The steps in the order in which they are gone through: those of the class, or else all of the lesson."""
        lesson, ready = self.lesson, self.ready
        if lesson is None:
            return []
        if ready is not None:
            return route_of(ready, self.list.outlines)
        return [RouteStep(lesson.id, n, step.title) for n, step in enumerate(lesson.steps)]

    @property
    def place(self) -> int:
        """The place of the step in the `route`."""
        here = (self.lesson.id if self.lesson is not None else "", self.at)
        return next((n for n, one in enumerate(self.route) if one[:2] == here), 0)

    def step(self, count: int) -> None:
        """Goes one step of the `route` forward (1) or back (-1); after the last step comes the list."""
        if self.lesson is None:
            return
        route, place = self.route, self.place + count
        if place >= len(route):
            self.go_back_to_list()
        elif place >= 0 and route[place].lesson == self.lesson.id:
            self.at = route[place].step
            self._show()
        elif place >= 0:
            self.open(route[place].lesson, route[place].step, self.shown_class)

    def _get(self) -> None:
        """Fetches the tokenizer that the lesson was made for."""
        if self.lesson is not None:
            for group in self.lesson.tokenizers:
                item = item_here(self._session, group[0])
                if item is not None and item.state is State.MISSING:
                    self._fetch(item.key)

    def _soon_if_waiting(self) -> None:
        if self.lesson is None:
            return
        items = [item for group in self.lesson.tokenizers if (item := self._first_of(group))]
        if [item.key for item in items] != [item.key for item in self._items]:
            self._items, self._waits = items, True  # a tokenizer that was missing is available now
        if self._waits:
            self._soon.start()

    def _show(self) -> None:
        self._waits, self.own_text, self._own_due = True, False, None
        self.asking.hands.clear()
        # A scene may take the focus: readers who continue by key in the panel keep it there.
        self._keeps_focus = self._keeps_focus or self._made().has_focus
        self._made().begin_step()
        self._show_when_open()

    def _show_when_open(self) -> None:
        """Shows the step once its tokenizers are open."""
        if self.lesson is None or not self._waits:
            return
        self.shows_step.emit(True)
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
        if not self._computed():
            self._waits = True  # until the values have arrived
            return
        self.show_scene()
        self._mark()
        self._show_step()
        self._show_own_due()

    def _computed(self) -> bool:
        """Returns whether all values of the step are available; requests those that are missing."""
        step, plain = self.current, self.values.answers(self.lesson, self._items)
        if step is None or not isinstance(plain, KnownAnswers):
            return True
        if not plain.has(expressions_in(_scene_texts(self._scenes))):
            return False
        scene, question = self._scene_with(plain), step.question
        texts = step.texts
        answers = plain.about(names_of(scene))
        if self.own_text:
            question, _, answers = self._about_own(question, scene, answers)
            texts = [step.prose, *(question.texts if question is not None else [])]
        needed = expressions_in(texts)
        if question is not None and question.answer and question.kind != "write":
            needed.append(question.answer)
        return answers.has(needed) if isinstance(answers, KnownAnswers) else True

    def _go_on(self) -> None:
        """Shows the parts that had to wait for values."""
        if self._waits:
            self._show_when_open()
        elif self.own_text and self._waits_own:
            self._show_own()
        self.asking.go_on()

    def _about_own(
        self, question: LessonQuestion | None, scene: Scene, answers: Answers
    ) -> tuple[LessonQuestion | None, Scene, Answers]:
        """Returns the question of the step about the open text, and the scene with that text."""
        session, former = self._session, names_of(scene)
        own = msgspec.structs.replace(
            scene, text=SceneText(session.text), selection=session.selection
        )
        names = names_of(own)
        if question is not None:
            question = asked_about(
                question,
                former["text"],
                former["selected"],
                names["text"],
                names["selected"],
            )
        return question, own, answers.about(names)

    def try_own(self) -> None:
        """Lets the user write a text instead of the step's."""
        if self.lesson is not None:
            self._session.requests.ask(EditText())

    def _note_text(self) -> None:
        """Asks about the user's text once it replaces the step's."""
        if self.lesson is None or self._shows or self._waits:
            return
        scene = self._scene_with(self.answers)
        self.own_text = scene.text is None or self._session.text != scene.text.inline
        self._own_soon.start()

    def _show_own(self) -> None:
        if self.lesson is not None and not self._waits:
            self._waits_own = not self._computed()
            if self._waits_own:
                return
            self._mark()
            self._show_step()

    def show_again(self) -> None:
        """Shows the scene of the step, and marks what it names."""
        had_own = self.own_text
        self.show_scene()
        self._mark()
        if had_own and not self._waits:
            self._show_step()

    def _unmark(self) -> None:
        self.marks.clear()

    def _mark(self) -> None:
        """Marks what the step names, or nothing if no lesson is shown."""
        self.marks.show(self.shown_marks, self._items, self.panel)

    @property
    def items(self) -> Sequence[LibraryItem]:
        """The tokenizers of the lesson that are open."""
        return self._items

    @property
    def shown_marks(self) -> tuple[str, ...]:
        """What the step marks, as `marks` names it; nothing for a text of the user's."""
        scene = self.current.scene if self.current is not None and not self.own_text else None
        return tuple(marks_of(scene, self.answers))

    @property
    def current(self) -> LessonStep | None:
        """The step that is shown."""
        return self.lesson.steps[self.at] if self.lesson is not None else None

    @property
    def answers(self) -> Answers:
        """Computes the answers with the tokenizers that are open for the lesson."""
        plain = self.values.answers(self.lesson, self._items)
        return plain.about(names_of(self._scene_with(plain)))

    @property
    def _scenes(self) -> list[LessonScene]:
        """The scenes of the step, and of those before it."""
        if self.lesson is None:
            return []
        return [step.scene for step in self.lesson.steps[: self.at + 1] if step.scene is not None]

    def _scene_with(self, plain: Answers) -> Scene:
        """Returns the scene of the step; if its text has no value, a sentence says why, and it is shown as written."""
        keys = [item.key for item in self._items]
        try:
            return scene_of(self._scenes, keys, plain)
        except AnswerError as error:
            if self.lesson is not None and str(error) != self._said_of:
                self._said_of = str(error)
                self._session.problem.emit(f"The text of this step is shown as written. {error}")
            return scene_of(self._scenes, keys, plain, as_written=True)

    def show_scene(self) -> None:
        """Shows the scene of the step; what it does not define is as in the steps before it."""
        if self.lesson is None:
            return
        self.own_text = False
        self._shows = True
        try:
            self._stage.show(ReadScene(self._scene_with(self.answers)))
        finally:
            self._shows = False

    def _show_step(self) -> None:
        assert self.lesson is not None
        lesson, step, answers = self.lesson, self.lesson.steps[self.at], self.answers
        wanted = [item_here(self._session, group[0]) for group in lesson.tokenizers]
        away = [item for item in wanted if item is not None and item.state in AWAY]
        instead = ""
        # It is said only where the lesson was opened: at each step, it would fill the room of the question.
        if away and self.at == self._opened_at:
            missing = [item.model_name or item.name for item in away]
            using = joined_names([self._session.short_name(item) for item in self._items])
            instead = away_sentence(missing, (), f", so this lesson runs on {using}")
        scene = self._scene_with(answers)
        question = step.question
        if self.own_text:
            question, scene, answers = self._about_own(question, scene, answers)
        route, place, ready = self.route, self.place, self.ready
        after = route[place + 1].title if place + 1 < len(route) else ""
        from tokenarium.widgets.lesson_panel import StepShown

        self.step_shown = StepShown(
            lesson.title if ready is None else ready.title,
            place,
            len(route),
            step.title,
            filled(answers, step.prose),
            self.asking.ask(question, scene, answers, self.own_text),
            instead,
            sum(item.state is State.MISSING for item in away) if instead else 0,
            after,
            self.own_text,
            lesson.file,
            short_name(lesson.id) if ready is None else "All parts",
            "Step" if ready is None else "Part",
        )
        self._made().show_step(self.step_shown)
        if self._keeps_focus:
            self._made().focus_first()
            self._keeps_focus = False
        self._note_seen()
        following = range(self.at + 1, min(self.at + 1 + AHEAD, len(lesson.steps)))
        places = tuple(_place_of(lesson.steps[: at + 1]) for at in following)
        self._session.requests.ask(MakePages(places))
        self.stepped.emit()

    # Answers.

    def answer(self, given: object) -> None:
        """Says whether an answer is right, and why."""
        self.asking.answer(given)

    def reveal(self) -> None:
        """Shows the answer."""
        self.asking.reveal()


def _scene_texts(scenes: Iterable[LessonScene]) -> list[str]:
    """Returns the text that the last of the scenes shows, and what it selects, as they are written."""
    listed = list(scenes)
    selected = [listed[-1].select or ""] if listed else []
    return [scene.text for scene in listed if scene.text is not None][-1:] + selected


def _place_of(steps: Iterable[LessonStep]) -> tuple[str, str]:
    """Returns the workspace and the page that the last of the steps shows; the page is "" for the first one."""
    workspace, page = "tokens", ""
    for scene in (step.scene for step in steps if step.scene is not None):
        if scene.workspace is not None:
            workspace, page = scene.workspace, ""
        page = page if scene.page is None else scene.page
    return workspace, page


class QuestionMenu(QMenu):
    """The menu of questions, by the lesson that answers them; filled when it is first opened."""

    def __init__(self, lessons: Lessons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lessons = lessons
        self.aboutToShow.connect(self.fill)

    def fill(self) -> None:
        """Lists the questions."""
        self.clear()
        for id, head in self._lessons.all.items():
            if not head.asked:
                continue
            menu = self.addMenu(head.title.replace("&", "&&"))
            for one in head.asked:
                action = menu.addAction(one.question.replace("&", "&&"))
                action.triggered.connect(partial(self._show, id, one.step))

    def _show(self, id: str, step: int, _on: bool = False) -> None:
        self._lessons.open(id, step)


def _path_of(id: object) -> Path | None:
    """Returns the file of a lesson; None if there is none."""
    return next((path for path in lesson_paths() if path.stem == id), None)


def _begin_words(begun: Sequence[str], words: Sequence[str]) -> bool:
    """Returns whether each beginning is that of one of the words."""
    return all(any(word.startswith(one) for word in words) for one in begun)
