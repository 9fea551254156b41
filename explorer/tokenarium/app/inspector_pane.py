"""Whether the inspector is seen: where the tokens of the text are followed, in a window that is wide enough."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from tokenarium.session import settings
from tokenarium.session.settings import Settings
from tokenarium.style.theme import GRID

NARROW = 144 * GRID
"""Pixels: the inspector gives way in a window that is narrower, where not all tabs would have room beside it."""

LEAST_WIDTH = 88 * GRID
"""A wide window may be made as narrow as this in one go: its inspector gives way only then."""


class InspectorPane:
    """Shows and hides an inspector.

    A person's choice counts for all workspaces of a kind: those that follow the tokens of the text, where the
    inspector stands from the beginning, and the others, whose tables and charts have its room until it is asked for.
    ``follows`` tells of which kind the one that is seen is.
    """

    def __init__(self, inspector: QWidget, follows: Callable[[], bool]) -> None:
        self._inspector = inspector
        self._follows = follows
        self._wanted = {True: True, False: False}  # by whether the tokens of the text are followed
        self._gave_way = False

    @property
    def shown(self) -> bool:
        """Whether the inspector is shown."""
        return not self._inspector.isHidden()

    def show(self, show: bool) -> None:
        """Shows it in workspaces such as the one that is seen, or gives its room away there."""
        self._wanted[self._follows()] = show
        if show:
            self._gave_way = False
        self.fit()

    def fit(self) -> None:
        """Shows or hides it as the workspace that is seen wants it."""
        self._inspector.setVisible(self._wanted[self._follows()] and not self._gave_way)
        window = self._inspector.window()
        crowded = window.width() < NARROW and self.shown  # asked for, though there is little room
        window.setMinimumSize(0 if crowded else LEAST_WIDTH, 0)  # 0: what stands in it decides

    def resized(self, width: int, before: int) -> None:
        """Lets it give way when a window becomes narrow, and come back when it is wide; widths are in pixels."""
        narrow = width < NARROW
        if narrow != (before in range(NARROW)):
            self._gave_way = narrow
            self.fit()

    def restore(self, store: Settings) -> None:
        """Takes up what was chosen last time."""
        self._wanted[True] = store.get(settings.SHOW_INSPECTOR)
        self._wanted[False] = store.get(settings.SHOW_INSPECTOR_ELSEWHERE)
        self.fit()

    def keep(self, store: Settings) -> None:
        """Writes down what is chosen."""
        store.set(settings.SHOW_INSPECTOR, self._wanted[True])
        store.set(settings.SHOW_INSPECTOR_ELSEWHERE, self._wanted[False])
