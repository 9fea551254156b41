"""How wide short texts are in the fonts of the app; each is measured once."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtGui import QFontMetricsF

from tokenarium.style.theme import (
    READING_SIZE,
    SMALL_SIZE,
    TEXT_SIZE,
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
