"""The settings of a training to play, in one line: corpus, pattern, number of merges."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QLabel, QSpinBox, QWidget

from tokenarium.style.theme import GRID
from tokenarium.widgets.layouts import FlowLayout
from tokenarium.widgets.panel import MARGIN, named, secondary, tool_button
from tokenarium.widgets.term_marks import with_term

TEXT, SELECTION, SAMPLES, FILE = "text", "selection", "samples", "file"
CORPORA = {
    TEXT: "This text",
    SELECTION: "The selection",
    SAMPLES: "All samples",
    FILE: "A file …",
}
FEWEST, USUAL, MOST = 1, 300, 5000
"""Merges."""


class MergeTrainingForm(QWidget):
    """Asks for the settings; ``buttons`` are actions with short texts, after the fields."""

    file_wanted = Signal()

    def __init__(
        self, patterns: Sequence[str], pattern: str, buttons: Sequence[tuple[QAction, str]]
    ) -> None:
        super().__init__()
        self.corpus = named(QComboBox(), "Corpus", "What the merges are learned from")
        for key, title in CORPORA.items():
            self.corpus.addItem(title, key)
        # activated, not currentIndexChanged: another file may be chosen after the first.
        self.corpus.activated.connect(self._ask)
        self.pattern = named(QComboBox(), "Pattern")
        self.pattern.setToolTip(
            "How the corpus is cut into pre-tokens, across which nothing merges"
        )
        self.pattern.addItems(list(patterns))
        self.pattern.setCurrentText(pattern)
        self.merges = named(QSpinBox(), "Merges")
        self.merges.setToolTip("How many merges are learned, if the corpus has enough")
        self.merges.setRange(FEWEST, MOST)
        self.merges.setGroupSeparatorShown(True)
        self.merges.setValue(USUAL)
        row = FlowLayout(self, GRID // 2)
        row.setContentsMargins(MARGIN, GRID // 2, GRID, GRID // 2)
        for title, control in (
            ("Corpus", self.corpus),
            ("Pattern", self.pattern),
            ("Merges", self.merges),
        ):
            label = secondary(QLabel(title))
            label.setMinimumHeight(control.sizeHint().height())
            row.addWidget(with_term(label, title.lower().removesuffix("s")))
            row.addWidget(control)
        self.buttons = [tool_button(action, text) for action, text in buttons]
        for button in self.buttons:
            button.setAutoRaise(False)
            button.setMinimumHeight(self.corpus.sizeHint().height())
            row.addWidget(button)

    def choose(self, corpus: str) -> None:
        """Chooses a corpus by its key."""
        self.corpus.setCurrentIndex(self.corpus.findData(corpus))

    @property
    def chosen(self) -> str:
        """The key of the corpus."""
        return str(self.corpus.currentData())

    def name_file(self, name: str) -> None:
        """Shows the name of the chosen file."""
        self.corpus.setItemText(self.corpus.findData(FILE), f"{name} …" if name else CORPORA[FILE])

    def _ask(self, _: int) -> None:
        if self.chosen == FILE:
            self.file_wanted.emit()
