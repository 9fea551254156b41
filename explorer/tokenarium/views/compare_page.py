"""What every page of the workspace Compare has: an id, a title, and what the window asks of it."""

from __future__ import annotations

from tokenarium.views.paged_workspace import Page
from tokenarium.views.workspace import Workspace


class ComparePage(Page):
    """Base of the pages. A page is made when it is first shown; ``workspace`` is what it stands in."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.session = workspace.session
        self.appearance = workspace.appearance
        self.help_with = workspace.help_with
        self.setAccessibleName(self.title)

    def as_text(self) -> str:
        """Returns the table of the page with tabs, for the clipboard; empty where there is none."""
        return ""

    def as_csv(self) -> str:
        """Returns the table of the page as CSV; empty where there is none."""
        return ""

    def stop(self) -> None:
        """Ends what runs in other processes, as when the window closes."""

    @property
    def follows_text(self) -> bool:
        return False

    @property
    def busy(self) -> bool:
        """Whether something is being counted."""
        return False

    @property
    def walks_differences(self) -> bool:
        """Whether it compares cuts, so that differences can be walked; how many there are it knows itself."""
        return False

    def go_to_difference(self, step: int) -> None:
        """Selects the next (1) or previous (-1) place where cuts differ, where the page knows them."""

    @property
    def difference_count(self) -> int:
        """How many places there are where cuts differ."""
        return 0
