"""Commands whose code is loaded when they are first asked for: the start of the app does without it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from tokenarium.menus.library_commands import LibraryCommands
from tokenarium.session.fetching import Fetcher
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.style.appearance import Appearance

if TYPE_CHECKING:
    from tokenarium.menus.animation_commands import AnimationCommands
    from tokenarium.menus.chatting import ChattingCommands
    from tokenarium.menus.checking import CheckingCommands
    from tokenarium.menus.exporting import ExportingCommands
    from tokenarium.menus.finding import FindingCommands
    from tokenarium.views.merge_page import MergePage


class LateCommands:
    """Handlers of actions that find tokenizers, tell about one, check it, and show a chat."""

    def __init__(
        self,
        session: Session,
        store: Settings,
        fetcher: Fetcher,
        library: LibraryCommands,
        appearance: Appearance,
        window: QWidget,
        page: Callable[[], MergePage | None],
    ) -> None:
        self._session = session
        self._store = store
        self._fetcher = fetcher
        self._library = library
        self._appearance = appearance
        self._window = window
        self._page = page

    @cached_property
    def finding(self) -> FindingCommands:
        """What finds tokenizers."""
        from tokenarium.menus.finding import FindingCommands

        open_path = self._library.add_path
        return FindingCommands(
            self._session, self._store, self._fetcher, open_path, self._appearance, self._window
        )

    @cached_property
    def checking(self) -> CheckingCommands:
        """What tells about a tokenizer, and checks it."""
        from tokenarium.menus.checking import CheckingCommands

        return CheckingCommands(self._session, self._window)

    @cached_property
    def exporting(self) -> ExportingCommands:
        """What writes a tokenizer in other formats."""
        from tokenarium.menus.exporting import ExportingCommands

        return ExportingCommands(self._session, self._appearance, self._window)

    @cached_property
    def chatting(self) -> ChattingCommands:
        """What shows a chat as tokens."""
        from tokenarium.menus.chatting import ChattingCommands

        return ChattingCommands(self._session, self._store, self._appearance, self._window)

    @cached_property
    def filming(self) -> AnimationCommands:
        """What writes steps as pictures and animations."""
        from tokenarium.menus.animation_commands import AnimationCommands

        return AnimationCommands(self._session, self._appearance, self._page, self._window)

    def export_steps(self) -> None:
        """Asks what to export of the player in sight."""
        self.filming.export_steps()

    def has_animation(self) -> bool:
        """Whether there is a player in sight whose steps can be exported."""
        page = self._page()
        return page is not None and page.has_animation

    def find_tokenizers(self) -> None:
        """Opens the dialog that lists tokenizers."""
        self.finding.find_tokenizers()

    def about_tokenizer(self) -> None:
        """Tells all about the current tokenizer."""
        self.checking.about_tokenizer()

    def check_reference(self) -> None:
        """Checks the current tokenizer on the text of the window."""
        self.checking.check_reference()

    def check_reference_on_file(self) -> None:
        """Asks for a text file and checks the current tokenizer on it."""
        self.checking.check_reference_on_file()

    def save_tokenizer(self) -> None:
        """Opens the dialog with the formats that the current tokenizer can be written in."""
        self.exporting.save_tokenizer()

    def chat(self) -> None:
        """Opens the dialog on which a chat is written."""
        self.chatting.chat()

    def stop(self) -> None:
        """Stops what runs, as when the window closes."""
        if "finding" in self.__dict__:
            self.finding.stop_all()
        if "checking" in self.__dict__:
            self.checking.stop()
        if "exporting" in self.__dict__:
            self.exporting.stop()
        if "chatting" in self.__dict__:
            self.chatting.stop()
        if "filming" in self.__dict__:
            self.filming.stop()

    @property
    def busy(self) -> bool:
        """Whether something is being looked for, checked or written."""
        if "chatting" in self.__dict__ and self.chatting.busy:
            return True
        if "exporting" in self.__dict__ and self.exporting.worker is not None:
            return True
        looking = "finding" in self.__dict__ and self.finding.search.running
        return looking or ("checking" in self.__dict__ and self.checking.worker is not None)
