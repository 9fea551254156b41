"""A workspace of several pages, of which one is seen at a time: what all of them do."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance
from tokenarium.views.workspace import Workspace, has_focus
from tokenarium.widgets.areas import PageStack


class Page(QWidget):
    """Base of the pages."""

    id = ""
    title = ""

    def focus_first(self) -> None:
        """Puts the focus on what a person works with first."""
        self.setFocus()

    @property
    def follows_text(self) -> bool:
        """Whether it shows the tokens of the text, see `Workspace.follows_text`."""
        return True

    @property
    def last_control(self) -> QWidget | None:
        """The last control that Tab reaches in it, where there is one."""
        return None


class PagedWorkspace(Workspace):
    """A stack of pages, each made when it is first shown; the first of ``kinds`` is the first to be shown."""

    page_shown = Signal()
    """Another page is seen."""

    kinds: ClassVar[tuple[type[Page], ...]] = ()

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        actions: Callable[[str], QAction] | None = None,
    ) -> None:
        super().__init__(session, appearance, actions)
        self._made: dict[str, Page] = {}
        self._pages = PageStack()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)
        self.show_page(self.kinds[0].id)

    def make_page(self, kind: type[Page]) -> Page:
        """Returns a new page of a kind."""
        raise NotImplementedError

    @property
    def shown_page(self) -> Page:
        """The page that is shown."""
        page = self._pages.currentWidget()
        assert isinstance(page, Page)
        return page

    def show_page(self, page_id: str) -> None:
        """Shows a page, made now if it has not been shown before; StopIteration for an unknown one.

        Where the focus was in the page before it goes into this one.
        """
        follows = has_focus(self._pages)
        if page_id not in self._made:
            page = self.make_page(next(kind for kind in self.kinds if kind.id == page_id))
            self._made[page_id] = page
            self._pages.addWidget(page)
        self._pages.setCurrentWidget(self._made[page_id])
        if follows:
            self.shown_page.focus_first()
        self.page_shown.emit()

    def focus_first(self) -> None:
        self.shown_page.focus_first()

    @property
    def follows_text(self) -> bool:
        return self.shown_page.follows_text

    @property
    def last_control(self) -> QWidget | None:
        return self.shown_page.last_control
