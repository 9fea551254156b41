"""A card for each tokenizer above the comparison: its name, its count, the count of the selection, and a bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from tokenarium.models.text.lost_text import SIGN
from tokenarium.models.text.qt_text import as_tip
from tokenarium.style.appearance import motion_enabled
from tokenarium.style.fonts import (
    HEADING_SIZE,
    RAIL_SIZE,
    SMALL_SIZE,
    TEXT_SIZE,
    TITLE_SIZE,
    number_font,
    ui_font,
)
from tokenarium.style.shapes import paint_badge, paint_marker
from tokenarium.style.theme import CARD_RADIUS, GRID, LIGHT, Identity
from tokenarium.style.themed import Themed
from tokenarium.widgets.announcing import Announcer
from tokenarium.widgets.keyboard import paint_keyboard_ring
from tokenarium.widgets.motion import Glide
from tokenarium.widgets.veil import SAID

MOST_CARDS = 6
"""The most cards; more become chips of one line."""

GLIDES_MS = 200
"""Milliseconds in which the bar of a selection glides to another length."""

CARD_HEIGHT = 96
COST_HEIGHT = 18
LOW_CARD_HEIGHT = 60
LEAST_CARD_WIDTH = 150
LEAST_LOW_CARD_WIDTH = 128
MOST_CARD_WIDTH = 300
CHIP_HEIGHT = 32
GAP = 10
"""Pixels."""

LEAST_SECOND = 96
"""Pixels: with less room, a second name would be cut to a few letters, so it is left out."""

MOST_KEYS = 9
CAP = 16
"""How many cards have a key that puts them in front; pixels of its cap."""


@dataclass(frozen=True, slots=True)
class CardFacts:
    """The contents of a card. ``second``: the second name. ``selected``: the tokens of the selection, or None.

    ``tokens`` is None until they are counted. ``share`` and ``selected_share`` are the lengths of the bar and of its
    dark part, 0 to 1. ``note`` and ``cost``: a line of words each. ``lossy``: too much of the text is lost to compare
    the count; it has a sign, and its bar is hatched. ``price``: what the text costs, in short, for a chip. ``chosen``:
    it is chosen for a set.
    """

    key: str
    name: str
    second: str
    identity: Identity
    unit: str = "token"
    tokens: int | None = None
    selected: int | None = None
    share: float = 0.0
    selected_share: float = 0.0
    note: str = ""
    tip: str = ""
    cost: str = ""
    lossy: bool = False
    price: str = ""
    chosen: bool = False

    @property
    def count(self) -> str:
        """The number of tokens in words; a dash until they are counted."""
        if self.tokens is None:
            return "–"
        return f"{SIGN} {self.tokens:,}" if self.lossy else f"{self.tokens:,}"

    @property
    def without_counts(self) -> CardFacts:
        """The same card without what it counts."""
        return CardFacts(self.key, self.name, self.second, self.identity, self.unit, note=SAID)


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
        self._cards: list[_Card] = []
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
            card = _Card(self)
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
        chips = self.as_chips
        several = self._keys and len(self._cards) > 1
        for place, card in enumerate(self._cards, 1):
            card.set_form(chips, self._low, place if several and place <= MOST_KEYS else 0)
        for card, rect in zip(self._cards, self._places(self.width()), strict=True):
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


class _Card(Themed, QAbstractButton):
    toggled_choice = Signal()
    wants_menu = Signal(QPoint)

    def __init__(self, cards: TokenCards) -> None:
        super().__init__(cards)
        self.facts = CardFacts("", "", "", LIGHT.identity(0))
        self._chip = self._low = False
        self._key = 0
        self._selected_before = 0.0
        self._glide = Glide(self, lambda _: self.update(), GLIDES_MS)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_facts(self, facts: CardFacts, front: bool) -> None:
        self.setChecked(front)
        if facts == self.facts:
            return
        # Nothing moves while the user types: the bar glides only if the selection in the same text changes.
        selects = (facts.key, facts.tokens) == (self.facts.key, self.facts.tokens)
        self._selected_before = self._selected_share
        self.facts = facts
        self._glide.begin(selects and self.isVisible() and motion_enabled())
        spoken = self._count_words()
        if facts.selected is not None:
            spoken += f", {facts.selected:,} in the selection"
        self.setAccessibleName(f"{facts.name}: {spoken}{', chosen' if facts.chosen else ''}")
        self.setAccessibleDescription(" · ".join(filter(None, (facts.note, facts.cost))))
        self._show_tip()
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        left = event.button() == Qt.MouseButton.LeftButton
        if left and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.toggled_choice.emit()
        else:
            super().mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.wants_menu.emit(event.globalPos())

    def set_form(self, chip: bool, low: bool, key: int) -> None:
        """Makes it a chip of one line, or a card, lower without its note; ``key``: the digit that it shows, or 0."""
        self._chip, self._low, self._key = chip, low, key
        self._show_tip()
        self.update()

    def _show_tip(self) -> None:
        says = (
            f"The key {self._key} puts it in front: its tokens are on the text" if self._key else ""
        )
        self.setToolTip(as_tip("\n\n".join(part for part in (self.facts.tip, says) if part)))

    def nextCheckState(self) -> None:
        """Is in front when the view says so."""

    @property
    def _selected_share(self) -> float:
        """The length of the dark part, on its way from the previous one."""
        share = self.facts.selected_share
        if not self._glide.runs:
            return share
        return share + (self._selected_before - share) * (1 - self._glide.share)

    def _count_words(self) -> str:
        facts = self.facts
        if facts.tokens is None:
            return facts.note
        return f"{facts.tokens:,} {facts.unit}{'s' * (facts.tokens != 1)}"

    def _chip_words(self) -> tuple[str, str]:
        """The count, that of the selection if there is one, and the text after it."""
        facts = self.facts
        if facts.tokens is None:
            return facts.note, ""
        if facts.selected is None:
            return facts.count, facts.price
        after = [f"of {facts.tokens:,}", facts.price]
        return f"{facts.selected:,}", " · ".join(filter(None, after))

    def sizeHint(self) -> QSize:
        count, selected = self._chip_words()
        width = (
            12 + 13 + 8 + _width(_name_font(), self.facts.name) + 7 + _width(_count_font(), count)
        )
        if selected:
            width += 4 + _width(_small_font(), selected)
        if self._key:
            width += CAP + 6
        return QSize(round(width) + 14, CHIP_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self.theme
        front = self.isChecked()
        radius = CHIP_HEIGHT / 2 if self._chip else CARD_RADIUS
        edge = 2.0 if front else 1.0
        rect = QRectF(self.rect()).adjusted(edge / 2, edge / 2, -edge / 2, -edge / 2)
        colour = theme.accent if front else theme.strong if self.underMouse() else theme.line
        painter.setPen(QPen(colour, edge))
        painter.setBrush(theme.surface)
        painter.drawRoundedRect(rect, radius, radius)
        if self._chip:
            self._paint_chip(painter)
        else:
            self._paint_card(painter)
        painter.end()
        paint_keyboard_ring(self, self.rect())

    def _paint_chip(self, painter: QPainter) -> None:
        theme, facts = self.theme, self.facts
        middle = self.height() / 2
        self._paint_identity(painter, QRectF(12, middle - 6, 12, 12))
        count, selected = self._chip_words()
        x, right = 33.0, self._paint_key(painter, self.width() - 10, middle)
        for font, pen, words in (
            (_name_font(), theme.ink, facts.name),
            (_count_font(), theme.ink, count),
            (_small_font(), theme.dim, selected),
        ):
            painter.setFont(font)
            painter.setPen(pen)
            room = QRectF(x, 0, right - x, self.height())
            shown = elided(font, words, room.width())
            painter.drawText(room, int(_LEFT), shown)
            x += _width(font, shown) + (7 if words == facts.name else 4)

    def _paint_identity(self, painter: QPainter, rect: QRectF) -> None:
        paint_marker(painter, rect, self.facts.identity)
        if self.facts.chosen:
            paint_badge(painter, rect, self.theme.accent, self.theme.surface)

    def _paint_card(self, painter: QPainter) -> None:
        theme, facts = self.theme, self.facts
        margin = 9.0 if self._low else 13.0
        left, right = margin, self.width() - margin
        line = 5.0 if self._low else 9.0  # the top of the first one
        self._paint_identity(painter, QRectF(left, line + 4, 13, 13))
        x, end = left + 21, right
        if _width(_name_font(), facts.name) <= right - x - CAP - GRID:  # the name goes first
            end = self._paint_key(painter, right, line + 10) - 2
        painter.setFont(_name_font())
        painter.setPen(theme.ink)
        name = elided(_name_font(), facts.name, end - x)
        painter.drawText(QRectF(x, line, end - x, 20), int(_LEFT), name)
        x += _width(_name_font(), name) + 7
        if facts.second and end - x > min(LEAST_SECOND, _width(_small_font(), facts.second)):
            painter.setFont(_small_font())
            painter.setPen(theme.dim)
            second = elided(_small_font(), facts.second, end - x)
            painter.drawText(QRectF(x, line, end - x, 20), int(_LEFT), second)
        count = facts.count
        font = _low_count_font() if self._low else _large_font()
        line += 20.0 if self._low else 21.0
        height = 22.0 if self._low else 28.0
        painter.setFont(font)
        painter.setPen(theme.ink)
        painter.drawText(QRectF(left, line, right - left, height), int(_LEFT), count)
        taken = left + _width(font, count) + 6
        unit = facts.unit + "s" * (facts.tokens != 1)
        if self._low and facts.price:  # there is no line of its own for it
            unit += f" · {facts.price}"
        line += 1.0 if self._low else 4.0
        rest = self._paint_selected(painter, taken, right, line)
        if taken + _width(_small_font(), unit) < rest:
            painter.setFont(_small_font())
            painter.setPen(theme.dim)
            painter.drawText(QRectF(taken, line, rest - taken, 22), int(_LEFT), unit)
        if not self._low:
            painter.setFont(_small_font())
            painter.setPen(theme.dim)
            for index, words in enumerate((facts.note, facts.cost)):
                if _width(_small_font(), words) > right - left:
                    words = words.replace(" times ", "× ")
                shown = elided(_small_font(), words, right - left, Qt.TextElideMode.ElideRight)
                room = QRectF(left, 57 + index * COST_HEIGHT, right - left, 18)
                painter.drawText(room, int(_LEFT), shown)
        foot = 11 if self._low else 16
        self._paint_bar(painter, QRectF(left, self.height() - foot, right - left, 6))

    def _paint_key(self, painter: QPainter, right: float, middle: float) -> float:
        """Draws the cap of the key that puts it in front; returns where the room before it ends."""
        if not self._key:
            return right
        theme = self.theme
        cap = QRectF(right - CAP + 0.5, round(middle - CAP / 2) + 0.5, CAP - 1, CAP - 1)
        painter.setPen(QPen(theme.line, 1))
        painter.setBrush(theme.sunken)
        painter.drawRoundedRect(cap, 4, 4)
        painter.setPen(theme.dim)
        painter.setFont(number_font(RAIL_SIZE))
        painter.drawText(cap, int(Qt.AlignmentFlag.AlignCenter), str(self._key))
        return right - CAP - 6

    def _paint_selected(self, painter: QPainter, left: float, right: float, line: float) -> float:
        """Writes how many tokens the selection has, at the right of a line; returns where it begins."""
        theme, facts = self.theme, self.facts
        if facts.selected is None or facts.tokens is None:
            return right
        bold = number_font(SMALL_SIZE, QFont.Weight.DemiBold)
        count, rest = f"{facts.selected:,}", f" of {facts.tokens:,}"
        widths = _width(bold, count), _width(_small_font(), rest)
        if right - left < widths[0] + widths[1]:
            rest, widths = "", (widths[0], 0.0)
        x = right - sum(widths)
        painter.setFont(bold)
        painter.setPen(theme.ink)
        painter.drawText(QRectF(x, line, widths[0] + 2, 22), int(_LEFT), count)
        painter.setFont(_small_font())
        painter.setPen(theme.dim)
        painter.drawText(QRectF(x + widths[0], line, widths[1] + 2, 22), int(_LEFT), rest)
        return x - 6

    def _paint_bar(self, painter: QPainter, rect: QRectF) -> None:
        theme, identity = self.theme, self.facts.identity
        painter.setPen(Qt.PenStyle.NoPen)
        parts = (
            (theme.sunken, 1.0),
            (identity.mid if self.facts.selected is None else identity.soft, self.facts.share),
            (identity.full, self._selected_share),
        )
        for colour, share in parts:
            if share > 0:
                painter.setBrush(colour)
                width = max(rect.width() * min(share, 1.0), rect.height())
                bar = QRectF(rect.left(), rect.top(), width, 6)
                painter.drawRoundedRect(bar, 3, 3)
                if self.facts.lossy and colour is not theme.sunken:
                    painter.setBrush(theme.lost_bar)
                    painter.drawRoundedRect(bar, 3, 3)


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def _name_font() -> QFont:
    return ui_font(TEXT_SIZE, QFont.Weight.DemiBold)


def _count_font() -> QFont:
    return number_font(TEXT_SIZE)


def _small_font() -> QFont:
    return number_font(SMALL_SIZE)


def _low_count_font() -> QFont:
    return number_font(HEADING_SIZE, QFont.Weight.Bold)


def _large_font() -> QFont:
    return number_font(TITLE_SIZE, QFont.Weight.Bold)


def _width(font: QFont, text: str) -> float:
    return QFontMetricsF(font).horizontalAdvance(text)


def elided(
    font: QFont,
    text: str,
    width: float,
    mode: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle,
) -> str:
    """Returns a name with "…" in its middle if it is too wide: names of one family differ at their ends."""
    return QFontMetrics(font).elidedText(text, mode, int(width))
