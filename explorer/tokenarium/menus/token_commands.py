"""Commands for a token wherever it is shown: its menu, and the card that explains why a word is not one token."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from tokenarium.menus.actions import Action, Section
from tokenarium.menus.workspace_commands import WorkspaceHost
from tokenarium.models.text.chunked_encoding import ChunkedEncoding
from tokenarium.models.text.inspection import TokenPlace, ids_text, token_at, touching
from tokenarium.models.text.piece import NumberBase, byte_numbers, counted, piece_text
from tokenarium.models.text.qt_text import into_qt, on_button
from tokenarium.models.text.text_map import next_region
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.requests import PlayBytes, ShowEntry
from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance, motion_enabled
from tokenarium.style.icons import icon
from tokenarium_core import Tokenizer

if TYPE_CHECKING:
    from tokenarium.models.scene import Json
    from tokenarium.views.kept import Kept
    from tokenarium.views.why_answers import WhyAnswers
    from tokenarium.widgets.spotlight import SpotlightCard

FEW = 2_000_000
"""Tokens: in a longer text, the menu does not count the other occurrences of a token."""


class TokenCommands(QObject):
    """Shows the menu of a token and the card, when a view asks the session for them."""

    def __init__(
        self, session: Session, host: WorkspaceHost, appearance: Appearance, window: QWidget
    ) -> None:
        super().__init__(window)
        self._session = session
        self._host = host
        self._appearance = appearance
        self._window = window
        self.menu: QMenu | None = None
        self.answers: WhyAnswers | None = None
        self.card: SpotlightCard | None = None
        self._asked: str | tuple[int, int] = ""  # the string, or the bytes, that the card is about

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("why_not_one", "&Why not one token?", Section.SELECTION, "W", self.ask_about_selection, "Explains why the selected word is not one token", self._has_bytes, icon="question"),
            Action("play_selection", "&Play the selected tokens", Section.SELECTION, "Ctrl+Shift+P", self.play_selection, "Shows the steps that make the selected tokens", self._has_bytes, icon="play"),
            Action("next_same", "&Next occurrence of this token", Section.SELECTION, "F3", lambda: self.go_to_other(1), "Selects the next occurrence of this token in the text", self._has_bytes, icon="arrow-right"),
            Action("previous_same", "Previous occurrence o&f this token", Section.SELECTION, "Shift+F3", lambda: self.go_to_other(-1), enabled=self._has_bytes, icon="arrow-left"),
        ]
        # fmt: on

    def _has_bytes(self) -> bool:
        return self._session.focus is not None and self._session.current is not None

    # The token that is asked about.

    def _item(self, key: str) -> LibraryItem | None:
        return self._session.library.item(key) if key else self._session.current

    def _encoded(self, key: str) -> tuple[ChunkedEncoding, Tokenizer] | None:
        item = self._item(key)
        encoded = self._session.encoded(item.key) if item is not None else None
        if item is None or item.tokenizer is None or encoded is None or encoded.tokens is None:
            return None
        return encoded.tokens, item.tokenizer

    def _whole(self, place: TokenPlace) -> TokenPlace:
        """Returns a place with the id of its token, if its bytes are one token."""
        encoded = self._encoded(place.key)
        if place.id >= 0 or encoded is None:
            return place
        first, last = touching(encoded[0], place.start, place.end)
        token = token_at(encoded[0], place.start, place.end)
        if token is None or last - first != 1:
            return place
        return TokenPlace(place.key, *token)

    # The menu.

    def show_menu(self, place: TokenPlace, point: QPoint) -> None:
        """Shows what can be done with a token, or with the tokens of some bytes, at a point of the screen."""
        menu = self.menu_of(place)
        if menu is not None:
            menu.popup(point)

    def menu_of(self, place: TokenPlace) -> QMenu | None:
        """Returns the menu for a token or some bytes; None without a tokenizer."""
        place = self._whole(place)
        item = self._item(place.key)
        if item is None or item.tokenizer is None:
            return None
        if self.menu is not None:
            self.menu.deleteLater()
        menu = self.menu = QMenu(self._window)
        vocabulary = item.tokenizer.vocabulary
        in_text = place.end > place.start
        token = place.id

        def add(text: str, glyph: str, do: Callable[[], object], keys: str = "") -> None:
            action = menu.addAction(icon(glyph), f"{text}\t{keys}" if keys else text)
            action.triggered.connect(lambda _=False: do())

        if token >= 0:
            title = (
                f"{piece_text(vocabulary, token, 24)}   {token}   {self._session.short_name(item)}"
            )
        else:
            encoded = self._encoded(place.key)
            first, last = touching(encoded[0], place.start, place.end) if encoded else (0, 0)
            title = f"{counted(last - first, 'token')}   {self._session.short_name(item)}"
        menu.addAction(on_button(title)).setEnabled(False)
        menu.addSeparator()
        if in_text:
            add("Why not one token?", "question", lambda: self._why(place), "W")
            add(
                "Play its merges" if token >= 0 else "Play the merges",
                "play",
                lambda: self._play(place),
            )
        elif self._text_of(place) is not None:
            add("Why is it one token?", "question", lambda: self._why(place))
        if token >= 0:
            add(
                "Show in the vocabulary",
                "books",
                lambda: self._session.requests.ask(ShowEntry(token, item.key)),
                "Ctrl+L",
            )
            count = self._count(place)
            if count is not None and count > in_text:
                others = counted(count - in_text, "other place")
                name = (
                    f"Go to the next of {others}"
                    if in_text
                    else f"Find it in the text: {counted(count, 'place')}"
                )
                add(name, "magnifying-glass", lambda: self._go(place, 1), "F3")
            elif count is not None:
                menu.addAction(icon("magnifying-glass"), "Nowhere else in the text").setEnabled(
                    False
                )
        menu.addSeparator()
        add("Copy text", "copy", lambda: _copy(self._copied(place)))
        if token >= 0:
            add(f"Copy id {token}", "hash", lambda: _copy(str(token)))
        else:
            add("Copy ids", "hash", lambda: _copy(self._ids(place)))
        add(
            f"Copy bytes in {'decimal' if NumberBase.decimal else 'hexadecimal'}",
            "brackets-angle",
            lambda: _copy(byte_numbers(self._bytes(place), 1 << 20)),
        )
        return menu

    def _bytes(self, place: TokenPlace) -> bytes:
        item = self._item(place.key)
        if place.id >= 0 and item is not None and item.tokenizer is not None:
            return item.tokenizer.vocabulary.piece(place.id)
        return self._session.text_map.utf8_of(place.start, place.end)

    def _copied(self, place: TokenPlace) -> str:
        return self._bytes(place).decode("utf-8", "replace")

    def _ids(self, place: TokenPlace) -> str:
        encoded = self._encoded(place.key)
        return ids_text(encoded[0], place.start, place.end) if encoded is not None else ""

    def _text_of(self, place: TokenPlace) -> str | None:
        """The text of an entry; None if its bytes are not text."""
        try:
            return self._bytes(place).decode() or None
        except UnicodeDecodeError:
            return None

    # Other occurrences of the same token.

    def _places(self, place: TokenPlace) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
        encoded = self._encoded(place.key)
        if encoded is None:
            return np.zeros((0, 2), np.int32)
        numbers = np.flatnonzero(encoded[0].ids[:] == place.id)
        spans: np.ndarray[tuple[int, int], np.dtype[np.int32]]
        spans = encoded[0].spans(0, len(encoded[0]))[numbers]
        return spans

    def _count(self, place: TokenPlace) -> int | None:
        encoded = self._encoded(place.key)
        if encoded is None or len(encoded[0]) > FEW:
            return None
        return int(np.count_nonzero(encoded[0].ids[:] == place.id))

    def go_to_other(self, step: int) -> None:
        """Selects the next (1) or previous (-1) occurrence of the token that is selected or pointed at."""
        focus = self._session.focus
        encoded = self._encoded("")
        token = token_at(encoded[0], *focus) if focus is not None and encoded is not None else None
        if token is not None:
            self._go(TokenPlace("", *token), step)

    def _go(self, place: TokenPlace, step: int) -> None:
        places = self._places(place)
        if not len(places):
            return
        self.close_card()
        if place.key:
            self._session.set_current(place.key)
        if not self._host.workspace.follows_text:
            self._host.show_workspace("tokens")
        span = (place.start, place.end) if place.end > place.start else self._session.selection
        start, end = places[next_region(places, span, step)].tolist()
        self._session.select(start, end)
        self._host.workspace.seek(start)

    # Steps of the token.

    def play_selection(self) -> None:
        """Shows the steps that make the tokens that are selected or pointed at."""
        focus = self._session.focus
        if focus is not None:
            self._session.requests.ask(PlayBytes(*focus))

    def _play(self, place: TokenPlace) -> None:
        self._session.requests.ask(PlayBytes(place.start, place.end, key=place.key))

    # The card.

    def ask_about_selection(self) -> None:
        """Asks about the bytes that are selected or pointed at."""
        focus = self._session.focus
        if focus is not None:
            self.explain(*focus)

    def _why(self, place: TokenPlace) -> None:
        if place.end > place.start:
            self.explain(place.start, place.end, place.key)
        else:
            self._show_card(self._text_of(place) or "", place.key)

    def explain(self, start: int, end: int, key: str = "") -> None:
        """Shows the card for the word that a token is in, or for all of a longer selection."""
        from tokenarium.models.merges.why_finding import word_at

        encoded = self._encoded(key)
        if encoded is not None:
            first, last = touching(encoded[0], start, end)
            if last - first <= 1:
                start, end = word_at(self._session.text_map, start, end)
        self._show_card((start, end), key)

    def _show_card(self, what: str | tuple[int, int], key: str) -> None:
        """Opens the card about bytes of the text, or about a string by itself."""
        from tokenarium.models.merges.why_finding import LONGEST, alone, asked

        self._make_card()
        assert self.answers is not None
        assert self.card is not None
        place = None
        if isinstance(what, str):
            question = alone(what)
        else:
            question = asked(self._session.text_map, *self._session.text_map.characters(*what))
            self._host.workspace.bring_up(what[0])
            place = self._host.workspace.rect_of(*what)
        size = question.end - question.start
        if size == 0 or not self._session.chosen():
            return
        if size > LONGEST:
            self._session.problem.emit(
                f"{size:,} bytes are too many to ask about: a single token is far shorter. Select a word or a phrase."
            )
            return
        self._asked = what
        self.answers.ask(question, key)
        self.card.open_at(place, motion_enabled())
        self.answers.card.tokens.setFocus()

    def _make_answers(self) -> WhyAnswers:
        from tokenarium.views.why_answers import WhyAnswers

        if self.answers is None:
            self.answers = WhyAnswers(self._session, self._appearance)
        return self.answers

    def _make_card(self) -> None:
        from tokenarium.widgets.spotlight import SpotlightCard

        answers = self._make_answers()
        if self.card is None:
            self.card = SpotlightCard(answers, answers.card.buttons, self._window)
            answers.asked.connect(lambda text: self._show_card(text, ""))
            answers.left.connect(self.card.close_card)
            answers.card.close_button.show()
            answers.card.close_button.clicked.connect(self.card.close_card)

    def prepare(self) -> list[Callable[[], object]]:
        """Returns steps that make the card before it is first asked for, each about a frame long."""
        modules = (
            "tokenarium_core.explaining.verdict",
            "tokenarium_core.explaining.near_spellings",
            "tokenarium.models.merges.why_finding",
            "tokenarium.widgets.text.token_tiles",
            "tokenarium.widgets.players.why_card",
            "tokenarium.views.why_answers",
            "tokenarium.widgets.spotlight",
        )
        return [
            *(partial(import_module, name) for name in modules),
            self._make_answers,
            self._make_card,
        ]

    def keeps(self) -> tuple[Kept, ...]:
        """Returns what the card is about, a string or bytes, and its tab, for scenes; only once it was opened."""
        from tokenarium.views.kept import Kept

        def asked() -> Json:
            return self._asked if isinstance(self._asked, str) else list(self._asked)

        settings = [Kept("asked", asked, self._ask_again)]
        return (*settings, *self.answers.keeps()) if self.answers is not None else tuple(settings)

    def _ask_again(self, asked: object) -> bool:
        """Opens the card about a string or bytes, once all tokenizers are open."""
        from tokenarium.views.kept import whole_number

        if isinstance(asked, str):
            subject: str | tuple[int, int] = asked
        elif isinstance(asked, list) and len(asked) == 2:
            last = self._session.text_map.byte_count
            start, end = (min(whole_number(byte), last) for byte in asked)
            subject = start, max(start, end)
        else:
            raise TypeError
        if self._session.opening:
            return False
        self._show_card(subject, "")
        if self.answers is not None:
            self.answers.finish()
        return True

    @property
    def shown_answers(self) -> WhyAnswers | None:
        """The session's data that the card shows while it is open."""
        return self.answers if self.card is not None and self.card.isVisible() else None

    def close_card(self) -> None:
        """Closes the card, if it is open."""
        if self.card is not None:
            self.card.close_card()


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(into_qt(text))
