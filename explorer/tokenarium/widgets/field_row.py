"""The fields of a page: each with its title above it, in a row that wraps."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget

from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.theme import CONTROL_HEIGHT, GRID
from tokenarium.widgets.layouts import FlowLayout, in_column
from tokenarium.widgets.panel import secondary
from tokenarium.widgets.term_marks import TermButton, with_term

FIELD_GAP = 3 * GRID // 2
"""Pixels between two fields."""

TITLE_HEIGHT = 5 * GRID // 2
"""Pixels of the title over a field."""


def field_title(text: str, buddy: QWidget) -> QLabel:
    """Returns the title over a field."""
    label = secondary(QLabel(text))
    label.setFont(ui_font(SMALL_SIZE))
    label.setBuddy(buddy)
    return label


class FieldBelow(QWidget):
    """A control below its title, which has the mark of a term if it is one of the glossary.

    Without a title its place stays empty, so that buttons and boxes stand in line with the fields next to them.
    """

    def __init__(self, control: QWidget, title: str = "", term: str = "") -> None:
        super().__init__()
        label = field_title(title, control)
        self.head = with_term(label, term) if term else label
        self.head.setFixedHeight(TITLE_HEIGHT)
        for mark in self.head.findChildren(TermButton):
            mark.setFixedHeight(TITLE_HEIGHT)
        control.setFixedHeight(CONTROL_HEIGHT)
        in_column(self.head, control, into=self)


def field_row(*fields: QWidget) -> QWidget:
    """Returns a row of fields, which wraps."""
    row = QWidget()
    layout = FlowLayout(row, FIELD_GAP)
    for field in fields:
        layout.addWidget(field)
    return row
