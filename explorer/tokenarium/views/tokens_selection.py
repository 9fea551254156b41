"""The base of the pages of questions, about the selection, the whole text, or only the tokenizers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtGui import QFont, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from tokenarium.models.text.piece import counted, quoted
from tokenarium.models.tokenizers.library import LibraryItem, State
from tokenarium.style.fonts import HEADING_SIZE, ui_font
from tokenarium.style.theme import CARD_MARGIN, PAGE_MARGIN
from tokenarium.views.kept import Kept, kept_scroll
from tokenarium.views.workspace import NO_TEXT_HELP, Page, Workspace, column, soon
from tokenarium.widgets.areas import CardArea
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import ElidedLabel, secondary
from tokenarium.widgets.title_row import TitleRow

SOON_MS = 120
"""Milliseconds after a change until a page is updated."""


class SelectedTextPage(Page):
    """Base of the pages: a line with the question, and a column of widgets below it.

    ``most``: the most characters of a text that are used. A hidden page is updated when it is shown. A page that needs
    no text is about the tokenizers only, with an empty text.
    """

    most = 20_000
    needs_text = True

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.question = ElidedLabel()
        self.question.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
        self.note = secondary(ElidedLabel())
        self._asked: tuple[object, ...] | None = None
        self._soon = soon(self, self._ask_if_seen, SOON_MS)
        session = self.session
        for signal in (
            session.text_changed,
            session.selection_changed,
            session.tokenizers_changed,
            session.current_changed,
        ):
            signal.connect(self._soon.start)
        self.appearance.changed.connect(self._follow_theme)

    def build(self, *parts: QWidget | QHBoxLayout, head: Sequence[QWidget] = ()) -> None:
        """Puts the widgets below each other in a scroll area; ``head`` is next to the question."""
        body = QWidget()
        margins = (PAGE_MARGIN, CARD_MARGIN // 2, PAGE_MARGIN, CARD_MARGIN)
        title = TitleRow(self.question, head)
        in_column(title, self.note, *parts, into=body, spacing=12, margins=margins)
        self.area = CardArea()
        self.area.put(0, body)
        self._shown = self.fill(column(self.area, grows=self.area))

    def keeps(self) -> Iterable[Kept]:
        return (
            *super().keeps(),
            kept_scroll("scroll", self.area.verticalScrollBar(), lambda: not self.busy),
        )

    # For subclasses.

    def ask(self, text: str, items: list[LibraryItem]) -> None:
        """Answers the question about a text, which is not empty if one is needed.

        ``items`` are open, the one in front first.
        """
        raise NotImplementedError

    def title_of(self, what: str) -> str:
        """Returns the question for a text that is written out."""
        raise NotImplementedError

    # The text of the question.

    @property
    def text(self) -> str:
        """The selection, or the whole text, up to the limit; empty if none is needed."""
        session = self.session
        if not self.needs_text:
            return ""
        if session.selection is not None:
            return session.text_map.slice(*session.selection)[: self.most]
        return session.text_map.part(0, self.most)

    @property
    def items(self) -> list[LibraryItem]:
        """The open tokenizers that are on, the one in front first."""
        current = self.session.current
        chosen = [item for item in self.session.chosen() if item.tokenizer is not None]
        return sorted(chosen, key=lambda item: item is not current)

    def ask_again(self) -> None:
        """Updates the page now, even if nothing has changed."""
        self._asked = None
        self._ask_if_seen()

    def _ask_if_seen(self) -> None:
        self._soon.stop()
        if not self.isVisible():
            return
        text, items = self.text, self.items
        if self.needs_text and not self.session.has_text:
            self.empty.say(
                "There is no text yet",
                "Type or paste one above, or drop a file there. Select a part of it to ask about only that.",
                self.help_with(*NO_TEXT_HELP),
            )
        elif not items:
            opening = any(item.on and item.state is State.OPENING for item in self.session.library)
            if opening:
                self.empty.say(
                    "A tokenizer is being opened", "The answer will be here in a moment."
                )
            else:
                self.say_no_tokenizer()
        shown = bool(items) and bool(text or not self.needs_text)
        self._shown.setCurrentIndex(0 if shown else 1)
        question = (text, *(id(item.tokenizer) for item in items))
        if not shown or question == self._asked:
            return
        self._asked = question
        if self.needs_text:
            self._say_what(text)
        else:
            self.question.setText(self.title_of(""))
            self.note.hide()
        self.ask(text, items)

    def _say_what(self, text: str) -> None:
        """Writes the question about a text, and how much of it is used."""
        selected = self.session.selection is not None
        whole = counted(self.session.text_map.char_count, "character")
        notes: list[str] = []
        if selected or len(text) <= 60:
            subject = quoted(text.encode("utf-8", "replace"), 36)
        else:
            subject = "the text"
            notes.append(f"{whole}.")
        self.question.setText(self.title_of(subject))
        if len(text) == self.most and self.session.text_map.char_count > self.most:
            notes.append(
                f"Only the first {self.most:,} characters are used: select a shorter part."
            )
        elif not selected and len(text) > 60:
            notes.append("Select a part of the text to ask about only that.")
        self.note.setText(" ".join(notes))
        self.note.setVisible(bool(notes))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._soon.start(0)

    @property
    def busy(self) -> bool:
        return super().busy or (self._soon.isActive() and self.isVisible())

    def _follow_theme(self) -> None:
        self._asked = None
        self._soon.start(0)
