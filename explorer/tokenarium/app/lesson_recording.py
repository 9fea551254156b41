"""Records what the window shows into a step of the lesson that is being written, as one clicks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from PySide6.QtCore import QObject, QTimer, Signal

from tokenarium.app.lesson_tokenizers import first_here
from tokenarium.app.lessons import Lessons
from tokenarium.app.scenes import SceneStage
from tokenarium.models.lessons.lesson import Lesson
from tokenarium.models.lessons.writing import WritingError, scene_values
from tokenarium.session.session import Session

LOOK_MS = 200
"""Milliseconds between looks at what the window shows, while it is recorded."""

RECORDED: Final = (
    "text",
    "workspace",
    "page",
    "select",
    "nth",
    "at",
    "front",
    "display",
    "page_settings",
)
"""The values of a scene that the window has. What is highlighted is chosen by the author."""

Changed = Mapping[tuple[str, ...], object]
"""Values of a scene by their paths; None for one that is removed."""


class LessonRecording(QObject):
    """Compares what the window shows with what it showed when the step appeared, and passes on what has changed.

    So what a step takes from the steps before it, and a text with expressions, stay as they are written.
    """

    changed = Signal(object)  # the values that have changed
    ended = Signal(str)  # why; "" if the window shows something else than the step

    def __init__(
        self, session: Session, lessons: Lessons, stage: SceneStage, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._lessons = lessons
        self._stage = stage
        self._step: tuple[Lesson | None, int] = (None, 0)
        self._before: dict[str, Any] | None = None  # None until the step is shown
        self._look = QTimer(self, interval=LOOK_MS)
        self._look.timeout.connect(self.look)

    @property
    def runs(self) -> bool:
        """Whether it records."""
        return self._look.isActive()

    def begin(self) -> None:
        """Records what changes from now on in the step that the window shows."""
        self._step = self._lessons.lesson, self._lessons.at
        self._before = None
        self._look.start()

    def stop(self) -> None:
        """Records no more."""
        self._look.stop()

    def look(self) -> None:
        """Passes on what has changed since the last look."""
        if self._step != (self._lessons.lesson, self._lessons.at):
            self._end("")
            return
        if self._lessons.waits or self._stage.busy:
            return
        try:
            now = self.values()
        except WritingError as error:
            self._end(str(error))
            return
        before, self._before = self._before, now
        if before is None:
            step = self._lessons.current
            if step is None or step.scene is not None:
                return
            before = {}
        changed = {(key,): now.get(key) for key in RECORDED if now.get(key) != before.get(key)}
        if ("display",) in changed:  # what is off is not written, unless it was on in this lesson
            off = self._stage.make().display
            was_on = {key: off.get(key) for key in before.get("display", {})}
            changed["display",] = {**was_on, **now.get("display", {})}
        if changed:
            self.changed.emit(changed)

    def _end(self, why: str) -> None:
        self.stop()
        self.ended.emit(why)

    def values(self, lesson: Lesson | None = None) -> dict[str, Any]:
        """Returns all that the window shows, as the scene of a lesson; WritingError if it cannot be one."""
        lesson = lesson or self._lessons.lesson
        groups = lesson.tokenizers if lesson is not None else ()
        here = (first_here(self._session, group) for group in groups)
        keys = [item.key for item in here if item is not None]
        return scene_values(self._stage.make(), self._session.text_map, keys)
