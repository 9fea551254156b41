"""The figure of Unigram's search: the pieces over the characters, the best sums so far, and at the end the best path."""

from __future__ import annotations

from functools import partial

from tokenarium.models.merges import narration
from tokenarium.models.merges.canvas_places import Box
from tokenarium.models.merges.lattice_layout import (
    BOX,
    MARGIN,
    LatticeLayout,
    Measures,
    edge_colours,
    number_text,
)
from tokenarium.models.merges.lattice_paths import LatticePaths
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.text.piece import readable, score_text
from tokenarium.web.html import bdi, table
from tokenarium.web.page import Figure
from tokenarium.web.shapes import number as shape_number
from tokenarium.web.step_parts import StepParts, StepSaid, figure
from tokenarium.web.svg_parts import line, rect, svg, text, text_width
from tokenarium_core.explaining.vocabulary_entries import words_in
from tokenarium_core.trace import EDGE, SPECIAL

WIDTH = 920.0
MOST_STRETCH = 1.6
"""How much wider than necessary the characters may be."""

CELL, FOOT = 32.0, 20.0
"""Pixels: the height of a character, and of the sums below it."""

BEST = 5
"""How many of the best paths are listed."""

GROUND, ARCS, FRONTIER, PIECES, SIGNS, SUMS = range(6)
"""The layers, from the ground up."""

MEASURES = Measures(lambda words: text_width(words, 13.0), lambda note: text_width(note, 12.0))
LABEL = "The characters of the text, above them every piece with its score, and below them the best sums so far."


def lattice_figure(run: TraceRun, name: str, about: str, step: int) -> Figure:
    """Returns the steps of a run of Unigram, shown at a step at first, with its best paths."""
    run = run.twin()
    paths = LatticePaths(run)
    layout = LatticeLayout(MEASURES, paths)
    stretch = max(1.0, min(MOST_STRETCH, (WIDTH - 2 * MARGIN) / max(1.0, layout.right - MARGIN)))
    drawing = _Drawing(paths, LatticeLayout(MEASURES, paths, stretch))
    parts, said = StepParts(), []
    for position in range(len(run) + 1):
        run.go_to(position)
        coming = run.next_step
        searches = coming is not None and coming.kind in (EDGE, SPECIAL)
        at = coming.start if coming is not None and searches else paths.end
        sums = paths.sums(at)
        parts.begin(position)
        drawing.show(parts, at, sums, coming is None)
        sentence = narration.next_edges(run, paths, sums)
        said.append(StepSaid(sentence, f"{len(paths.edges):,} pieces"))
    parts.end()
    step = max(0, min(step, len(run)))
    wide = drawing.width
    stage = svg(
        parts.markup(step), wide, drawing.height, LABEL, "scales" if wide <= WIDTH else "wide"
    )
    return figure(name, about, stage, said, step, _best_paths(paths))


def _best_paths(paths: LatticePaths) -> str:
    """Returns the best paths as a table, "" if there is only one."""
    best = paths.n_best(BEST)
    if len(best) < 2:
        return ""
    rows = []
    for place, path in enumerate(best):
        behind = score_text(path.score - best[0].score) if place else ""
        rows.append([bdi(paths.text(path.edges)), score_text(path.score), behind])
    return table(["Path", "Score", "Behind"], rows, "The best paths")


class _Drawing:
    """A lattice in one size; `show` adds what is seen when the search is at a byte."""

    def __init__(self, paths: LatticePaths, layout: LatticeLayout) -> None:
        self._paths, self._layout = paths, layout
        self._colours = edge_colours(paths)
        self._best = frozenset(paths.best.edges)
        self.width = layout.right + MARGIN
        self.height = layout.floor + CELL + FOOT + 8

    def show(
        self, parts: StepParts, at: int, sums: dict[int, tuple[float, int]], done: bool
    ) -> None:
        layout = self._layout
        for byte, x in layout.boundaries.items():
            rule = partial(line, "line", (x, 4.0), (x, layout.floor))
            parts.part(("bound", byte), GROUND, "g", "bound", rule)
        for start, end, words in layout.cells:
            left, right = layout.boundaries[start], layout.boundaries[end]
            box = Box(left + 3, layout.floor, right - left - 6, CELL)
            if not done:
                parts.part(("cell", start), GROUND, "g", "cell", partial(rect, "f", box))
            sign = partial(
                text, words, (left + right) / 2, layout.floor + CELL / 2, 15.0, box.width
            )
            parts.part(("sign", start), SIGNS, "g", "sign", sign)
        for number in range(len(layout.rects)):
            self._show_piece(parts, number, at, sums, done)
        self._show_sums(parts, at, sums, done)

    def _show_piece(
        self, parts: StepParts, number: int, at: int, sums: dict[int, tuple[float, int]], done: bool
    ) -> None:
        edge, box = self._paths.edges[number], Box(*self._layout.rects[number])
        best = done and number in self._best
        leading = not done and sums.get(edge.end, (0.0, -1))[1] == number
        ahead = not done and edge.start >= at
        look = (
            "best"
            if best
            else "leading"
            if leading
            else "ahead"
            if ahead
            else "done"
            if done
            else ""
        )
        colour = "unknown" if edge.unknown else f"s{self._colours[number]}"
        parts.part(
            ("piece", number),
            PIECES,
            "g",
            f"piece {colour}",
            partial(self._piece, number, box),
            look,
        )
        if best:
            parts.part(("arc", number), ARCS, "g", "arc", partial(self._arc, box))
            under = Box(box.left, self._layout.floor + 1, box.width, CELL - 2)
            parts.part(
                ("under", number),
                GROUND,
                "g",
                f"piece best {colour}",
                partial(rect, "f", under, 4.0),
            )

    def _piece(self, number: int, box: Box) -> str:
        edge, middle = self._paths.edges[number], box.left + box.width / 2
        data = self._paths.data[edge.start : edge.end]
        several = ""
        if not edge.unknown and words_in(data) > 1:
            several = rect(
                "superword", Box(box.left + 4, box.top + box.height - 3, box.width - 8, 2)
            )
        words = text(readable(data), middle, box.top + 1 + BOX * 0.27, 13, box.width - 4)
        score = text(number_text(edge.score), middle, box.top + BOX * 0.76, 12, box.width, "score")
        return rect("f", box, 4) + several + words + score

    def _arc(self, box: Box) -> str:
        floor, middle = self._layout.floor, box.top + box.height / 2
        left, right = box.left - 3, box.left + box.width + 3
        return line("line", (left, floor), (left, middle), (box.left + 2, middle)) + line(
            "line", (right - 5, middle), (right, middle), (right, floor)
        )

    def _show_sums(
        self, parts: StepParts, at: int, sums: dict[int, tuple[float, int]], done: bool
    ) -> None:
        floor = self._layout.floor
        for byte, x in self._layout.boundaries.items():
            here = byte == at and not done
            look = "here" if here else "known" if byte in sums else ""
            dot = partial(rect, "f", Box(x - 3.5, floor - 3.5, 7, 7), 3.5)
            parts.part(("dot", byte), SUMS, "g", "dot", dot, look)
            if byte in sums:
                total = number_text(sums[byte][0])
                below = partial(text, total, x, floor + CELL + FOOT / 2, 12.0)
                parts.part(("sum", byte, total), SUMS, "g", "sum", below, "here" if here else "")
        if not done and at in self._layout.boundaries:
            mark = partial(self._frontier, self._layout.boundaries[at])
            parts.part(("frontier", at), FRONTIER, "g", "frontier", mark)

    def _frontier(self, x: float) -> str:
        """Returns the line at which the search is."""
        head = f'<path class="f" d="M{shape_number(x - 5)} 0h10l-5 7z"/>'
        return line("line", (x, 0.0), (x, self._layout.floor)) + head
