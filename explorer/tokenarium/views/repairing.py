"""Makes repairs for a page: shows them in a dialog, and makes a tokenizer or a folder of the chosen one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tokenarium.models.mending.mended_folder import (
    MendedFolder,
    MendRequest,
    make_mended,
    write_folder,
)
from tokenarium.models.mending.repair import Repair
from tokenarium.models.tokenizers.library import LibraryItem, name_of_made
from tokenarium.views.workspace import Page
from tokenarium.widgets.file_dialogs import ask_folder
from tokenarium.widgets.repair_dialog import RepairDialog
from tokenarium.work.worker import Work
from tokenarium_core.progress import Progress

if TYPE_CHECKING:
    from tokenarium.models.training.store import Trained

WORK = "repair"
"""The name of the work that looks for repairs, or makes one."""

ENDING = "mended"
STOPPED = "Nothing was made: you stopped it."


class Repairing:
    """The dialog of the repairs of a page, and the work that makes them in another process."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._item: LibraryItem | None = None
        self.dialog: RepairDialog | None = None

    def show(self, item: LibraryItem, title: str, repairs: Sequence[Repair]) -> None:
        """Shows the repairs of a finding about a tokenizer."""
        dialog = self._open(item)
        dialog.show_repairs(title, repairs)
        dialog.show()
        dialog.raise_()

    def look(self, item: LibraryItem, title: str, doing: str, work: Work, *arguments: object) -> None:  # fmt: skip
        """Looks for repairs with a function in another process, and then shows them."""
        self.show(item, title, ())
        self._run(work, arguments, lambda found: self.show(item, title, found), doing)

    def _open(self, item: LibraryItem) -> RepairDialog:
        self.stop()
        if self.dialog is None:
            self.dialog = RepairDialog(self._page.window())
            self.dialog.make_requested.connect(self._make)
            self.dialog.write_requested.connect(self._write)
            self.dialog.stop_requested.connect(lambda: self.stop(True))
        self._item = item
        return self.dialog

    def _request(self, repair: Repair) -> MendRequest | None:
        item = self._item
        if item is None:
            return None
        folder = str(self._page.session.trainings.folder)
        name = name_of_made(item, ENDING)
        return MendRequest(item.source, item.pattern, item.name, (repair,), name, folder)

    def _make(self, repair: Repair) -> None:
        """Makes a tokenizer with a repair, in the library."""
        request = self._request(repair)
        if request is None:
            return
        session = self._page.session

        def take(trained: Trained) -> None:
            made = session.edits.add_trained(trained, session.trainings.store.path(trained))
            session.set_current(made.key)
            if self.dialog is not None:
                self.dialog.say(f"{trained.name} is in the library. Undo takes it out again.")

        self._run(make_mended, (request,), take, "Making the tokenizer")

    def _write(self, repair: Repair) -> None:
        """Asks for a folder, and writes the mended files there."""
        request = self._request(repair)
        folder = ask_folder("mended", self.dialog, "Choose a new or an empty folder")
        if request is None or not folder:
            return

        def take(written: MendedFolder) -> None:
            if self.dialog is not None:
                self.dialog.say(written.sentence)

        self._run(write_folder, (replace(request, folder=folder),), take, "Writing the folder")

    def _run(self, work: Work, arguments: Sequence[object], take: Callable[..., None], doing: str) -> None:  # fmt: skip
        dialog = self.dialog
        if dialog is None:
            return

        def say(progress: Progress) -> None:
            dialog.bar.show_progress(progress)
            dialog.show_running(progress.phase)

        self._page.running.process(
            work,
            *arguments,
            take=take,
            fail=lambda sentence: dialog.say(sentence, True),
            say=say,
            stopped=STOPPED,
            name=WORK,
        )
        dialog.show_running(doing)

    @property
    def busy(self) -> bool:
        """Whether repairs are looked for, or one is being made."""
        return self._page.running.runs(WORK)

    def stop(self, stopped: bool = False) -> None:
        """Ends the running work; ``stopped``: a person wants it."""
        self._page.running.cancel(WORK, stopped)
