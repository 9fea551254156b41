"""The figure of merges step by step: symbols as tiles that merge, over the trees of what they were made of."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import NamedTuple

from tokenarium.models.merges import narration
from tokenarium.models.merges.canvas_layout import (
    MOST_COLUMN,
    NOTE_HEIGHT,
    CanvasColumns,
    CanvasRows,
    least_height,
    least_width,
    rows_in,
)
from tokenarium.models.merges.canvas_places import (
    CanvasBox,
    PlacedPill,
    empty_places,
    node_box,
    pill_box,
    pill_rows,
    placed_pills,
    seen_nodes,
    tile_box,
    tiles_of,
)
from tokenarium.models.merges.merge_scene import MergeScenes, Pair, Tile, TileScene
from tokenarium.models.merges.playback import Node
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.text.segmentation import TOKEN_COLOURS
from tokenarium.web.merge_tables import MergeTables
from tokenarium.web.page import Figure
from tokenarium.web.step_parts import (
    HUE,
    StepParts,
    StepReport,
    StepSaid,
    each_step,
    figure,
    untold,
)
from tokenarium.web.svg_parts import branch, line, rect, svg, text, text_width, tile
from tokenarium_core.trace import MERGE

WIDTH = 920.0
"""Pixels: the most that a figure is wide before it scrolls."""

LAYERS = LINES, NODES, TILES, RANKS, NEXT = range(5)
"""The layers, from the ground up."""

LABEL = "The symbols of the text as tiles, the ranks of pairs above them, and below them the trees of the merges."


def merge_figure(
    run: TraceRun, name: str, about: str, step: int, report: StepReport = untold
) -> Figure:
    """Returns the steps of a run of BPE, or of a model that looks up whole words, shown at a step at first."""
    run = run.twin()
    drawing, tables = _MergeDrawing(run), MergeTables(run)
    parts, said = StepParts(), []
    for position in each_step(len(run), report):
        run.go_to(position)
        parts.begin(position)
        drawing.show(parts)
        tables.show(parts)
        said.append(StepSaid(narration.next_step(run), narration.count(run)))
    parts.end()
    step = max(0, min(step, len(run)))
    wide = drawing.columns.width
    stage = svg(
        f"<g data-parts>{parts.markup(step, *LAYERS)}</g>",
        wide,
        drawing.height,
        LABEL,
        "scales" if wide <= WIDTH else "wide",
    )
    return figure(name, about, stage, parts, said, step, beside=tables.markup(parts, step))


class _PlacedTile(NamedTuple):
    """A tile with the key of its part, its look, and its rectangle."""

    key: Hashable
    look: str
    box: CanvasBox


class _MergeDrawing:
    """The canvas of a run in one size; `show` adds what is seen at the step of the run."""

    def __init__(self, run: TraceRun) -> None:
        self._run = run
        self._scenes = MergeScenes(run)
        words = self._scenes.words
        letters = sum(sum(word.letters) + sum(word.empty.values()) for word in words)
        room = least_width(words) + (MOST_COLUMN - 36.0) * letters
        self.columns = CanvasColumns(words, max(480.0, min(WIDTH, room)), self._scenes.mirrored)
        widest = self._scenes.scene().widest
        self._pill_rows = pill_rows(pill_width(widest) if widest else 0.0, self.columns.column)
        levels = max((word.height for word in words), default=0) or 1
        least = least_height(self._pill_rows, levels)
        self.height = max(least, min(620.0, least + 60.0 + 34.0 * levels))
        self._rows: CanvasRows = rows_in(self.height, self._pill_rows, levels)
        self.height = min(self.height, self._rows.foot + self._rows.node + 8.0)
        steps = run.playback.steps
        self._only_merges = [
            all(step.kind == MERGE for step in steps[word.first : word.last]) for word in run.words
        ]
        self._grown = [0] * len(words)  # nodes that are there
        self._boxes: dict[tuple[int, int], CanvasBox] = {}  # of nodes
        self._placed: dict[int, _PlacedTile] = {}  # by the tiles, which the scenes keep
        self._shown: list[tuple[Sequence[Tile], dict[Hashable, str]]] = [((), {}) for _ in words]

    def show(self, parts: StepParts) -> None:
        """Adds what is seen: of words that did not change, nothing has to be said again."""
        scene = self._scenes.scene()
        counts = self._scenes.counts()
        for word, (tiles, count) in enumerate(zip(scene.words, counts, strict=True)):
            self._show_tiles(parts, word, tiles, scene.made)
            if self._only_merges[word]:
                self._grow(parts, word, count)
            else:
                self._show_tree(parts, word, tiles, count)
        step = self._run.next_step
        if step is not None:
            self._show_ranks(parts, scene, scene.words[step.word])

    def _show_tiles(self, parts: StepParts, word: int, tiles: Sequence[Tile], made: int) -> None:
        ends = self._run.next_step is None
        before, known = self._shown[word]
        if tiles is before and not ends:
            return
        now: dict[Hashable, str] = {}
        places = empty_places(tiles)
        for at, one in enumerate(tiles):
            placed = self._placed.get(id(one))
            if placed is None or at in places:
                placed = self._placed[id(one)] = self._place(one, places.get(at, (0, 0)))
            look = f"{placed.look} made" if ends and one.start == made else placed.look
            now[placed.key] = look  # "made" is what a wide figure scrolls to
            if known.get(placed.key) != look:
                drawn = partial(self._tile, one, _moved(placed.box))
                place = 2 * one.start + (one.end > one.start)
                parts.keep(
                    placed.key, TILES, "g", "symbol", drawn, look, place, placed.box.left, word
                )
        for key in known:
            if key not in now:
                parts.drop(key)
        self._shown[word] = tiles, now

    def _place(self, one: Tile, place: tuple[int, int]) -> _PlacedTile:
        marks = "loose " if one.loose else "frozen " if one.frozen else ""
        key = ("tile", one.start, one.end, one.note, one.text, place)
        box = tile_box(self.columns, self._rows, one, place)
        return _PlacedTile(key, f"{marks}{HUE}{one.colour % (TOKEN_COLOURS // 2)}", box)

    def _middle(self, one: Tile) -> float:
        box = self._placed[id(one)].box
        return box.left + box.width / 2

    def _tile(self, one: Tile, box: CanvasBox) -> str:
        left, right = (one.right, one.left) if self._scenes.mirrored else (one.left, one.right)
        size = max(13, min(32, round(0.48 * box.height)))
        middle = box.left + box.width / 2
        several = (
            rect("superword", CanvasBox(box.left, box.top + box.height - 8, box.width, 2))
            if one.superword
            else ""
        )
        room = box.width + 6
        note = ""
        if one.note and text_width(one.note, 11) <= room:
            size_of_note = 13 if text_width(one.note, 13) <= room else 11
            note = text(one.note, middle, self._rows.note + NOTE_HEIGHT / 2, size_of_note, 0, "id")
        words = text(one.text, middle, box.top + box.height / 2 - 1, size, box.width - 6)
        return f"{tile(box, left, right)}{several}{words}{note}"

    def _grow(self, parts: StepParts, word: int, count: int) -> None:
        """Adds the nodes that merges made: their parts hang below them from now on."""
        nodes = self._scenes.growths[word].nodes
        for number in range(self._grown[word], count):
            node = nodes[number]
            if not node.below and node.end > node.start:  # a letter is also at the foot
                self._show_node(parts.keep, word, number)
                self._show_drop(parts.keep, word, number)
            for child in node.below:
                self._show_node(parts.keep, word, child)
                parts.drop(("drop", word, child))
                self._show_branch(parts.keep, word, child, *self._under_tile(node))
                for grandchild in nodes[child].below:
                    parts.drop(("branch", word, grandchild, *self._under_tile(nodes[child])))
                    self._show_branch(parts.keep, word, grandchild, *self._under_node(word, child))
        self._grown[word] = count

    def _show_tree(self, parts: StepParts, word: int, tiles: Sequence[Tile], count: int) -> None:
        """Shows the tree of a word whose symbols also come apart, or whose characters fall back to bytes."""
        number_of = {one.start: at for at, one in enumerate(tiles)}
        end_of = {one.start: one.end for one in tiles}
        growth = self._scenes.growths[word]
        seen = list(seen_nodes(growth, count, end_of.get))
        shown = {at for at, _ in seen}
        for at, above in seen:
            self._show_node(parts.part, word, at)
            if above < 0:
                self._show_drop(parts.part, word, at)
                continue
            parent = growth.nodes[above]
            apart = tiles_of(parent, tiles, number_of.get(parent.start, -1))
            starts = [(self._middle(tiles[n]), self._rows.tree) for n in apart]
            if above in shown:
                starts = [self._under_node(word, above)]
            elif not starts:
                starts = [self._under_tile(parent)]
            for x, y in starts:
                self._show_branch(parts.part, word, at, x, y)

    def _show_node(self, show: Callable[..., None], word: int, number: int) -> None:
        node = self._scenes.growths[word].nodes[number]
        colour = f"s{self._scenes.node_colour(node)}" if node.id >= 0 else "loose"
        box = self._node_box(word, number)
        drawn = partial(self._node, self._scenes.node_label(node), _moved(box))
        show(("node", word, number), NODES, "g", f"node {colour}", drawn, left=box.left)

    def _show_drop(self, show: Callable[..., None], word: int, number: int) -> None:
        x, y = self._above_node(word, number)
        show(("drop", word, number), LINES, "g", "drop", partial(self._drop, y), left=x)

    def _show_branch(
        self, show: Callable[..., None], word: int, number: int, x: float, y: float
    ) -> None:
        to, down = self._above_node(word, number)
        drawn = partial(branch, x - to, y, 0.0, down)
        show(("branch", word, number, x, y), LINES, "g", "branch", drawn, left=to)

    def _under_tile(self, node: Node) -> tuple[float, float]:
        """Returns where branches begin under a node that is a tile."""
        left, right = self.columns.span(node.start, node.end)
        return (left + right) / 2, self._rows.tree

    def _above_node(self, word: int, number: int) -> tuple[float, float]:
        box = self._node_box(word, number)
        return box.left + box.width / 2, box.top

    def _under_node(self, word: int, number: int) -> tuple[float, float]:
        box = self._node_box(word, number)
        return box.left + box.width / 2, box.top + box.height

    def _drop(self, y: float) -> str:
        """Returns the dotted line from a letter on the top row to the same at the foot, around its id."""
        rows = self._rows
        upper = line("line", (0.0, rows.tile + rows.tile_height), (0.0, rows.note))
        return upper + line("line", (0.0, rows.tree), (0.0, y))

    def _node_box(self, word: int, number: int) -> CanvasBox:
        key = word, number
        if key not in self._boxes:
            node = self._scenes.growths[word].nodes[number]
            needed = text_width(self._scenes.node_label(node), 17) + 24
            self._boxes[key] = node_box(self.columns, self._rows, node, needed)
        return self._boxes[key]

    def _node(self, label: str, box: CanvasBox) -> str:
        size = max(11, min(17, round(0.56 * box.height)))
        middle = box.left + box.width / 2, box.top + box.height / 2 - 1
        return tile(box, radius=6.0) + text(label, *middle, size, box.width - 2)

    def _show_ranks(self, parts: StepParts, scene: TileScene, tiles: Sequence[Tile]) -> None:
        numbers = {one.start: at for at, one in enumerate(tiles) if one.end > one.start}
        pairs = []
        for pair in scene.pairs:
            at = numbers.get(pair.start, -1)
            if 0 <= at < len(tiles) - 1:
                pairs.append((pair, self._middle(tiles[at]), self._middle(tiles[at + 1])))
        room = self.columns.width
        for pill in placed_pills(pairs, _width_of, self._pill_rows, room):
            best = pill.pair.winner
            key = ("rank", pill.pair.label, best, *pill[1:])
            layer, base = (NEXT, "rank best") if best else (RANKS, "rank")
            parts.part(key, layer, "g", base, partial(self._pill, pill), left=pill.left)
            if best and pill.row >= 0:
                at = numbers[pill.pair.start]
                for one in tiles[at : at + 2]:
                    box = self._placed[id(one)].box
                    around = CanvasBox(box.left - 2, box.top - 3, box.width + 4, box.height + 5)
                    drawn = partial(rect, "line", _moved(around), 10.0)
                    frame = ("frame", *around)
                    parts.part(frame, NEXT, "g", "frame", drawn, left=around.left)

    def _pill(self, pill: PlacedPill) -> str:
        high, foot = self._rows.line, self._rows.line + 10
        wide = pill.right - pill.left
        drawn = line("line", (0.0, foot), (0.0, high), (wide, high), (wide, foot))
        box = pill_box(self._rows, pill.start - pill.left, pill.end - pill.left, pill.row)
        if box is None:
            return drawn
        middle, bottom = box.left + box.width / 2, box.top + box.height
        if bottom < high - 6:
            drawn += line("line", (middle, bottom), (middle, high))
        label = text(pill.pair.label, middle, box.top + box.height / 2, 13)
        return drawn + rect("pill", box, box.height / 2) + label


def _moved(box: CanvasBox) -> CanvasBox:
    """Returns a rectangle at the left."""
    return box._replace(left=0.0)


def _width_of(pair: Pair) -> float:
    return pill_width(pair.label)


def pill_width(label: str) -> float:
    """Returns the width of a rank in pixels."""
    return max(22.0, 8.0 * len(label) + 16.0)
