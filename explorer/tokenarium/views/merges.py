"""The workspace Merges: how a model makes tokens, on pages of which one is seen at a time."""

from __future__ import annotations

from typing import cast

from tokenarium.views.merge_page import MergePage
from tokenarium.views.merge_sizes import MergeSizesPage
from tokenarium.views.merge_steps import StepsPage
from tokenarium.views.merge_training import MergeTrainingPage
from tokenarium.views.merge_why import WhyPage
from tokenarium.views.paged_workspace import Page, PagedWorkspace
from tokenarium.views.workspace_names import MERGES

PAGES: tuple[type[MergePage], ...] = (StepsPage, MergeSizesPage, WhyPage, MergeTrainingPage)
"""The pages, in the order of their switches; the action that shows one is named ``merge_`` and its id."""


class MergesView(PagedWorkspace):
    """A stack of pages, each made when it is first shown."""

    name = MERGES
    kinds = PAGES
    switches = (
        ("merge_steps", "Steps"),
        ("merge_sizes", "Vocabulary size"),
        ("merge_why", "Why not one?"),
        ("merge_training", "Training"),
        ("", ""),
        ("side_by_side", "Side by side"),
        ("in_step", "In step"),
    )

    @property
    def page(self) -> MergePage:
        """The page that is shown."""
        return cast(MergePage, self.shown_page)

    def make_page(self, kind: type[Page]) -> MergePage:
        assert issubclass(kind, MergePage)
        return kind(self)

    def show_page(self, page_id: str) -> None:
        """Shows a page, and pauses what another one plays."""
        for page in self._made.values():
            playing = cast(MergePage, page).player
            if playing is not None and page.id != page_id:
                playing.pause()
        super().show_page(page_id)

    @property
    def busy(self) -> bool:
        return self.page.busy

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
