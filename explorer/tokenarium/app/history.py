"""Where the user was: workspaces with their pages and selections, to go back to and forward again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QTimer

from tokenarium.menus.actions import Action, Section
from tokenarium.session.session import Session, Span
from tokenarium.views.workspace import PagedWorkspace, Workspace

MOST = 100
"""The most entries that are kept."""


@dataclass(frozen=True, slots=True)
class VisitedPlace:
    """A workspace, its page (empty if it has none), the selected bytes, and the key of the current tokenizer."""

    workspace: str
    page: str
    selection: Span | None
    tokenizer: str


class VisitHistory(QObject):
    """The visited places in their order; each jump to another workspace or page adds one.

    ``workspace`` returns the current one, ``show`` shows one by its id.
    """

    def __init__(
        self,
        session: Session,
        workspace: Callable[[], Workspace],
        show: Callable[[str], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._workspace = workspace
        self._show = show
        self._places: list[VisitedPlace] = []
        self._at = -1
        # At the end of a turn, since a jump may choose a tokenizer, a workspace and a page, one after the other.
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.note)
        session.selection_changed.connect(self._soon.start)
        session.current_changed.connect(self._soon.start)
        session.text_changed.connect(self._forget_selections)

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("back", "Bac&k", Section.HISTORY, "Alt+Left", lambda: self.go(-1), "Goes back to where you were, with the page and the selection", lambda: self.can_go(-1), icon="arrow-left"),
            Action("forward", "&Forward", Section.HISTORY, "Alt+Right", lambda: self.go(1), "Goes forward again after Back", lambda: self.can_go(1), icon="arrow-right"),
        ]
        # fmt: on

    def note_soon(self) -> None:
        """Notes where the user is, after this turn of the event loop."""
        self._soon.start()

    def note(self) -> None:
        """Notes where the user is: another workspace or page is a new entry, and the entries after it are forgotten."""
        self._soon.stop()
        here = self._here()
        if self._at >= 0:
            last = self._places[self._at]
            if (last.workspace, last.page) == (here.workspace, here.page):
                self._places[self._at] = here
                return
        self._places[self._at + 1 :] = [here]
        del self._places[:-MOST]
        self._at = len(self._places) - 1

    def can_go(self, step: int) -> bool:
        """Returns whether there is an entry before (-1) or after (1) this one."""
        return 0 <= self._at + step < len(self._places)

    def go(self, step: int) -> None:
        """Goes to the entry before (-1) or after (1) this one, if there is one."""
        self.note()
        if not self.can_go(step):
            return
        self._at += step
        place, session = self._places[self._at], self._session
        if session.library.item(place.tokenizer) is not None:
            session.set_current(place.tokenizer)
        session.select(*(place.selection or (0, 0)))
        self._show(place.workspace)
        shown = self._workspace()
        if place.page and isinstance(shown, PagedWorkspace):
            shown.show_page(place.page)

    def _here(self) -> VisitedPlace:
        shown, session = self._workspace(), self._session
        page = shown.page.id if isinstance(shown, PagedWorkspace) else ""
        current = session.current
        key = current.key if current is not None else ""
        return VisitedPlace(shown.name.id, page, session.selection, key)

    def _forget_selections(self) -> None:
        """Clears the selections when the text changes, as they are ranges of bytes."""
        self._places = [replace(place, selection=None) for place in self._places]
