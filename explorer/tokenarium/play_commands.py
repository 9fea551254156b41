"""What the menu Play does: it passes on to the player that is in sight."""

from __future__ import annotations

from collections.abc import Callable

from tokenarium.views.merges import MergesView
from tokenarium.views.workspace import Workspace
from tokenarium.widgets.player_lane import PlayerLane


class PlayCommands:
    """Handlers of the actions of the menu Play."""

    def __init__(self, workspace: Callable[[], Workspace]) -> None:
        self._workspace = workspace

    @property
    def _view(self) -> MergesView | None:
        workspace = self._workspace()
        return workspace if isinstance(workspace, MergesView) else None

    @property
    def _lane(self) -> PlayerLane | None:
        view = self._view
        return view.lane if view is not None else None

    def can_play(self) -> bool:
        """Whether there is something to play."""
        lane = self._lane
        return lane is not None and lane.length > 0

    def play(self) -> None:
        """Plays, or pauses."""
        lane = self._lane
        if lane is not None and lane.playing:
            lane.pause()
        elif lane is not None:
            lane.play()

    def step_back(self) -> None:
        """Takes the last step back."""
        self._step(-1)

    def step_on(self) -> None:
        """Makes the next step."""
        self._step(1)

    def play_start(self) -> None:
        """Goes to the beginning."""
        self._go_to(0)

    def play_end(self) -> None:
        """Goes to the end."""
        lane = self._lane
        self._go_to(lane.length if lane is not None else 0)

    def slower(self) -> None:
        """Plays at the next lower speed."""
        self._change_speed(-1)

    def faster(self) -> None:
        """Plays at the next higher speed."""
        self._change_speed(1)

    def set_side_by_side(self, both: bool) -> None:
        """Plays two tokenizers, or one."""
        if self._view is not None:
            self._view.set_side_by_side(both)

    def is_side_by_side(self) -> bool:
        """Whether two tokenizers are played."""
        return self._view is not None and self._view.side_by_side

    def set_in_step(self, in_step: bool) -> None:
        """Takes two players to the same step, or not."""
        if self._view is not None:
            self._view.set_in_step(in_step)

    def is_in_step(self) -> bool:
        """Whether two players go in step."""
        return self._view is not None and self._view.in_step

    def _step(self, count: int) -> None:
        lane = self._lane
        if lane is not None:
            lane.step(count)

    def _go_to(self, position: int) -> None:
        lane = self._lane
        if lane is not None:
            lane.go_to(position, by_hand=True)

    def _change_speed(self, step: int) -> None:
        if self._view is not None:
            self._view.change_speed(step)
