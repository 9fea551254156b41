"""Registers the current tokenizer by a name and a version, by which it can then be opened, and restores its files."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtWidgets import QWidget

from tokenarium.models.tokenizers.library import REGISTERED, LibraryItem, State
from tokenarium.models.training.tokenizer_registry import (
    RegisteredTokenizer,
    RestoredFile,
    register_source,
    registered_here,
    restore_registered,
    take_back_registered,
)
from tokenarium.session import settings
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.session.undo_stack import Change
from tokenarium.widgets.library.register_dialog import RegisterDialog
from tokenarium.work.running import Processes
from tokenarium.work.worker import Work
from tokenarium_core.formats.registered import REFERENCE

FILES = "files"
"""The name of the work that restores files, or removes them again."""


class RegisteringCommands:
    """The dialog "Register this tokenizer", and the restoring of files; both hash files in another process."""

    def __init__(self, session: Session, store: Settings, window: QWidget) -> None:
        self._session = session
        self._store = store
        self._window = window
        self._item: LibraryItem | None = None
        self.running = Processes(session)
        self.dialog: RegisterDialog | None = None
        self._due: deque[Callable[[], object]] = (
            deque()
        )  # work that begins when the current one has ended

    def register_tokenizer(self) -> None:
        """Opens the dialog for the current tokenizer, with a name and the next version to begin with."""
        item = self._session.current
        if item is None or item.tokenizer is None:
            return
        self.stop()
        if self.dialog is None:
            self.dialog = RegisterDialog(self._window)
            self.dialog.register_requested.connect(self.register)
        self._item = item
        name = proposed_name(item)
        version = next_version(name, registered_here())
        files = [str(file) for file in item.tokenizer.source.files]
        author = self._store.get(settings.AUTHOR)
        self.dialog.ask(item.display_name, files, name, version, author)
        self.dialog.show()
        self.dialog.raise_()

    def register(self, name: str, version: str, author: str, note: str) -> None:
        """Registers the tokenizer of the dialog, which then shows the result."""
        item, dialog = self._item, self.dialog
        if item is None or dialog is None:
            return
        reference = f"{name}@{version}"
        if REFERENCE.fullmatch(reference) is None:
            dialog.say(
                "A name and a version contain only letters, digits, dots, dashes and underscores.",
                True,
            )
            return
        self.stop()
        self._store.set(settings.AUTHOR, author.strip())

        def finished(entry: RegisteredTokenizer) -> None:
            dialog.say(
                f"{entry.reference} is registered, with SHA-256 {entry.sha256}. It opens by this name in “Find"
                f" tokenizers”, and as: tokenarium {entry.reference}"
            )

        dialog.show_running()
        self.running.process(
            register_source, reference, item.source, item.pattern, author, note,
            take=finished,
            fail=lambda sentence: dialog.say(sentence, True),
            stopped="Stopped; nothing was registered.",
        )  # fmt: skip

    @property
    def busy(self) -> bool:
        """Whether a tokenizer is being registered, or its files are being restored."""
        return self.running.busy

    def stop(self) -> None:
        """Cancels a running registration."""
        self.running.cancel(stopped=True)

    # Restoring files.

    def put_back(self, key: str) -> None:
        """Restores the files of a registered tokenizer from the kept copies, and opens it.

        This can be undone. The replaced files are kept next to them.
        """
        item = self._session.library.item(key)
        if item is None or not key.startswith(REGISTERED) or self.running.runs(FILES):
            return
        reference, library = key.removeprefix(REGISTERED), self._session.library
        stack = self._session.edits.undo_stack
        files: list[RestoredFile] = []

        def restored(found: list[RestoredFile]) -> None:
            files[:] = found
            if library.item(key) is item:
                self._session.retry(key)

        def failed(reason: str) -> None:
            """Forgets the change, as it had no effect."""
            library.set_state(item, State.FAILED, reason)
            self._session.problem.emit(reason)
            stack.withdraw(change)

        def do() -> None:
            library.set_state(item, State.OPENING)
            self._begin(restored, failed, restore_registered, reference)

        def taken_back(_: None) -> None:
            self._session.edits.dropped.emit(item)
            library.set_state(item, State.FAILED, f"The files of {reference} have changed again.")
            self._session.edits.changed.emit()

        def undo() -> None:
            fail = self._session.problem.emit
            self._begin(taken_back, fail, take_back_registered, reference, tuple(files))

        change = Change(do, undo, item)
        stack.make(f"Put back {reference}", change)

    def _begin(
        self,
        take: Callable[[Any], object],
        fail: Callable[[str], object],
        work: Work,
        *arguments: object,
    ) -> None:
        """Runs a function in a process once those before it have ended."""

        def ended(end: Callable[[Any], object], result: object) -> None:
            end(result)
            if self._due and not self.running.runs(FILES):
                self._due.popleft()()

        def start() -> None:
            self.running.process(
                work, *arguments, take=partial(ended, take), fail=partial(ended, fail), name=FILES
            )

        if self.running.runs(FILES):
            self._due.append(start)
        else:
            start()


def proposed_name(item: LibraryItem) -> str:
    """Returns a suggested name: that of the registered tokenizer, or one made from the item's."""
    if item.key.startswith(REGISTERED):
        return item.key.removeprefix(REGISTERED).partition("@")[0]
    return re.sub(r"[^\w.+-]+", "-", item.name).strip("-.+").lower() or "tokenizer"


def next_version(name: str, entries: list[RegisteredTokenizer]) -> str:
    """Returns the version after the highest whole number that a name has."""
    numbers = [
        int(entry.version) for entry in entries if entry.name == name and entry.version.isdecimal()
    ]
    return str(max(numbers, default=0) + 1)
