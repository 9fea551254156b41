"""The workspace Train: pages to train tokenizers, to choose a size, and with all that were trained."""

from __future__ import annotations

from typing import cast

from tokenarium.views.paged_workspace import Page, PagedWorkspace
from tokenarium.views.train_kept import KeptPage
from tokenarium.views.train_page import TrainPage
from tokenarium.views.train_race import RacePage
from tokenarium.views.train_sizes import TrainSizesPage
from tokenarium.views.train_training import TrainingPage
from tokenarium.views.workspace_names import TRAIN

PAGES: tuple[type[TrainPage], ...] = (TrainingPage, TrainSizesPage, RacePage, KeptPage)


class TrainView(PagedWorkspace):
    """One page at a time; a page is made when it is first shown."""

    name = TRAIN
    kinds = PAGES
    switches = (
        ("train_training", "Training"),
        ("train_sizes", "Vocabulary size"),
        ("train_race", "Race"),
        ("train_kept", "Trained"),
    )

    def make_page(self, kind: type[Page]) -> TrainPage:
        assert issubclass(kind, TrainPage)
        page = kind(self.session, self.appearance, self._actions)
        page.page_requested.connect(self.show_page)
        return page

    @property
    def follows_text(self) -> bool:
        return False

    @property
    def page(self) -> TrainPage:
        """The page that is shown."""
        return cast(TrainPage, self.shown_page)
