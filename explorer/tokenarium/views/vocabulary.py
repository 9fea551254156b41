"""The workspace Vocabulary: the entries of the current tokenizer, and what is odd about it, on two pages."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance
from tokenarium.views.vocabulary_cache import VocabularyCache
from tokenarium.views.vocabulary_diagnostics import DiagnosticsPage
from tokenarium.views.vocabulary_entries import EntriesPage
from tokenarium.views.workspace import Workspace, has_focus
from tokenarium.views.workspace_names import VOCABULARY
from tokenarium.widgets.areas import PageStack


class VocabularyView(Workspace):
    """Two pages over one cache; the second is made when it is first shown."""

    name = VOCABULARY
    switches = (("vocabulary_entries", "Entries"), ("vocabulary_diagnostics", "Diagnostics"))

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        actions: Callable[[str], QAction] | None = None,
    ) -> None:
        super().__init__(session, appearance, actions)
        self.cache = VocabularyCache(session, self)
        self.entries = EntriesPage(self, self.cache)
        self._diagnostics: DiagnosticsPage | None = None
        self._pages = PageStack()
        self._pages.addWidget(self.entries)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)

    @property
    def diagnostics(self) -> DiagnosticsPage:
        """The page Diagnostics, made now if it has not been shown before."""
        if self._diagnostics is None:
            self._diagnostics = DiagnosticsPage(self, self.cache)
            self._diagnostics.entry_picked.connect(self._jump)
            self._diagnostics.query_wanted.connect(self._filter)
            self._pages.addWidget(self._diagnostics)
        return self._diagnostics

    @property
    def page_id(self) -> str:
        """The id of the page that is shown: "entries" or "diagnostics"."""
        return "entries" if self._pages.currentWidget() is self.entries else "diagnostics"

    def show_page(self, page_id: str) -> None:
        """Shows a page. Where the focus was in the page before it goes into this one."""
        before, follows = self._pages.currentWidget(), has_focus(self._pages)
        page = self.diagnostics if page_id == "diagnostics" else self.entries
        self._pages.setCurrentWidget(page)
        if follows and before is not page:
            self.focus_first()

    def stop(self) -> None:
        self.cache.stop()

    def show_entry(self, token: int) -> None:
        """Shows an entry of the current tokenizer among the others, which the arrow keys then reach."""
        self.show_page("entries")
        self.entries.show_entry(token)
        if has_focus(self):
            self.entries.table.setFocus()

    def show_entries(self, query: str) -> None:
        """Shows the entries of the current tokenizer that a query finds."""
        self.show_page("entries")
        self.entries.field.set_text(query)

    def _jump(self, token: int) -> None:
        self._to_entries()
        self.show_entry(token)

    def _filter(self, query: str) -> None:
        self._to_entries()
        self.show_entries(query)

    def _to_entries(self) -> None:
        self.show_page("entries")
        for action, _ in self.help_with(("vocabulary_entries", "")):
            action.trigger()  # so that the switch over the page follows

    @property
    def follows_text(self) -> bool:
        return False

    def focus_first(self) -> None:
        if self.page_id == "entries":
            self.entries.focus_first()
        else:
            self.diagnostics.focus_first()

    @property
    def last_control(self) -> QWidget | None:
        return (
            self.entries.last_control
            if self.page_id == "entries"
            else self.diagnostics.last_control
        )
