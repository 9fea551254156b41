"""Changes of the library that can be undone: add, remove, move, turn on and off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from tokenarium.models.tokenizers.library import REGISTERED, LibraryItem, LibraryModel
from tokenarium.session.catalogue import file_item, registered_item, trained_item
from tokenarium.session.undo_stack import Change, UndoStack

if TYPE_CHECKING:
    from tokenarium.models.training.store import Trained


class LibraryEdits(QObject):
    """The user's changes to the library, on the undo stack, which also has the replaced texts."""

    changed = Signal()  # which tokenizers exist, which are on, or their order
    wanted = Signal(object)  # the item of a tokenizer that was turned on
    dropped = Signal(object)  # the item of one that was turned off

    def __init__(self, library: LibraryModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.library = library
        self.undo_stack = UndoStack(self)
        self._new: list[LibraryItem] = []  # added files that were not opened yet
        library.check_requested.connect(self.turn_on)
        library.move_requested.connect(self.move)

    def add_file(self, path: Path, pattern: str = "") -> LibraryItem:
        """Adds a tokenizer file, if it is new, and turns it on.

        ``pattern`` is the pre-token pattern of a file that names none.
        """
        path = path.absolute()  # it is opened again later, perhaps from another working directory
        key = f"file:{path}"
        known = self.library.item(key)
        if known is not None:
            self.turn_on(key, True)
            return known
        return self._add_new(replace(file_item(str(path), pattern), on=True))

    def add_registered(self, reference: str) -> LibraryItem:
        """Adds a registered tokenizer by ``name@version``, if it is new, and turns it on."""
        key = f"{REGISTERED}{reference}"
        known = self.library.item(key)
        if known is not None:
            self.turn_on(key, True)
            return known
        return self._add_new(replace(registered_item(reference), on=True))

    def settle(self, item: LibraryItem, opened: bool) -> None:
        """Notes that opening an item has ended; a file that was just added and is rejected does not stay.

        Its changes are removed from the undo stack too. A registered tokenizer stays, as its files can be restored.
        """
        added = any(one is item for one in self._new)
        self._new = [one for one in self._new if one is not item]
        registered = item.key.startswith(REGISTERED) and item.source != item.name
        if not added or opened or registered:
            return
        if self.library.item(item.key) is item:  # otherwise its addition was undone
            self._take_out(item)
        self.undo_stack.withdraw_about(item)

    def add_trained(self, trained: Trained, path: Path) -> LibraryItem:
        """Adds a kept tokenizer that was trained here, if it is new, and turns it on."""
        key = trained_key(trained.identity)
        known = self.library.item(key)
        if known is not None:
            self.rename(key, trained.name)
            self.turn_on(key, True)
            return known
        item = replace(trained_item(trained, path), on=True)
        self._add(item)
        return item

    def rename(self, key: str, name: str) -> None:
        """Renames an item as part of a larger change."""
        item = self.library.item(key)
        if item is not None and self.library.rename(item, name):
            self.changed.emit()

    def _add_new(self, item: LibraryItem) -> LibraryItem:
        """Adds an item that is not open yet, and stays only if it can be opened."""
        self._new.append(item)
        self._add(item)
        return item

    def _add(self, item: LibraryItem) -> None:
        row = len(self.library.group(item.group))
        self.change(
            f"Add {item.display_name}",
            lambda: self._insert(item, row),
            lambda: self._take_out(item),
            item,
        )

    def remove(self, key: str) -> None:
        """Removes a tokenizer file from the library; the file stays."""
        item = self.library.item(key)
        if item is None or not item.group.can_be_removed:
            return
        row = self.library.position(item)
        self.change(
            f"Remove {item.display_name}",
            lambda: self._take_out(item),
            lambda: self._insert(item, row),
            item,
        )

    def remove_with(
        self, key: str, text: str, do: Callable[[], object], undo: Callable[[], object]
    ) -> None:
        """Makes a change that can be undone, and also removes an item if the library contains it.

        Undo puts the same item back, so that earlier changes of it can be undone too.
        """
        item = self.library.item(key)
        row = self.library.position(item) if item is not None else 0

        def take_out() -> None:
            do()
            if item is not None:
                self._take_out(item)

        def put_back() -> None:
            undo()
            if item is not None:
                self._insert(item, row)

        self.change(text, take_out, put_back, item)

    def move(self, key: str, row: int) -> None:
        """Moves a tokenizer to another row of its group."""
        item = self.library.item(key)
        if item is None:
            return
        old = self.library.position(item)
        row = max(0, min(row, self.library.neighbours(item) - 1))
        if row != old:
            self.change(
                f"Move {item.display_name}",
                lambda: self._move(item, row),
                lambda: self._move(item, old),
                item,
            )

    def turn_on(self, key: str, on: bool) -> None:
        """Turns a tokenizer on or off."""
        item = self.library.item(key)
        if item is None or item.on == on:
            return
        verb = "on" if on else "off"
        self.change(
            f"Turn {verb} {item.display_name}",
            lambda: self._set_on(item, on),
            lambda: self._set_on(item, not on),
            item,
        )

    def change(
        self,
        text: str,
        do: Callable[[], object],
        undo: Callable[[], object],
        about: object = None,
    ) -> None:
        """Makes a change that can be undone; ``about`` is the item that it changes."""
        self.undo_stack.make(text, Change(do, undo, about))

    def _insert(self, item: LibraryItem, row: int) -> None:
        self.library.insert(item, row)
        self._set_on(item, item.on)

    def _take_out(self, item: LibraryItem) -> None:
        self.dropped.emit(item)
        self.library.remove(item)
        self.changed.emit()

    def _move(self, item: LibraryItem, row: int) -> None:
        self.library.move(item, row)
        self.changed.emit()

    def _set_on(self, item: LibraryItem, on: bool) -> None:
        self.library.set_on(item, on)
        (self.wanted if on else self.dropped).emit(item)
        self.changed.emit()


def trained_key(identity: str) -> str:
    """Returns the library's key of a kept tokenizer."""
    return f"trained:{identity}"
