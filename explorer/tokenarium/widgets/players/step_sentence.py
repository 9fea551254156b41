"""The sentence about a step: centred, with quoted parts on small backgrounds."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from tokenarium.models.text.qt_text import as_tip
from tokenarium.style.fonts import LESSON_SIZE, READING_SIZE, TEXT_SIZE, mono_font, ui_font
from tokenarium.widgets.painting import PaintedPart

CHIP_PADDING = 6.0
_QUOTED = re.compile("“[^“”]*”")
_WORD = re.compile(r"\s*\S+")


@dataclass(frozen=True, slots=True)
class _Part:
    """A word or a quotation; ``glued`` ones follow without a space."""

    text: str
    chip: bool
    glued: bool


class StepSentence(PaintedPart):
    """One sentence in up to two lines; a long one has a smaller font, and a truncated one a tooltip."""

    def __init__(self, size: int = READING_SIZE, parent: QWidget | None = None) -> None:
        self._text = ""
        self._largest = size
        self._lines = 1
        self._shown: list[list[_Part]] = []
        self._font_size = size
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        """The sentence."""
        return self._text

    def setText(self, text: str) -> None:
        """Shows a new sentence."""
        if text != self._text:
            self._text = text
            self.setAccessibleDescription(text)
            self._arrange()

    def set_lines(self, count: int) -> None:
        """Sets the number of lines."""
        if count != self._lines:
            self._lines = count
            self.updateGeometry()
            self._arrange()

    def set_size(self, size: int) -> None:
        """Sets the size of its letters in pixels, used if there is room."""
        if size != self._largest:
            self._largest = size
            self.updateGeometry()
            self._arrange()

    def sizeHint(self) -> QSize:
        return QSize(320, round(self._lines * self._line_height(self._largest)) + 6)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _line_height(self, size: int) -> float:
        return 1.55 * size

    def _arrange(self) -> None:
        parts = _parts(self._text)
        cut = False
        height = self.sizeHint().height()
        # A smaller line is easier to read than two lines with a single word in the second.
        sizes = [(size, 1) for size in range(self._largest, LESSON_SIZE - 1, -1)]
        sizes += [
            (size, max(1, int(height / self._line_height(size))))
            for size in range(self._largest, TEXT_SIZE - 1, -2)
        ]
        for size, room in sizes:
            lines = _in_lines(parts, size, self.width() - 8)
            cut = len(lines) > room
            self._font_size, self._shown = size, lines[:room]
            if not cut:
                break
        if cut and self._shown:
            self._shown[-1].append(_Part("…", False, True))
        self.setToolTip(as_tip(self._text) if cut else "")
        self.update()

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        theme, size = self.theme, self._font_size
        plain, chip = ui_font(size), mono_font(size, QFont.Weight.Medium)
        height = self._line_height(size)
        y = (self.height() - len(self._shown) * height) / 2
        for line in self._shown:
            x = (self.width() - sum(_advance(part, size, not n) for n, part in enumerate(line))) / 2
            for index, part in enumerate(line):
                wide = _advance(part, size, not index)
                gap = 0.0 if part.glued or not index else _space(size)
                rect = QRectF(x + gap, y, wide - gap, height)
                if part.chip:
                    painter.setPen(Qt.PenStyle.NoPen)
                    painter.setBrush(theme.wash)
                    painter.drawRoundedRect(
                        rect.adjusted(0, 0.08 * height, 0, -0.08 * height), 5, 5
                    )
                painter.setFont(chip if part.chip else plain)
                painter.setPen(theme.ink)
                painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, part.text)
                x += wide
            y += height


def _parts(text: str) -> list[_Part]:
    """Returns the words and the quoted parts of a sentence; these lose their quotation marks."""
    parts: list[_Part] = []

    def add_words(words: str) -> None:
        for match in _WORD.finditer(words):
            word = match.group()
            parts.append(_Part(word.strip(), False, word == word.strip() and bool(parts)))

    at = 0
    for match in _QUOTED.finditer(text):
        add_words(text[at : match.start()])
        glued = bool(parts) and not text[: match.start()].endswith(" ")
        parts.append(_Part(match.group()[1:-1], True, glued))
        at = match.end()
    add_words(text[at:])
    return parts


def _space(size: int) -> float:
    return QFontMetricsF(ui_font(size)).horizontalAdvance(" ")


def _advance(part: _Part, size: int, first: bool = False) -> float:
    font = mono_font(size, QFont.Weight.Medium) if part.chip else ui_font(size)
    width = QFontMetricsF(font).horizontalAdvance(part.text) + (
        2 * CHIP_PADDING if part.chip else 0
    )
    return width + (0.0 if part.glued or first else _space(size))


def _in_lines(parts: list[_Part], size: int, width: float) -> list[list[_Part]]:
    """Returns the parts in lines; glued parts stay with the previous one."""
    lines: list[list[_Part]] = []
    x = 0.0
    for index, part in enumerate(parts):
        wide = _advance(part, size)
        tail = parts[index + 1] if index + 1 < len(parts) and parts[index + 1].glued else None
        needed = wide + (_advance(tail, size) if tail is not None else 0.0)
        if not lines or (x + needed > width and not part.glued):
            lines.append([])
            x = 0.0
        lines[-1].append(part)
        x += wide
    return lines
