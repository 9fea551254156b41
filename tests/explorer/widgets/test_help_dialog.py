"""F1: help for the page that is in sight, and for all others from a list."""

from __future__ import annotations

import pytest
from narrowed import there
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.resources.help_pages import load_help
from tokenarium.views.workspace import PagedWorkspace


@pytest.mark.parametrize("name", [kind.name.id for kind in WORKSPACES])
def test_f1_explains_the_page_in_sight(window: MainWindow, name: str) -> None:
    window.show_workspace(name)
    space = window.workspace
    pages = (
        space.page_ids if isinstance(space, PagedWorkspace) and hasattr(space, "page_ids") else [""]
    )
    for page in pages:
        if page and isinstance(space, PagedWorkspace):
            space.show_page(page)
        window.actions_by_id["help"].trigger()
        dialog = there(window.help.dialog)
        assert dialog.isVisible()
        shown = dialog.text.toPlainText()
        here = space.page.id if isinstance(space, PagedWorkspace) else ""
        known = load_help()[f"{name}/{here}" if f"{name}/{here}" in load_help() else name]
        assert known.shows in shown.replace("\n", " ")
        assert dialog.pages.currentText().strip() == known.title
        dialog.close()


def test_the_list_goes_to_another_page(window: MainWindow) -> None:
    window.actions_by_id["help"].trigger()
    dialog = there(window.help.dialog)
    place = dialog.pages.findData("compare/differences")
    dialog.pages.setCurrentIndex(place)
    dialog.pages.activated.emit(place)
    assert dialog.text.toPlainText().startswith("Differences")


def test_it_leads_to_all_shortcuts(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_by_id["help"].trigger()
    there(window.help.dialog).shortcuts.click()
    assert there(window.help.shortcut_dialog).isVisible()
