"""The figure of merges step by step: symbols as tiles that merge, over the trees of what they were made of."""

from __future__ import annotations

from functools import partial
from itertools import chain

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
    Box,
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
from tokenarium.models.merges.merge_scene import MergeScenes, Tile, TileScene
from tokenarium.models.merges.playback import Node
from tokenarium.models.merges.run import TraceRun
from tokenarium.web.page import Figure
from tokenarium.web.shapes import number
from tokenarium.web.step_parts import StepParts, StepSaid, figure
from tokenarium.web.svg_parts import branch, line, rect, svg, text, text_width, tile

WIDTH = 920.0
"""Pixels: the most that a figure is wide before it scrolls."""

LINES, NODES, TILES, RANKS, NEXT = range(5)
"""The layers, from the ground up."""

LABEL = "The symbols of the text as tiles, the ranks of pairs above them, and below them the trees of the merges."


def merge_figure(run: TraceRun, name: str, about: str, step: int) -> Figure:
    """Returns the steps of a run of BPE, or of a model that looks up whole words, shown at a step at first."""
    run = run.twin()
    drawing = _Drawing(run)
    parts, said = StepParts(), []
    for position in range(len(run) + 1):
        run.go_to(position)
        parts.begin(position)
        drawing.show(parts)
        said.append(StepSaid(narration.next_step(run), narration.count(run)))
    parts.end()
    step = max(0, min(step, len(run)))
    wide = drawing.columns.width
    stage = svg(
        parts.markup(step), wide, drawing.height, LABEL, "scales" if wide <= WIDTH else "wide"
    )
    return figure(name, about, stage, said, step)


class _Drawing:
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

    def show(self, parts: StepParts) -> None:
        scene = self._scenes.scene()
        tiles = list(chain.from_iterable(scene.words))
        places = empty_places(tiles)
        boxes = [
            tile_box(self.columns, self._rows, one, places.get(at, (0, 0)))
            for at, one in enumerate(tiles)
        ]
        self._show_trees(parts, tiles, boxes)
        for at, (one, box) in enumerate(zip(tiles, boxes, strict=True)):
            marks = ("loose " if one.loose else "frozen " if one.frozen else "") + f"s{one.colour}"
            key = ("tile", one.start, one.end, one.note, one.text, places.get(at))
            if self._run.next_step is None and one.start == scene.made:
                marks += " made"  # what a wide figure scrolls to
            parts.part(key, TILES, "g", "tile", partial(self._tile, one, box), marks)
        self._show_ranks(parts, scene, tiles, boxes)

    def _tile(self, one: Tile, box: Box) -> str:
        left, right = (one.right, one.left) if self._scenes.mirrored else (one.left, one.right)
        size = max(13, min(32, round(0.48 * box.height)))
        middle = box.left + box.width / 2
        several = (
            rect("superword", Box(box.left, box.top + box.height - 8, box.width, 2))
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

    def _show_trees(self, parts: StepParts, tiles: list[Tile], boxes: list[Box]) -> None:
        number_of = {one.start: at for at, one in enumerate(tiles)}
        end_of = {one.start: one.end for one in tiles}
        rows = self._rows
        for growth, count in zip(self._scenes.growths, self._scenes.counts(), strict=True):
            seen = list(seen_nodes(growth, count, end_of.get))
            shown = {at for at, _ in seen}
            for at, above in seen:
                node = growth.nodes[at]
                box = self._node_box(growth.nodes[at])
                middle = box.left + box.width / 2
                if above < 0:
                    key = ("drop", node.start, node.end, node.height)
                    parts.part(key, LINES, "g", "drop", partial(self._drop, middle, box.top))
                else:
                    parent = growth.nodes[above]
                    apart = tiles_of(parent, tiles, number_of.get(parent.start, -1))
                    starts = [(boxes[n].left + boxes[n].width / 2, rows.tree) for n in apart]
                    if above in shown:
                        over = self._node_box(parent)
                        starts = [(over.left + over.width / 2, over.top + over.height)]
                    elif not starts:
                        left, right = self.columns.span(parent.start, parent.end)
                        starts = [((left + right) / 2, rows.tree)]
                    for x, y in starts:
                        ends = x, y, middle, box.top
                        line_key = ("branch", *map(number, ends))
                        parts.part(line_key, LINES, "g", "branch", partial(branch, *ends))
                colour = f"s{self._scenes.node_colour(node)}" if node.id >= 0 else "loose"
                label = self._scenes.node_label(node)
                key = ("node", node.start, node.end, at)
                parts.part(key, NODES, "g", f"node {colour}", partial(self._node, label, box))

    def _drop(self, x: float, y: float) -> str:
        """Returns the dotted line from a letter on the top row to the same at the foot, around its id."""
        rows = self._rows
        upper = line("line", (x, rows.tile + rows.tile_height), (x, rows.note))
        return upper + line("line", (x, rows.tree), (x, y))

    def _node_box(self, node: Node) -> Box:
        return node_box(
            self.columns, self._rows, node, text_width(self._scenes.node_label(node), 17) + 24
        )

    def _node(self, label: str, box: Box) -> str:
        size = max(11, min(17, round(0.56 * box.height)))
        middle = box.left + box.width / 2, box.top + box.height / 2 - 1
        return tile(box, radius=6.0) + text(label, *middle, size, box.width - 2)

    def _show_ranks(
        self, parts: StepParts, scene: TileScene, tiles: list[Tile], boxes: list[Box]
    ) -> None:
        numbers = {one.start: at for at, one in enumerate(tiles) if one.end > one.start}
        pairs = []
        for pair in scene.pairs:
            at = numbers.get(pair.start, -1)
            if 0 <= at < len(tiles) - 1:
                middles = (
                    boxes[at].left + boxes[at].width / 2,
                    boxes[at + 1].left + boxes[at + 1].width / 2,
                )
                pairs.append((pair, *middles))
        room = self.columns.width
        for pill in placed_pills(pairs, lambda pair: pill_width(pair.label), self._pill_rows, room):
            best = pill.pair.winner
            key = (
                "rank",
                pill.pair.start,
                pill.pair.label,
                best,
                pill.row,
                *map(number, pill[1:3] + pill[4:]),
            )
            layer, base = (NEXT, "rank best") if best else (RANKS, "rank")
            parts.part(key, layer, "g", base, partial(self._pill, pill))
            if best and pill.row >= 0:
                at = numbers[pill.pair.start]
                for box in boxes[at : at + 2]:
                    around = Box(box.left - 2, box.top - 3, box.width + 4, box.height + 5)
                    key = ("frame", *map(number, around))
                    parts.part(key, NEXT, "g", "frame", partial(rect, "line", around, 10.0))

    def _pill(self, pill: PlacedPill) -> str:
        high, foot = self._rows.line, self._rows.line + 10
        drawn = line(
            "line", (pill.left, foot), (pill.left, high), (pill.right, high), (pill.right, foot)
        )
        box = pill_box(self._rows, pill.start, pill.end, pill.row)
        if box is None:
            return drawn
        middle, bottom = box.left + box.width / 2, box.top + box.height
        if bottom < high - 6:
            drawn += line("line", (middle, bottom), (middle, high))
        label = text(pill.pair.label, middle, box.top + box.height / 2, 13)
        return drawn + rect("pill", box, box.height / 2) + label


def pill_width(label: str) -> float:
    """Returns the width of a rank in pixels."""
    return max(22.0, 8.0 * len(label) + 16.0)
