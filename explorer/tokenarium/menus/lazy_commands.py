"""Dialogs whose code is loaded on first use, so that the app starts faster."""

# The lambda of an action gets its group only when it is called:
# ruff: noqa: PLW0108

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from PySide6.QtWidgets import QWidget

from tokenarium.menus.actions import Action, ActionSet, Section
from tokenarium.menus.display_commands import DisplayCommands
from tokenarium.menus.library_commands import LibraryCommands
from tokenarium.session.fetching import Fetcher
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.style.appearance import Appearance
from tokenarium.views.kept import Kept

if TYPE_CHECKING:
    from tokenarium.menus.chatting import ChattingCommands
    from tokenarium.menus.checking import CheckingCommands, ExportingCommands
    from tokenarium.menus.encoding import EncodingCommands
    from tokenarium.menus.finding import FindingCommands
    from tokenarium.menus.pricing import PricingCommands
    from tokenarium.menus.registering import RegisteringCommands
    from tokenarium.menus.settings_commands import SettingsCommands, TextKeeping
    from tokenarium.menus.sharing import SharingCommands


class DialogCommands(Protocol):
    """What each group of dialogs provides."""

    @property
    def busy(self) -> bool:
        """Whether work is running for it."""

    def stop(self) -> None:
        """Stops running work, such as when the window closes."""


Group = TypeVar("Group", bound=DialogCommands)


class LazyCommands:
    """The dialogs that find, describe, check and export tokenizers, and show a chat; each made on first use."""

    def __init__(
        self,
        session: Session,
        store: Settings,
        fetcher: Fetcher,
        library: LibraryCommands,
        appearance: Appearance,
        display: DisplayCommands,
        actions: Callable[[], ActionSet],
        texts: TextKeeping,
        window: QWidget,
    ) -> None:
        """``actions`` returns the actions of the window; ``texts`` keeps the texts as the settings say."""
        self._texts = texts
        self._display = display
        self._actions = actions
        self._session = session
        self._store = store
        self._fetcher = fetcher
        self._library = library
        self._appearance = appearance
        self._window = window
        self._made: list[DialogCommands] = []
        self._chat: object = None  # of the last run, until the dialog is made

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("find_tokenizers", "&Find tokenizers …", Section.OPEN, "Ctrl+Shift+F", lambda: self.finding.find_tokenizers(), "Finds tokenizers on this computer, and downloads them from the catalogue and Hugging Face", icon="magnifying-glass"),
            Action("save_tokenizer", "&Save tokenizer as …", Section.OPEN, "Ctrl+Shift+S", lambda: self.exporting.save_tokenizer(), "Writes the current tokenizer in a format of Hugging Face, tiktoken, SentencePiece or Tokenarium, and checks the result", self._has_tokenizer, icon="floppy-disk"),
            Action("about_tokenizer", "&About this tokenizer …", Section.TOKENIZER, "Ctrl+Shift+D", lambda: self.checking.about_tokenizer(), "Shows the current tokenizer's stages and entries, and what its file stores", self._has_tokenizer, icon="info"),
            Action("check_reference", "&Check against the reference library", Section.TOKENIZER, "Ctrl+Shift+K", lambda: self.checking.check_reference(), "Encodes the text with the library that owns the format, and compares the ids", self._has_tokenizer, icon="check-circle"),
            Action("check_reference_on_file", "Check a f&ile against the reference library …", Section.TOKENIZER, "Ctrl+R, K", lambda: self.checking.check_reference_on_file(), "Encodes a text file with the library that owns the format, and compares the ids", self._has_tokenizer, icon="file-search"),
            Action("register_tokenizer", "Register this to&kenizer …", Section.TOKENIZER, "Ctrl+R, F7", lambda: self.registering.register_tokenizer(), "Gives the current tokenizer a name and a version, by which it opens only while its files are unchanged", self._has_file, icon="tag"),
            Action("share_card", "S&hare …", Section.EXPORT, "Ctrl+Shift+C", lambda: self.sharing.share_card(), "Makes a picture of a text and its tokens, to post or to paste", self._has_tokenizer, icon="share-network"),
            Action("encode_corpus", "&Encode a corpus …", Section.TRAINING, "Ctrl+Shift+G, I", lambda: self.encoding.encode_corpus(), "Writes the ids of files and folders to shards, for training a model", self._has_tokenizer, icon="hard-drives"),
            Action("chat", "C&hat …", Section.TOKENIZER, "Ctrl+Shift+H", lambda: self.chatting.chat(), "Formats messages with a chat template, and shows their tokens by role", self._has_tokenizer, icon="chats"),
            Action("prices", "Prices of mo&dels …", Section.SETTINGS, "Ctrl+R, 6", lambda: self.pricing.edit_prices(), "Enters what a million tokens of a model cost, to see what the text costs", icon="currency-circle-dollar"),
            Action("settings", "Settin&gs …", Section.SETTINGS, "Ctrl+,", lambda: self.settings.open_settings(), "Colours, sizes, motion, the network, folders, and what tokens cost", icon="gear-six"),
        ]
        # fmt: on

    def keeps(self) -> tuple[Kept, ...]:
        """Returns the messages and the templates of the chat, for the next run."""
        return (Kept("chat", self._read_chat, self._take_chat),)

    def _read_chat(self) -> Any:
        group = vars(self).get("chatting")
        return self._chat if group is None else group.state()

    def _take_chat(self, state: object) -> None:
        self._chat = state
        group = vars(self).get("chatting")
        if group is not None:
            group.take_state(state)

    def _has_tokenizer(self) -> bool:
        return self._session.current is not None

    def _has_file(self) -> bool:
        current = self._session.current
        return bool(current and current.tokenizer and current.tokenizer.source.files)

    def _keep(self, group: Group) -> Group:
        """Returns the group, which is from now on stopped with the others."""
        self._made.append(group)
        return group

    @cached_property
    def finding(self) -> FindingCommands:
        """The dialog that finds tokenizers."""
        from tokenarium.menus.finding import FindingCommands

        open_path = self._library.add_path
        return self._keep(
            FindingCommands(self._session, self._store, self._fetcher, open_path, self._window)
        )

    @cached_property
    def pricing(self) -> PricingCommands:
        """The dialog with the prices of models."""
        from tokenarium.menus.pricing import PricingCommands

        return self._keep(PricingCommands(self._session, self._window))

    @cached_property
    def checking(self) -> CheckingCommands:
        """The dialogs that describe a tokenizer and check it."""
        from tokenarium.menus.checking import CheckingCommands

        return self._keep(CheckingCommands(self._session, self._window))

    @cached_property
    def registering(self) -> RegisteringCommands:
        """The dialog that registers a tokenizer."""
        from tokenarium.menus.registering import RegisteringCommands

        return self._keep(RegisteringCommands(self._session, self._store, self._window))

    @cached_property
    def exporting(self) -> ExportingCommands:
        """The dialog that writes a tokenizer in other formats."""
        from tokenarium.menus.checking import ExportingCommands

        return self._keep(ExportingCommands(self._session, self._window))

    @cached_property
    def chatting(self) -> ChattingCommands:
        """The dialog that shows a chat as tokens."""
        from tokenarium.menus.chatting import ChattingCommands

        group = ChattingCommands(self._session, self._store, self._window)
        group.take_state(self._chat)
        return self._keep(group)

    @cached_property
    def encoding(self) -> EncodingCommands:
        """The dialog that writes a corpus as ids."""
        from tokenarium.menus.encoding import EncodingCommands

        return self._keep(EncodingCommands(self._session, self._window))

    @cached_property
    def sharing(self) -> SharingCommands:
        """The dialog that makes a picture to share."""
        from tokenarium.menus.sharing import SharingCommands

        return self._keep(SharingCommands(self._session, self._appearance, self._window))

    @cached_property
    def settings(self) -> SettingsCommands:
        """The dialog of the settings."""
        from tokenarium.menus.settings_commands import SettingsCommands

        return self._keep(
            SettingsCommands(
                self._session,
                self._store,
                self._appearance,
                self._display,
                self._actions,
                self._window,
                self._texts,
            )
        )

    def stop(self) -> None:
        """Stops running work, such as when the window closes."""
        for group in self._made:
            group.stop()

    @property
    def busy(self) -> bool:
        """Whether a dialog is searching, checking or writing."""
        return any(group.busy for group in self._made)
