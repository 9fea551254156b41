"""The switch that adds an app installed with pip to the applications menu of a Linux desktop."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

from PySide6.QtCore import QObject, Signal

from tokenarium.menus.actions import Action, Section, switch
from tokenarium.pictures import desktop_entry
from tokenarium_core import TokenariumError


class MenuEntry(QObject):
    """Adds and removes the entry in a thread: updating the desktop may take seconds."""

    done = Signal(str, str)
    """A sentence about what was done, or what went wrong."""

    def __init__(
        self, tell: Callable[[str], object], problem: Callable[[str], object], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._thread: Thread | None = None
        self.done.connect(lambda said, wrong: problem(wrong) if wrong else tell(said))

    def declared(self) -> list[Action]:
        """Returns the action; none if a system package has made an entry, or if there is no such menu."""
        if not desktop_entry.is_possible() or desktop_entry.is_in_system():
            return []
        # fmt: off
        return [
            switch("applications_menu", "Show in the applications &menu", Section.SETTINGS, "Ctrl+Shift+B, M", desktop_entry.is_installed, self.set_shown, "Adds Tokenarium to the desktop's menu, to open tokenizer files and links; choose it again to remove it", self._is_idle, icon="squares-four"),
        ]
        # fmt: on

    def _is_idle(self) -> bool:
        return self._thread is None or not self._thread.is_alive()

    def set_shown(self, shown: bool) -> None:
        """Adds the entry, or removes it."""
        if self._is_idle():
            self._thread = Thread(target=self._change, args=(shown,), name="menu entry")
            self._thread.start()

    def _change(self, shown: bool) -> None:
        said = wrong = ""
        try:
            if shown:
                desktop_entry.install()
                said = (
                    "Added to the applications menu, and to the programs that open tokenizer files."
                )
            else:
                desktop_entry.remove()
                said = "Removed from the applications menu."
        except (OSError, TokenariumError) as error:
            wrong = f"The applications menu could not be changed: {error}"
        self.done.emit(said, wrong)

    def stop(self) -> None:
        """Waits until the running change is done."""
        if self._thread is not None:
            self._thread.join()
