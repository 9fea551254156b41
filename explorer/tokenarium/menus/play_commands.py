"""What the menu Play does: it passes on to the player that is in sight."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from tokenarium.views.workspace import Workspace
from tokenarium.views.workspace_names import MERGES

if TYPE_CHECKING:
    from tokenarium.views.merge_page import MergePage, Player
    from tokenarium.views.merge_sizes import MergeSizesPage
    from tokenarium.views.merge_steps import StepsPage
    from tokenarium.views.merges import MergesView


class PlayCommands:
    """Handlers of the actions of the menu Play."""

    def __init__(
        self, workspace: Callable[[], Workspace], show_workspace: Callable[[str], None]
    ) -> None:
        self._workspace = workspace
        self._show_workspace = show_workspace

    @property
    def _view(self) -> MergesView | None:
        space = self._workspace()
        return cast("MergesView", space) if space.name == MERGES else None

    @property
    def page(self) -> MergePage | None:
        """The page of the workspace Merges that is shown, if one is."""
        return self._view.page if self._view is not None else None

    @property
    def _steps(self) -> StepsPage | None:
        return cast("StepsPage", self.page) if self.merge_page_is("steps") else None

    @property
    def _player(self) -> Player | None:
        return self.page.player if self.page is not None else None

    def can_play(self) -> bool:
        """Whether there is something to play."""
        player = self._player
        return player is not None and player.length > 0

    def play(self) -> None:
        """Plays, or pauses."""
        player = self._player
        if player is not None and player.playing:
            player.pause()
        elif player is not None:
            player.play()

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
        player = self._player
        self._go_to(player.length if player is not None else 0)

    def slower(self) -> None:
        """Plays at the next lower speed."""
        self._change_speed(-1)

    def faster(self) -> None:
        """Plays at the next higher speed."""
        self._change_speed(1)

    def set_side_by_side(self, both: bool) -> None:
        """Plays two tokenizers, or one."""
        if self._steps is not None:
            self._steps.set_side_by_side(both)

    def is_side_by_side(self) -> bool:
        """Whether two tokenizers are played."""
        return self._steps is not None and self._steps.side_by_side

    def set_in_step(self, in_step: bool) -> None:
        """Takes two players to the same step, or not."""
        if self._steps is not None:
            self._steps.set_in_step(in_step)

    def is_in_step(self) -> bool:
        """Whether two players go in step."""
        return self._steps is not None and self._steps.in_step

    def plays_tokenizers(self) -> bool:
        """Whether the page with the players of tokenizers is shown."""
        return self._steps is not None

    @property
    def _sizes(self) -> MergeSizesPage | None:
        return cast("MergeSizesPage", self.page) if self.merge_page_is("sizes") else None

    def set_log_sizes(self, log: bool) -> None:
        """Gives each factor of a vocabulary size as much room as the same factor elsewhere, or not."""
        if self._sizes is not None:
            self._sizes.set_log(log)

    def sizes_are_log(self) -> bool:
        """Whether vocabulary sizes stand on a log scale."""
        return self._sizes is not None and self._sizes.log

    def set_size_ratio(self, ratio: bool) -> None:
        """Draws bytes per token over the vocabulary size, or tokens."""
        if self._sizes is not None:
            self._sizes.set_ratio(ratio)

    def sizes_have_ratio(self) -> bool:
        """Whether bytes per token are drawn."""
        return self._sizes is not None and self._sizes.ratio

    def shows_sizes(self) -> bool:
        """Whether the page with the vocabulary sizes is shown."""
        return self._sizes is not None

    def show_merge_page(self, page_id: str) -> None:
        """Shows a page of the workspace Merges."""
        self._show_workspace(MERGES.id)
        if self._view is not None:
            self._view.show_page(page_id)

    def merge_page_is(self, page_id: str) -> bool:
        """Whether a page of the workspace Merges is shown."""
        return self.page is not None and self.page.id == page_id

    def _step(self, count: int) -> None:
        player = self._player
        if player is not None:
            player.step(count)

    def _go_to(self, position: int) -> None:
        player = self._player
        if player is not None:
            player.go_to(position, by_hand=True)

    def _change_speed(self, step: int) -> None:
        if self.page is not None:
            self.page.change_speed(step)
