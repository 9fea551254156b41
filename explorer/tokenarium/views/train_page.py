"""What each page of the workspace Train has."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction

from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance
from tokenarium.views.paged_workspace import Page


class TrainPage(Page):
    """Base of the pages."""

    page_requested = Signal(str)

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        actions: Callable[[str], QAction] | None,
    ) -> None:
        super().__init__()
        self.session = session
        self.appearance = appearance
        self.actions_by_id = actions

    def trigger(self, action_id: str) -> None:
        """Does what an action of the window does; nothing in a page by itself."""
        if self.actions_by_id is not None:
            self.actions_by_id(action_id).trigger()
