"""The figure of WordPiece: the tokens so far, and below them the windows over a word in the order of the look-ups."""

from __future__ import annotations

from functools import partial

from tokenarium.models.merges import narration
from tokenarium.models.merges.canvas_places import CanvasBox
from tokenarium.models.merges.greedy_windows import (
    GreedyScene,
    GreedyScenes,
    tokens_so_far,
    window_cells,
    window_places,
)
from tokenarium.models.merges.merge_scene import Tile
from tokenarium.models.merges.run import TraceRun
from tokenarium.web.html import bdi, escaped
from tokenarium.web.page import Figure
from tokenarium.web.shapes import number
from tokenarium.web.step_parts import StepParts, StepReport, StepSaid, each_step, figure, untold
from tokenarium.web.svg_parts import rect, svg, text, text_width

MARGIN, CELL, ROW, BAR = 16.0, 32.0, 28.0, 24.0
"""Pixels: around everything, and the heights of a character, of a row, and of a window in it."""

NARROWEST = 24.0
MOST_STRETCH = 1.8
WIDTH = 920.0

TOKENS, CELLS, WINDOWS = range(3)
TOKENS_LABEL = "The tokens so far."
LABEL = "The characters of a word."
ROWS_LABEL = "The windows over the word, in the order in which they are looked up."


def greedy_figure(
    run: TraceRun, name: str, about: str, step: int, report: StepReport = untold
) -> Figure:
    """Returns the steps of a run of WordPiece, shown at a step at first."""
    run = run.twin()
    scenes = GreedyScenes(run)
    drawing = _WindowDrawing()
    parts, said = StepParts(), []
    for position in each_step(len(run), report):
        run.go_to(position)
        parts.begin(position)
        made = scenes.made()
        for tiles in scenes.tiles():
            for one in tiles:
                _show_token(parts, one, one.start == made)
        drawing.show(parts, scenes.scene())
        said.append(StepSaid(narration.next_step(run), tokens_so_far(run)))
    parts.end()
    step = max(0, min(step, len(run)))
    wide = max(drawing.width, 320.0)
    kind = "grows scales" if wide <= WIDTH else "grows wide"
    head = svg(
        f"<g data-parts>{parts.markup(step, CELLS)}</g>",
        wide,
        CELL + 16,
        LABEL,
        kind.removeprefix("grows "),
    )
    rows = svg(
        f"<g data-parts>{parts.markup(step, WINDOWS)}</g>",
        wide,
        drawing.heights[step],
        ROWS_LABEL,
        kind,
    )
    stage = (
        f'<div class="kept"><p class="tokens" dir="auto" tabindex="0" role="group" aria-label="{TOKENS_LABEL}" data-parts>{parts.markup(step, TOKENS)}</p>{head}</div>'
        f'<div class="rows" data-room="{number(max(drawing.heights))}">{rows}</div>'
    )
    return figure(name, about, stage, parts, said, step)


def _show_token(parts: StepParts, one: Tile, made: bool) -> None:
    parts.part(
        ("tile", one.start, one.end, one.note, one.text),
        TOKENS,
        "span",
        "token loose" if one.loose else f"token s{one.colour}",
        partial(_token, one),
        "made" if made else "",
        one.start,
    )


def _token(one: Tile) -> str:
    note = f"<small>{escaped(one.note)}</small>" if one.note else ""
    return f"<b>{bdi(one.text)}</b>{note}"


def _narrow_cell(words: str) -> float:
    """Returns the least width of a character in pixels."""
    return max(text_width(words, 15) + 12, NARROWEST)


class _WindowDrawing:
    """The windows of all words, each below its own characters."""

    def __init__(self) -> None:
        self.width = 0.0
        self.heights: list[float] = []  # of what is seen at each step

    def show(self, parts: StepParts, scene: GreedyScene) -> None:
        """Adds the characters of a word, and its windows."""
        used = sum(cell[4] for cell in window_cells(scene, MARGIN, _narrow_cell))
        stretch = max(1.0, min(MOST_STRETCH, (WIDTH - 260) / max(used, 1.0)))
        cells = window_cells(scene, MARGIN, lambda words: stretch * _narrow_cell(words))
        places = window_places(scene, cells)
        right = places.get(scene.start + len(scene.word), MARGIN)
        coming = scene.coming
        for start, end, words, x, width in cells:
            inside = coming is not None and coming.start <= start and end <= coming.end
            look = ("inside" if inside else "") + ("" if end > scene.done else " done")
            drawn = partial(_cell, words, CanvasBox(x + 2, 8.0, width - 4, CELL))
            parts.part(("cell", start), CELLS, "g", "cell", drawn, look.strip())
        every = [*scene.windows, *([coming] if coming is not None else [])]
        for row, window in enumerate(every):
            left, stop = places[window.start], places[window.end]
            box = CanvasBox(left + 2, 2 + row * ROW, stop - left - 4, BAR)
            key = scene.start, row
            look = "coming"
            if row < len(scene.windows):
                found = f"found s{window.colour}" if window.matched else "none"
                look = "lost" if window.lost else found
                said = partial(_answer, window.answer, right + 16, box.top + BAR / 2 + 4)
                base = f"answer {look.split()[0]}"
                parts.part(("answer", *key), WINDOWS, "g", base, said)
            drawn = partial(_window, window.text, box)
            parts.part(("window", *key), WINDOWS, "g", "window", drawn, look)
        self.heights.append(max(1, len(every)) * ROW + 8)
        self.width = max(self.width, right + 240)


def _cell(words: str, box: CanvasBox) -> str:
    return rect("f", box) + text(words, box.left + box.width / 2, box.top + CELL / 2, 15)


def _window(words: str, box: CanvasBox) -> str:
    middle = box.left + box.width / 2, box.top + box.height / 2
    return rect("f", box, 4) + text(words, *middle, 13, box.width + 40)


def _answer(words: str, x: float, y: float) -> str:
    return f'<text x="{number(x)}" y="{number(y)}" font-size="12">{escaped(words)}</text>'
