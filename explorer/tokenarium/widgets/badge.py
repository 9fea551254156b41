"""A badge: some words with an icon, on a ground of their own; and the small buttons beside it on cards."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolButton, QWidget

from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.icons import paint_icon
from tokenarium.style.theme import GRID, SMALL_CONTROL_HEIGHT
from tokenarium.style.themed import Themed
from tokenarium.widgets.panel import named

ICON, MARGIN = 14, 10
"""Pixels of the icon, and of the room before and after the words."""

INTO_TEXT = "Replaces the text with this one; undo in the text brings it back"
"""The tip of the buttons “Into the text”."""


class Badge(Themed, QWidget):
    """Words with an icon; ``tone`` is bad, ask, good or dim."""

    def __init__(self, words: str, sign: str, tone: str) -> None:
        super().__init__()
        self.words, self.tone = words, tone
        self._sign = sign
        self.setAccessibleName(words)
        self.setFont(ui_font(SMALL_SIZE, QFont.Weight.DemiBold))
        width = self.fontMetrics().horizontalAdvance(words)
        self.setFixedSize(ICON + 5 + width + 2 * MARGIN, 3 * GRID)

    def colours(self) -> tuple[QColor, QColor]:
        """Returns the colours of the words and of their ground."""
        theme = self.theme
        return {
            "bad": (theme.bad, theme.bad_ground),
            "ask": (theme.ask, theme.ask_ground),
            "good": (theme.good, theme.good_ground),
            "dim": (theme.dim, theme.sunken),
        }[self.tone]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour, ground = self.colours()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(QRectF(self.rect()), self.height() / 2, self.height() / 2)
        square = QRectF(MARGIN, (self.height() - ICON) / 2, ICON, ICON)
        paint_icon(painter, square, self._sign, colour)
        painter.setPen(colour)
        room = QRectF(self.rect()).adjusted(square.right() + 5, 0, 0, 0)
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), self.words)
        painter.end()


def card_button(text: str, tip: str) -> QToolButton:
    """Returns a small button of a card."""
    button = named(QToolButton(), tip, tip)
    button.setText(text)
    button.setFixedHeight(SMALL_CONTROL_HEIGHT)
    return button
