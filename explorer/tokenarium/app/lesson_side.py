"""Shows the list of lessons in the library's place, where a window is wide enough, while a lesson is open."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from tokenarium.app.lessons import Lessons
from tokenarium.app.panes import LISTING, Panes
from tokenarium.views.workspace import Workspace
from tokenarium.widgets.lesson_index import LessonIndex

WIDE, WIDER = 1400, 1700
"""Pixels of the window from which the list is shown: in workspaces that list tokenizers there, and in all others."""


class LessonSide(QObject):
    """The list at the left; made when it is first needed."""

    def __init__(
        self,
        lessons: Lessons,
        panes: Panes,
        workspace: Callable[[], Workspace],
        parent: QObject,
    ) -> None:
        """``workspace`` returns what the window shows."""
        super().__init__(parent)
        self._workspace = workspace
        self._lessons = lessons
        self._panes = panes
        self.index: LessonIndex | None = None
        lessons.stepped.connect(self.refresh)
        lessons.shows_step.connect(self.refresh)
        lessons.shown.connect(self.refresh)

    def refresh(self) -> None:
        """Shows the list with the lesson that is open, or the library again."""
        lesson = self._lessons.lesson
        least = WIDE if self._workspace().name.id in LISTING else WIDER
        if lesson is None or not self._lessons.is_open or self._panes.window().width() < least:
            self._panes.replace_library(None)
            return
        if self.index is None:
            self.index = LessonIndex()
            self.index.lesson_chosen.connect(self._lessons.open)
        self.index.show_rows(self._lessons.lesson_rows(), lesson.id)
        self._panes.replace_library(self.index)
