"""The dialogs that ask for files and folders: each kind opens in its last folder, also after a restart.

All file dialogs of the program are opened here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QFileDialog, QWidget

MOST = 100
"""The most kinds that are kept; there are fewer."""


class Folders:
    """The last folder of each kind of dialog. ``kept`` is called with all of them when one has changed."""

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}
        self.kept: Callable[[list[str]], object] = lambda rows: None

    def restore(self, rows: Sequence[str]) -> None:
        """Restores the rows that `kept` was called with, instead of the present ones; invalid rows are ignored."""
        named = (row.partition("\t") for row in rows[:MOST])
        self._folders = {kind: folder for kind, _, folder in named if kind and folder}

    def at(self, kind: str, name: str = "") -> str:
        """Returns where a dialog opens: the folder of its kind, if it still exists, with a suggested name."""
        folder = self._folders.get(kind, "")
        if not folder or not os.path.isdir(folder):
            return name
        return os.path.join(folder, name) if name else folder

    def leave(self, kind: str, folder: str) -> None:
        """Keeps the last folder of a dialog; it is empty if the dialog was cancelled."""
        if folder and self._folders.get(kind) != folder:
            self._folders[kind] = folder
            self.kept([f"{kind}\t{one}" for kind, one in self._folders.items()])


folders = Folders()
"""The folders of this program, which its window keeps with the settings."""


def ask_file(kind: str, parent: QWidget | None, title: str, kinds: str = "") -> str:
    """Asks for one file to open; returns its path, or "" if that is cancelled."""
    name, _ = QFileDialog.getOpenFileName(parent, title, folders.at(kind), kinds)
    folders.leave(kind, os.path.dirname(name))
    return name


def ask_files(kind: str, parent: QWidget | None, title: str, kinds: str = "") -> list[str]:
    """Asks for files to open; returns their paths, none if that is cancelled."""
    names, _ = QFileDialog.getOpenFileNames(parent, title, folders.at(kind), kinds)
    folders.leave(kind, os.path.dirname(names[0]) if names else "")
    return list(names)


def ask_folder(kind: str, parent: QWidget | None, title: str) -> str:
    """Asks for a folder; returns its path, or "" if that is cancelled."""
    name = QFileDialog.getExistingDirectory(parent, title, folders.at(kind))
    folders.leave(kind, name)
    return name


def ask_new_file(
    kind: str,
    parent: QWidget | None,
    title: str,
    name: str,
    kinds: str,
    options: QFileDialog.Option | None = None,
) -> tuple[str, str]:
    """Asks for the name of a file to write, with a suggested one; returns its path and the kind of file."""
    place = folders.at(kind, name)
    if options is None:
        path, chosen = QFileDialog.getSaveFileName(parent, title, place, kinds)
    else:
        path, chosen = QFileDialog.getSaveFileName(parent, title, place, kinds, options=options)
    folders.leave(kind, os.path.dirname(path))
    return path, chosen
