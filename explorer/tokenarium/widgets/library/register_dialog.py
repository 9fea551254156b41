"""Asks for the name, version and author with which a tokenizer is registered."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from tokenarium.resources.glossary import explanation
from tokenarium.style.controls import primary
from tokenarium.style.theme import GRID
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import close_buttons, literal, named, secondary

MOST_FILES = 3
"""The most files that are named; the rest are counted."""


class RegisterDialog(QDialog):
    """Four fields, and a sentence about the result."""

    register_requested = Signal(str, str, str, str)  # name, version, author, note

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumWidth(64 * GRID)
        self.about = secondary(QLabel(wordWrap=True))
        self.name = named(QLineEdit(), "Name")
        self.version = named(QLineEdit(), "Version")
        self.author = named(QLineEdit(), "Author")
        self.author.setPlaceholderText("Who made it")
        self.note = named(QLineEdit(), "Note")
        self.note.setPlaceholderText("Other notes")
        self.sentence = literal(QLabel(wordWrap=True))
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        form = QFormLayout()
        form.setHorizontalSpacing(2 * GRID)
        form.setVerticalSpacing(GRID)
        fields = (self.name, self.version, self.author, self.note)
        for field in fields:
            form.addRow(field.accessibleName(), field)
        self.name.setToolTip(explanation("registry"))
        buttons = close_buttons(self)
        self.button = primary(QPushButton("Register"))
        buttons.addButton(self.button, QDialogButtonBox.ButtonRole.ActionRole)
        self.button.setDefault(True)
        in_column(
            self.about, form, self.sentence, buttons, into=self, spacing=2 * GRID, margins=2 * GRID
        )
        self.button.clicked.connect(self._ask)
        for field in (self.name, self.version):
            field.textChanged.connect(self._follow)

    def ask(self, title: str, files: Sequence[str], name: str, version: str, author: str) -> None:
        """Shows a tokenizer: its files, and the initial contents of the fields."""
        self.setWindowTitle(f"Register {title}")
        shown = "\n".join(files[:MOST_FILES])
        more = f"\nand {len(files) - MOST_FILES:,} more" if len(files) > MOST_FILES else ""
        self.about.setText(
            "It then opens as name@version, and only while its files are unchanged. Their SHA-256 and a copy"
            f" of each are kept:\n{shown}{more}"
        )
        self.name.setText(name)
        self.version.setText(version)
        self.author.setText(author)
        self.note.clear()
        self.say("")
        self.name.setFocus()
        self.name.selectAll()

    def say(self, sentence: str, wrong: bool = False) -> None:
        """Shows the result."""
        role = self.palette().ColorRole
        self.sentence.setForegroundRole(role.BrightText if wrong else role.WindowText)
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))
        self._follow()

    def show_running(self) -> None:
        """Shows that the registration is running."""
        self.say("Reading the files …")
        self.button.setEnabled(False)

    def _follow(self) -> None:
        self.button.setEnabled(bool(self.name.text().strip() and self.version.text().strip()))

    def _ask(self) -> None:
        fields = (self.name, self.version, self.author, self.note)
        name, version, author, note = (field.text().strip() for field in fields)
        self.register_requested.emit(name, version, author, note)
