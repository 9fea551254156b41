"""Opens the command palette over a window: on everything, or on the samples alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from tokenarium.menus.actions import ActionSet
from tokenarium.menus.command_palette import Command, CommandPalette
from tokenarium.menus.window_commands import action_commands, sample_commands, tokenizer_commands
from tokenarium.session.fetching import Fetcher
from tokenarium.session.session import Session


class PaletteCommands:
    """Handlers of the actions that open the palette. ``actions`` returns those that it offers."""

    def __init__(
        self,
        session: Session,
        window: QWidget,
        actions: Callable[[], ActionSet],
        fetcher: Fetcher,
    ) -> None:
        self._session = session
        self._window = window
        self._actions = actions
        self._fetcher = fetcher
        self.opened: CommandPalette | None = None

    def open_palette(self) -> None:
        """Opens the command palette over everything."""
        actions = self._actions()
        actions.refresh()
        self._open(
            action_commands(actions)
            + sample_commands(self._session)
            + tokenizer_commands(self._session, self._fetcher.fetch)
        )

    def choose_sample(self) -> None:
        """Opens the command palette on the samples alone."""
        self._open(sample_commands(self._session))

    def _open(self, commands: Sequence[Command]) -> None:
        if self.opened is not None:
            self.opened.deleteLater()
        self.opened = CommandPalette(commands, self._window)
        self.opened.open_over(self._window)
