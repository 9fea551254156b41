"""The line under a low chart: the names of its curves behind chips of their colours, and what the axis counts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from tokenarium.style.theme import GRID, SMALL_SIZE, ui_font
from tokenarium.widgets.layouts import FlowLayout
from tokenarium.widgets.panel import ColourChip, literal, secondary


class NameLegend(QWidget):
    """Shows names, in as many lines as they need, beside the title of an axis; it is only read."""

    def __init__(self, axis: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Legend")
        self._shown: Sequence[tuple[str, QColor]] = ()
        names = QWidget()
        self._flow = FlowLayout(names, GRID // 2)
        title = secondary(QLabel(axis))
        title.setFont(ui_font(SMALL_SIZE))
        row = QHBoxLayout(self)
        row.setContentsMargins(GRID, 0, 0, GRID // 2)
        row.setSpacing(GRID)
        row.addWidget(names, 1)
        row.addWidget(title, 0, Qt.AlignmentFlag.AlignTop)

    def show_names(self, names: Sequence[tuple[str, QColor]]) -> None:
        """Shows other names in their colours."""
        if names == self._shown:
            return
        self._shown = names
        while self._flow.count():
            old = self._flow.takeAt(0).widget()
            if old is not None:
                old.deleteLater()
        for name, colour in names:
            self._flow.addWidget(_Name(name, colour))


class _Name(QWidget):
    """One name behind its chip."""

    def __init__(self, name: str, colour: QColor) -> None:
        super().__init__()
        chip, label = ColourChip(colour), literal(QLabel(name))
        label.setFont(ui_font(SMALL_SIZE))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, GRID, 0)
        row.setSpacing(GRID // 2)
        row.addWidget(chip)
        row.addWidget(label, 1)
