"""The row below the text of a lesson: the letters that a person reads against the ids that a model gets."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from tokenarium.models.text.direction import reads_right_to_left
from tokenarium.models.text.piece import readable
from tokenarium.style.fonts import HEADING_SIZE, TEXT_SIZE, mono_font, ui_font
from tokenarium.style.theme import CONTROL_RADIUS, GRID, PAGE_MARGIN
from tokenarium.style.themed import Themed

HEIGHT = 14 * GRID
HEAD, TILE_TOP, TILE_HEIGHT = 16, 44, 44
"""Pixels of the row: its height, and where its headings and tiles are."""

WIDE, NARROW = (GRID, 12, 30), (GRID // 2, 4, 24)
"""Pixels between two tiles, on either side of the text in one, and of the narrowest letter, with much room and with little."""

BETWEEN = 6 * GRID
"""The least pixels between the letters and the ids."""

MORE, UNKNOWN = "…", "?"
"""In place of letters that have no room, and of ids that are the answer to a question."""

READ, COUNT = "You read letters", "You count letters"


class LettersRow(Themed, QWidget):
    """Tiles with the letters of a word at the left, and tiles with its ids at the right."""

    def __init__(self) -> None:
        super().__init__()
        self.letters: list[str] = []
        self.ids: list[str] = []
        self.counted = ""
        self._mine = self._heading = ""
        self._rtl = False
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_word(
        self, letters: Sequence[str], name: str, ids: Sequence[int] | None, counted: str = ""
    ) -> None:
        """Shows a word. ``name`` is the tokenizer's; without ``ids``, these are still to be guessed.

        ``counted``: a letter that is marked wherever it occurs.
        """
        self.letters = [_shown(one) for one in letters]
        self.ids = [UNKNOWN] if ids is None else [str(id) for id in ids]
        self.counted = counted
        self._mine = COUNT if counted else READ
        self._heading = f"{name} gets {'an id' if ids is not None and len(ids) == 1 else 'ids'}"
        self._rtl = reads_right_to_left(["".join(letters)])
        shown = "hidden" if ids is None else ", ".join(self.ids)
        self.setAccessibleName(f"{self._mine}: {' '.join(self.letters)}. {self._heading}: {shown}.")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(40 * GRID, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(10 * GRID, HEIGHT)

    def _widths(self, texts: Sequence[str], font: QFont, side: int, least: float) -> list[float]:
        advance = QFontMetricsF(font).horizontalAdvance
        return [max(least, advance(text) + 2 * side) for text in texts]

    def _laid(self) -> tuple[list[str], list[float], list[float], int]:
        """The letters that have room, the widths of their tiles and of those of the ids, and the gap between tiles."""
        room = self.width() - 2 * PAGE_MARGIN - BETWEEN
        letters = list(self.letters)
        while True:
            for gap, side, least in (WIDE, NARROW):
                mine = self._widths(letters, _letter_font(), side, least)
                theirs = self._widths(self.ids, _id_font(), 2 * side, 0)
                if sum(mine) + sum(theirs) + gap * (len(mine) + len(theirs) - 2) <= room:
                    return letters, mine, theirs, gap
            if len(letters) < 3:
                return letters, mine, theirs, gap
            letters = [*(letters[:-2] if letters[-1] == MORE else letters[:-1]), MORE]

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.surface)
        left, right = PAGE_MARGIN, self.width() - PAGE_MARGIN
        painter.setPen(QPen(theme.line, 1))
        painter.drawLine(QPointF(left, 0.5), QPointF(right, 0.5))
        letters, mine, theirs, gap = self._laid()
        ids_left = right - sum(theirs) - gap * (len(theirs) - 1)
        painter.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        painter.setPen(theme.dim)
        head = QRectF(left, HEAD, self.width(), 20)
        painter.drawText(head, Qt.AlignmentFlag.AlignVCenter, self._mine)
        # A long name begins further left than the ids, but after the other heading.
        advance = painter.fontMetrics().horizontalAdvance
        at = max(
            min(ids_left, right - advance(self._heading)), left + advance(self._mine) + 2 * GRID
        )
        painter.drawText(
            head.translated(at - left, 0), Qt.AlignmentFlag.AlignVCenter, self._heading
        )
        order = zip(letters, mine, strict=True)
        x: float = left
        for letter, width in reversed(list(order)) if self._rtl else order:
            counts = bool(self.counted) and letter.casefold() == self.counted.casefold()
            colours = (theme.ask_ground, theme.ask) if counts else (theme.surface, theme.line)
            weight = QFont.Weight.Bold if counts else QFont.Weight.Normal
            self._paint_tile(
                painter,
                QRectF(x, TILE_TOP, width, TILE_HEIGHT),
                letter,
                colours,
                _letter_font(weight),
            )
            x += width + gap
        x = ids_left
        for id, width in zip(self.ids, theirs, strict=True):
            tile = QRectF(x, TILE_TOP, width, TILE_HEIGHT)
            self._paint_tile(painter, tile, id, (theme.surface, theme.line), _id_font())
            x += width + gap
        painter.end()

    def _paint_tile(
        self,
        painter: QPainter,
        rect: QRectF,
        text: str,
        colours: tuple[QColor, QColor],
        font: QFont,
    ) -> None:
        ground, edge = colours
        painter.setPen(QPen(edge, 2 if edge == self.theme.ask else 1))
        painter.setBrush(ground)
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), CONTROL_RADIUS, CONTROL_RADIUS)
        painter.setPen(self.theme.ink)
        painter.setFont(font)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


def _shown(letter: str) -> str:
    """Returns what people see of a grapheme, or a sign for one that cannot be seen.

    >>> _shown("é"), _shown(" ")
    ('é', '␣')
    """
    if any(one.isprintable() and not one.isspace() for one in letter):
        return letter
    return readable(letter.encode("utf-8", "surrogatepass"))


def _letter_font(weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    return ui_font(HEADING_SIZE + 2, weight)


def _id_font() -> QFont:
    return mono_font(HEADING_SIZE)
