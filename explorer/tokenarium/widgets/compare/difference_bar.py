"""Lines above texts that are split differently: the differences, their kinds and positions, and buttons to step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from tokenarium.models.text.piece import whole_percent
from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.theme import GRID, PAGE_MARGIN
from tokenarium.widgets.layouts import FlowLayout, in_row
from tokenarium.widgets.panel import FlatButton, literal, named


class DifferenceBar(QWidget):
    """A sentence, a strip with a tick for each difference, and buttons to the previous and the next one."""

    stepped = Signal(int)  # -1: to the previous difference, 1: to the next
    picked = Signal(int)  # the index of a difference

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(4 * GRID)
        self.label = literal(QLabel())
        self.strip = named(OverviewStrip(), "Where in the text the cuts differ")
        self.strip.picked.connect(self.picked)
        self.key = _Key()
        row = in_row(
            self.label,
            self.key,
            (self.strip, 1),
            into=self,
            spacing=GRID,
            margins=(PAGE_MARGIN, 0, PAGE_MARGIN, 0),
        )
        self.buttons = [
            self._button("‹", "Previous difference", "Shift+F8", -1),
            self._button("›", "Next difference", "F8", 1),
        ]
        for button in self.buttons:
            row.addWidget(button)

    def show_positions(
        self, sentence: str, shares: npt.NDArray[np.float64], colour: QColor
    ) -> None:
        """Shows the sorted positions, each a share (0 to 1) of the text's length."""
        self.label.setText(sentence)
        self.strip.set_positions(shares, colour)
        self.key.show_colour(colour)
        self.key.setVisible(len(shares) > 0)
        for button in self.buttons:
            button.setEnabled(len(shares) > 0)

    def set_current(self, place: int) -> None:
        """Highlights one difference; -1: none."""
        self.strip.set_current(place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.key.shorten(self.width() < 70 * GRID)

    def _button(self, text: str, name: str, keys: str, step: int) -> QToolButton:
        button = named(FlatButton(), name, f"{name} ({keys})")
        button.setText(text)
        button.clicked.connect(lambda: self.stepped.emit(step))
        return button


class _Key(QWidget):
    """The meaning of the ticks in the text: a tick, and words if they fit."""

    WORDS = "a cut that not all tokenizers make"

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


class OverviewStrip(QWidget):
    """Ticks at positions in a text, from its start at the left to its end at the right."""

    picked = Signal(int)  # the index of the difference nearest to a click

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(GRID)
        self._shares: npt.NDArray[np.float64] = np.empty(0)
        self._colour = QColor()
        self._current = -1

    def set_positions(self, shares: npt.NDArray[np.float64], colour: QColor) -> None:
        """Shows sorted positions, each a share (0 to 1) of the text's length."""
        self._shares, self._colour = shares, colour
        self._current = -1
        self.update()

    def set_current(self, place: int) -> None:
        """Highlights one difference; -1: none."""
        self._current = place
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if len(self._shares):
            share = event.position().x() / max(self.width(), 1)
            self.picked.emit(int(np.argmin(np.abs(self._shares - share))))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.palette().midlight())
        room = self.width() - 2
        # Differences on the same pixel share a tick.
        for x in np.unique((self._shares * room).astype(np.int32)).tolist():
            painter.fillRect(x, 1, 2, self.height() - 2, self._colour)
        if 0 <= self._current < len(self._shares):
            x = int(self._shares[self._current] * room)
            painter.fillRect(x - 1, 0, 4, self.height(), self.palette().text())
        painter.end()


class KindBar(QWidget):
    """A button for each kind with its count; at most one is pressed."""

    picked = Signal(str)  # a kind, or empty: all

    def __init__(
        self, kinds: Sequence[str], meaning: Mapping[str, str], what: str = "differences"
    ) -> None:
        super().__init__()
        self._what = what
        self.kind = ""
        self.buttons: dict[str, QToolButton] = {}
        row = FlowLayout(self, GRID // 2)
        row.setContentsMargins(PAGE_MARGIN, 0, PAGE_MARGIN, GRID // 2)
        for kind in kinds:
            button = QToolButton(autoRaise=True)
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setToolTip(
                f"{kind.capitalize()}: {meaning[kind]}. Click to go through only these"
            )
            button.clicked.connect(lambda on, kind=kind: self.choose(kind if on else ""))
            self.buttons[kind] = button
            row.addWidget(button)

    def show_counts(self, counts: Mapping[str, int], total: int = 0) -> None:
        """Shows the count of each kind, and its share of ``total``, or of all; kinds without any are hidden."""
        total = max(total or sum(counts.values()), 1)
        for kind, button in self.buttons.items():
            count = counts.get(kind, 0)
            button.setText(f"{kind} {count:,} ({whole_percent(count, total)})")
            button.setAccessibleName(f"{count:,} {self._what} of the kind {kind}")
            button.setVisible(count > 0)
        if self.kind and not counts.get(self.kind):
            self.choose("")

    def choose(self, kind: str) -> None:
        """Presses only the button of a kind; none for "" (all)."""
        self.kind = kind
        for name, button in self.buttons.items():
            button.setChecked(name == kind)
        self.picked.emit(kind)
