"""A line that tells in how many places several cuts of a text differ, shows where, and walks them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from tokenarium.style.theme import GRID, SMALL_SIZE, ui_font
from tokenarium.widgets.flat_button import FlatButton
from tokenarium.widgets.panel import MARGIN, literal
from tokenarium.widgets.text.overview_strip import OverviewStrip


class DifferenceBar(QWidget):
    """A sentence, a strip with a tick for each place, and buttons to the place before and after."""

    stepped = Signal(int)  # -1: to the place before, 1: to the next
    picked = Signal(int)  # the number of a place

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(4 * GRID)
        self.label = literal(QLabel())
        self.strip = OverviewStrip()
        self.strip.setAccessibleName("Where in the text the cuts differ")
        self.strip.picked.connect(self.picked)
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN, 0, MARGIN, 0)
        row.setSpacing(GRID)
        self.key = _Key()
        row.addWidget(self.label)
        row.addWidget(self.key)
        row.addWidget(self.strip, 1)
        self.buttons = [
            self._button("‹", "Previous difference", "Shift+F8", -1),
            self._button("›", "Next difference", "F8", 1),
        ]
        for button in self.buttons:
            row.addWidget(button)

    def show_places(self, sentence: str, shares: npt.NDArray[np.float64], colour: QColor) -> None:
        """Shows the places, each a share (0 to 1) of the text's length, in their order."""
        self.label.setText(sentence)
        self.strip.set_places(shares, colour)
        self.key.show_colour(colour)
        self.key.setVisible(len(shares) > 0)
        for button in self.buttons:
            button.setEnabled(len(shares) > 0)

    def set_current(self, place: int) -> None:
        """Shows one place stronger than the others; -1: none."""
        self.strip.set_current(place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.key.shorten(self.width() < 70 * GRID)

    def _button(self, text: str, name: str, keys: str, step: int) -> QToolButton:
        button = FlatButton()
        button.setText(text)
        button.setAccessibleName(name)
        button.setToolTip(f"{name} ({keys})")
        button.clicked.connect(lambda: self.stepped.emit(step))
        return button


class _Key(QWidget):
    """What the ticks in the text mean: a tick, and words where there is room for them."""

    WORDS = "a cut that not all make"

    def __init__(self) -> None:
        super().__init__()
        self._colour = QColor()
        self._words = self.WORDS
        self.setFont(ui_font(SMALL_SIZE))
        self.setToolTip(f"The mark under the text: {self.WORDS}")
        self.shorten(False)

    def show_colour(self, colour: QColor) -> None:
        self._colour = colour
        self.update()

    def shorten(self, short: bool) -> None:
        self._words = "" if short else self.WORDS
        self.setFixedSize(GRID + self.fontMetrics().horizontalAdvance(self._words), 3 * GRID)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        middle = self.height() // 2
        painter.fillRect(0, middle - 3, 3, 7, self._colour)
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        words = self.rect().adjusted(GRID, 0, 0, 0)
        painter.drawText(words, int(Qt.AlignmentFlag.AlignVCenter), self._words)
        painter.end()
