"""What the menu Help shows: help for the visible page, the keys of all actions, and the versions."""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import qVersion
from PySide6.QtWidgets import QMessageBox, QWidget

from tokenarium.menus.actions import Action, ActionSet, Section
from tokenarium.views.workspace import PagedWorkspace, Workspace
from tokenarium_core import COMPILED, __version__

if TYPE_CHECKING:
    from tokenarium.widgets.help_dialog import HelpDialog
    from tokenarium.widgets.shortcut_dialog import ShortcutDialog

MENU_OF = {"merges": "Play", "scripts": "Scripts", "compare": "Compare", "train": "Train"}
"""The menus that belong to a workspace."""


class HelpCommands:
    """Opens the dialogs, which stay open next to the window."""

    def __init__(
        self, workspace: Callable[[], Workspace], actions: Callable[[], ActionSet], window: QWidget
    ) -> None:
        self._workspace = workspace
        self._actions = actions
        self._window = window
        self.dialog: HelpDialog | None = None
        self.shortcut_dialog: ShortcutDialog | None = None

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("help", "&Help for this page", Section.HELP, "F1", self.show_help, "What the page shows, what you can do there, its keys and its terms", icon="question"),
            Action("shortcuts", "&Keyboard shortcuts …", Section.HELP, "Ctrl+/", self.show_shortcuts, "Lists the keys of every action", icon="keyboard"),
            Action("about", "&About Tokenarium", Section.ABOUT, "Shift+F1", lambda: QMessageBox.about(self._window, "About Tokenarium", about_text()), icon="info"),
        ]
        # fmt: on

    def show_help(self) -> None:
        """Shows the help for the visible page."""
        from tokenarium.resources.help_pages import help_for
        from tokenarium.widgets.help_dialog import HelpDialog

        if self.dialog is None:
            self.dialog = HelpDialog(self._window)
            self.dialog.shortcuts.clicked.connect(self.show_shortcuts)
        space = self._workspace()
        page = space.page.id if isinstance(space, PagedWorkspace) else ""
        menu = MENU_OF.get(space.name.id, "")
        keys = [
            (keys, what)
            for name, rows in self._actions().shortcuts()
            if name == menu
            for what, keys in rows
        ]
        self.dialog.show_page(help_for(space.name.id, page).id, keys)
        self.dialog.resize(self.dialog.size().boundedTo(self._window.size()))
        self.dialog.show()
        self.dialog.raise_()

    def show_shortcuts(self) -> None:
        """Shows the shortcuts of all actions."""
        from tokenarium.widgets.shortcut_dialog import ShortcutDialog

        if self.shortcut_dialog is None:
            self.shortcut_dialog = ShortcutDialog(self._actions().shortcuts(), self._window)
        self.shortcut_dialog.show()
        self.shortcut_dialog.raise_()


def about_text() -> str:
    """Returns the About text as rich text, with the versions that a bug report should name."""
    core = "compiled" if COMPILED else "interpreted"
    return (
        f"<b>Tokenarium {__version__}</b>"
        "<p>Shows how a text becomes tokens, stage by stage.</p>"
        f"<p>Core {core} · Python {platform.python_version()} · Qt {qVersion()}<br>Free software, MIT licence</p>"
    )
