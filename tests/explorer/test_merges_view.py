"""The workspace Merges in the window: its pages, and the commands that reach the player in sight."""

from __future__ import annotations

import pytest

from tokenarium.views.merges import PAGES, MergesView
from tokenarium.window import MainWindow


@pytest.fixture
def view(window: MainWindow) -> MergesView:
    window.session.set_text("Merging makes tokens of bytes.")
    window.play_commands.show_merge_page("steps")
    workspace = window.workspace
    assert isinstance(workspace, MergesView)
    workspace.steps.replay()
    return workspace


def test_each_page_has_a_switch(window: MainWindow, view: MergesView) -> None:
    switches = [action_id for action_id, _ in view.switches]
    for page in PAGES:
        assert f"merge_{page.id}" in switches
        window.actions_by_id[f"merge_{page.id}"].trigger()
        assert view.page.id == page.id
        window.actions_by_id.refresh()
        assert window.actions_by_id[f"merge_{page.id}"].isChecked()


def test_commands_step_through_the_run(window: MainWindow, view: MergesView) -> None:
    player = view.page.player
    assert player is not None
    assert player.length > 3
    window.actions_by_id.refresh()
    for action_id, position in (
        ("step_on", 1),
        ("step_on", 2),
        ("step_back", 1),
        ("play_end", player.length),
        ("play_start", 0),
    ):
        window.actions_by_id[action_id].trigger()
        assert player.position == position
    window.actions_by_id["play"].trigger()
    assert player.playing
    window.actions_by_id["play"].trigger()
    assert not player.playing
