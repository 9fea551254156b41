"""The symbols of some words as tiles, which slide together where a merge joins two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QVariantAnimation, Signal
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

from tokenarium.models.text.qt_text import as_tip
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID, MOTION_MS, SMALL_SIZE, Theme, mono_font, reading_font
from tokenarium.widgets.painting import PaintedPart, paint_superword_line
from tokenarium.widgets.players.tile_layout import (
    LINE_HEIGHT,
    NOTE_HEIGHT,
    Tile,
    TiledWord,
    TileLayout,
    measured,
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbouring tiles that may merge, by where the left one begins; ``winner``: they merge next."""

    start: int
    label: str
    winner: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """Words of tiles, the pairs that may merge, and the bytes of the tile that was made last (-1: none).

    A word that is the same object as in the scene before is not measured again. ``widest`` is a label
    as long as any of a pair: tiles leave room for such.
    """

    words: Sequence[Sequence[Tile]] = ()
    pairs: Sequence[Pair] = ()
    made: int = -1
    widest: str = ""


class TileStage(PaintedPart):
    """Shows scenes one after the other; from one to the next the tiles slide."""

    hovered = Signal(int, int)  # the bytes of the tile that is pointed at; 0, 0 for none
    picked = Signal(int, int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setAccessibleName("Symbols of the word")
        self.setMouseTracking(True)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.motion = True
        self._scene = Scene()
        self._words: list[TiledWord] = []
        self._places = TileLayout([], 0)
        self._before: TileLayout | None = None  # where tiles slide from
        self._laid: dict[int, TileLayout] = {}  # by width
        self._font = reading_font()
        self._small = mono_font(SMALL_SIZE)
        self._slide = QVariantAnimation(self, startValue=0.0, endValue=1.0, duration=MOTION_MS)
        self._slide.valueChanged.connect(lambda _: self.update())
        self._slide.finished.connect(self.update)

    def set_theme(self, theme: Theme) -> None:
        self._edges = [QPen(mix(fill, theme.text, 0.18), 1) for fill in theme.tokens]
        super().set_theme(theme)

    def show_scene(self, scene: Scene, slide: bool = False, duration_ms: int = MOTION_MS) -> None:
        """Shows other tiles; with ``slide`` they move from where the last ones stood."""
        before, old = self._places, self._scene
        self._scene = scene
        kept = {id(word.tiles): word for word in self._words if old.widest == scene.widest}
        self._words = [kept.get(id(word)) or measured(word, scene.widest) for word in scene.words]
        self._laid = {}
        self._place()
        self._slide.stop()
        self._before = None
        if slide and self.motion and before.tiles:
            self._before = before
            self._slide.setDuration(max(1, duration_ms))
            self._slide.start()
        self.update()

    @property
    def scene(self) -> Scene:
        """What is shown."""
        return self._scene

    def hold_motion(self, share: float) -> None:
        """Shows a slide that far on its way, and holds it there; nothing where none is under way."""
        if self._slide.state() != QVariantAnimation.State.Stopped:
            self._slide.pause()
            self._slide.setCurrentTime(round(share * self._slide.duration()))

    def finish_motion(self) -> None:
        """Ends a slide at once."""
        self._slide.stop()
        self.update()

    @property
    def moving(self) -> bool:
        """Whether tiles are on their way, also where they were stopped there."""
        return self._slide.state() != QVariantAnimation.State.Stopped

    def tile_rect(self, start: int) -> QRectF:
        """Where the tile that begins at a byte stands; empty where there is none."""
        number = self._places.number(start)
        return self._places.rect(number) if number >= 0 else QRectF()

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
        """Returns where each tile stands in so much width; Qt asks many times."""
        if width not in self._laid:
            self._laid = {width: TileLayout(self._words, width)}
        return self._laid[width]

    # Painting.

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        """Paints the scene as it stands now, also for an export; ``seen`` is the part that is needed."""
        seen = seen or QRectF(0, 0, self.width(), self._places.height)
        moving = self.moving
        share = float(self._slide.currentValue()) if moving else 1.0
        share = share * share * (3 - 2 * share)
        near = LINE_HEIGHT if moving else 0.0  # from where a tile may slide into what is seen
        places, before = self._places, self._before if moving else None
        for number in places.between(seen.top() - near, seen.bottom() + near):
            tile, rect = places.tiles[number], places.rect(number)
            start = before.covering(tile.start, tile.end) if before is not None else None
            self._paint_tile(painter, tile, _between(start or rect, rect, share))
        if not moving:
            self._paint_pairs(painter, seen)

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
            painter.setPen(self._edges[tile.colour % len(self._edges)])
        painter.drawPath(path)
        if tile.superword:
            paint_superword_line(painter, theme, rect)
        painter.setPen(theme.text)
        painter.setFont(self._font)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, tile.text)
        painter.setPen(theme.faint)
        painter.setFont(self._small)
        below = QRectF(rect.left() - GRID, rect.bottom() + 1, rect.width() + 2 * GRID, NOTE_HEIGHT)
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, tile.note)

    def _paint_pairs(self, painter: QPainter, seen: QRectF) -> None:
        theme = self._theme
        painter.setFont(self._small)
        metrics = QFontMetricsF(self._small)
        top, bottom = seen.top() - LINE_HEIGHT, seen.bottom() + LINE_HEIGHT
        shown = [pair for pair in self._scene.pairs if top < self._places.top(pair.start) < bottom]
        for pair in sorted(shown, key=lambda pair: pair.winner):
            rects = self._places.pair(pair.start)
            if rects is None:
                continue
            left, right = rects
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


def _between(first: QRectF, last: QRectF, share: float) -> QRectF:
    """Returns the rectangle that far on the way from one to another."""
    return QRectF(
        first.left() + (last.left() - first.left()) * share,
        first.top() + (last.top() - first.top()) * share,
        first.width() + (last.width() - first.width()) * share,
        first.height() + (last.height() - first.height()) * share,
    )
