"""Why a string is not one token, for all tokenizers that are on, in one card with a tab for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QPoint, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QPixmap
from PySide6.QtWidgets import QWidget

from tokenarium.models.merges.why_finding import (
    Finding,
    Place,
    Question,
    alone,
    comparisons,
    finding,
    longest_entry,
    places_to_play,
)
from tokenarium.models.text.inspection import TokenPlace
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.requests import PlayBytes, ShowEntries, ShowTokenMenu
from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance
from tokenarium.views.kept import Kept, text_of
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.players.why_card import WhyCard, WhyTab
from tokenarium.work.frame_queue import FRAME_MS, FrameQueue

SHARPNESS = 2
"""Pixels of a copied picture for each pixel of the window."""


class WhyAnswers(QWidget):
    """Asks one tokenizer after another, each in its own turn of the event loop, the current one first."""

    asked = Signal(
        object
    )  # a similar string that the user asks about; Qt would take a byte order mark from a str
    left = Signal()  # other views are shown now: steps, or entries

    def __init__(self, session: Session, appearance: Appearance) -> None:
        super().__init__()
        self.session = session
        self.appearance = appearance
        self.question = alone("")
        self.findings: dict[str, Finding] = {}
        self.chosen = ""
        self.card = WhyCard()
        in_column(self.card, into=self)
        self._waiting: list[LibraryItem] = []
        self._turn = QTimer(self, interval=FRAME_MS)  # the card appears meanwhile
        self._turn.timeout.connect(self._answer_next)
        self._playing = FrameQueue(self)  # looks for the steps
        card = self.card
        card.tab_chosen.connect(self.choose)
        card.near_picked.connect(self.asked)
        card.play_wanted.connect(self._play)
        card.put_wanted.connect(self._put)
        card.like_wanted.connect(self._find_like)
        card.picture_wanted.connect(self.copy_picture)
        card.menu_requested.connect(self._ask_for_menu)
        appearance.changed.connect(self._show_theme)

    def ask(self, question: Question, key: str = "") -> None:
        """Asks all tokenizers that are on; ``key`` is the tab to show, or "" for the current one."""
        items = self.session.chosen()
        self._playing.clear()
        self.question = question
        self.findings.clear()
        keys = [item.key for item in items]
        current = self.session.current
        if key or self.chosen not in keys:
            self.chosen = key or (current.key if current is not None else "")
        self._waiting = sorted(items, key=lambda item: item.key != self.chosen)
        if self._waiting:
            self._turn.start()
            self._answer_next()

    def keeps(self, waits: Callable[[], bool] = bool) -> tuple[Kept, ...]:
        """Returns the tokenizer of the current answer, and the offer if it cannot be played, for scenes.

        ``waits`` returns whether a question will be asked soon.
        """

        def show(key: object) -> bool:
            if text_of(key) in [item.key for item in self.session.chosen()]:
                self.choose(text_of(key))
            return not self.session.opening

        def offer(offers: object) -> bool:
            if self.busy or waits() or self.session.opening:
                return False
            self.card.offer_to_put(bool(offers))
            return True

        return Kept("tab", lambda: self.chosen, show), Kept(
            "offered", lambda: self.card.put.isVisibleTo(self.card), offer
        )

    def finish(self) -> None:
        """Gets all answers at once."""
        while self._waiting:
            self._answer_next()

    @property
    def busy(self) -> bool:
        """Whether answers or steps are being computed."""
        return self._playing.waiting or bool(self._waiting)

    def forget_plays(self) -> None:
        """Stops looking for steps."""
        self._playing.clear()

    def choose(self, key: str) -> None:
        """Shows the answer of a tokenizer."""
        self.chosen = key
        self._show_answer()

    @property
    def shown(self) -> Finding | None:
        """The answer that is shown."""
        return self.findings.get(self.chosen)

    def _answer_next(self) -> None:
        if self._waiting:
            item = self._waiting.pop(0)
            if item.tokenizer is not None:
                self.findings[item.key] = finding(
                    item.tokenizer, self.question, self.session.special
                )
        if not self._waiting:
            self._turn.stop()
        if not self._waiting or (self.chosen in self.findings and len(self.findings) == 1):
            self._show_answer()

    def _show_answer(self) -> None:
        theme = self.appearance.theme
        items = self.session.chosen()
        counts = {key: sum(map(len, one.touched)) for key, one in self.findings.items()}
        self.card.show_tabs(
            [
                WhyTab(
                    item.key,
                    self.session.short_name(item),
                    theme.identity(item.identity),
                    counts.get(item.key, -1),
                )
                for item in items
            ],
            self.chosen,
        )
        answer = self.shown
        if answer is None:
            return
        others = [
            (self.session.short_name(item), self.findings[item.key])
            for item in items
            if item.key != self.chosen and item.key in self.findings
        ]
        self.card.show_finding(answer, comparisons(answer, others))

    def _show_theme(self) -> None:
        if self.findings:
            self._show_answer()

    # Actions of an answer.

    def _ask_for_menu(self, point: QPoint, token: int) -> None:
        self.session.requests.ask(ShowTokenMenu(TokenPlace(self.chosen, token), point))

    def _find_like(self) -> None:
        """Shows the entries that contain the longest beginning that is an entry, without its spaces."""
        answer = self.shown
        if answer is None:
            return
        text = answer.question.text.strip()
        place = longest_entry(answer.beginnings)
        if place >= 0:
            prefix = answer.beginnings[place].piece.decode("utf-8", "ignore").strip()
            text = prefix if len(prefix) > 1 else text
        self.session.set_current(self.chosen)
        self.left.emit()
        quoted = text.replace('"', '""')
        self.session.requests.ask(ShowEntries(f'like:"{quoted}"'))

    def copy_picture(self) -> None:
        """Copies the card as a picture."""
        pixmap = QPixmap(self.card.size() * SHARPNESS)
        pixmap.setDevicePixelRatio(SHARPNESS)
        pixmap.fill(self.appearance.theme.surface)
        self.card.render(pixmap)
        QGuiApplication.clipboard().setPixmap(pixmap)

    def _play(self) -> None:
        """Shows the steps where the text is split the same way, or offers to use the string as the text.

        Each place, and then the steps, has its own turn of the event loop: together they would take longer than a
        frame.
        """
        key, answer = self.chosen, self.shown
        item = self.session.library.item(key)
        if item is None or item.tokenizer is None or answer is None:
            return
        self._playing.clear()
        text, special = self.session.text_map.read_utf8, self.session.special
        places = places_to_play(item.tokenizer, answer, text, special)
        self._playing.add(partial(self._try_next, key, places))

    def _try_next(self, key: str, places: Iterator[Place | None]) -> None:
        for place in places:
            if place is None:
                self._playing.add(partial(self._try_next, key, places))
            else:
                self._playing.add(partial(self._show_steps, key, *place))
            return
        self.card.offer_to_put()

    def _put(self) -> None:
        """Replaces the text with the string, and plays it."""
        answer = self.shown
        if answer is None:
            return
        self.session.set_text(answer.question.text)
        self._show_steps(self.chosen, 0, self.session.text_map.byte_count, max(answer.step, 0))

    def _show_steps(self, key: str, start: int, end: int, step: int) -> None:
        self.left.emit()
        self.session.requests.ask(PlayBytes(start, end, step, key))
