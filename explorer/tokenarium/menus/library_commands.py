"""The commands for the library: open, get, turn on, move, remove."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QWidget

from tokenarium.menus.actions import Action, Section, switch
from tokenarium.menus.set_commands import SetCommands
from tokenarium.models.tokenizers.library import LibraryItem, State, can_be_put_back
from tokenarium.session.catalogue import needs_pattern
from tokenarium.session.fetching import Fetcher
from tokenarium.session.session import Session
from tokenarium.session.tokenizer_sets import is_here
from tokenarium.views.kept import Kept, kept_scroll, text_of
from tokenarium.widgets.file_dialogs import ask_file
from tokenarium.widgets.library.library_panel import LibraryPanel
from tokenarium.widgets.library.pattern_dialog import PatternDialog
from tokenarium_core.formats.registry import FORMATS

ARCHIVES = (".zip", ".task", ".tar", ".tar.gz", ".tgz")
"""The usual endings of archives, which are recognized by their content."""


def known_suffixes() -> list[str]:
    """Returns the suffixes of tokenizer files for a file dialog, each once."""
    return list(dict.fromkeys(f"*{end}" for one in FORMATS.values() for end in one.suffixes))


def file_filters() -> str:
    """Returns the file filters of the dialog: all formats together, each format, any file."""
    kinds = [(format.title, format.suffixes) for format in FORMATS.values()]
    kinds.append(("Archive with a tokenizer", ARCHIVES))
    every = dict.fromkeys(suffix for _, suffixes in kinds for suffix in suffixes)
    rows = [("Tokenizers", tuple(every)), *kinds]
    filters = [f"{title} (*{' *'.join(suffixes)})" for title, suffixes in rows]
    return ";;".join([*filters, "All files (*)"])


class LibraryCommands:
    """Changes the library; commands for one tokenizer apply to the selected row."""

    def __init__(
        self, session: Session, panel: LibraryPanel, fetcher: Fetcher, window: QWidget
    ) -> None:
        self._session = session
        self._panel = panel
        self._fetcher = fetcher
        self._window = window
        self.sets = SetCommands(session, panel, window)

    def keeps(self) -> tuple[Kept, ...]:
        """Returns the row that is selected in the library, and where it is scrolled, for scenes."""
        bar = self._panel.tree.verticalScrollBar()
        return Kept("library_row", self._row, self._select), kept_scroll("library_top", bar)

    def _row(self) -> str | None:
        item = self._panel.current
        return item.key if item is not None else None

    def _select(self, key: object) -> None:
        item = self._session.library.item(text_of(key))
        if item is not None:
            with QSignalBlocker(self._panel):  # the tokenizer in front stays
                self._panel.set_current(item)

    def declared(self) -> list[Action]:
        """Returns the actions."""
        session, edits = self._session, self._session.edits
        # fmt: off
        return [
            Action("open_tokenizer", "Open &tokenizer …", Section.OPEN, "Ctrl+Shift+O", self.open_tokenizer, "Adds a tokenizer file: " + ", ".join(known_suffixes()), icon="file-plus"),
            Action("toggle_tokenizer", "Turn &on or off", Section.LIBRARY, "Ctrl+Return", self._on_selected(lambda item: edits.turn_on(item.key, not item.on)), "Turns the tokenizer that is selected in the library on or off", self._selected(is_here), icon="power"),
            *self.sets.declared(),
            Action("get_tokenizer", "&Get it", Section.LIBRARY, "Ctrl+G", self._on_selected(lambda item: self._fetcher.fetch(item.key)), "Downloads the selected tokenizer's files", self._selected(_can_be_fetched), icon="download-simple"),
            Action("move_up", "Move &up", Section.LIBRARY, "Alt+Up", self._on_selected(lambda item: self._move(item, -1)), enabled=self._selected(is_here), icon="arrow-up"),
            Action("move_down", "Move &down", Section.LIBRARY, "Alt+Down", self._on_selected(lambda item: self._move(item, 1)), enabled=self._selected(is_here), icon="arrow-down"),
            Action("put_back_tokenizer", "Put the registered &files back", Section.LIBRARY, "Ctrl+Shift+G, B", self._on_selected(lambda item: self._panel.put_back_requested.emit(item.key)), "Restores the files of a registered tokenizer that were changed or are missing from the copies that were kept", self._selected(can_be_put_back), icon="arrow-counter-clockwise"),
            Action("remove_tokenizer", "&Remove from the library", Section.LIBRARY, "Ctrl+Del", self._on_selected(lambda item: edits.remove(item.key)), "Removes a tokenizer file from the library; the file stays", self._selected(lambda item: item.group.can_be_removed), icon="minus-circle"),
            switch("add_bos", "Add &BOS", Section.SPECIAL, "Ctrl+Shift+B, B", lambda: session.add_bos, lambda on: session.set_ends(on, session.add_eos), "Puts the beginning-of-text id before the text, if the tokenizer has one: <s>, <bos>, [CLS]", icon="text-align-left"),
            switch("add_eos", "Add &EOS", Section.SPECIAL, "Ctrl+Shift+B, E", lambda: session.add_eos, lambda on: session.set_ends(session.add_bos, on), "Puts the end-of-text id after the text, if the tokenizer has one: </s>, <eos>, [SEP]", icon="text-align-right"),
            switch("recognise_special", "Recognize special &tokens", Section.SPECIAL, "Ctrl+D, R", lambda: session.special == "all", lambda on: session.set_special("all" if on else "none"), "On: <|endoftext|> in the text becomes its single id. Off: it is split like any other text", icon="brackets-angle"),
        ]
        # fmt: on

    def open_tokenizer(self) -> None:
        """Asks for a tokenizer file and adds it."""
        name = ask_file("tokenizers", self._window, "Open a tokenizer", file_filters())
        if name:
            self._session.problem.emit("")
            self.add_path(Path(name))

    def add_path(self, path: Path) -> None:
        """Adds a tokenizer file, asking for a missing pattern, or a registered tokenizer by ``name@version``."""
        if is_reference(path):
            self._panel.scroll_to(self._session.edits.add_registered(path.name))
            return
        try:
            ask = needs_pattern(path)
        except OSError as error:
            self._session.problem.emit(f"{path} cannot be read: {error.strerror}.")
            return
        pattern = PatternDialog.ask(self._window, path.name) if ask else ""
        if pattern is not None:
            self._panel.scroll_to(self._session.edits.add_file(path, pattern))

    # The selected row.

    def _on_selected(self, do: Callable[[LibraryItem], object]) -> Callable[[], None]:
        """Returns a function that calls ``do`` with the selected tokenizer, if there is one."""

        def run() -> None:
            if self._panel.current is not None:
                do(self._panel.current)

        return run

    def _selected(self, holds: Callable[[LibraryItem], bool]) -> Callable[[], bool]:
        """Returns a function that returns whether something holds for the selected tokenizer."""
        return lambda: self._panel.current is not None and holds(self._panel.current)

    def _move(self, item: LibraryItem, step: int) -> None:
        self._session.edits.move(item.key, self._session.library.position(item) + step)
        self._panel.set_current(item)


def is_reference(path: Path) -> bool:
    """Whether a path is not a file, but the ``name@version`` of a registered tokenizer."""
    return "@" in path.name and str(path) == path.name and not os.path.exists(path)


def _can_be_fetched(item: LibraryItem) -> bool:
    """Whether a tokenizer is not on this computer."""
    return item.state in (State.MISSING, State.FAILED)
