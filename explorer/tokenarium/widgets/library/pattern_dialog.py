"""Asks for the pattern of a tokenizer file that does not contain it."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QLabel, QWidget

from tokenarium.style.fonts import mono_font
from tokenarium.style.theme import GRID
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import literal, named, secondary
from tokenarium.widgets.term_marks import TermButton
from tokenarium_core import PatternError
from tokenarium_core.formats import tiktoken_cutting
from tokenarium_core.pretokenizers import NO_CUTS
from tokenarium_core.pretokenizers.scanners import PRE_TOKENIZERS


class PatternDialog(QDialog):
    """A list of the named patterns, in which a new pattern can be written, too."""

    def __init__(self, parent: QWidget | None, file_name: str) -> None:
        super().__init__(parent)
        self.setWindowTitle("Choose a pattern")
        self.setMinimumWidth(60 * GRID)
        question = literal(QLabel(wordWrap=True))
        question.setText(
            f"{file_name} has entries and their ranks, but not the pattern that splits a text first. "
            "Choose the pattern that it was made with, or write it."
        )
        self.pattern = named(QComboBox(editable=True), "Pattern")
        self.pattern.setFont(mono_font())
        self.pattern.addItems([*PRE_TOKENIZERS, NO_CUTS])
        self.pattern.setCurrentText("cl100k")
        self.problem = secondary(QLabel(wordWrap=True))
        buttons = QDialogButtonBox.StandardButton.Open | QDialogButtonBox.StandardButton.Cancel
        self.buttons = QDialogButtonBox(buttons)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        in_column(
            question,
            in_row((self.pattern, 1), TermButton("pattern"), spacing=GRID // 2),
            self.problem,
            self.buttons,
            into=self,
            spacing=GRID,
            margins=2 * GRID,
        )
        self.pattern.editTextChanged.connect(self._check)

    @classmethod
    def ask(cls, parent: QWidget | None, file_name: str) -> str | None:
        """Returns the chosen pattern, or None if the dialog was cancelled."""
        dialog = cls(parent, file_name)
        accepted = dialog.exec() == QDialog.DialogCode.Accepted
        return dialog.pattern.currentText() if accepted else None

    def _check(self, pattern: str) -> None:
        problem = "" if pattern else "Write a pattern, or choose one."
        try:
            tiktoken_cutting(pattern)
        except PatternError as error:
            problem = str(error)
        self.problem.setText(problem)
        self.buttons.button(QDialogButtonBox.StandardButton.Open).setEnabled(not problem)
