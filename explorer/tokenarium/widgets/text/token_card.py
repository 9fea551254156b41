"""The card of one tokenizer: its name, its count, the count of the selection, and a bar."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QWidget

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
from tokenarium.widgets.keyboard import paint_keyboard_ring
from tokenarium.widgets.motion import Glide
from tokenarium.widgets.veil import SAID

GLIDES_MS = 200
"""Milliseconds in which the bar of a selection glides to another length."""

COST_HEIGHT = 18
CHIP_HEIGHT = 32
"""Pixels."""

LEAST_SECOND = 96
"""Pixels: with less room, a second name would be cut to a few letters, so it is left out."""

CAP = 16
"""Pixels of the cap of the key that puts a card in front."""


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


class TokenCard(Themed, QAbstractButton):
    """A card, or a chip of one line."""

    toggled_choice = Signal()
    wants_menu = Signal(QPoint)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.facts = CardFacts("", "", "", LIGHT.identity(0))
        self._chip = self._low = False
        self._key, self._cap = 0, True
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

    def has_room_for_key(self, width: int) -> bool:
        """Whether the whole name and the cap of a key fit into a card of this width; the name goes first."""
        return _width(_name_font(), self.facts.name) <= width - 2 * 13 - 21 - CAP - GRID

    def set_form(self, chip: bool, low: bool, key: int, cap: bool = True) -> None:
        """Makes it a chip of one line, or a card, lower without its note.

        ``key``: the digit that puts it in front, or 0; ``cap``: it shows that.
        """
        self._chip, self._low, self._key, self._cap = chip, low, key, cap
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
        if self._cap:
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
