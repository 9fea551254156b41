"""Finds tokenizers on this computer, and gets them from the catalogue and from Hugging Face."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from tokenarium.models.tokenizers.hub import fetch, repository_of
from tokenarium.models.tokenizers.library import REGISTERED, LibraryItem, State
from tokenarium.models.tokenizers.local_tokenizers import (
    FOLDERS,
    PLACES,
    Found,
    LocalTokenizer,
    Looked,
)
from tokenarium.models.training.tokenizer_registry import RegisteredTokenizer, registered_here
from tokenarium.resources.catalogue_index import load_repositories
from tokenarium.session import settings
from tokenarium.session.catalogue import published_files
from tokenarium.session.fetching import NOT_ALLOWED, Fetcher
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.views.workspace import soon
from tokenarium.widgets.file_dialogs import ask_folder
from tokenarium.widgets.library.find_dialog import FindDialog, FoundRow
from tokenarium.work.disk_search import DiskSearch
from tokenarium.work.running import Processes
from tokenarium_core.formats.opening import tokenizers_in

CATALOGUE, HUGGING_FACE = "Catalogue", "Hugging Face"
REGISTRY = "Registered"
NONE_REGISTERED = "None yet. “Register this tokenizer …” gives a tokenizer a name and a version, and pins its files."
STOPPED = "Stopped. What was downloaded is kept; the next download continues from there."
SHOW_MS = 100
"""Milliseconds between two updates of the list while searching."""


class FindingCommands:
    """The commands of the dialog "Find tokenizers". ``open_path`` adds a file to the library."""

    def __init__(
        self,
        session: Session,
        store: Settings,
        fetcher: Fetcher,
        open_path: Callable[[Path], None],
        window: QWidget,
    ) -> None:
        self._session = session
        self._store = store
        self._fetcher = fetcher
        self._open_path = open_path
        self._window = window
        self._tokenizers: list[LocalTokenizer] = []
        self._registered: list[RegisteredTokenizer] = []
        self._looked: list[Looked] = []
        self._getting = ""
        self._status = ""
        self._wrong = False  # whether the status is a failure
        self.find_dialog: FindDialog | None = None
        self.search = DiskSearch(session)
        self.search.found.connect(self._take)
        self.search.finished.connect(self._show_soon)
        self.running = Processes(session)
        self._soon = soon(session, self._show, SHOW_MS)

    def find_tokenizers(self) -> None:
        """Opens the dialog; the first time, searches this computer."""
        if self.find_dialog is None:
            dialog = self.find_dialog = FindDialog(self._window)
            dialog.picked.connect(self._pick)
            dialog.searched.connect(lambda _: self._show_soon())
            dialog.folder_requested.connect(self.add_folder)
            dialog.look_requested.connect(self._look_again)
            dialog.stop_requested.connect(self.stop_getting)
            self._session.library.dataChanged.connect(self._show_soon)
            self._session.library.rowsInserted.connect(self._show_soon)
            self._session.library.rowsRemoved.connect(self._show_soon)
            self.look()
        self._registered = registered_here()
        self._show()
        self.find_dialog.open_over(self._window)

    def look_in(self, folder: Path) -> None:
        """Opens the dialog with the tokenizers below a folder, which is searched from now on."""
        self.find_tokenizers()
        folder = folder.absolute()
        if folder not in self.folders:
            self.set_folders([*self.folders, folder])
        assert self.find_dialog is not None
        self.find_dialog.search.setText(_short(folder))

    @property
    def folders(self) -> list[Path]:
        """The folders that the user added."""
        return [Path(folder) for folder in self._store.get(settings.LOOK_IN)]

    def look(self) -> None:
        """Searches this computer again."""
        self._tokenizers.clear()
        self._looked.clear()
        self.search.start(self.folders)
        self._show_soon()

    def _look_again(self) -> None:
        self._status = ""
        self.look()

    def add_folder(self) -> None:
        """Asks for another folder to search."""
        name = ask_folder("search", self.find_dialog, "Look through a folder")
        if name:
            self.set_folders([*self.folders, Path(name)])

    def set_folders(self, folders: list[Path]) -> None:
        """Changes which other folders are searched."""
        self._store.set(settings.LOOK_IN, list(dict.fromkeys(map(str, folders))))
        self.look()

    def get_repository(self, name: str) -> None:
        """Downloads the tokenizer of a Hugging Face repository in a separate process, and opens it."""
        if self.running.busy:
            return
        if not self._session.downloads_allowed:
            self._say(NOT_ALLOWED, wrong=True)
            return

        def finished(folder: Path) -> None:
            self._getting = ""
            tokenizers = tokenizers_in(folder, sorted(os.listdir(folder)))
            if not tokenizers:
                self._say(f"{name} has no tokenizer in a known format.", wrong=True)
                return
            self._say(f"{name} is here.")
            self._open_path(tokenizers[0].source)
            self.look()

        def failed(sentence: str) -> None:
            self._getting = ""
            self._say(sentence, wrong=sentence != STOPPED)

        self._getting = name
        self._say(f"Getting {name} …")
        self.running.process(
            fetch,
            name,
            take=finished,
            fail=failed,
            say=lambda progress: self._say(f"{progress.phase} …"),
            stopped=STOPPED,
        )

    @property
    def busy(self) -> bool:
        """Whether this computer is being searched."""
        return self.search.running

    def stop_getting(self) -> None:
        """Stops the download of a repository."""
        self.running.stop(stopped=True)

    def stop(self) -> None:
        """Stops searching and downloading, such as when the window closes."""
        self.search.cancel()
        self.stop_getting()

    def _take(self, found: Found) -> None:
        if isinstance(found, LocalTokenizer):
            self._tokenizers.append(found)
        else:
            self._looked.append(found)
        self._show_soon()

    # The rows.

    def _show_soon(self, *_: object) -> None:
        if self.find_dialog is not None and not self._soon.isActive():
            self._soon.start()

    def _show(self) -> None:
        dialog = self.find_dialog
        if dialog is None:
            return
        wrong = self._wrong and bool(self._status)
        dialog.say(self._status or self._count(), can_stop=bool(self._getting), wrong=wrong)
        rows = self._registered_rows() + self._local_rows()
        rows += self._catalogue_rows() + self._repository_rows()
        notes = {place: self._note(place) for place in PLACES}
        dialog.set_rows(rows, {REGISTRY: NONE_REGISTERED, **notes, CATALOGUE: "", HUGGING_FACE: ""})

    def _say(self, status: str, wrong: bool = False) -> None:
        """Shows a status under the list, instead of the count."""
        self._status, self._wrong = status, wrong
        self._show()

    def _count(self) -> str:
        count = len(self._tokenizers)
        sentence = f"{count:,} tokenizer{'' if count == 1 else 's'} found on this computer"
        return (
            f"Looking … {sentence}" if self.search.running else f"{sentence}. This uses no network."
        )

    def _note(self, place: str) -> str:
        """Returns the note of an empty section: what was searched."""
        files = [file for file in self._looked if file.place == place]
        if not files:
            if place == FOLDERS:
                return "None yet. Add a folder that has tokenizers."
            return "Looking …"
        parts = [f"{_short(file.path)}{f' ({file.note})' if file.note else ''}" for file in files]
        return f"No tokenizer in {', '.join(parts)}"

    def _registered_rows(self) -> list[FoundRow]:
        rows = []
        for entry in self._registered:
            size = sum(file.size for file in entry.files)
            item = self._session.library.item(f"{REGISTERED}{entry.reference}")
            cells = (entry.author, entry.format, _megabytes(size), entry.made_from, _action(item))
            key = f"registered:{entry.reference}"
            rows.append(FoundRow(REGISTRY, entry.reference, *cells, key))
        return rows

    def _local_rows(self) -> list[FoundRow]:
        rows = []
        for tokenizer in self._tokenizers:
            item = self._session.library.item(_key(tokenizer.source))
            rows.append(
                FoundRow(
                    tokenizer.place,
                    tokenizer.name,
                    tokenizer.family,
                    tokenizer.format,
                    _megabytes(tokenizer.size),
                    _short(tokenizer.path.parent),
                    _action(item),
                    f"local:{tokenizer.source}",
                )
            )
        for folder in self.folders:
            looked = [file for file in self._looked if file.path == folder]
            notes = [file.note for file in looked if file.note]
            if looked and not any(folder in local.path.parents for local in self._tokenizers):
                notes.append("no tokenizer in it")
            rows.append(
                FoundRow(
                    FOLDERS,
                    folder.name,
                    "",
                    "folder",
                    "",
                    " · ".join([_short(folder), *notes]),
                    "Remove",
                    f"folder:{folder}",
                )
            )
        return rows

    def _catalogue_rows(self) -> list[FoundRow]:
        rows = []
        for item in self._session.library:
            files = published_files(item)
            if files:
                size = sum(file.size for file, _ in files)
                format = "tiktoken" if item.key.startswith("named:") else "SentencePiece"
                group = item.group.value
                cells = (item.display_name, item.models, format, _megabytes(size), group)
                rows.append(FoundRow(CATALOGUE, *cells, _action(item), f"entry:{item.key}"))
        return rows

    def _repository_rows(self) -> list[FoundRow]:
        requested = (
            repository_of(self.find_dialog.search.text()) if self.find_dialog is not None else ""
        )
        known = {repository.name: repository for repository in load_repositories()}
        rows = []
        if requested and requested not in known:
            rows.append(self._repository_row(requested, "", "huggingface.co"))
        for name, repository in known.items():
            host = "huggingface.co, gated" if repository.gated else "huggingface.co"
            rows.append(self._repository_row(name, repository.models, host))
        return rows

    def _repository_row(self, name: str, models: str, where: str) -> FoundRow:
        action = "Getting …" if name == self._getting else "Get it"
        return FoundRow(
            HUGGING_FACE, name, models, "repository", "", where, action, f"repository:{name}"
        )

    def _pick(self, key: str) -> None:
        kind, _, what = key.partition(":")
        self._status = "" if not self._getting else self._status
        if kind == "local":
            self._open(what)
        elif kind == "registered":
            self._open_registered(what)
        elif kind == "folder":
            self.set_folders([folder for folder in self.folders if str(folder) != what])
        elif kind == "repository":
            self.get_repository(what)
        else:
            item = self._session.library.item(what)
            if item is not None and item.state in (State.MISSING, State.FAILED):
                self._fetcher.fetch(what)
            elif item is not None and item.state is not State.FETCHING:
                self._session.edits.turn_on(what, True)

    def _open_registered(self, reference: str) -> None:
        item = self._session.library.item(f"{REGISTERED}{reference}")
        if item is not None and item.state is State.FAILED:
            self._session.retry(item.key)
        else:
            self._session.problem.emit("")
            self._session.edits.add_registered(reference)

    def _open(self, source: str) -> None:
        item = self._session.library.item(_key(source))
        if item is None:
            self._open_path(Path(source))
        elif item.state in (State.MISSING, State.FAILED):
            self._session.retry(item.key)
        else:
            self._session.edits.turn_on(item.key, True)


def _key(source: str) -> str:
    """Returns the library's key of a tokenizer on this computer, if the library contains it."""
    return f"file:{source}" if Path(source).is_absolute() else f"named:{source}"


def _action(item: LibraryItem | None) -> str:
    if item is None:
        return "Open"
    if item.state is State.FETCHING:
        return "Downloading …"
    if item.state is State.MISSING:
        return "Get it"
    if item.state is State.FAILED:
        return "Try again"
    return "In use" if item.on else "Turn on"


def _megabytes(size: int) -> str:
    if not size:
        return ""
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{max(size / 1e3, 0.1):.1f} KB"


def _short(path: Path) -> str:
    try:
        return f"~/{path.relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(path)
