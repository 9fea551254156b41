"""The workspace Scripts: how each vocabulary was spent, by the script of its entries, on pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

import tokenarium_core as tc
from tokenarium.models.scripts.vocabulary_scripts import VocabularyScripts, query_of
from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance
from tokenarium.style.theme import Theme
from tokenarium.views.script_bars import LengthsPage, SharesPage, TextPage
from tokenarium.views.script_characters import CharactersPage
from tokenarium.views.script_page import CountedVocabulary, ScriptPage
from tokenarium.views.script_treemap import TreemapPage
from tokenarium.views.workspace import NO_TEXT, NO_TEXT_HELP, NO_TOKENIZER, Workspace, has_focus
from tokenarium.views.workspace_names import SCRIPTS
from tokenarium.widgets.areas import PageStack
from tokenarium.widgets.empty_state import EmptyState

PAGES: tuple[type[ScriptPage], ...] = (
    SharesPage,
    TextPage,
    CharactersPage,
    TreemapPage,
    LengthsPage,
)
"""The pages, in the order of their switches; the action that shows one is named ``script_`` and its id."""

REFRESH_MS = 60
"""How soon the charts follow the text and the tokenizers: they are drawn once for several changes."""


class ScriptsView(Workspace):
    """A stack of pages, each made when it is first shown."""

    name = SCRIPTS
    switches = (
        ("script_vocabulary", "Vocabularies"),
        ("script_text", "The text"),
        ("script_characters", "Characters"),
        ("script_treemap", "Treemap"),
        ("script_lengths", "Lengths"),
    )

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        actions: Callable[[str], QAction] | None = None,
    ) -> None:
        super().__init__(session, appearance, actions)
        self._made: dict[str, ScriptPage] = {}
        self._areas: dict[str, QScrollArea] = {}
        self._uses: dict[str, tuple[tc.Tokenizer, VocabularyScripts]] = {}
        self.script = -1  # the class that was picked last
        self.empty = EmptyState()
        self._pages = PageStack()
        self._pages.addWidget(self.empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(REFRESH_MS)
        self._soon.timeout.connect(self.refresh)
        for signal in (session.text_changed, session.tokenizers_changed, session.current_changed):
            signal.connect(self._soon.start)
        session.encoding_changed.connect(lambda _: self._soon.start())
        appearance.changed.connect(self._show_theme)
        self._page = PAGES[0].id
        self.show_page(self._page)

    # The pages.

    @property
    def page(self) -> ScriptPage:
        """The page that is chosen; where it has nothing to show, something else is seen."""
        return self._made[self._page]

    @property
    def shares(self) -> SharesPage | None:
        """The page that is chosen, if it has bars of shares."""
        return self.page if isinstance(self.page, SharesPage) else None

    def show_page(self, page_id: str) -> None:
        """Shows a page, made now if it has not been shown before; StopIteration for an unknown one.

        Where the focus was in the page before it goes into this one.
        """
        follows = has_focus(self._pages)
        kind = next(kind for kind in PAGES if kind.id == page_id)
        if page_id not in self._made:
            self._made[page_id] = kind(self)
            self._areas[page_id] = _scrolling(self._made[page_id])
            self._pages.addWidget(self._areas[page_id])
        self._page = page_id
        self.refresh()
        if self.script >= 0:
            self.page.choose(self.script)
        if follows:
            self.page.focus_first()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Shows the tokenizers and the text as they are now; waits where it is not seen."""
        self._soon.stop()
        if not self.isVisible():
            return
        shown: QWidget = self._areas[self._page]
        if not self.session.chosen():
            self.empty.say(*NO_TOKENIZER, self.help_with(("open_tokenizer", "Open …")))
            shown = self.empty
        elif self.page.needs_text and not self.session.text:
            self.empty.say(*NO_TEXT, self.help_with(*NO_TEXT_HELP))
            shown = self.empty
        else:
            self.page.refresh()
        self._pages.setCurrentWidget(shown)

    def _show_theme(self) -> None:
        for page in self._made.values():
            page.show_theme(self.theme)

    # What the pages ask for.

    @property
    def theme(self) -> Theme:
        """The colours."""
        return self.appearance.theme

    @property
    def counted(self) -> list[CountedVocabulary]:
        """The tokenizers that are on, with the classes of their entries; counted once for each."""
        found, kept = [], {}
        for entry in self.session.chosen():
            tokenizer = cast(tc.Tokenizer, entry.tokenizer)
            known = self._uses.get(entry.key)
            if known is None or known[0] is not tokenizer:
                known = tokenizer, VocabularyScripts(tokenizer.vocabulary)
            kept[entry.key] = known
            found.append(CountedVocabulary(entry, known[1]))
        self._uses = kept
        return found

    def pick(self, script: int) -> None:
        """Chooses a class of entries, here and in the workspace Vocabulary."""
        self.script = script
        self.page.choose(script)
        self.session.ask_entries(query_of(script))

    @property
    def follows_text(self) -> bool:
        return False

    def focus_first(self) -> None:
        self.page.focus_first()


def _scrolling(page: ScriptPage) -> QScrollArea:
    """Returns an area that shows all of a page, which scrolls in a window that is too low for it."""
    area = QScrollArea()
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidgetResizable(True)
    area.setWidget(page)
    return area
