"""The symbols of words as tiles, which slide together when a merge joins two of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, takewhile

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from tokenarium.models.merges.merge_scene import Tile, TileScene
from tokenarium.models.text.qt_text import as_tip
from tokenarium.style.fonts import SMALL_SIZE, mono_font, reading_font
from tokenarium.style.shapes import paint_tile
from tokenarium.style.theme import GRID, MOTION_MS
from tokenarium.widgets.painting import (
    PaintedPart,
    paint_superword_line,
    reading_width,
    small_width,
)
from tokenarium.widgets.players.canvas_painting import between

TILE_HEIGHT = 5.0 * GRID
RANK_HEIGHT = 2.5 * GRID
"""Pixels above the tiles of a line, for the ranks of candidate merges."""

NOTE_HEIGHT = 2.0 * GRID
"""Pixels below the tiles, for ids."""

LINE_HEIGHT = RANK_HEIGHT + TILE_HEIGHT + NOTE_HEIGHT + GRID
PADDING = 1.0 * GRID
GAP = 0.5 * GRID
WORD_GAP = 2.5 * GRID
NARROWEST = 3.0 * GRID
LEFT = 2.0 * GRID


@dataclass(frozen=True, slots=True)
class TiledWord:
    """The tiles of a word with their first bytes, their widths, and their left edges in one line."""

    tiles: Sequence[Tile]
    starts: list[int]
    widths: list[float]
    lefts: list[float]
    width: float


def measured(tiles: Sequence[Tile], widest: str) -> TiledWord:
    """Returns a word with its measures; each tile has room for the label ``widest`` above it."""
    narrowest = max(NARROWEST, small_width(widest))
    widths = [_tile_width(tile.text, tile.note, narrowest) for tile in tiles]
    lefts, x = [], 0.0
    for width in widths:
        lefts.append(x)
        x += width + GAP
    return TiledWord(
        tiles, [tile.start for tile in tiles], widths, lefts, x - GAP if widths else 0.0
    )


class TileLayout:
    """The tiles of all words in reading order, with their positions, and the total ``height``.

    The tops never decrease, so a binary search finds the visible tiles.
    """

    def __init__(self, words: Sequence[TiledWord], width: int) -> None:
        self.tiles: list[Tile] = []
        self._lefts: list[float] = []
        self._tops: list[float] = []
        self._widths: list[float] = []
        self._ends: set[int] = set()  # the ends of the last tiles of words
        starts: list[int] = []
        x, y = LEFT, 1.0 * GRID
        right = max(width - 2 * GRID, 12 * GRID)
        for word in words:
            if x > LEFT and x + word.width > right:
                x, y = LEFT, y + LINE_HEIGHT
            if x + word.width <= right:
                self._lefts += [x + left for left in word.lefts]
                self._tops += [y + RANK_HEIGHT] * len(word.tiles)
                x += word.width + (GAP if word.tiles else 0.0)
            else:
                for size in word.widths:
                    if x > LEFT and x + size > right:
                        x, y = LEFT, y + LINE_HEIGHT
                    self._lefts.append(x)
                    self._tops.append(y + RANK_HEIGHT)
                    x += size + GAP
            self.tiles += word.tiles
            self._widths += word.widths
            self._ends.add(len(self.tiles))
            starts += word.starts
            x += WORD_GAP - GAP
        self._numbers = {start: number for number, start in enumerate(starts)}
        self._sorted = sorted(self._numbers)
        self.height = y + LINE_HEIGHT + GRID

    def rect(self, number: int) -> QRectF:
        """The rectangle of a tile."""
        return QRectF(self._lefts[number], self._tops[number], self._widths[number], TILE_HEIGHT)

    def rect_of(self, start: int) -> QRectF:
        """The rectangle of the tile that begins at a byte; empty if there is none."""
        number = self.number(start)
        return self.rect(number) if number >= 0 else QRectF()

    def number(self, start: int) -> int:
        """The tile that begins at a byte; -1 if there is none."""
        return self._numbers.get(start, -1)

    def between(self, top: float, bottom: float) -> range:
        """The tiles that overlap, with their notes, a part of the height."""
        first = bisect_left(self._tops, top - TILE_HEIGHT - NOTE_HEIGHT)
        return range(first, bisect_right(self._tops, bottom))

    def pair(self, start: int) -> tuple[QRectF, QRectF] | None:
        """The rectangles of the tile at a byte and the next one of its word, if they are in one line."""
        left = self.number(start)
        if left < 0 or left + 1 in self._ends or self._tops[left] != self._tops[left + 1]:
            return None
        return self.rect(left), self.rect(left + 1)

    def top(self, start: int) -> float:
        """The top of the tile that begins at a byte; -1.0 if there is none."""
        number = self.number(start)
        return self._tops[number] if number >= 0 else -1.0

    def covering(self, start: int, end: int) -> QRectF | None:
        """The rectangle of the tiles in a range of bytes, or of the tile around it; None if not in one line."""
        parts = self._sorted
        first, last = bisect_left(parts, start), bisect_left(parts, end)
        inside = [self._numbers[at] for at in parts[min(first, max(last - 1, 0)) : last]]
        if not inside or self._tops[inside[0]] != self._tops[inside[-1]]:
            return None
        return self.rect(inside[0]).united(self.rect(inside[-1]))

    def changed(self, before: TileLayout) -> tuple[float, float]:
        """Returns the part of the height in which tiles differ from those of an earlier layout."""
        ours, theirs = self._lines(), before._lines()
        first = sum(1 for _ in takewhile(_same, zip(ours, theirs, strict=False)))
        if first == len(ours) == len(theirs):
            return 0.0, 0.0
        top = min((lines[first][0] for lines in (ours, theirs) if first < len(lines)), default=0.0)
        rest = ours[first:], theirs[first:]
        after = sum(1 for _ in takewhile(_same, zip(*map(reversed, rest), strict=False)))
        ends = (lines[len(lines) - after - 1][0] for lines in (ours, theirs) if after < len(lines))
        return top - RANK_HEIGHT, max(ends, default=top) + LINE_HEIGHT

    def _lines(self) -> list[tuple[float, list[Tile], list[float]]]:
        """Returns the top of each line, its tiles, and their left edges."""
        starts = [at for at, top in enumerate(self._tops) if not at or top != self._tops[at - 1]]
        return [
            (self._tops[start], self.tiles[start:end], self._lefts[start:end])
            for start, end in pairwise([*starts, len(self.tiles)])
        ]

    def at(self, point: QPointF) -> Tile | None:
        """The tile under a point."""
        for number in self.between(point.y(), point.y()):
            if self.rect(number).contains(point):
                return self.tiles[number]
        return None


def _same(two: tuple[object, object]) -> bool:
    return two[0] == two[1]


@lru_cache(maxsize=1 << 15)
def _tile_width(text: str, note: str, narrowest: float) -> float:
    """Returns the width of a tile with its text, its note, and the label above it."""
    return max(reading_width(text) + 2 * PADDING, small_width(note) + GRID / 2, narrowest)


class TileStage(PaintedPart):
    """Shows scenes one after another; the tiles slide between them."""

    hovered = Signal(int, int)  # the bytes of the tile under the pointer; 0, 0 for none
    picked = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Symbols of the word")
        self.setMouseTracking(True)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.motion = True
        self._scene = TileScene()
        self._words: list[TiledWord] = []
        self._places = TileLayout([], 0)
        self._before: TileLayout | None = None  # where tiles slide from
        self._laid: dict[int, TileLayout] = {}  # by width
        self._font = reading_font()
        self._small = mono_font(SMALL_SIZE)
        self._slide = QVariantAnimation(self, startValue=0.0, endValue=1.0, duration=MOTION_MS)
        self._moved = QRect()  # what the last step changed
        self._slide.valueChanged.connect(lambda _: self.update(self._moved))
        self._slide.finished.connect(self.update)

    def show_scene(
        self, scene: TileScene, slide: bool = False, duration_ms: int = MOTION_MS
    ) -> None:
        """Shows new tiles; with ``slide``, they move from the positions of the previous ones."""
        before, old = self._places, self._scene
        on_the_way = self._moved if self.moving else QRect()
        self._scene = scene
        reused = {id(word.tiles): word for word in self._words if old.widest == scene.widest}
        self._words = [reused.get(id(word)) or measured(word, scene.widest) for word in scene.words]
        self._laid = {}
        self._place()
        self._slide.stop()
        self._before = None
        if slide and self.motion and before.tiles:
            self._before = before
            self._slide.setDuration(max(1, duration_ms))
            self._slide.start()
        self._moved = self.rect()
        if not scene.pairs and not old.pairs:
            top, bottom = self._places.changed(before)
            for start in (old.made, scene.made):
                rect = (before if start == old.made else self._places).rect_of(start)
                if not rect.isEmpty():
                    top = min(top, rect.top()) if bottom else rect.top()
                    bottom = max(bottom, rect.bottom())
            self._moved = QRect(0, int(top) - 2, self.width(), int(bottom - top) + 5)
            self._moved |= on_the_way
        self.update(self._moved)

    @property
    def scene(self) -> TileScene:
        """The current scene."""
        return self._scene

    def hold_motion(self, share: float) -> None:
        """Holds a slide, if any, at this share of its way."""
        if self._slide.state() != QVariantAnimation.State.Stopped:
            self._slide.pause()
            self._slide.setCurrentTime(round(share * self._slide.duration()))

    def finish_motion(self) -> None:
        """Completes a slide at once."""
        self._slide.stop()
        self.update()

    @property
    def moving(self) -> bool:
        """Whether tiles are sliding, or held on their way."""
        return self._slide.state() != QVariantAnimation.State.Stopped

    def tile_rect(self, start: int) -> QRectF:
        """The rectangle of the tile that begins at a byte; empty if there is none."""
        return self._places.rect_of(start)

    # Placing.

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return round(self._lay(width).height)

    def sizeHint(self) -> QSize:
        return QSize(40 * GRID, self.heightForWidth(max(self.width(), 40 * GRID)))

    def minimumSizeHint(self) -> QSize:
        return QSize(16 * GRID, round(LINE_HEIGHT + 2 * GRID))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        self._places = self._lay(self.width())
        self.setMinimumHeight(round(self._places.height))

    def _lay(self, width: int) -> TileLayout:
        """Returns the layout for a width; cached, as Qt asks many times."""
        if width not in self._laid:
            self._laid = {width: TileLayout(self._words, width)}
        return self._laid[width]

    # Painting.

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        """Paints the current scene, also for an export; ``seen`` is the visible part."""
        seen = seen or QRectF(0, 0, self.width(), self._places.height)
        moving = self.moving
        share = float(self._slide.currentValue()) if moving else 1.0
        share = share * share * (3 - 2 * share)
        near = LINE_HEIGHT if moving else 0.0  # from here a tile may slide into the visible part
        places, before = self._places, self._before if moving else None
        for number in places.between(seen.top() - near, seen.bottom() + near):
            tile, rect = places.tiles[number], places.rect(number)
            start = before.covering(tile.start, tile.end) if before is not None else None
            self._paint_tile(painter, tile, between(start or rect, rect, share))
        if not moving:
            self._paint_pairs(painter, seen)

    def _paint_tile(self, painter: QPainter, tile: Tile, rect: QRectF) -> None:
        theme = self.theme
        paint_tile(
            painter, rect, theme, -1 if tile.loose else tile.colour, tile.left, tile.right, 6.0
        )
        lit = self._lit[0] < tile.end and tile.start < self._lit[1]
        if tile.start == self._scene.made or lit:
            frame: QPen | None = QPen(theme.accent, 2)
        elif tile.loose:
            frame = QPen(theme.strong, 1, Qt.PenStyle.DashLine)
        else:
            frame = QPen(theme.ink, 1) if tile.frozen else None
        if frame is not None:
            painter.setPen(frame)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 6, 6)
        if tile.superword:
            paint_superword_line(painter, theme, rect)
        painter.setPen(theme.ink if tile.loose else theme.fills.ink)
        painter.setFont(self._font)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, tile.text)
        painter.setPen(theme.dim)
        painter.setFont(self._small)
        below = QRectF(rect.left() - GRID, rect.bottom() + 1, rect.width() + 2 * GRID, NOTE_HEIGHT)
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, tile.note)

    def _paint_pairs(self, painter: QPainter, seen: QRectF) -> None:
        theme = self.theme
        painter.setFont(self._small)
        metrics = QFontMetricsF(self._small)
        top, bottom = seen.top() - LINE_HEIGHT, seen.bottom() + LINE_HEIGHT
        shown = [pair for pair in self._scene.pairs if top < self._places.top(pair.start) < bottom]
        for pair in sorted(shown, key=lambda pair: pair.winner):
            rects = self._places.pair(pair.start)
            if rects is None:
                continue
            left, right = rects
            colour: QColor = theme.accent if pair.winner else theme.dim
            painter.setPen(QPen(colour, 2 if pair.winner else 1))
            top = left.top() - 3
            bracket = QPainterPath(QPointF(left.center().x(), top))
            bracket.lineTo(left.center().x(), top - 3)
            bracket.lineTo(right.center().x(), top - 3)
            bracket.lineTo(right.center().x(), top)
            painter.drawPath(bracket)
            middle = (left.center().x() + right.center().x()) / 2
            width = metrics.horizontalAdvance(pair.label)
            label = QRectF(middle - width / 2, top - 4 - metrics.height(), width, metrics.height())
            painter.drawText(label, Qt.AlignmentFlag.AlignCenter, pair.label)

    # Pointing.

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            tile = self._places.at(QPointF(event.pos()))
            tip = f"{tile.text}\n{tile.superword}" if tile is not None and tile.superword else ""
            QToolTip.showText(event.globalPos(), as_tip(tip), self)
            return True
        return super().event(event)

    def _at(self, point: QPointF) -> tuple[int, int]:
        tile = self._places.at(point)
        return (tile.start, tile.end) if tile is not None else (0, 0)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hovered.emit(*self._at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(0, 0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        start, end = self._at(event.position())
        if end > start:
            self.picked.emit(start, end)
