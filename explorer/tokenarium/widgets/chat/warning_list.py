"""Warnings about a chat, each with what to do and a button that shows where it is in the text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from tokenarium.models.chat.chat_warnings import ChatWarning
from tokenarium.style.icons import paint_icon
from tokenarium.style.theme import GRID
from tokenarium.style.themed import Themed
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import literal

SIGN = 2 * GRID
"""Pixels of the sign before a warning."""


class WarningList(QWidget):
    """A line for each warning; hidden without any. ``pointed``: a place of a warning, in bytes, one after the other."""

    pointed = Signal(int, int)

    def __init__(self) -> None:
        super().__init__()
        self.warnings: list[ChatWarning] = []
        self.rows: list[WarningRow] = []
        self._lines = in_column(into=self, spacing=GRID // 2)
        self.setAccessibleName("Warnings")
        self.hide()

    def show_warnings(self, warnings: Sequence[ChatWarning]) -> None:
        """Shows other warnings."""
        if list(warnings) == self.warnings:
            return
        self.warnings = list(warnings)
        for row in self.rows:
            self._lines.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = [WarningRow(warning) for warning in self.warnings]
        for row in self.rows:
            row.pointed.connect(self.pointed)
            self._lines.addWidget(row)
        self.setVisible(bool(self.rows))


class WarningRow(QWidget):
    """A warning: its sign, its sentences, and the button to go to its next place."""

    pointed = Signal(int, int)

    def __init__(self, warning: ChatWarning) -> None:
        super().__init__()
        self._warning = warning
        self._next = 0
        self.label = literal(QLabel(f"{warning.sentence} {warning.remedy}", wordWrap=True))
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        policy.setHeightForWidth(True)
        self.label.setSizePolicy(policy)
        self.button = QPushButton("Show", autoDefault=False)
        self.button.setAccessibleName("Show where this is in the text")
        self.button.setToolTip("Selects the next place in the text")
        self.button.setVisible(bool(warning.places))
        self.button.clicked.connect(self._point)
        top = Qt.AlignmentFlag.AlignTop
        in_row((_Sign(), 0, top), (self.label, 1), (self.button, 0, top), into=self, spacing=GRID)

    def _point(self) -> None:
        places = self._warning.places
        self.pointed.emit(*places[self._next % len(places)])
        self._next += 1


class _Sign(Themed, QWidget):
    """The sign before a warning."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(SIGN, SIGN + GRID // 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_icon(painter, QRectF(0, GRID // 2, SIGN, SIGN), "warning", self.theme.bad)
        painter.end()
