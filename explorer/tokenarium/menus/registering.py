"""Registers the current tokenizer by a name and a version, by which it then opens."""

from __future__ import annotations

import re

from PySide6.QtWidgets import QWidget

from tokenarium.models.tokenizers.library import REGISTERED, LibraryItem
from tokenarium.models.training.tokenizer_registry import (
    REFERENCE,
    RegisteredTokenizer,
    register_source,
    registered_here,
)
from tokenarium.session import settings
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.widgets.library.register_dialog import RegisterDialog
from tokenarium.work.worker import Worker


class RegisteringCommands:
    """The dialog "Register this tokenizer"; hashing and copying the files is done in a process of its own."""

    def __init__(self, session: Session, store: Settings, window: QWidget) -> None:
        self._session = session
        self._store = store
        self._window = window
        self._item: LibraryItem | None = None
        self.worker: Worker | None = None
        self.dialog: RegisterDialog | None = None

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
        """Registers the tokenizer of the dialog, which then says what came of it."""
        item, dialog = self._item, self.dialog
        if item is None or dialog is None:
            return
        reference = f"{name}@{version}"
        if REFERENCE.fullmatch(reference) is None:
            dialog.say(
                "A name and a version have letters, digits, dots, dashes and underscores only.",
                True,
            )
            return
        self.stop()
        self._store.set(settings.AUTHOR, author.strip())
        worker = self.worker = Worker(
            register_source, reference, item.source, item.pattern, author, note,
            parent=self._session,
        )  # fmt: skip

        def ended() -> None:
            self.worker = None
            worker.deleteLater()

        def finished(entry: RegisteredTokenizer) -> None:
            ended()
            dialog.say(
                f"{entry.reference} is registered, with SHA-256 {entry.sha256}. It opens by this name in “Find"
                f" tokenizers”, and as: tokenarium {entry.reference}"
            )

        def failed(sentence: str) -> None:
            ended()
            dialog.say(sentence, True)

        worker.finished.connect(finished)
        worker.failed.connect(failed)
        worker.cancelled.connect(lambda: failed("Stopped; nothing was registered."))
        dialog.show_running()
        worker.start()

    @property
    def busy(self) -> bool:
        """Whether a tokenizer is being registered."""
        return self.worker is not None

    def stop(self) -> None:
        """Cancels a running registration."""
        if self.worker is not None:
            self.worker.cancel()


def proposed_name(item: LibraryItem) -> str:
    """Returns a name to begin with: that of the registered tokenizer, else one made of the item's."""
    if item.key.startswith(REGISTERED):
        return item.key.removeprefix(REGISTERED).partition("@")[0]
    return re.sub(r"[^\w.+-]+", "-", item.name).strip("-.+").lower() or "tokenizer"


def next_version(name: str, entries: list[RegisteredTokenizer]) -> str:
    """Returns the version after the highest whole number that a name has."""
    numbers = [int(one.version) for one in entries if one.name == name and one.version.isdecimal()]
    return str(max(numbers, default=0) + 1)
