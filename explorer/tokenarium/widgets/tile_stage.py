"""The symbols of some words as tiles, which slide together where a merge joins two of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from tokenarium.palette import mix
from tokenarium.theme import GRID, MOTION_MS, SMALL_SIZE, Theme, mono_font, reading_font
from tokenarium.widgets.text_width import reading_width, small_width

TILE_HEIGHT = 5.0 * GRID
RANK_HEIGHT = 2.5 * GRID
"""The room over the tiles of a line, for the ranks of candidate merges."""

NOTE_HEIGHT = 2.0 * GRID
"""The room under the tiles, for ids."""

LINE_HEIGHT = RANK_HEIGHT + TILE_HEIGHT + NOTE_HEIGHT + GRID
PADDING = 1.0 * GRID
GAP = 0.5 * GRID
WORD_GAP = 2.5 * GRID
NARROWEST = 3.0 * GRID


@dataclass(frozen=True, slots=True)
class Tile:
    """One symbol: the bytes where it stands, what is written on it and under it, and its colour's number.

    ``frozen`` ones never merge; ``loose`` ones are no piece of the vocabulary.
    """

    start: int
    end: int
    text: str
    note: str
    colour: int
    frozen: bool = False
    loose: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbouring tiles that may merge, by where the left one begins; ``winner``: they merge next."""

    start: int
    label: str
    winner: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """Words of tiles, the pairs that may merge, and the bytes of the tile that was made last (-1: none).

    ``widest`` is a label as long as any of a pair: tiles leave room for such.
    """

    words: Sequence[Sequence[Tile]] = ()
    pairs: Sequence[Pair] = ()
    made: int = -1
    widest: str = ""


class TileStage(QWidget):
    """Shows scenes one after the other; from one to the next the tiles slide."""

    hovered = Signal(int, int)  # the bytes of the tile that is pointed at; 0, 0 for none
    picked = Signal(int, int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Symbols of the word")
        self.setMouseTracking(True)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.motion = True
        self._theme = theme
        self._scene = Scene()
        self._rects: dict[int, QRectF] = {}  # by the first byte of a tile
        self._from: dict[int, QRectF] = {}
        self._laid: dict[int, tuple[dict[int, QRectF], float]] = {}  # by width
        self._lit = (0, 0)
        self._font = reading_font()
        self._small = mono_font(SMALL_SIZE)
        self._slide = QVariantAnimation(self)
        self._slide.setStartValue(0.0)
        self._slide.setEndValue(1.0)
        self._slide.setDuration(MOTION_MS)
        self._slide.valueChanged.connect(lambda _: self.update())
        self._slide.finished.connect(self.update)

    def set_theme(self, theme: Theme) -> None:
        """Paints in other colours."""
        self._theme = theme
        self.update()

    def show_scene(self, scene: Scene, slide: bool = False, duration_ms: int = MOTION_MS) -> None:
        """Shows other tiles; with ``slide`` they move from where the last ones stood."""
        before, old = self._rects, self._scene
        self._scene = scene
        self._laid = {}
        self._place()
        self._slide.stop()
        self._from = {}
        if slide and self.motion and before:
            parts = sorted(before)
            for word in scene.words:
                for tile in word:
                    first, last = bisect_left(parts, tile.start), bisect_left(parts, tile.end)
                    # A part of a larger tile comes out of that.
                    inside = [before[at] for at in parts[min(first, max(last - 1, 0)) : last]]
                    if inside and inside[0].top() == inside[-1].top():
                        self._from[tile.start] = inside[0].united(inside[-1])
            self._slide.setDuration(max(1, duration_ms))
            self._slide.start()
        if [len(word) for word in old.words] != [len(word) for word in scene.words]:
            self.updateGeometry()
        self.update()

    @property
    def scene(self) -> Scene:
        """What is shown."""
        return self._scene

    def light(self, start: int, end: int) -> None:
        """Marks the tiles that touch a range of bytes."""
        if (start, end) != self._lit:
            self._lit = (start, end)
            self.update()

    def hold_motion(self, share: float) -> None:
        """Shows a slide that far on its way, and holds it there; nothing where none is under way."""
        if self._slide.state() != QVariantAnimation.State.Stopped:
            self._slide.pause()
            self._slide.setCurrentTime(round(share * self._slide.duration()))

    def finish_motion(self) -> None:
        """Ends a slide at once."""
        self._slide.stop()
        self.update()

    def tile_rect(self, start: int) -> QRectF:
        """Where the tile that begins at a byte stands; empty where there is none."""
        return QRectF(self._rects.get(start, QRectF()))

    # Placing.

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return round(self._lay(width)[1])

    def sizeHint(self) -> QSize:
        return QSize(40 * GRID, self.heightForWidth(max(self.width(), 40 * GRID)))

    def minimumSizeHint(self) -> QSize:
        return QSize(16 * GRID, round(LINE_HEIGHT + 2 * GRID))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        self._rects, height = self._lay(self.width())
        self.setMinimumHeight(round(height))

    def _lay(self, width: int) -> tuple[dict[int, QRectF], float]:
        """Returns where each tile stands in so much width, and the height of all; Qt asks many times."""
        if width not in self._laid:
            self._laid = {width: self._placed(width)}
        return self._laid[width]

    def _placed(self, width: int) -> tuple[dict[int, QRectF], float]:
        rects: dict[int, QRectF] = {}
        x, y = 2.0 * GRID, 1.0 * GRID
        narrowest = max(NARROWEST, small_width(self._scene.widest))
        right = max(width - 2 * GRID, 12 * GRID)
        for word in self._scene.words:
            sizes = [_tile_width(tile, narrowest) for tile in word]
            whole = sum(sizes) + GAP * max(0, len(sizes) - 1)
            if x > 2.0 * GRID and x + whole > right:
                x, y = 2.0 * GRID, y + LINE_HEIGHT
            for tile, size in zip(word, sizes, strict=True):
                if x > 2.0 * GRID and x + size > right:
                    x, y = 2.0 * GRID, y + LINE_HEIGHT
                rects[tile.start] = QRectF(x, y + RANK_HEIGHT, size, TILE_HEIGHT)
                x += size + GAP
            x += WORD_GAP - GAP
        return rects, y + LINE_HEIGHT + GRID

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint(painter, QRectF(event.rect()))
        painter.end()

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        """Paints the scene as it stands now, also for an export; ``seen`` is the part that is needed."""
        moving = self._slide.state() != QVariantAnimation.State.Stopped
        share = float(self._slide.currentValue()) if moving else 1.0
        share = share * share * (3 - 2 * share)
        for word in self._scene.words:
            for tile in word:
                rect = self._rects[tile.start]
                start = self._from.get(tile.start, rect)
                if seen is None or seen.intersects(rect.adjusted(0, 0, 0, NOTE_HEIGHT)) or moving:
                    self._paint_tile(painter, tile, _between(start, rect, share))
        if not moving:
            self._paint_pairs(painter)

    def _paint_tile(self, painter: QPainter, tile: Tile, rect: QRectF) -> None:
        theme = self._theme
        fill = theme.tokens[tile.colour % len(theme.tokens)]
        if tile.loose:
            fill = theme.raised
        path = QPainterPath()
        path.addRoundedRect(rect, 4, 4)
        painter.fillPath(path, fill)
        lit = self._lit[0] < tile.end and tile.start < self._lit[1]
        if tile.start == self._scene.made or lit:
            painter.setPen(QPen(theme.accent, 2))
        elif tile.loose:
            painter.setPen(QPen(theme.faint, 1, Qt.PenStyle.DashLine))
        elif tile.frozen:
            painter.setPen(QPen(theme.text, 1))
        else:
            painter.setPen(QPen(mix(fill, theme.text, 0.18), 1))
        painter.drawPath(path)
        painter.setPen(theme.text)
        painter.setFont(self._font)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, tile.text)
        painter.setPen(theme.faint)
        painter.setFont(self._small)
        below = QRectF(rect.left() - GRID, rect.bottom() + 1, rect.width() + 2 * GRID, NOTE_HEIGHT)
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, tile.note)

    def _paint_pairs(self, painter: QPainter) -> None:
        theme = self._theme
        following = _following(self._scene.words)
        painter.setFont(self._small)
        metrics = QFontMetricsF(self._small)
        for pair in sorted(self._scene.pairs, key=lambda pair: pair.winner):
            left = self._rects.get(pair.start)
            right = self._rects.get(following.get(pair.start, -1))
            if left is None or right is None or left.top() != right.top():
                continue
            colour: QColor = theme.accent if pair.winner else theme.faint
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

    def _at(self, point: QPointF) -> tuple[int, int]:
        for word in self._scene.words:
            for tile in word:
                if self._rects[tile.start].contains(point):
                    return tile.start, tile.end
        return 0, 0

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hovered.emit(*self._at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(0, 0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        start, end = self._at(event.position())
        if end > start:
            self.picked.emit(start, end)


def _tile_width(tile: Tile, narrowest: float) -> float:
    """Returns how wide a tile is, with its text, its note, and the label that may stand over it."""
    text = reading_width(tile.text) + 2 * PADDING
    return max(text, small_width(tile.note) + GRID / 2, narrowest)


def _following(words: Sequence[Sequence[Tile]]) -> dict[int, int]:
    """Returns for the first byte of each tile that of the next one in its word."""
    return {left.start: right.start for word in words for left, right in pairwise(word)}


def _between(first: QRectF, last: QRectF, share: float) -> QRectF:
    """Returns the rectangle that far on the way from one to another."""
    return QRectF(
        first.left() + (last.left() - first.left()) * share,
        first.top() + (last.top() - first.top()) * share,
        first.width() + (last.width() - first.width()) * share,
        first.height() + (last.height() - first.height()) * share,
    )
