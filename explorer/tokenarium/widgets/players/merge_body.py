"""The body of a player for BPE: symbols as tiles that merge, and the tree of the merges."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from tokenarium.models.merges import narration
from tokenarium.models.merges.playback import NO_PIECE, Growth, Node, Symbol
from tokenarium.models.merges.run import MergeCandidate, TraceRun
from tokenarium.models.text.piece import hexadecimal, readable, score_text
from tokenarium.models.text.segmentation import token_colour, token_colours
from tokenarium.models.text.superword_ids import superword_note
from tokenarium.style.theme import GRID, MOTION_MS, Theme
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import Rule
from tokenarium.widgets.players.merge_tree import MergeTree
from tokenarium.widgets.players.player_body import PlayerBody, WordTiles
from tokenarium.widgets.players.tile_stage import Pair, Scene, Tile, TileStage
from tokenarium_core.trace import BYTE_FALLBACK, MERGE

LOWEST_TREE = 8 * GRID
"""The least height in pixels at which the tree is shown."""


class MergeBody(PlayerBody):
    """Tiles above a tree; also the tiles of models that only look up whole words."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self.stage = TileStage(theme)
        self.tree = MergeTree(theme)
        super().__init__(theme, parent, (self.stage, self.tree))
        self._widest = ""  # the longest label above two tiles
        self._acting = -1  # the first byte of the tile that changes
        self._growths: list[Growth] = []  # of the words
        self._tiles = WordTiles(self._make_tiles)
        self._kept_tiles: dict[tuple[int, int, int, int], Tile] = {}
        self._kept_pairs: dict[tuple[int, int, float | None, bool], Pair] = {}
        self.tree.set_words(
            self._node_label,
            self._node_note,
            self._node_tip,
            self._node_colour,
            lambda node: bool(self._superword(node)),
        )
        self._areas = (FitArea(self.stage), FitArea(self.tree, fills=True))
        for area in self._areas:
            area.verticalScrollBar().rangeChanged.connect(self.follow)
        self._rule = Rule()
        in_column(self._areas[0], self._rule, (self._areas[1], 1), into=self)
        self.stage.hovered.connect(self.hovered)
        self.tree.hovered.connect(self.hovered)
        self.stage.picked.connect(self.picked)
        self.tree.picked.connect(self.piece_picked)

    def minimumSizeHint(self) -> QSize:
        """The size of the tiles: two players have no room for their trees in a low window."""
        return self._areas[0].minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        roomy = self.height() >= self.minimumSizeHint().height() + LOWEST_TREE
        self._rule.setVisible(roomy)
        self._areas[1].setVisible(roomy)

    def set_run(self, run: TraceRun | None) -> None:
        super().set_run(run)
        self._tiles.clear()
        self._kept_tiles, self._kept_pairs = {}, {}
        self._widest = _widest(run) if run is not None else ""
        self._growths = _growths(run) if run is not None else []

    def show_step(self, slide: bool = False, duration_ms: int = MOTION_MS) -> None:
        run = self.run
        if run is None:
            self.stage.show_scene(Scene())
            self.tree.show_trees([], [])
            return
        words = run.symbols()
        step, last = run.next_step, run.last_step
        candidates = run.candidates(words[step.word]) if step is not None else []
        winner = step.start if step is not None and step.kind == MERGE else -1
        pairs = [self._pair(one, one.start == winner) for one in candidates]
        made = last.start if last is not None else -1
        scene = Scene(self._tiles.of(words), pairs, made, self._widest)
        self.stage.show_scene(scene, slide, duration_ms)
        now = run.playback.position
        self.tree.show_trees(self._growths, [growth.count(now) for growth in self._growths])
        self._acting = winner if winner >= 0 else made
        self.follow()

    def follow(self) -> None:
        """Scrolls to where something happens."""
        rects = (self.stage.tile_rect(self._acting), self.tree.newest())
        for area, rect in zip(self._areas, rects, strict=True):
            if not rect.isEmpty():
                centre, margin = rect.center().toPoint(), 6 * GRID
                area.ensureVisible(centre.x(), centre.y(), margin, margin)

    def _make_tiles(self, word: int, symbols: list[Symbol]) -> list[Tile]:
        """Returns the tiles of a word; most are those of the last step."""
        kept = self._kept_tiles
        tiles = []
        for symbol, colour in zip(symbols, _colours(symbols).tolist(), strict=True):
            what = (symbol.start, symbol.end, symbol.id, colour)
            if what not in kept:
                kept[what] = self._tile(symbol, colour)
            tiles.append(kept[what])
        return tiles

    def _tile(self, symbol: Symbol, colour: int) -> Tile:
        run, loose = self.run, symbol.id == NO_PIECE
        assert run is not None
        text, note = narration.symbol_text(run, symbol), "" if loose else str(symbol.id)
        several = superword_note(run.tokenizer.vocabulary, symbol.id)
        frozen = run.frozen(symbol)
        return Tile(symbol.start, symbol.end, text, note, colour, frozen, loose, several)

    def _pair(self, candidate: MergeCandidate, winner: bool) -> Pair:
        what = (candidate.start, candidate.rank, candidate.score, winner)
        if what not in self._kept_pairs:
            self._kept_pairs[what] = Pair(candidate.start, _label(candidate), winner)
        return self._kept_pairs[what]

    def _node_label(self, node: Node) -> str:
        assert self.run is not None
        data = self.run.data[node.start : node.end]
        return hexadecimal(data) if node.kind == BYTE_FALLBACK else readable(data)

    def _node_note(self, node: Node) -> str:
        assert self.run is not None
        if node.kind != MERGE:
            return ""
        score = self.run.score(node.id)
        return f"{node.rank:,}" if score is None else score_text(score)

    def _node_colour(self, node: Node) -> int:
        return token_colour(node.id)

    def _superword(self, node: Node) -> str:
        """Returns a note on a node that is a superword; "" for others."""
        assert self.run is not None
        if node.kind == BYTE_FALLBACK:
            return ""
        return superword_note(self.run.tokenizer.vocabulary, node.id)

    def _node_tip(self, node: Node) -> str:
        run = self.run
        assert run is not None
        data = run.data[node.start : node.end]
        lines = [readable(data), f"Bytes {hexadecimal(data)}"]
        if node.kind == BYTE_FALLBACK:
            lines.append(f"One token for each byte, the first with the id {node.id:,}")
        elif node.id < 0:
            lines.append("No entry of the vocabulary")
        else:
            lines.append(
                f"Id {node.id:,}, in the vocabulary: {run.tokenizer.vocabulary.surface(node.id)}"
            )
        several = self._superword(node)
        if several:
            lines.append(several)
        if not node.below and run.frozen(Symbol(node.start, node.end, node.id)):
            lines.append("Defined as an entry by hand: never merges")
        if node.kind == MERGE:
            score = run.score(node.id)
            what = f"Rank {node.rank:,}" if score is None else f"Score {score_text(score)}"
            lines.append(f"{what}, merged at step {run.number(node.step) + 1:,}")
        if len(node.below) == 2:
            tree = next(growth.nodes for growth in self._growths if node in growth.nodes)
            parents = " + ".join(self._node_label(tree[number]) for number in node.below)
            lines.append(f"From {parents}")
        return "\n".join(lines)


def _growths(run: TraceRun) -> list[Growth]:
    """Returns the tree of each word."""
    steps = run.playback.steps
    return [
        Growth(run.leaves(word), steps[word.first : word.last], word.first) for word in run.words
    ]


def _colours(symbols: list[Symbol]) -> npt.NDArray[np.uint8]:
    """Returns the numbers of the colours; those of neighbours differ."""
    return token_colours(np.array([max(symbol.id, 0) for symbol in symbols], dtype=np.int32))


def _widest(run: TraceRun) -> str:
    """Returns the longest label above two neighbours; "" if nothing merges."""
    if not any(step.kind == MERGE for step in run.playback.steps):
        return ""
    size = len(run.tokenizer.vocabulary)
    return f"{size:,}" if run.score(0) is None else score_text(-float(size))


def _label(candidate: MergeCandidate) -> str:
    """Returns the label above two neighbours: the score of their piece, or the rank of their merge."""
    if candidate.score is not None:
        return score_text(candidate.score)
    return f"{candidate.rank:,}"
