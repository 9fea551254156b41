"""The figure of Unigram's search: the pieces over the characters, the best sums so far, and at the end the best path."""

from __future__ import annotations

from functools import partial

from tokenarium.models.merges import narration
from tokenarium.models.merges.canvas_places import CanvasBox
from tokenarium.models.merges.lattice_layout import (
    BOX,
    MARGIN,
    LatticeLayout,
    LatticeMeasures,
    edge_colours,
    number_text,
)
from tokenarium.models.merges.lattice_paths import LatticePaths
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.text.piece import readable, score_text
from tokenarium.web.html import bdi, table
from tokenarium.web.page import Figure
from tokenarium.web.step_parts import StepParts, StepReport, StepSaid, each_step, figure, untold
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

MEASURES = LatticeMeasures(
    lambda words: text_width(words, 13.0), lambda note: text_width(note, 12.0)
)
LABEL = "The characters of the text, above them every piece with its score, and below them the best sums so far."


def lattice_figure(
    run: TraceRun, name: str, about: str, step: int, report: StepReport = untold
) -> Figure:
    """Returns the steps of a run of Unigram, shown at a step at first, with its best paths."""
    run = run.twin()
    paths = LatticePaths(run)
    layout = LatticeLayout(MEASURES, paths)
    stretch = max(1.0, min(MOST_STRETCH, (WIDTH - 2 * MARGIN) / max(1.0, layout.right - MARGIN)))
    drawing = _LatticeDrawing(paths, LatticeLayout(MEASURES, paths, stretch))
    parts, said = StepParts(), []
    for position in each_step(len(run), report):
        run.go_to(position)
        coming = run.next_step
        searches = coming is not None and coming.kind in (EDGE, SPECIAL)
        at = coming.start if coming is not None and searches else paths.end
        parts.begin(position)
        if not position:
            drawing.begin(parts)
        drawing.show(parts, at, coming is None)
        sentence = narration.next_edges(run, paths, drawing.sums)
        said.append(StepSaid(sentence, f"{len(paths.edges):,} pieces"))
    parts.end()
    step = max(0, min(step, len(run)))
    wide = drawing.width
    stage = svg(
        f"<g data-parts>{parts.markup(step)}</g>",
        wide,
        drawing.height,
        LABEL,
        "scales" if wide <= WIDTH else "wide",
    )
    return figure(name, about, stage, parts, said, step, _best_paths(paths))


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


class _LatticeDrawing:
    """A lattice in one size; `show` adds what the search has changed when it comes to a byte."""

    def __init__(self, paths: LatticePaths, layout: LatticeLayout) -> None:
        self._paths, self._layout = paths, layout
        self._colours = edge_colours(paths)
        self._best = frozenset(paths.best.edges)
        self.width = layout.right + MARGIN
        self.height = layout.floor + CELL + FOOT + 8
        self.sums: dict[int, tuple[float, int]] = {paths.start: (0.0, -1)}
        self._next = 0  # the first edge that the search has not seen
        self._shown: dict[int, tuple[float, int]] = {}
        self._at = -1  # the byte of the search

    def begin(self, parts: StepParts) -> None:
        """Adds what is seen at all steps, and all pieces, which the search has not seen yet."""
        layout = self._layout
        for byte, x in layout.boundaries.items():
            rule = partial(line, "line", (0.0, 4.0), (0.0, layout.floor))
            parts.keep(("bound", byte), GROUND, "g", "bound", rule, left=x)
            self._show_dot(parts, byte)
        for start, end, words in layout.cells:
            left, right = layout.boundaries[start], layout.boundaries[end]
            box = CanvasBox(0.0, layout.floor, right - left - 6, CELL)
            parts.keep(("cell", start), GROUND, "g", "cell", partial(rect, "f", box), left=left + 3)
            sign = partial(text, words, 0.0, layout.floor + CELL / 2, 15.0, box.width)
            parts.keep(("sign", start), SIGNS, "g", "sign", sign, left=(left + right) / 2)
        for number in range(len(layout.rects)):
            self._show_piece(parts, number, "ahead")

    def show(self, parts: StepParts, at: int, done: bool) -> None:
        """Goes on with the search up to a byte; ``done``: the best path is known."""
        edges, sums = self._paths.edges, self.sums
        touched = {self._paths.start}
        while self._next < len(edges) and edges[self._next].start < at:
            self._paths.reach(sums, self._next)
            self._show_piece(parts, self._next, "")
            touched |= {edges[self._next].start, edges[self._next].end}
            self._next += 1
        moved = {self._at, at} if at != self._at or done else set()
        for byte in moved:
            parts.drop(("frontier", byte))
        self._at = -1 if done else at
        for byte in touched & sums.keys():
            before = self._shown.get(byte, (0.0, -1))[1]
            if before >= 0:
                self._show_piece(parts, before, "")
        for byte in touched & sums.keys():
            if byte in self._shown:
                parts.drop(("sum", byte, number_text(self._shown[byte][0])))
            self._shown[byte] = sums[byte]
        for byte in touched | moved:
            self._show_sum(parts, byte)
        for byte in touched & sums.keys():
            if sums[byte][1] >= 0:
                self._show_piece(parts, sums[byte][1], "leading")
        if done:
            self._end(parts)
        elif at in self._layout.boundaries:
            x = self._layout.boundaries[at]
            parts.keep(("frontier", at), FRONTIER, "g", "frontier", self._frontier, left=x)

    def _end(self, parts: StepParts) -> None:
        """Shows the best path; its tokens are also joined in the line of the characters."""
        for start, _, _ in self._layout.cells:
            parts.drop(("cell", start))
        for number, place in enumerate(self._layout.rects):
            self._show_piece(parts, number, "best" if number in self._best else "done")
            if number in self._best:
                box = CanvasBox(*place)
                drawn = partial(self._arc, box._replace(left=0.0))
                parts.keep(("arc", number), ARCS, "g", "arc", drawn, left=box.left)
                under = CanvasBox(0.0, self._layout.floor + 1, box.width, CELL - 2)
                drawn = partial(rect, "f", under, 4.0)
                base = f"piece best {self._colour(number)}"
                parts.keep(("under", number), GROUND, "g", base, drawn, left=box.left)

    def _colour(self, number: int) -> str:
        unknown = self._paths.edges[number].unknown
        return "unknown" if unknown else f"s{self._colours[number]}"

    def _show_piece(self, parts: StepParts, number: int, look: str) -> None:
        box = CanvasBox(*self._layout.rects[number])
        drawn = partial(self._piece, number, box._replace(left=0.0))
        base = f"piece {self._colour(number)}"
        parts.keep(("piece", number), PIECES, "g", base, drawn, look, left=box.left)

    def _show_sum(self, parts: StepParts, byte: int) -> None:
        if byte not in self._layout.boundaries:
            return
        self._show_dot(parts, byte)
        if byte in self._shown:
            total = number_text(self._shown[byte][0])
            x, y = self._layout.boundaries[byte], self._layout.floor + CELL + FOOT / 2
            drawn = partial(text, total, 0.0, y, 12.0)
            here = "here" if byte == self._at else ""
            parts.keep(("sum", byte, total), SUMS, "g", "sum", drawn, here, left=x)

    def _show_dot(self, parts: StepParts, byte: int) -> None:
        x, y = self._layout.boundaries[byte], self._layout.floor
        look = "here" if byte == self._at else "known" if byte in self._shown else ""
        dot = partial(rect, "f", CanvasBox(-3.5, y - 3.5, 7, 7), 3.5)
        parts.keep(("dot", byte), SUMS, "g", "dot", dot, look, left=x)

    def _piece(self, number: int, box: CanvasBox) -> str:
        edge, middle = self._paths.edges[number], box.left + box.width / 2
        data = self._paths.data[edge.start : edge.end]
        several = ""
        if not edge.unknown and words_in(data) > 1:
            several = rect(
                "superword", CanvasBox(box.left + 4, box.top + box.height - 3, box.width - 8, 2)
            )
        words = text(readable(data), middle, box.top + 1 + BOX * 0.27, 13, box.width - 4)
        score = text(number_text(edge.score), middle, box.top + BOX * 0.76, 12, box.width, "score")
        return rect("f", box, 4) + several + words + score

    def _arc(self, box: CanvasBox) -> str:
        floor, middle = self._layout.floor, box.top + box.height / 2
        left, right = box.left - 3, box.left + box.width + 3
        return line("line", (left, floor), (left, middle), (box.left + 2, middle)) + line(
            "line", (right - 5, middle), (right, middle), (right, floor)
        )

    def _frontier(self) -> str:
        """Returns the line at which the search is."""
        head = '<path class="f" d="M-5 0h10l-5 7z"/>'
        return line("line", (0.0, 0.0), (0.0, self._layout.floor)) + head
