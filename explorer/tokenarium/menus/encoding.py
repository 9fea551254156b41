"""Encodes a corpus in another process, with a dialog."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from tokenarium.models.progress_reporter import stage
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.session.session import Session
from tokenarium.views.kept import Kept, kept_control, kept_value
from tokenarium.widgets.training.encode_dialog import EncodeDialog, Offered
from tokenarium.work.corpus_counting import WorkNews
from tokenarium.work.corpus_encoding import (
    EncodingRequest,
    EncodingResult,
    encode_anywhere,
    news_sentence,
    result_sentence,
)
from tokenarium.work.running import Processes
from tokenarium_core.progress import Progress

PATIENCE_MS = 8_000
"""How long a stopped run may take to end its workers, and to remove incomplete files."""

MOST_NOTES = 4
"""The most sentences about single files that are shown; the rest are counted."""


class EncodingCommands:
    """The dialog, and one run at a time, which continues while the dialog is closed."""

    def __init__(self, session: Session, window: QWidget) -> None:
        self._session = session
        self._window = window
        self._dashboard = ""
        self.dialog: EncodeDialog | None = None
        self.running = Processes(session)

    @property
    def busy(self) -> bool:
        """Whether a corpus is being encoded."""
        return self.running.busy

    def stop(self) -> None:
        """Ends the work immediately, such as when the window closes; complete shards stay."""
        self.running.stop(stopped=True)

    def keeps(self) -> tuple[Kept, ...]:
        """Returns what the dialog writes, for scenes; only once it was opened."""
        dialog = self.dialog
        if dialog is None:
            return ()
        return (
            kept_value(
                "sources",
                list[CorpusSource],
                lambda: list(dialog.sources.sources),
                dialog.sources.set_sources,
            ),
            kept_control("folder", dialog.folder),
            kept_control("layout", dialog.layout_box),
            kept_control("place", dialog.place.kind),
            kept_control("workers", dialog.place.workers),
            kept_control("check", dialog.check),
        )

    def encode_corpus(self) -> None:
        """Shows the dialog."""
        dialog = self.dialog
        if dialog is None:
            dialog = self.dialog = EncodeDialog(self._window)
            dialog.begin_requested.connect(self.begin)
            dialog.stop_requested.connect(self.ask_to_stop)
            dialog.open_requested.connect(self._open_folder)
            dialog.dashboard_requested.connect(
                lambda: QDesktopServices.openUrl(QUrl(self._dashboard))
            )
            dialog.text_requested.connect(self._add_text)
            self._session.tokenizers_changed.connect(self._offer)
        self._offer()
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def _offer(self) -> None:
        """Lists the tokenizers that are open."""
        if self.dialog is None or self.dialog.running:
            return
        offered = []
        for item in self._session.library:
            if item.tokenizer is not None:
                ends = item.tokenizer.ends.eos
                names = {token: name for name, token in item.tokenizer.special_tokens.items()}
                end = names.get(ends[0], str(ends[0])) if len(ends) == 1 else ""
                offered.append(Offered(item.key, item.display_name, end))
        current = self._session.current
        self.dialog.offer(offered, current.key if current is not None else "")

    def _add_text(self) -> None:
        if self.dialog is not None:
            self.dialog.sources.add_source(CorpusSource("text", self._session.text))

    def begin(self) -> None:
        """Starts the encoding of the dialog; does nothing while a field has a problem or a run is active."""
        dialog = self.dialog
        if dialog is None or dialog.problem or self.busy:
            return
        item = self._session.library.item(dialog.key)
        if item is None:
            return
        request = EncodingRequest(
            item.source,
            item.display_name,
            tuple(dialog.sources.sources),
            Path(dialog.folder.text().strip()),
            dialog.layout_name,
            dialog.end_token,
            dialog.check.isChecked(),
            dialog.place.place,
            pattern=item.pattern,
        )
        dialog.show_running(stage("Starting a process …"), dashboard=False)
        self.running.process(
            encode_anywhere,
            request,
            take=self._take_result,
            fail=lambda sentence: self._end("Not finished", sentence),
            say=self._take_news,
            stopped="It was stopped.",
        )

    def ask_to_stop(self) -> None:
        """Ends the run after it has removed incomplete files and its workers have ended."""
        if self.busy and self.dialog is not None:
            self.dialog.stop.setEnabled(False)
            self.dialog.sentence.setText("Stopping …")
            self.running.ask_to_stop(patience_ms=PATIENCE_MS)

    def _take_news(self, news: WorkNews) -> None:
        dialog = self.dialog
        if dialog is not None and dialog.stop.isEnabled():
            self._dashboard = news.dashboard
            progress = Progress(news_sentence(news), news.done, news.total, False)
            dialog.show_running(progress, bool(news.dashboard))

    def _take_result(self, result: EncodingResult) -> None:
        notes = [*result.faults, *result.notes]
        shown = notes[:MOST_NOTES]
        if len(notes) > MOST_NOTES:
            shown.append(f"And {len(notes) - MOST_NOTES:,} more.")
        title = f"The ids are in {result.folder}"
        if result.faults:
            title = f"Some shards are missing in {result.folder}: encode again, and only these are tried"
        self._end(title, result_sentence(result), "\n".join(shown), wrote=True)
        if self.dialog is not None and not self.dialog.isVisible():
            self._session.requests.tell_saved(result.folder)

    def _end(self, state: str, sentence: str, notes: str = "", wrote: bool = False) -> None:
        if self.dialog is not None:
            self.dialog.show_idle(state, sentence, notes, wrote)
            self._offer()
            if not wrote and not self.dialog.isVisible():
                self._session.problem.emit(sentence)

    def _open_folder(self) -> None:
        if self.dialog is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(self.dialog.folder.text().strip()))
