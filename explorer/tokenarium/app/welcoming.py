"""The welcome page: when it is shown, and where its cards lead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from tokenarium.app.panes import Panes
from tokenarium.menus.actions import Action, ActionSet, Section
from tokenarium.session import settings
from tokenarium.session.fetching import Fetcher
from tokenarium.session.requests import ShowPage
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.style.appearance import Appearance
from tokenarium.views.kept import Kept, text_of
from tokenarium.views.workspace import soon

if TYPE_CHECKING:
    from tokenarium.app.lessons import Lessons
    from tokenarium.views.welcome import WelcomePage

FIRST_TEXT = "A model doesn’t read words. It reads tokens: नमस्ते 👋🏽"
"""The initial text of the welcome page."""

MERGED = "unbelievable"
"""The word whose merges the welcome page plays."""

PLACES = {"compare": ShowPage("compare", "overview"), "train": ShowPage("train")}
"""Where cards lead that need no text."""

QUESTIONS = (
    "What is a token?",
    "Why can't it spell?",
    "Why can't a model add numbers?",
    "Why do some languages cost more?",
    "What is a glitch token?",
)
"""Questions on the page that lessons answer."""

PLAY_MS = 500
"""Milliseconds after which its merges are played: long enough to see where they begin."""


class Welcoming(QObject):
    """Covers the window with the page."""

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        store: Settings,
        panes: Panes,
        fetcher: Fetcher,
        actions: Callable[[], ActionSet],
        take_files: Callable[[Sequence[Path]], object],
        lessons: Lessons,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._appearance = appearance
        self._store = store
        self._panes = panes
        self._fetcher = fetcher
        self._actions = actions
        self._take_files = take_files
        self._lessons = lessons
        self._play_soon = soon(self, self._play, PLAY_MS)
        self.page: WelcomePage | None = None
        self._waiting = ""  # what was typed on the page in the last run, until there is a page

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("welcome", "&Welcome", Section.HELP, "Ctrl+D, 0", self.show_page, "Shows ways to start, and the usual tokenizers to download", icon="hand-waving"),
        ]
        # fmt: on

    def keeps(self) -> tuple[Kept, ...]:
        """Returns what was typed on the page, for the next run."""
        return (
            Kept("welcome", lambda: self._typed or None, lambda text: self._type(text_of(text))),
        )

    @property
    def _typed(self) -> str:
        return self._waiting if self.page is None else self.page.text

    def _type(self, text: str) -> None:
        if self.page is None:
            self._waiting = text
        elif text:
            self.page.write(text)

    def show_page(self) -> None:
        """Shows the welcome page, made now if necessary."""
        if self.page is None:
            from tokenarium.views.welcome import WelcomePage

            actions = self._actions()
            self.page = WelcomePage(
                self._session,
                self._appearance,
                self._fetcher.fetch,
                actions["open_tokenizer"],
                actions["shortcuts"],
                FIRST_TEXT,
                QUESTIONS,
            )
            self.page.guide.start_wanted.connect(self._start_lesson)
            self.page.guide.asked.connect(self._answer)
            self.page.left.connect(self._go)
            self.page.files_dropped.connect(self._take_files)
            if self._waiting:
                self.page.write(self._waiting)
        self._panes.cover(self.page)
        self.page.focus_first()

    def leave(self) -> None:
        """Shows the workspaces again, also at the next start."""
        if self._panes.covered:
            self._store.set(settings.WELCOMED, True)
            self._panes.cover(None)

    def _start_lesson(self) -> None:
        self._take_text()
        self._lessons.open(next(iter(self._lessons.all)))

    def _answer(self, question: str) -> None:
        self._take_text()
        self._lessons.open_question(question)

    def _take_text(self) -> str:
        """Makes what was typed on the page the text of the window, and returns it."""
        typed = self.page.text if self.page is not None else ""
        if typed:
            self._session.set_text(typed)
        self.leave()
        return typed

    def _go(self, where: str) -> None:
        """Goes to the target of a card, with the text that was typed on the page."""
        session = self._session
        typed = self._take_text()
        if where == "text" and not typed:
            session.set_text(FIRST_TEXT)
        if where == "merge":
            word = typed or MERGED
            session.set_text(word)
            first = next(iter(word.split(maxsplit=1)), "")
            session.select(0, len(first.encode("utf-8", "surrogatepass")))
            session.requests.ask(ShowPage("merges", "steps"))
            self._play_soon.start()
        else:
            session.requests.ask(PLACES.get(where, ShowPage("tokens")))

    def _play(self) -> None:
        actions = self._actions()
        actions.refresh()
        actions["play"].trigger()
