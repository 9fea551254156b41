"""The workspaces of a window: one is shown, with its row of pages and switches above the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import cast

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction

from tokenarium.app.workspaces import WORKSPACES
from tokenarium.menus.actions import Action, ActionChoice, ActionSet, Section
from tokenarium.models.program_log import log
from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance
from tokenarium.views.workspace import PagedWorkspace, Workspace
from tokenarium.widgets.areas import PageStack
from tokenarium.widgets.keyboard import has_focus
from tokenarium.widgets.page_row import PageRow

ICONS = {
    "tokens": "text-aa",
    "pretokens": "scissors",
    "merges": "git-merge",
    "bytes": "hash",
    "vocabulary": "books",
    "scripts": "translate",
    "compare": "scales",
    "train": "flask",
}
"""The icons of the workspaces."""


class Spaces(QObject):
    """The workspaces of a window, each made when first shown. ``actions`` returns the actions of the window."""

    leaving = Signal()
    """Another workspace will be shown."""
    shown = Signal()
    """Another workspace is shown."""
    page_shown = Signal()
    """Another page of a workspace is shown."""

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        actions: Callable[[], ActionSet],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._appearance = appearance
        self._actions = actions
        self.pages = PageStack()
        self.rows = PageStack()
        self.made: dict[str, Workspace] = {}
        """The workspaces that were shown so far, by their ids."""
        self._low = False

    def declared(self) -> list[Action]:
        """Returns the actions."""
        space = ActionChoice(
            "workspace", Section.WORKSPACES, lambda: self.workspace.name.id, self.go_to
        ).action
        # fmt: off
        return [
            space("tokens", "tokens", "&Tokens", "Ctrl+1", "The text as each tokenizer splits it", icon=ICONS["tokens"]),
            space("pretokens", "pretokens", "&Pre-tokens", "Ctrl+2", "The text as each pattern splits it before the merges", icon=ICONS["pretokens"]),
            space("merges", "merges", "&Merges", "Ctrl+3", "How the model makes tokens, step by step", icon=ICONS["merges"]),
            space("bytes", "bytes", "&Bytes", "Ctrl+4", "Characters, code points, bytes and tokens, aligned", icon=ICONS["bytes"]),
            space("vocabulary", "vocabulary", "V&ocabulary", "Ctrl+5", "All entries of the current tokenizer", icon=ICONS["vocabulary"]),
            space("scripts", "scripts", "&Scripts", "Ctrl+6", "How each vocabulary is divided among scripts", icon=ICONS["scripts"]),
            space("compare", "compare", "&Compare", "Ctrl+7", "Figures of the chosen tokenizers, side by side", icon=ICONS["compare"]),
            space("train", "train_workspace", "T&rain", "Ctrl+8", "Trains tokenizers, and shows how they grow", icon=ICONS["train"]),
            Action("next_difference", "&Next difference", Section.DIFFERENCES, "F8", lambda: self.workspace.go_to_difference(1), "Selects the next place where patterns or tokenizers split differently", self._walks_differences, icon="caret-double-right"),
            Action("previous_difference", "Pre&vious difference", Section.DIFFERENCES, "Shift+F8", lambda: self.workspace.go_to_difference(-1), "Selects the previous place where patterns or tokenizers split differently", self._walks_differences, icon="caret-double-left"),
        ]
        # fmt: on

    def _walks_differences(self) -> bool:
        return self.workspace.walks_differences

    def buttons(self) -> list[tuple[QAction, str, str]]:
        """Returns the action, the title and the icon of each workspace."""
        return [
            (self._actions()[_action_of(kind.name.id)], kind.name.title, ICONS[kind.name.id])
            for kind in WORKSPACES
        ]

    @property
    def row(self) -> PageRow:
        """The row of pages and switches of the current workspace."""
        return cast(PageRow, self.rows.currentWidget())

    @property
    def workspace(self) -> Workspace:
        """The current workspace."""
        return cast(Workspace, self.pages.currentWidget())

    def __iter__(self) -> Iterator[Workspace]:
        """Yields the workspaces that were shown so far."""
        return iter(self.made.values())

    def show_workspace(self, workspace_id: str) -> None:
        """Shows a workspace, made now if necessary, and moves the focus into it if the previous one had it."""
        self.leaving.emit()
        follows = has_focus(self.pages)
        known = [kind.name.id for kind in WORKSPACES]
        name = WORKSPACES[known.index(workspace_id) if workspace_id in known else 0].name
        log(f"shows {name.id}")
        self.pages.setCurrentWidget(self.of(name.id))
        self.rows.setCurrentIndex(self.pages.currentIndex())
        self._actions()[_action_of(name.id)].setChecked(True)
        self.shown.emit()
        if follows:
            self.workspace.focus_first()

    def show_place(self, workspace_id: str, page_id: str) -> None:
        """Shows a page of a workspace; an empty id shows the workspace as it is, and moves the focus into it."""
        self.show_workspace(workspace_id)
        if page_id:
            cast(PagedWorkspace, self.workspace).show_page(page_id)
        else:
            self.workspace.focus_first()

    def go_to(self, workspace_id: str) -> None:
        """Shows a workspace; if it is shown already, it gets the focus."""
        if self.workspace.name.id == workspace_id and self.workspace.isVisibleTo(
            self.pages.window()
        ):
            self.workspace.focus_first()
        else:
            self.show_workspace(workspace_id)

    def of(self, workspace_id: str) -> Workspace:
        """Returns a workspace, made now if necessary."""
        if workspace_id not in self.made:
            make = next(kind for kind in WORKSPACES if kind.name.id == workspace_id).load()
            self.rows.addWidget(self._row_of(make))
            space = make(self._session, self._appearance, self._actions().__getitem__)
            self.pages.addWidget(space)
            self.made[workspace_id] = space
            if isinstance(space, PagedWorkspace):
                space.page_shown.connect(self._follow_page)
                space.page_shown.connect(self.page_shown)
        return self.made[workspace_id]

    def _follow_page(self) -> None:
        """Shows the switches that the pages of the workspaces have a use for."""
        for place in range(self.rows.count()):
            space = cast(Workspace, self.pages.widget(place))
            cast(PageRow, self.rows.widget(place)).show_tools(space.shows_tools)

    def _row_of(self, space: type[Workspace]) -> PageRow:
        """Returns the row of a workspace: a choice for actions that exclude each other, and switches for the rest."""
        actions, choice_of = self._actions(), self._actions().choice_of
        choices = []
        switches = []
        shown = [(id, text) for id, text in space.switches if id]
        for choice, members in groupby(shown, lambda one: choice_of(one[0])):
            row = [(actions[id], text) for id, text in members]
            if not choice:
                switches += row
                continue
            for action, text in row:
                action.setIconText(text)
            name = "Pages" if choice == f"{space.name.id}_page" else "What is shown"
            choices.append((name, [action for action, _ in row]))
        terms = {actions[id]: term for id, term in space.terms.items()}
        made = PageRow(choices, switches, terms, spread=issubclass(space, PagedWorkspace))
        made.set_low(self._low)
        return made

    def set_low(self, low: bool) -> None:
        """Makes the rows lower, for a low window."""
        self._low = low
        for place in range(self.rows.count()):
            cast(PageRow, self.rows.widget(place)).set_low(low)


def _action_of(workspace_id: str) -> str:
    """Returns the id of the action that shows a workspace."""
    return "train_workspace" if workspace_id == "train" else workspace_id
