"""Answers what the parts of a window ask for, each request in one place."""

from __future__ import annotations

from typing import Protocol, assert_never

from PySide6.QtCore import QObject

from tokenarium.app.lessons import Lessons
from tokenarium.app.pages_ahead import PagesAhead
from tokenarium.app.panes import Panes
from tokenarium.app.spaces import Spaces
from tokenarium.menus.command_palette import PaletteCommands
from tokenarium.menus.library_commands import LibraryCommands
from tokenarium.menus.merge_commands import MergeCommands
from tokenarium.menus.token_commands import TokenCommands
from tokenarium.menus.vocabulary_commands import VocabularyCommands
from tokenarium.session.requests import (
    EditText,
    ExplainBytes,
    ListQuestions,
    MakePages,
    PlayBytes,
    RefreshMenus,
    Request,
    Requests,
    ShowEntries,
    ShowEntry,
    ShowPage,
    ShowTokenizerMenu,
    ShowTokenMenu,
    TakeCut,
    TellSaved,
    Trouble,
)
from tokenarium.widgets.message_bar import MessageBar


class Answering(Protocol):
    """The parts of a window that answer requests."""

    lessons: Lessons
    library_commands: LibraryCommands
    merge_commands: MergeCommands
    messages: MessageBar
    pages_ahead: PagesAhead
    palette_commands: PaletteCommands
    panes: Panes
    spaces: Spaces
    token_commands: TokenCommands
    vocabulary_commands: VocabularyCommands

    def refresh_soon(self) -> None:
        """Has the menus follow soon."""


class RequestAnswers(QObject):
    """What a window does for each request; ``window`` owns it."""

    def __init__(self, requests: Requests, parts: Answering, window: QObject) -> None:
        super().__init__(window)
        self._parts = parts
        requests.asked.connect(self.answer)

    def answer(self, request: Request) -> None:
        """Does what is asked for."""
        parts = self._parts
        match request:
            case ShowEntry(token, key):
                parts.vocabulary_commands.show_entry(token, key)
                parts.token_commands.close_card()
            case ShowEntries(query):
                parts.vocabulary_commands.show_entries(query)
                parts.token_commands.close_card()
            case PlayBytes():
                parts.merge_commands.play(request)
                parts.token_commands.close_card()
            case ShowTokenMenu(place, point):
                parts.token_commands.show_menu(place, point)
            case ShowTokenizerMenu(key, point):
                parts.library_commands.sets.show_menu(key, point)
            case ExplainBytes(start, end, key):
                parts.token_commands.explain(start, end, key)
            case TakeCut(byte):
                parts.lessons.asking.take_cut(byte)
            case ShowPage(workspace, page):
                parts.spaces.show_place(workspace, page)
            case MakePages(places):
                parts.pages_ahead.make(*places)
            case EditText():
                parts.panes.replace_text()
            case ListQuestions():
                parts.palette_commands.choose_question()
            case TellSaved(path):
                parts.messages.tell(f"Saved {path.name} in {path.parent}")
            case Trouble(sentence, details, run):
                again = ("Try again", run)
                other = ("Open a file …", parts.library_commands.open_tokenizer)
                parts.messages.trouble(sentence, details, again, other)
            case RefreshMenus():
                parts.refresh_soon()
            case _:
                assert_never(request)
