"""The part of the welcome page for newcomers: the way to the first lesson, and questions that people ask."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QWidget

from tokenarium.style.fonts import HEADING_SIZE, ui_font
from tokenarium.style.theme import GRID
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import STRETCH, FlowLayout, in_column, in_row
from tokenarium.widgets.panel import named


class WelcomeGuide(QWidget):
    """A button that starts the first lesson, and one for each question that a lesson answers."""

    start_wanted = Signal()
    asked = Signal(str)  # the question

    def __init__(self, questions: Sequence[str]) -> None:
        super().__init__()
        title = QLabel("New to this?")
        title.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
        self.start = named(
            GlyphButton("Start with lesson 1", "arrow-right", "ghost"),
            "Start with lesson 1",
            "Opens the first lesson: a few minutes, with questions",
        )
        self.start.clicked.connect(self.start_wanted)
        row = QWidget()
        flow = FlowLayout(row, GRID)
        self.questions: list[GlyphButton] = []
        for question in questions:
            button = GlyphButton(question, "question")
            button.setToolTip("Opens the step of a lesson that answers this")
            button.clicked.connect(lambda _=False, question=question: self.asked.emit(question))
            self.questions.append(button)
            flow.addWidget(button)
        in_column(in_row(title, self.start, STRETCH, spacing=GRID), row, into=self, spacing=GRID)
