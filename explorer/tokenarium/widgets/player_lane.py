"""One tokenizer's player: what happens, in words; the symbols as tiles; the tree that grows; the controls."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QColor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QSplitter, QVBoxLayout, QWidget

from tokenarium.models import narration
from tokenarium.models.merge_tree import Node, grown
from tokenarium.models.piece import hexadecimal, readable
from tokenarium.models.playback import NO_PIECE, Symbol
from tokenarium.models.run import Candidate, Run
from tokenarium.models.segmentation import token_colours
from tokenarium.theme import GRID, MOTION_MS, Theme
from tokenarium.widgets.chip import Chip
from tokenarium.widgets.merge_tree import MergeTree
from tokenarium.widgets.panel import ElidedLabel, secondary, strong
from tokenarium.widgets.tile_stage import Pair, Scene, Tile, TileStage
from tokenarium.widgets.transport import STEP_MS, Transport
from tokenarium_core.trace import MERGE


class PlayerLane(QWidget):
    """Plays one `Run`. It keeps its own time while it plays."""

    hovered = Signal(int, int)  # bytes of the original text
    picked = Signal(int, int)
    piece_picked = Signal(int)  # the id of a node
    stepped = Signal(int)  # by a person or by playing
    playing_changed = Signal(bool)

    def __init__(
        self,
        name: str,
        colour: QColor,
        theme: Theme,
        controls: Sequence[tuple[QAction, str]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(f"Merges of {name}")
        self._theme = theme
        self.run: Run | None = None
        self.chip = Chip(colour)
        self.sentence = ElidedLabel()
        self.sentence.setAccessibleName("What happens")
        self.count = secondary(QLabel())
        self.stage = TileStage(theme)
        self.tree = MergeTree(theme)
        self.transport = Transport(controls)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)
        self._build(name)
        self.transport.moved.connect(lambda position: self.go_to(position, by_hand=True))
        self.transport.speed_changed.connect(lambda _: self._set_pace())
        self.stage.hovered.connect(self._point)
        self.tree.hovered.connect(self._point)
        self.stage.picked.connect(self._pick)
        self.tree.picked.connect(self.piece_picked)

    def _build(self, name: str) -> None:
        head = QWidget()
        row = QHBoxLayout(head)
        row.setContentsMargins(2 * GRID, GRID // 2, 2 * GRID, GRID // 2)
        row.setSpacing(GRID)
        row.addWidget(self.chip)
        row.addWidget(strong(QLabel(name)))
        row.addWidget(self.sentence, 1)
        row.addWidget(self.count)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        for widget in (self.stage, self.tree):
            area = QScrollArea()
            area.setWidgetResizable(True)
            area.setFrameShape(QScrollArea.Shape.NoFrame)
            area.setWidget(widget)
            area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            split.addWidget(area)
        split.setSizes([20 * GRID, 30 * GRID])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(head)
        layout.addWidget(split, 1)
        layout.addWidget(self.transport)

    # What it plays.

    def set_run(self, run: Run | None) -> None:
        """Plays another run, from its beginning."""
        self.pause()
        self.run = run
        self.tree.set_words(self._node_label, self._node_tip, self._node_colour)
        self._show(slide=False)

    def set_theme(self, theme: Theme, colour: QColor) -> None:
        """Paints in other colours."""
        self._theme = theme
        self.chip.set_colour(colour)
        self.stage.set_theme(theme)
        self.tree.set_theme(theme)

    def set_motion(self, motion: bool) -> None:
        """Whether tiles slide; at once where a person wants no motion."""
        self.stage.motion = motion

    def light(self, start: int, end: int) -> None:
        """Marks what was made of a range of bytes of the original text."""
        run = self.run
        if run is None or end <= start:
            self.stage.light(0, 0)
            self.tree.light(0, 0)
            return
        text = run.encoding.text
        first = next((k for k in range(text.size) if run.origin + text.stop_of(k + 1) > start), 0)
        last = next(
            (k for k in range(first, text.size) if run.origin + text.start_of(k) >= end), text.size
        )
        self.stage.light(first, last)
        self.tree.light(first, last)

    # Playing.

    @property
    def position(self) -> int:
        """The step that is shown."""
        return self.run.position if self.run is not None else 0

    @property
    def length(self) -> int:
        """How many steps there are."""
        return len(self.run) if self.run is not None else 0

    @property
    def playing(self) -> bool:
        """Whether it goes on by itself."""
        return self._timer.isActive()

    def play(self) -> None:
        """Goes on by itself to the end; from the beginning where it is at the end."""
        if self.length == 0:
            return
        if self.position == self.length:
            self.go_to(0)
        self._set_pace()
        self._timer.start()
        self.playing_changed.emit(True)

    def pause(self) -> None:
        """Stops where it is."""
        if self._timer.isActive():
            self._timer.stop()
            self.playing_changed.emit(False)

    def step(self, count: int) -> None:
        """Goes so many steps on, or back; it no longer plays."""
        self.pause()
        self.go_to(self.position + count, by_hand=True)

    def go_to(self, position: int, by_hand: bool = False) -> None:
        """Shows a step; tiles slide to the next one only."""
        if self.run is None:
            return
        before = self.position
        self.run.go_to(position)
        if self.position == before:
            return
        self._show(slide=abs(self.position - before) == 1)
        if by_hand:
            self.pause()
        self.stepped.emit(self.position)

    def _tick(self) -> None:
        self.go_to(self.position + 1)
        if self.position == self.length:
            self.pause()

    def _set_pace(self) -> None:
        self._timer.setInterval(max(1, round(STEP_MS / self.transport.speed_factor)))

    # Showing.

    def _show(self, slide: bool) -> None:
        run = self.run
        self.transport.show_step(self.position, self.length)
        if run is None:
            self.stage.show_scene(Scene())
            self.tree.show_nodes([])
            self.sentence.setText("")
            self.count.setText("")
            return
        words = run.words()
        step, last = run.next_step, run.last_step
        candidates: list[Candidate] = []
        current = -1
        if step is not None:
            current = step.word - run.first
            candidates = run.candidates(words[current])
        self.sentence.setText(narration.next_step(run, candidates))
        symbols = sum(len(word) for word in words)
        self.count.setText(f"{symbols:,} symbols" if step is not None else f"{symbols:,} tokens")
        winner = step.start if step is not None and step.kind == MERGE else -1
        pairs = [Pair(one.start, f"{one.rank:,}", one.start == winner) for one in candidates]
        made = last.start if last is not None else -1
        tiles = [self._tiles(word) for word in words]
        pace = round(STEP_MS / self.transport.speed_factor * 0.6) if self.playing else MOTION_MS
        self.stage.show_scene(Scene(tiles, pairs, made), slide, min(MOTION_MS, pace))
        self.tree.show_nodes(self._trees())

    def _tiles(self, word: list[Symbol]) -> list[Tile]:
        assert self.run is not None
        colours = token_colours(np.array([max(s.id, 0) for s in word], dtype=np.int32))
        return [
            Tile(
                symbol.start,
                symbol.end,
                narration.symbol_text(self.run, symbol),
                "" if symbol.id == NO_PIECE else str(symbol.id),
                int(colour),
                loose=symbol.id == NO_PIECE,
            )
            for symbol, colour in zip(word, colours, strict=True)
        ]

    def _trees(self) -> list[list[Node]]:
        """Returns the nodes of each word, as grown so far: from its first symbols by the steps made."""
        run = self.run
        assert run is not None
        now = run.playback.position
        trees = []
        for word in run.playback.words[run.first : run.last]:
            made = run.playback.steps[word.first : min(word.last, now)]
            trees.append(grown(run.leaves(word), made, word.first))
        return trees

    def _node_label(self, node: Node) -> str:
        assert self.run is not None
        return readable(self.run.data[node.start : node.end])

    def _node_colour(self, node: Node) -> int:
        return int(token_colours(np.array([max(node.id, 0)], dtype=np.int32))[0])

    def _node_tip(self, node: Node) -> str:
        assert self.run is not None
        data = self.run.data[node.start : node.end]
        lines = [readable(data), f"Bytes {hexadecimal(data)}"]
        lines.append(f"Id {node.id:,}" if node.id >= 0 else "No piece of the vocabulary")
        if node.rank >= 0:
            lines.append(f"Rank {node.rank:,}, merged at step {node.step - self.run.begin + 1:,}")
        if node.left >= 0:
            tree = next(t for t in self._trees() if node in t)
            parents = " + ".join(self._node_label(tree[n]) for n in (node.left, node.right))
            lines.append(f"From {parents}")
        return "\n".join(lines)

    # Pointing.

    def _point(self, start: int, end: int) -> None:
        self.stage.light(start, end)
        self.tree.light(start, end)
        if self.run is not None and end > start:
            self.hovered.emit(*self.run.original(start, end))
        else:
            self.hovered.emit(0, 0)

    def _pick(self, start: int, end: int) -> None:
        if self.run is not None:
            self.picked.emit(*self.run.original(start, end))
