"""The commands that choose which tokenizers are compared: only some, those that are chosen, and saved sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from tokenarium.menus.actions import Action, Section
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.session import Session
from tokenarium.session.tokenizer_sets import is_here
from tokenarium.widgets.library.library_panel import LibraryPanel

if TYPE_CHECKING:
    from tokenarium.widgets.library.sets_dialog import SetsDialog


class SetCommands:
    """Chooses tokenizers by Ctrl+click, and opens the dialog of the sets."""

    def __init__(self, session: Session, panel: LibraryPanel, window: QWidget) -> None:
        self._session = session
        self._sets = session.sets
        self._panel = panel
        self._window = window
        self.dialog: SetsDialog | None = None
        panel.choice_toggled.connect(self._sets.toggle)
        panel.choice_ended.connect(lambda: self._sets.choose(()))
        self._sets.changed.connect(self._follow)
        session.tokenizers_changed.connect(self._show_sets)

    def declared(self) -> list[Action]:
        """Returns the actions."""
        sets = self._sets
        # fmt: off
        return [
            Action("only_this", "Onl&y this one", Section.LIBRARY, "Ctrl+R, 7", self.show_only_this, "Hides all other tokenizers of the comparison; “Show the others again” or Undo brings them back", self._can_show_only, icon="eye"),
            Action("only_chosen", "On&ly the chosen ones", Section.LIBRARY, "Ctrl+R, 8", lambda: sets.show_only(sets.chosen), "Hides the tokenizers that are not chosen; Ctrl+click chooses them", lambda: bool(sets.chosen), icon="check-circle"),
            Action("show_others", "Show the others agai&n", Section.LIBRARY, "Ctrl+R, 9", sets.show_again, "Brings back the tokenizers that were hidden last", lambda: sets.can_show_again, icon="arrow-counter-clockwise"),
            Action("choose_tokenizer", "Choo&se for a set", Section.LIBRARY, "Ctrl+R, F6", self._toggle_current, "Adds the tokenizer that is selected in the library to the choice, as Ctrl+click does, or removes it", lambda: self._current is not None, lambda: self._current is not None and self._current.key in sets.chosen, icon="plus"),
            Action("tokenizer_sets", "Sets of tokeni&zers …", Section.LIBRARY, "Ctrl+D, F6", self.open_sets, "Saves the tokenizers that are on, or chosen, under a name, and shows, renames and deletes such sets", icon="bookmarks"),
        ]
        # fmt: on

    @property
    def _current(self) -> LibraryItem | None:
        return self._panel.current

    def _can_show_only(self) -> bool:
        item = self._current
        if item is None or not is_here(item):
            return False
        return not item.on or any(one.on for one in self._session.library if one is not item)

    def show_only_this(self) -> None:
        """Shows only the tokenizer that is selected in the library."""
        if self._current is not None:
            self._sets.show_only([self._current.key])

    def _toggle_current(self) -> None:
        if self._current is not None:
            self._sets.toggle(self._current.key)

    def show_menu(self, key: str, point: QPoint) -> None:
        """Opens the menu of a tokenizer at a point of the screen: that of its row in the library."""
        item = self._session.library.item(key)
        if item is not None:
            self._panel.open_menu(item, point)

    def _follow(self) -> None:
        self._panel.show_choice(self._sets.chosen)
        self._session.requests.refresh_menus()
        self._show_sets()

    # The dialog.

    def open_sets(self) -> None:
        """Shows the dialog of the sets."""
        if self.dialog is None:
            from tokenarium.widgets.library.sets_dialog import SetsDialog

            sets = self._sets
            self.dialog = SetsDialog(
                sets.save, self.show_set, sets.rename, sets.delete, self._window
            )
        self.dialog.resize(self.dialog.size().boundedTo(self._window.size()))
        self.dialog.show()
        self._show_sets()
        self.dialog.raise_()
        self.dialog.activateWindow()
        self.dialog.name.setFocus()

    def show_set(self, name: str) -> None:
        """Shows only the tokenizers of a set, and says which are not on this computer."""
        said = self._sets.show_set(name)
        if said:
            self._session.problem.emit(said)

    def _show_sets(self) -> None:
        if self.dialog is None or not self.dialog.isVisible():
            return
        library = self._session.library

        def names(keys: tuple[str, ...]) -> list[str]:
            items = ((key, library.item(key)) for key in keys)
            return [
                key.partition(":")[2] if item is None else item.display_name for key, item in items
            ]

        sets = {name: names(tuple(keys)) for name, keys in self._sets.sets.items()}
        self.dialog.show_sets(sets, names(self._sets.members), bool(self._sets.chosen))
