"""The commands of the workspace Vocabulary: pages, entries, and files of entries, findings and reports."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtWidgets import QWidget

from tokenarium.menus.actions import Action, Section
from tokenarium.menus.workspace_commands import WorkspaceCommands, WorkspaceHost
from tokenarium.models.files import chosen_path
from tokenarium.models.text.inspection import touching
from tokenarium.session.requests import ShowEntry
from tokenarium.session.row_writing import write_rows
from tokenarium.session.session import Session
from tokenarium.views.workspace import VOCABULARY
from tokenarium.widgets.file_dialogs import ask_file, ask_new_file
from tokenarium.work.running import Processes

if TYPE_CHECKING:
    from tokenarium.views.vocabulary import VocabularyView
    from tokenarium.views.vocabulary_change import ChangePage
    from tokenarium.views.vocabulary_diagnostics import DiagnosticsPage
    from tokenarium.views.vocabulary_release import ReleasePage

ROWS = "CSV table (*.csv);;JSON (*.json)"
REPORT = "Text (*.txt);;JSON (*.json)"
WEIGHTS = "Weights (*.safetensors *.safetensors.index.json);;All files (*)"
REPORTS = "JSON (*.json);;Page (*.html)"


class VocabularyCommands(WorkspaceCommands):
    """Shows pages and entries of the vocabulary from any workspace, and exports them."""

    name = VOCABULARY

    def __init__(self, session: Session, host: WorkspaceHost, window: QWidget) -> None:
        super().__init__(session, host, window)
        self._running = Processes(session)

    def declared(self) -> list[Action]:
        """Returns the actions."""
        page = self.pages(Section.VOCABULARY).action
        # fmt: off
        return [
            Action("export_entries", "Export vocabulary ro&ws …", Section.EXPORT, "Ctrl+R, V", self.export_entries, "Writes the entries that match the filter, as CSV or JSON", self.has_entries, icon="export"),
            Action("export_merges", "Export mer&ges …", Section.EXPORT, "Ctrl+R, J", self.export_merges, "Writes the merges that match the filter, with their ids, as CSV or JSON", self.has_merges, icon="export"),
            Action("export_findings", "Export fin&dings …", Section.EXPORT, "Ctrl+R, D", self.export_findings, "Writes what the diagnostics found, as text or JSON", self.has_findings, icon="export"),
            page("entries", "vocabulary_entries", "Entr&ies", "Ctrl+D, E", "The entries of the current tokenizer in a table", icon="list-bullets"),
            page("merges", "vocabulary_merges", "Mer&ges with their ids", "Ctrl+D, H", "All merges of the current tokenizer in a table: (101, 32) → 256", icon="git-merge"),
            page("diagnostics", "vocabulary_diagnostics", "&Diagnostics", "Ctrl+D, X", "What is unusual about the current tokenizer", icon="heartbeat"),
            page("release", "vocabulary_release", "Release c&heck", "Ctrl+D, F2", "The evaluation report of the current tokenizer: what passes, and what fails before a release", icon="shield-check"),
            page("change", "vocabulary_change", "Change the vocabular&y", "Ctrl+D, F3", "Makes a new tokenizer with different special tokens, or more or fewer entries", icon="wrench"),
            Action("vocabulary_special_tokens", "Add or re&move special tokens", Section.TOKENIZER, "Ctrl+Shift+G, M", partial(self.show_change, "Special tokens"), "Makes a new tokenizer with other special tokens", icon="brackets-angle"),
            Action("vocabulary_prune", "&Prune the vocabulary", Section.TOKENIZER, "Ctrl+Shift+G, Y", partial(self.show_change, "Prune"), "Makes a new tokenizer without entries that texts hardly use", icon="scissors"),
            Action("vocabulary_extend", "E&xtend the vocabulary", Section.TOKENIZER, "Ctrl+Shift+G, X", partial(self.show_change, "Extend"), "Makes a new tokenizer with more entries, from texts or words of your own", icon="plus"),
            Action("release_run", "Check again before a re&lease", Section.VOCABULARY, "Ctrl+R, F2", self.check_release, "Measures the current tokenizer and checks it, or stops the check", lambda: self._session.current is not None, icon="arrow-clockwise"),
            Action("release_save", "S&ave the evaluation report …", Section.EXPORT, "Ctrl+R, F3", self.save_release, "Writes the release check as JSON, or as a page (HTML)", self.has_report, icon="floppy-disk"),
            Action("release_print", "Print the eva&luation report …", Section.EXPORT, "Ctrl+R, F4", self.print_release, "Prints the release check", self.has_report, icon="printer"),
            Action("release_pdf", "Save the &evaluation report as PDF …", Section.EXPORT, "Ctrl+R, F5", self.save_release_pdf, "Writes the release check as PDF", self.has_report, icon="file-pdf"),
            Action("choose_weights", "Choose the &weights of its model …", Section.TOKENIZER, "Ctrl+R, F8", self.choose_weights, "Shows which entries the model hardly saw in training, by its embeddings", lambda: self._session.current is not None, icon="brain"),
            Action("show_in_vocabulary", "Sho&w in vocabulary", Section.VOCABULARY, "Ctrl+L", self.show_in_vocabulary, "Shows the entry of the selected token among the others", lambda: self._token() is not None, icon="book-open"),
        ]
        # fmt: on

    @property
    def _vocabulary(self) -> VocabularyView | None:
        return cast("VocabularyView | None", self.view)

    def show_in_vocabulary(self) -> None:
        """Shows the entry of the token that is selected or pointed at."""
        token = self._token()
        if token is not None:
            self._session.requests.ask(ShowEntry(token))

    def _token(self) -> int | None:
        """The current tokenizer's first token in the bytes that are selected or pointed at."""
        current, focus = self._session.current, self._session.focus
        encoded = self._session.encoded(current.key) if current is not None else None
        if focus is None or encoded is None or encoded.tokens is None:
            return None
        first, last = touching(encoded.tokens, *focus)
        return encoded.tokens.ids[first] if last > first else None

    def show_entry(self, token: int, key: str = "") -> None:
        """Shows an entry; an empty key means the current tokenizer."""
        if key:
            self._session.set_current(key)
        self.show_page("entries")
        if self._vocabulary is not None:
            self._vocabulary.show_entry(token)

    def show_entries(self, query: str) -> None:
        """Shows the entries that a query finds."""
        self.show_page("entries")
        if self._vocabulary is not None:
            self._vocabulary.show_entries(query)

    def show_change(self, part: str) -> None:
        """Shows a way to change the tokenizer, by its title."""
        self.show_page("change")
        if self.page_id == "change":
            cast("ChangePage", self.page).choose(part)

    # Files.

    def has_entries(self) -> bool:
        """Whether the table of entries is shown."""
        return self.page_id == "entries" and self._session.current is not None

    def export_entries(self) -> None:
        """Asks for a name, and writes the entries that the table shows."""
        view = self._vocabulary
        columns = view.entries.columns if view is not None else None
        if columns is not None:
            self._ask(
                "entries", f"{columns.tokenizer.name}-entries", ".csv", ROWS, self.write_entries
            )

    def write_entries(self, path: Path) -> None:
        """Writes the entries that the table shows, as CSV or as JSON."""
        from tokenarium.models.vocabulary.vocabulary_export import EntryWriter

        view = self._vocabulary
        columns = view.entries.columns if view is not None else None
        if view is not None and columns is not None:
            write_rows(self._session, partial(EntryWriter, columns, view.entries.rows), path)

    def has_merges(self) -> bool:
        """Whether merges are listed."""
        view = self._vocabulary
        return self.page_id == "merges" and view is not None and view.merges.merges is not None

    def export_merges(self) -> None:
        """Asks for a name, and writes the merges that the table shows."""
        merges = self._vocabulary.merges.merges if self._vocabulary is not None else None
        if merges is not None:
            name = merges.columns.tokenizer.name
            self._ask("merges", f"{name}-merges", ".csv", ROWS, self.write_merges)

    def write_merges(self, path: Path) -> None:
        """Writes the merges that the table shows, as CSV or as JSON."""
        from tokenarium.models.vocabulary.vocabulary_export import MergeWriter

        view = self._vocabulary
        merges = view.merges.merges if view is not None else None
        if view is not None and merges is not None:
            write_rows(self._session, partial(MergeWriter, merges, view.merges.rows), path)

    @property
    def _diagnostics(self) -> DiagnosticsPage | None:
        view = self._vocabulary
        return view.diagnostics if view is not None and self.page_id == "diagnostics" else None

    def has_findings(self) -> bool:
        """Whether findings are shown."""
        return self._diagnostics is not None and bool(self._diagnostics.findings)

    def export_findings(self) -> None:
        """Asks for a name, and writes what the page Diagnostics shows."""
        page = self._diagnostics
        if page is not None and page.item is not None:
            self._ask(
                "findings", f"{page.item.name}-diagnostics", ".txt", REPORT, self.write_findings
            )

    def write_findings(self, path: Path) -> None:
        """Writes what the page Diagnostics shows, as text or as JSON."""
        from tokenarium.models.diagnosis.diagnosis import as_json, as_text

        page = self._diagnostics
        if page is not None and page.item is not None:
            make = as_json if path.suffix.lower() == ".json" else as_text
            self.save_text(path, make(page.item.name, page.findings))

    def choose_weights(self) -> None:
        """Asks for the weights of the model that uses the current tokenizer, and examines it with them."""
        name = ask_file(
            "weights", self._window, "The weights of the model that uses this tokenizer", WEIGHTS
        )
        if name:
            self.take_weights(name)

    def take_weights(self, path: str) -> None:
        """Examines the current tokenizer with the weights of a model, on the page Diagnostics."""
        self.show_page("diagnostics")
        if self._diagnostics is not None:
            self._diagnostics.choose_weights(path)

    # The evaluation report.

    @property
    def _release(self) -> ReleasePage | None:
        view = self._vocabulary
        return view.release if view is not None and self.page_id == "release" else None

    def has_report(self) -> bool:
        """Whether an evaluation report is shown."""
        return self._release is not None and self._release.report is not None

    def check_release(self) -> None:
        """Shows the page Release check, and checks again if it was shown already."""
        page = self._release
        if page is not None:
            page.press()
        else:
            self.show_page("release")

    def save_release(self) -> None:
        """Asks for a name, and writes the evaluation report as JSON or as HTML."""
        page = self._release
        if page is not None and page.report is not None:
            stem = f"{page.report.name}-evaluation"
            name, kind = ask_new_file(
                "reports", self._window, "Save the evaluation report", f"{stem}.json", REPORTS
            )
            if name:
                suffix = ".html" if "html" in kind else ".json"
                self.write_release(chosen_path(name, suffix, ".json", ".html"))

    def write_release(self, path: Path) -> None:
        """Writes the evaluation report: as HTML or PDF, by the suffix, or else as JSON."""
        from tokenarium.pictures.report_file import write_report

        page = self._release
        if page is None or page.report is None:
            return
        if path.suffix.lower() not in (".html", ".pdf"):
            self.save_text(path, page.report.as_json())
            return
        self._running.process(
            write_report,
            page.report,
            page.compared,
            str(path),
            take=lambda _: self._session.requests.tell_saved(path),
            fail=self._session.problem.emit,
            name=str(path),
        )

    def save_release_pdf(self) -> None:
        """Asks for a name, and writes the evaluation report as PDF."""
        page = self._release
        if page is not None and page.report is not None:
            name, _ = ask_new_file(
                "reports",
                self._window,
                "Save the evaluation report",
                f"{page.report.name}-evaluation.pdf",
                "PDF (*.pdf)",
            )
            if name:
                self.write_release(chosen_path(name, ".pdf"))

    def print_release(self) -> None:
        """Asks for a printer, and prints the evaluation report."""
        from PySide6.QtGui import QTextDocument
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter

        from tokenarium.models.release.evaluation_page import evaluation_page
        from tokenarium.style.fonts import ui_font

        page = self._release
        if page is None or page.report is None:
            return
        printer = QPrinter()
        if QPrintDialog(printer, self._window).exec():
            document = QTextDocument()
            document.setDefaultFont(ui_font())
            document.setHtml(evaluation_page(page.report, page.compared))
            document.print_(printer)

    def _ask(
        self, what: str, stem: str, suffix: str, kinds: str, write: Callable[[Path], None]
    ) -> None:
        """Asks for the name of a file, in one format or as JSON, and writes it."""
        name, kind = ask_new_file(
            "tables", self._window, f"Export the {what}", stem + suffix, kinds
        )
        if name:
            write(chosen_path(name, ".json" if "json" in kind else suffix, suffix, ".json"))
