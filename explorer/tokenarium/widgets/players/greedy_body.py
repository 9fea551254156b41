"""The body of a player for WordPiece: the words with the pieces so far, and the windows of one word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPainterPath, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from tokenarium.models.merges.playback import PlayedWord, Step, Symbol
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.text.piece import counted, piece_text, readable
from tokenarium.models.text.segmentation import token_colour
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, mono_font, ui_font
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID, MOTION_MS
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.painting import PaintedPart, small_width, text_width
from tokenarium.widgets.panel import Rule
from tokenarium.widgets.players.player_body import PlayerBody, WordTiles
from tokenarium.widgets.players.tile_stage import Tile, TileScene, TileStage
from tokenarium_core.trace import PIECE, TRY, UNKNOWN
from tokenarium_core.vocabulary import CONTINUING


class GreedyBody(PlayerBody):
    """Tiles above windows: the uncut rest of a word is one loose tile."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.stage = TileStage()
        self.view = GreedyView()
        super().__init__(parent, (self.stage, self.view))
        self._tiles = WordTiles(self._make_tiles)
        self._windows: dict[int, Window] = {}  # by the number of the event
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
        self._tiles.clear()
        self._windows = {}

    def show_step(self, slide: bool = False, duration_ms: int = MOTION_MS) -> None:
        run = self.run
        if run is None:
            self.stage.show_scene(TileScene())
            self.view.show_windows(0, b"", (), None)
            return
        last = run.last_step
        made = last.start if last is not None and last.kind in (PIECE, UNKNOWN) else -1
        tiles = self._tiles.of(run.symbols())
        self.stage.show_scene(TileScene(tiles, (), made), slide, duration_ms)
        self._made = made
        word = run.playback.word_at(run.playback.position)
        if word is None:
            self.view.show_windows(0, b"", (), None)
            return
        steps = run.playback.steps[word.first : min(word.last, run.playback.position)]
        windows = [self._window(run, word, step) for step in steps if step.kind != PIECE]
        coming = run.next_step
        self.view.show_windows(
            word.start,
            run.data[word.start : word.end],
            windows,
            self._window(run, word, coming) if coming is not None else None,
            run.tokenizer.vocabulary.affix,
        )
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
        run = self.run
        if run is None or run.next_step is None:
            return super().count()
        return f"{counted(run.count(), 'token')} so far"

    def _window(self, run: TraceRun, word: PlayedWord, step: Step) -> Window:
        if step.event not in self._windows:
            self._windows[step.event] = self._make_window(run, word, step)
        return self._windows[step.event]

    def _make_window(self, run: TraceRun, word: PlayedWord, step: Step) -> Window:
        text = readable(run.data[step.start : step.end])
        vocabulary = run.tokenizer.vocabulary
        if step.kind == UNKNOWN:
            text = piece_text(vocabulary, step.result)
        elif step.kind == TRY and step.start > word.start:
            text = vocabulary.affix + text
        lost = step.kind == UNKNOWN
        limited = run.window_is_cut(step)
        colour = token_colour(step.result)
        return Window(step.start, step.end, text, step.result, colour, lost, limited)

    def _make_tiles(self, number: int, symbols: list[Symbol]) -> list[Tile]:
        run, tiles = self.run, []
        assert run is not None
        word = run.words[number]
        at = word.start
        for symbol in symbols:
            text, note = readable(run.data[symbol.start : symbol.end]), f"{symbol.id}"
            if int(run.tokenizer.vocabulary.kinds[symbol.id]) == CONTINUING:
                text = run.tokenizer.vocabulary.affix + text
            elif self._lost(run, word, symbol):
                note = f"{piece_text(run.tokenizer.vocabulary, symbol.id)} {note}"
            tiles.append(Tile(symbol.start, symbol.end, text, note, token_colour(symbol.id)))
            at = symbol.end
        if at < word.end:
            rest = readable(run.data[at : word.end])
            tiles.append(Tile(at, word.end, rest, "", 0, loose=True))
        return tiles

    def _lost(self, run: TraceRun, word: PlayedWord, symbol: Symbol) -> bool:
        """Returns whether a symbol is a word that became the unknown token."""
        steps = run.playback.steps[word.first : word.last]
        return bool(steps) and steps[-1].kind == UNKNOWN and steps[-1].result == symbol.id


MARGIN = 2.0 * GRID
CELL = 4.0 * GRID
ROW = 3.5 * GRID
BAR = 3.0 * GRID
NARROWEST = 3.0 * GRID
MOST_STRETCH = 1.8
ANSWER_ROOM = 12.0 * GRID
"""How much wider than necessary the characters may be, and the pixels beside them for the answers."""

FIRST_ROW = GRID + CELL + GRID


@dataclass(frozen=True, slots=True)
class Window:
    """One look-up of a possible piece: its bytes, its spelling, the found id (-1: none), its colour.

    ``lost``: the whole word became the unknown token. ``limited``: longer windows are skipped, as no entry is longer.
    """

    start: int
    end: int
    text: str
    id: int
    colour: int = 0
    lost: bool = False
    limited: bool = False


class GreedyView(PaintedPart):
    """Shows the characters of a word, and below them the windows in the order in which they were tried."""

    hovered = Signal(int, int)  # bytes of the normalized text; 0, 0 for none

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Windows over the word")
        self.setMouseTracking(True)
        self.most_stretch = MOST_STRETCH
        """How much wider than necessary the characters may be; for an audience, they are as wide as fits."""
        self._windows: Sequence[Window] = ()
        self._word: tuple[int, bytes, str] = (0, b"", "")
        self._done = -1  # the end of the last matched piece
        self._next: Window | None = None
        self._size = QSize(10 * GRID, 10 * GRID)
        self._cells: list[tuple[int, int, str, float, float]] = []
        self._places: dict[int, float] = {}
        self._right = MARGIN  # of the characters

    def show_windows(
        self,
        start: int,
        word: bytes,
        windows: Sequence[Window],
        coming: Window | None,
        affix: str = "",
    ) -> None:
        """Shows a word that begins at byte ``start``, the windows so far, and the next window.

        ``affix`` comes before continuing pieces; even a single character has room for it.
        """
        self._windows, self._next = windows, coming
        self._done = max((window.end for window in windows if window.id >= 0), default=-1)
        self._word = (start, word, affix)
        self._fit()
        self.update()

    @property
    def windows(self) -> Sequence[Window]:
        """The windows that were tried so far."""
        return self._windows

    def row_rect(self, row: int) -> QRectF:
        """The rectangle of a window, counted from the first."""
        coming = self._next if row == len(self._windows) else None
        window = coming or self._windows[row]
        left, right = self._places[window.start], self._places[window.end]
        return QRectF(left + 2, FIRST_ROW + row * ROW, right - left - 4, BAR)

    def newest(self) -> QRectF:
        """The rectangle of the next window, or of the last one; empty if there is none."""
        row = len(self._windows) - (self._next is None)
        return self.row_rect(row) if row >= 0 else QRectF()

    def _place_characters(self, stretch: float = 1.0) -> None:
        start, word, affix = self._word
        x = MARGIN
        self._cells, self._places = [], {}
        at = 0
        while at < len(word):
            end = at + 1
            while end < len(word) and word[end] & 0xC0 == 0x80:
                end += 1
            text = readable(word[at:end])
            width = max(text_width(affix + text) + 1.5 * GRID, NARROWEST) * stretch
            self._cells.append((start + at, start + end, text, x, width))
            for byte in range(at, end):  # a piece of bytes may begin or end inside a character
                self._places[start + byte] = x + width * (byte - at) / (end - at)
            x += width
            at = end
        self._places[start + len(word)] = x
        self._right = x

    def _fit(self) -> None:
        """Sets the size for the windows; a short word is as wide as fits next to its answers."""
        answers = {_answer(window) for window in self._windows}
        rows = len(self._windows) + (1 if self._next else 0)
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
        first, last = 0, len(self._windows)
        if seen is not None:
            first = max(0, int((seen.top() - FIRST_ROW) // ROW))
            last = min(last, int((seen.bottom() - FIRST_ROW) // ROW) + 1)
        for row in range(first, last):
            window, rect = self._windows[row], self.row_rect(row)
            matched = window.id >= 0 and not window.lost
            colour = theme.bad if window.lost else theme.good if matched else theme.dim
            fill = theme.tokens[window.colour % len(theme.tokens)] if matched else theme.surface
            self._paint_bar(painter, rect, window, fill, colour, theme.ink if matched else colour)
            painter.setPen(colour)
            painter.setFont(mono_font(SMALL_SIZE))
            answer = QRectF(self._right + 2 * GRID, rect.top(), self.width(), BAR)
            vertical = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            painter.drawText(answer, vertical, _answer(window))
        if self._next is not None:
            rect = self.row_rect(len(self._windows))
            self._paint_bar(painter, rect, self._next, theme.surface, theme.accent, theme.ink)
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
        coming = window is self._next
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
        done, window = self._done, self._next
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
        for row, window in enumerate(self._windows):
            if self.row_rect(row).contains(point):
                return window.start, window.end
        return 0, 0

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hovered.emit(*self._at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(0, 0)


def _answer(window: Window) -> str:
    if window.lost:
        return f"the whole word becomes id {window.id:,}"
    answer = f"yes, id {window.id:,}" if window.id >= 0 else "no"
    return f"{answer}; no entry is longer" if window.limited else answer
