"""A card for each tokenizer above the comparison: its name, its count, the count of the selection, and a bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QFontMetricsF,
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
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, TITLE_SIZE, number_font, ui_font
from tokenarium.style.shapes import paint_marker
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
LOW_CARD_HEIGHT = 78
LEAST_CARD_WIDTH = 150
MOST_CARD_WIDTH = 300
CHIP_HEIGHT = 32
GAP = 10
"""Pixels."""


@dataclass(frozen=True, slots=True)
class CardFacts:
    """The contents of a card. ``second``: the second name. ``selected``: the tokens of the selection, or None.

    ``tokens`` is None until they are counted. ``share`` and ``selected_share`` are the lengths of the bar and of its
    dark part, 0 to 1. ``note`` and ``cost``: a line of words each. ``lossy``: too much of the text is lost to compare
    the count; it has a sign, and its bar is hatched.
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

    def __init__(self, parent: QWidget | None = None, chips: bool = False) -> None:
        """``chips``: always shows chips of one line, however few there are."""
        super().__init__(parent)
        self._cards: list[_Card] = []
        self._low = self._hides = False
        self._known: tuple[Sequence[CardFacts], str] = ((), "")  # what is shown, or hidden now
        self._chips = chips
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

    @property
    def _has_costs(self) -> bool:
        return any(card.facts.cost for card in self._cards)

    @property
    def as_chips(self) -> bool:
        """Whether there are too many for cards."""
        count = len(self._cards)
        room = (self.width() + GAP) // max(count, 1) - GAP
        return self._chips or count > MOST_CARDS or (count > 1 and room < LEAST_CARD_WIDTH)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        chips = self.as_chips
        for card in self._cards:
            card.set_form(chips, self._low)
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
    def __init__(self, cards: TokenCards) -> None:
        super().__init__(cards)
        self.facts = CardFacts("", "", "", LIGHT.identity(0))
        self._chip = self._low = False
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
        self.setAccessibleName(f"{facts.name}: {spoken}")
        self.setAccessibleDescription(facts.note)
        self.setToolTip(as_tip(facts.tip))
        self.update()

    def set_form(self, chip: bool, low: bool) -> None:
        """Makes it a chip of one line, or a card, lower without its note."""
        self._chip, self._low = chip, low
        self.update()

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
            return facts.count, ""
        return f"{facts.selected:,}", f"of {facts.tokens:,}"

    def sizeHint(self) -> QSize:
        count, selected = self._chip_words()
        width = (
            12 + 13 + 8 + _width(_name_font(), self.facts.name) + 7 + _width(_count_font(), count)
        )
        if selected:
            width += 4 + _width(_small_font(), selected)
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
        paint_marker(painter, QRectF(12, middle - 6, 12, 12), facts.identity)
        count, selected = self._chip_words()
        x = 33.0
        for font, pen, words in (
            (_name_font(), theme.ink, facts.name),
            (_count_font(), theme.ink, count),
            (_small_font(), theme.dim, selected),
        ):
            painter.setFont(font)
            painter.setPen(pen)
            room = QRectF(x, 0, self.width() - x - 10, self.height())
            shown = _elided(font, words, room.width())
            painter.drawText(room, int(_LEFT), shown)
            x += _width(font, shown) + (7 if words == facts.name else 4)

    def _paint_card(self, painter: QPainter) -> None:
        theme, facts = self.theme, self.facts
        left, right = 13.0, self.width() - 13.0
        paint_marker(painter, QRectF(left, 13, 13, 13), facts.identity)
        x = left + 21
        painter.setFont(_name_font())
        painter.setPen(theme.ink)
        name = _elided(_name_font(), facts.name, right - x)
        painter.drawText(QRectF(x, 9, right - x, 20), int(_LEFT), name)
        x += _width(_name_font(), name) + 7
        if facts.second and right - x > 20:
            painter.setFont(_small_font())
            painter.setPen(theme.dim)
            second = _elided(_small_font(), facts.second, right - x)
            painter.drawText(QRectF(x, 9, right - x, 20), int(_LEFT), second)
        count = facts.count
        painter.setFont(_large_font())
        painter.setPen(theme.ink)
        painter.drawText(QRectF(left, 30, right - left, 28), int(_LEFT), count)
        taken = left + _width(_large_font(), count) + 6
        unit = facts.unit + "s" * (facts.tokens != 1)
        rest = self._paint_selected(painter, taken, right)
        if taken + _width(_small_font(), unit) < rest:
            painter.setFont(_small_font())
            painter.setPen(theme.dim)
            painter.drawText(QRectF(taken, 34, rest - taken, 22), int(_LEFT), unit)
        if not self._low:
            painter.setFont(_small_font())
            painter.setPen(theme.dim)
            for index, words in enumerate((facts.note, facts.cost)):
                if _width(_small_font(), words) > right - left:
                    words = words.replace(" times ", "× ")
                shown = _elided(_small_font(), words, right - left)
                room = QRectF(left, 57 + index * COST_HEIGHT, right - left, 18)
                painter.drawText(room, int(_LEFT), shown)
        self._paint_bar(painter, QRectF(left, self.height() - 16, right - left, 6))

    def _paint_selected(self, painter: QPainter, left: float, right: float) -> float:
        """Writes how many tokens the selection has, at the right; returns where it begins."""
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
        painter.drawText(QRectF(x, 34, widths[0] + 2, 22), int(_LEFT), count)
        painter.setFont(_small_font())
        painter.setPen(theme.dim)
        painter.drawText(QRectF(x + widths[0], 34, widths[1] + 2, 22), int(_LEFT), rest)
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


def _large_font() -> QFont:
    return number_font(TITLE_SIZE, QFont.Weight.Bold)


def _width(font: QFont, text: str) -> float:
    return QFontMetricsF(font).horizontalAdvance(text)


def _elided(font: QFont, text: str, width: float) -> str:
    return QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, int(width))
