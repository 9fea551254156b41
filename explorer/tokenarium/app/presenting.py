"""Shows the workspace, a lesson or an answer on the whole screen, for an audience."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from tokenarium.app.lessons import Lessons
from tokenarium.app.scenes import SceneStage
from tokenarium.app.spaces import Spaces
from tokenarium.menus.actions import Action, Section
from tokenarium.menus.token_commands import TokenCommands
from tokenarium.style.appearance import Appearance

if TYPE_CHECKING:
    from tokenarium.views.presentation import DeckMaker, Presentation


class PresentingCommands:
    """Opens the presentation, one at a time."""

    def __init__(
        self,
        spaces: Spaces,
        appearance: Appearance,
        lessons: Lessons,
        stage: SceneStage,
        tokens: TokenCommands,
        window: QWidget,
    ) -> None:
        self._spaces = spaces
        self._appearance = appearance
        self._lessons = lessons
        self._stage = stage
        self._tokens = tokens
        self._window = window
        self.shown: Presentation | None = None

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("present", "Present to an a&udience", Section.WORKSPACES, "F5", self.present, "Shows this workspace on the whole screen, larger, for an audience", icon="presentation"),
        ]
        # fmt: on

    def present(self) -> None:
        """Shows the lesson, the answer that is open, or else the workspace, on the whole screen."""
        if self.shown is None:
            from tokenarium.views.presentation import Presentation  # few starts need it

            self.shown = Presentation(self._spaces.workspace, self._appearance, self._maker())
            self.shown.left.connect(self._forget)
            self.shown.showFullScreen()

    def _maker(self) -> DeckMaker | None:
        if self._lessons.is_open and self._lessons.lesson is not None:
            from tokenarium.app.lesson_deck import LessonDeck

            return partial(LessonDeck, self._lessons, self._stage, lambda: self._spaces.workspace)
        if (answers := self._tokens.shown_answers) is not None:
            from tokenarium.views.step_decks import WhyDeck

            return lambda looks: WhyDeck(answers, looks.theme)
        return None

    def _forget(self) -> None:
        self.shown = None
        self._window.activateWindow()
