"""The actions of a window, from which menus, tool buttons, the palette and the list of shortcuts are made.

Each group of commands declares its own actions with the functions that they call, so that the type checker sees them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, unique
from itertools import groupby
from typing import Generic, TypeVar

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from tokenarium.style.icons import icon

MENUS = (
    "File",
    "Edit",
    "Text",
    "Tokenizers",
    "View",
    "Play",
    "Scripts",
    "Compare",
    "Train",
    "Go",
    "Help",
)
"""The menus, from left to right."""


@unique
class Section(Enum):
    """The sections of the menus, with a line between them, in the order of the palette."""

    OPEN = "File", 1
    EXPORT = "File", 2
    QUIT = "File", 3
    UNDO = "Edit", 1
    COPY = "Edit", 2
    SELECTION = "Edit", 3
    SETTINGS = "Edit", 4
    TEXT = "Text", 1
    DECODE = "Text", 2
    QUESTIONS = "Text", 3
    LIBRARY = "Tokenizers", 1
    TOKENIZER = "Tokenizers", 2
    SPECIAL = "Tokenizers", 3
    BLANKS = "View", 1
    ANNOTATIONS = "View", 2
    PANES = "View", 3
    COLOURS = "View", 4
    SCALE = "View", 5
    HISTORY = "Go", 0
    WORKSPACES = "Go", 1
    VOCABULARY = "Go", 2
    DIFFERENCES = "Go", 3
    PLAY = "Play", 1
    SPEED = "Play", 2
    MERGES = "Play", 3
    PLAYERS = "Play", 4
    WORD = "Play", 5
    TABLES = "Train", 3
    TRAIN = "Train", 1
    TRAINING = "Train", 2
    COMPARE = "Compare", 1
    COUNT = "Compare", 2
    LANGUAGES = "Compare", 3
    TABLE = "Compare", 4
    SCRIPTS = "Scripts", 1
    BARS = "Scripts", 2
    PANE = "Go", 4
    LESSONS = "Help", 0
    HELP = "Help", 1
    ABOUT = "Help", 2

    @property
    def menu(self) -> str:
        """The menu of the section."""
        return self.value[0]


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that the user can do.

    ``text`` has an "&" before its access key. ``enabled`` returns whether it is available; ``checked`` whether a
    switch is on. Actions with the same ``choice`` exclude each other. ``icon`` is a name of `tokenarium.style.icons`,
    ``also`` a second shortcut, which is not shown.
    """

    id: str
    text: str
    section: Section
    shortcut: str
    run: Callable[[], object]
    tip: str = ""
    enabled: Callable[[], bool] | None = None
    checked: Callable[[], bool] | None = None
    choice: str = ""
    icon: str = ""
    also: str = ""

    @property
    def plain_text(self) -> str:
        """The text without the "&"."""
        return self.text.replace("&", "")


def switch(
    id: str,
    text: str,
    section: Section,
    shortcut: str,
    is_on: Callable[[], bool],
    set_on: Callable[[bool], object],
    tip: str = "",
    enabled: Callable[[], bool] | None = None,
    icon: str = "",
) -> Action:
    """Returns an action that turns something on or off."""
    return Action(
        id, text, section, shortcut, lambda: set_on(not is_on()), tip, enabled, is_on, icon=icon
    )


Value = TypeVar("Value")


@dataclass(frozen=True)
class ActionChoice(Generic[Value]):
    """A choice of actions, each of which chooses a value: ``chosen`` returns the chosen value, or None."""

    name: str
    section: Section
    chosen: Callable[[], Value | None]
    choose: Callable[[Value], object]
    enabled: Callable[[], bool] | None = None

    def action(
        self, value: Value, id: str, text: str, shortcut: str, tip: str = "", icon: str = ""
    ) -> Action:
        """Returns the action that chooses a value."""
        return Action(
            id,
            text,
            self.section,
            shortcut,
            lambda: self.choose(value),
            tip,
            self.enabled,
            lambda: self.chosen() == value,
            self.name,
            icon,
        )


class ActionSet:
    """The `QAction` objects of a window, by id, in its menu bar; `refresh` updates their state.

    ``declared`` has the actions in any order of sections; within a section they keep their order.
    """

    def __init__(self, window: QMainWindow, declared: Iterable[Action]) -> None:
        order = {section: index for index, section in enumerate(Section)}
        self.declared = sorted(declared, key=lambda spec: order[spec.section])
        self._window = window
        self._actions: dict[str, QAction] = {}
        self._choices: dict[str, QActionGroup] = {}
        self.menus: dict[str, QMenu] = {
            name: window.menuBar().addMenu(f"&{name}") for name in MENUS
        }
        for section, specs in groupby(self.declared, lambda spec: spec.section):
            menu = self.menus[section.menu]
            if not menu.isEmpty():
                menu.addSeparator()
            for spec in specs:
                action = self._actions[spec.id] = self._make(spec)
                menu.addAction(action)
                window.addAction(action)  # so that its shortcuts work while the menu bar is hidden

    def __getitem__(self, action_id: str) -> QAction:
        return self._actions[action_id]

    def __contains__(self, action_id: str) -> bool:
        return action_id in self._actions

    def choice_of(self, action_id: str) -> str:
        """Returns the name of the choice that an action belongs to, or ""."""
        return next(spec.choice for spec in self.declared if spec.id == action_id)

    def refresh(self) -> None:
        """Updates which actions are enabled, and which are checked."""
        for spec in self.declared:
            action = self._actions[spec.id]
            if spec.enabled is not None:
                action.setEnabled(spec.enabled())
            if spec.checked is not None:
                action.setChecked(spec.checked())

    def _make(self, spec: Action) -> QAction:
        action = QAction(spec.text, self._window)
        if spec.icon:
            action.setIcon(icon(spec.icon))
        action.setObjectName(spec.id)
        action.setShortcuts([QKeySequence(keys) for keys in (spec.shortcut, spec.also) if keys])
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        action.setToolTip(f"{spec.tip or spec.plain_text} ({keys})")
        action.setStatusTip(spec.tip)
        action.setCheckable(spec.checked is not None)
        if spec.choice:
            group = self._choices.setdefault(spec.choice, QActionGroup(self._window))
            group.addAction(action)
        action.triggered.connect(lambda _on: spec.run())
        return action

    def shortcuts(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Returns the shortcuts of all actions, menu by menu."""
        native = QKeySequence.SequenceFormat.NativeText
        return [
            (
                menu,
                [
                    (spec.plain_text.removesuffix(" …"), self[spec.id].shortcut().toString(native))
                    for spec in self.declared
                    if spec.section.menu == menu
                ],
            )
            for menu in MENUS
        ]
