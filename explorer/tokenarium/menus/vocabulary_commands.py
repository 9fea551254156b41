"""What the menus do in the workspace Vocabulary: show a page or an entry, and write entries and findings to files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtWidgets import QFileDialog, QWidget

from tokenarium.models.files import chosen_path
from tokenarium.models.text.inspection import touching
from tokenarium.session.session import Session
from tokenarium.views.workspace import Workspace
from tokenarium.views.workspace_names import VOCABULARY

if TYPE_CHECKING:
    from tokenarium.views.vocabulary import VocabularyView

ROWS = "CSV table (*.csv);;JSON (*.json)"
REPORT = "Text (*.txt);;JSON (*.json)"


class VocabularyCommands:
    """Handlers of actions. ``workspace`` returns the one that is shown."""

    def __init__(
        self,
        session: Session,
        window: QWidget,
        workspace: Callable[[], Workspace],
        show_workspace: Callable[[str], None],
    ) -> None:
        self._session = session
        self._window = window
        self._workspace = workspace
        self._show_workspace = show_workspace
        session.entry_wanted.connect(self._show_entry)
        session.entries_asked.connect(self._show_entries)

    @property
    def _view(self) -> VocabularyView | None:
        space = self._workspace()
        return cast("VocabularyView", space) if space.name == VOCABULARY else None

    def show_vocabulary_page(self, page_id: str) -> None:
        """Shows a page of the workspace Vocabulary."""
        self._show_workspace(VOCABULARY.id)
        if self._view is not None:
            self._view.show_page(page_id)

    def vocabulary_page_is(self, page_id: str) -> bool:
        """Whether a page of the workspace Vocabulary is shown."""
        return self._view is not None and self._view.page_id == page_id

    def show_in_vocabulary(self) -> None:
        """Shows the entry of the token that is selected or pointed at."""
        token = self._token()
        if token is not None:
            self._session.show_entry(token)

    def can_show_in_vocabulary(self) -> bool:
        """Whether the selected bytes belong to a token of the current tokenizer."""
        return self._token() is not None

    def _token(self) -> int | None:
        """The first token of the current tokenizer that the selected bytes, or those pointed at, belong to."""
        current, focus = self._session.current, self._session.focus
        encoded = self._session.encoded(current.key) if current is not None else None
        if focus is None or encoded is None or encoded.encoding is None:
            return None
        first, last = touching(encoded.encoding, *focus)
        return int(encoded.encoding.ids[first]) if last > first else None

    def _show_entry(self, key: str, token: int) -> None:
        if key:
            self._session.set_current(key)
        self.show_vocabulary_page("entries")
        if self._view is not None:
            self._view.show_entry(token)

    def _show_entries(self, query: str) -> None:
        self.show_vocabulary_page("entries")
        if self._view is not None:
            self._view.show_entries(query)

    # Files.

    def has_entries(self) -> bool:
        """Whether the table of entries is in sight."""
        return self.vocabulary_page_is("entries") and self._session.current is not None

    def export_entries(self) -> None:
        """Asks for a name, and writes the entries that the table shows."""
        view = self._view
        columns = view.entries.columns if view is not None else None
        if view is None or columns is None:
            return
        name, kind = QFileDialog.getSaveFileName(
            self._window, "Export the entries", f"{columns.tokenizer.name}-entries.csv", ROWS
        )
        if name:
            self.write_entries(
                chosen_path(name, ".json" if "json" in kind else ".csv", ".csv", ".json")
            )

    def write_entries(self, path: Path) -> None:
        """Writes the entries that the table shows, as CSV or as JSON."""
        from tokenarium.models.vocabulary.vocabulary_export import EntryWriter
        from tokenarium_core import TokenariumError

        view = self._view
        columns = view.entries.columns if view is not None else None
        if view is None or columns is None:
            return
        say, saved = self._session.problem.emit, self._session.saved
        try:
            writer = EntryWriter(columns, view.entries.rows, path)
        except TokenariumError as error:
            say(str(error))
            return
        self._session.jobs.start(
            f"write {path}",
            f"Writing {path.name}",
            writer,
            lambda progress: saved.emit(path) if progress.finished else None,
            lambda error: say(str(error)),
            writer.drop,
        )

    def has_findings(self) -> bool:
        """Whether findings are in sight."""
        view = self._view
        return (
            view is not None and view.page_id == "diagnostics" and bool(view.diagnostics.findings)
        )

    def export_findings(self) -> None:
        """Asks for a name, and writes what the page Diagnostics shows."""
        view = self._view
        entry = view.diagnostics.entry if view is not None else None
        if entry is None:
            return
        name, kind = QFileDialog.getSaveFileName(
            self._window, "Export the findings", f"{entry.name}-diagnostics.txt", REPORT
        )
        if name:
            self.write_findings(
                chosen_path(name, ".json" if "json" in kind else ".txt", ".txt", ".json")
            )

    def write_findings(self, path: Path) -> None:
        """Writes what the page Diagnostics shows, as text or as JSON."""
        from tokenarium.models.diagnosis.diagnosis import as_json, as_text
        from tokenarium.models.files import write_whole
        from tokenarium_core import TokenariumError

        view = self._view
        entry = view.diagnostics.entry if view is not None else None
        if view is None or entry is None:
            return
        make = as_json if path.suffix.lower() == ".json" else as_text
        try:
            write_whole(path, make(entry.name, view.diagnostics.findings))
        except TokenariumError as error:
            self._session.problem.emit(str(error))
        else:
            self._session.saved.emit(path)
