"""Saves the handout of a lesson or a class, or a lesson as a web page: asks for it, and lets another process write it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QRadioButton,
    QWidget,
)

from tokenarium.app.file_writing import FileWriting
from tokenarium.app.lessons import Lessons
from tokenarium.menus.actions import Action, Section
from tokenarium.models.files import chosen_path
from tokenarium.models.lessons.classes import ready_classes
from tokenarium.session.session import Session
from tokenarium.style.theme import GRID
from tokenarium.widgets.file_dialogs import ask_new_file
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import named, strong
from tokenarium.work.child_process import program

HANDOUT, PAGE = ("lesson", "handout"), ("lesson", "page")
"""The commands of the program that write one."""

PDF, HTML = "PDF (*.pdf)", "HTML, one file (*.html)"


class HandoutDialog(QDialog):
    """Asks which lesson or class, and whether for students, for the teacher, or as a web page."""

    def __init__(self, titles: dict[str, str], chosen: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Save a handout")
        self.lesson = named(QComboBox(), "Lesson or class")
        for id, title in titles.items():
            self.lesson.addItem(title, id)
        self.lesson.setCurrentIndex(max(0, self.lesson.findData(chosen)))
        self.student = QRadioButton("For &students: questions with room to write")
        self.teacher = QRadioButton("For the &teacher: then come the answers, reasons and notes")
        self.page = QRadioButton(
            "As a &web page: a lesson whose questions are answered in a browser"
        )
        self.student.setChecked(True)
        self.lesson.currentIndexChanged.connect(self._offer_page)
        self._offer_page()
        about = QLabel(
            "Each step has a picture of what the window shows, on paper drawn for black and white. The worksheet of a"
            " class is one page; for the teacher, its plan comes first. A web page is one file that needs no network."
            " Answers are computed with those tokenizers of the lesson that are on this computer.",
            wordWrap=True,
        )
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.button(QDialogButtonBox.StandardButton.Save).setText("Save …")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        in_column(
            strong(QLabel("Lesson or class")),
            self.lesson,
            self.student,
            self.teacher,
            self.page,
            about,
            buttons,
            into=self,
            spacing=GRID * 3 // 2,
            margins=2 * GRID,
        )

    @property
    def chosen(self) -> str:
        """The id of the lesson."""
        return str(self.lesson.currentData())

    def _offer_page(self) -> None:
        """Offers a web page of a lesson, not of a class."""
        is_class = self.chosen in ready_classes()
        self.page.setEnabled(not is_class)
        if is_class and self.page.isChecked():
            self.student.setChecked(True)


class HandoutCommands(FileWriting):
    """Asks for a handout, and shows its progress; one at a time."""

    noun = "handout"

    def __init__(self, window: QWidget, session: Session, lessons: Lessons) -> None:
        super().__init__(window, session)
        self._lessons = lessons
        lessons.handout_wanted.connect(self.ask)

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("save_handout", "Save a hand&out …", Section.LESSONS, "Ctrl+Shift+G, U", self.ask, "Writes a lesson or a class as PDF or HTML, to print or to hand out, or a lesson as a web page", lambda: self.process is None, icon="printer"),
        ]
        # fmt: on

    def ask(self) -> None:
        """Asks which lesson, how, and where to."""
        if self.process is not None:
            return
        classes = {id: f"Class: {one.title}" for id, one in ready_classes().items()}
        titles = {id: one.title for id, one in self._lessons.all.items()} | classes
        current = self._lessons.lesson
        chosen = self._lessons.shown_class or (current.id if current is not None else "")
        dialog = HandoutDialog(titles, chosen, self._window)
        accepted = dialog.exec()
        id, with_answers = dialog.chosen, dialog.teacher.isChecked()
        as_page = dialog.page.isChecked()
        dialog.deleteLater()
        if not accepted or id not in titles:
            return
        suggested = f"{id}{'-answers' if with_answers else ''}{'.html' if as_page else '.pdf'}"
        title = "Save the page" if as_page else "Save the handout"
        kinds = HTML if as_page else f"{PDF};;{HTML}"
        name, kind = ask_new_file("handouts", self._window, title, suggested, kinds)
        if name:
            suffixes = (".html", ".pdf") if kind == HTML else (".pdf", ".html")
            path = chosen_path(name, *([".html"] if as_page else suffixes))
            self.write(id, path, with_answers, as_page)

    def write(self, id: str, path: Path, with_answers: bool, as_page: bool = False) -> None:
        """Writes a handout or a page in another process, with its progress, and a button that ends it."""
        self.noun = "page" if as_page else "handout"
        options = ["--out", str(path), "--progress", *(["--answers"] if with_answers else [])]
        self.run([*program(), *(PAGE if as_page else HANDOUT), id, *options], path)
