"""Steps that many tests of the window take."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.session import Session

T = TypeVar("T")


def shown_in(window: MainWindow, kind: type[T]) -> T:
    """Returns the workspace that is shown, or its page, which has to be of this kind."""
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
