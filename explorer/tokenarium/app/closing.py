"""Asks before a closing window loses something: a training, or a text that cannot be kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from tokenarium.session.session import Session
from tokenarium.style.controls import primary

if TYPE_CHECKING:  # the code of trainings is loaded with the first one
    from tokenarium.models.training.training_queue import QueuedTraining


class ClosingQuestion(QObject):
    """Asks in a window; closes it once the answer is carried out."""

    def __init__(self, session: Session, why_not_kept: Callable[[], str], window: QWidget) -> None:
        """``why_not_kept`` keeps the session, and returns why the user's text is not kept, or "" if it is or need not be."""
        super().__init__(window)
        self._session = session
        self._window = window
        self._keeps = False
        self._answered = False
        self._loses = False
        self.why_not_kept = why_not_kept
        self.box: QMessageBox | None = None

    def may_close(self) -> bool:
        """Returns whether the window may close now; if not, asks or waits for a result."""
        if self._answered or not (self._unfinished() or self._session.will_train):
            return True
        if not self._keeps and self.box is None:
            self._ask()
        return False

    def _unfinished(self) -> list[QueuedTraining]:
        return self._session.trainings.unfinished if self._session.trains else []

    def _ask(self) -> None:
        runs = self._unfinished()
        running = next((run for run in runs if run.state.going), None)
        if runs:
            named = f"{(running or runs[0]).name} is still being trained"
        else:
            named = "The training will begin once its corpus has been checked"
        if running is not None and running.entries:
            named += f": {running.figures_line}"
        waiting = len(runs) - (running is not None)
        more = (
            f"\n{waiting:,} more {'is' if waiting == 1 else 'are'} waiting, and will still be listed next time."
            if waiting
            else ""
        )
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("A training is running")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(f"{named}.{more}")
        box.setInformativeText("What should happen to it when the window closes?")
        keep = box.addButton("Stop and keep", QMessageBox.ButtonRole.AcceptRole)
        discard = box.addButton("Discard", QMessageBox.ButtonRole.DestructiveRole)
        go_on = box.addButton("Continue training", QMessageBox.ButtonRole.RejectRole)
        keep.setEnabled(running is not None and running.can_stop)
        box.setDefaultButton(go_on)
        box.setEscapeButton(go_on)
        keep.clicked.connect(self.keep)
        discard.clicked.connect(self.discard)
        changed = self._session.trainings.changed
        changed.connect(self._close_when_trained)
        box.finished.connect(lambda: changed.disconnect(self._close_when_trained))
        box.finished.connect(self._forget)
        self.box = box
        box.open()

    def may_lose(self) -> bool:
        """Returns whether the window may close; asks if its text would be missing at the next start."""
        why = "" if self._loses else self.why_not_kept()
        if why and self.box is None:
            box = QMessageBox(self._window)
            box.setIcon(QMessageBox.Icon.Warning)
            box.setWindowTitle("Tokenarium")
            box.setTextFormat(Qt.TextFormat.PlainText)
            box.setText("Your text is not saved, and will not be there at the next start.")
            box.setInformativeText(
                f"{why} Stay to save it elsewhere (File › Save session), or to copy it."
            )
            leave = box.addButton("Close anyway", QMessageBox.ButtonRole.DestructiveRole)
            stay = box.addButton("Stay", QMessageBox.ButtonRole.RejectRole)
            box.setDefaultButton(primary(stay))
            box.setEscapeButton(stay)
            leave.clicked.connect(self._lose)
            box.finished.connect(self._forget)
            self.box = box
            box.open()
        return not why

    def _lose(self) -> None:
        self._loses = True
        self._window.close()

    @property
    def asks(self) -> bool:
        """Whether the window asks before it closes."""
        return not self._loses

    def ask_no_more(self) -> None:
        """Lets the window close whatever is lost, as when the system ends the program."""
        self._loses = True
        self.discard()

    def _forget(self) -> None:
        if self.box is not None:
            self.box.deleteLater()
            self.box = None

    def keep(self) -> None:
        """Stops the training, keeps what it has learned, and then closes the window.

        Waiting trainings are there at the next start.
        """
        self._keeps = True
        trainings = self._session.trainings
        trainings.hold()
        if trainings.running is not None:
            trainings.stop(trainings.running)
        trainings.changed.connect(self._close_when_kept)
        self._close_when_kept()

    def discard(self) -> None:
        """Closes the window, which ends the training; waiting ones are there at the next start."""
        self._answered = True
        trainings = self._session.trainings
        trainings.hold()
        if trainings.running is not None:
            trainings.cancel(trainings.running)
        self._window.close()

    def _close_when_trained(self) -> None:
        """Closes the question and the window once all trainings have ended: there is nothing left to decide."""
        if self.box is not None and not (self._unfinished() or self._session.will_train):
            self.box.done(0)
            self._window.close()

    def _close_when_kept(self) -> None:
        if not (self._unfinished() or self._session.will_train or self._answered):
            self._answered = True
            self._window.close()
