"""The body of a player for WordPiece: the words with the pieces set down so far, and the windows of one word."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from tokenarium.models.merges.playback import PlayedWord, Step, Symbol
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.text.piece import readable
from tokenarium.models.text.segmentation import token_colour
from tokenarium.style.theme import GRID, MOTION_MS, Theme
from tokenarium.widgets.fit_area import FitArea
from tokenarium.widgets.panel import Rule
from tokenarium.widgets.players.greedy_view import GreedyView, Window
from tokenarium.widgets.players.player_body import PlayerBody, WordTiles
from tokenarium.widgets.players.tile_layout import Tile
from tokenarium.widgets.players.tile_stage import Scene, TileStage
from tokenarium_core.trace import PIECE, TRY, UNKNOWN
from tokenarium_core.vocabulary import CONTINUING


class GreedyBody(PlayerBody):
    """Tiles over windows: what is not cut yet of a word is one loose tile."""

    slides = True

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.stage = TileStage(theme)
        self.view = GreedyView(theme)
        self._tiles = WordTiles(self._make_tiles)
        self._windows: dict[int, Window] = {}  # by the number of the event
        self._made = -1  # where the piece begins that was set down last
        self.area = FitArea(self.view, fills=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self._tiles_area = FitArea(self.stage)
        self._tiles_area.verticalScrollBar().rangeChanged.connect(self.follow)
        layout.addWidget(self._tiles_area)
        layout.addWidget(Rule())
        layout.addWidget(self.area, 1)
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
            self.stage.show_scene(Scene())
            self.view.show_windows(0, b"", (), None)
            return
        last = run.last_step
        made = last.start if last is not None and last.kind in (PIECE, UNKNOWN) else -1
        tiles = self._tiles.of(run.symbols())
        self.stage.show_scene(Scene(tiles, (), made), slide, duration_ms)
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
        """Scrolls to the newest window, and to the piece that was set down last."""
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
        tokens = sum(len(word) for word in run.symbols())
        return "1 token so far" if tokens == 1 else f"{tokens:,} tokens so far"

    def light(self, start: int, end: int) -> None:
        self.stage.light(start, end)
        self.view.light(start, end)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.stage.set_theme(theme)
        self.view.set_theme(theme)

    def set_motion(self, motion: bool) -> None:
        self.stage.motion = motion

    def hold_motion(self, share: float) -> None:
        self.stage.hold_motion(share)

    def finish_motion(self) -> None:
        self.stage.finish_motion()

    def _window(self, run: TraceRun, word: PlayedWord, step: Step) -> Window:
        if step.event not in self._windows:
            self._windows[step.event] = self._make_window(run, word, step)
        return self._windows[step.event]

    def _make_window(self, run: TraceRun, word: PlayedWord, step: Step) -> Window:
        text = readable(run.data[step.start : step.end])
        vocabulary = run.tokenizer.vocabulary
        if step.kind == UNKNOWN:
            text = vocabulary.surface(step.result)
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
                note = f"{run.tokenizer.vocabulary.surface(symbol.id)} {note}"
            tiles.append(Tile(symbol.start, symbol.end, text, note, token_colour(symbol.id)))
            at = symbol.end
        if at < word.end:
            rest = readable(run.data[at : word.end])
            tiles.append(Tile(at, word.end, rest, "", 0, loose=True))
        return tiles

    def _lost(self, run: TraceRun, word: PlayedWord, symbol: Symbol) -> bool:
        """Tells whether a symbol is a word that became the unknown token."""
        steps = run.playback.steps[word.first : word.last]
        return bool(steps) and steps[-1].kind == UNKNOWN and steps[-1].result == symbol.id
