"""The workspace Compare: the chosen tokenizers beside each other, on pages of which one is seen at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from tokenarium.appearance import Appearance
from tokenarium.session import Session
from tokenarium.views.compare_differences import DifferencesPage
from tokenarium.views.compare_languages import LanguagesPage
from tokenarium.views.compare_overlap import OverlapPage
from tokenarium.views.compare_page import ComparePage
from tokenarium.views.compare_table import TablePage
from tokenarium.views.workspace import Workspace

PAGES: tuple[type[ComparePage], ...] = (TablePage, LanguagesPage, DifferencesPage, OverlapPage)
"""The pages, in the order of their switches; the action that shows one is named ``compare_`` and its id."""


class CompareView(Workspace):
    """A stack of pages, each made when it is first shown."""

    id = "compare"
    title = "Compare"
    switches = tuple((f"compare_{page.id}", page.title) for page in PAGES)

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        actions: Callable[[str], QAction] | None = None,
    ) -> None:
        super().__init__(session, appearance, actions)
        self._made: dict[str, ComparePage] = {}
        self._pages = QStackedWidget()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)
        self.show_page(PAGES[0].id)

    @property
    def page(self) -> ComparePage:
        """The page that is shown."""
        return cast(ComparePage, self._pages.currentWidget())

    def show_page(self, page_id: str) -> None:
        """Shows a page, made now if it has not been shown before; StopIteration for an unknown one."""
        kind = next(kind for kind in PAGES if kind.id == page_id)
        if page_id not in self._made:
            self._made[page_id] = kind(self)
            self._pages.addWidget(self._made[page_id])
        self._pages.setCurrentWidget(self._made[page_id])

    def stop(self) -> None:
        for page in self._made.values():
            page.stop()

    @property
    def busy(self) -> bool:
        return any(page.busy for page in self._made.values())

    def focus_first(self) -> None:
        self.page.focus_first()

    @property
    def last_control(self) -> QWidget | None:
        return self.page.last_control

    @property
    def walks_differences(self) -> bool:
        return self.page.walks_differences

    def go_to_difference(self, step: int) -> None:
        self.page.go_to_difference(step)

    @property
    def difference_count(self) -> int:
        return self.page.difference_count
