"""The body of a player for Unigram: the lattice, the best ways through it, and why not another one."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from tokenarium.models.merges import narration
from tokenarium.models.merges.lattice_paths import LatticePath, LatticePaths
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.text.piece import hexadecimal, score_text
from tokenarium.models.text.segmentation import token_colours
from tokenarium.models.text.superword_ids import superword_note
from tokenarium.style.theme import GRID, MOTION_MS, Theme
from tokenarium.widgets.fit_area import FitArea
from tokenarium.widgets.panel import Rule
from tokenarium.widgets.players.lattice_path_list import LatticePathList
from tokenarium.widgets.players.lattice_view import CELL, Frontier, LatticeView
from tokenarium.widgets.players.player_body import PlayerBody
from tokenarium_core.trace import EDGE, SPECIAL

BEST = 5
"""How many of the best ways are listed."""


LOWEST = 34 * GRID
"""The height from which on there is room for the list too."""


class LatticeBody(PlayerBody):
    """The lattice over the list of its ways. A piece that is picked asks for the best way that takes it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.ways: LatticePaths | None = None
        self.view = LatticeView(theme)
        self.list = LatticePathList()
        self._rule = Rule()
        self._listed: list[LatticePath] = []
        self._chosen: list[int] = []  # the edges that a person asked for
        self._sums: dict[int, tuple[float, int]] = {}
        self._colours: list[int] = []
        self.area = FitArea(self.view)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.area, 1)
        layout.addWidget(self._rule)
        layout.addWidget(self.list)
        for bar in (self.area.horizontalScrollBar(), self.area.verticalScrollBar()):
            bar.rangeChanged.connect(self.follow)
        # What is painted where the view is seen, not at a place of its own, is not just moved.
        self.area.verticalScrollBar().valueChanged.connect(self.view.update)
        self.view.hovered.connect(self.hovered)
        self.view.edge_picked.connect(self._ask)
        self.view.edge_reached.connect(self._show_edge)
        self.list.picked.connect(self._choose)
        self.list.typed.connect(self._type)

    def set_run(self, run: TraceRun | None) -> None:
        super().set_run(run)
        self.ways = LatticePaths(run) if run is not None else None
        self._chosen = []
        self._listed = self.ways.n_best(BEST) if self.ways is not None else []
        self._colours = _colours(self.ways) if self.ways is not None else []
        self.view.set_ways(self.ways, self._tip, self._colours)
        self.list.set_ways(self.ways, self._listed)

    def show_step(self, slide: bool = False, duration_ms: int = MOTION_MS) -> None:
        run, ways = self.run, self.ways
        if run is None or ways is None:
            return
        step = run.next_step
        at = step.start if step is not None and step.kind in (EDGE, SPECIAL) else ways.end
        self._sums = ways.sums(at)
        self.view.show_front(Frontier(at, self._sums, step is None))
        self.follow()

    def follow(self) -> None:
        """Scrolls to where the search is, and so that the piece that won there is seen; in the end, those of the best way.

        Where these do not all fit, their tiles are still seen: those in the line of the characters.
        """
        area, front = self.area, self.view.front
        margin = min(30 * GRID, area.viewport().width() // 2)
        place = round(self.view.place(front.at))
        area.ensureVisible(place, self.view.height(), margin, 0)
        left = area.horizontalScrollBar().value()
        right = left + area.viewport().width()
        rects = [self.view.edge_rect(number).toRect() for number in self._winners()]
        rects = [rect for rect in rects if left <= rect.right() and rect.left() <= right]
        if rects:
            x = max(left, min(place, right))
            below = round(CELL) if front.done else 0  # the tiles are there
            area.ensureVisible(x, max(rect.bottom() for rect in rects) + below, 0, GRID)
            area.ensureVisible(x, min(rect.top() for rect in rects), 0, GRID)
        self.view.update()

    def _winners(self) -> list[int]:
        """Returns the edges of the best way once it is known, else the best one that ends where the search is."""
        front = self.view.front
        if self.ways is None:
            return []
        if front.done:
            return list(self.ways.best.edges)
        number = front.sums.get(front.at, (0.0, -1))[1]
        return [number] if number >= 0 else []

    def _show_edge(self, number: int) -> None:
        """Scrolls to an edge that a key went to, with what is beside it."""
        rect = self.view.edge_rect(number).toRect()
        beside = max(0, min(8 * GRID, (self.area.viewport().width() - rect.width()) // 2))
        self.area.ensureVisible(rect.left(), rect.top(), beside, GRID)
        self.area.ensureVisible(rect.right(), rect.bottom(), beside, GRID)

    def sentence(self) -> str:
        if self.run is None or self.ways is None:
            return ""
        return narration.next_edges(self.run, self.ways, self._sums)

    def count(self) -> str:
        if self.ways is None:
            return ""
        return f"{len(self.ways.edges):,} pieces"

    def light(self, start: int, end: int) -> None:
        self.view.light(start, end)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.view.set_theme(theme)

    @property
    def controls(self) -> list[QWidget]:
        return [self.view, *self.list.controls]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        roomy = self.height() >= LOWEST
        self.list.setVisible(roomy)
        self._rule.setVisible(roomy)
        least = self.list.minimumSizeHint().height()
        self.list.setMaximumHeight(max(least, self.height() * 2 // 5))  # the lattice is to be seen

    # Why not this one?

    def _ask(self, number: int) -> None:
        """Shows the best way through an edge, and those that were asked for before where both can be."""
        ways = self.ways
        assert ways is not None
        if number in self._chosen:
            self._chosen.remove(number)
        else:
            edge = ways.edges[number]
            self._chosen = [
                other
                for other in self._chosen
                if ways.edges[other].end <= edge.start or edge.end <= ways.edges[other].start
            ]
            self._chosen.append(number)
        way = ways.through(self._chosen) if self._chosen else None
        if way is None and self._chosen:
            self.list.say(f"No way takes “{ways.surface(number)}” here.")
        self._show(way)

    def _choose(self, place: int) -> None:
        self._chosen = []
        self._show(self._listed[place])

    def _type(self, text: str) -> None:
        assert self.ways is not None
        self._chosen = []
        try:
            self._show(self.ways.typed(text))
        except ValueError as error:
            self.view.show_other(())
            self.list.say(str(error))

    def _show(self, way: LatticePath | None) -> None:
        self.view.show_other(way.edges if way is not None else ())
        self.list.show_way(way)

    # Edges.

    def _tip(self, number: int) -> str:
        run, ways = self.run, self.ways
        assert run is not None
        assert ways is not None
        edge = ways.edges[number]
        lines = [ways.surface(number), f"Bytes {hexadecimal(ways.data[edge.start : edge.end])}"]
        if edge.unknown:
            lines.append("No entry of the vocabulary: unknown")
        else:
            surface = run.tokenizer.vocabulary.surface(edge.id)
            lines.append(f"Id {edge.id:,}, in the vocabulary: {surface}")
            several = superword_note(run.tokenizer.vocabulary, edge.id)
            lines += [several] if several else []
        lines.append(f"Score {edge.score:.4f}".replace("-", "−"))
        lines.append(f"On {ways.chances[number]:.1%} of the ways, by their probability")
        if number in ways.best.edges:
            lines.append("On the best way")
        else:
            way = ways.through([number])
            if way is not None:
                behind = score_text(ways.best.score - way.score)
                lines.append(
                    f"The best way that takes it scores {behind} less: click or press Enter to see it"
                )
        return "\n".join(lines)


def _colours(ways: LatticePaths) -> list[int]:
    """Returns the number of each edge's colour: on the best way those of its tokens side by side."""
    ids = np.array([edge.id for edge in ways.edges], dtype=np.int32)
    colours = token_colours(ids)
    best = list(ways.best.edges)
    colours[best] = token_colours(ids[best])
    return [int(colour) for colour in colours]
