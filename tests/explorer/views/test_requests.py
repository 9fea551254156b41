"""What pages ask for is seen without a window: nothing there answers, and each request names all that it needs."""

from __future__ import annotations

from pathlib import Path

import pytest
from asked import requests_of
from PySide6.QtCore import QPoint
from windows import Room, show_page

from tokenarium.app.window import MainWindow
from tokenarium.app.workspaces import WORKSPACES, WorkspaceKind
from tokenarium.models.text.inspection import TokenPlace
from tokenarium.session.requests import (
    ExplainBytes,
    PlayBytes,
    Request,
    ShowEntry,
    ShowTokenMenu,
    TakeCut,
    TellSaved,
)
from tokenarium.views.compare_overlap import OverlapPage
from tokenarium.views.merge_prefixes import PrefixPage
from tokenarium.views.pretokens import PretokensView
from tokenarium.views.tokens import TokensView
from tokenarium.views.workspace import PagedWorkspace


@pytest.fixture
def asked(room: Room) -> list[Request]:
    return requests_of(room.session.requests, Request)  # type: ignore[type-var, arg-type]


@pytest.mark.parametrize("name", ["tokens", "pretokens"])
def test_a_text_asks_for_the_menu_the_card_and_the_cut(
    room: Room, asked: list[Request], name: str
) -> None:
    room.session.set_text("the tokens")
    room.show_workspace(name)
    space = room.workspace
    assert isinstance(space, TokensView | PretokensView)
    point = QPoint(5, 5)
    space.view.token_menu_requested.emit(point, 3, 10)
    space.view.token_activated.emit(0, 3)
    space.view.cut_clicked.emit(3)
    assert asked == [
        ShowTokenMenu(TokenPlace("", -1, 3, 10), point),
        ExplainBytes(0, 3),
        TakeCut(3),
    ]


@pytest.mark.parametrize("kind", WORKSPACES, ids=lambda kind: kind.name.id)
def test_each_page_is_made_without_a_window(room: Room, kind: WorkspaceKind) -> None:
    room.session.set_text("the tokens")
    room.show_workspace(kind.name.id)
    space = room.workspace
    if isinstance(space, PagedWorkspace):
        for page in space.kinds:
            space.show_page(page.id)
        assert set(space.made) >= {page.id for page in space.kinds}


def test_pages_ask_for_entries(room: Room, asked: list[Request]) -> None:
    show_page(room, "merges", "prefixes", PrefixPage).stage.picked.emit(5)
    lists = show_page(room, "compare", "overlap", OverlapPage).parts["lists"]
    lists.entry_activated.emit(7, "key")  # type: ignore[attr-defined]
    assert asked == [ShowEntry(5), ShowEntry(7, "key")]


def test_a_window_answers(window: MainWindow, tmp_path: Path) -> None:
    session = window.session
    session.set_text("unbelievable")
    session.requests.ask(TellSaved(tmp_path / "a.json"))
    assert window.messages.label.text() == f"Saved a.json in {tmp_path}"
    session.requests.ask(PlayBytes(2, 9))
    assert session.selection == (2, 9)
    assert window.workspace.name.id == "merges"
    session.requests.ask(ShowEntry(5))
    assert window.workspace.name.id == "vocabulary"
