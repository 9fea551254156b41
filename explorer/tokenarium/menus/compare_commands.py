"""What the menu Compare does: it passes on to the page that is in sight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from tokenarium.models.files import chosen_path, write_whole
from tokenarium.session.session import Session
from tokenarium.views.workspace import Workspace
from tokenarium.views.workspace_names import COMPARE
from tokenarium_core import TokenariumError

if TYPE_CHECKING:
    from tokenarium.views.compare import CompareView
    from tokenarium.views.compare_languages import LanguagesPage
    from tokenarium.views.compare_page import ComparePage
    from tokenarium.views.compare_table import TablePage

SETTLED_MS = 50
"""So long after a page is shown its parts have found their places."""


class CompareCommands:
    """Handlers of the actions of the menu Compare."""

    def __init__(
        self,
        session: Session,
        workspace: Callable[[], Workspace],
        show_workspace: Callable[[str], None],
        window: QWidget,
    ) -> None:
        self._session = session
        self._workspace = workspace
        self._show_workspace = show_workspace
        self._window = window

    @property
    def _view(self) -> CompareView | None:
        space = self._workspace()
        return cast("CompareView", space) if space.name == COMPARE else None

    @property
    def page(self) -> ComparePage | None:
        """The page of the workspace Compare that is shown, if one is."""
        return self._view.page if self._view is not None else None

    def show_compare_page(self, page_id: str) -> None:
        """Shows a page of the workspace Compare."""
        self._show_workspace(COMPARE.id)
        if self._view is not None:
            self._view.show_page(page_id)

    def compare_page_is(self, page_id: str) -> bool:
        """Whether a page of the workspace Compare is shown."""
        return self.page is not None and self.page.id == page_id

    @property
    def _table(self) -> TablePage | None:
        return cast("TablePage", self.page) if self.compare_page_is("table") else None

    def _shown_table(self) -> TablePage:
        self.show_compare_page("table")
        assert self._table is not None
        return self._table

    def compare_text(self) -> None:
        """Counts the text of the window."""
        self._shown_table().count_text()

    def compares_text(self) -> bool:
        """Whether the table counts the text of the window."""
        return self._table is not None and not self._table.sources

    def compare_files(self) -> None:
        """Asks for files and counts them."""
        names, _ = QFileDialog.getOpenFileNames(
            self._window, "Compare on files", "", "All files (*)"
        )
        self.compare_paths([Path(name) for name in names])

    def compare_folder(self) -> None:
        """Asks for a folder and counts the texts in it."""
        name = QFileDialog.getExistingDirectory(self._window, "Compare on the texts of a folder")
        self.compare_paths([Path(name)] if name else [])

    def compare_paths(self, paths: Sequence[Path]) -> None:
        """Counts files and folders; none: all stays as it is."""
        if paths:
            self._shown_table().count_files(paths)

    @property
    def _languages(self) -> LanguagesPage | None:
        return cast("LanguagesPage", self.page) if self.compare_page_is("languages") else None

    def _shown_languages(self) -> LanguagesPage:
        self.show_compare_page("languages")
        assert self._languages is not None
        return self._languages

    def parallel_shipped(self) -> None:
        """Compares languages on the sentences that come with the program."""
        self._shown_languages().compare_shipped()

    def compares_shipped(self) -> bool:
        """Whether languages are compared on the program's sentences."""
        return self._languages is not None and self._languages.folder is None

    def parallel_folder(self) -> None:
        """Asks for a folder with a text for each language, and compares these."""
        name = QFileDialog.getExistingDirectory(
            self._window, "Compare languages: a folder with a text for each"
        )
        if name:
            self._shown_languages().compare_folder(Path(name))

    def choose_languages(self) -> None:
        """Opens the list of the languages, to tick those that are compared."""
        shown = self._languages is not None
        choice = self._shown_languages().choice
        if shown:
            choice.open()
        else:  # the list stands under its button, which has to be in its place first
            QTimer.singleShot(SETTLED_MS, choice, choice.open)

    def has_comparison(self) -> bool:
        """Whether a page is shown that compares."""
        return self.page is not None

    def _told(self, text: str) -> str:
        """Returns a text, and says so where there is none."""
        if not text:
            self._session.problem.emit("There is no table to copy or to save on this page yet.")
        return text

    def copy_comparison(self) -> None:
        """Copies the table of the page, with tabs between the columns."""
        text = self._told(self.page.as_text() if self.page is not None else "")
        if text:
            QGuiApplication.clipboard().setText(text)

    def save_comparison(self) -> None:
        """Asks for a file, and writes the table of the page there as CSV."""
        page = self.page
        text = self._told(page.as_csv() if page is not None else "")
        if page is None or not text:
            return
        name, _ = QFileDialog.getSaveFileName(
            self._window, "Save the table", f"{page.title}.csv", "Table (*.csv)"
        )
        if name:
            path = chosen_path(name, ".csv")
            try:
                write_whole(path, text)
            except TokenariumError as error:
                self._session.problem.emit(str(error))
            else:
                self._session.saved.emit(path)
