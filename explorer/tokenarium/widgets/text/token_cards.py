"""A card for each tokenizer above the comparison, side by side or in rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QPoint, QRect, QSize, Signal
from PySide6.QtGui import (
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from tokenarium.style.theme import GRID
from tokenarium.widgets.announcing import Announcer
from tokenarium.widgets.text.token_card import CHIP_HEIGHT, COST_HEIGHT, CardFacts, TokenCard

MOST_CARDS = 6
"""The most cards; more become chips of one line."""

CARD_HEIGHT = 96
LOW_CARD_HEIGHT = 60
LEAST_CARD_WIDTH = 150
LEAST_LOW_CARD_WIDTH = 128
MOST_CARD_WIDTH = 300
GAP = 10
"""Pixels."""

MOST_KEYS = 9
"""How many cards have a key that puts them in front."""


class TokenCards(QWidget):
    """The cards side by side, or as chips in rows that wrap; one is in front."""

    chosen = Signal(str)
    """The key of a card that was pressed."""
    choice_toggled = Signal(str)
    """The key of a card that was clicked with Ctrl."""
    menu_requested = Signal(str, QPoint)
    """The key of a card, and a place on the screen."""

    def __init__(
        self, parent: QWidget | None = None, chips: bool = False, keys: bool = False
    ) -> None:
        """``chips``: always shows chips of one line, however few there are.

        ``keys``: the cards show the keys 1 to 9, which the view takes.
        """
        super().__init__(parent)
        self._cards: list[TokenCard] = []
        self._low = self._hides = False
        self._known: tuple[Sequence[CardFacts], str] = ((), "")  # what is shown, or hidden now
        self._chips = chips
        self._keys = keys
        self._follower: QWidget | None = None
        self._announcer = Announcer(self, self._words)
        self.setAccessibleName("Counts")
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @property
    def cards(self) -> dict[str, CardFacts]:
        """The contents of the cards, by key."""
        return {card.facts.key: card.facts for card in self._cards}

    def show_facts(self, facts: Sequence[CardFacts], front: str) -> None:
        """Shows these cards; the one with the key ``front`` is in front."""
        self._known = facts, front
        if self._hides:
            facts = [one.without_counts for one in facts]
        known = [card.facts.key for card in self._cards]
        before = self._has_costs
        for card in self._cards[len(facts) :]:
            card.setParent(None)
            card.deleteLater()
        del self._cards[len(facts) :]
        while len(self._cards) < len(facts):
            card = TokenCard(self)
            card.clicked.connect(lambda _=False, card=card: self.chosen.emit(card.facts.key))
            card.toggled_choice.connect(lambda card=card: self.choice_toggled.emit(card.facts.key))
            card.wants_menu.connect(
                lambda point, card=card: self.menu_requested.emit(card.facts.key, point)
            )
            self._cards.append(card)
            card.show()
        if len(known) < len(facts):
            self._put_in_order()
        chips = self.as_chips
        for card, one in zip(self._cards, facts, strict=True):
            card.show_facts(one, one.key == front)
        self._announcer.start()
        if chips or known != [fact.key for fact in facts] or before != self._has_costs:
            self._arrange()

    def hide_counts(self, hide: bool) -> None:
        """Hides all that the cards say besides names, or shows it."""
        if hide != self._hides:
            self._hides = hide
            self.show_facts(*self._known)

    def _words(self) -> str:
        """The counts for a screen reader, that of the card in front first."""
        cards = sorted(self._cards, key=lambda card: not card.isChecked())
        return "; ".join(card.accessibleName() for card in cards)

    def put_before(self, widget: QWidget) -> None:
        """Makes Tab reach the cards right before a widget: new ones would come last in the window."""
        self._follower = widget
        self._put_in_order()

    def _put_in_order(self) -> None:
        if self._follower is None or not self._cards:
            return
        # Without asking for the previous widget: PySide would make it a child of the follower, and delete it with that.
        for one, other in pairwise([self._follower, *self._cards, self._follower]):
            QWidget.setTabOrder(one, other)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._put_in_order()

    def set_low(self, low: bool) -> None:
        """Hides the notes of cards, for a page with little height."""
        if low != self._low:
            self._low = low
            self._arrange()

    def set_keys(self, keys: bool) -> None:
        """Sets whether the cards show the keys 1 to 9."""
        if keys != self._keys:
            self._keys = keys
            self._arrange()

    @property
    def _has_costs(self) -> bool:
        return any(card.facts.cost for card in self._cards)

    @property
    def as_chips(self) -> bool:
        """Whether there are too many for cards."""
        count = len(self._cards)
        room = (self.width() + GAP) // max(count, 1) - GAP
        least = LEAST_LOW_CARD_WIDTH if self._low else LEAST_CARD_WIDTH
        return self._chips or count > MOST_CARDS or (count > 1 and room < least)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        chips, places = self.as_chips, self._places(self.width())
        several = self._keys and len(self._cards) > 1
        # The caps of all keys, or none.
        caps = chips or all(map(TokenCard.has_room_for_key, self._cards, map(QRect.width, places)))
        for place, card in enumerate(self._cards, 1):
            key = place if several and place <= MOST_KEYS else 0
            card.set_form(chips, self._low, key, caps)
        for card, rect in zip(self._cards, places, strict=True):
            card.setGeometry(rect)
        height = self.heightForWidth(self.width())
        if height != self.height():
            self.setFixedHeight(height)

    def _places(self, width: int) -> list[QRect]:
        if not self.as_chips:
            count = max(len(self._cards), 1)
            each = min((width + GAP) // count - GAP, MOST_CARD_WIDTH)
            height = LOW_CARD_HEIGHT if self._low else CARD_HEIGHT
            if not self._low and self._has_costs:
                height += COST_HEIGHT
            return [
                QRect(index * (each + GAP), 0, each, height) for index in range(len(self._cards))
            ]
        places: list[QRect] = []
        x = y = 0
        for card in self._cards:
            size = min(card.sizeHint().width(), width)
            if x and x + size > width:
                x, y = 0, y + CHIP_HEIGHT + GRID
            places.append(QRect(x, y, size, CHIP_HEIGHT))
            x += size + GRID
        return places

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return max((rect.bottom() + 1 for rect in self._places(width)), default=0)

    def sizeHint(self) -> QSize:
        return QSize(2 * LEAST_CARD_WIDTH, self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_CARD_WIDTH, CHIP_HEIGHT)
