"""What the menus do with the library: open, get, turn on, move, remove."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from tokenarium.models.tokenizers.library import LibraryItem, State
from tokenarium.session.catalogue import needs_pattern
from tokenarium.session.fetching import Fetcher
from tokenarium.session.session import Session
from tokenarium.widgets.library.library_panel import LibraryPanel
from tokenarium.widgets.library.pattern_dialog import PatternDialog
from tokenarium_core.formats.registry import FORMATS


def file_filters() -> str:
    """Returns the kinds of files that the dialog offers: all together, then a format each, then any file."""
    kinds = [(format.title, format.suffixes) for format in FORMATS.values()]
    every = dict.fromkeys(suffix for _, suffixes in kinds for suffix in suffixes)
    rows = [("Tokenizers", tuple(every)), *kinds]
    filters = [f"{title} (*{' *'.join(suffixes)})" for title, suffixes in rows]
    return ";;".join([*filters, "All files (*)"])


class LibraryCommands:
    """Handlers of actions around the library; those about one tokenizer mean the selected row."""

    def __init__(
        self, session: Session, panel: LibraryPanel, fetcher: Fetcher, window: QWidget
    ) -> None:
        self._session = session
        self._panel = panel
        self._fetcher = fetcher
        self._window = window

    def open_tokenizer(self) -> None:
        """Asks for a tokenizer file and adds it."""
        name, _ = QFileDialog.getOpenFileName(self._window, "Open a tokenizer", "", file_filters())
        if name:
            self._session.problem.emit("")
            self.add_path(Path(name))

    def add_path(self, path: Path) -> None:
        """Adds a tokenizer file; asks for the pattern of one that has none."""
        try:
            ask = needs_pattern(path)
        except OSError as error:
            self._session.problem.emit(f"{path} cannot be read: {error.strerror}.")
            return
        pattern = PatternDialog.ask(self._window, path.name) if ask else ""
        if pattern is not None:
            self._session.edits.add_file(path, pattern)

    def toggle_tokenizer(self) -> None:
        """Turns the selected tokenizer on or off."""
        entry = self._panel.current
        if entry is not None:
            self._session.edits.turn_on(entry.key, not entry.on)

    def get_tokenizer(self) -> None:
        """Fetches the selected tokenizer."""
        entry = self._panel.current
        if entry is not None:
            self._fetcher.fetch(entry.key)

    def move_up(self) -> None:
        """Moves the selected tokenizer one row up."""
        self._move(-1)

    def move_down(self) -> None:
        """Moves the selected tokenizer one row down."""
        self._move(1)

    def remove_tokenizer(self) -> None:
        """Takes the selected tokenizer file out of the library."""
        entry = self._panel.current
        if entry is not None:
            self._session.edits.remove(entry.key)

    def undo_library(self) -> None:
        """Undoes the last change of the library."""
        self._session.edits.undo_stack.undo()

    def redo_library(self) -> None:
        """Does again what was undone."""
        self._session.edits.undo_stack.redo()

    def recognise_special(self, recognise: bool) -> None:
        """Makes special tokens in the text their one id, or cuts them like any other text."""
        self._session.set_special("all" if recognise else "none")

    # What can be done now.

    def library_has_selection(self) -> bool:
        """Whether the selected row is a tokenizer that can be turned on and moved."""
        entry = self._panel.current
        return entry is not None and entry.state not in (State.MISSING, State.FETCHING)

    def selection_can_be_fetched(self) -> bool:
        """Whether the selected tokenizer is not on this computer."""
        entry = self._panel.current
        return entry is not None and entry.state in (State.MISSING, State.FAILED)

    def selection_is_a_file(self) -> bool:
        """Whether the selected tokenizer was put into the library by a person."""
        entry = self._panel.current
        return entry is not None and entry.group.can_be_removed

    def has_tokenizer(self) -> bool:
        """Whether a tokenizer is on."""
        return self._session.current is not None

    def can_undo_library(self) -> bool:
        """Whether the library was changed."""
        return self._session.edits.undo_stack.canUndo()

    def can_redo_library(self) -> bool:
        """Whether a change of the library was undone."""
        return self._session.edits.undo_stack.canRedo()

    def special_is_recognised(self) -> bool:
        """Whether special tokens in the text are recognised."""
        return self._session.special == "all"

    def _move(self, step: int) -> None:
        entry: LibraryItem | None = self._panel.current
        if entry is not None:
            self._session.edits.move(entry.key, self._session.library.position(entry) + step)
            self._panel.set_current(entry)
