"""The body of a player for Unigram: the lattice, its best paths, and why a different path is worse."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QLineEdit,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from tokenarium.models.merges import narration
from tokenarium.models.merges.lattice_layout import edge_colours
from tokenarium.models.merges.lattice_paths import LatticePath, LatticePaths, Parting
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.text.piece import byte_numbers, score_text
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.text.superword_ids import superword_note
from tokenarium.models.titled_columns import RIGHT
from tokenarium.style.theme import GRID, MOTION_MS
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.flat_table import FlatTree, TermHeads
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import ElidedLabel, Rule, named, secondary, strong
from tokenarium.widgets.players.lattice_view import CELL, Frontier, LatticeView
from tokenarium.widgets.players.player_body import PlayerBody
from tokenarium_core.trace import EDGE, SPECIAL

BEST = 5
"""How many of the best paths are listed."""


LOWEST = 34 * GRID
"""The least height in pixels that has room for the list too."""


class LatticeBody(PlayerBody):
    """The lattice above the list of its paths. Picking a piece shows the best path with it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.view = LatticeView()
        super().__init__(parent, (self.view,))
        self.paths: LatticePaths | None = None
        self.list = LatticePathList()
        self.lists_paths = True  # if there is room, and not for an audience
        self._rule = Rule()
        self._listed: list[LatticePath] = []
        self._chosen: list[int] = []  # the edges that the user picked
        self._compares = False  # a path compared with the best
        self._sums: dict[int, tuple[float, int]] = {}
        self.colours: list[int] = []
        self.area = FitArea(self.view, clear=True)
        self.list.setContentsMargins(GRID, 0, GRID, 0)
        in_column((self.area, 1), self._rule, self.list, into=self)
        for bar in (self.area.horizontalScrollBar(), self.area.verticalScrollBar()):
            bar.rangeChanged.connect(self.follow)
        # Parts painted relative to the viewport must be repainted after scrolling.
        self.area.verticalScrollBar().valueChanged.connect(self.view.update)
        self.view.hovered.connect(self.hovered)
        self.view.edge_picked.connect(self._ask)
        self.view.edge_reached.connect(self._show_edge)
        self.list.picked.connect(self._choose)
        self.list.typed.connect(self._type)

    def set_run(self, run: TraceRun | None) -> None:
        super().set_run(run)
        self.paths = LatticePaths(run) if run is not None else None
        self._chosen, self._compares = [], False
        self._listed = self.paths.n_best(BEST) if self.paths is not None else []
        self.colours = edge_colours(self.paths) if self.paths is not None else []
        self.view.set_paths(self.paths, self._tip, self.colours)
        self.list.set_paths(self.paths, self._listed)

    def show_step(self, slide: bool = False, duration_ms: int = MOTION_MS) -> None:
        run, paths = self.run, self.paths
        if run is None or paths is None:
            return
        step = run.next_step
        at = step.start if step is not None and step.kind in (EDGE, SPECIAL) else paths.end
        self._sums = paths.sums(at)
        self.view.show_frontier(Frontier(at, self._sums, step is None))
        self.follow()

    def follow(self) -> None:
        """Scrolls to the search and to the piece that won there; at the end, to the pieces of the best path.

        If these do not all fit, their tiles in the line of the characters are still visible.
        """
        area, frontier = self.area, self.view.frontier
        margin = min(30 * GRID, area.viewport().width() // 2)
        place = round(self.view.place(frontier.at))
        area.ensureVisible(place, self.view.height(), margin, 0)
        left = area.horizontalScrollBar().value()
        right = left + area.viewport().width()
        rects = [self.view.edge_rect(number).toRect() for number in self._winners()]
        rects = [rect for rect in rects if left <= rect.right() and rect.left() <= right]
        if rects:
            x = max(left, min(place, right))
            below = round(CELL) if frontier.done else 0  # the tiles are there
            area.ensureVisible(x, max(rect.bottom() for rect in rects) + below, 0, GRID)
            area.ensureVisible(x, min(rect.top() for rect in rects), 0, GRID)
        self.view.update()

    def _winners(self) -> list[int]:
        """Returns the edges of the best path once it is known, or the best edge that ends at the search."""
        frontier = self.view.frontier
        if self.paths is None:
            return []
        if frontier.done:
            return list(self.paths.best.edges)
        number = frontier.sums.get(frontier.at, (0.0, -1))[1]
        return [number] if number >= 0 else []

    def _show_edge(self, number: int) -> None:
        """Scrolls to an edge that was reached by key, and its surroundings."""
        rect = self.view.edge_rect(number).toRect()
        beside = max(0, min(8 * GRID, (self.area.viewport().width() - rect.width()) // 2))
        self.area.ensureVisible(rect.left(), rect.top(), beside, GRID)
        self.area.ensureVisible(rect.right(), rect.bottom(), beside, GRID)

    def sentence(self) -> str:
        if self.run is None or self.paths is None:
            return ""
        return narration.next_edges(self.run, self.paths, self._sums)

    def count(self) -> str:
        if self.paths is None:
            return ""
        return f"{len(self.paths.edges):,} pieces"

    @property
    def controls(self) -> list[QWidget]:
        return [self.view, *self.list.controls]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        roomy = self.lists_paths and self.height() >= LOWEST
        self.list.setVisible(roomy)
        self._rule.setVisible(roomy)
        least = self.list.minimumSizeHint().height()
        self.list.setMaximumHeight(
            max(least, self.height() * 2 // 5)
        )  # leaves room for the lattice

    # Why not this one?

    @property
    def other_way(self) -> str:
        """The path that is compared with the best, with | where it is split, or ""."""
        return self.list.other.text() if self._compares else ""

    def compare(self, way: str) -> None:
        """Compares the best path with another, given with | where it is split; says so if there is no such path."""
        if self.paths is not None:
            self.list.other.setText(way)
            self._type(way)

    def _ask(self, number: int) -> None:
        """Shows the best path through an edge, and through those picked before if possible."""
        paths = self.paths
        assert paths is not None
        if number in self._chosen:
            self._chosen.remove(number)
        else:
            edge = paths.edges[number]
            self._chosen = [
                other
                for other in self._chosen
                if paths.edges[other].end <= edge.start or edge.end <= paths.edges[other].start
            ]
            self._chosen.append(number)
        path = paths.through(self._chosen) if self._chosen else None
        if path is None and self._chosen:
            self.list.say(f"No path contains “{paths.surface(number)}” here.")
        self._show(path)

    def _choose(self, place: int) -> None:
        self._chosen = []
        self._show(self._listed[place])

    def _type(self, text: str) -> None:
        assert self.paths is not None
        self._chosen, self._compares = [], True
        try:
            self._show(self.paths.typed(text))
        except ValueError as error:
            self.view.show_other(())
            self.list.say(str(error))

    def _show(self, path: LatticePath | None) -> None:
        self._compares = path is not None
        self.view.show_other(path.edges if path is not None else ())
        self.list.show_path(path)

    # Edges.

    def _tip(self, number: int) -> str:
        run, paths = self.run, self.paths
        assert run is not None
        assert paths is not None
        edge = paths.edges[number]
        lines = [paths.surface(number), f"Bytes {byte_numbers(paths.data[edge.start : edge.end])}"]
        if edge.unknown:
            lines.append("No entry of the vocabulary: unknown")
        else:
            surface = run.tokenizer.vocabulary.surface(edge.id)
            lines.append(f"Id {edge.id:,}, in the vocabulary: {surface}")
            several = superword_note(run.tokenizer.vocabulary, edge.id)
            lines += [several] if several else []
        lines.append(f"Score {edge.score:.4f}".replace("-", "−"))
        lines.append(f"On {paths.chances[number]:.1%} of the paths, by probability")
        if number in paths.best.edges:
            lines.append("On the best path")
        else:
            path = paths.through([number])
            if path is not None:
                behind = score_text(paths.best.score - path.score)
                lines.append(
                    f"The best path with it scores {behind} less: click or press Enter to see it"
                )
        return "\n".join(lines)


WHOLE = 28
"""The most characters of a path that is listed completely."""


PARTING_TIPS = (
    "The pieces of this path there",
    "The pieces of the best path there",
    "The sum of the scores of these pieces",
    "The sum of the scores of the pieces of the best path",
    "How much less this path scores there",
)

TERMS = {"The best paths": "lattice path", "Score": "score"}
"""The glossary terms of columns, by their headings."""

NUMBERS = ("Score", "Behind", "Its score", "Best score", "Gap")


class LatticePathList(QWidget):
    """The n best paths at the left; at the right a path compared with the best one."""

    picked = Signal(int)  # the index of one of the best paths
    typed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._paths: LatticePaths | None = None
        self.best = _table("The best paths", ["The best paths", "Score", "Behind"])
        self.best.setToolTip("Choose one to see it in the lattice, and why it is not the best")
        self.best.currentItemChanged.connect(self._pick)
        self.other = named(QLineEdit(), "Another way to split the text")
        self.other.setPlaceholderText("cut|it|your|own|way")
        self.other.setToolTip("Write the text with | where it should be split, and press Enter")
        self.other.returnPressed.connect(lambda: self.typed.emit(self.other.text()))
        self.answer = named(secondary(ElidedLabel()), "Why not this one")
        self.partings = _table(
            "Where it differs", ["This", "Best", "Its score", "Best score", "Gap"]
        )
        for column, tip in enumerate(PARTING_TIPS):
            self.partings.headerItem().setToolTip(column, tip)
        right = QWidget()
        line = in_row(
            strong(QLabel("Why not")),
            (self.other, 1),
            strong(QLabel("?")),
            spacing=-1,
            margins=(GRID, GRID // 2, GRID, 0),
        )
        self.answer.setContentsMargins(GRID, 0, GRID, 0)
        in_column(line, self.answer, (self.partings, 1), into=right, spacing=GRID // 2)
        split = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        split.addWidget(self.best)
        split.addWidget(right)
        split.setSizes([40 * GRID, 50 * GRID])
        in_column(split, into=self, spacing=-1)

    def sizeHint(self) -> QSize:
        return QSize(60 * GRID, 20 * GRID)

    def set_paths(self, paths: LatticePaths | None, best: Sequence[LatticePath]) -> None:
        """Lists paths, the best first."""
        self._paths = paths
        self.best.blockSignals(True)
        self.best.clear()
        for index, path in enumerate(best if paths is not None else ()):
            assert paths is not None
            behind = path.score - best[0].score
            texts = [self._text(paths, path), score_text(path.score), _gap(behind) if index else ""]
            _add(self.best, texts)
        self.best.blockSignals(False)
        self.show_path(None)

    def show_path(self, path: LatticePath | None) -> None:
        """Compares a path with the best one; None shows nothing."""
        paths = self._paths
        self.partings.clear()
        if paths is None or path is None:
            self.other.setText(paths.text(paths.best.edges) if paths is not None else "")
            self.answer.setText("Choose a path or a piece, or move a | and press Enter.")
            return
        self.other.setText(paths.text(path.edges))
        partings = paths.partings(path)
        behind = path.score - paths.best.score
        self.answer.setText(_answer(path, behind, partings))
        for parting in partings:
            _add(self.partings, self._cells(paths, parting))

    def say(self, sentence: str) -> None:
        """Says why a path cannot be shown."""
        self.partings.clear()
        self.answer.setText(sentence)

    @property
    def controls(self) -> list[QWidget]:
        """The widgets that take the focus, in Tab order."""
        return [self.best, self.other, self.partings]

    def _cells(self, paths: LatticePaths, parting: Parting) -> list[str]:
        both = (parting.taken, parting.best)
        texts = [paths.text(numbers) for numbers in both]
        return [*texts, *(_sum(paths, numbers) for numbers in both), _gap(parting.difference)]

    def _text(self, paths: LatticePaths, path: LatticePath) -> str:
        """Returns the text of a path in the list; for a long path, only where it differs from the best."""
        text = paths.text(path.edges)
        if len(text) <= WHOLE or path.edges == paths.best.edges:
            return text
        parts = [
            f"{paths.text(part.taken)} (at {len(paths.data[paths.start : part.start].decode()) + 1})"
            for part in paths.partings(path)
        ]
        return f"… {' … '.join(parts)} …"

    def _pick(self, item: QTreeWidgetItem | None) -> None:
        if item is not None:
            self.picked.emit(self.best.indexOfTopLevelItem(item))


def _answer(path: LatticePath, behind: float, partings: Sequence[Parting]) -> str:
    if not partings:
        return f"This is the best path: {score_text(path.score)}."
    places = "one place" if len(partings) == 1 else f"{len(partings):,} places"
    if behind == 0:
        return f"It scores the same as the best path, and differs in {places}: the other was found first."
    return f"It scores {score_text(path.score)}, {score_text(-behind)} less than the best; it differs in {places}."


def _sum(paths: LatticePaths, numbers: Sequence[int]) -> str:
    scores = [score_text(paths.edges[number].score) for number in numbers]
    total = score_text(paths.path(numbers).score)
    return f"{' '.join(scores)} = {total}" if len(scores) > 1 else total


def _gap(difference: float) -> str:
    return score_text(difference) if difference <= 0 else f"+{score_text(difference)}"


def _table(name: str, columns: list[str]) -> QTreeWidget:
    table = FlatTree(name, columns, GRID // 2)
    terms = {n: TERMS[title] for n, title in enumerate(columns) if title in TERMS}
    table.setHeaderItem(TermHeads(columns, terms))
    for column, title in enumerate(columns):
        sized = title in NUMBERS
        table.header().setSectionResizeMode(
            column,
            QHeaderView.ResizeMode.ResizeToContents if sized else QHeaderView.ResizeMode.Stretch,
        )
        if sized:
            table.headerItem().setTextAlignment(column, RIGHT)
    table.setMinimumHeight(8 * GRID)
    return table


def _add(table: QTreeWidget, texts: list[str]) -> None:
    item = QTreeWidgetItem(texts)
    for column, text in enumerate(texts):
        item.setToolTip(column, as_tip(text))
        if table.headerItem().text(column) in NUMBERS:
            item.setTextAlignment(column, RIGHT)
    table.addTopLevelItem(item)
