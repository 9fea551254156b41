"""Describes a tokenizer, checks it against the library that owns its format, and exports it."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from tokenarium.models.files import chosen_path
from tokenarium.models.mending.program_folder import (
    PROGRAMS,
    ProgramFolder,
    ProgramFolderRequest,
    write_program_folder,
)
from tokenarium.models.text.text_file import TextFileError, read_text
from tokenarium.models.tokenizers.export_proof import ExportRequest, Proof, export_file
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.tokenizers.reference_check import Request, check_file
from tokenarium.models.tokenizers.tokenizer_facts import (
    FILES,
    REGISTRY,
    as_text,
    facts,
    written,
)
from tokenarium.resources.samples_index import load_samples
from tokenarium.session.session import Session
from tokenarium.views.kept import Kept, kept_value
from tokenarium.widgets.file_dialogs import ask_file, ask_folder, ask_new_file
from tokenarium.widgets.library.about_tokenizer import AboutTokenizer
from tokenarium.widgets.library.check_dialog import CheckDialog
from tokenarium.widgets.library.export_dialog import FOLDER, ExportDialog, FormatRow, ProgramRow
from tokenarium.work.running import Processes
from tokenarium.work.worker import Work
from tokenarium_core.formats.copy_proof import is_rebuilt
from tokenarium_core.formats.registry import EXPORT_FORMATS, obstacle_to

if TYPE_CHECKING:
    import tokenarium_core as tc
    from tokenarium.models.training.tokenizer_registry import RegisteredTokenizer

HASHING = "being worked out …"
"""Shown until the SHA-256 of a file is known."""

POLL_MS = 20

STOPPED = "Stopped; nothing was written."

SHOWN = 6
"""The most differing texts of an exported copy that the dialog has room for."""


class _InProcess:
    """Works on a text in a separate process.

    The text is in a file: with an argument, the window would wait until the process has read it.
    """

    def __init__(self, session: Session, window: QWidget) -> None:
        self._session = session
        self._window = window
        self._text = ""
        self.running = Processes(session)

    @property
    def busy(self) -> bool:
        """Whether the process runs."""
        return self.running.busy

    def stop(self) -> None:
        """Cancels the work, if any."""
        self.running.stop(stopped=True)

    def _write_text(self, text: bytes) -> Path:
        """Writes the text to work on; raises OSError if there is no space for it."""
        file, self._text = tempfile.mkstemp(prefix="tokenarium-", suffix=".txt")
        with open(file, "wb") as opened:
            opened.write(text)
        return Path(self._text)

    def _start(
        self,
        work: Work,
        request: object,
        say: Callable[[str], object],
        take: Callable[[Any], object],
        fail: Callable[[str], object],
        stopped: str,
    ) -> None:
        """Starts the work: ``say`` gets its stages, ``take`` the result, or ``fail`` a sentence."""

        def ended(end: Callable[[Any], object], result: object) -> None:
            with contextlib.suppress(OSError):
                os.remove(self._text)
            end(result)

        say("Starting")
        self.running.process(
            work,
            request,
            take=partial(ended, take),
            fail=partial(ended, fail),
            say=lambda progress: say(progress.phase),
            stopped=stopped,
        )


class CheckingCommands(_InProcess):
    """Describes the current tokenizer, and checks it."""

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(session, window)
        self.about_window: AboutTokenizer | None = None
        self.dialog: CheckDialog | None = None

    def about_tokenizer(self) -> None:
        """Shows the dialog about the current tokenizer."""
        item = self._session.current
        if item is None or item.tokenizer is None:
            return
        if self.about_window is not None:
            self.about_window.deleteLater()
        tokenizer = item.tokenizer
        waiting = [(file.name, HASHING) for file in tokenizer.source.files]
        entries = _registered(tokenizer)
        known = _registry_rows(entries, [HASHING] * len(entries))
        sections = facts(tokenizer, item.display_name, item.source, waiting, registered=known)
        about = AboutTokenizer(
            item.display_name, written(sections), as_text(sections), self._window
        )
        self.about_window = about
        about.show()
        if waiting:
            # Large files are read in a thread: reading and hashing release the GIL.
            queue: SimpleQueue[tuple[list[tuple[str, str]], list[str]]] = SimpleQueue()

            def read() -> None:
                digests = tokenizer.source.digests()
                queue.put((digests, [_state(entry) for entry in entries]))

            Thread(target=read, daemon=True).start()
            poll = QTimer(about)

            def take() -> None:
                with contextlib.suppress(Empty):
                    digests, states = queue.get_nowait()
                    rows = _registry_rows(entries, states)
                    name, source = item.display_name, item.source
                    sections = facts(tokenizer, name, source, digests, registered=rows)
                    filled = dict(written(sections))
                    for head in (FILES, REGISTRY):
                        if head in filled:
                            about.fill(head, filled[head], as_text(sections))
                    poll.stop()

            poll.timeout.connect(take)
            poll.start(POLL_MS)

    def check_reference(self) -> None:
        """Checks the current tokenizer on the text of the window."""
        self.check(self._session.text)

    def check_reference_on_file(self) -> None:
        """Asks for a text file and checks the current tokenizer on it."""
        name = ask_file("texts", self.dialog or self._window, "Check on a text", "All files (*)")
        if not name:
            return
        try:
            self.check(read_text(Path(name)))
        except TextFileError as error:
            self._session.problem.emit(str(error))

    def check(self, text: str) -> None:
        """Checks the current tokenizer on a text; cancels a running check."""
        item = self._session.current
        if item is None:
            return
        self.stop()
        dialog = self._shown_dialog()
        try:
            path = self._write_text(text.encode("utf-8"))
        except UnicodeEncodeError as error:
            dialog.show_problem(
                item.name,
                f"Character {error.start:,} of the text is half of a surrogate pair, which no other library accepts. "
                "Delete it and check again.",
            )
            return
        except OSError as error:
            dialog.show_problem(
                item.display_name, f"There is not enough space for the text: {error.strerror}."
            )
            return
        special = self._session.special == "all"
        request = Request(item.name, item.source, item.pattern, special, path)
        self._start(
            check_file,
            request,
            lambda doing: dialog.show_running(item.display_name, doing),
            dialog.show_report,
            lambda sentence: dialog.show_problem(item.display_name, sentence),
            "The check was stopped.",
        )

    def _shown_dialog(self) -> CheckDialog:
        if self.dialog is None:
            self.dialog = CheckDialog(self._window)
            self.dialog.stop_requested.connect(self.stop)
            self.dialog.file_requested.connect(self.check_reference_on_file)
        self.dialog.show()
        self.dialog.raise_()
        return self.dialog


def _registered(tokenizer: tc.Tokenizer) -> list[RegisteredTokenizer]:
    """Returns the entries of the registry with the files that a tokenizer was read from."""
    from tokenarium.models.training.tokenizer_registry import registered_here

    paths = {str(file) for file in tokenizer.source.files}
    return [
        entry
        for entry in registered_here()
        if paths and paths == {file.path for file in entry.files}
    ]


def _state(entry: RegisteredTokenizer) -> str:
    """Returns the state of the files of a registry entry, reading all of them."""
    from tokenarium.models.training.tokenizer_registry import registered_state

    return registered_state(entry).value


def _registry_rows(
    entries: Sequence[RegisteredTokenizer], states: Sequence[str]
) -> list[tuple[str, str]]:
    """Returns the rows of a tokenizer's entries in the registry."""
    rows = []
    for entry, state in zip(entries, states, strict=True):
        by = f", by {entry.author}" if entry.author else ""
        rows += [
            ("Registered name", entry.name),
            ("Version", entry.version),
            ("State", state),
            ("Registered", f"{entry.made[:10]}{by}"),
            ("Made from", entry.made_from),
        ]
    return rows


class ExportingCommands(_InProcess):
    """Writes the current tokenizer in another format, with a proof that it is the same."""

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(session, window)
        self._item: LibraryItem | None = None
        self.dialog: ExportDialog | None = None

    def keeps(self) -> tuple[Kept, ...]:
        """Returns the chosen format, for scenes; only once the dialog was opened."""
        dialog = self.dialog
        if dialog is None:
            return ()
        return (kept_value("format", str, lambda: dialog.chosen, dialog.choose),)

    def save_tokenizer(self) -> None:
        """Opens the dialog for the current tokenizer; cancels a running export."""
        item = self._session.current
        if item is None or item.tokenizer is None:
            return
        self.stop()
        if self.dialog is None:
            self.dialog = ExportDialog(self._window)
            self.dialog.save_requested.connect(self.ask_and_save)
            self.dialog.stop_requested.connect(self.stop)
        self._item = item
        rows = []
        for name, kind in EXPORT_FORMATS.items():
            about = f"Read by {kind.reference}" if kind.reference else "Read by this program"
            rows.append(
                FormatRow(
                    name,
                    f"{kind.title} ({kind.suffix})",
                    about,
                    obstacle_to(item.tokenizer, name),
                    is_rebuilt(item.tokenizer, name),
                )
            )
        programs = [
            ProgramRow(program, obstacle_to(item.tokenizer, name), is_rebuilt(item.tokenizer, name))
            for program, (name, _) in PROGRAMS.items()
        ]
        self.dialog.show_formats(item.display_name, rows, programs)
        self.dialog.show()
        self.dialog.raise_()

    def ask_and_save(self, format: str) -> None:
        """Asks for a file or folder and writes the tokenizer there."""
        item = self._item
        if item is None:
            return
        if format == FOLDER:
            name = ask_folder("saved tokenizers", self.dialog, "Choose a new or an empty folder")
            if name:
                self.save_folder(Path(name))
            return
        kind = EXPORT_FORMATS[format]
        if kind.fixed_names:
            name = ask_folder(
                "saved tokenizers", self.dialog, f"The folder for {' and '.join(kind.fixed_names)}"
            )
        else:
            stem = re.sub(r"[^\w.-]+", "-", item.name).strip("-") or "tokenizer"
            name, _ = ask_new_file(
                "saved tokenizers",
                self.dialog,
                f"Save as {kind.title}",
                f"{stem}{kind.suffix}",
                f"{kind.title} (*{kind.suffix})",
            )
            name = str(chosen_path(name, kind.suffix)) if name else ""
        if name:
            self.save(format, Path(name))

    def save(self, format: str, target: Path) -> None:
        """Writes the tokenizer of the dialog in a format; the dialog shows the progress."""
        item, dialog, text = self._item, self.dialog, self._test_text()
        if item is None or dialog is None or text is None:
            return
        fixed = EXPORT_FORMATS[format].fixed_names
        path = target / fixed[0] if fixed else target
        allowed = dialog.differences_allowed
        request = ExportRequest(item.source, item.pattern, item.name, format, path, text, allowed)

        def finish(proof: Proof) -> None:
            dialog.say(f"Written to {proof.files[0].parent}. {proof.summary(SHOWN)}")

        self._export(dialog, export_file, request, finish)

    def save_folder(self, folder: Path) -> None:
        """Writes the tokenizer of the dialog for its programs, into a new or empty folder."""
        item, dialog, text = self._item, self.dialog, self._test_text()
        if item is None or dialog is None or text is None:
            return
        programs, allowed = dialog.chosen_programs, dialog.differences_allowed
        request = ProgramFolderRequest(
            item.source, item.pattern, item.name, programs, folder, text, allowed
        )

        def finish(written: ProgramFolder) -> None:
            dialog.say(f"Written to {written.summary(SHOWN)}")

        self._export(dialog, write_program_folder, request, finish)

    def _test_text(self) -> Path | None:
        """Returns the file of a text to prove an export, without halves of surrogate pairs; None if there is no space for it."""
        self.stop()
        samples = [sample.text() for sample in load_samples()]
        content = "\n".join([self._session.text, *samples]).encode("utf-8", "ignore")
        try:
            return self._write_text(content)
        except OSError as error:
            if self.dialog is not None:
                self.dialog.say(
                    f"There is not enough space for the test text: {error.strerror}.", wrong=True
                )
            return None

    def _export(
        self, dialog: ExportDialog, work: Work, request: object, finish: Callable[[Any], object]
    ) -> None:
        self._start(
            work,
            request,
            dialog.show_running,
            finish,
            lambda reason: dialog.say(reason, wrong=reason != STOPPED),
            STOPPED,
        )
