"""The page "Change" of the workspace Vocabulary: makes a new tokenizer from the current one, in one of several ways."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from tokenarium.style.theme import GRID, PAGE_MARGIN
from tokenarium.views.kept import Kept, kept_segment
from tokenarium.views.vocabulary_change_part import ChangePart
from tokenarium.views.vocabulary_extend import ExtendPart
from tokenarium.views.vocabulary_prune import PrunePart
from tokenarium.views.vocabulary_special_tokens import SpecialTokensPart
from tokenarium.views.workspace import Page, Workspace, column
from tokenarium.widgets.layouts import in_row
from tokenarium.widgets.panel import Rule, named
from tokenarium.widgets.segmented import Segmented

PARTS: tuple[type[ChangePart], ...] = (SpecialTokensPart, PrunePart, ExtendPart)
"""The ways to change a tokenizer, in the order of the choice; each has its own file."""


class ChangePage(Page):
    """A choice of ways, and the chosen part. Nothing changes the tokenizer itself."""

    id = "change"
    title = "Change"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.choice = named(Segmented([kind.title for kind in PARTS]), "What is changed")
        self.parts = [kind(self) for kind in PARTS]
        self._stack = QStackedWidget()
        for part in self.parts:
            self._stack.addWidget(part)
        self._head = QWidget()
        in_row(
            self.choice, (None, 1), margins=(PAGE_MARGIN, GRID, PAGE_MARGIN, GRID), into=self._head
        )
        self._pages = self.fill(column(self._head, Rule(), self._stack, grows=self._stack))
        self.choice.currentChanged.connect(self._show_part)
        for signal in (self.session.tokenizers_changed, self.session.current_changed):
            signal.connect(self._follow)

    @property
    def part(self) -> ChangePart:
        """The visible part."""
        return self.parts[self._stack.currentIndex()]

    def choose(self, title: str) -> None:
        """Shows a part by its title."""
        self.choice.setCurrentIndex([kind.title for kind in PARTS].index(title))

    def part_of(self, kind: type[ChangePart]) -> ChangePart:
        """Returns the part of a kind."""
        return self.parts[PARTS.index(kind)]

    @property
    def special_tokens(self) -> SpecialTokensPart:
        """The part Special tokens."""
        return cast(SpecialTokensPart, self.part_of(SpecialTokensPart))

    @property
    def extend(self) -> ExtendPart:
        """The part Extend."""
        return cast(ExtendPart, self.part_of(ExtendPart))

    @property
    def prune(self) -> PrunePart:
        """The part Prune."""
        return cast(PrunePart, self.part_of(PrunePart))

    def keeps(self) -> Iterable[Kept]:
        yield kept_segment("part", self.choice)
        for part in self.parts:
            yield from part.keeps()

    def go_on_stage(self) -> None:
        self.title = self.part.title
        self._head.hide()
        for part in self.parts:
            part.go_on_stage()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()

    def _show_part(self, place: int) -> None:
        self._stack.setCurrentIndex(place)
        self._follow()

    def _follow(self) -> None:
        """Shows the current tokenizer in the chosen part."""
        if not self.isVisible():
            return
        item = self.session.current
        if item is None or item.tokenizer is None:
            self._pages.setCurrentIndex(1)
            self.say_no_tokenizer()
            return
        self._pages.setCurrentIndex(0)
        self.part.show_item(item)

    def lines(self) -> list[list[str]]:
        return self.part.lines()

    def python(self) -> str:
        return self.part.python()

    def focus_first(self) -> None:
        self.part.focus_first()
