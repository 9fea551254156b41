"""Pages that are made before they are shown: they do as those that are made when they are shown."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tokenarium.app.pages_ahead import CHARTS
from tokenarium.app.window import MainWindow
from tokenarium.models.scene import ReadScene, Scene
from tokenarium.views.workspace import PagedWorkspace, Workspace


def made_ahead(window: MainWindow, workspace: str, page: str, qtbot: QtBot) -> Workspace:
    ahead = window.pages_ahead
    ahead.make((workspace, page))
    qtbot.waitUntil(lambda: not ahead.busy)
    return next(space for space in window.spaces if space.name.id == workspace)


@pytest.mark.parametrize(
    ("workspace", "page"),
    [("scripts", "vocabulary"), ("merges", "steps"), ("compare", "overview"), ("pretokens", "")],
)
def test_a_page_is_made_and_not_shown(
    window: MainWindow, qtbot: QtBot, workspace: str, page: str
) -> None:
    window.session.set_text("Egg an Egg")
    shown = window.workspace
    space = made_ahead(window, workspace, page, qtbot)
    assert window.workspace is shown
    assert not space.isVisible()
    if isinstance(space, PagedWorkspace):
        assert page in space.made
    assert all(
        one.thread() is QApplication.instance().thread()  # type: ignore[union-attr]
        for one in space.findChildren(QObject)
    )
    window.show_workspace(workspace)
    assert window.workspace is space
    assert space.isVisible()
    assert window.spaces.row.isVisible()


def test_the_code_of_a_page_is_there(window: MainWindow, qtbot: QtBot) -> None:
    made_ahead(window, "vocabulary", "release", qtbot)
    assert CHARTS in sys.modules
    assert "tokenarium.models.release.evaluation" in sys.modules


def test_what_is_not_known_is_not_made(window: MainWindow, qtbot: QtBot) -> None:
    before = list(window.spaces)
    ahead = window.pages_ahead
    ahead.make(("kitchen", ""))
    assert not ahead.busy
    assert isinstance(made_ahead(window, "merges", "kitchen", qtbot), PagedWorkspace)
    assert len(list(window.spaces)) == len(before) + 1
    ahead.make(("merges", ""))
    assert not ahead.busy  # it is there


def test_settings_that_wait_for_a_page_are_kept_though_it_is_made(
    window: MainWindow, qtbot: QtBot
) -> None:
    settings = {"scripts.vocabulary": {"scale": "ratio"}}
    window.stage.show(ReadScene(Scene(workspace="tokens", pages=settings)))
    made_ahead(window, "scripts", "vocabulary", qtbot)
    assert window.stage.make().pages["scripts.vocabulary"] == settings["scripts.vocabulary"]
    window.show_workspace("scripts")
    qtbot.waitUntil(lambda: not window.stage.busy)
    assert window.stage.make().pages["scripts.vocabulary"]["scale"] == "ratio"
