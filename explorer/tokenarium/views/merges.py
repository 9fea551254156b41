"""The workspace Merges: how a model makes tokens, on pages of which one is seen at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from tokenarium.appearance import Appearance
from tokenarium.session import Session
from tokenarium.views.merge_page import MergePage
from tokenarium.views.merge_sizes import SizesPage
from tokenarium.views.merge_steps import StepsPage
from tokenarium.views.merge_training import TrainingPage
from tokenarium.views.merge_why import WhyPage
from tokenarium.views.workspace import Workspace

PAGES: tuple[type[MergePage], ...] = (StepsPage, SizesPage, WhyPage, TrainingPage)
"""The pages, in the order of their switches; the action that shows one is named ``merge_`` and its id."""


class MergesView(Workspace):
    """A stack of pages, each made when it is first shown."""

    id = "merges"
    title = "Merges"
    switches = (
        ("merge_steps", "Steps"),
        ("merge_sizes", "Vocabulary size"),
        ("merge_why", "Why not one?"),
        ("merge_training", "Training"),
        ("", ""),
        ("side_by_side", "Side by side"),
        ("in_step", "In step"),
    )

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        actions: Callable[[str], QAction] | None = None,
    ) -> None:
        super().__init__(session, appearance, actions)
        self._made: dict[str, MergePage] = {}
        self._pages = QStackedWidget()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)
        self.show_page(PAGES[0].id)

    @property
    def page(self) -> MergePage:
        """The page that is shown."""
        return cast(MergePage, self._pages.currentWidget())

    def show_page(self, page_id: str) -> None:
        """Shows a page, made now if it has not been shown before; StopIteration for an unknown one."""
        kind = next(kind for kind in PAGES if kind.id == page_id)
        if page_id not in self._made:
            self._made[page_id] = kind(self)
            self._pages.addWidget(self._made[page_id])
        leaving = self.page.player
        if leaving is not None and self.page.id != page_id:
            leaving.pause()
        self._pages.setCurrentWidget(self._made[page_id])

    @property
    def steps(self) -> StepsPage:
        """The page with the players of encoding."""
        return cast(StepsPage, self._made[StepsPage.id])

    def play_at(self, key: str, step: int) -> None:
        """Shows the page Steps, with a tokenizer's run at a step."""
        self.show_page(StepsPage.id)
        self.steps.replay()
        lane = self.steps.lanes.get(key)
        if lane is not None:
            lane.go_to(step, by_hand=True)

    def focus_first(self) -> None:
        self.page.focus_first()

    @property
    def last_control(self) -> QWidget | None:
        return self.page.last_control
