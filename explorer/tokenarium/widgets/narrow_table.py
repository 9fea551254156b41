"""A table for little room: one column takes what the others leave, and another gives way where that is too little."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTreeWidget

from tokenarium.style.theme import GRID
from tokenarium.widgets.flat_table import make_flat
from tokenarium.widgets.panel import MARGIN

LEAST = 8 * GRID
"""Pixels of the column that takes what is left, at least."""


class NarrowTable(QTreeWidget):
    """Call ``fit`` when the rows are others: the column ``spare`` is there where it leaves room for ``widest``."""

    def __init__(self, name: str, columns: Sequence[str], widest: int, spare: int) -> None:
        super().__init__()
        self._widest, self._spare = widest, spare
        make_flat(self, GRID // 2, left=MARGIN)
        self.setAccessibleName(name)
        self.setHeaderLabels(columns)
        self.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(4 * GRID)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(widest, QHeaderView.ResizeMode.Stretch)
        header.setSectionsMovable(False)

    def fit(self) -> None:
        """Shows the spare column, or leaves it out."""
        header = self.header()
        others = [n for n in range(self.columnCount()) if n not in (self._widest, self._spare)]
        taken = sum(max(self.sizeHintForColumn(n), header.sectionSizeHint(n)) for n in others)
        left = self.viewport().width() - taken - LEAST
        hidden = left < self.sizeHintForColumn(self._spare)
        if hidden != self.isColumnHidden(self._spare):
            self.setColumnHidden(self._spare, hidden)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()
