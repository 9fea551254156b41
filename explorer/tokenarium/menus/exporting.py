"""What the window does to write a tokenizer in another format: a dialog, a process of its own, and a proof."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from tokenarium.models.tokenizers.export_proof import ExportRequest, Proof, export_file
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.whole_file import chosen_path
from tokenarium.resources.samples_index import load_samples
from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance
from tokenarium.widgets.library.export_dialog import ExportDialog, FormatRow
from tokenarium.work.worker import Worker
from tokenarium_core.formats.registry import EXPORT_FORMATS


class ExportingCommands:
    """Handles "Save tokenizer as …"; the writing and the proof run in a process of their own."""

    def __init__(self, session: Session, appearance: Appearance, window: QWidget) -> None:
        self._session = session
        self._appearance = appearance
        self._window = window
        self._entry: LibraryItem | None = None
        self._text = ""
        self.dialog: ExportDialog | None = None
        self.worker: Worker | None = None

    def save_tokenizer(self) -> None:
        """Opens the dialog for the current tokenizer; what is being written is given up."""
        entry = self._session.current
        if entry is None or entry.tokenizer is None:
            return
        self.stop()
        if self.dialog is None:
            dialog = self.dialog = ExportDialog(self._appearance.theme, self._window)
            self._appearance.changed.connect(lambda: dialog.set_theme(self._appearance.theme))
            self.dialog.save_requested.connect(self.ask_and_save)
            self.dialog.stop_requested.connect(self.stop)
        self._entry = entry
        rows = []
        for name, kind in EXPORT_FORMATS.items():
            about = f"Read by {kind.reference}" if kind.reference else "Read by this program"
            rows.append(
                FormatRow(
                    name, f"{kind.title} ({kind.suffix})", about, kind.obstacle(entry.tokenizer)
                )
            )
        self.dialog.show_formats(entry.name, rows)
        self.dialog.show()
        self.dialog.raise_()

    def ask_and_save(self, format: str) -> None:
        """Asks for a place and writes the tokenizer there."""
        entry = self._entry
        if entry is None:
            return
        kind = EXPORT_FORMATS[format]
        if kind.fixed_names:
            name = QFileDialog.getExistingDirectory(
                self.dialog, f"The folder for {' and '.join(kind.fixed_names)}"
            )
        else:
            stem = re.sub(r"[^\w.-]+", "-", entry.name).strip("-") or "tokenizer"
            name, _ = QFileDialog.getSaveFileName(
                self.dialog,
                f"Save as {kind.title}",
                f"{stem}{kind.suffix}",
                f"{kind.title} (*{kind.suffix})",
            )
            name = str(chosen_path(name, kind.suffix)) if name else ""
        if name:
            self.save(format, Path(name))

    def save(self, format: str, target: Path) -> None:
        """Writes the tokenizer of the dialog in a format, and says in the dialog how it goes."""
        entry, dialog = self._entry, self.dialog
        if entry is None or dialog is None:
            return
        self.stop()
        try:
            self._text = _written(self._session.text)
        except OSError as error:
            dialog.say(f"There is no room for the test text: {error.strerror}.", wrong=True)
            return
        fixed = EXPORT_FORMATS[format].fixed_names
        request = ExportRequest(
            entry.source,
            entry.pattern,
            entry.name,
            format,
            target / fixed[0] if fixed else target,
            Path(self._text),
        )
        worker = self.worker = Worker(export_file, request, parent=self._session)

        def finished(proof: Proof) -> None:
            self._end()
            dialog.say(f"Written to {proof.files[0].parent}. {proof.sentence}")

        def failed(reason: str) -> None:
            self._end()
            dialog.say(reason, wrong=True)

        def cancelled() -> None:
            self._end()
            dialog.say("It was given up; nothing was written.")

        worker.told.connect(dialog.show_running)
        worker.finished.connect(finished)
        worker.failed.connect(failed)
        worker.cancelled.connect(cancelled)
        dialog.show_running("Starting")
        worker.start()

    def stop(self) -> None:
        """Gives up what is being written, if anything."""
        if self.worker is not None:
            self.worker.cancel()

    def _end(self) -> None:
        with contextlib.suppress(OSError):
            os.remove(self._text)
        if self.worker is not None:
            self.worker.deleteLater()
            self.worker = None


def _written(text: str) -> str:
    """Returns the path of a file with the text of the window and all samples, to prove an export with."""
    samples = [sample.text() for sample in load_samples()]
    content = "\n".join([text, *samples]).encode("utf-8", "ignore")  # halves of pairs are left out
    file, path = tempfile.mkstemp(prefix="tokenarium-", suffix=".txt")
    with open(file, "wb") as opened:
        opened.write(content)
    return path
