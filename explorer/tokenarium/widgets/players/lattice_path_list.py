"""The best ways through a lattice with their scores, and "why not this one?" for any way a person asks about."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from tokenarium.models.merges.lattice_paths import LatticePath, LatticePaths, Parting
from tokenarium.models.text.piece import score_text
from tokenarium.models.text.qt_text import as_tip
from tokenarium.style.theme import GRID
from tokenarium.widgets.flat_table import make_flat
from tokenarium.widgets.panel import ElidedLabel, secondary, strong

WHOLE = 28
"""The longest way, in characters, that is written as a whole."""


PARTING_TIPS = (
    "What this way takes there",
    "What the best way takes there",
    "The sum of the scores of what this way takes",
    "The sum of the scores of what the best way takes",
    "How much less this way scores there",
)

NUMBERS = ("Score", "Behind", "Its score", "Best score", "Gap")
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class LatticePathList(QWidget):
    """The n best ways at the left; at the right another way beside the best one, place by place."""

    picked = Signal(int)  # the number of one of the best ways
    typed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ways: LatticePaths | None = None
        self.best = _table("The best ways", ["The best ways", "Score", "Behind"])
        self.best.setToolTip("Choose one to see it in the lattice, and why it is not the best")
        self.best.currentItemChanged.connect(self._pick)
        self.other = QLineEdit()
        self.other.setAccessibleName("Another way to cut the text")
        self.other.setPlaceholderText("cut|it|your|own|way")
        self.other.setToolTip("Write the text with | where it should be cut, and press Enter")
        self.other.returnPressed.connect(lambda: self.typed.emit(self.other.text()))
        self.answer = secondary(ElidedLabel())
        self.answer.setAccessibleName("Why not this one")
        self.partings = _table(
            "Where it differs", ["This", "Best", "Its score", "Best score", "Gap"]
        )
        for column, tip in enumerate(PARTING_TIPS):
            self.partings.headerItem().setToolTip(column, tip)
        right = QWidget()
        rows = QVBoxLayout(right)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(GRID // 2)
        line = QHBoxLayout()
        line.setContentsMargins(GRID, GRID // 2, GRID, 0)
        line.addWidget(strong(QLabel("Why not")))
        line.addWidget(self.other, 1)
        line.addWidget(strong(QLabel("?")))
        rows.addLayout(line)
        self.answer.setContentsMargins(GRID, 0, GRID, 0)
        rows.addWidget(self.answer)
        rows.addWidget(self.partings, 1)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(self.best)
        split.addWidget(right)
        split.setSizes([40 * GRID, 50 * GRID])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(split)

    def sizeHint(self) -> QSize:
        return QSize(60 * GRID, 20 * GRID)

    def set_ways(self, ways: LatticePaths | None, best: Sequence[LatticePath]) -> None:
        """Lists other ways, the best first."""
        self._ways = ways
        self.best.blockSignals(True)
        self.best.clear()
        for place, way in enumerate(best if ways is not None else ()):
            assert ways is not None
            behind = way.score - best[0].score
            texts = [self._text(ways, way), score_text(way.score), _gap(behind) if place else ""]
            _add(self.best, texts)
        self.best.blockSignals(False)
        self.show_way(None)

    def show_way(self, way: LatticePath | None) -> None:
        """Shows a way beside the best one; nothing with None."""
        ways = self._ways
        self.partings.clear()
        if ways is None or way is None:
            self.other.setText(ways.text(ways.best.edges) if ways is not None else "")
            self.answer.setText("Pick a way or a piece, or move a | and press Enter.")
            return
        self.other.setText(ways.text(way.edges))
        partings = ways.partings(way)
        behind = way.score - ways.best.score
        self.answer.setText(_answer(way, behind, partings))
        for parting in partings:
            _add(self.partings, self._cells(ways, parting))

    def say(self, sentence: str) -> None:
        """Says why a way cannot be shown."""
        self.partings.clear()
        self.answer.setText(sentence)

    @property
    def controls(self) -> list[QWidget]:
        """What takes the focus, in the order of Tab."""
        return [self.best, self.other, self.partings]

    def _cells(self, ways: LatticePaths, parting: Parting) -> list[str]:
        both = (parting.taken, parting.best)
        texts = [ways.text(numbers) for numbers in both]
        return [*texts, *(_sum(ways, numbers) for numbers in both), _gap(parting.difference)]

    def _text(self, ways: LatticePaths, way: LatticePath) -> str:
        """Returns a way as it is listed: a long one only where it is not the best."""
        text = ways.text(way.edges)
        if len(text) <= WHOLE or way.edges == ways.best.edges:
            return text
        parts = [
            f"{ways.text(part.taken)} (at {len(ways.data[ways.start : part.start].decode()) + 1})"
            for part in ways.partings(way)
        ]
        return f"… {' … '.join(parts)} …"

    def _pick(self, item: QTreeWidgetItem | None) -> None:
        if item is not None:
            self.picked.emit(self.best.indexOfTopLevelItem(item))


def _answer(way: LatticePath, behind: float, partings: Sequence[Parting]) -> str:
    if not partings:
        return f"This is the best way: {score_text(way.score)}."
    places = "one place" if len(partings) == 1 else f"{len(partings):,} places"
    if behind == 0:
        return f"It scores as much as the best way, and differs in {places}: the other was found first."
    return f"It scores {score_text(way.score)}, {score_text(-behind)} less than the best; it differs in {places}."


def _sum(ways: LatticePaths, numbers: Sequence[int]) -> str:
    scores = [score_text(ways.edges[number].score) for number in numbers]
    total = score_text(ways.way(numbers).score)
    return f"{' '.join(scores)} = {total}" if len(scores) > 1 else total


def _gap(difference: float) -> str:
    return score_text(difference) if difference <= 0 else f"+{score_text(difference)}"


def _table(name: str, columns: list[str]) -> QTreeWidget:
    table = QTreeWidget()
    make_flat(table, GRID // 2)
    table.setAccessibleName(name)
    table.setHeaderLabels(columns)
    table.setRootIsDecorated(False)
    table.setUniformRowHeights(True)
    table.setFrameShape(QTreeWidget.Shape.NoFrame)
    table.header().setStretchLastSection(False)
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
