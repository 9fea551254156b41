"""Saves what the window shows as a web page: asks for its name, and lets another process write it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec
from PySide6.QtWidgets import QWidget

from tokenarium.app.file_writing import FileWriting
from tokenarium.app.scenes import SceneStage
from tokenarium.menus.actions import Action, Section
from tokenarium.models.files import chosen_path
from tokenarium.models.scene_texts import write_session
from tokenarium.session.session import Session
from tokenarium.widgets.file_dialogs import ask_new_file
from tokenarium.work.child_process import program
from tokenarium_core import TokenariumError

COMMAND = ("render",)
"""The command of the program that writes one."""

WHY = "why"
"""What is open above the page and can be a web page too."""

PATIENCE_MS = 1_000
"""Milliseconds after which its progress is shown."""


class WebPageCommands(FileWriting):
    """Asks for the file, and writes the current view to it; one at a time."""

    noun = "web page"

    def __init__(self, window: QWidget, session: Session, stage: SceneStage) -> None:
        super().__init__(window, session)
        self._stage = stage

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("save_web_page", "Save as web page (HT&ML) …", Section.EXPORT, "Ctrl+R, F10", self.ask, "Writes what the page shows to one HTML file, which needs no network and no other program than a browser", lambda: self.process is None, icon="browser"),
        ]
        # fmt: on

    def ask(self) -> None:
        """Asks for the file; says so at once if the page cannot be a web page."""
        from tokenarium.web.scene_pages import page_name, refusal

        scene = msgspec.structs.replace(self._stage.make(), above=self._stage.opened(WHY))
        reason = refusal(scene)
        if reason:
            self._session.problem.emit(reason)
            return
        name, _ = ask_new_file(
            "web pages",
            self._window,
            "Save as web page",
            f"{page_name(scene).lower().replace(' ', '-').strip('?')}.html",
            "Web page (*.html)",
        )
        if name:
            self.write(chosen_path(name, ".html", ".htm"))

    def write(self, path: Path) -> None:
        """Writes the current view in another process, with its progress, and a button that ends it."""
        folder = tempfile.TemporaryDirectory(prefix="tokenarium-")
        session = Path(folder.name) / "page.tokenarium"
        try:
            write_session(self._stage.make(portable=True), session)
        except TokenariumError as error:
            folder.cleanup()
            self._session.problem.emit(f"The web page was not written. {error}")
            return
        command = [*program(), *COMMAND, str(session), "--out", str(path)]
        self.run(command, path, folder.cleanup, PATIENCE_MS)
