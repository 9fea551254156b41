"""A page is named everywhere that it must be, as CONTRIBUTING.md says under "Adding an analysis"."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest
from narrowed import of_kind
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from windows import opened_windows

import tokenarium.analyses
from tokenarium.analyses.analysis import Analysis
from tokenarium.app.window import MainWindow
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.commands import cli
from tokenarium.models.scene_texts import read_scene_file
from tokenarium.resources import help_pages
from tokenarium.tour import render
from tokenarium.views.workspace import PagedWorkspace

TESTS = Path(__file__).parents[1]

FAKED = {"train/race", "train/sizes", "train/times"}
"""The pages of the tour that no file can describe, since something runs there: see `tokenarium.tour.faked`."""


def pages_of_workspaces() -> set[str]:
    """The pages that workspaces name, as "compare/numbers"."""
    return {
        f"{kind.name.id}/{page.id}"
        for kind in WORKSPACES
        if issubclass(made := kind.load(), PagedWorkspace)
        for page in made.kinds
    }


def pages_of_actions(window: MainWindow) -> set[str]:
    """The pages that actions show, each with its workspace; all are in the row of pages, and have an icon."""
    found = set()
    for spec in window.actions_by_id.declared:
        workspace, _, page = spec.choice.rpartition("_")
        if page == "page" and workspace in {kind.name.id for kind in WORKSPACES}:
            window.actions_by_id[spec.id].trigger()
            shown = of_kind(window.workspace, PagedWorkspace)
            assert spec.id in {id for id, _ in shown.switches}, spec.id
            assert spec.icon, spec.id
            found.add(f"{shown.name.id}/{shown.page.id}")
    return found


def pages_of_help() -> set[str]:
    """The pages with help of their own; the first page of a workspace may have that of the workspace."""
    firsts = {
        kind.name.id: made.kinds[0].id
        for kind in WORKSPACES
        if issubclass(made := kind.load(), PagedWorkspace)
    }
    known = help_pages.load_help()
    return {id if "/" in id else f"{id}/{firsts[id]}" for id in known if "/" in id or id in firsts}


def pages_of_tour() -> set[str]:
    """The pages that scenes show."""
    scenes = [read_scene_file(path).scene for path in render.scene_files()]
    return {f"{scene.workspace}/{scene.page}" for scene in scenes if scene.page} | FAKED


def pages_of_kept() -> set[str]:
    """The pages that have a case in the test of what pages keep."""
    tree = ast.parse((TESTS / "views" / "test_kept.py").read_text("utf-8"))
    cases = of_kind(
        next(
            one.value
            for one in tree.body
            if isinstance(one, ast.AnnAssign) and ast.unparse(one.target) == "CASES"
        ),
        ast.List,
    )
    names = [ast.literal_eval(case.elts[0]) for case in cases.elts if isinstance(case, ast.Tuple)]
    return {name.replace(".", "/") for name in names if "." in name}


def missing(window: MainWindow) -> dict[str, set[str]]:
    """Returns the pages that a place lacks, though another place has them."""
    places = {
        "an action": pages_of_actions(window),
        "help": pages_of_help(),
        "a scene of the tour": pages_of_tour(),
        "a case of test_kept": pages_of_kept(),
    }
    known = pages_of_workspaces().union(*places.values())
    return {place: lacks for place, pages in places.items() if (lacks := known - pages)}


def test_each_page_is_named_everywhere(window: MainWindow) -> None:
    assert missing(window) == {}


def planted(patched: pytest.MonkeyPatch, fault: str) -> None:
    """Forgets the page Numbers in one place."""
    if fault == "help":
        known = {id: page for id, page in help_pages.load_help().items() if id != "compare/numbers"}
        patched.setattr(help_pages, "load_help", lambda: known)
    else:
        files = [path for path in render.scene_files() if "compare-numbers" not in path.name]
        patched.setattr(render, "scene_files", lambda: files)


@pytest.mark.parametrize("fault", ["help", "a scene of the tour"])
def test_a_page_that_is_forgotten_is_found(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    planted(monkeypatch, fault)
    assert missing(window) == {fault: {"compare/numbers"}}


def test_each_analysis_has_a_command() -> None:
    names = [path.stem for path in Path(tokenarium.analyses.__path__[0]).glob("*.py")]
    modules = {name: import_module(f"tokenarium.analyses.{name}") for name in names}
    found = {
        name.replace("_", "-")
        for name, module in modules.items()
        if isinstance(getattr(module, name.upper(), None), Analysis)
    }
    assert found
    assert found == {*cli.ANALYSES, *cli.WRITTEN}
    assert not set(cli.ANALYSES) & set(cli.WRITTEN)
    assert found <= set(cli.NAMES)


def test_no_page_opens_a_window(window: MainWindow, qtbot: QtBot, qapp: QApplication) -> None:
    """A part that is shown before it has a parent is a window with a frame for a moment."""
    session = window.session
    session.edits.turn_on("shipped:unigram-8k", True)
    session.set_text("An unbelievable text: naïve 東京 3.14")
    session.select(3, 15)
    with opened_windows(qapp) as opened:
        for spec in window.actions_by_id.declared:
            if spec.choice.endswith("_page"):
                window.actions_by_id[spec.id].trigger()
                qtbot.waitUntil(lambda: not window.workspace.busy)
                qtbot.wait(20)
    assert opened == []
