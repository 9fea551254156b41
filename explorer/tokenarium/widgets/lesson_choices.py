"""The choices of a question, and the keys that choose them."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QPushButton, QSizePolicy

from tokenarium.style.fonts import LESSON_SIZE, RAIL_SIZE, number_font, ui_font
from tokenarium.style.icons import paint_icon
from tokenarium.style.theme import CONTROL_RADIUS
from tokenarium.style.themed import Themed
from tokenarium.widgets.keyboard import paint_keyboard_ring

CHOICE_HEIGHT = 42
BESIDE_CHOICE = 58
"""Pixels of a choice in one line, and those around its text."""

CAP = 20
"""Pixels of the key in a choice, and of the sign that replaces it."""

WRAPPED = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
"""How the text of a choice is painted."""


class ChoiceButton(Themed, QPushButton):
    """A choice of a question: its text and the key that chooses it, if any; once answered, right or wrong."""

    def __init__(self, text: str, key: str) -> None:
        super().__init__(text)
        self.key = key
        self._takes_key = False
        self.state = ""
        self.setFont(ui_font(LESSON_SIZE, QFont.Weight.DemiBold))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)  # its text continues on a second line
        self.setSizePolicy(policy)
        self.take_key(True)

    def take_key(self, takes: bool) -> None:
        """Shows the key, which then chooses, or leaves it to others."""
        self._takes_key = takes and bool(self.key)
        self.setShortcut(self.key if self._takes_key else "")
        self.set_state(self.state)

    @property
    def _spoken(self) -> str:
        """What a screen reader says: the key and the text, once where they are the same."""
        text = self.text()
        return f"{self.key}: {text}" if self._takes_key and self.key != text else text

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance(self.text()) + BESIDE_CHOICE
        return QSize(max(68, width + 2), CHOICE_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(68, CHOICE_HEIGHT)

    def heightForWidth(self, width: int) -> int:
        room = QRect(0, 0, width - BESIDE_CHOICE, 1 << 12)
        text = self.fontMetrics().boundingRect(room, WRAPPED, self.text())
        return max(CHOICE_HEIGHT, text.height() + 20)

    def set_state(self, state: str) -> None:
        """Shows that the choice is right (``"good"``), wrong (``"bad"``) or neither."""
        self.state = state
        state_text = {"good": ", right", "bad": ", wrong"}.get(state, "")
        self.setAccessibleName(f"{self._spoken}{state_text}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self.theme
        ink, ground, line = {
            "good": (theme.good, theme.good_ground, theme.good),
            "bad": (theme.bad, theme.bad_ground, theme.bad),
        }.get(self.state, (theme.ink, theme.surface, theme.strong))
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(line, 1))
        painter.setBrush(theme.sunken if self.isDown() or self.underMouse() else ground)
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(rect, CONTROL_RADIUS, CONTROL_RADIUS)
        painter.setPen(ink)
        inner = self.rect().adjusted(14, 0, 14 - BESIDE_CHOICE, 0)
        painter.drawText(inner, WRAPPED, self.text())
        cap = QRectF(self.width() - CAP - 12, (self.height() - CAP) / 2, CAP, CAP)
        if self.state:
            paint_icon(painter, cap, "check" if self.state == "good" else "x", ink)
        elif self._takes_key:
            painter.setPen(QPen(theme.line, 1))
            painter.setBrush(theme.sunken)
            painter.drawRoundedRect(cap.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
            painter.setPen(theme.dim)
            painter.setFont(number_font(RAIL_SIZE))
            painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, self.key)
        painter.end()
        paint_keyboard_ring(self, self.rect())
