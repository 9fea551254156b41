"""Saves the handout of a lesson or a class, or a lesson as a web page: asks for it, and lets another process write it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QProcess
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QProgressDialog,
    QRadioButton,
    QWidget,
)

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


class HandoutCommands(QObject):
    """Asks for a handout, and shows its progress; one at a time."""

    def __init__(self, window: QWidget, session: Session, lessons: Lessons) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._lessons = lessons
        self.process: QProcess | None = None
        self.progress: QProgressDialog | None = None
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
        """Writes a handout or a page in another process, with its progress, and a button that ends it.

        The command calls `end_with_parent` where it reports its progress.
        """
        self.cancel()
        process = self.process = QProcess(self)
        progress = self.progress = QProgressDialog("Starting …", "Cancel", 0, 0, self._window)
        progress.setWindowTitle("Making the page" if as_page else "Making the handout")
        progress.setAutoReset(False)
        progress.setAutoClose(False)
        progress.setMinimumDuration(0)
        progress.canceled.connect(self.cancel)
        process.readyReadStandardOutput.connect(self._note_progress)
        process.finished.connect(lambda code, status: self._end(code, path))
        process.errorOccurred.connect(
            lambda error: (
                self._end(1, path) if error == QProcess.ProcessError.FailedToStart else None
            )
        )
        options = ["--out", str(path), "--progress", *(["--answers"] if with_answers else [])]
        executable, *arguments = program()
        process.start(executable, [*arguments, *(PAGE if as_page else HANDOUT), id, *options])
        progress.show()

    def cancel(self) -> None:
        """Ends the process; no file is written."""
        process = self._forget()
        if process is not None:
            process.blockSignals(True)
            process.kill()
            process.waitForFinished(1000)

    def _forget(self) -> QProcess | None:
        process, self.process = self.process, None
        if self.progress is not None:
            self.progress.blockSignals(True)
            self.progress.close()
            self.progress.deleteLater()
            self.progress = None
        if process is not None:
            process.deleteLater()
        return process

    def _note_progress(self) -> None:
        if self.process is None or self.progress is None:
            return
        said = bytes(self.process.readAllStandardOutput().data()).decode("utf-8", "replace")
        for line in said.splitlines():
            done, stroke, total = line.strip().partition("/")
            if stroke and done.isdecimal() and total.isdecimal():
                self.progress.setLabelText(f"Step {done} of {total} is drawn.")
                self.progress.setMaximum(int(total))
                self.progress.setValue(int(done))

    def _end(self, code: int, path: Path) -> None:
        process = self._forget()
        if process is None:
            return
        said = bytes(process.readAllStandardError().data()).decode("utf-8", "replace").strip()
        if code:
            reason = said.splitlines()[-1] if said else "The process did not start."
            self._session.problem.emit(f"The file was not written. {reason}")
        else:
            self._session.requests.tell_saved(path)
