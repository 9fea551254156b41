"""What the commands of the page Training do."""

from __future__ import annotations

from collections.abc import Callable

from tokenarium.views.merge_training import TrainingPage
from tokenarium.views.merges import MergesView
from tokenarium.views.workspace import Workspace


class TrainingCommands:
    """Handlers of the actions around a training that is played; they show its page first."""

    def __init__(
        self, workspace: Callable[[], Workspace], show_page: Callable[[str], object]
    ) -> None:
        self._workspace = workspace
        self._show_page = show_page

    @property
    def _page(self) -> TrainingPage | None:
        workspace = self._workspace()
        page = workspace.page if isinstance(workspace, MergesView) else None
        return page if isinstance(page, TrainingPage) else None

    def train(self) -> None:
        """Trains on what is chosen on the page."""
        self._show_page(TrainingPage.id)
        if self._page is not None:
            self._page.train()

    def keep_training(self) -> None:
        """Puts the trained tokenizer into the library."""
        if self._page is not None:
            self._page.keep()

    def has_training(self) -> bool:
        """Whether there is a trained tokenizer to keep."""
        return self._page is not None and self._page.story is not None
