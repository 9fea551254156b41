"""Writes a file in another process of the program, with its progress and a button that ends it; one at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QProcess
from PySide6.QtWidgets import QProgressDialog, QWidget

from tokenarium.session.session import Session


class FileWriting(QObject):
    """Base of commands that write a file so. ``noun`` is what is written: "handout"."""

    noun = "file"

    def __init__(self, window: QWidget, session: Session) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self.process: QProcess | None = None
        self.progress: QProgressDialog | None = None
        self._then: Callable[[], object] = lambda: None

    def run(
        self,
        command: Sequence[str],
        path: Path,
        then: Callable[[], object] = lambda: None,
        patience_ms: int = 0,
    ) -> None:
        """Runs the program so that it writes a file, and says where it is, or why it was not written.

        ``then`` is called when it has ended, in whatever way. The progress is shown after ``patience_ms``. A command that reports it calls
        `end_with_parent`.
        """
        self.cancel()
        process = self.process = QProcess(self)
        progress = self.progress = QProgressDialog("Starting …", "Cancel", 0, 0, self._window)
        progress.setWindowTitle(f"Making the {self.noun}")
        progress.setAutoReset(False)
        progress.setAutoClose(False)
        progress.setMinimumDuration(patience_ms)
        progress.canceled.connect(self.cancel)
        process.readyReadStandardOutput.connect(self._note_progress)
        process.finished.connect(lambda code, status: self._end(code, path))
        process.errorOccurred.connect(
            lambda error: (
                self._end(1, path) if error == QProcess.ProcessError.FailedToStart else None
            )
        )
        self._then = then
        executable, *arguments = command
        process.start(executable, arguments)
        if not patience_ms:
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
            self._then()
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
            self._session.problem.emit(f"The {self.noun} was not written. {reason}")
        else:
            self._session.requests.tell_saved(path)
