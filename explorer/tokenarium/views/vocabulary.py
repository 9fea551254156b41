"""The workspace Vocabulary: the entries of the current tokenizer, its merges, diagnostics, release check and changes, on pages."""

from __future__ import annotations

from typing import cast

from tokenarium.views.vocabulary_cache import VocabularyCache
from tokenarium.views.vocabulary_change import ChangePage
from tokenarium.views.vocabulary_diagnostics import DiagnosticsPage
from tokenarium.views.vocabulary_entries import EntriesPage
from tokenarium.views.vocabulary_merges import MergeListPage
from tokenarium.views.vocabulary_release import ReleasePage
from tokenarium.views.workspace import VOCABULARY, Page, PagedWorkspace
from tokenarium.widgets.keyboard import has_focus


class VocabularyView(PagedWorkspace):
    """Five pages; the first three share a cache."""

    name = VOCABULARY
    kinds = (EntriesPage, MergeListPage, DiagnosticsPage, ReleasePage, ChangePage)
    switches = (
        ("vocabulary_entries", "Entries"),
        ("vocabulary_merges", "Merges"),
        ("vocabulary_diagnostics", "Diagnostics"),
        ("vocabulary_release", "Release check"),
        ("vocabulary_change", "Change"),
    )

    def prepare(self) -> None:
        self.cache = VocabularyCache(self.session, self)
        super().prepare()

    def make_page(self, kind: type[Page]) -> Page:
        if kind is EntriesPage:
            return EntriesPage(self, self.cache)
        if kind is MergeListPage:
            return MergeListPage(self, self.cache)
        if kind is ReleasePage or kind is ChangePage:
            return kind(self)
        page = DiagnosticsPage(self, self.cache)
        page.entry_picked.connect(self._jump)
        page.query_wanted.connect(self._filter)
        return page

    @property
    def entries(self) -> EntriesPage:
        """The page Entries."""
        return cast(EntriesPage, self.page_of(EntriesPage.id))

    @property
    def merges(self) -> MergeListPage:
        """The page Merges."""
        return cast(MergeListPage, self.page_of(MergeListPage.id))

    @property
    def diagnostics(self) -> DiagnosticsPage:
        """The page Diagnostics."""
        return cast(DiagnosticsPage, self.page_of(DiagnosticsPage.id))

    @property
    def release(self) -> ReleasePage:
        """The page Release check."""
        return cast(ReleasePage, self.page_of(ReleasePage.id))

    @property
    def change(self) -> ChangePage:
        """The page Change."""
        return cast(ChangePage, self.page_of(ChangePage.id))

    def show_page(self, page_id: str) -> None:
        """Shows a page; if it is shown already, the focus stays where it is."""
        if self._page != page_id or not self._made:
            super().show_page(page_id)

    def stop(self) -> None:
        super().stop()
        self.cache.stop()

    def show_entry(self, token: int) -> None:
        """Shows an entry of the current tokenizer in the table."""
        self.show_page(EntriesPage.id)
        self.entries.show_entry(token)
        if has_focus(self):
            self.entries.table.setFocus()

    def show_entries(self, query: str) -> None:
        """Shows the entries of the current tokenizer that a query finds."""
        self.show_page(EntriesPage.id)
        self.entries.field.set_text(query)

    def _jump(self, token: int) -> None:
        self._to_entries()
        self.show_entry(token)

    def _filter(self, query: str) -> None:
        self._to_entries()
        self.show_entries(query)

    def _to_entries(self) -> None:
        self.show_page(EntriesPage.id)
        self.trigger("vocabulary_entries")  # so that the switch above the page follows
