"""What every page of the workspace Merges has: an id, a title, and what the window asks of it."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtWidgets import QWidget

from tokenarium.style.theme import Theme
from tokenarium.views.paged_workspace import Page
from tokenarium.views.workspace import Workspace
from tokenarium.widgets.players.animation import Animation


class Player(Protocol):
    """What the menu Play drives: something with steps, that may go on by itself."""

    @property
    def position(self) -> int:
        """The step that is shown."""

    @property
    def length(self) -> int:
        """How many steps there are."""

    @property
    def playing(self) -> bool:
        """Whether it goes on by itself."""

    def play(self) -> None:
        """Goes on by itself to the end; from the beginning where it is at the end."""

    def pause(self) -> None:
        """Stops where it is."""

    def step(self, count: int) -> None:
        """Goes so many steps on, or back; it no longer plays."""

    def go_to(self, position: int, by_hand: bool = False) -> None:
        """Shows a step."""


class MergePage(Page):
    """Base of the pages. A page is made when it is first shown; ``workspace`` is what it stands in."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.session = workspace.session
        self.appearance = workspace.appearance
        self.help_with = workspace.help_with
        self.setAccessibleName(self.title)

    @property
    def player(self) -> Player | None:
        """The player that the commands of the menu Play mean, where there is one."""
        return None

    @property
    def busy(self) -> bool:
        """Whether something is on its way that will change what is shown."""
        return False

    @property
    def has_animation(self) -> bool:
        """Whether `animation` has something to show now."""
        return False

    def animation(self, theme: Theme) -> Animation | None:
        """Returns what an export takes pictures of, in the colours of a theme: the steps of the player."""
        return None

    @property
    def pictured(self) -> QWidget:
        """The part of the page that an animation shows, as large as it is seen."""
        return self

    def change_speed(self, step: int) -> None:
        """Plays faster (1) or slower (-1), where the page plays something."""
