"""Steps that many tests of the window take, and workspaces without a window."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from PySide6.QtWidgets import QStackedWidget
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance
from tokenarium.views.workspace import PagedWorkspace, Workspace

T = TypeVar("T")


class Room(QStackedWidget):
    """The workspaces of a session in the same room as in the window, without the window and its actions.

    It is made in a fraction of the time of a window.
    """

    def __init__(self, session: Session, appearance: Appearance) -> None:
        super().__init__()
        self.session = session
        self.appearance = appearance
        self.resize(1100, 700)

    @property
    def workspace(self) -> Workspace:
        """The current workspace."""
        shown = self.currentWidget()
        assert isinstance(shown, Workspace)
        return shown

    def show_workspace(self, workspace_id: str) -> None:
        """Shows a workspace, made now if necessary."""
        made = (self.widget(place) for place in range(self.count()))
        for one in made:
            if isinstance(one, Workspace) and one.name.id == workspace_id:
                self.setCurrentWidget(one)
                return
        make = next(kind for kind in WORKSPACES if kind.name.id == workspace_id).load()
        self.setCurrentIndex(self.addWidget(make(self.session, self.appearance)))


Host = MainWindow | Room
"""The object that shows workspaces in a test."""


def show_page(host: Host, workspace_id: str, page_id: str, kind: type[T]) -> T:
    """Shows a page of a workspace, and returns it."""
    host.show_workspace(workspace_id)
    assert isinstance(host.workspace, PagedWorkspace)
    host.workspace.show_page(page_id)
    return shown_in(host, kind)


def shown_in(window: Host, kind: type[T]) -> T:
    """Returns the current workspace or its page, which must be of this kind."""
    view = window.workspace
    found = view if isinstance(view, kind) else getattr(view, "page", None)
    assert isinstance(found, kind)
    return found


def add_file(session: Session, path: Path, qtbot: QtBot) -> LibraryItem:
    """Returns the item of a tokenizer's file, added to the library and opened."""
    item = session.edits.add_file(path)
    qtbot.waitUntil(lambda: item.tokenizer is not None)
    return item


def come_to_rest(window: MainWindow, qtbot: QtBot) -> None:
    """Waits until the window shows what it was asked for, and menus and switches have followed."""
    session = window.session
    qtbot.waitUntil(
        lambda: (
            not (session.opening or session.jobs.running())
            and not (session.text and session.grapheme_edges is None)
            and not (window.stage.busy or window.workspace.busy)
            and window.at_rest
        )
    )
