"""The workspace Compare: the chosen tokenizers beside each other, on pages of which one is seen at a time."""

from __future__ import annotations

from typing import cast

from tokenarium.views.compare_differences import DifferencesPage
from tokenarium.views.compare_languages import LanguagesPage
from tokenarium.views.compare_overlap import OverlapPage
from tokenarium.views.compare_page import ComparePage
from tokenarium.views.compare_table import TablePage
from tokenarium.views.paged_workspace import Page, PagedWorkspace
from tokenarium.views.workspace_names import COMPARE

PAGES: tuple[type[ComparePage], ...] = (TablePage, LanguagesPage, DifferencesPage, OverlapPage)
"""The pages, in the order of their switches; the action that shows one is named ``compare_`` and its id."""


class CompareView(PagedWorkspace):
    """A stack of pages, each made when it is first shown."""

    name = COMPARE
    kinds = PAGES
    switches = tuple((f"compare_{page.id}", page.title) for page in PAGES)

    @property
    def page(self) -> ComparePage:
        """The page that is shown."""
        return cast(ComparePage, self.shown_page)

    def make_page(self, kind: type[Page]) -> ComparePage:
        assert issubclass(kind, ComparePage)
        return kind(self)

    @property
    def _all(self) -> list[ComparePage]:
        return cast(list[ComparePage], list(self._made.values()))

    def stop(self) -> None:
        for page in self._all:
            page.stop()

    @property
    def busy(self) -> bool:
        return any(page.busy for page in self._all)

    @property
    def walks_differences(self) -> bool:
        return self.page.walks_differences

    def go_to_difference(self, step: int) -> None:
        self.page.go_to_difference(step)

    @property
    def difference_count(self) -> int:
        return self.page.difference_count
