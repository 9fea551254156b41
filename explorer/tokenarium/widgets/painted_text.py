"""What painted text has in common: how wide it is in the fonts of the app, and the line under what is a superword."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from tokenarium.style.theme import (
    READING_SIZE,
    SMALL_SIZE,
    TEXT_SIZE,
    Theme,
    mono_font,
    reading_font,
    ui_font,
)

_KEPT = 1 << 15


@lru_cache(maxsize=_KEPT)
def text_width(text: str) -> float:
    """The width of a text in the font of ordinary text."""
    return QFontMetricsF(ui_font(TEXT_SIZE)).horizontalAdvance(text)


@lru_cache(maxsize=_KEPT)
def small_width(text: str) -> float:
    """The width of a note: an id, a rank, a score."""
    return QFontMetricsF(mono_font(SMALL_SIZE)).horizontalAdvance(text)


@lru_cache(maxsize=_KEPT)
def reading_width(text: str) -> float:
    """The width of a part of the text that is tokenized."""
    return QFontMetricsF(reading_font(READING_SIZE)).horizontalAdvance(text)


LINE_HEIGHT = 2.0
"""Pixels."""


def superword_line(rect: QRectF, inset: float = 0.0) -> QRectF:
    """Returns where the line lies in a box; ``inset``: how far it stays away from rounded corners."""
    top = rect.bottom() - LINE_HEIGHT - (1 if inset else 0)
    return QRectF(rect.left() + inset, top, rect.width() - 2 * inset, LINE_HEIGHT)


def paint_superword_line(painter: QPainter, theme: Theme, rect: QRectF, inset: float = 4.0) -> None:
    """Paints the line into a box with rounded corners."""
    painter.fillRect(superword_line(rect, inset), theme.faint)
