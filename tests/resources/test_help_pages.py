"""The help: a page for every page of the window, with terms that the glossary has."""

from __future__ import annotations

import pytest

from tokenarium.app.helping import MENU_OF
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.menus.actions import MENUS
from tokenarium.resources.glossary import load_glossary
from tokenarium.resources.help_pages import HelpPage, help_for, load_help
from tokenarium.widgets.help_dialog import help_html

PAGES = list(load_help().values())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
def test_a_page_is_whole(page: HelpPage) -> None:
    assert page.title
    assert page.shows.endswith(".")
    assert page.can
    assert all(one.endswith(".") for one in page.can)
    assert set(page.terms) <= set(load_glossary())
    shown = help_html(page, [("Ctrl+<", "a key")])
    assert page.title in shown
    assert "Ctrl+&lt;" in shown


def test_every_workspace_has_one() -> None:
    assert {kind.name.id for kind in WORKSPACES} <= set(load_help())
    assert set(MENU_OF) <= {kind.name.id for kind in WORKSPACES}
    assert set(MENU_OF.values()) <= set(MENUS)


def test_what_has_none_gets_that_of_its_workspace() -> None:
    assert help_for("merges", "why").title == "Why not one token?"
    assert help_for("merges", "another").id == "merges"
    assert help_for("another").id == "tokens"
