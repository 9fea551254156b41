"""Common parts of painted widgets: theme and highlight, text widths, the line under superwords, tokens in a sentence."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from tokenarium.models.text.piece import Sentence, SentenceToken, plain
from tokenarium.models.text.segmentation import token_colour
from tokenarium.style.fonts import (
    READING_SIZE,
    SMALL_SIZE,
    TEXT_SIZE,
    font_cache,
    mono_font,
    reading_font,
    ui_font,
)
from tokenarium.style.theme import Theme
from tokenarium.style.themed import Themed

_KEPT = 1 << 15


@font_cache(maxsize=_KEPT)
def text_width(text: str) -> float:
    """The width of a text in the font of ordinary text."""
    return QFontMetricsF(ui_font(TEXT_SIZE)).horizontalAdvance(text)


@font_cache(maxsize=_KEPT)
def small_width(text: str) -> float:
    """The width of a note: an id, a rank, a score."""
    return QFontMetricsF(mono_font(SMALL_SIZE)).horizontalAdvance(text)


@font_cache(maxsize=_KEPT)
def reading_width(text: str) -> float:
    """The width of a part of the text."""
    return QFontMetricsF(reading_font(READING_SIZE)).horizontalAdvance(text)


LINE_HEIGHT = 2.0
"""Pixels."""


def superword_line(rect: QRectF, inset: float = 0.0) -> QRectF:
    """Returns the rectangle of the line in a box; ``inset``: its distance from rounded corners."""
    top = rect.bottom() - LINE_HEIGHT - (1 if inset else 0)
    return QRectF(rect.left() + inset, top, rect.width() - 2 * inset, LINE_HEIGHT)


def paint_superword_line(painter: QPainter, theme: Theme, rect: QRectF, inset: float = 4.0) -> None:
    """Paints the line into a box with rounded corners."""
    painter.fillRect(superword_line(rect, inset), theme.dim)


_ISOLATE, _END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


class PaintedPart(Themed, QWidget):
    """A widget that paints itself in the colours of a theme, and highlights a range of bytes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lit = (0, 0)
        self._size = QSize()  # invalid: Qt asks the layout

    def light(self, start: int, end: int) -> None:
        """Highlights a range of bytes; an empty one highlights nothing."""
        if (start, end) != self._lit:
            self._lit = (start, end)
            self.update()

    def sizeHint(self) -> QSize:
        return self._size

    def minimumSizeHint(self) -> QSize:
        return self._size

    def _ask_for(self, size: QSize) -> None:
        """Sets its size hint."""
        if size != self._size:
            self._size = size
            self.setMinimumSize(size)
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint(painter, QRectF(event.rect()))
        painter.end()

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        """Paints the widget, also for an export; ``seen`` is the part that is needed."""
        raise NotImplementedError


class SentenceLabel(Themed, QLabel):
    """A label with a sentence that wraps; screen readers get the pieces in quotation marks."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sentence: Sentence = ()
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self.setMinimumWidth(1)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.follow_theme()

    def dress(self, theme: Theme) -> None:
        self.say(self.sentence)

    def say(self, sentence: Sentence) -> None:
        """Shows a sentence."""
        self.sentence = sentence
        shown = "".join(self._html(part) for part in sentence)
        self.setText(f'<p dir="ltr" style="margin:0">{shown}</p>')
        self.setAccessibleName(plain(sentence))

    def _html(self, part: str | SentenceToken) -> str:
        from html import escape  # here, as the window starts without a sentence

        if isinstance(part, str):
            # An id stays on a line with its number.
            return escape(part).replace("  ", "&nbsp; ").replace(" id ", " id&nbsp;")
        theme = self.theme
        tokens = theme.tokens
        colour = theme.shared if part.id < 0 else tokens[token_colour(part.id) % len(tokens)]
        # The spaces are outside the isolate, so that they stay at the ends in both directions.
        text = f"&nbsp;{_ISOLATE}{escape(part.text)}{_END}&nbsp;"
        if part.superword:
            text = f"<u>{text}</u>"
        return (
            f'<span style="background-color:{colour.name()};color:{theme.ink.name()}">{text}</span>'
        )
