"""The title of a page with its controls: in one row, or below each other where the title would be cut short."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from tokenarium.style.theme import GRID
from tokenarium.widgets.layouts import STRETCH, in_row
from tokenarium.widgets.panel import ElidedLabel
from tokenarium.widgets.term_marks import TermButton


class TitleRow(QWidget):
    """A title, at its right end help on it, and controls at the right or below it."""

    def __init__(self, title: ElidedLabel, controls: Sequence[QWidget]) -> None:
        super().__init__()
        marks = [control for control in controls if isinstance(control, TermButton)]
        others = [control for control in controls if control not in marks]
        self._first = in_row((title, 1), *marks, spacing=GRID)
        self._controls = in_row(*others, *[STRETCH] * bool(others), spacing=GRID)
        self._row = in_row((self._first, 1), self._controls, into=self, spacing=GRID)

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._turn()
        return done

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        needed = self._first.sizeHint().width() + GRID + self._controls.sizeHint().width()
        ways = QBoxLayout.Direction
        below = self._controls.count() and needed > self.width()
        way = ways.TopToBottom if below else ways.LeftToRight
        if way != self._row.direction():
            self._row.setDirection(way)
