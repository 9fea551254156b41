"""Answers of a lesson in parts: characters that are split, a cut that is chosen, and rows that are put in order."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QListWidget, QPushButton, QWidget

from tokenarium.style.fonts import LESSON_SIZE, TITLE_SIZE, ui_font
from tokenarium.widgets.layouts import FlowLayout
from tokenarium.widgets.panel import named

ITEM_HEIGHT = 32
BESIDE_ITEM, ROW_MARGIN = 22, 10
"""Pixels beside the text and the icon of a row that can be moved, and above and below its lines."""


class SplitRow(QWidget):
    """The characters of a word with a button between each pair, which cuts or joins them."""

    def __init__(self, characters: Sequence[str]) -> None:
        super().__init__()
        self._characters = list(characters)
        self.cuts: list[QPushButton] = []
        box = FlowLayout(self, 2)
        for index, character in enumerate(characters):
            label = QLabel(character)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setFont(ui_font(TITLE_SIZE, QFont.Weight.Medium))
            box.addWidget(label)
            if index + 1 < len(characters):
                cut = named(QPushButton("·"), f"Cut after {character}", "Cut here")
                cut.setCheckable(True)
                cut.setFixedSize(24, 32)
                cut.toggled.connect(lambda on, cut=cut: cut.setText("|" if on else "·"))
                self.cuts.append(cut)
                box.addWidget(cut)

    @property
    def parts(self) -> list[str]:
        """The parts between the cuts."""
        parts = [self._characters[0]] if self._characters else []
        for cut, character in zip(self.cuts, self._characters[1:], strict=True):
            if cut.isChecked():
                parts.append(character)
            else:
                parts[-1] += character
        return parts


class CutRow(QWidget):
    """The tokens of a text with a button at each cut; ``clicked``: the index of the cut in the question."""

    clicked = Signal(object)

    def __init__(self, parts: Sequence[str], cuts: Sequence[str]) -> None:
        super().__init__()
        self.cuts: dict[str, QPushButton] = {}
        box = FlowLayout(self, 2)
        for part, cut in zip(parts, [*cuts, ""], strict=False):
            label = QLabel(part)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setFont(ui_font(LESSON_SIZE, QFont.Weight.Medium))
            label.setFixedHeight(ITEM_HEIGHT)
            box.addWidget(label)
            if cut:
                button = named(QPushButton("|"), f"Cut after {part}", "This cut")
                button.setFixedSize(28, ITEM_HEIGHT)
                button.clicked.connect(lambda _, cut=cut: self.clicked.emit(cut))
                self.cuts[cut] = button
                box.addWidget(button)

    def show_states(self, chosen: str, right: str) -> None:
        """Shows which cut is right, and marks a different chosen one as wrong."""
        for cut, button in self.cuts.items():
            state = "right" if cut == right else "wrong" if cut == chosen else ""
            if state:
                button.setText({"right": "✓", "wrong": "✗"}[state])
                name = button.accessibleName().partition(",")[0]
                button.setAccessibleName(f"{name}, {state}")


class OrderList(QListWidget):
    """Rows that can be dragged, or moved with Alt and Up or Down. They wrap, and all are seen."""

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def fit_rows(self) -> None:
        """Makes each row as high as its text needs at the width of the list."""
        beside = self.iconSize().width() + BESIDE_ITEM
        room = QRect(0, 0, self.viewport().width() - beside, 1 << 12)
        heights = [0]
        for item in map(self.item, range(self.count())):
            lines = self.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, item.text())
            heights.append(max(ITEM_HEIGHT, lines.height() + ROW_MARGIN))
            item.setSizeHint(QSize(0, heights[-1]))
        self.setFixedHeight(sum(heights) + 2 * self.frameWidth() + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_rows()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        step = steps.get(Qt.Key(event.key()), 0)
        row = self.currentRow()
        if step and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            if row >= 0 and 0 <= row + step < self.count():
                item = self.takeItem(row)
                self.insertItem(row + step, item)
                self.setCurrentRow(row + step)
            return
        super().keyPressEvent(event)
