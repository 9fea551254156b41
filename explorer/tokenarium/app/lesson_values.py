"""Values of a lesson's expressions: immediate for built-in lessons, from another process for foreign ones."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from tokenarium.app.lesson_list import is_ours
from tokenarium.models.lessons.answers import AnswerError, Answers
from tokenarium.models.lessons.known_answers import MOST_KNOWN, Known, KnownAnswers, Question
from tokenarium.models.lessons.lesson import Lesson
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.session import Session
from tokenarium.work.answering import LessonProcess, TokenizerSource
from tokenarium_core import TokenariumError

LOOK_MS = 5
"""Milliseconds between checks for an answer of the process."""


class LessonValues(QObject):
    """Computes the expressions of the current lesson."""

    came = Signal()
    """Values that were missing have arrived."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._lesson: Lesson | None = None
        self._ours = True
        self._sources: list[TokenizerSource] = []
        self._known: Known = {}
        self._wanted: dict[Question, None] = {}
        self._asked: list[Question] = []
        self._process: LessonProcess | None = None
        self._look = QTimer(self, interval=LOOK_MS)
        self._look.timeout.connect(self._take)
        self.destroyed.connect(self.stop)

    def answers(self, lesson: Lesson | None, items: Sequence[LibraryItem]) -> Answers:
        """Returns the object that computes the answers of a lesson with the tokenizers that are open for it."""
        opened = [item for item in items if item.tokenizer is not None]
        named = [
            (self._session.short_name(item), item.tokenizer)
            for item in opened
            if item.tokenizer is not None
        ]
        if lesson is not self._lesson:
            self._lesson, self._ours = lesson, lesson is None or is_ours(lesson.file)
            self._forget()
        if self._ours:
            return Answers(named)
        sources = [
            TokenizerSource(name, item.key, item.source, item.pattern)
            for (name, _), item in zip(named, opened, strict=True)
        ]
        if sources != self._sources:
            self._forget()
            self._sources = sources
        return KnownAnswers(named, self._known, self._want)

    def _forget(self) -> None:
        self._known, self._wanted, self._asked = {}, {}, []
        self._sources = []

    def _want(self, question: Question) -> None:
        if question not in self._asked:
            self._wanted[question] = None
            if not self._look.isActive():
                self._look.start()

    def _ask(self) -> None:
        """Requests all missing values with the same names at once."""
        names = next(iter(self._wanted))[1]
        self._asked = [one for one in self._wanted if one[1] == names]
        for one in self._asked:
            del self._wanted[one]
        if self._process is None:
            self._process = LessonProcess()
        name = self._lesson.id if self._lesson is not None else ""
        texts = {key: str(value) for key, value in names}
        self._process.ask(name, self._sources, texts, [one[0] for one in self._asked])

    def _take(self) -> None:
        """Takes the answer of the process once it has arrived, and sends the next request."""
        try:
            if not self._asked:
                if not self._wanted:
                    self._look.stop()
                    return
                self._ask()
            answer = self._process.received() if self._process is not None else None
            if answer is None:
                return
            error = str(answer.get("error", ""))
            values = answer.get("values", [])
        except TokenariumError as problem:
            error, values = str(problem), []
        asked, self._asked = self._asked, []
        if error and self._lesson is not None:
            error = f"{self._lesson.id}: {error}"
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
        for place, question in enumerate(asked):
            value, said = values[place] if place < len(values) else (None, error)
            self._known[question] = AnswerError(said or error) if said or value is None else value
        self.came.emit()

    def stop(self) -> None:
        """Ends the process."""
        self._look.stop()
        if self._process is not None:
            self._process.stop()
            self._process = None
