"""The body of a player for WordPiece: the words with the pieces so far, and the windows of one word."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPainterPath, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from tokenarium.models.merges.greedy_windows import (
    GreedyScene,
    GreedyScenes,
    Window,
    tokens_so_far,
    window_cells,
    window_places,
)
from tokenarium.models.merges.merge_scene import TileScene
from tokenarium.models.merges.run import TraceRun
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, mono_font, ui_font
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID, MOTION_MS
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.painting import PaintedPart, small_width, text_width
from tokenarium.widgets.panel import Rule
from tokenarium.widgets.players.player_body import PlayerBody
from tokenarium.widgets.players.tile_stage import TileStage


class GreedyBody(PlayerBody):
    """Tiles above windows: the uncut rest of a word is one loose tile."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.stage = TileStage()
        self.view = GreedyView()
        super().__init__(parent, (self.stage, self.view))
        self._scenes: GreedyScenes | None = None
        self._made = -1  # the first byte of the last matched piece
        self.area = FitArea(self.view, fills=True, clear=True)
        self._tiles_area = FitArea(self.stage, clear=True)
        self._tiles_area.verticalScrollBar().rangeChanged.connect(self.follow)
        in_column(self._tiles_area, Rule(), (self.area, 1), into=self)
        self.stage.hovered.connect(self.hovered)
        self.stage.picked.connect(self.picked)
        self.view.hovered.connect(self.hovered)
        for bar in (self.area.verticalScrollBar(), self.area.horizontalScrollBar()):
            bar.valueChanged.connect(self.view.update)
            bar.rangeChanged.connect(self.follow)

    def set_run(self, run: TraceRun | None) -> None:
        super().set_run(run)
        self._scenes = GreedyScenes(run) if run is not None else None

    def show_step(self, slide: bool = False, duration_ms: int = MOTION_MS) -> None:
        scenes = self._scenes
        if scenes is None:
            self.stage.show_scene(TileScene())
            self.view.show_windows(GreedyScene())
            return
        self._made = scenes.made()
        self.stage.show_scene(TileScene(scenes.tiles(), (), self._made), slide, duration_ms)
        self.view.show_windows(scenes.scene())
        self.follow()

    def follow(self) -> None:
        """Scrolls to the newest window, and to the last matched piece."""
        bar = self.area.verticalScrollBar()
        bar.setValue(bar.maximum())
        margin = 6 * GRID
        newest = self.view.newest().toRect()
        if not newest.isEmpty():
            for x in (newest.right(), newest.left()):
                self.area.ensureVisible(x, bar.maximum() + self.area.viewport().height(), margin, 0)
        made = self.stage.tile_rect(self._made).center().toPoint()
        if not made.isNull():
            self._tiles_area.ensureVisible(made.x(), made.y(), margin, margin)

    def count(self) -> str:
        return tokens_so_far(self.run) if self.run is not None else ""


MARGIN = 2.0 * GRID
CELL = 4.0 * GRID
ROW = 3.5 * GRID
BAR = 3.0 * GRID
NARROWEST = 3.0 * GRID
MOST_STRETCH = 1.8
ANSWER_ROOM = 12.0 * GRID
"""How much wider than necessary the characters may be, and the pixels beside them for the answers."""

FIRST_ROW = GRID + CELL + GRID


class GreedyView(PaintedPart):
    """Shows the characters of a word, and below them the windows in the order in which they were tried."""

    hovered = Signal(int, int)  # bytes of the normalized text; 0, 0 for none

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Windows over the word")
        self.setMouseTracking(True)
        self.most_stretch = MOST_STRETCH
        """How much wider than necessary the characters may be; for an audience, they are as wide as fits."""
        self._scene = GreedyScene()
        self._size = QSize(10 * GRID, 10 * GRID)
        self._cells: list[tuple[int, int, str, float, float]] = []
        self._places: dict[int, float] = {}
        self._right = MARGIN  # of the characters

    def show_windows(self, scene: GreedyScene) -> None:
        """Shows a word with its windows; even a single character has room for the affix of continuing pieces."""
        self._scene = scene
        self._fit()
        self.update()

    @property
    def windows(self) -> Sequence[Window]:
        """The windows that were tried so far."""
        return self._scene.windows

    def row_rect(self, row: int) -> QRectF:
        """The rectangle of a window, counted from the first."""
        coming = self._scene.coming if row == len(self.windows) else None
        window = coming or self.windows[row]
        left, right = self._places[window.start], self._places[window.end]
        return QRectF(left + 2, FIRST_ROW + row * ROW, right - left - 4, BAR)

    def newest(self) -> QRectF:
        """The rectangle of the next window, or of the last one; empty if there is none."""
        row = len(self.windows) - (self._scene.coming is None)
        return self.row_rect(row) if row >= 0 else QRectF()

    def _place_characters(self, stretch: float = 1.0) -> None:
        scene = self._scene
        self._cells = window_cells(
            scene,
            MARGIN,
            lambda text: max(text_width(text) + 1.5 * GRID, NARROWEST) * stretch,
        )
        self._places = window_places(scene, self._cells)
        self._right = self._places.get(scene.start + len(scene.word), MARGIN)

    def _fit(self) -> None:
        """Sets the size for the windows; a short word is as wide as fits next to its answers."""
        answers = {window.answer for window in self.windows}
        rows = len(self.windows) + (1 if self._scene.coming else 0)
        beside = max(ANSWER_ROOM, max(map(small_width, answers), default=0.0)) + 6 * GRID
        self._place_characters()
        right = self._right + beside
        room = (self.width() - beside - MARGIN) / max(1.0, self._right - MARGIN)
        if room > 1.0:
            self._place_characters(min(self.most_stretch, room))
        size = QSize(round(right), round(GRID + CELL + GRID + rows * ROW + GRID))
        self._ask_for(size)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        """Paints the word and its windows, also for an export; ``seen`` is the visible part."""
        if not self._cells:
            return
        theme = self.theme
        windows, coming = self.windows, self._scene.coming
        first, last = 0, len(windows)
        if seen is not None:
            first = max(0, int((seen.top() - FIRST_ROW) // ROW))
            last = min(last, int((seen.bottom() - FIRST_ROW) // ROW) + 1)
        for row in range(first, last):
            window, rect = windows[row], self.row_rect(row)
            matched = window.matched
            colour = theme.bad if window.lost else theme.good if matched else theme.dim
            fill = theme.tokens[window.colour % len(theme.tokens)] if matched else theme.surface
            self._paint_bar(painter, rect, window, fill, colour, theme.ink if matched else colour)
            painter.setPen(colour)
            painter.setFont(mono_font(SMALL_SIZE))
            answer = QRectF(self._right + 2 * GRID, rect.top(), self.width(), BAR)
            vertical = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            painter.drawText(answer, vertical, window.answer)
        if coming is not None:
            rect = self.row_rect(len(windows))
            self._paint_bar(painter, rect, coming, theme.surface, theme.accent, theme.ink)
        self._paint_characters(painter)

    def _paint_bar(
        self,
        painter: QPainter,
        rect: QRectF,
        window: Window,
        fill: QColor,
        edge: QColor,
        ink: QColor,
    ) -> None:
        theme = self.theme
        path = QPainterPath()
        path.addRoundedRect(rect, 4, 4)
        painter.fillPath(path, fill)
        coming = window is self._scene.coming
        lit = self._lit[0] <= window.start and window.end <= self._lit[1]
        style = Qt.PenStyle.SolidLine if window.id >= 0 or coming else Qt.PenStyle.DashLine
        width = 2 if coming or lit or window.lost else 1
        painter.setPen(QPen(theme.accent if lit else edge, width, style))
        painter.drawPath(path)
        painter.setPen(ink)
        painter.setFont(ui_font(TEXT_SIZE))
        painter.drawText(rect.adjusted(-60, 0, 60, 0), Qt.AlignmentFlag.AlignCenter, window.text)

    def _paint_characters(self, painter: QPainter) -> None:
        theme = self.theme
        top = max(0.0, float(-self.y()))  # they stay visible while the rows scroll
        painter.fillRect(QRectF(0, top, self.width(), GRID + CELL + GRID / 2), theme.surface)
        done, window = self._scene.done, self._scene.coming
        for start, end, text, x, width in self._cells:
            rect = QRectF(x + 2, top + GRID, width - 4, CELL)
            inside = window is not None and window.start <= start and end <= window.end
            lit = self._lit[0] < end and start < self._lit[1]
            fill = theme.selection if inside or lit else theme.shared
            painter.fillRect(rect, fill if end > done or lit else mix(theme.surface, fill, 0.5))
            painter.setPen(theme.ink if end > done else theme.dim)
            painter.setFont(ui_font(TEXT_SIZE))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)

    def _at(self, point: QPointF) -> tuple[int, int]:
        for start, end, _, x, width in self._cells:
            if QRectF(x, max(0, -self.y()) + GRID, width, CELL).contains(point):
                return start, end
        for row, window in enumerate(self.windows):
            if self.row_rect(row).contains(point):
                return window.start, window.end
        return 0, 0

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hovered.emit(*self._at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(0, 0)
