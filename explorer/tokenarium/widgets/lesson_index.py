"""The list of lessons at the left of a wide window, while a lesson is shown at the right."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from tokenarium.style.fonts import HEADING_SIZE, ui_font
from tokenarium.style.theme import CARD_MARGIN, GRID
from tokenarium.style.themed import Themed
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.lesson_rows import LessonButton, LessonRow, scrolled
from tokenarium.widgets.panel import secondary

WIDTH = 260
"""Pixels."""


class LessonIndex(Themed, QWidget):
    """The lessons with their progress; the one that is shown is marked."""

    lesson_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("All lessons")
        self.setFixedWidth(WIDTH)
        self.rows: list[LessonButton] = []
        title = QLabel("Lessons")
        title.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
        self.done = secondary(QLabel())
        inner = QWidget()
        self._box = in_column(into=inner, spacing=2, margins=(GRID, 0, GRID, GRID))
        self._area = scrolled(inner)
        in_column(
            in_row(title, STRETCH, self.done, margins=(CARD_MARGIN, 18, CARD_MARGIN, 14)),
            (self._area, 1),
            into=self,
            margins=(0, 0, 1, 0),
        )

    def show_rows(self, rows: Sequence[LessonRow], current: str) -> None:
        """Shows the lessons; ``current`` is the id of the one that is shown."""
        done = sum(row.seen >= row.steps for row in rows)
        self.done.setText(f"{done} of {len(rows)} done")
        if [one.row.id for one in self.rows] != [row.id for row in rows]:
            for old in self.rows:
                old.hide()
                old.deleteLater()
            self.rows = [LessonButton(row) for row in rows]
            for button in self.rows:
                button.clicked.connect(lambda _, id=button.row.id: self.lesson_chosen.emit(id))
                self._box.addWidget(button)
            self._box.addStretch(1)
        for button, row in zip(self.rows, rows, strict=True):
            button.show_row(row, row.id == current)
            if row.id == current:
                self._area.ensureWidgetVisible(button, 0, 2 * GRID)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.surface)
        painter.fillRect(self.width() - 1, 0, 1, self.height(), self.theme.line)
        painter.end()
