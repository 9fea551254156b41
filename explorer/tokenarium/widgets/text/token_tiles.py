"""Tokens as tiles with their ids, word by word, in as many lines as it takes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from tokenarium.models.text.superword_ids import ABOUT
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID, SMALL_SIZE, Theme, mono_font, reading_font
from tokenarium.widgets.players.tile_layout import (
    GAP,
    NARROWEST,
    NOTE_HEIGHT,
    PADDING,
    WORD_GAP,
    Tile,
)
from tokenarium.widgets.text_width import reading_width, small_width
from tokenarium.widgets.vocabulary.superword_line import paint_superword_line

TILE_HEIGHT = 4.0 * GRID
LINE_HEIGHT = TILE_HEIGHT + NOTE_HEIGHT + 0.5 * GRID
EDGE = 2.0 * GRID


class TokenTiles(QWidget):
    """Paints tiles that stay where they are: a `TileStage` for what no longer moves."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Tokens")
        self._theme = theme
        self.words: Sequence[Sequence[Tile]] = ()
        self._lit = (0, 0)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_words(self, words: Sequence[Sequence[Tile]], lit: tuple[int, int] = (0, 0)) -> None:
        """Shows other tiles; those that touch the bytes ``lit`` are marked."""
        self.words = words
        self._lit = lit
        tiles = [tile for word in words for tile in word]
        said = " ".join(
            f"{tile.text} {tile.note}{' (superword)' if tile.superword else ''}" for tile in tiles
        )
        self.setToolTip(ABOUT if any(tile.superword for tile in tiles) else "")
        self.setAccessibleDescription(said)
        self.updateGeometry()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Paints in other colours."""
        self._theme = theme
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        places = self._places(width)
        return round(places[-1][1].top() + LINE_HEIGHT) if places else 0

    def sizeHint(self) -> QSize:
        return QSize(40 * GRID, self.heightForWidth(max(self.width(), 40 * GRID)))

    def minimumSizeHint(self) -> QSize:
        return QSize(16 * GRID, round(LINE_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        text, note = reading_font(), mono_font(SMALL_SIZE)
        for tile, rect in self._places(self.width()):
            self._paint_tile(painter, tile, rect)
            painter.setPen(self._theme.text)
            painter.setFont(text)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, tile.text)
            painter.setPen(self._theme.faint)
            painter.setFont(note)
            below = QRectF(rect.left() - GRID, rect.bottom() + 1, rect.width() + EDGE, NOTE_HEIGHT)
            painter.drawText(below, Qt.AlignmentFlag.AlignCenter, tile.note)
        painter.end()

    def _paint_tile(self, painter: QPainter, tile: Tile, rect: QRectF) -> None:
        theme = self._theme
        fill = theme.raised if tile.loose else theme.tokens[tile.colour % len(theme.tokens)]
        lit = self._lit[0] < tile.end and tile.start < self._lit[1]
        if lit:
            painter.setPen(QPen(theme.accent, 2))
        elif tile.frozen:
            painter.setPen(QPen(theme.text, 1))
        else:
            painter.setPen(QPen(mix(fill, theme.text, 0.18), 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(rect, 4, 4)
        if tile.superword:
            paint_superword_line(painter, theme, rect)

    def _places(self, width: int) -> list[tuple[Tile, QRectF]]:
        places = []
        x, y = EDGE, 1.0
        right = max(width - EDGE, 12 * GRID)
        for word in self.words:
            for tile in word:
                size = max(
                    reading_width(tile.text) + 2 * PADDING,
                    small_width(tile.note) + GRID / 2,
                    NARROWEST,
                )
                if x > EDGE and x + size > right:
                    x, y = EDGE, y + LINE_HEIGHT
                places.append((tile, QRectF(x, y, size, TILE_HEIGHT)))
                x += size + GAP
            x += WORD_GAP - GAP
        return places
