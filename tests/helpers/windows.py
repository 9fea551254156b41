"""Steps that many tests of the window take, and workspaces without a window."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from narrowed import of_kind
from PySide6.QtCore import QEvent, QMimeData, QObject, Qt
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance
from tokenarium.views.workspace import PagedWorkspace, Workspace

T = TypeVar("T")
W = TypeVar("W", bound=QWidget)


def off_screen(qtbot: QtBot, widget: W, *size: int) -> W:
    """Returns a widget that ends with the test, with this width and height in pixels if they are given."""
    qtbot.addWidget(widget)
    if size:
        widget.resize(*size)
    return widget


def on_screen(qtbot: QtBot, widget: W, *size: int) -> W:
    """Returns the same, shown."""
    off_screen(qtbot, widget, *size).show()
    return widget


def text_data(text: str) -> QMimeData:
    """Returns a text as the clipboard has it."""
    data = QMimeData()
    data.setText(text)
    return data


def emitted(signal: Any) -> list[Any]:
    """Returns a list that grows by the argument of each emission of a signal."""
    values: list[Any] = []
    signal.connect(values.append)
    return values


class _WindowWatch(QObject):
    """Lists the kinds of widgets that are shown as windows: parts of a page that have no parent yet."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.Show
            and isinstance(watched, QWidget)
            and watched.isWindow()
            and watched.windowType() in (Qt.WindowType.Widget, Qt.WindowType.Window)
        ):
            self.opened.append(type(watched).__name__)
        return False


@contextmanager
def opened_windows(app: QApplication) -> Iterator[list[str]]:
    """Lists the windows that are opened in a block; popups and dialogs are not among them."""
    watch = _WindowWatch()
    app.installEventFilter(watch)
    try:
        yield watch.opened
    finally:
        app.removeEventFilter(watch)


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
        return of_kind(self.currentWidget(), Workspace)

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
    of_kind(host.workspace, PagedWorkspace).show_page(page_id)
    return shown_in(host, kind)


def shown_in(window: Host, kind: type[T]) -> T:
    """Returns the current workspace or its page, which must be of this kind."""
    view = window.workspace
    return view if isinstance(view, kind) else of_kind(getattr(view, "page", None), kind)


def trigger(window: MainWindow, action: str) -> None:
    """Triggers an action, which does nothing if it is not possible now."""
    window.actions_by_id.refresh()
    window.actions_by_id[action].trigger()


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
