"""What the commands of the page Training do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from tokenarium.views.merge_page import MergePage
    from tokenarium.views.merge_training import MergeTrainingPage


class TrainingCommands:
    """Handlers of the actions around a training that is played; they show its page first.

    ``page`` returns the page of the workspace Merges that is shown, if one is.
    """

    def __init__(
        self, page: Callable[[], MergePage | None], show_page: Callable[[str], object]
    ) -> None:
        self._shown = page
        self._show_page = show_page

    @property
    def _page(self) -> MergeTrainingPage | None:
        page = self._shown()
        return (
            cast("MergeTrainingPage", page) if page is not None and page.id == "training" else None
        )

    def train(self) -> None:
        """Trains on what is chosen on the page."""
        self._show_page("training")
        if self._page is not None:
            self._page.train()

    def keep_training(self) -> None:
        """Puts the trained tokenizer into the library."""
        if self._page is not None:
            self._page.keep()

    def has_training(self) -> bool:
        """Whether there is a trained tokenizer to keep."""
        return self._page is not None and self._page.story is not None
