"""Passes lessons on as files: saves a copy of the open one, and adds one that somebody else wrote."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from tokenarium.app.lessons import Lessons
from tokenarium.menus.actions import Action, Section
from tokenarium.models.files import chosen_path, lessons_folder, why_not_written
from tokenarium.models.lessons.lesson import LessonError, read_lesson, read_text
from tokenarium.session.session import Session
from tokenarium.widgets.file_dialogs import ask_file, ask_new_file
from tokenarium_core import TokenariumError
from tokenarium_core.whole_files import write_files

KIND = "Lesson (*.md)"


class LessonFiles(QObject):
    """The commands for files of lessons."""

    def __init__(self, window: QWidget, session: Session, lessons: Lessons) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._lessons = lessons

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("add_lesson_file", "Add a lesson from a &file …", Section.LESSONS, "Ctrl+Shift+G, A", self.add, "Puts a lesson's file into your folder of lessons, and opens it", icon="folder-open"),
            Action("save_lesson_copy", "Save a co&py of the lesson …", Section.LESSONS, "Ctrl+Shift+G, G", self.save_copy, "Writes the open lesson to a file, to pass it on; its pictures are separate files", lambda: self._lessons.lesson is not None, icon="floppy-disk"),
        ]
        # fmt: on

    def add(self) -> None:
        """Asks for a file, and adds the lesson in it."""
        name = ask_file("lessons", self._window, "Add a lesson", f"{KIND};;All files (*)")
        if name:
            self.add_file(Path(name))

    def add_file(self, path: Path) -> None:
        """Copies a lesson's file into the user's folder and opens it; says what is wrong with it, or that there is one."""
        copy = lessons_folder() / f"{path.stem}.md"
        try:
            read_lesson(path)
            text = read_text(path)
        except LessonError as error:
            self._session.problem.emit(f"This lesson is not added. {error}")
            return
        if copy.exists() and path.resolve() != copy.resolve():
            said = f"There is a lesson {copy.name} in your folder already. Rename the file, and add it again."
            self._session.problem.emit(said)
            return
        if self._write(copy, text):
            self._lessons.refresh()
            self._lessons.open(copy.stem, 0)

    def save_copy(self) -> None:
        """Asks for a name, and writes the open lesson as it was saved last."""
        lesson = self._lessons.lesson
        if lesson is None:
            return
        source = Path(lesson.file)
        name, _ = ask_new_file(
            "lessons", self._window, "Save a copy of the lesson", source.name, KIND
        )
        if not name:
            return
        try:
            text = read_text(source)
        except LessonError as error:
            self._session.problem.emit(str(error))
            return
        path = chosen_path(name, ".md")
        if self._write(path, text):
            self._session.requests.tell_saved(path)

    def _write(self, path: Path, text: str) -> bool:
        """Writes a file, whole or not at all; returns whether it was written, and otherwise says why not."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_files({path: text.encode("utf-8", "replace")})
        except (OSError, TokenariumError) as error:
            self._session.problem.emit(why_not_written(error, path))
            return False
        return True
