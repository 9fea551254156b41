"""Changes of the library that can be undone: tokenizers are added, removed, moved, turned on and off."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from tokenarium.models.tokenizers.library import LibraryGroup, LibraryItem, LibraryModel
from tokenarium.models.tokenizers.tokenizer_names import name_of


class LibraryEdits(QObject):
    """What a person does to the library, with the stack that undoes it."""

    changed = Signal()  # which tokenizers there are and are on, their order
    wanted = Signal(object)  # the entry of a tokenizer that is to cut the text
    dropped = Signal(object)  # the entry of one that is to do so no longer

    def __init__(self, library: LibraryModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.library = library
        self.undo_stack = QUndoStack(self)
        library.check_requested.connect(self.turn_on)
        library.move_requested.connect(self.move)

    def add_file(self, path: Path, pattern: str = "") -> LibraryItem:
        """Adds a tokenizer file and turns it on; a file that is there already is turned on.

        ``pattern`` is the pre-token pattern of a file that does not say its own.
        """
        path = path.absolute()  # it is opened again later, perhaps from another folder
        key = f"file:{path}"
        known = self.library.entry(key)
        if known is not None:
            self.turn_on(key, True)
            return known
        entry = LibraryItem(
            key, LibraryGroup.FILES, name_of(path), str(path), self.library.free_colour(), pattern
        )
        entry.on = True
        self._add(entry)
        return entry

    def add_trained(self, identity: str, name: str, path: Path) -> LibraryItem:
        """Adds a kept tokenizer that was trained here and turns it on; one that is there already is turned on."""
        key = trained_key(identity)
        known = self.library.entry(key)
        if known is not None:
            self.rename(key, name)
            self.turn_on(key, True)
            return known
        entry = LibraryItem(key, LibraryGroup.TRAINED, name, str(path), self.library.free_colour())
        entry.on = True
        self._add(entry)
        return entry

    def rename(self, key: str, name: str) -> None:
        """Calls an entry otherwise, as a part of a larger change."""
        entry = self.library.entry(key)
        name = self.library.distinct_name(entry, name) if entry is not None else name
        if entry is not None and entry.name != name:
            entry.name = name
            if entry.tokenizer is not None:
                entry.tokenizer.name = name
            self.library.refresh(entry)
            self.changed.emit()

    def _add(self, entry: LibraryItem) -> None:
        row = len(self.library.group(entry.group))
        self.change(
            f"Add {entry.name}", lambda: self._insert(entry, row), lambda: self._take_out(entry)
        )

    def remove(self, key: str) -> None:
        """Takes a tokenizer file out of the library; the file stays."""
        entry = self.library.entry(key)
        if entry is None or not entry.group.can_be_removed:
            return
        row = self.library.position(entry)
        self.change(
            f"Remove {entry.name}", lambda: self._take_out(entry), lambda: self._insert(entry, row)
        )

    def remove_with(
        self, key: str, text: str, do: Callable[[], object], undo: Callable[[], object]
    ) -> None:
        """Does something that can be undone, and takes an entry out with it where the library holds it.

        The same entry comes back: what was done to it before can be undone from there on.
        """
        entry = self.library.entry(key)
        row = self.library.position(entry) if entry is not None else 0

        def take_out() -> None:
            do()
            if entry is not None:
                self._take_out(entry)

        def put_back() -> None:
            undo()
            if entry is not None:
                self._insert(entry, row)

        self.change(text, take_out, put_back)

    def move(self, key: str, row: int) -> None:
        """Moves a tokenizer to another row of its group."""
        entry = self.library.entry(key)
        if entry is None:
            return
        old = self.library.position(entry)
        row = max(0, min(row, len(self.library.group(entry.group)) - 1))
        if row != old:
            self.change(
                f"Move {entry.name}", lambda: self._move(entry, row), lambda: self._move(entry, old)
            )

    def turn_on(self, key: str, on: bool) -> None:
        """Turns a tokenizer on or off."""
        entry = self.library.entry(key)
        if entry is None or entry.on == on:
            return
        verb = "on" if on else "off"
        self.change(
            f"Turn {verb} {entry.name}",
            lambda: self._set_on(entry, on),
            lambda: self._set_on(entry, not on),
        )

    def change(self, text: str, do: Callable[[], None], undo: Callable[[], None]) -> None:
        """Does something that can be undone."""
        self.undo_stack.push(_Change(text, do, undo))

    def _insert(self, entry: LibraryItem, row: int) -> None:
        self.library.insert(entry, row)
        self._set_on(entry, entry.on)

    def _take_out(self, entry: LibraryItem) -> None:
        self.dropped.emit(entry)
        self.library.remove(entry)
        self.changed.emit()

    def _move(self, entry: LibraryItem, row: int) -> None:
        self.library.move(entry, row)
        self.changed.emit()

    def _set_on(self, entry: LibraryItem, on: bool) -> None:
        entry.on = on
        if on:
            entry.colour = self.library.colour_beside_others(entry)
        (self.wanted if on else self.dropped).emit(entry)
        self.library.refresh(entry)
        self.changed.emit()


class _Change(QUndoCommand):
    """One change of the library that can be undone."""

    def __init__(self, text: str, do: Callable[[], None], undo: Callable[[], None]) -> None:
        super().__init__(text)
        self._do, self._undo = do, undo

    def redo(self) -> None:
        self._do()

    def undo(self) -> None:
        self._undo()


def trained_key(identity: str) -> str:
    """Returns the key in the library of a kept tokenizer."""
    return f"trained:{identity}"
