"""Tokens as tiles in rows that wrap, each with its id under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip

from tokenarium.models.text.qt_text import as_tip
from tokenarium.style.cuts import Cut
from tokenarium.style.fonts import READING_SIZE, SMALL_SIZE, mono_font, reading_font
from tokenarium.style.shapes import paint_tile, token_path
from tokenarium.style.theme import GRID
from tokenarium.widgets.painting import PaintedPart, paint_superword_line, small_width

GAP = 4.0
"""Pixels between two tiles."""

WORD_GAP = 2.0 * GRID
"""Pixels between the tiles of two pre-tokens."""

NOTE = 18.0
"""Pixels of the line under a tile."""


FEW = 8
"""More tiles than this are at most `LOW` pixels high."""

LOW = 34.0


@dataclass(frozen=True, slots=True)
class ShownTile:
    """One tile: its text, the note under it, its colour number (-1: no token), and its edges.

    ``dashed``: there is no such token. ``lit``: it is framed. ``apart``: it begins a new pre-token. ``lost``: it stands
    for lost text.
    """

    text: str
    note: str
    colour: int
    left: Cut = Cut.STRAIGHT
    right: Cut = Cut.STRAIGHT
    tip: str = ""
    dashed: bool = False
    lit: bool = False
    superword: bool = False
    apart: bool = False
    lost: bool = False


class TokenTiles(PaintedPart):
    """The tiles, one of which is current for the keys. If there are many, they are lower; bytes have small letters."""

    picked = Signal(int)  # the number of a tile
    menu_requested = Signal(QPoint, int)  # a place on the screen, the number of a tile

    def __init__(self, height: float = 40.0, size: int = 18) -> None:
        super().__init__()
        self.setAccessibleName("Tokens")
        self.tiles: Sequence[ShownTile] = ()
        self.current = -1
        self._height = height
        self._tall = height
        self._pixels = size
        self._right = False
        self._widths: tuple[int, list[float]] = (
            0,
            [],
        )  # of the tiles, by the size of their letters
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_tiles(self, tiles: Sequence[ShownTile]) -> None:
        """Shows new tiles."""
        self.tiles = tiles
        self._widths = (0, [])
        self.current = -1
        self._height = self._tall if len(tiles) <= FEW else min(self._tall, LOW)
        self.setAccessibleDescription(
            " ".join(
                f"{tile.text} {tile.note}{' (superword)' * tile.superword}{' (lost text)' * tile.lost}"
                for tile in tiles
            )
        )
        self.updateGeometry()
        self.update()

    def set_right(self, right: bool) -> None:
        """Puts a single row at the right end, or at the left."""
        self._right = right
        self.update()

    def _font(self, tile: ShownTile) -> QFont:
        """The font of a tile: small if it shows only bytes."""
        if "<0x" in tile.text:
            return mono_font(SMALL_SIZE)
        return reading_font(self._pixels if self._height == self._tall else READING_SIZE - 2)

    @property
    def full_width(self) -> float:
        """Pixels of all tiles in one row."""
        return max((rect.right() for rect in self._places(100_000)), default=0.0) + 1

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        places = self._places(width)
        return round(places[-1].bottom() + NOTE) if places else 0

    def sizeHint(self) -> QSize:
        return QSize(40 * GRID, self.heightForWidth(max(self.width(), 40 * GRID)))

    def minimumSizeHint(self) -> QSize:
        return QSize(12 * GRID, round(self._height + NOTE))

    def rect_of(self, number: int) -> QRectF:
        """Returns the rectangle of a tile."""
        return self._places(self.width())[number]

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        theme = self.theme
        note = mono_font(SMALL_SIZE)
        for number, (tile, rect) in enumerate(
            zip(self.tiles, self._places(self.width()), strict=True)
        ):
            if seen is not None and not seen.intersects(rect.adjusted(-GRID, 0, GRID, NOTE)):
                continue
            if tile.dashed:
                painter.setPen(QPen(theme.strong, 1, Qt.PenStyle.DashLine))
                painter.setBrush(theme.surface)
                painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 8, 8)
            else:
                paint_tile(painter, rect, theme, tile.colour, tile.left, tile.right)
            if tile.lost:
                painter.fillPath(token_path(rect, tile.left, tile.right, 8), theme.lost)
            if tile.lit or (number == self.current and self.hasFocus()):
                painter.strokePath(
                    token_path(rect.adjusted(1, 1, -1, -1), tile.left, tile.right, 8),
                    QPen(theme.accent, 2),
                )
            if tile.superword:
                paint_superword_line(painter, theme, rect.adjusted(0, 0, 0, -3))
            text = self._font(tile)
            shown = QFontMetricsF(text).elidedText(
                tile.text, Qt.TextElideMode.ElideMiddle, rect.width() - 6
            )
            painter.setFont(text)
            painter.setPen(theme.fills.ink if tile.colour >= 0 else theme.dim)
            painter.drawText(rect.adjusted(0, -1, 0, -2), Qt.AlignmentFlag.AlignCenter, shown)
            painter.setFont(note)
            painter.setPen(theme.dim)
            below = QRectF(rect.left() - GRID, rect.bottom() + 1, rect.width() + 2 * GRID, NOTE)
            painter.drawText(below, Qt.AlignmentFlag.AlignCenter, tile.note)

    def _wanted_widths(self) -> list[float]:
        """Returns the width of each tile, measured once, as a layout needs it many times."""
        size = reading_font(self._pixels).pixelSize()
        if self._widths[0] != size or len(self._widths[1]) != len(self.tiles):
            least = 28.0
            widths = [
                max(
                    QFontMetricsF(self._font(tile)).horizontalAdvance(tile.text) + 2 * GRID + 4,
                    small_width(tile.note),
                    least,
                )
                for tile in self.tiles
            ]
            self._widths = (size, widths)
        return self._widths[1]

    def _places(self, width: int) -> list[QRectF]:
        most = max(width - 2.0, 6.0 * GRID)
        places: list[QRectF] = []
        x, y = 1.0, 1.0
        for tile, widths in zip(self.tiles, self._wanted_widths(), strict=True):
            size = min(widths, most)
            if places:
                x += WORD_GAP if tile.apart else GAP
            if x > 1.0 and x + size > most:
                x, y = 1.0, y + self._height + NOTE + GAP
            places.append(QRectF(x, y, size, self._height))
            x += size
        if self._right and places and places[-1].top() == 1.0 and width < 100_000:
            for rect in places:
                rect.translate(most - x, 0)
        return places

    # Input.

    def tile_at(self, point: QPointF) -> int:
        """Returns the number of the tile at a place, or -1."""
        for number, rect in enumerate(self._places(self.width())):
            if rect.adjusted(0, 0, 0, NOTE).contains(point):
                return number
        return -1

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            number = self.tile_at(QPointF(event.pos()))
            tip = self.tiles[number].tip if number >= 0 else ""
            QToolTip.showText(event.globalPos(), as_tip(tip), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        number = self.tile_at(event.position())
        if number >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self._go_to(number)
            self.picked.emit(number)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        number = self.current if by_key else self.tile_at(QPointF(event.pos()))
        if number >= 0:
            self._go_to(number)
            below = self.rect_of(number).bottomLeft().toPoint()
            self.menu_requested.emit(
                self.mapToGlobal(below) if by_key else event.globalPos(), number
            )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = Qt.Key
        last = len(self.tiles) - 1
        steps = {
            keys.Key_Left: -1,
            keys.Key_Right: 1,
            keys.Key_Home: -last - 1,
            keys.Key_End: last + 1,
        }
        step = steps.get(keys(event.key()))
        if step is not None and last >= 0:
            self._go_to(max(0, min(self.current + step, last)))
        elif event.key() in (keys.Key_Return, keys.Key_Enter) and self.current >= 0:
            below = self.rect_of(self.current).bottomLeft().toPoint()
            self.menu_requested.emit(self.mapToGlobal(below), self.current)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        if self.current < 0 and self.tiles:
            self.current = 0
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()

    def _go_to(self, number: int) -> None:
        self.current = number
        self.update()
