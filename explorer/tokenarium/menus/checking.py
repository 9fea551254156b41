"""What the menus do with one tokenizer: tell about it, check it against the library that owns its format."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFileDialog, QWidget

from tokenarium.models.text.text_file import TextFileError, read_text
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.tokenizers.reference_check import Report, Request, check_file
from tokenarium.models.tokenizers.tokenizer_facts import FILES, as_text, facts, written
from tokenarium.session.session import Session
from tokenarium.widgets.library.about_tokenizer import AboutTokenizer
from tokenarium.widgets.library.check_dialog import CheckDialog
from tokenarium.work.worker import Worker

HASHING = "being worked out …"
"""What is shown of a file until its SHA-256 is known."""

POLL_MS = 20


class CheckingCommands:
    """Handlers of actions about the current tokenizer. The check runs in a process of its own."""

    def __init__(self, session: Session, window: QWidget) -> None:
        self._session = session
        self._window = window
        self._text = ""
        self.about_window: AboutTokenizer | None = None
        self.dialog: CheckDialog | None = None
        self.worker: Worker | None = None

    def about_tokenizer(self) -> None:
        """Tells all about the current tokenizer."""
        entry = self._session.current
        if entry is None or entry.tokenizer is None:
            return
        if self.about_window is not None:
            self.about_window.deleteLater()
        tokenizer = entry.tokenizer
        waiting = [(file.name, HASHING) for file in tokenizer.source.files]
        sections = facts(tokenizer, entry.name, entry.source, waiting)
        about = AboutTokenizer(entry.name, written(sections), as_text(sections), self._window)
        self.about_window = about
        about.show()
        if waiting:
            # Large files are read in a thread: reading and hashing let go of the interpreter.
            queue: SimpleQueue[list[tuple[str, str]]] = SimpleQueue()
            Thread(target=lambda: queue.put(tokenizer.source.digests()), daemon=True).start()
            poll = QTimer(about)

            def take() -> None:
                with contextlib.suppress(Empty):
                    sections = facts(tokenizer, entry.name, entry.source, queue.get_nowait())
                    about.fill(FILES, dict(written(sections))[FILES], as_text(sections))
                    poll.stop()

            poll.timeout.connect(take)
            poll.start(POLL_MS)

    def check_reference(self) -> None:
        """Checks the current tokenizer on the text of the window."""
        self.check(self._session.text)

    def check_reference_on_file(self) -> None:
        """Asks for a text file and checks the current tokenizer on it."""
        name, _ = QFileDialog.getOpenFileName(
            self.dialog or self._window, "Check on a text", "", "All files (*)"
        )
        if not name:
            return
        try:
            self.check(read_text(Path(name)))
        except TextFileError as error:
            self._session.problem.emit(str(error))

    def check(self, text: str) -> None:
        """Checks the current tokenizer on a text; a check that runs is given up."""
        entry = self._session.current
        if entry is None:
            return
        self.stop()
        dialog = self._shown_dialog()
        try:
            # Not by way of the arguments: the window would wait until the process has taken them.
            content = text.encode("utf-8")
            file, self._text = tempfile.mkstemp(prefix="tokenarium-", suffix=".txt")
            with open(file, "wb") as opened:
                opened.write(content)
        except UnicodeEncodeError as error:
            dialog.show_problem(
                entry.name,
                f"Character {error.start:,} of the text is half of a surrogate pair, which no other library takes. "
                "Delete it and check again.",
            )
            return
        except OSError as error:
            dialog.show_problem(entry.name, f"There is no room for the text: {error.strerror}.")
            return
        special = self._session.special == "all"
        request = Request(entry.name, entry.source, entry.pattern, special, Path(self._text))
        self._start(dialog, entry, request)

    def stop(self) -> None:
        """Gives up the check that runs, if any."""
        if self.worker is not None:
            self.worker.cancel()

    def _start(self, dialog: CheckDialog, entry: LibraryItem, request: Request) -> None:
        worker = Worker(check_file, request, parent=self._session)
        self.worker = worker

        def finished(report: Report) -> None:
            self._end()
            dialog.show_report(report)

        def failed(sentence: str) -> None:
            self._end()
            dialog.show_problem(entry.name, sentence)

        def cancelled() -> None:
            self._end()
            dialog.show_problem(entry.name, "The check was stopped.")

        worker.progressed.connect(lambda doing: dialog.show_running(entry.name, doing))
        worker.finished.connect(finished)
        worker.failed.connect(failed)
        worker.cancelled.connect(cancelled)
        dialog.show_running(entry.name, "Starting")
        worker.start()

    def _end(self) -> None:
        with contextlib.suppress(OSError):
            os.remove(self._text)
        if self.worker is not None:
            self.worker.deleteLater()
            self.worker = None

    def _shown_dialog(self) -> CheckDialog:
        if self.dialog is None:
            self.dialog = CheckDialog(self._window)
            self.dialog.stop_requested.connect(self.stop)
            self.dialog.file_requested.connect(self.check_reference_on_file)
        self.dialog.show()
        self.dialog.raise_()
        return self.dialog
